package suite

import (
	"testing"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kubelet"
)

func TestDoctorFindsNothingWhereNothingIs(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 2, gpu.Whole(1))})
	b.Running(b.Pod("red", "first", gpu.Card, 1))
	for _, finding := range b.Doctor(b.SchedulerConfig("second", "--scheduler-name", bed.SchedulerName)) {
		t.Errorf("%s %s: %s", finding.Severity, finding.ID, finding.What)
	}
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: []kubelet.Node{node("disguised", gpu.Disguised(1, 4)), node("card", gpu.Whole(2))}})
	b.Running(b.Pod("red", "first", gpu.Card, 1))
	past := b.Pod("red", "past-us", gpu.Card, 1, bed.OnNode("card"), bed.Foreign())
	b.Running(past)
	bed.Await(t, "it is adopted", bed.Patience, func() bool { return rowOf(b, past) != nil })
	config := b.SchedulerConfig("second", "--scheduler-name", bed.SchedulerName)
	config["extenders"] = append(config["extenders"].([]any), map[string]any{"urlPrefix": "http://127.0.0.1:1/other", "bindVerb": "bind"})
	found := map[string]bed.Finding{}
	for _, finding := range b.Doctor(config) {
		found[finding.ID] = finding
	}
	for _, id := range []string{"BoundByOthers", "SharedDisguised", "SecondBinder"} {
		if finding, there := found[id]; !there || finding.Fix == "" {
			t.Errorf("%s isn't found, or has no fix: %+v", id, found)
		}
	}
}
