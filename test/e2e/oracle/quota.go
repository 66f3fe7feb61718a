package oracle

import (
	"fmt"
	"math/big"
	"sync"

	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kubelet"
)

// Equivalents is the unit of whole cards; the other units are names of resources.
const Equivalents = "gpuEquivalents"

// Ceilings by unit; a unit that isn't there has none.
type Ceilings map[string]*big.Rat

// Quota checks at every hand-out that no tenant passes a ceiling.
type Quota struct {
	tenant   func(namespace string) string
	ceilings func(tenant string) Ceilings

	mu    sync.Mutex
	used  map[string]Ceilings // by tenant
	found []string
}

// NewQuota makes a judge that knows whose a namespace is and how much a tenant may have at that moment.
func NewQuota(tenant func(namespace string) string, ceilings func(tenant string) Ceilings) *Quota {
	return &Quota{tenant: tenant, ceilings: ceilings, used: map[string]Ceilings{}}
}

func (q *Quota) Given(holding *kubelet.Holding) {
	q.mu.Lock()
	defer q.mu.Unlock()
	tenant := q.tenant(holding.Namespace)
	used := q.change(tenant, holding, 1)
	if holding.Labels[Foreign] != "" {
		return
	}
	for unit, ceiling := range q.ceilings(tenant) {
		if sum := used[unit]; sum != nil && sum.Cmp(ceiling) > 0 {
			q.found = append(q.found, fmt.Sprintf("%s has %s of %s %s with %s/%s on %s",
				tenant, sum.FloatString(3), ceiling.FloatString(3), unit, holding.Namespace, holding.Name, holding.Node))
		}
	}
}

func (q *Quota) Returned(holding *kubelet.Holding) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.change(q.tenant(holding.Namespace), holding, -1)
}

// change books the holding in every unit, in or out.
func (q *Quota) change(tenant string, holding *kubelet.Holding, sign int64) Ceilings {
	used := q.used[tenant]
	if used == nil {
		used = Ceilings{}
		q.used[tenant] = used
	}
	for _, device := range holding.Devices {
		used.add(device.Resource, big.NewRat(sign, 1))
		used.add(Equivalents, part(device, sign))
	}
	return used
}

func part(device gpu.Device, sign int64) *big.Rat {
	share := device.Equivalents()
	return share.Mul(share, big.NewRat(sign, 1))
}

func (c Ceilings) add(unit string, amount *big.Rat) {
	if c[unit] == nil {
		c[unit] = new(big.Rat)
	}
	c[unit].Add(c[unit], amount)
}

// Violations are all breaches so far.
func (q *Quota) Violations() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]string(nil), q.found...)
}
