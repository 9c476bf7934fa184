//===- Metadata.cpp - what a ttir module says of its kernel ---------------===//

#include "Metadata.h"

#include "tritium/Analysis/PointerUse.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;

namespace tritium {

tt::FuncOp onlyKernel(ModuleOp module, std::string &message) {
  SmallVector<tt::FuncOp> kernels;
  for (auto func : module.getOps<tt::FuncOp>())
    if (func.isKernel() && !func.isExternal())
      kernels.push_back(func);
  if (kernels.size() == 1)
    return kernels.front();
  message =
      "a ttir module has one kernel (a public function), found " + std::to_string(kernels.size());
  return {};
}

std::optional<DType> dtypeOf(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return DType{DTypeKind::Int8, 1, false};
  uint8_t depth = 0;
  for (; auto pointer = dyn_cast<tt::PointerType>(type); type = pointer.getPointeeType())
    ++depth;
  DTypeKind kind = type.isInteger(1)         ? DTypeKind::Int1
                   : type.isInteger(8)       ? DTypeKind::Int8
                   : type.isInteger(16)      ? DTypeKind::Int16
                   : type.isInteger(32)      ? DTypeKind::Int32
                   : type.isInteger(64)      ? DTypeKind::Int64
                   : type.isFloat8E5M2()     ? DTypeKind::Float8E5
                   : type.isFloat8E4M3FN()   ? DTypeKind::Float8E4NV
                   : type.isFloat8E4M3FNUZ() ? DTypeKind::Float8E4B8
                   : type.isFloat8E5M2FNUZ() ? DTypeKind::Float8E5B16
                   : type.isF16()            ? DTypeKind::Float16
                   : type.isBF16()           ? DTypeKind::BFloat16
                   : type.isF32()            ? DTypeKind::Float32
                   : type.isF64()            ? DTypeKind::Float64
                                             : DTypeKind::Void;
  if (kind == DTypeKind::Void)
    return std::nullopt;
  return DType{kind, depth, false};
}

KernelMetadata describeKernel(tt::FuncOp kernel) {
  KernelMetadata metadata;
  metadata.name = kernel.getName().str();
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    ParameterInfo info;
    auto name = kernel.getArgAttrOfType<StringAttr>(i, "tt.name");
    info.name = name ? name.str() : "arg" + std::to_string(i);
    info.type = dtypeOf(type).value_or(DType());
    info.type.isConst = kernel.getArgAttr(i, "tt.const") != nullptr;
    if (auto divisor = kernel.getArgAttrOfType<IntegerAttr>(i, "tt.divisibility"))
      info.divisibility = divisor.getInt();
    metadata.parameters.push_back(std::move(info));
  }
  return metadata;
}

void describePointers(tt::FuncOp kernel, KernelMetadata &metadata) {
  PointerUse use = findPointerUse(kernel);
  for (auto [i, parameter] : llvm::enumerate(metadata.parameters)) {
    parameter.isRead = use.read[i];
    parameter.isWritten = use.written[i];
  }
  metadata.hasIndirectPointers = use.indirect;
  metadata.hasIndirectWrites = use.indirectlyWritten;
}

void readPromises(ModuleOp module, KernelMetadata &metadata) {
  module.walk([&](tt::FuncOp kernel) {
    metadata.overtakes |= kernel->hasAttr(ttg::kOvertakes);
    metadata.isPersistent |= kernel->hasAttr(ttg::kPersistent);
    auto conditions = kernel->getAttrOfType<ArrayAttr>(ttg::kConditions);
    if (!conditions)
      return;
    for (auto numbers : conditions.getAsRange<DenseI64ArrayAttr>()) {
      LaunchCondition &condition = metadata.conditions.emplace_back();
      ArrayRef<int64_t> list = numbers.asArrayRef();
      for (; list.size() >= 2; list = list.drop_front(2))
        condition.push_back(
            {static_cast<uint8_t>(list[0]), static_cast<uint8_t>(list[0] >> 8), list[1]});
    }
  });
}

} // namespace tritium
