package suite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kube"
	"shikiri.dev/e2e/kubelet"
)

const (
	envChurn     = "SHIKIRI_E2E_CHURN"
	churnDefault = 2 * time.Minute
	podsAtMost   = 120 // of those that live or wait at a time
)

// Pods of four tenants come, run, are deleted in every way and come back, while one thing after the other
// breaks. Then it is quiet, and the books must be right; the judges watched the cards all the while.
func TestChurn(t *testing.T) {
	length := churnDefault
	if text := os.Getenv(envChurn); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	c := newChurn(t)
	c.whilePodsComeAndGo(func() { c.breakThings(time.Now().Add(length)) })
	c.settle()
	_, given := c.b.Trust.Violations()
	t.Logf("%d pods made, %d given a card, faults: %v", c.made, given, c.faults)
	if given < c.made/10 {
		t.Errorf("only %d of %d pods ran: this shows little", given, c.made)
	}
}

type churn struct {
	b      *bed.Bed
	chance *rand.Rand // of the pods
	fate   *rand.Rand // of the faults
	made   int
	alive  []*kube.Pod
	faults map[string]int
}

func newChurn(t *testing.T) *churn {
	sharedNodes := append(nodes("sliced", 6, gpu.Shared(2, 4, gpu.TimeSliced)), nodes("mps", 4, gpu.Shared(4, 2, gpu.MPS))...)
	hardNodes := append(nodes("card", 6, gpu.Whole(4)), nodes("mixed", 4, gpu.Mixed(2, "all-balanced"))...)
	b := bed.Make(t, bed.Setup{Plugin: kubelet.Packed, Nodes: append(sharedNodes, hardNodes...), Tenants: []bed.Tenant{
		{Name: "red", Quota: map[string]bed.Limit{bed.Equivalents: {Ceiling: "9"}}},
		{Name: "blue", Quota: map[string]bed.Limit{gpu.Card: {Ceiling: "6"}, gpu.CardShared: {Ceiling: "10"}}},
		{Name: "green", Domain: "plants", Quota: map[string]bed.Limit{bed.Equivalents: {Guaranteed: "4", Ceiling: "7"}}},
		{Name: "lime", Domain: "plants", Isolation: "card"},
	}})
	return &churn{b: b, chance: rand.New(rand.NewPCG(7, 7)), fate: rand.New(rand.NewPCG(8, 8)), faults: map[string]int{}}
}

// whilePodsComeAndGo ends with f, even if f ends the test.
func (c *churn) whilePodsComeAndGo(f func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	defer func() {
		close(stop)
		<-stopped
	}()
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(c.chance.IntN(60)) * time.Millisecond):
				c.step()
			}
		}
	}()
	f()
}

// step makes a pod, or ends one.
func (c *churn) step() {
	if len(c.alive) < podsAtMost && c.chance.IntN(3) > 0 {
		c.create()
		return
	}
	if len(c.alive) > 0 {
		i := c.chance.IntN(len(c.alive))
		c.end(c.alive[i])
		c.alive = append(c.alive[:i], c.alive[i+1:]...)
	}
}

var asks = []struct {
	resource string
	most     int
}{{gpu.Card, 3}, {gpu.CardShared, 1}, {gpu.Slice("1g.10gb"), 2}, {gpu.Slice("2g.20gb"), 1}, {gpu.Slice("3g.40gb"), 1}}

func (c *churn) create() {
	ask := asks[c.chance.IntN(len(asks))]
	options := []bed.Option{bed.WithGrace(3), bed.StoppingFor(time.Duration(c.chance.IntN(500)) * time.Millisecond)}
	if c.chance.IntN(2) == 0 {
		options = append(options, bed.RunningFor(time.Duration(1+c.chance.IntN(8))*time.Second))
	}
	tenant := []string{"red", "blue", "green", "lime"}[c.chance.IntN(4)]
	// A few names come back again and again, as a StatefulSet's do.
	name := fmt.Sprintf("pod-%d", c.made)
	if c.chance.IntN(5) == 0 {
		name = fmt.Sprintf("set-%d", c.chance.IntN(4))
	}
	pod, created := bed.NewPod(tenant, name, ask.resource, 1+c.chance.IntN(ask.most), options...), &kube.Pod{}
	if c.b.Admin.Create("/api/v1/namespaces/"+tenant+"/pods", pod, created) != nil {
		return // the name is taken, or the API server is away
	}
	c.made++
	c.alive = append(c.alive, created)
}

// end deletes the pod, now and then by force.
func (c *churn) end(pod *kube.Pod) {
	path := "/api/v1/namespaces/" + pod.Metadata.Namespace + "/pods/" + pod.Metadata.Name
	if c.chance.IntN(20) == 0 {
		_ = c.b.Admin.DeleteNow(path, pod.Metadata.UID)
		return
	}
	_ = c.b.Admin.Delete(path)
}

// settle lets the API server and the scheduler come to rest. What was deleted by force keeps its place for
// its grace period and half a minute, so the books take that long.
func (c *churn) settle() {
	bed.Await(c.b.T, "shikirid is ready", bed.Patience, c.b.Daemon.Ready)
	c.b.JudgeLedgerWithin(3 * bed.Patience)
}
