package kubelet

import (
	"errors"

	"shikiri.dev/e2e/gpu"
)

// ErrInUse is mig-manager's failure on a node whose cards somebody uses.
var ErrInUse = errors.New("a card is in use by another client")

// Reconfigure plays mig-manager on a node after its mig.config label was set to config. Each step is
// followed by between, if there is one, so that a test can look.
func (f *Fleet) Reconfigure(name, config string, between func(step string)) error {
	steps := []struct {
		name string
		do   func(*machine) error
	}{
		{"pending", func(m *machine) error { return f.label(name, gpu.Paused(config, "pending")) }},
		{"plugin stopped", func(m *machine) error { return f.stopPlugin(m) }},
		{"rebooting", func(m *machine) error { return f.label(name, gpu.Paused(config, "rebooting")) }},
		{"cut", func(m *machine) error { return f.cut(m, config) }},
		{"plugin started", func(m *machine) error { return f.startPlugin(m) }},
		{"labelled", func(m *machine) error { return f.relabel(m) }},
	}
	f.mu.Lock()
	m := f.machines[name]
	f.mu.Unlock()
	for _, step := range steps {
		if err := step.do(m); err != nil {
			return errors.Join(err, f.label(name, gpu.Paused(config, "failed")))
		}
		if between != nil {
			between(step.name)
		}
	}
	return nil
}

// cut changes the hardware.
func (f *Fleet) cut(m *machine, config string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, holding := range m.holdings {
		if len(holding.Devices) > 0 {
			return ErrInUse
		}
	}
	m.shape = m.shape.Reconfigured(config)
	return nil
}

// stopPlugin leaves the kubelet with devices that nobody answers for: capacity without allocatable.
func (f *Fleet) stopPlugin(m *machine) error {
	f.mu.Lock()
	for _, device := range m.devices {
		m.sick[device.ID()] = true
	}
	f.mu.Unlock()
	return f.publish(m)
}

// startPlugin offers what the hardware has now.
func (f *Fleet) startPlugin(m *machine) error {
	f.mu.Lock()
	m.devices, m.sick = m.shape.Devices(), map[string]bool{}
	f.mu.Unlock()
	return f.publish(m)
}

// relabel writes the labels of the new layout and takes away those of the old one.
func (f *Fleet) relabel(m *machine) error {
	changes := map[string]any{}
	for _, config := range gpu.Configs() {
		for label := range m.shape.Reconfigured(config).Labels() {
			changes[label] = nil
		}
	}
	for label, value := range m.shape.Labels() {
		changes[label] = value
	}
	return f.label(m.name, changes)
}

func (f *Fleet) label(name string, labels map[string]any) error {
	return f.client.Merge(nodesPath+"/"+name, map[string]any{"metadata": map[string]any{"labels": labels}})
}
