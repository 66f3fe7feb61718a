package suite

import (
	"strings"
	"testing"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kubelet"
)

func TestReasonsAreReadableInThePodsEvents(t *testing.T) {
	b := bed.Make(t, bed.Setup{
		Tenants: []bed.Tenant{{Name: "red"}, {Name: "blue", Quota: map[string]bed.Limit{gpu.Card: {Ceiling: "0"}}}},
		Nodes:   []kubelet.Node{node("shared", gpu.Shared(1, 4, gpu.TimeSliced)), node("card", gpu.Whole(1))}})
	b.MakeNamespace("nobodys")
	b.Running(b.Pod("red", "resident", gpu.CardShared, 1))
	for _, c := range []struct {
		namespace, resource, code string
		options                   []bed.Option
	}{
		{"blue", gpu.CardShared, "TrustBoundary", nil},
		{"blue", gpu.Card, "QuotaCeiling", nil},
		{"nobodys", gpu.Card, "TenantUnknown", nil},
		{"red", gpu.CardShared, "IsolationFloor", []bed.Option{bed.Annotated("shikiri.dev/isolation", "mig")}},
		{"red", gpu.Card, "IsolationNotAllowed", []bed.Option{bed.Annotated("shikiri.dev/isolation", "node")}},
		{"red", gpu.Card, "InvalidRequest", []bed.Option{bed.Annotated("shikiri.dev/isolation", "fort")}},
	} {
		b.Run(c.code, func(t *testing.T) {
			pod := b.Pod(c.namespace, strings.ToLower(c.code), c.resource, 1, c.options...)
			b.WaitingFor(pod, c.code+": ")
			bed.Await(t, "an event tells it too", bed.Patience, func() bool {
				for _, event := range b.Events(pod) {
					if strings.HasPrefix(event, "FailedScheduling: ") && strings.Contains(event, c.code+": ") {
						return true
					}
				}
				return false
			})
			b.Delete(pod)
		})
	}
}

// The scheduler's own patch of a refused pod wakes it; a text that varies would keep it awake.
func TestARefusedPodComesToRest(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 3, gpu.Shared(1, 4, gpu.TimeSliced))})
	for i, n := range b.Fleet.Names() {
		b.Running(b.Pod("red", string(rune('a'+i)), gpu.CardShared, 1, bed.Selecting("kubernetes.io/hostname", n)))
	}
	pod := b.Pod("blue", "waits", gpu.CardShared, 1)
	b.WaitingFor(pod, "TrustBoundary")
	const most = 10
	if n := filtersWithin(t, b, quiet); n > most {
		t.Errorf("asked %v times in %s for one waiting pod", n, quiet)
	}
}
