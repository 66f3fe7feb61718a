package suite

import (
	"testing"
	"time"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kube"
	"shikiri.dev/e2e/kubelet"
)

// The fake kubelet is trusted by all other tests, so it comes first.

func TestFakeKubeletRefusesForGood(t *testing.T) {
	b := bed.Make(t, bed.Setup{Stock: true, Refuses: true, Tenants: []bed.Tenant{{Name: "red"}}, Nodes: []kubelet.Node{node("n", gpu.Whole(2))}})
	first := b.Pod("red", "first", gpu.Card, 2, bed.OnNode("n"))
	b.Running(first)
	for _, c := range []struct{ name, resource, reason string }{
		{"over", gpu.Card, "OutOf" + gpu.Card},
		{"unknown", gpu.Slice("1g.10gb"), "UnexpectedAdmissionError"},
		{"cpu", "cpu", "OutOfcpu"},
	} {
		n := 1
		if c.resource == "cpu" {
			n = 1000
		}
		pod := b.Pod("red", c.name, c.resource, n, bed.OnNode("n"))
		bed.Await(t, c.name+" fails", bed.Patience, func() bool {
			now := b.Now(pod)
			return now.Status.Phase == "Failed" && now.Status.Reason == c.reason
		})
		// Also when there is room later, and when somebody writes to the pod.
		b.Must(b.Admin.Merge("/api/v1/namespaces/red/pods/"+c.name, map[string]any{"metadata": map[string]any{"labels": map[string]string{"touched": "yes"}}}))
	}
	b.Delete(first)
	second := b.Pod("red", "second", gpu.Card, 2, bed.OnNode("n"))
	b.Running(second)
	for _, pod := range b.Pods() {
		if pod.Metadata.Name != "second" && pod.Status.Phase != "Failed" {
			t.Errorf("%s is %s", pod.Key(), pod.Status.Phase)
		}
	}
}

func TestFakeKubeletTellsTheEndBeforeItLetsGo(t *testing.T) {
	b := bed.Make(t, bed.Setup{Stock: true, Tenants: []bed.Tenant{{Name: "red"}}, Nodes: []kubelet.Node{node("n", gpu.Whole(1))}})
	pod := b.Pod("red", "ending", gpu.Card, 1, bed.StoppingFor(300*time.Millisecond))
	b.Running(pod)
	phases := watchPhases(t, b, pod)
	b.Delete(pod)
	seen := <-phases
	if last := seen[len(seen)-1]; last != "Succeeded" {
		t.Errorf("phases until it was gone: %v", seen)
	}
	if held := b.Fleet.Holders("n"); len(held) != 0 {
		t.Errorf("still held: %v", held)
	}
}

func TestFakeKubeletKeepsTheDevicesOfAPodTakenByForce(t *testing.T) {
	b := bed.Make(t, bed.Setup{Stock: true, Tenants: []bed.Tenant{{Name: "red"}}, Nodes: []kubelet.Node{node("n", gpu.Whole(1))}})
	pod := b.Pod("red", "forced", gpu.Card, 1, bed.WithGrace(2))
	b.Running(pod)
	b.Must(b.Admin.DeleteNow("/api/v1/namespaces/red/pods/forced", pod.Metadata.UID))
	bed.Await(t, "it is out of the API", bed.Patience, func() bool { return b.Now(pod) == nil })
	if held := b.Fleet.Holders("n"); len(held) != 1 {
		t.Errorf("not held any more: %v", held)
	}
	bed.Await(t, "its grace period is over", bed.Patience, func() bool { return len(b.Fleet.Holders("n")) == 0 })
}

// watchPhases sends all phases of the pod once it is gone.
func watchPhases(t *testing.T, b *bed.Bed, pod *kube.Pod) <-chan []string {
	result := make(chan []string, 1)
	ready := make(chan struct{})
	var seen []string
	go kube.Follow(t.Context(), b.Admin, "/api/v1/pods", ready, func(p kube.Pod, gone bool) {
		if p.Metadata.UID != pod.Metadata.UID {
			return
		}
		seen = append(seen, p.Status.Phase)
		if gone {
			result <- seen
		}
	})
	<-ready
	return result
}
