//===- ProgramShares.h - which rounds of which programs a CTA has --*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_PROGRAMSHARES_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_PROGRAMSHARES_H

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tritium::ttg {

/// What each CTA does of a grid of T programs with as many rounds each: of P CTAs each has T / P
/// whole programs, and then one of the parts of a program that is left over. Those have
/// P / (T mod P) parts each, kMostPartsOfProgram at most. CTAs that begin with a whole program go
/// through the rounds side by side, and so do those that have the same part of several programs:
/// what neighbours load at the same time, L2 is asked for once. Products of these numbers are below
/// 2^31, as P is at most kMostSharingCTAs.
class ProgramShares {
public:
  /// Of this CTA; in front of the loop over its items. `rounds` of a program, `programs`.
  ProgramShares(mlir::OpBuilder &b, mlir::Location loc, mlir::Value rounds, mlir::Value programs);

  /// How many programs this CTA has something of.
  mlir::Value items() const { return count; }
  /// The program of an item, and what tt.program_share says of it.
  struct Item {
    mlir::Value program, from, to, place, first, parts;
  };
  Item at(mlir::OpBuilder &b, mlir::Value number) const;

private:
  mlir::Location loc;
  mlir::Value rounds, ctas, cta;
  mlir::Value whole, count; ///< whole programs of this CTA, and with its part
  Item part;                ///< the one that it has, if there is one
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_PROGRAMSHARES_H
