package gpu

import (
	"maps"
	"testing"
)

func TestShapesOfferWhatTheirLabelsSay(t *testing.T) {
	for _, c := range []struct {
		name   string
		shape  Shape
		labels map[string]string // under nvidia.com/
		offers map[string]int
	}{
		{"whole cards", Whole(8),
			map[string]string{"gpu.product": product, "gpu.count": "8", "gpu.replicas": "1", "gpu.sharing-strategy": "none", "mig.strategy": "single"},
			map[string]int{Card: 8}},
		{"MIG mixed", Mixed(2, "all-balanced"),
			map[string]string{"gpu.product": product, "gpu.count": "2", "gpu.replicas": "0", "mig-1g.10gb.count": "4",
				"mig-3g.40gb.count": "2", "mig-3g.40gb.product": product + "-MIG-3g.40gb", "mig-3g.40gb.replicas": "1", "mig-3g.40gb.memory": "40448"},
			map[string]int{Slice("1g.10gb"): 4, Slice("2g.20gb"): 2, Slice("3g.40gb"): 2}},
		{"MIG single", Single(4, "all-1g.10gb"),
			map[string]string{"gpu.product": product + "-MIG-1g.10gb", "gpu.count": "28", "gpu.replicas": "1", "gpu.memory": "9984"},
			map[string]int{Card: 28}},
		{"time-slicing with its own name", Shared(4, 4, TimeSliced),
			map[string]string{"gpu.product": product, "gpu.count": "4", "gpu.replicas": "4", "gpu.sharing-strategy": "time-slicing", "mps.capable": "false"},
			map[string]int{CardShared: 16}},
		{"MPS", Shared(4, 2, MPS),
			map[string]string{"gpu.product": product, "gpu.replicas": "2", "gpu.sharing-strategy": "mps", "mps.capable": "true"},
			map[string]int{CardShared: 8}},
		{"time-slicing in disguise", Disguised(4, 4),
			map[string]string{"gpu.product": product + "-SHARED", "gpu.count": "4", "gpu.replicas": "4"},
			map[string]int{Card: 16}},
	} {
		t.Run(c.name, func(t *testing.T) {
			labels := c.shape.Labels()
			for name, value := range c.labels {
				if got := labels["nvidia.com/"+name]; got != value {
					t.Errorf("%s is %q, not %q", name, got, value)
				}
			}
			if got := c.shape.Offers(); !maps.Equal(got, c.offers) {
				t.Errorf("offers %v, not %v", got, c.offers)
			}
		})
	}
}

func TestEquivalentsOfSlicesAndShares(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		want  string
	}{
		{Whole(1), "1/1"}, {Shared(1, 4, TimeSliced), "1/4"}, {Mixed(1, "all-1g.10gb"), "1/7"}, {Mixed(1, "all-3g.40gb"), "1/2"},
	} {
		if got := c.shape.Devices()[0].Equivalents().String(); got != c.want {
			t.Errorf("%s of %v: %s, not %s", c.shape.Devices()[0].ID(), c.shape.Config, got, c.want)
		}
	}
}
