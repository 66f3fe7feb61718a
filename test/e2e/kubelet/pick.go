package kubelet

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"shikiri.dev/e2e/gpu"
)

// Policy is the device plugin's --shared-devices-allocation-policy.
type Policy string

const (
	Distributed Policy = "distributed" // the plugin's default: onto what has the fewest replicas given out
	Packed      Policy = "packed"      // onto what has the most
)

// pick chooses n of the free devices as NVIDIA's plugin does. It prefers by replicas that are given out of
// the same card or MIG device, over all of the node's, then by what the same request has not touched
// yet. Unshared devices all tie: which card they come from is chance.
func pick(policy Policy, chance *rand.Rand, free []gpu.Device, given map[string]int, n int) []gpu.Device {
	free = slices.Clone(free)
	chance.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	here := map[string]int{}
	load := func(d gpu.Device) int { return given[d.Unit()] + here[d.Unit()] }
	better := func(a, b gpu.Device) int {
		byLoad := cmp.Compare(load(a), load(b))
		if policy == Packed {
			byLoad = -byLoad
		}
		return cmp.Or(byLoad, cmp.Compare(here[a.Unit()], here[b.Unit()]))
	}
	var picked []gpu.Device
	for range n {
		best := 0
		for i := range free {
			if better(free[i], free[best]) < 0 {
				best = i
			}
		}
		picked = append(picked, free[best])
		here[free[best].Unit()]++
		free = slices.Delete(free, best, best+1)
	}
	return picked
}
