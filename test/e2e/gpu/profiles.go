package gpu

// profile is what the driver reports of one MIG profile of an 80 GB Hopper card.
type profile struct {
	computeSlices   int
	memorySlices    int // of the card's eight, as placed
	memoryMiB       int
	multiprocessors int
	decoders        int
	ofa             int
}

const (
	cardComputeSlices = 7
	cardMemorySlices  = 8
)

var profiles = map[string]profile{
	"1g.10gb": {computeSlices: 1, memorySlices: 1, memoryMiB: 9984, multiprocessors: 16, decoders: 1},
	"1g.20gb": {computeSlices: 1, memorySlices: 2, memoryMiB: 20096, multiprocessors: 26, decoders: 1},
	"2g.20gb": {computeSlices: 2, memorySlices: 2, memoryMiB: 20096, multiprocessors: 32, decoders: 2},
	"3g.40gb": {computeSlices: 3, memorySlices: 4, memoryMiB: 40448, multiprocessors: 60, decoders: 3},
	"4g.40gb": {computeSlices: 4, memorySlices: 4, memoryMiB: 40448, multiprocessors: 64, decoders: 4},
	"7g.80gb": {computeSlices: 7, memorySlices: 8, memoryMiB: 81152, multiprocessors: 132, decoders: 7, ofa: 1},
}
