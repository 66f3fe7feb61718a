// Command up runs a control plane with fake GPU nodes by hand, until it is interrupted:
//
//	up --controlplane BINARY --folder D [--scheduler-config FILE] [--packed] [KIND=COUNT]...
//
// It writes D/kubeconfig for an administrator. Kinds of nodes: card, mixed, single, sliced, mps, disguised.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"shikiri.dev/e2e/cluster"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kubelet"
)

var shapes = map[string]gpu.Shape{
	"card":      gpu.Whole(8),
	"mixed":     gpu.Mixed(8, "all-balanced"),
	"single":    gpu.Single(8, "all-1g.10gb"),
	"sliced":    gpu.Shared(8, 4, gpu.TimeSliced),
	"mps":       gpu.Shared(8, 4, gpu.MPS),
	"disguised": gpu.Disguised(8, 4),
}

type options struct {
	binary, folder, config string
	policy                 kubelet.Policy
	nodes                  []kubelet.Node
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "up:", err)
		os.Exit(64)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "up:", err)
		os.Exit(1)
	}
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
	flags.StringVar(&o.binary, "controlplane", "", "the built command controlplane")
	flags.StringVar(&o.folder, "folder", "", "for data, logs and kubeconfig")
	flags.StringVar(&o.config, "scheduler-config", "", "KubeSchedulerConfiguration; without one no scheduler runs")
	packed := flags.Bool("packed", false, "the device plugin's policy is packed")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.policy = kubelet.Distributed; *packed {
		o.policy = kubelet.Packed
	}
	for _, arg := range flags.Args() {
		kind, count, _ := strings.Cut(arg, "=")
		shape, known := shapes[kind]
		n, err := strconv.Atoi(count)
		if !known || err != nil {
			return o, fmt.Errorf("no such nodes: %s", arg)
		}
		for i := range n {
			o.nodes = append(o.nodes, kubelet.Node{Name: fmt.Sprintf("%s-%d", kind, i), Shape: shape})
		}
	}
	return o, os.MkdirAll(o.folder, 0o700)
}

func run(ctx context.Context, o options) error {
	plane, err := cluster.Start(o.binary, o.folder)
	if err != nil {
		return err
	}
	defer plane.Stop()
	kubeconfig := filepath.Join(o.folder, "kubeconfig")
	if err := (cluster.Kubeconfig{Server: plane.Server, CA: plane.CA.PEM, Token: plane.AdminToken}).Write(kubeconfig); err != nil {
		return err
	}
	fleet := kubelet.Start(ctx, plane.Admin, o.policy, 1)
	for _, node := range o.nodes {
		if err := fleet.Add(node); err != nil {
			return err
		}
	}
	if o.config != "" {
		scheduler, err := schedule(plane, o.config)
		if err != nil {
			return err
		}
		defer scheduler.Stop()
	}
	fmt.Printf("ready kubeconfig=%s nodes=%d\n", kubeconfig, len(o.nodes))
	<-ctx.Done()
	return nil
}

func schedule(plane *cluster.ControlPlane, file string) (*cluster.Scheduler, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	documents, err := plane.Documents(text)
	if err != nil {
		return nil, err
	}
	if len(documents) != 1 {
		return nil, fmt.Errorf("%s: wanted one document, found %d", file, len(documents))
	}
	return plane.StartScheduler("scheduler", documents[0], plane.SchedulerToken)
}
