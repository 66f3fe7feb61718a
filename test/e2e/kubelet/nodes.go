package kubelet

import (
	"maps"
	"net/http"

	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kube"
)

const nodesPath = "/api/v1/nodes"

// Node says what to put into the cluster.
type Node struct {
	Name   string
	Shape  gpu.Shape
	Labels map[string]string // beside those of the shape
}

// Add puts the node into the cluster, ready to run pods.
func (f *Fleet) Add(node Node) error {
	m := newMachine(node.Name, node.Shape)
	f.mu.Lock()
	f.machines[node.Name] = m
	f.mu.Unlock()

	labels := node.Shape.Labels()
	maps.Copy(labels, node.Labels)
	maps.Copy(labels, map[string]string{"kubernetes.io/hostname": node.Name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"})
	capacity := m.amounts(m.offers(), nil)
	// The API server keeps the status of a Node that is created, so one call is enough.
	return f.client.Create(nodesPath, kube.Node{
		Type:     kube.Type{APIVersion: "v1", Kind: "Node"},
		Metadata: kube.Meta{Name: node.Name, Labels: labels},
		Status:   kube.NodeStatus{Capacity: capacity, Allocatable: capacity, Conditions: nodeReady(true)},
	}, nil)
}

// Remove takes the node out of the cluster, with all that ran on it.
func (f *Fleet) Remove(name string) error {
	err := f.client.Delete(nodesPath + "/" + name)
	f.mu.Lock()
	m := f.machines[name]
	delete(f.machines, name)
	var holdings []*Holding
	if m != nil {
		for _, holding := range m.holdings {
			holdings = append(holdings, holding)
		}
	}
	f.mu.Unlock()
	for _, holding := range holdings {
		f.takeBack(m, holding)
	}
	if kube.Refused(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// Names lists the fleet's nodes.
func (f *Fleet) Names() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for name := range f.machines {
		names = append(names, name)
	}
	return names
}

const unreachable = "node.kubernetes.io/unreachable"

// CutOff stops the node's kubelet; its pods run on, unseen. What the node lifecycle controller would
// write is written.
func (f *Fleet) CutOff(name string) error {
	f.mu.Lock()
	f.machines[name].awake = make(chan struct{})
	f.mu.Unlock()
	return f.reachable(name, false, []kube.Taint{{Key: unreachable, Effect: "NoSchedule"}})
}

// Return lets it work again.
func (f *Fleet) Return(name string) error {
	f.mu.Lock()
	close(f.machines[name].awake)
	f.mu.Unlock()
	return f.reachable(name, true, nil)
}

func (f *Fleet) reachable(name string, reporting bool, taints []kube.Taint) error {
	path := nodesPath + "/" + name
	if err := f.client.Merge(path, map[string]any{"spec": map[string]any{"taints": taints}}); err != nil {
		return err
	}
	return f.client.MergeStatus(path, map[string]any{"status": kube.NodeStatus{Conditions: nodeReady(reporting)}})
}

// Sicken lets n devices of the resource fail their health check: they leave allocatable, not capacity.
func (f *Fleet) Sicken(name, resource string, n int) error {
	return f.publish(f.sicken(name, resource, n))
}

// SickenUnseen does so in the moment before the kubelet has told the API server.
func (f *Fleet) SickenUnseen(name, resource string, n int) { f.sicken(name, resource, n) }

func (f *Fleet) sicken(name, resource string, n int) *machine {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.machines[name]
	for _, device := range m.devices {
		if n > 0 && device.Resource == resource && !m.sick[device.ID()] {
			m.sick[device.ID()] = true
			n--
		}
	}
	return m
}

// publish writes the node's counts into its status.
func (f *Fleet) publish(m *machine) error {
	var node kube.Node
	if err := f.client.Get(nodesPath+"/"+m.name, &node); err != nil {
		return err
	}
	f.mu.Lock()
	status := kube.NodeStatus{Capacity: m.amounts(m.offers(), node.Status.Capacity),
		Allocatable: m.amounts(m.allocatable(), node.Status.Capacity)}
	f.mu.Unlock()
	return f.client.MergeStatus(nodesPath+"/"+m.name, map[string]any{"status": status})
}
