//===- Build.h - tt IR of operations, without a language's rules -*- C++ -*-===//
//
// What the kernel languages share below their rules: given operands of the right types
// and shapes, these build an operation at Sema's position. Nothing here converts,
// promotes, broadcasts or reports an error; the caller has.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_FRONTEND_SEMA_BUILD_H
#define TRITIUM_FRONTEND_SEMA_BUILD_H

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Sema.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tritium::sema::build {

//===--- Operators (Arithmetic.cpp, Compare.cpp, Math.cpp) ---------------===//

/// Operands of one type and shape. FloorDiv truncates towards zero; Mod takes the sign
/// of the dividend; no Pow, no MatMul.
Tensor arithmetic(Sema &sema, BinaryOp op, const TensorPair &operands);
/// A shift by `count`, which is not less than the width: the sign, or zero. Warns.
Tensor oversizedShift(Sema &sema, BinaryOp op, const Tensor &value, Constant::Int count);
Tensor negate(Sema &sema, const Tensor &number);
Tensor complement(Sema &sema, const Tensor &integer);
Tensor logicalNot(Sema &sema, const Tensor &boolean);
/// Operands of one type and shape, not pointers. `!=` is true of NaNs, the others false.
Tensor compare(Sema &sema, CompareOp op, const TensorPair &operands);
/// A condition of the operands' shape, or a scalar.
Tensor select(Sema &sema, const Tensor &condition, const TensorPair &values);
/// The greater or smaller of two values of one type. Without `propagateNan` the operand
/// that is not NaN wins.
mlir::Value minMax(Sema &sema, bool isMax, bool propagateNan, DType dtype, mlir::Value x,
                   mlir::Value y);
/// e^x of the languages' own `exp`: of fp32 a GPU may compute it as 2^(x log2 e), rounding the
/// product to fp32 (`tt.rough`).
mlir::Value exp(Sema &sema, mlir::Value x);

//===--- Pointers and memory (Arithmetic.cpp, Memory.cpp, Atomics.cpp) ---===//

/// An integer as addptr takes it: signed, of 32 or 64 bits.
Tensor pointerOffset(Sema &sema, const Tensor &integer, bool negate);
/// Pointer and offset of one shape.
Tensor addPointer(Sema &sema, const Tensor &pointer, const Tensor &offset);

struct LoadOptions {
  tt::CacheModifier cache = tt::CacheModifier::NONE;
  tt::EvictionPolicy evict = tt::EvictionPolicy::NORMAL;
  bool isVolatile = false;
};
/// Mask and other have the pointer's shape; a bool is an int8 in memory.
Tensor load(Sema &sema, const Tensor &pointer, const std::optional<Tensor> &mask,
            const std::optional<Tensor> &other, LoadOptions options = {});
void store(Sema &sema, const Tensor &pointer, const Tensor &value,
           const std::optional<Tensor> &mask, tt::CacheModifier cache = tt::CacheModifier::NONE,
           tt::EvictionPolicy evict = tt::EvictionPolicy::NORMAL);

struct MemoryOrder {
  tt::MemSemantic semantic = tt::MemSemantic::ACQUIRE_RELEASE;
  tt::MemScope scope = tt::MemScope::GPU;
};
/// The old value.
Tensor atomicRMW(Sema &sema, tt::RMWOp op, const Tensor &pointer, const Tensor &value,
                 const std::optional<Tensor> &mask, MemoryOrder order);
Tensor atomicCAS(Sema &sema, const Tensor &pointer, const Tensor &expected, const Tensor &value,
                 MemoryOrder order);

//===--- Tiles (Creation.cpp, Reductions.cpp, Dot.cpp) --------------------===//

/// Axis 0, 1 or 2.
Tensor programId(Sema &sema, int axis);
Tensor numPrograms(Sema &sema, int axis);
/// int32 values [start, end), end > start.
Tensor range(Sema &sema, int32_t start, int32_t end);

using Combine = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;
/// Combines along an axis, which disappears.
Tensor reduce(Sema &sema, const Tensor &input, int axis, Combine combine);
/// In the element type.
Tensor sum(Sema &sema, const Tensor &input, int axis);
/// In the element type; numbers win over NaN.
Tensor extremum(Sema &sema, const Tensor &input, int axis, bool isMax);

/// a [.., M, K], b [.., K, N], c [.., M, N], with any number of batch dimensions.
Tensor dot(Sema &sema, const Tensor &a, const Tensor &b, const Tensor &c,
           tt::InputPrecision precision = tt::InputPrecision::IEEE,
           uint32_t maxNumImpreciseAcc = 0);

//===--- Hints (Hints.cpp) ------------------------------------------------===//

/// Where hints are checked: the launch stops with `message` and what was found unless the hint
/// holds of `x`. One value for each dimension, one for a scalar.
void checkHint(Sema &sema, tt::HintKind kind, const Tensor &x, llvm::ArrayRef<int64_t> values,
               const std::string &message);

} // namespace tritium::sema::build

#endif // TRITIUM_FRONTEND_SEMA_BUILD_H
