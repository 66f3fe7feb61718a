package kubelet

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kube"
)

// Holding is what one admitted pod was given: the truth that shikiri's books are checked against.
type Holding struct {
	UID, Namespace, Name string
	Labels               map[string]string
	Annotations          map[string]string
	Node                 string
	Devices              []gpu.Device

	requests map[string]int64 // in thousandths, as the kubelet charges them
}

// machine is one node: its hardware, and who holds what of it. The fleet's mutex guards it.
type machine struct {
	name     string
	shape    gpu.Shape
	capacity map[string]int64 // in thousandths, of what isn't a GPU
	devices  []gpu.Device     // what the device plugin offers now
	sick     map[string]bool  // by device ID: offered, but not healthy
	holdings map[string]*Holding
	awake    chan struct{} // closed while the kubelet can be reached
}

const podsPerNode = 250

func newMachine(name string, shape gpu.Shape) *machine {
	m := &machine{name: name, shape: shape, devices: shape.Devices(), sick: map[string]bool{},
		holdings: map[string]*Holding{}, awake: make(chan struct{})}
	m.capacity = map[string]int64{"cpu": int64(shape.CPUs) * 1000, "memory": 1000 << 40, "pods": podsPerNode * 1000}
	close(m.awake)
	return m
}

// refusal is what a kubelet writes into the status of a pod that it doesn't admit.
type refusal struct{ reason, message string }

// admit gives the pod its devices, or says in a kubelet's words why not.
func (m *machine) admit(pod *kube.Pod, policy Policy, chance *rand.Rand) (*Holding, *refusal) {
	requests := pod.Requests()
	requests["pods"] = 1000
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		if no := m.refuse(name, requests[name]); no != nil {
			return nil, no
		}
	}
	holding := &Holding{UID: pod.Metadata.UID, Namespace: pod.Metadata.Namespace, Name: pod.Metadata.Name,
		Labels: pod.Metadata.Labels, Annotations: pod.Metadata.Annotations, Node: m.name, requests: requests}
	wanted := pod.GPUs()
	for _, resource := range slices.Sorted(maps.Keys(wanted)) {
		free, given := m.free(resource)
		holding.Devices = append(holding.Devices, pick(policy, chance, free, given, wanted[resource])...)
	}
	m.holdings[holding.UID] = holding
	return holding, nil
}

// refuse checks one resource. Its two ways to say no are the kubelet's: counts that don't fit allocatable
// are OutOf…; devices that the plugin can't produce although the counts fit are unexpected.
func (m *machine) refuse(name string, wanted int64) *refusal {
	if wanted == 0 {
		return nil
	}
	capacity, plain := m.capacity[name]
	offered := m.allocatable()[name]
	if !plain {
		capacity = int64(offered) * 1000
	}
	used := int64(0)
	for _, holding := range m.holdings {
		used += holding.requests[name]
	}
	free, _ := m.free(name)
	switch {
	case (plain || offered > 0) && used+wanted > capacity:
		return &refusal{"OutOf" + name, fmt.Sprintf(
			"Pod was rejected: Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d",
			name, count(name, wanted), count(name, used), count(name, capacity))}
	case !plain && int64(len(free))*1000 < wanted:
		return &refusal{"UnexpectedAdmissionError", fmt.Sprintf(
			"Allocate failed due to requested number of devices unavailable for %s. Requested: %d, Available: %d, which is unexpected",
			name, wanted/1000, len(free))}
	}
	return nil
}

// count is an amount as the kubelet prints it: CPU in thousandths, the rest in ones.
func count(name string, milli int64) int64 {
	if name == "cpu" {
		return milli
	}
	return milli / 1000
}

// free lists the healthy devices that nobody holds, and how many replicas of each unit are given out.
func (m *machine) free(resource string) (free []gpu.Device, given map[string]int) {
	given = map[string]int{}
	held := map[string]bool{}
	for _, holding := range m.holdings {
		for _, device := range holding.Devices {
			held[device.ID()] = true
			given[device.Unit()]++
		}
	}
	for _, device := range m.devices {
		if device.Resource == resource && !held[device.ID()] && !m.sick[device.ID()] {
			free = append(free, device)
		}
	}
	return free, given
}

func (m *machine) offers() map[string]int {
	counts := map[string]int{}
	for _, device := range m.devices {
		counts[device.Resource]++
	}
	return counts
}

// allocatable is what is offered without the sick devices.
func (m *machine) allocatable() map[string]int {
	counts := m.offers()
	for _, device := range m.devices {
		if m.sick[device.ID()] {
			counts[device.Resource]--
		}
	}
	return counts
}

// amounts are the node status's form of GPU counts; known resources that are gone stay there as 0, as a
// kubelet keeps them.
func (m *machine) amounts(counts map[string]int, known kube.Amounts) kube.Amounts {
	amounts := kube.Amounts{"cpu": strconv.Itoa(m.shape.CPUs), "memory": "1Ti", "pods": strconv.Itoa(podsPerNode)}
	for name := range known {
		if _, plain := amounts[name]; !plain {
			amounts[name] = "0"
		}
	}
	for name, n := range counts {
		amounts[name] = strconv.Itoa(n)
	}
	return amounts
}
