//===- AxisRules.h - what one operation does to axis infos ------*- C++ -*-===//

#ifndef TRITIUM_LIB_ANALYSIS_AXISRULES_H
#define TRITIUM_LIB_ANALYSIS_AXISRULES_H

#include "tritium/Analysis/AxisInfo.h"

namespace tritium::axis {

/// All ones.
AxisInfo unknown(mlir::Type type);
/// Every element is `value`.
AxisInfo uniform(mlir::Type type, int64_t value);

/// What holds of both: of a value that is one or the other.
AxisInfo join(const AxisInfo &a, const AxisInfo &b, mlir::Type type);

using Lookup = llvm::function_ref<const AxisInfo &(mlir::Value)>;

/// The info of the one result of `op`, from those of its operands and from their bounds.
AxisInfo transfer(mlir::Operation *op, Lookup get, IntegerRanges &ranges);

/// The same for an operation whose elements are each made of those of its operands at their place.
AxisInfo transferElementwise(mlir::Operation *op, Lookup get, IntegerRanges &ranges);
/// Of a sum, difference or product of constants.
std::optional<int64_t> foldConstant(mlir::Operation *op, Lookup get);

/// Raises `info` by what the attributes `tt.divisibility`, `tt.contiguity` and
/// `tt.constancy` say; each is one integer, or one a dimension.
void applyHint(AxisInfo &info, mlir::Type type, llvm::StringRef name, mlir::Attribute hint);

} // namespace tritium::axis

#endif // TRITIUM_LIB_ANALYSIS_AXISRULES_H
