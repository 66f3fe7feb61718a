package suite

import (
	"fmt"
	"testing"
	"time"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kube"
	"shikiri.dev/e2e/proxy"
)

// Each scheduler learns of the other's pods late; only bind stands between them and one card for two.
func TestTwoSchedulersShareOneCluster(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 5, gpu.Whole(4))})
	b.StartScheduler("other", "default", defaultScheduler)
	schedulers := []string{bed.SchedulerName, defaultScheduler}
	tenants := []string{"red", "blue"}
	var pods []*kube.Pod
	for i := range 20 {
		pods = append(pods, b.Pod(tenants[i/2%2], fmt.Sprintf("pod-%d", i), gpu.Card, 1, bed.By(schedulers[i%2])))
	}
	for _, pod := range pods {
		b.Running(pod)
	}
}

func TestForeignBindsAreAdoptedAndCounted(t *testing.T) {
	b := bed.Make(t, bed.Setup{Nodes: nodes("n", 2, gpu.Shared(1, 4, gpu.TimeSliced)),
		Tenants: []bed.Tenant{{Name: "red", Quota: map[string]bed.Limit{gpu.CardShared: {Ceiling: "3"}}}, {Name: "blue"}}})
	b.StockScheduler("plain", "plain-scheduler")
	preset := b.Pod("red", "preset", gpu.CardShared, 1, bed.OnNode("n-0"), bed.Foreign())
	plain := b.Pod("red", "plain", gpu.CardShared, 1, bed.By("plain-scheduler"), bed.Selecting("kubernetes.io/hostname", "n-0"), bed.Foreign())
	for _, pod := range []*kube.Pod{preset, plain} {
		b.Running(pod)
		bed.Await(t, pod.Key()+" is adopted", bed.Patience, func() bool { return rowOf(b, pod) != nil })
		if row := rowOf(b, pod); row.State != "foreign" || row.Tenant != "red" || row.Node != "n-0" {
			t.Errorf("%s is adopted as %+v", pod.Key(), row)
		}
	}
	b.Run("they own their pool", func(t *testing.T) {
		b.WaitingFor(b.Pod("blue", "kept-out", gpu.CardShared, 1, bed.Selecting("kubernetes.io/hostname", "n-0")), "TrustBoundary")
	})
	b.Run("they count", func(t *testing.T) {
		b.Running(b.Pod("red", "third", gpu.CardShared, 1))
		b.WaitingFor(b.Pod("red", "fourth", gpu.CardShared, 1), "QuotaCeiling")
	})
	b.Run("two domains in one pool let nobody in", func(t *testing.T) {
		b.Running(b.Pod("blue", "intruder", gpu.CardShared, 1, bed.OnNode("n-0"), bed.Foreign()))
		bed.Await(t, "the conflict is counted", bed.Patience, func() bool {
			n, err := b.Daemon.Metric("shikiri_trust_conflicts", "")
			return err == nil && n == 1
		})
	})
}

func TestAStatefulPodComesBackUnderItsName(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 1, gpu.Whole(1))})
	var before *kube.Pod
	for range 4 {
		pod := b.Pod("red", "db-0", gpu.Card, 1, bed.StoppingFor(200*time.Millisecond))
		b.Running(pod)
		rows, err := b.Daemon.Allocations()
		b.Must(err)
		if len(rows) != 1 || rows[0].UID != pod.Metadata.UID || (before != nil && before.Metadata.UID == pod.Metadata.UID) {
			t.Errorf("rows are %+v", rows)
		}
		b.Delete(pod)
		before = pod
	}
}

// The new process knows nothing of the bind under way and asks for it again.
func TestSchedulerKilledBetweenAssumeAndBind(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 2, gpu.Whole(1))})
	b.Proxy.Inject(proxy.Fault{Method: "POST", Path: "/binding", Delay: time.Second, Times: 1})
	pod := b.Pod("red", "caught", gpu.Card, 1)
	bed.Await(t, "the Binding is on its way", bed.Patience, func() bool { return asked(b, "POST", "/binding") > 0 })
	b.Scheduler.Kill()
	b.Must(b.Scheduler.Start())
	b.Running(pod)
	b.Running(b.Pod("red", "next", gpu.Card, 1))
}
