//===- ProgramShares.h - which rounds of which programs a CTA has --*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_PROGRAMSHARES_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_PROGRAMSHARES_H

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tritium::ttg {

/// What each CTA does of a grid whose programs have as many rounds each (stream-K): a share of
/// some programs' rounds, one behind the other, that is as long as each other CTA's to a round, and
/// then as many whole programs as each other CTA. P CTAs and T programs: where P divides T, no
/// program is shared out. Else as many are as are left when each CTA has whole ones, and P more if
/// there are, so that a share is rarely much shorter than a program (S below). CTA c begins at c S
/// / P of the programs that are shared out. Products of these numbers are below 2^31, as P is at
/// most 2^14 (KernelMetadata::streamK).
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
  struct Cut {
    mlir::Value program, round, isInside; ///< inside: behind the program's first round
  };
  Cut cutOf(mlir::OpBuilder &b, mlir::Value cta) const;

  mlir::Location loc;
  mlir::Value rounds, ctas, cta, shared;
  mlir::Value count, ofShare; ///< items, and those of its share
  Cut begin, end;
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_PROGRAMSHARES_H
