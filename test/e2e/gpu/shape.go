// Package gpu describes GPU nodes: the cards in them, the labels that GPU Feature Discovery and the GPU
// Operator would write, and the devices that NVIDIA's device plugin would offer to the kubelet.
package gpu

import (
	"maps"
	"slices"
)

const product = "NVIDIA-H100-80GB-HBM3"

// Names of resources under nvidia.com/.
const (
	Card       = "nvidia.com/gpu"
	CardShared = "nvidia.com/gpu.shared"
	migPrefix  = "nvidia.com/mig-"
)

// Slice is the resource name of a MIG profile under strategy mixed.
func Slice(profile string) string { return migPrefix + profile }

// Sharing is how the plugin's configuration lets several containers have one device.
type Sharing string

const (
	NotShared   Sharing = "none"
	TimeSliced  Sharing = "time-slicing"
	MPS         Sharing = "mps"
	noReplicas          = 1
	noMIGConfig         = "all-disabled"
)

// Shape is all that a node's labels, capacity and devices follow from.
type Shape struct {
	Cards    int
	Strategy string   // of MIG: "", "single" or "mixed"
	Layout   []string // MIG profiles on each card, in order; empty when MIG is off
	Config   string   // the operator's name for the layout
	Sharing  Sharing
	Replicas int  // of each device; 1 unless it is shared
	Rename   bool // the shared resource gets the suffix .shared
	CPUs     int
}

// Whole is a node of unshared cards, under the strategy with which operators label every node.
func Whole(cards int) Shape {
	return Shape{Cards: cards, Strategy: "single", Config: noMIGConfig, Sharing: NotShared, Replicas: noReplicas, CPUs: 128}
}

// Mixed is a node whose cards are all cut by that layout, each profile a resource of its own.
func Mixed(cards int, config string) Shape {
	shape := Whole(cards)
	shape.Strategy, shape.Config, shape.Layout = "mixed", config, layouts[config]
	return shape
}

// Single is a node whose cards are cut evenly, the slices called nvidia.com/gpu.
func Single(cards int, config string) Shape {
	shape := Mixed(cards, config)
	shape.Strategy = "single"
	return shape
}

// Shared is a node of cards with replicas, honest about it.
func Shared(cards, replicas int, sharing Sharing) Shape {
	shape := Whole(cards)
	shape.Sharing, shape.Replicas, shape.Rename = sharing, replicas, true
	return shape
}

// Disguised is the same with renameByDefault false: shares that are called nvidia.com/gpu.
func Disguised(cards, replicas int) Shape {
	shape := Shared(cards, replicas, TimeSliced)
	shape.Rename = false
	return shape
}

var layouts = map[string][]string{
	noMIGConfig:    nil,
	"all-1g.10gb":  {"1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb"},
	"all-2g.20gb":  {"2g.20gb", "2g.20gb", "2g.20gb"},
	"all-3g.40gb":  {"3g.40gb", "3g.40gb"},
	"all-balanced": {"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"},
}

// Reconfigured is the same node under another of the operator's layouts.
func (s Shape) Reconfigured(config string) Shape {
	s.Config, s.Layout = config, layouts[config]
	return s
}

func (s Shape) mig() bool { return len(s.Layout) > 0 }

// instances counts the node's MIG devices of one profile.
func (s Shape) instances(profile string) int {
	n := 0
	for _, name := range s.Layout {
		if name == profile {
			n++
		}
	}
	return n * s.Cards
}

// kinds is the layout's profiles without repeats.
func (s Shape) kinds() []string {
	sorted := slices.Clone(s.Layout)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// resource is the name under which a device is offered; profile is empty for a card.
func (s Shape) resource(profile string) string {
	name := Card
	if profile != "" && s.Strategy == "mixed" {
		name = Slice(profile)
	}
	if s.Sharing != NotShared && s.Rename {
		name += ".shared"
	}
	return name
}

// Configs names all layouts that the operator offers for these cards.
func Configs() []string { return slices.Sorted(maps.Keys(layouts)) }
