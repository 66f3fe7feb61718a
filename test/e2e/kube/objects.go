package kube

import (
	"encoding/json"
	"time"
)

// Of Kubernetes' objects, the fields that the tests read or set.

type Meta struct {
	Name                       string            `json:"name,omitempty"`
	Namespace                  string            `json:"namespace,omitempty"`
	UID                        string            `json:"uid,omitempty"`
	ResourceVersion            string            `json:"resourceVersion,omitempty"`
	CreationTimestamp          *time.Time        `json:"creationTimestamp,omitempty"`
	DeletionTimestamp          *time.Time        `json:"deletionTimestamp,omitempty"`
	DeletionGracePeriodSeconds *int64            `json:"deletionGracePeriodSeconds,omitempty"`
	Labels                     map[string]string `json:"labels,omitempty"`
	Annotations                map[string]string `json:"annotations,omitempty"`
}

type Type struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
}

type Condition struct {
	Type               string     `json:"type"`
	Status             string     `json:"status"`
	Reason             string     `json:"reason,omitempty"`
	Message            string     `json:"message,omitempty"`
	LastHeartbeatTime  *time.Time `json:"lastHeartbeatTime,omitempty"`
	LastTransitionTime *time.Time `json:"lastTransitionTime,omitempty"`
}

type Amounts map[string]string

type Resources struct {
	Requests Amounts `json:"requests,omitempty"`
	Limits   Amounts `json:"limits,omitempty"`
}

type Container struct {
	Name      string    `json:"name"`
	Image     string    `json:"image"`
	Resources Resources `json:"resources"`
}

type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
}

type PodSpec struct {
	NodeName                      string            `json:"nodeName,omitempty"`
	SchedulerName                 string            `json:"schedulerName,omitempty"`
	PriorityClassName             string            `json:"priorityClassName,omitempty"`
	TerminationGracePeriodSeconds *int64            `json:"terminationGracePeriodSeconds,omitempty"`
	NodeSelector                  map[string]string `json:"nodeSelector,omitempty"`
	InitContainers                []Container       `json:"initContainers,omitempty"`
	Containers                    []Container       `json:"containers"`
}

type PodStatus struct {
	Phase      string      `json:"phase,omitempty"`
	Reason     string      `json:"reason,omitempty"`
	Message    string      `json:"message,omitempty"`
	HostIP     string      `json:"hostIP,omitempty"`
	PodIP      string      `json:"podIP,omitempty"`
	StartTime  *time.Time  `json:"startTime,omitempty"`
	Conditions []Condition `json:"conditions,omitempty"`
}

type Pod struct {
	Type
	Metadata Meta      `json:"metadata"`
	Spec     PodSpec   `json:"spec"`
	Status   PodStatus `json:"status"`
}

type NodeSpec struct {
	Unschedulable bool    `json:"unschedulable,omitempty"`
	Taints        []Taint `json:"taints,omitempty"`
}

type NodeStatus struct {
	Capacity    Amounts     `json:"capacity,omitempty"`
	Allocatable Amounts     `json:"allocatable,omitempty"`
	Conditions  []Condition `json:"conditions,omitempty"`
}

type Node struct {
	Type
	Metadata Meta       `json:"metadata"`
	Spec     NodeSpec   `json:"spec"`
	Status   NodeStatus `json:"status"`
}

// Event is a core/v1 Event about one object.
type Event struct {
	Type
	Metadata       Meta   `json:"metadata"`
	InvolvedObject Meta   `json:"involvedObject"`
	Reason         string `json:"reason"`
	Message        string `json:"message"`
}

// List is what a GET of a collection answers. The items' kind isn't repeated in them.
type List[T any] struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Items []T `json:"items"`
}

// Object is one that Follow can tell apart from others.
type Object interface{ ID() string }

func (p Pod) ID() string  { return p.Metadata.UID }
func (n Node) ID() string { return n.Metadata.UID }

// Key is the name by which people know the pod.
func (p *Pod) Key() string { return p.Metadata.Namespace + "/" + p.Metadata.Name }

// Ended says that no container of it runs any more.
func (p *Pod) Ended() bool { return p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" }

// Condition of that type, or nil.
func (p *Pod) Condition(kind string) *Condition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

// UnmarshalJSON takes amounts as API servers and people write them: strings or plain numbers.
func (a *Amounts) UnmarshalJSON(data []byte) error {
	var loose map[string]json.RawMessage
	if err := json.Unmarshal(data, &loose); err != nil {
		return err
	}
	*a = make(Amounts, len(loose))
	for name, text := range loose {
		var amount string
		if json.Unmarshal(text, &amount) != nil {
			amount = string(text)
		}
		(*a)[name] = amount
	}
	return nil
}
