// RUN: tritium-opt %S/../Tile/Inputs/odd.mlir > %t.before
// RUN: tritium-opt %S/../Tile/Inputs/odd.mlir -tritongpu-version-tails > %t.after
// RUN: diff %t.before %t.after

// Nothing here would be wider for another pitch.
