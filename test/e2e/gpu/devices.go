package gpu

import "fmt"

// Device is one thing that the kubelet can give to a container: a card, a MIG device, or a replica of
// either.
type Device struct {
	Resource string
	Card     int
	Instance int // of the card's MIG devices; -1 for the card itself
	Profile  string
	Replica  int
	Replicas int // of the same card or MIG device
}

const wholeCard = -1

// Unit names the card or MIG device that the replicas of it have in common.
func (d Device) Unit() string {
	if d.Instance == wholeCard {
		return fmt.Sprintf("GPU-%d", d.Card)
	}
	return fmt.Sprintf("MIG-%d-%d", d.Card, d.Instance)
}

// ID is the device plugin's name for it.
func (d Device) ID() string {
	if d.Replicas == noReplicas {
		return d.Unit()
	}
	return fmt.Sprintf("%s::%d", d.Unit(), d.Replica)
}

// Devices lists all that a node of this shape offers.
func (s Shape) Devices() []Device {
	var all []Device
	for card := range s.Cards {
		if !s.mig() {
			all = append(all, s.replicas(Device{Resource: s.resource(""), Card: card, Instance: wholeCard})...)
		}
		for instance, profile := range s.Layout {
			all = append(all, s.replicas(Device{Resource: s.resource(profile), Card: card, Instance: instance, Profile: profile})...)
		}
	}
	return all
}

func (s Shape) replicas(device Device) []Device {
	all := make([]Device, 0, s.Replicas)
	for n := range s.Replicas {
		device.Replica, device.Replicas = n, s.Replicas
		all = append(all, device)
	}
	return all
}

// Offers counts the devices of each resource.
func (s Shape) Offers() map[string]int {
	counts := map[string]int{}
	for _, device := range s.Devices() {
		counts[device.Resource]++
	}
	return counts
}
