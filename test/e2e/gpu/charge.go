package gpu

import "math/big"

// Equivalents is what the device counts in whole cards: the larger of its parts of the card's compute
// and memory, divided by the replicas of it.
func (d Device) Equivalents() *big.Rat {
	part := big.NewRat(1, 1)
	if p, sliced := profiles[d.Profile]; sliced {
		part = big.NewRat(int64(p.computeSlices), cardComputeSlices)
		if memory := big.NewRat(int64(p.memorySlices), cardMemorySlices); memory.Cmp(part) > 0 {
			part = memory
		}
	}
	return part.Quo(part, big.NewRat(int64(d.Replicas), 1))
}
