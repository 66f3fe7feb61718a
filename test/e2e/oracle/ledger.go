package oracle

import (
	"fmt"
	"maps"
	"slices"

	"shikiri.dev/e2e/kube"
)

// Row is one allocation as GET /allocations tells it.
type Row struct {
	UID       string         `json:"uid"`
	Namespace string         `json:"namespace"`
	Name      string         `json:"name"`
	Tenant    string         `json:"tenant"`
	Node      string         `json:"node"`
	State     string         `json:"state"`
	Resources map[string]int `json:"resources"`
}

// Compare says what the ledger and the API server disagree about: every pod that runs or may run on a
// GPU has exactly one row, and every row such a pod.
func Compare(rows []Row, pods []kube.Pod) []string {
	var differences []string
	live := map[string]*kube.Pod{}
	for i := range pods {
		pod := &pods[i]
		if pod.Spec.NodeName != "" && !pod.Ended() && len(pod.GPUs()) > 0 {
			live[pod.Metadata.UID] = pod
		}
	}
	for _, row := range rows {
		pod := live[row.UID]
		delete(live, row.UID)
		if difference := compare(row, pod); difference != "" {
			differences = append(differences, difference)
		}
	}
	for _, pod := range live {
		differences = append(differences, fmt.Sprintf("%s on %s has no row", pod.Key(), pod.Spec.NodeName))
	}
	slices.Sort(differences)
	return differences
}

func compare(row Row, pod *kube.Pod) string {
	name := row.Namespace + "/" + row.Name
	switch {
	case pod == nil:
		return fmt.Sprintf("%s has a %s row on %s (uid %s) and doesn't run", name, row.State, row.Node, row.UID)
	case pod.Spec.NodeName != row.Node:
		return fmt.Sprintf("%s is on %s, its row on %s", name, pod.Spec.NodeName, row.Node)
	case !maps.Equal(row.Resources, pod.GPUs()):
		return fmt.Sprintf("%s has %v, its row %v", name, pod.GPUs(), row.Resources)
	case row.State != "bound" && row.State != "foreign":
		return fmt.Sprintf("%s runs, its row is %s", name, row.State)
	}
	return ""
}
