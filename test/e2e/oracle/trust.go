// Package oracle judges what happened by what the fake kubelets gave out, without a look at shikiri's books.
package oracle

import (
	"fmt"
	"sync"

	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kubelet"
)

// Wall is the least that has to stand between the pods of two domains.
type Wall int

const (
	WallMIG  Wall = iota // a hardware partition of a card
	WallCard             // a card of one's own
	WallNode             // a node of one's own
)

// Foreign is the label of pods that the test bound past shikiri. What they break isn't shikiri's doing.
const Foreign = "e2e.shikiri.dev/foreign"

// Party is on whose side a pod stands.
type Party struct {
	Domain string
	Wall   Wall
}

// Trust checks at every hand-out that nobody stands too close to somebody of another domain.
type Trust struct {
	party func(namespace string) Party

	mu       sync.Mutex
	holdings map[string]*kubelet.Holding // by pod UID
	found    []string
	given    int
}

// NewTrust makes a judge that knows whose a namespace is.
func NewTrust(party func(namespace string) Party) *Trust {
	return &Trust{party: party, holdings: map[string]*kubelet.Holding{}}
}

func (t *Trust) Given(newcomer *kubelet.Holding) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(newcomer.Devices) == 0 {
		return
	}
	t.given++
	if newcomer.Labels[Foreign] == "" {
		for _, resident := range t.holdings {
			t.judge(newcomer, resident)
		}
	}
	t.holdings[newcomer.UID] = newcomer
}

func (t *Trust) Returned(holding *kubelet.Holding) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.holdings, holding.UID)
}

func (t *Trust) judge(newcomer, resident *kubelet.Holding) {
	a, b := t.party(newcomer.Namespace), t.party(resident.Namespace)
	if newcomer.Node != resident.Node || a.Domain == b.Domain {
		return
	}
	wall := max(a.Wall, b.Wall)
	for _, mine := range newcomer.Devices {
		for _, theirs := range resident.Devices {
			if tooClose(mine, theirs, wall) {
				t.found = append(t.found, fmt.Sprintf("%s: %s/%s of %s on %s beside %s/%s of %s on %s",
					newcomer.Node, newcomer.Namespace, newcomer.Name, a.Domain, mine.ID(),
					resident.Namespace, resident.Name, b.Domain, theirs.ID()))
			}
		}
	}
}

func tooClose(a, b gpu.Device, wall Wall) bool {
	switch wall {
	case WallNode:
		return true
	case WallCard:
		return a.Card == b.Card
	default:
		return a.Unit() == b.Unit()
	}
}

// Violations are all breaches so far, and how many hand-outs were looked at.
func (t *Trust) Violations() (found []string, given int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.found...), t.given
}
