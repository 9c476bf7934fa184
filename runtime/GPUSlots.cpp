//===- GPUSlots.cpp - arguments as code for GPUs takes them ---------------===//

#include "GPUSlots.h"

#include "llvm/ADT/APFloat.h"

#include <bit>

using namespace tritium;

uint64_t runtime::slotOnGPU(uint64_t slot, const DType &type) {
  if (type.isPointer() || (type.kind != DTypeKind::Float16 && type.kind != DTypeKind::BFloat16))
    return slot;
  llvm::APFloat value(std::bit_cast<float>(static_cast<uint32_t>(slot)));
  bool loses = false;
  value.convert(type.kind == DTypeKind::Float16 ? llvm::APFloat::IEEEhalf()
                                                : llvm::APFloat::BFloat(),
                llvm::APFloat::rmNearestTiesToEven, &loses);
  return value.bitcastToAPInt().getZExtValue();
}

llvm::SmallVector<uint64_t, 24> runtime::slotsOnGPU(llvm::ArrayRef<BoundArgument> arguments,
                                                    const KernelMetadata &metadata) {
  llvm::SmallVector<uint64_t, 24> slots;
  for (size_t i = 0; i < arguments.size(); ++i)
    slots.push_back(slotOnGPU(arguments[i].slot, metadata.parameters[i].type));
  return slots;
}

void runtime::describeGPUCode(const KernelMetadata &metadata, unsigned registers,
                              unsigned spillBytes, llvm::json::Object &description) {
  description["num_warps"] = metadata.numWarps;
  description["num_ctas"] = metadata.numCtas;
  description["shared"] = static_cast<int64_t>(metadata.sharedBytes);
  description["n_regs"] = registers;
  description["n_spills"] = spillBytes / 4;
}
