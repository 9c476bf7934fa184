//===- Distance.h - addresses that are a constant apart ---------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_DISTANCE_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_DISTANCE_H

#include "mlir/IR/Value.h"

#include <optional>
#include <utility>

namespace tritium::ttg {

/// How many bytes the pointer `to`, in the LLVM dialect, lies behind `from`, if it is the same
/// number whenever the kernel runs, and that can be read off from how they are computed.
std::optional<int64_t> distance(mlir::Value from, mlir::Value to);

/// The pointer and the constant that `pointer` is the sum of: what an instruction's address has
/// room for.
std::pair<mlir::Value, int32_t> splitOffset(mlir::Value pointer);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_DISTANCE_H
