package kubelet

import (
	"time"

	"shikiri.dev/e2e/kube"
)

// Statuses as a kubelet writes them.

func running() kube.PodStatus {
	now := time.Now().UTC()
	status := kube.PodStatus{Phase: "Running", HostIP: "127.0.0.1", PodIP: "127.0.0.1", StartTime: &now}
	status.Conditions = ready("True", now)
	return status
}

func succeeded() kube.PodStatus {
	return kube.PodStatus{Phase: "Succeeded", Conditions: ready("False", time.Now().UTC())}
}

func failed(no *refusal) kube.PodStatus {
	now := time.Now().UTC()
	return kube.PodStatus{Phase: "Failed", Reason: no.reason, Message: no.message, StartTime: &now}
}

func ready(status string, since time.Time) []kube.Condition {
	var conditions []kube.Condition
	for _, kind := range []string{"Initialized", "ContainersReady", "Ready"} {
		conditions = append(conditions, kube.Condition{Type: kind, Status: status, LastTransitionTime: &since})
	}
	return conditions
}

// nodeReady is a node's conditions while its kubelet reports, or since it doesn't.
func nodeReady(reporting bool) []kube.Condition {
	now := time.Now().UTC()
	condition := kube.Condition{Type: "Ready", Status: "True", Reason: "KubeletReady", LastHeartbeatTime: &now, LastTransitionTime: &now}
	if !reporting {
		condition.Status, condition.Reason, condition.Message = "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."
	}
	return []kube.Condition{condition}
}
