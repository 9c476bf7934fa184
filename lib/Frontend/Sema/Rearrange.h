//===- Rearrange.h - elements at other places along an axis -----*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_REARRANGE_H
#define TRITIUM_LIB_FRONTEND_SEMA_REARRANGE_H

#include "tritium/Frontend/Sema/Sema.h"

namespace tritium::sema {

/// 0 to `extent` - 1 along `axis` of a tile of that rank; all other extents are 1.
Tensor positionsAlong(Sema &sema, int64_t extent, int axis, size_t rank);

/// Elements of `x` along `axis`, at those of `places`, which has extent 1 along the others.
Tensor gatherAlong(Sema &sema, const Tensor &x, int axis, const Tensor &places);

/// The element at place i is that of place i ^ `bits` along `axis`, whose extent is a power of two.
Tensor exchangeAlong(Sema &sema, const Tensor &x, int axis, int64_t bits);

/// The first `extent` elements along `axis`, of which there are more.
Tensor firstAlong(Sema &sema, const Tensor &x, int axis, int64_t extent);

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_REARRANGE_H
