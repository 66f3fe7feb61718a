package suite

import (
	"testing"
	"time"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
)

// The steps of a bind, in their order. shikirid dies at one, and comes back to what it left. The watch may
// tell of the bound pod before the API server's reply does; held, the reply is what tells.
var steps = []struct {
	name string
	held bool
}{
	{name: "bind-received"}, {name: "bind-decided"}, {name: "bind-reserved"}, {name: "bind-committed"}, {name: "bind-sent"},
	{name: "bind-replied", held: true}, {name: "bind-confirmed"}, {name: "bind-answered"},
}

func TestKilledAtEachStepOfABind(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 2, gpu.Shared(1, 4, gpu.TimeSliced))})
	for _, step := range steps {
		b.Run(step.name, func(t *testing.T) {
			b.Must(b.Daemon.Stop())
			b.Daemon.Failpoint = step.name
			b.Must(b.Daemon.Start())
			if step.held {
				b.Proxy.Hold(true)
			}
			pod := b.Pod("red", step.name, gpu.CardShared, 1)
			died := diesWithin(b, bed.Patience)
			if step.held {
				b.Proxy.Hold(false)
			}
			if !died {
				t.Fatal("it didn't die")
			}
			b.Daemon.Failpoint = ""
			b.Must(b.Daemon.Start())
			b.Running(pod)
			b.JudgeLedger()
			b.Delete(pod)
		})
	}
}

func diesWithin(b *bed.Bed, patience time.Duration) bool {
	select {
	case <-b.Daemon.Died():
		return true
	case <-time.After(patience):
		return false
	}
}

func TestKilledUnderLoad(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 10, gpu.Shared(2, 4, gpu.TimeSliced))})
	load := startLoad(b, []string{"red", "blue"}, gpu.CardShared, 40)
	for range 3 {
		time.Sleep(700 * time.Millisecond)
		b.Daemon.Kill()
		b.Must(b.Daemon.Start())
	}
	load.finish()
}
