package suite

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kube"
)

const (
	manyPods  = 1000
	manyNodes = 500
)

// A thousand pods on five hundred nodes, with us and without: both rates are printed, neither is judged.
func TestAThousandPods(t *testing.T) {
	rates := map[string]float64{}
	for _, c := range []struct {
		name  string
		stock bool
	}{{"without", true}, {"with", false}} {
		t.Run(c.name, func(t *testing.T) {
			b := bed.Make(t, bed.Setup{Stock: c.stock, Tenants: strangers(), Nodes: nodes("n", manyNodes, gpu.Whole(2))})
			rates[c.name] = rate(b)
		})
	}
	t.Logf("%d pods on %d nodes: %.0f pods/s with shikiri, %.0f pods/s without", manyPods, manyNodes, rates["with"], rates["without"])
}

// rate creates the pods as fast as it can and counts until the last is bound.
func rate(b *bed.Bed) (perSecond float64) {
	bound := make(chan struct{})
	listed := make(chan struct{})
	var once sync.Once
	seen := map[string]bool{}
	go kube.Follow(b.T.Context(), b.Admin, "/api/v1/pods", listed, func(pod kube.Pod, gone bool) {
		if pod.Spec.NodeName != "" {
			seen[pod.Metadata.UID] = true
		}
		if len(seen) == manyPods {
			once.Do(func() { close(bound) })
		}
	})
	<-listed
	began := time.Now()
	var pods []*kube.Pod
	for i := range manyPods {
		pods = append(pods, bed.NewPod([]string{"red", "blue"}[i%2], fmt.Sprintf("pod-%d", i), gpu.Card, 1))
	}
	b.CreateAll(pods)
	select {
	case <-bound:
	case <-time.After(3 * time.Minute):
		b.T.Fatal("not all pods were bound")
	}
	return manyPods / time.Since(began).Seconds()
}
