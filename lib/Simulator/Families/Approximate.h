//===- Approximate.h - PTX's approximate functions --------------*- C++ -*-===//
//
// Computed in double precision by IEEE additions, products and quotients only, so that
// every host gives the same bits; the error before the rounding to float is below 2^-45,
// far within what PTX allows (2^-20 to 2^-23 relative).
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_APPROXIMATE_H
#define TRITIUM_SIMULATOR_APPROXIMATE_H

namespace tritium::sim {
double approximateExp2(double x);
double approximateLog2(double x); ///< x > 0, finite
double approximateSin(double x);
double approximateCos(double x);
double approximateTanh(double x);
} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_APPROXIMATE_H
