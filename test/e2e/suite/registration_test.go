package suite

import (
	"fmt"
	"strings"
	"testing"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kubelet"
)

func TestRegistersFromTheGeneratedConfiguration(t *testing.T) {
	for _, c := range []struct{ topology, scheduler string }{
		{"second", bed.SchedulerName},
		{"default", "default-scheduler"},
	} {
		t.Run(c.topology, func(t *testing.T) {
			b := bed.Make(t, bed.Setup{Idle: true, Tenants: strangers(), Nodes: nodes("n", 2, gpu.Whole(2))})
			b.Must(b.Daemon.Start())
			b.StartScheduler("scheduler", c.topology, c.scheduler)
			pod := b.Pod("red", "first", gpu.Card, 1, bed.By(c.scheduler))
			where := b.Running(pod)
			annotations := b.Now(pod).Metadata.Annotations
			for key, want := range map[string]string{
				"shikiri.dev/tenant": "red", "shikiri.dev/isolation-class": "card", "shikiri.dev/quota-class": "guaranteed",
			} {
				if annotations[key] != want {
					t.Errorf("%s is %q, not %q", key, annotations[key], want)
				}
			}
			if allocation := annotations["shikiri.dev/allocation"]; !strings.HasPrefix(allocation, "v1;") ||
				!strings.HasSuffix(allocation, ";"+where+";"+gpu.Card+"=1") {
				t.Errorf("allocation is %q", allocation)
			}
			for _, verb := range []string{"filter", "prioritize", "bind"} {
				if n, err := b.Daemon.Metric("shikiri_extender_requests_total", fmt.Sprintf("verb=%q", verb)); err != nil || n == 0 {
					t.Errorf("%s was asked %v times (%v)", verb, n, err)
				}
			}
		})
	}
}

func TestPodsWithoutGPUsAreBoundPlainly(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 2, gpu.Whole(1))})
	b.MakeNamespace("nobodys")
	pod := b.Pod("nobodys", "plain", "", 0, bed.WithCPU(1))
	b.Running(pod)
	if _, annotated := b.Now(pod).Metadata.Annotations["shikiri.dev/allocation"]; annotated || rowOf(b, pod) != nil {
		t.Error("it has an allocation")
	}
}

func TestTheShippedManifestsAreTakenByTheAPIServer(t *testing.T) {
	b := bed.Make(t, bed.Setup{Stock: true})
	for _, folder := range []string{"deploy/manifests", "deploy/manifests/advise"} {
		for _, object := range b.ReadManifests(folder) {
			if err := b.Apply(object, true); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestTheShippedRightsAreTheSmallest(t *testing.T) {
	b := bed.Make(t, bed.Setup{Stock: true})
	for _, c := range []struct {
		verb, group, resource, subresource string
		allowed                            bool
	}{
		{"list", "", "pods", "", true},
		{"watch", "", "nodes", "", true},
		{"list", "", "namespaces", "", true},
		{"watch", "scheduling.k8s.io", "priorityclasses", "", true},
		{"create", "", "pods", "binding", true},
		{"patch", "", "pods", "status", true},
		{"patch", "", "pods", "", false},
		{"update", "", "pods", "status", false},
		{"delete", "", "pods", "", false},
		{"create", "", "pods", "", false},
		{"create", "", "pods", "eviction", false},
		{"get", "", "secrets", "", false},
		{"list", "", "secrets", "", false},
		{"list", "", "configmaps", "", false},
		{"patch", "", "nodes", "", false},
		{"patch", "", "nodes", "status", false},
		{"create", "", "serviceaccounts", "token", false},
		{"impersonate", "", "users", "", false},
		{"escalate", "rbac.authorization.k8s.io", "clusterroles", "", false},
	} {
		if allowed := b.DaemonMay(c.verb, c.group, c.resource, c.subresource); allowed != c.allowed {
			t.Errorf("%s %s/%s %s: %v", c.verb, c.resource, c.subresource, c.group, allowed)
		}
	}
}

// The daemon of every test runs with the shipped rights; here everything that needs one happens.
func TestNothingItDoesIsForbidden(t *testing.T) {
	b := bed.Make(t, bed.Setup{Nodes: nodes("n", 1, gpu.Whole(1)),
		Tenants: []bed.Tenant{{Name: "red", Quota: map[string]bed.Limit{gpu.Card: {Ceiling: "0"}}}}})
	pod := b.Pod("red", "waits", gpu.Card, 1)
	b.WaitingFor(pod, "QuotaCeiling")
	b.Change(bed.Tenant{Name: "red", Quota: map[string]bed.Limit{gpu.Card: {Ceiling: "1"}}})
	b.Running(pod)
	bed.Await(t, "shikiri's event on the pod", bed.Patience, func() bool {
		return strings.Contains(strings.Join(b.Events(pod), "\n"), "GPUPlaced")
	})
	if n := b.Proxy.Answered(403); n != 0 {
		t.Errorf("%d calls were forbidden", n)
	}
}

func TestAdviceNeedsNoMoreThanLooking(t *testing.T) {
	b := bed.Make(t, bed.Setup{Idle: true, Tenants: strangers(), Args: []string{"--mode", "advise"},
		Nodes: []kubelet.Node{node("shared", gpu.Shared(1, 4, gpu.TimeSliced))}})
	b.GrantOnly("deploy/manifests/advise", "ClusterRole")
	b.Must(b.Daemon.Start())
	b.Schedule("scheduler", b.SchedulerConfig("second", "--scheduler-name", bed.SchedulerName, "--advise"))
	// Both come where only one of them may be, since nobody acts on the advice.
	b.Running(b.Pod("red", "one", gpu.CardShared, 1, bed.Foreign()))
	b.Running(b.Pod("blue", "other", gpu.CardShared, 1, bed.Foreign()))
	for _, call := range b.Proxy.Calls() {
		if !strings.HasPrefix(call, "GET ") {
			t.Errorf("an adviser's call: %s", call)
		}
	}
	if n := b.Proxy.Answered(403); n != 0 {
		t.Errorf("%d calls were forbidden", n)
	}
}
