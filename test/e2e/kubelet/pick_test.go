package kubelet

import (
	"math/rand/v2"
	"testing"

	"shikiri.dev/e2e/gpu"
)

// cardsOf picks n replicas one after the other, each for a pod of its own, and counts them by card.
func cardsOf(policy Policy, shape gpu.Shape, n int) map[int]int {
	m := newMachine("n", shape)
	chance := rand.New(rand.NewPCG(1, 1))
	cards := map[int]int{}
	for i := range n {
		free, given := m.free(gpu.CardShared)
		device := pick(policy, chance, free, given, 1)[0]
		cards[device.Card]++
		m.holdings[string(rune('a'+i))] = &Holding{Devices: []gpu.Device{device}}
	}
	return cards
}

func TestDistributedSpreadsAndPackedFills(t *testing.T) {
	shape := gpu.Shared(4, 4, gpu.TimeSliced)
	if cards := cardsOf(Distributed, shape, 4); len(cards) != 4 {
		t.Errorf("distributed used the cards %v", cards)
	}
	if cards := cardsOf(Packed, shape, 4); len(cards) != 1 {
		t.Errorf("packed used the cards %v", cards)
	}
}

func TestOneRequestTakesDifferentCardsWhileItCan(t *testing.T) {
	m := newMachine("n", gpu.Shared(2, 4, gpu.TimeSliced))
	free, given := m.free(gpu.CardShared)
	picked := pick(Distributed, rand.New(rand.NewPCG(1, 1)), free, given, 2)
	if picked[0].Card == picked[1].Card {
		t.Errorf("both on card %d", picked[0].Card)
	}
}

func TestNoDeviceIsGivenTwice(t *testing.T) {
	m := newMachine("n", gpu.Mixed(2, "all-1g.10gb"))
	free, given := m.free(gpu.Slice("1g.10gb"))
	seen := map[string]bool{}
	for _, device := range pick(Packed, rand.New(rand.NewPCG(1, 1)), free, given, len(free)) {
		if seen[device.ID()] {
			t.Errorf("%s twice", device.ID())
		}
		seen[device.ID()] = true
	}
}
