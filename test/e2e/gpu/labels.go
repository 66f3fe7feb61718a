package gpu

import (
	"maps"
	"strconv"
)

const cardMemoryMiB = 81559

// Labels are those that GPU Feature Discovery and the GPU Operator leave on a node of this shape.
func (s Shape) Labels() map[string]string {
	labels := map[string]string{
		"nvidia.com/gpu.present":                  "true",
		"nvidia.com/gpu.machine":                  "DGXH100",
		"nvidia.com/gpu.family":                   "hopper",
		"nvidia.com/gpu.compute.major":            "9",
		"nvidia.com/gpu.compute.minor":            "0",
		"nvidia.com/gpu.mode":                     "compute",
		"nvidia.com/gfd.timestamp":                "1764450000",
		"nvidia.com/cuda.driver-version.major":    "550",
		"nvidia.com/cuda.driver-version.minor":    "127",
		"nvidia.com/cuda.driver-version.revision": "08",
		"nvidia.com/cuda.driver-version.full":     "550.127.08",
		"nvidia.com/cuda.runtime-version.major":   "12",
		"nvidia.com/cuda.runtime-version.minor":   "4",
		"nvidia.com/cuda.runtime-version.full":    "12.4",
		"nvidia.com/vgpu.present":                 "false",
		"nvidia.com/mig.capable":                  "true",
		"nvidia.com/mps.capable":                  strconv.FormatBool(s.Sharing == MPS && !s.mig()),
		"nvidia.com/gpu.product":                  product + s.sharedSuffix(),
		"nvidia.com/gpu.count":                    strconv.Itoa(s.Cards),
		"nvidia.com/gpu.memory":                   strconv.Itoa(cardMemoryMiB),
		"nvidia.com/gpu.replicas":                 strconv.Itoa(s.Replicas),
		"nvidia.com/gpu.sharing-strategy":         string(s.Sharing),
		"nvidia.com/mig.config":                   s.Config,
		"nvidia.com/mig.config.state":             "success",
	}
	for _, component := range operands {
		labels[deploy(component)] = "true"
	}
	if s.Strategy != "" {
		labels["nvidia.com/mig.strategy"] = s.Strategy
	}
	if s.mig() {
		maps.Copy(labels, map[string]func() map[string]string{"single": s.singleLabels, "mixed": s.mixedLabels}[s.Strategy]())
	}
	return labels
}

// What the operator runs on each GPU node; the first few are those that mig-manager pauses.
var operands = []string{"device-plugin", "gpu-feature-discovery", "dcgm-exporter", "dcgm", "driver",
	"container-toolkit", "mig-manager", "node-status-exporter", "operator-validator"}

const pausedForMIG = 4

func deploy(component string) string { return "nvidia.com/gpu.deploy." + component }

// sharedSuffix stands at the product's end when only the labels tell of the sharing.
func (s Shape) sharedSuffix() string {
	if s.Sharing == NotShared || s.Rename {
		return ""
	}
	return "-SHARED"
}

// Under single, nvidia.com/gpu and its labels mean the slices.
func (s Shape) singleLabels() map[string]string {
	name := s.Layout[0]
	labels := profiles[name].labels("nvidia.com/gpu.")
	labels["nvidia.com/gpu.product"] = product + "-MIG-" + name + s.sharedSuffix()
	labels["nvidia.com/gpu.count"] = strconv.Itoa(s.instances(name))
	return labels
}

// Under mixed each profile has a family of labels, and the cards' own entry has no replicas left.
func (s Shape) mixedLabels() map[string]string {
	labels := map[string]string{
		"nvidia.com/gpu.product":          product,
		"nvidia.com/gpu.replicas":         "0",
		"nvidia.com/gpu.sharing-strategy": string(NotShared),
	}
	for _, name := range s.kinds() {
		family := migPrefix + name + "."
		maps.Copy(labels, profiles[name].labels(family))
		labels[family+"product"] = product + "-MIG-" + name + s.sharedSuffix()
		labels[family+"count"] = strconv.Itoa(s.instances(name))
		labels[family+"replicas"] = strconv.Itoa(s.Replicas)
		labels[family+"sharing-strategy"] = string(s.Sharing)
	}
	return labels
}

func (p profile) labels(family string) map[string]string {
	labels := map[string]string{}
	for name, value := range map[string]int{
		"memory": p.memoryMiB, "multiprocessors": p.multiprocessors,
		"slices.gi": p.computeSlices, "slices.ci": p.computeSlices,
		"engines.copy": p.computeSlices, "engines.decoder": p.decoders, "engines.encoder": 0,
		"engines.jpeg": p.decoders, "engines.ofa": p.ofa,
	} {
		labels[family+name] = strconv.Itoa(value)
	}
	return labels
}

// Paused is what mig-manager changes in a node's labels while it works; state is pending or rebooting.
func Paused(config, state string) map[string]any {
	labels := map[string]any{"nvidia.com/mig.config": config, "nvidia.com/mig.config.state": state}
	for _, component := range operands[:pausedForMIG] {
		labels[deploy(component)] = "paused-for-mig-change"
	}
	return labels
}
