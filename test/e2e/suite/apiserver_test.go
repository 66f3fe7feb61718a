package suite

import (
	"net/http"
	"testing"
	"time"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/proxy"
)

// afterOutage is patience with watches that went into their longest pause, and a list that has one too.
const afterOutage = 3 * bed.Patience

func TestAPIServerRestartedUnderLoad(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 10, gpu.Shared(2, 4, gpu.TimeSliced))})
	load := startLoad(b, []string{"red", "blue"}, gpu.CardShared, 40)
	time.Sleep(time.Second)
	b.KillAPIServer()
	b.Must(b.StartAPIServer())
	load.finish()
}

// Cut off long enough, the daemon asks for events that nobody has any more, and has to list again: what
// came and went meanwhile is in no event.
func TestCompactionForcesANewList(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 2, gpu.Whole(1))})
	gone := b.Pod("red", "goes", gpu.Card, 1)
	b.Running(gone)

	b.Proxy.Down(true)
	b.Delete(gone)
	came := b.Pod("red", "comes", gpu.Card, 1, bed.OnNode("n-0"), bed.Foreign())
	b.Running(came)
	b.Must(b.Compact())
	b.KillAPIServer()
	b.Must(b.StartAPIServer())
	b.Proxy.Down(false)

	b.JudgeLedgerWithin(afterOutage)
	if n := b.Proxy.Answered(http.StatusGone); n == 0 {
		t.Error("nothing was too old, so this shows nothing")
	}
	b.RunningWithin(b.Pod("blue", "next", gpu.Card, 1), afterOutage)
}

func TestBindingsThatTakeTooLong(t *testing.T) {
	const budget, late = "1s", 2 * time.Second
	for _, c := range []struct {
		name  string
		fault proxy.Fault
	}{
		{"never arrives", proxy.Fault{Delay: late}},
		{"arrives after its time", proxy.Fault{Delay: late, Lose: true}},
		{"answer lost", proxy.Fault{Lose: true}},
		{"told to wait", proxy.Fault{Status: http.StatusTooManyRequests}},
		{"server error", proxy.Fault{Status: http.StatusInternalServerError}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 2, gpu.Whole(1)),
				Policy: map[string]map[string]any{"limits": {"bindTimeout": budget}}})
			c.fault.Method, c.fault.Path, c.fault.Times = http.MethodPost, "/binding", 1
			undo := b.Proxy.Inject(c.fault)
			pod := b.Pod("red", "slow", gpu.Card, 1)
			_, took := b.RunningWithin(pod, bed.Patience)
			if n := undo(); n != 1 {
				t.Errorf("the fault came %d times", n)
			}
			t.Logf("it ran after %s", took.Round(time.Millisecond))
			// A Binding that lands later must not have been promised to somebody else meanwhile.
			b.Running(b.Pod("blue", "next", gpu.Card, 1))
			time.Sleep(late)
		})
	}
}

func TestASlowAPIServerOnlyCostsTime(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 4, gpu.Whole(4))})
	b.Proxy.Inject(proxy.Fault{Method: http.MethodPost, Delay: 500 * time.Millisecond})
	startLoad(b, []string{"red", "blue"}, gpu.Card, 16).finish()
}
