//===- Combine.h - what reductions and scans share --------------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_COMBINE_H
#define TRITIUM_LIB_FRONTEND_SEMA_COMBINE_H

#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/Build.h"

namespace tritium::sema {

/// What the elements of the one side and those of the other give. False after an error.
using Combine = llvm::function_ref<bool(mlir::ValueRange lhs, mlir::ValueRange rhs,
                                        llvm::SmallVectorImpl<mlir::Value> &results)>;

/// The region of an operation that combines elements of `inputs`; `Return` ends it. False after an
/// error.
bool buildRegion(Sema &sema, mlir::Region &region, llvm::StringRef terminator,
                 llvm::ArrayRef<Tensor> inputs, Combine combine);
template <typename Return>
bool buildRegion(Sema &sema, mlir::Region &region, llvm::ArrayRef<Tensor> inputs, Combine combine) {
  return buildRegion(sema, region, Return::getOperationName(), inputs, combine);
}

/// Calls the kernel function on 2n scalars within the region. False after an error.
bool callCombine(Sema &sema, const Value &function, std::string_view name,
                 llvm::ArrayRef<Tensor> inputs, mlir::ValueRange l, mlir::ValueRange r,
                 llvm::SmallVectorImpl<mlir::Value> &out);

/// The tile, or tiles of one shape, that `function` shall combine. Empty after an error.
std::vector<Tensor> readInputs(Sema &sema, const Value &input, const Value &function,
                               std::string_view name);
/// One for each input: a tuple if the input is one.
Result combined(const Value &input, const std::vector<Tensor> &results);

/// A number, or a tile of such.
std::optional<Tensor> numbers(Sema &sema, const Value &value, std::string_view name);
/// The type that the argument `given` asks for, or that of sums of `dtype`: integers of 32 bits at
/// least.
std::optional<DType> sumTypeArgument(Sema &sema, const Value &given, std::string_view name,
                                     DType dtype);
/// `dtype`, or float32 for bfloat16.
DType withoutBFloat16(DType dtype);

inline auto adder(Sema &sema, DType dtype) {
  return [&sema, dtype](mlir::Value a, mlir::Value b) -> mlir::Value {
    return build::arithmetic(sema, BinaryOp::Add, {{a, dtype}, {b, dtype}}).value;
  };
}

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_COMBINE_H
