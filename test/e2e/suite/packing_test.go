package suite

import (
	"fmt"
	"testing"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
)

const defaultScheduler = "default-scheduler"

// spread creates n pods of one card, one after the other, and counts them by node.
func spread(b *bed.Bed, n int, expect func(pod int) string) map[string]int {
	where := map[string]int{}
	for i := range n {
		wanted := ""
		if expect != nil {
			wanted = expect(i)
		}
		got := b.Running(b.Pod("red", fmt.Sprintf("pod-%d", i), gpu.Card, 1, bed.By(defaultScheduler), bed.WithCPU(8)))
		if wanted != "" && got != wanted {
			b.T.Errorf("pod %d is on %s, our winner was %s", i, got, wanted)
		}
		where[got]++
	}
	return where
}

// winner is the node that a dry run of such a pod ranks first.
func winner(b *bed.Bed) string {
	var report struct{ Pods []struct{ Node string } }
	b.Must(b.Daemon.DryRun(bed.NewPod("red", "dry", gpu.Card, 1, bed.WithCPU(8)), &report))
	return report.Pods[0].Node
}

// The scheduler's own scoring spreads; ours packs, and it is ours that counts.
func TestPodsLandOnOurWinner(t *testing.T) {
	t.Run("stock", func(t *testing.T) {
		b := bed.Make(t, bed.Setup{Idle: true, Tenants: strangers(), Nodes: nodes("n", 4, gpu.Whole(8))})
		b.StockScheduler("scheduler", defaultScheduler)
		if where := spread(b, 8, nil); len(where) < 3 {
			t.Errorf("stock scoring doesn't spread here, so this shows nothing: %v", where)
		}
	})
	t.Run("shikiri", func(t *testing.T) {
		b := bed.Make(t, bed.Setup{Idle: true, Tenants: strangers(), Nodes: nodes("n", 4, gpu.Whole(8))})
		b.Must(b.Daemon.Start())
		b.StartScheduler("scheduler", "default", defaultScheduler)
		if where := spread(b, 8, func(int) string { return winner(b) }); len(where) != 1 {
			t.Errorf("eight cards lie on %v", where)
		}
	})
}

func TestTheOneNodeOfThreeHundredIsFound(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: append(nodes("taken", 299, gpu.Shared(1, 2, gpu.TimeSliced)),
		node("free", gpu.Shared(1, 2, gpu.TimeSliced)))})
	for i := range 299 {
		b.Must(b.Admin.Merge(fmt.Sprintf("/api/v1/nodes/taken-%d", i),
			map[string]any{"metadata": map[string]any{"labels": map[string]any{"nvidia.com/gpu.product": nil}}}))
	}
	bed.Await(t, "shikiri has seen it", bed.Patience, func() bool {
		n, err := b.Daemon.Metric("shikiri_nodes", `state="inconsistent"`)
		return err == nil && n == 299
	})
	// More than one, because a sample of half the nodes may hit by luck.
	for i := range 2 {
		pod := b.Pod("red", fmt.Sprintf("pod-%d", i), gpu.CardShared, 1)
		where, took := b.RunningWithin(pod, bed.Patience)
		if where != "free" {
			t.Errorf("it runs on %s", where)
		}
		t.Logf("found among 300 nodes after %s", took)
	}
	third := b.Pod("red", "third", gpu.CardShared, 1)
	b.WaitingFor(third, "NodeInconsistent")
}

func TestASingleFeasibleNodeNeedsNoPrioritize(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 3, gpu.Whole(1))})
	if where := b.Running(b.Pod("red", "chosen", gpu.Card, 1, bed.Selecting("kubernetes.io/hostname", "n-1"))); where != "n-1" {
		t.Errorf("it runs on %s", where)
	}
	if n, err := b.Daemon.Metric("shikiri_extender_requests_total", `verb="prioritize"`); err != nil || n != 0 {
		t.Errorf("prioritize was asked %v times (%v), so this shows nothing", n, err)
	}
}
