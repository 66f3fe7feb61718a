package proxy

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name    string
		fault   Fault
		arrives bool // at the API server
		status  int  // 0: the connection ends without an answer
	}{
		{"none", Fault{Method: "DELETE"}, true, 200},
		{"another path", Fault{Path: "/other", Refuse: true}, true, 200},
		{"refused", Fault{Refuse: true}, false, 0},
		{"answer lost", Fault{Lose: true}, true, 0},
		{"answered instead", Fault{Status: 429}, false, 429},
	} {
		t.Run(c.name, func(t *testing.T) {
			arrived := atomic.Bool{}
			p, client := between(t, func(http.ResponseWriter, *http.Request) { arrived.Store(true) })
			undo := p.Inject(c.fault)
			response, err := client.Post(p.URL()+"/binding", "text/plain", strings.NewReader("body"))
			status := 0
			if err == nil {
				status = response.StatusCode
			}
			if status != c.status || arrived.Load() != c.arrives {
				t.Errorf("status %d (%v), arrived %v, done %d times", status, err, arrived.Load(), undo())
			}
		})
	}
}

func TestWhatIsLateArrivesThoughNobodyWaits(t *testing.T) {
	arrived := make(chan struct{})
	p, client := between(t, func(http.ResponseWriter, *http.Request) { close(arrived) })
	p.Inject(Fault{Delay: 300 * time.Millisecond, Lose: true})
	client.Timeout = 50 * time.Millisecond
	if _, err := client.Post(p.URL()+"/binding", "text/plain", strings.NewReader("body")); err == nil {
		t.Error("there was an answer")
	}
	select {
	case <-arrived:
	case <-time.After(10 * time.Second):
		t.Error("it never arrived")
	}
}

func TestAFaultWearsOff(t *testing.T) {
	p, client := between(t, func(http.ResponseWriter, *http.Request) {})
	undo := p.Inject(Fault{Status: 500, Times: 1})
	for _, want := range []int{500, 200} {
		if response, err := client.Get(p.URL()); err != nil || response.StatusCode != want {
			t.Errorf("wanted %d: %v %v", want, response, err)
		}
	}
	if n := undo(); n != 1 {
		t.Errorf("done %d times", n)
	}
	p.Down(true)
	if _, err := client.Get(p.URL()); err == nil {
		t.Error("answered while it is down")
	}
}

// between puts a proxy in front of an API server that does that.
func between(t *testing.T, serve http.HandlerFunc) (*Proxy, *http.Client) {
	upstream := httptest.NewTLSServer(serve)
	t.Cleanup(upstream.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: upstream.Certificate().Raw})
	p, err := Start(upstream.URL, ca, upstream.TLS.Certificates[0], io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
}
