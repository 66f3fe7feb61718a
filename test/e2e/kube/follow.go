package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	watchSeconds = 300
	watchPause   = 200 * time.Millisecond
)

// Follow calls see for every object of a collection and for every change after that, in the API
// server's order, until ctx ends. gone is true for the last that is heard of an object. A lost watch
// is taken up where it stopped, or by a list whose difference is told. listed is closed after the
// first list.
func Follow[T Object](ctx context.Context, c *Client, path string, listed chan<- struct{}, see func(object T, gone bool)) {
	f := follower[T]{client: c, path: path, see: see, known: map[string]T{}}
	for ctx.Err() == nil {
		if f.version == "" && f.list() == nil && listed != nil {
			close(listed)
			listed = nil
		}
		if f.version != "" {
			f.watch(ctx)
		}
		select {
		case <-ctx.Done():
		case <-time.After(watchPause):
		}
	}
}

type follower[T Object] struct {
	client  *Client
	path    string
	see     func(T, bool)
	known   map[string]T
	version string // to watch from; empty: list first
}

func (f *follower[T]) list() error {
	var all List[T]
	if err := f.client.Get(f.path, &all); err != nil {
		return err
	}
	there := make(map[string]T, len(all.Items))
	for _, object := range all.Items {
		there[object.ID()] = object
	}
	for id, object := range f.known {
		if _, still := there[id]; !still {
			f.see(object, true)
		}
	}
	for _, object := range all.Items {
		f.see(object, false)
	}
	f.known, f.version = there, all.Metadata.ResourceVersion
	return nil
}

func (f *follower[T]) watch(ctx context.Context) {
	query := fmt.Sprintf("?watch=1&allowWatchBookmarks=true&timeoutSeconds=%d&resourceVersion=%s", watchSeconds, f.version)
	response, err := f.client.send(ctx, http.MethodGet, f.path+query, "", nil)
	if Refused(err, http.StatusGone) {
		f.version = ""
	}
	if err != nil {
		return
	}
	defer response.Body.Close()
	events := json.NewDecoder(response.Body)
	for {
		var event struct {
			Type   string
			Object json.RawMessage
		}
		if events.Decode(&event) != nil {
			return
		}
		if event.Type == "ERROR" {
			f.version = ""
			return
		}
		f.event(event.Type, event.Object)
	}
}

func (f *follower[T]) event(kind string, text []byte) {
	var head struct{ Metadata Meta }
	var object T
	if json.Unmarshal(text, &head) != nil || json.Unmarshal(text, &object) != nil {
		f.version = ""
		return
	}
	f.version = head.Metadata.ResourceVersion
	switch kind {
	case "ADDED", "MODIFIED":
		f.known[object.ID()] = object
		f.see(object, false)
	case "DELETED":
		delete(f.known, object.ID())
		f.see(object, true)
	}
}
