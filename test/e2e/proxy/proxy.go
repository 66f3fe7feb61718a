// Package proxy stands between shikirid and the API server and does what networks and servers under load
// do: delay, refuse, lose answers, cut connections.
package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Fault is done to the requests that it matches. A request gets the first that matches.
type Fault struct {
	Method string // empty: any
	Path   string // a part of path and query
	Times  int    // how often; 0: until it's undone

	Delay  time.Duration // before anything else happens
	Status int           // answered instead of asking the API server
	Refuse bool          // the connection is closed without asking it
	Lose   bool          // it is asked in any case, and its answer thrown away with the connection
}

// Proxy is one listener. It follows no redirects and keeps no answers.
type Proxy struct {
	upstream string
	client   *http.Client
	server   *http.Server
	listener net.Listener
	log      *log.Logger

	mu          sync.Mutex
	certificate *tls.Certificate
	faults      []*injected
	down        bool
	connections map[net.Conn]bool
	statuses    map[int]int // of the API server's answers, and of ERROR events in watches
	calls       []string
	flowing     chan struct{} // closed while watches get what the API server sends
}

// Start listens on a free loopback port with that certificate, in front of upstream. Every call and every
// failed handshake is a line in the log.
func Start(upstream string, ca []byte, certificate tls.Certificate, lines io.Writer) (*Proxy, error) {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	p := &Proxy{upstream: upstream, certificate: &certificate, connections: map[net.Conn]bool{}, statuses: map[int]int{},
		log: log.New(lines, "", log.Ltime|log.Lmicroseconds), flowing: make(chan struct{}),
		client: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, MaxIdleConnsPerHost: 64, DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{GetCertificate: p.current, NextProtos: []string{"http/1.1"}})
	if err != nil {
		return nil, err
	}
	p.listener = listener
	close(p.flowing)
	p.server = &http.Server{Handler: p, ConnState: p.track, ErrorLog: p.log}
	go func() { _ = p.server.Serve(listener) }()
	return p, nil
}

// URL is where to find it.
func (p *Proxy) URL() string { return "https://" + p.listener.Addr().String() }

// Stop closes it and all its connections.
func (p *Proxy) Stop() { _ = p.server.Close() }

func (p *Proxy) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.certificate, nil
}

func (p *Proxy) track(c net.Conn, state http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch state {
	case http.StateNew:
		p.connections[c] = true
		if p.down {
			_ = c.Close()
		}
	case http.StateClosed, http.StateHijacked:
		delete(p.connections, c)
	}
}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := p.match(r)
	ctx := r.Context()
	if fault.Lose {
		// What is on its way arrives, whether or not the client still waits for the answer.
		ctx = context.WithoutCancel(ctx)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || !pause(ctx, fault.Delay) || fault.Refuse {
		panic(http.ErrAbortHandler)
	}
	if fault.Status != 0 {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(fault.Status)
		return
	}
	response, err := p.ask(ctx, r, body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer response.Body.Close()
	if fault.Lose {
		_, _ = io.Copy(io.Discard, response.Body)
		panic(http.ErrAbortHandler)
	}
	p.relay(w, r, response)
}

func (p *Proxy) ask(ctx context.Context, r *http.Request, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, p.upstream+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = r.Header.Clone()
	response, err := p.client.Do(request)
	if err != nil {
		p.log.Printf("%s %s: %v", r.Method, r.URL.RequestURI(), err)
		return nil, err
	}
	p.count(response.StatusCode)
	p.log.Printf("%s %s: %d", r.Method, r.URL.RequestURI(), response.StatusCode)
	return response, nil
}

func (p *Proxy) relay(w http.ResponseWriter, r *http.Request, response *http.Response) {
	watch := strings.Contains(r.URL.RawQuery, "watch=")
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.StatusCode)
	flush := http.NewResponseController(w)
	buffer := make([]byte, 64<<10)
	for {
		n, err := response.Body.Read(buffer)
		if watch {
			p.await(r.Context())
		}
		if watch && strings.Contains(string(buffer[:n]), `"code":410`) {
			p.count(http.StatusGone)
		}
		if _, gone := w.Write(buffer[:n]); gone != nil {
			return
		}
		_ = flush.Flush()
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// await returns when watches flow, or nobody watches any more.
func (p *Proxy) await(ctx context.Context) {
	p.mu.Lock()
	flowing := p.flowing
	p.mu.Unlock()
	select {
	case <-flowing:
	case <-ctx.Done():
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
