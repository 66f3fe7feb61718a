package kube

import (
	"fmt"
	"strings"
)

// plurals of the kinds that our manifests hold; true for those that live in a namespace.
var plurals = map[string]struct {
	name       string
	namespaced bool
}{
	"Namespace": {"namespaces", false}, "ConfigMap": {"configmaps", true}, "Service": {"services", true},
	"ServiceAccount": {"serviceaccounts", true}, "Deployment": {"deployments", true},
	"PersistentVolumeClaim": {"persistentvolumeclaims", true}, "ResourceQuota": {"resourcequotas", true},
	"Role": {"roles", true}, "RoleBinding": {"rolebindings", true},
	"ClusterRole": {"clusterroles", false}, "ClusterRoleBinding": {"clusterrolebindings", false},
	"PriorityClass": {"priorityclasses", false}, "PodDisruptionBudget": {"poddisruptionbudgets", true},
	"NetworkPolicy":                    {"networkpolicies", true},
	"ValidatingAdmissionPolicy":        {"validatingadmissionpolicies", false},
	"ValidatingAdmissionPolicyBinding": {"validatingadmissionpolicybindings", false},
}

// PathOf is where an object lives in the API.
func PathOf(object map[string]any) (string, error) {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	meta, _ := object["metadata"].(map[string]any)
	plural, known := plurals[kind]
	if !known {
		return "", fmt.Errorf("no path for kind %q", kind)
	}
	path := "/apis/" + version
	if !strings.Contains(version, "/") {
		path = "/api/" + version
	}
	if plural.namespaced {
		path += fmt.Sprintf("/namespaces/%v", meta["namespace"])
	}
	return fmt.Sprintf("%s/%s/%v", path, plural.name, meta["name"]), nil
}
