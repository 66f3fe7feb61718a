package bed

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"shikiri.dev/e2e/kube"
	"shikiri.dev/e2e/kubelet"
	"shikiri.dev/e2e/oracle"
)

// Option changes a pod before it is created.
type Option func(*kube.Pod)

func Annotated(key, value string) Option {
	return func(p *kube.Pod) { p.Metadata.Annotations[key] = value }
}

func RunningFor(d time.Duration) Option  { return Annotated(kubelet.RunFor, d.String()) }
func StoppingFor(d time.Duration) Option { return Annotated(kubelet.StopTime, d.String()) }
func OnNode(name string) Option          { return func(p *kube.Pod) { p.Spec.NodeName = name } }
func By(scheduler string) Option         { return func(p *kube.Pod) { p.Spec.SchedulerName = scheduler } }
func WithPriority(class string) Option   { return func(p *kube.Pod) { p.Spec.PriorityClassName = class } }
func WithGrace(seconds int64) Option {
	return func(p *kube.Pod) { p.Spec.TerminationGracePeriodSeconds = &seconds }
}
func Selecting(label, value string) Option {
	return func(p *kube.Pod) { p.Spec.NodeSelector = map[string]string{label: value} }
}

// Foreign marks a pod that the test brings past shikiri.
func Foreign() Option { return func(p *kube.Pod) { p.Metadata.Labels[oracle.Foreign] = "true" } }

// WithCPU makes stock scoring prefer one node to another.
func WithCPU(cpus int) Option {
	return func(p *kube.Pod) { p.Spec.Containers[0].Resources.Requests = kube.Amounts{"cpu": fmt.Sprint(cpus)} }
}

// NewPod makes a pod that asks for n of a resource (none when n is 0) of our scheduler.
func NewPod(namespace, name, resource string, n int, options ...Option) *kube.Pod {
	pod := &kube.Pod{Type: kube.Type{APIVersion: "v1", Kind: "Pod"},
		Metadata: kube.Meta{Namespace: namespace, Name: name, Labels: map[string]string{}, Annotations: map[string]string{}},
		Spec:     kube.PodSpec{SchedulerName: SchedulerName, Containers: []kube.Container{{Name: "main", Image: "train:1"}}}}
	if n > 0 {
		pod.Spec.Containers[0].Resources.Limits = kube.Amounts{resource: fmt.Sprint(n)}
	}
	for _, option := range options {
		option(pod)
	}
	return pod
}

func podsPath(namespace string) string      { return "/api/v1/namespaces/" + namespace + "/pods" }
func podPath(namespace, name string) string { return podsPath(namespace) + "/" + name }
func pathOf(pod *kube.Pod) string           { return podPath(pod.Metadata.Namespace, pod.Metadata.Name) }

// Create posts a pod, and fails the test if the API server doesn't want it.
func (b *Bed) Create(pod *kube.Pod) *kube.Pod {
	b.T.Helper()
	created := &kube.Pod{}
	if err := b.Admin.Create(podsPath(pod.Metadata.Namespace), pod, created); err != nil {
		b.T.Fatalf("create %s: %v", pod.Key(), err)
	}
	return created
}

// CreateAll posts many, some at a time.
func (b *Bed) CreateAll(pods []*kube.Pod) {
	b.T.Helper()
	errs := make([]error, len(pods))
	each(len(pods), callsAtOnce, func(i int) {
		errs[i] = b.Admin.Create(podsPath(pods[i].Metadata.Namespace), pods[i], nil)
	})
	b.Must(errors.Join(errs...))
}

// Pod creates one in a line.
func (b *Bed) Pod(namespace, name, resource string, n int, options ...Option) *kube.Pod {
	b.T.Helper()
	return b.Create(NewPod(namespace, name, resource, n, options...))
}

// Now is the pod as the API server has it; nil when it is gone or another has its name.
func (b *Bed) Now(pod *kube.Pod) *kube.Pod {
	now := &kube.Pod{}
	if err := b.Admin.Get(pathOf(pod), now); err != nil || now.Metadata.UID != pod.Metadata.UID {
		return nil
	}
	return now
}

// Running waits until the pod runs, and says where.
func (b *Bed) Running(pod *kube.Pod) (node string) {
	b.T.Helper()
	node, _ = b.RunningWithin(pod, Patience)
	return node
}

// RunningWithin also says how long it took from now.
func (b *Bed) RunningWithin(pod *kube.Pod, patience time.Duration) (node string, took time.Duration) {
	b.T.Helper()
	took = Await(b.T, pod.Key()+" runs", patience, func() bool {
		now := b.Now(pod)
		if now == nil {
			return false
		}
		node = now.Spec.NodeName
		if now.Status.Phase == "Failed" {
			b.T.Fatalf("%s failed on %s: %s %s", pod.Key(), node, now.Status.Reason, now.Status.Message)
		}
		return now.Status.Phase == "Running"
	})
	return node, took
}

// Waiting waits until the scheduler has said why the pod doesn't fit, and returns its words.
func (b *Bed) Waiting(pod *kube.Pod) (why string) {
	b.T.Helper()
	Await(b.T, pod.Key()+" is refused", Patience, func() bool {
		now := b.Now(pod)
		if now == nil {
			return false
		}
		scheduled := now.Condition("PodScheduled")
		if scheduled == nil || scheduled.Status != "False" {
			return false
		}
		why = scheduled.Message
		return true
	})
	return why
}

// WaitingFor waits until those words are among the reasons.
func (b *Bed) WaitingFor(pod *kube.Pod, words string) {
	b.T.Helper()
	why := ""
	Await(b.T, fmt.Sprintf("%s waits for %q", pod.Key(), words), Patience, func() bool {
		why = b.Waiting(pod)
		return strings.Contains(why, words)
	})
}

// Delete asks for the pod's end and waits until it is out of the API.
func (b *Bed) Delete(pod *kube.Pod) {
	b.T.Helper()
	b.AskDelete(pod)
	Await(b.T, pod.Key()+" is gone", Patience, func() bool { return b.Now(pod) == nil })
}

// AskDelete doesn't wait.
func (b *Bed) AskDelete(pod *kube.Pod) {
	b.T.Helper()
	if err := b.Admin.Delete(pathOf(pod)); err != nil && !kube.Refused(err, http.StatusNotFound) {
		b.T.Fatalf("delete %s: %v", pod.Key(), err)
	}
}

// Pods are all there are.
func (b *Bed) Pods() []kube.Pod {
	b.T.Helper()
	var all kube.List[kube.Pod]
	if err := b.Admin.Get("/api/v1/pods", &all); err != nil {
		b.T.Fatal(err)
	}
	return all.Items
}

// Events about the pod, as "Reason: message".
func (b *Bed) Events(pod *kube.Pod) []string {
	b.T.Helper()
	var all kube.List[kube.Event]
	path := "/api/v1/namespaces/" + pod.Metadata.Namespace + "/events?fieldSelector=involvedObject.uid=" + pod.Metadata.UID
	if err := b.Admin.Get(path, &all); err != nil {
		b.T.Fatal(err)
	}
	var lines []string
	for _, event := range all.Items {
		lines = append(lines, event.Reason+": "+event.Message)
	}
	return lines
}
