package kube

import (
	"fmt"
	"strconv"
	"strings"
)

var suffixes = []struct {
	text  string
	milli int64 // thousandths that one such unit is
}{
	{"Ki", 1000 << 10}, {"Mi", 1000 << 20}, {"Gi", 1000 << 30}, {"Ti", 1000 << 40},
	{"m", 1}, {"k", 1000 * 1000}, {"", 1000},
}

// Milli is a quantity in thousandths. The tests write none that doesn't fit.
func Milli(quantity string) (int64, error) {
	for _, suffix := range suffixes {
		digits, found := strings.CutSuffix(quantity, suffix.text)
		if !found {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		return n * suffix.milli, err
	}
	return 0, fmt.Errorf("no quantity: %q", quantity)
}

// Requests is what the pod takes of each resource, in thousandths: what its containers take
// together, or what one of those that run before them takes, whichever is more.
func (p *Pod) Requests() map[string]int64 {
	total := map[string]int64{}
	for i := range p.Spec.Containers {
		for name, amount := range p.Spec.Containers[i].takes() {
			total[name] += amount
		}
	}
	for i := range p.Spec.InitContainers {
		for name, amount := range p.Spec.InitContainers[i].takes() {
			total[name] = max(total[name], amount)
		}
	}
	return total
}

// takes is the container's requests; a limit stands in for one that is missing.
func (c *Container) takes() map[string]int64 {
	amounts := map[string]int64{}
	for _, stated := range []Amounts{c.Resources.Limits, c.Resources.Requests} {
		for name, quantity := range stated {
			if milli, err := Milli(quantity); err == nil {
				amounts[name] = milli
			}
		}
	}
	return amounts
}

// GPUs is the pod's requests of NVIDIA's resources, in whole devices.
func (p *Pod) GPUs() map[string]int {
	found := map[string]int{}
	for name, milli := range p.Requests() {
		if strings.HasPrefix(name, "nvidia.com/") && milli > 0 {
			found[name] = int(milli / 1000)
		}
	}
	return found
}
