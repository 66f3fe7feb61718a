package suite

import (
	"net/http"
	"testing"
	"time"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kube"
)

func TestMIGReconfigurationPlayedByLabels(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 1, gpu.Mixed(1, "all-1g.10gb"))})
	small, large := gpu.Slice("1g.10gb"), gpu.Slice("3g.40gb")
	before := b.Pod("red", "before", small, 1)
	b.Running(before)
	b.Delete(before)
	waits := b.Pod("red", "waits", large, 1)
	b.Waiting(waits)

	var during *kube.Pod
	b.Must(b.Fleet.Reconfigure("n-0", "all-3g.40gb", func(step string) {
		if step != "pending" {
			return
		}
		// The old slices still stand in allocatable, and nobody may have one any more.
		bed.Await(t, "the fence is seen", bed.Patience, func() bool { return fenced(b, "n-0") })
		during = b.Pod("red", "during", small, 1)
		b.WaitingFor(during, "MigReconfiguring")
	}))
	if where := b.Running(waits); where != "n-0" {
		t.Errorf("it runs on %s", where)
	}
	b.Waiting(during)
	if now := b.Now(during); now.Spec.NodeName != "" {
		t.Errorf("a slice that is gone was given to %s", now.Key())
	}
}

// fenced says whether shikiri keeps new pods off the node.
func fenced(b *bed.Bed, name string) bool {
	var node struct {
		Status struct{ Fence string }
	}
	b.Must(b.Daemon.Get("/nodes/"+name, &node))
	return node.Status.Fence != ""
}

func TestSickDevicesLeaveOnlyAllocatable(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 1, gpu.Whole(2))})
	b.Must(b.Fleet.Sicken("n-0", gpu.Card, 1))
	bed.Await(t, "shikiri has seen it", bed.Patience, func() bool {
		n, err := b.Daemon.Metric("shikiri_pool_units", `state="allocatable"`)
		return err == nil && n == 1
	})
	b.Running(b.Pod("red", "healthy", gpu.Card, 1))
	b.Waiting(b.Pod("red", "none-left", gpu.Card, 1))
}

func TestANodeThatGoesTakesNoRowsAlong(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 2, gpu.Whole(1))})
	pod := b.Pod("red", "stranded", gpu.Card, 1)
	where := b.Running(pod)
	b.Must(b.Fleet.Remove(where))
	bed.Await(t, "shikiri has seen it", bed.Patience, func() bool {
		n, err := b.Daemon.Metric("shikiri_nodes", "")
		return err == nil && n == 1
	})
	if row := rowOf(b, pod); row == nil {
		t.Error("its row went with the node")
	}
	b.Must(b.Admin.DeleteNow("/api/v1/namespaces/red/pods/stranded", pod.Metadata.UID))
	bed.Await(t, "the row goes with the pod", bed.Patience, func() bool { return rowOf(b, pod) == nil })
}

func TestANodeThatIsNotReadyReleasesNothing(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 1, gpu.Shared(1, 4, gpu.TimeSliced))})
	pod := b.Pod("red", "unseen", gpu.CardShared, 1)
	b.Running(pod)
	b.Must(b.Fleet.CutOff("n-0"))
	b.AskDelete(pod)
	other := b.Pod("blue", "other", gpu.CardShared, 1)
	bed.Never(t, "it is released", 2*time.Second, func() bool { return rowOf(b, pod) == nil })
	b.Must(b.Fleet.Return("n-0"))
	b.Running(other)
}

// Nobody tells when the containers of a pod that was deleted by force have ended. Until they must have, its
// card is its own.
func TestAPodTakenByForceKeepsItsPlace(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 1, gpu.Shared(1, 4, gpu.TimeSliced))})
	pod := b.Pod("red", "forced", gpu.CardShared, 1, bed.WithGrace(2))
	b.Running(pod)
	b.Must(b.Admin.DeleteNow("/api/v1/namespaces/red/pods/forced", pod.Metadata.UID))
	other := b.Pod("blue", "other", gpu.CardShared, 1)
	b.WaitingFor(other, "TrustBoundary")
	_, took := b.RunningWithin(other, 2*bed.Patience)
	t.Logf("the next domain came %s later", took.Round(time.Second))
}

func TestAPodTakenByForceWhileWeWereAwayKeepsItsPlace(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 1, gpu.Shared(1, 4, gpu.TimeSliced))})
	pod := b.Pod("red", "forced", gpu.CardShared, 1, bed.WithGrace(5))
	b.Running(pod)
	b.Daemon.Kill()
	b.Must(b.Admin.DeleteNow("/api/v1/namespaces/red/pods/forced", pod.Metadata.UID))
	b.Must(b.Daemon.Start())
	b.WaitingFor(b.Pod("blue", "other", gpu.CardShared, 1), "TrustBoundary")
	// With the Node object gone there is nothing left to keep.
	b.Must(b.Fleet.Remove("n-0"))
}

// What a kubelet refuses ends as Failed; the node is left alone for a while.
func TestAPodThatTheKubeletRefusesIsReleased(t *testing.T) {
	b := bed.Make(t, bed.Setup{Refuses: true, Tenants: strangers(), Nodes: nodes("n", 1, gpu.Whole(2))})
	// The kubelet knows of a device that nobody told the API server about.
	b.Fleet.SickenUnseen("n-0", gpu.Card, 1)
	b.Running(b.Pod("red", "first", gpu.Card, 1))
	second := b.Pod("red", "second", gpu.Card, 1)
	bed.Await(t, "the kubelet refuses it", bed.Patience, func() bool {
		now := b.Now(second)
		return now.Status.Phase == "Failed" && now.Status.Reason == "OutOf"+gpu.Card
	})
	bed.Await(t, "its row is released", bed.Patience, func() bool { return rowOf(b, second) == nil })
	third := b.Pod("red", "third", gpu.Card, 1)
	b.WaitingFor(third, "Held")
	if n := b.Proxy.Answered(http.StatusForbidden); n != 0 {
		t.Errorf("%d calls were forbidden", n)
	}
}
