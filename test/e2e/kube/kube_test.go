package kube

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

func TestRequestsAreKubernetes(t *testing.T) {
	takes := func(name, limit, request string) Container {
		c := Container{Resources: Resources{Limits: Amounts{name: limit}, Requests: Amounts{}}}
		if request != "" {
			c.Resources.Requests[name] = request
		}
		return c
	}
	pod := Pod{Spec: PodSpec{
		Containers:     []Container{takes("nvidia.com/gpu", "1", ""), takes("nvidia.com/gpu", "2", "2"), takes("cpu", "2", "500m")},
		InitContainers: []Container{takes("nvidia.com/gpu", "2", ""), takes("cpu", "1", "")}}}
	if got := pod.GPUs(); len(got) != 1 || got["nvidia.com/gpu"] != 3 {
		t.Errorf("GPUs are %v", got)
	}
	if got := pod.Requests()["cpu"]; got != 1000 {
		t.Errorf("CPU is %d thousandths", got)
	}
}

// apiServer answers a list, one watch with an event, then "gone", and then another list.
func apiServer(t *testing.T) *httptest.Server {
	lists := []string{`"a","b"`, `"b","c"`}
	watches := 0
	return httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pod := func(name string) string { return fmt.Sprintf(`{"metadata":{"uid":%s,"resourceVersion":"5"}}`, name) }
		switch {
		case r.URL.Query().Get("watch") == "":
			var names []string
			_ = json.Unmarshal([]byte("["+lists[min(watches, 1)]+"]"), &names)
			items := ""
			for i, name := range names {
				items += []string{"", ","}[min(i, 1)] + pod(fmt.Sprintf("%q", name))
			}
			fmt.Fprintf(w, `{"metadata":{"resourceVersion":"4"},"items":[%s]}`, items)
		case watches == 0:
			watches++
			fmt.Fprintf(w, `{"type":"MODIFIED","object":%s}`+"\n", pod(`"a"`))
			fmt.Fprintln(w, `{"type":"ERROR","object":{"code":410}}`)
		default:
			<-r.Context().Done()
		}
	}))
}

func TestFollowTellsWhatAGapHid(t *testing.T) {
	server := apiServer(t)
	t.Cleanup(server.Close) // after the watch has ended with the test
	client := New(server.URL, nil, "token")
	client.http = server.Client()
	told := make(chan string, 100)
	go Follow(t.Context(), client, "/api/v1/pods", nil, func(pod Pod, gone bool) { told <- fmt.Sprint(pod.ID(), gone) })
	want := []string{"afalse", "bfalse", "afalse", "atrue", "bfalse", "cfalse"}
	var got []string
	for len(got) < len(want) {
		select {
		case text := <-told:
			got = append(got, text)
		case <-time.After(10 * time.Second):
			t.Fatalf("told %v", got)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("told %v, not %v", got, want)
	}
}
