package suite

import (
	"strings"
	"testing"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kube"
	"shikiri.dev/e2e/kubelet"
)

func TestPlacesEveryKind(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: []kubelet.Node{
		node("card", gpu.Whole(2)),
		node("mixed", gpu.Mixed(1, "all-balanced")),
		node("single", gpu.Single(1, "all-1g.10gb")),
		node("sliced", gpu.Shared(2, 4, gpu.TimeSliced)),
		node("mps", gpu.Shared(2, 2, gpu.MPS)),
		node("disguised", gpu.Disguised(2, 4)),
	}})
	for _, c := range []struct {
		kind, resource, class string
		options               []bed.Option
		refused               string // its reason, if it may not run there
	}{
		{kind: "card", resource: gpu.Card, class: "card"},
		{kind: "mixed", resource: gpu.Slice("2g.20gb"), class: "mig"},
		{kind: "single", resource: gpu.Card, class: "mig"},
		{kind: "sliced", resource: gpu.CardShared, class: "shared"},
		{kind: "mps", resource: gpu.CardShared, class: "mps"},
		{kind: "disguised", resource: gpu.Card, refused: "SharedDisguised"},
		{kind: "disguised", resource: gpu.Card, class: "shared",
			options: []bed.Option{bed.Annotated("shikiri.dev/accept-shared", "true")}},
	} {
		b.Run(c.kind+c.refused, func(t *testing.T) {
			options := append(c.options, bed.Selecting("kubernetes.io/hostname", c.kind))
			pod := b.Pod("red", strings.ToLower(c.kind+c.refused), c.resource, 1, options...)
			if c.refused != "" {
				b.WaitingFor(pod, c.refused)
				return
			}
			if where := b.Running(pod); where != c.kind {
				t.Errorf("it runs on %s", where)
			}
			if class := b.Now(pod).Metadata.Annotations["shikiri.dev/isolation-class"]; class != c.class {
				t.Errorf("isolation class %q, not %q", class, c.class)
			}
		})
	}
}

// The plugin may put any two shares on one card, so a pool has one domain at a time, whichever way it
// picks.
func TestSharedPoolsHaveOneDomainAtATime(t *testing.T) {
	for _, policy := range []kubelet.Policy{kubelet.Distributed, kubelet.Packed} {
		for kind, shape := range map[string]gpu.Shape{"sliced": gpu.Shared(4, 4, gpu.TimeSliced), "mps": gpu.Shared(4, 4, gpu.MPS)} {
			t.Run(string(policy)+" "+kind, func(t *testing.T) {
				b := bed.Make(t, bed.Setup{Plugin: policy, Tenants: strangers(), Nodes: nodes("n", 1, shape)})
				first := b.Pod("red", "first", gpu.CardShared, 1)
				b.Running(first)
				other := b.Pod("blue", "other", gpu.CardShared, 1)
				b.WaitingFor(other, "TrustBoundary")
				b.Running(b.Pod("red", "friend", gpu.CardShared, 1, bed.RunningFor(1e9)))
				b.Delete(first)
				b.Running(other)
			})
		}
	}
}

// A hardware partition is wall enough unless one side wants more, be it the newcomer or the resident.
func TestSlicesOfOneCardAreForStrangersWhoAgree(t *testing.T) {
	b := bed.Make(t, bed.Setup{Nodes: nodes("n", 2, gpu.Mixed(1, "all-1g.10gb")),
		Tenants: append(strangers(), bed.Tenant{Name: "careful", Isolation: "card"})})
	slice := func(tenant, name, node string) *kube.Pod {
		return b.Pod(tenant, name, gpu.Slice("1g.10gb"), 1, bed.Selecting("kubernetes.io/hostname", node))
	}
	b.Running(slice("red", "first", "n-0"))
	b.Running(slice("blue", "beside", "n-0"))
	b.WaitingFor(slice("careful", "newcomer", "n-0"), "TrustBoundary")
	b.Running(slice("careful", "resident", "n-1"))
	b.WaitingFor(slice("red", "kept-off", "n-1"), "TrustBoundary")
}
