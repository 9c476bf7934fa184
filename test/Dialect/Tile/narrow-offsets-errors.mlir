// RUN: tritium-opt %S/Inputs/odd.mlir > %t.before
// RUN: tritium-opt %S/Inputs/odd.mlir -tt-narrow-offsets > %t.after
// RUN: diff %t.before %t.after

// Offsets of no known range stay as they are, and so does what is no offset.
