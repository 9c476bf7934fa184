//===- Indexing.h - elements of tiles by subscripts -------------*- C++ -*-===//

#ifndef TRITIUM_FRONTEND_SEMA_INDEXING_H
#define TRITIUM_FRONTEND_SEMA_INDEXING_H

#include "tritium/Frontend/Sema/Sema.h"

namespace tritium::sema {

/// The elements begin, begin + step, ... of a sequence, `count` of them.
struct SliceBounds {
  int64_t begin, step, count;
};

/// The elements of a sequence of that length that a slice visits, as Python clamps it.
std::optional<SliceBounds> sliceBounds(Sema &sema, const Slice &slice, int64_t length);

/// x[indices]
Result readElements(Sema &sema, const Tensor &x, llvm::ArrayRef<Value> indices);

/// `x` after x[indices] = value.
Result writeElements(Sema &sema, const Tensor &x, llvm::ArrayRef<Value> indices,
                     const Value &value);

} // namespace tritium::sema

#endif // TRITIUM_FRONTEND_SEMA_INDEXING_H
