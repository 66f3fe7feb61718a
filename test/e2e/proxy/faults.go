package proxy

import (
	"crypto/tls"
	"net/http"
	"slices"
	"strings"
)

// Inject adds a fault. What it returns takes the fault away and says how often it was done.
func (p *Proxy) Inject(fault Fault) (undo func() int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	mine := &injected{Fault: fault}
	p.faults = append(p.faults, mine)
	return func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.faults = slices.DeleteFunc(p.faults, func(f *injected) bool { return f == mine })
		return mine.done
	}
}

// injected is a fault and how often it was done.
type injected struct {
	Fault
	done int
}

func (f *injected) matches(r *http.Request) bool {
	return (f.Times == 0 || f.done < f.Times) && (f.Method == "" || f.Method == r.Method) &&
		strings.Contains(r.URL.RequestURI(), f.Path)
}

func (p *Proxy) match(r *http.Request) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, r.Method+" "+r.URL.RequestURI())
	for _, fault := range p.faults {
		if fault.matches(r) {
			fault.done++
			p.log.Printf("%s %s: %+v", r.Method, r.URL.RequestURI(), fault.Fault)
			return fault.Fault
		}
	}
	return Fault{}
}

// Cut closes all connections; the client may come back at once.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.connections {
		_ = c.Close()
	}
}

// Down takes the network away, or gives it back.
func (p *Proxy) Down(down bool) {
	p.mu.Lock()
	p.down = down
	p.mu.Unlock()
	if down {
		p.Cut()
	}
}

// Hold keeps back what watches would tell, or lets it flow again. The connections stay.
func (p *Proxy) Hold(held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if held {
		p.flowing = make(chan struct{})
	} else {
		close(p.flowing)
	}
}

// Present changes the certificate for connections to come.
func (p *Proxy) Present(certificate tls.Certificate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.certificate = &certificate
}

func (p *Proxy) count(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.statuses[status]++
}

// Answered counts the API server's answers with that status, and ERROR events with it in watches.
func (p *Proxy) Answered(status int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.statuses[status]
}

// Calls lists the requests so far, as method and path.
func (p *Proxy) Calls() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.calls...)
}
