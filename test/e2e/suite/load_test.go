package suite

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/kube"
)

// load is pods that come one after the other while something else happens.
type load struct {
	b    *bed.Bed
	done chan struct{}
	mu   sync.Mutex
	pods []*kube.Pod
}

const betweenPods = 50 * time.Millisecond

// startLoad creates n pods of one device each, for the tenants in turn.
func startLoad(b *bed.Bed, tenants []string, resource string, n int, options ...bed.Option) *load {
	l := &load{b: b, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for i := range n {
			l.create(bed.NewPod(tenants[i%len(tenants)], fmt.Sprintf("load-%d", i), resource, 1, options...))
			time.Sleep(betweenPods)
		}
	}()
	return l
}

// create insists: the API server may be away.
func (l *load) create(pod *kube.Pod) {
	path := "/api/v1/namespaces/" + pod.Metadata.Namespace + "/pods"
	for end := time.Now().Add(bed.Patience); time.Now().Before(end); time.Sleep(betweenPods) {
		created := &kube.Pod{}
		err := l.b.Admin.Create(path, pod, created)
		if kube.Refused(err, http.StatusConflict) {
			err = l.b.Admin.Get(path+"/"+pod.Metadata.Name, created)
		}
		if err == nil {
			l.mu.Lock()
			l.pods = append(l.pods, created)
			l.mu.Unlock()
			return
		}
	}
}

// finish waits until all of them have run.
func (l *load) finish() {
	<-l.done
	for _, pod := range l.pods {
		bed.Await(l.b.T, pod.Key()+" has run", afterOutage, func() bool {
			now := l.b.Now(pod)
			return now != nil && (now.Status.Phase == "Running" || now.Status.Phase == "Succeeded")
		})
	}
}
