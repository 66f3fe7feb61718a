package suite

import (
	"fmt"
	"testing"
	"time"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kube"
)

// promised is how soon a waiting pod is asked for again once it would pass.
const promised = 5 * time.Second

// limited is red with that ceiling of cards.
func limited(ceiling int) bed.Tenant {
	return bed.Tenant{Name: "red", Quota: map[string]bed.Limit{gpu.Card: {Ceiling: fmt.Sprint(ceiling)}}}
}

// settle waits until the scheduler has stopped trying by itself, so that only a nudge can wake the pod.
func settle(t *testing.T, b *bed.Bed) {
	t.Helper()
	bed.Await(t, "the scheduler is at rest", bed.Patience, func() bool { return filtersWithin(t, b, time.Second) == 0 })
}

func TestAWaitingPodIsWoken(t *testing.T) {
	for _, c := range []struct {
		name string
		wake func(b *bed.Bed)
	}{
		{"quota raised", func(b *bed.Bed) { b.Change(limited(2)) }},
		{"restarted with more quota", func(b *bed.Bed) {
			b.Must(b.Daemon.Stop())
			b.Rewrite(limited(2))
			b.Must(b.Daemon.Start())
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := bed.Make(t, bed.Setup{Tenants: []bed.Tenant{limited(1)}, Nodes: nodes("n", 2, gpu.Whole(1))})
			b.Running(b.Pod("red", "first", gpu.Card, 1))
			pod := b.Pod("red", "second", gpu.Card, 1)
			b.WaitingFor(pod, "QuotaCeiling")
			settle(t, b)
			c.wake(b)
			_, took := b.RunningWithin(pod, promised)
			t.Logf("nudge: it ran %s after %s", took.Round(time.Millisecond), c.name)
			if b.Now(pod).Condition("shikiri.dev/Nudged") == nil {
				t.Error("something else woke it, so this shows nothing")
			}
		})
	}
}

func TestPodsThatWaitThroughAnOutageAreWoken(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 2, gpu.Whole(2))})
	b.Daemon.Kill()
	var pods []*kube.Pod
	for i := range 3 {
		pods = append(pods, b.Pod("red", fmt.Sprintf("pod-%d", i), gpu.Card, 1))
	}
	for _, pod := range pods {
		b.Waiting(pod)
	}
	b.Must(b.Daemon.Start())
	for _, pod := range pods {
		_, took := b.RunningWithin(pod, bed.Patience)
		t.Logf("it ran %s after we were back", took.Round(time.Millisecond))
	}
}

// To wake everybody for one place would be a storm.
func TestOnlyPodsThatWouldPassAreNudged(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: []bed.Tenant{limited(1), {Name: "blue", Quota: map[string]bed.Limit{gpu.Card: {Ceiling: "0"}}}},
		Nodes: nodes("n", 2, gpu.Whole(1))})
	b.Running(b.Pod("red", "first", gpu.Card, 1))
	lucky, unlucky := b.Pod("red", "lucky", gpu.Card, 1), b.Pod("blue", "unlucky", gpu.Card, 1)
	b.WaitingFor(lucky, "QuotaCeiling")
	b.WaitingFor(unlucky, "QuotaCeiling")
	settle(t, b)
	b.Change(limited(2))
	b.Running(lucky)
	if b.Now(unlucky).Condition("shikiri.dev/Nudged") != nil {
		t.Error("a pod that can't pass was nudged")
	}
}

// The scheduler can be faster than our watch: it asked and was refused before we knew of the pod, and what
// would have let it pass happened before too.
func TestAPodRefusedBeforeItWasSeenIsWoken(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: []bed.Tenant{limited(1)}, Nodes: nodes("n", 2, gpu.Whole(1))})
	b.Running(b.Pod("red", "first", gpu.Card, 1))
	b.Proxy.Hold(true)
	pod := b.Pod("red", "second", gpu.Card, 1)
	b.WaitingFor(pod, "QuotaCeiling")
	settle(t, b)
	b.Change(limited(2))
	settle(t, b)
	b.Proxy.Hold(false)
	_, took := b.RunningWithin(pod, promised)
	t.Logf("it ran %s after the watch showed it", took.Round(time.Millisecond))
}

// A connection that idled may be dead without our knowing. What woke nobody has to be said again.
func TestANudgeOutlivesItsConnection(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 1, gpu.Whole(1))})
	first := b.Pod("red", "first", gpu.Card, 1)
	b.Running(first)
	settle(t, b)
	b.Proxy.Cut()
	b.Delete(first)
	_, took := b.RunningWithin(b.Pod("blue", "second", gpu.Card, 1), bed.Patience)
	t.Logf("it ran after %s", took.Round(time.Millisecond))
}
