//===- tritium.hpp - Tritium for C++ programs -------------------*- C++ -*-===//
//
// Objects around tritium.h; header only. Errors are thrown as tritium::Error.
//
//   tritium::Module m = tritium::load("matmul.py");
//   auto k = m.kernel("matmul", {{"BM", 128}, {"BN", 128}, {"BK", 32}});
//   k.launch({gridX, gridY}, tritium::Stream{}, a, b, c, M, N, K);
//
//   tritium::Module d = tritium::load("dot.tc", {.defines = {{"TYPE", "half"},
//                                                            {"TM", "[64, 128]"}}});
//   d.kernel("dot").launch([&](const tritium::Options &opt) {
//     return tritium::Grid(tritium::cdiv(M, opt["TM"])); }, tritium::Stream{}, a, b, c, M);
//
// A launch compiles on first use (and finds the result on disk the next time), runs
// every program of the grid and returns when all have finished.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_TRITIUM_HPP
#define TRITIUM_TRITIUM_HPP

#include "tritium/tritium.h"

#include "tritium/cpp/arguments.hpp" // spans, buffers, numbers
#include "tritium/cpp/kernels.hpp"   // kernels, grids, launches
#include "tritium/cpp/modules.hpp"   // files of kernels
#include "tritium/cpp/values.hpp"    // errors, element types, compile-time values

#endif // TRITIUM_TRITIUM_HPP
