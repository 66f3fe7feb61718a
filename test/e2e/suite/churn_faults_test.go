package suite

import (
	"net/http"
	"time"

	"shikiri.dev/e2e/proxy"
)

const faultEvery = 4 * time.Second

// What can break, and comes back by itself before the next thing breaks.
var things = []struct {
	name string
	do   func(c *churn)
}{
	{"shikirid killed", func(c *churn) { c.b.Daemon.Kill(); c.b.Must(c.b.Daemon.Start()) }},
	{"shikirid restarted", func(c *churn) { c.b.Must(c.b.Daemon.Stop()); c.b.Must(c.b.Daemon.Start()) }},
	{"scheduler killed", func(c *churn) { c.b.Scheduler.Kill(); c.b.Must(c.b.Scheduler.Start()) }},
	{"API server killed", func(c *churn) { c.b.KillAPIServer(); c.b.Must(c.b.StartAPIServer()) }},
	{"etcd compacted", func(c *churn) { c.b.Must(c.b.Compact()) }},
	{"connections cut", func(c *churn) { c.b.Proxy.Cut() }},
	{"network away", func(c *churn) { c.b.Proxy.Down(true); c.wait(); c.b.Proxy.Down(false) }},
	{"node cut off", (*churn).cutOffANode},
	{"answers lost", binding(proxy.Fault{Lose: true})},
	{"bindings late", binding(proxy.Fault{Lose: true, Delay: 5 * time.Second})},
	{"too many requests", binding(proxy.Fault{Status: http.StatusTooManyRequests})},
	{"server errors", standing(proxy.Fault{Status: http.StatusInternalServerError, Times: 10})},
	{"API server slow", standing(proxy.Fault{Delay: 300 * time.Millisecond})},
}

// breakThings breaks one thing after the other.
func (c *churn) breakThings(end time.Time) {
	for time.Now().Before(end) {
		thing := things[c.fate.IntN(len(things))]
		c.faults[thing.name]++
		thing.do(c)
		time.Sleep(time.Duration(c.fate.Int64N(int64(faultEvery))))
	}
}

// standing lets a fault stand for a while.
func standing(fault proxy.Fault) func(*churn) {
	return func(c *churn) {
		undo := c.b.Proxy.Inject(fault)
		c.wait()
		undo()
	}
}

// binding is a fault of a few Bindings.
func binding(fault proxy.Fault) func(*churn) {
	fault.Method, fault.Path, fault.Times = http.MethodPost, "/binding", 3
	return standing(fault)
}

func (c *churn) wait() { time.Sleep(faultEvery / 2) }

func (c *churn) cutOffANode() {
	names := c.b.Fleet.Names()
	name := names[c.fate.IntN(len(names))]
	c.b.Must(c.b.Fleet.CutOff(name))
	c.wait()
	c.b.Must(c.b.Fleet.Return(name))
}
