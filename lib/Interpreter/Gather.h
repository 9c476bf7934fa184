//===- Gather.h - elements that a tile of indices names ---------*- C++ -*-===//

#ifndef TRITIUM_LIB_INTERPRETER_GATHER_H
#define TRITIUM_LIB_INTERPRETER_GATHER_H

#include "Loops.h"

namespace tritium::interpreter {

/// Where the elements of a gather stand in its source, both in row-major order.
struct Gather {
  Tile index;
  int64_t inner = 1; ///< elements from one along the axis to the next
  int64_t from, to;  ///< extents along it, of the source and the result
  unsigned axis;
  std::vector<int64_t> shape; ///< of the result
  Site site;

  template <typename Op>
  Gather(Builder &b, Op op, llvm::ArrayRef<int64_t> source)
      : index(b.get(op.getIndex())), from(source[op.getAxis()]), axis(op.getAxis()),
        shape(tt::shapeOf(op.getType()).vec()), site(Builder::siteOf(op.getLoc())) {
    to = shape[axis];
    for (int64_t extent : llvm::drop_begin(source, axis + 1))
      inner *= extent;
  }

  /// The place of element `i` of the result; nothing if there is none, and the machine has stopped.
  std::optional<int64_t> place(Machine &m, int64_t i) const {
    int64_t at = signedValue(m.at(index)[i], index.element.bits);
    if (at >= 0 && at < from)
      return (i / (to * inner) * from + at) * inner + i % inner;
    m.fail("index " + std::to_string(at) + " for element " + indexText(shape, i) +
               " of a gather is outside of the source, which has " + std::to_string(from) +
               " elements along axis " + std::to_string(axis),
           site);
    return std::nullopt;
  }
};

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_GATHER_H
