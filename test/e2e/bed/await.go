package bed

import (
	"testing"
	"time"
)

const pollPause = 20 * time.Millisecond

// Patience is for what should take moments; machines are slow at times.
const Patience = 30 * time.Second

// Await fails the test when it isn't met in time, and says how long it took.
func Await(t testing.TB, what string, patience time.Duration, met func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !met() {
		if time.Since(began) > patience {
			t.Fatalf("waited %s in vain: %s", patience, what)
		}
		time.Sleep(pollPause)
	}
	return time.Since(began)
}

// Never fails the test when it's met within that time.
func Never(t testing.TB, what string, long time.Duration, met func() bool) {
	t.Helper()
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(pollPause) {
		if met() {
			t.Fatalf("it happened: %s", what)
		}
	}
}
