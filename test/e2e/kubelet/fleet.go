// Package kubelet plays the kubelets of all the fake nodes of a test. Nothing runs, but what a kubelet
// would report of its pods is reported, devices are given out as NVIDIA's device plugin gives them out,
// and it is remembered who got which.
package kubelet

import (
	"context"
	"math/rand/v2"
	"sync"

	"shikiri.dev/e2e/kube"
)

// Annotations on a pod that steer the fake kubelet; the values are durations.
const (
	RunFor   = "e2e.shikiri.dev/run-for"   // then it has Succeeded
	StopTime = "e2e.shikiri.dev/stop-time" // from the deletion to the end of its containers
)

// Watcher is told of every device given out and returned, in the order in which it happened. It is
// called under the fleet's lock, so it has to be quick and may not call back.
type Watcher interface {
	Given(*Holding)
	Returned(*Holding)
}

// Fleet is all fake nodes of one API server.
type Fleet struct {
	client   *kube.Client
	policy   Policy
	watchers []Watcher
	calls    chan struct{} // one token for each call to the API server that may be under way

	mu       sync.Mutex
	chance   *rand.Rand
	machines map[string]*machine
	runs     map[string]*run // by pod UID
	refused  []Refused
}

// Refused is a pod that a kubelet had to turn away: a scheduler promised it what wasn't there.
type Refused struct{ Pod, Node, Reason, Message string }

const callsAtOnce = 16

// Start plays the kubelets until ctx ends. The same seed lets chance choose the same devices.
func Start(ctx context.Context, client *kube.Client, policy Policy, seed uint64, watchers ...Watcher) *Fleet {
	f := &Fleet{client: client, policy: policy, watchers: watchers, calls: make(chan struct{}, callsAtOnce),
		chance: rand.New(rand.NewPCG(seed, seed)), machines: map[string]*machine{}, runs: map[string]*run{}}
	go kube.Follow(ctx, client, "/api/v1/pods", nil, func(pod kube.Pod, gone bool) { f.see(ctx, &pod, gone) })
	return f
}

// see starts the life of a pod that is new on one of our nodes, and tells a life what it has to know.
func (f *Fleet) see(ctx context.Context, pod *kube.Pod, gone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.runs[pod.Metadata.UID]
	if r == nil && !gone && !pod.Ended() {
		m := f.machines[pod.Spec.NodeName]
		if m == nil {
			return
		}
		r = newRun(f, m, pod)
		f.runs[pod.Metadata.UID] = r
		go r.live(ctx)
	}
	if r == nil {
		return
	}
	switch {
	case gone:
		r.gone.happen()
		delete(f.runs, pod.Metadata.UID)
	case pod.Metadata.DeletionTimestamp != nil && graceful(pod):
		r.deletion.happen()
	}
}

// graceful says that the API server leaves the pod's end to its kubelet. Without a grace period it takes
// the pod out right after this event.
func graceful(pod *kube.Pod) bool {
	seconds := pod.Metadata.DeletionGracePeriodSeconds
	return seconds != nil && *seconds > 0
}

// give admits the pod or turns it away.
func (f *Fleet) give(m *machine, pod *kube.Pod) (*Holding, *refusal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	holding, no := m.admit(pod, f.policy, f.chance)
	if no != nil {
		f.refused = append(f.refused, Refused{pod.Key(), m.name, no.reason, no.message})
		return nil, no
	}
	for _, w := range f.watchers {
		w.Given(holding)
	}
	return holding, nil
}

// takeBack frees the holding's devices, once.
func (f *Fleet) takeBack(m *machine, holding *Holding) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m.holdings[holding.UID] != holding {
		return
	}
	delete(m.holdings, holding.UID)
	for _, w := range f.watchers {
		w.Returned(holding)
	}
}

// Refusals lists the pods that were turned away so far.
func (f *Fleet) Refusals() []Refused {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Refused(nil), f.refused...)
}

// Holders lists what is given out now on a node.
func (f *Fleet) Holders(node string) []Holding {
	f.mu.Lock()
	defer f.mu.Unlock()
	var holders []Holding
	if m := f.machines[node]; m != nil {
		for _, holding := range m.holdings {
			holders = append(holders, *holding)
		}
	}
	return holders
}
