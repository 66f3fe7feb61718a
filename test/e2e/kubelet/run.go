package kubelet

import (
	"context"
	"net/http"
	"sync"
	"time"

	"shikiri.dev/e2e/kube"
)

// run is one pod's life on its node, told top to bottom in live. It goes by what happened here and not by
// what a watch shows late: a pod that was refused once stays refused.
type run struct {
	fleet    *Fleet
	machine  *machine
	pod      *kube.Pod
	deletion signal // somebody asked for the pod's deletion
	gone     signal // the pod is out of the API
}

// signal is something that happens once.
type signal struct {
	once sync.Once
	ch   chan struct{}
}

func (s *signal) happen() { s.once.Do(func() { close(s.ch) }) }

func newRun(f *Fleet, m *machine, pod *kube.Pod) *run {
	return &run{fleet: f, machine: m, pod: pod,
		deletion: signal{ch: make(chan struct{})}, gone: signal{ch: make(chan struct{})}}
}

const defaultGrace = 30 * time.Second

func (r *run) live(ctx context.Context) {
	if !r.awaitKubelet(ctx) {
		return
	}
	holding, no := r.fleet.give(r.machine, r.pod)
	if no != nil {
		r.report(ctx, failed(no))
		r.bury(ctx)
		return
	}
	r.report(ctx, running())
	if !r.work(ctx) {
		// Taken out of the API by force: as soon as the kubelet hears of it, the containers get their grace
		// period, and nobody sees them end.
		r.awaitKubelet(ctx)
		sleep(ctx, r.grace())
		r.fleet.takeBack(r.machine, holding)
		return
	}
	if !r.awaitKubelet(ctx) {
		return
	}
	r.fleet.takeBack(r.machine, holding)
	r.report(ctx, succeeded())
	r.bury(ctx)
}

// work returns when the containers have ended by themselves or because of a deletion; false if the pod
// vanished from under them.
func (r *run) work(ctx context.Context) bool {
	var done <-chan time.Time
	if length := r.duration(RunFor, 0); length > 0 {
		done = time.After(length)
	}
	select {
	case <-done:
		return true
	case <-r.deletion.ch:
	case <-r.gone.ch:
		return false
	case <-ctx.Done():
		return false
	}
	select {
	case <-time.After(r.duration(StopTime, 0)):
		return true
	case <-r.gone.ch:
		return false
	case <-ctx.Done():
		return false
	}
}

// bury waits for the deletion of a pod that has ended, and lets it go.
func (r *run) bury(ctx context.Context) {
	select {
	case <-r.deletion.ch:
	case <-r.gone.ch:
		return
	case <-ctx.Done():
		return
	}
	r.insist(ctx, func() error { return r.fleet.client.DeleteNow(r.path(), r.pod.Metadata.UID) })
}

// awaitKubelet waits while the node is cut off; false when there is nothing left to wait for.
func (r *run) awaitKubelet(ctx context.Context) bool {
	r.fleet.mu.Lock()
	awake := r.machine.awake
	r.fleet.mu.Unlock()
	select {
	case <-awake:
		return true
	case <-ctx.Done():
		return false
	}
}

// report writes the pod's status, if it is still that pod.
func (r *run) report(ctx context.Context, status kube.PodStatus) {
	patch := map[string]any{"metadata": map[string]any{"uid": r.pod.Metadata.UID}, "status": status}
	r.insist(ctx, func() error { return r.fleet.client.MergeStatus(r.path(), patch) })
}

const insistPause = 200 * time.Millisecond

// insist calls until the API server has taken it, or knows of no such pod.
func (r *run) insist(ctx context.Context, call func() error) {
	for r.awaitKubelet(ctx) {
		r.fleet.calls <- struct{}{}
		err := call()
		<-r.fleet.calls
		if err == nil || kube.Refused(err, http.StatusNotFound) || kube.Refused(err, http.StatusConflict) {
			return
		}
		sleep(ctx, insistPause)
	}
}

func (r *run) path() string {
	return "/api/v1/namespaces/" + r.pod.Metadata.Namespace + "/pods/" + r.pod.Metadata.Name
}

func (r *run) grace() time.Duration {
	if seconds := r.pod.Spec.TerminationGracePeriodSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return defaultGrace
}

func (r *run) duration(annotation string, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(r.pod.Metadata.Annotations[annotation]); err == nil {
		return d
	}
	return otherwise
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
