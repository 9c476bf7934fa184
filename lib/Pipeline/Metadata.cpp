//===- Metadata.cpp - what a ttir module says of its kernel ---------------===//

#include "Metadata.h"

#include "tritium/Analysis/FirstAccess.h"
#include "tritium/Analysis/PointerUse.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"
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

/// Arguments that a launch names, behind which stands what the parts of its programs share.
static unsigned countParameters(tt::FuncOp kernel) {
  bool hasParts = kernel->hasAttr(tt::kSplitK) || kernel->hasAttr(tt::kStreamK);
  unsigned shared = hasParts ? tt::kSharedByParts : 0;
  return kernel.getNumArguments() - std::min(kernel.getNumArguments(), shared);
}

KernelMetadata describeKernel(tt::FuncOp kernel) {
  KernelMetadata metadata;
  metadata.name = kernel.getName().str();
  for (auto [i, type] :
       llvm::enumerate(kernel.getArgumentTypes().take_front(countParameters(kernel)))) {
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

void refuseCopies(ModuleOp module, const CompileOptions &options) {
  if (options.refusedCopies.empty())
    return;
  std::vector<StringRef> places(options.refusedCopies.begin(), options.refusedCopies.end());
  auto list = Builder(module.getContext()).getStrArrayAttr(places);
  for (auto kernel : module.getOps<tt::FuncOp>())
    kernel->setAttr(ttg::kRefusedCopies, list);
}

/// Whether `given` is a list of launch conditions, each with what its steps take and one number
/// left.
static bool isConditions(Attribute given, unsigned parameters) {
  auto isOne = [&](Attribute condition) {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(condition);
    if (!numbers || numbers.size() % 2)
      return false;
    int64_t left = 0;
    for (ArrayRef<int64_t> list = numbers.asArrayRef(); !list.empty(); list = list.drop_front(2)) {
      uint64_t kind = list[0] & 0xff, bits = uint64_t(list[0]) >> 8, value = list[1];
      uint64_t values = kind == ScalarStep::Constant   ? ~uint64_t(0)
                        : kind == ScalarStep::Argument ? parameters
                        : kind < ScalarStep::Sum       ? 3
                                                       : ~uint64_t(0);
      int64_t takes = kind < ScalarStep::Sum ? 0 : kind == ScalarStep::LoopIndex ? 3 : 2;
      bool isConstant = kind == ScalarStep::Constant;
      if (kind > ScalarStep::LoopIndex || bits < 1 || bits > 64 ||
          (!isConstant && value >= values) || left < takes)
        return false;
      left += 1 - takes;
    }
    return left == 1;
  };
  auto all = dyn_cast<ArrayAttr>(given);
  return all && llvm::all_of(all, isOne);
}

std::string reasonAgainstPromises(ModuleOp module) {
  std::string reason;
  auto check = [&](tt::FuncOp kernel, StringRef name, auto isRight, StringRef wanted) {
    Attribute given = kernel->getAttr(name);
    if (!given || isRight(given) || !reason.empty())
      return;
    llvm::raw_string_ostream out(reason);
    out << "kernel '" << kernel.getName() << "': " << name << " must be " << wanted << ", found "
        << given;
  };
  constexpr StringLiteral conditions =
      "launch conditions, array<i64: ...> with a kind and bits, and a value, for each step";
  for (auto kernel : module.getOps<tt::FuncOp>()) {
    unsigned parameters = countParameters(kernel);
    auto isList = [&](Attribute given) { return isConditions(given, parameters); };
    auto isPartial = [&](Attribute given) {
      auto number = dyn_cast<IntegerAttr>(given);
      constexpr int64_t most = int64_t(1) << 40; // no tile is as large
      return number && number.getType().isInteger(64) && number.getInt() > 0 &&
             number.getInt() <= most;
    };
    auto hasMemory = [&] {
      Attribute bytes = kernel->getAttr(tt::kPartialBytes);
      auto isPointer = llvm::IsaPred<tt::PointerType>;
      return bytes && isPartial(bytes) && kernel.getNumArguments() >= tt::kSharedByParts &&
             llvm::all_of(kernel.getArgumentTypes().take_back(tt::kSharedByParts), isPointer);
    };
    auto isSplit = [&](Attribute given) {
      auto number = dyn_cast<IntegerAttr>(given);
      return number && number.getType().isInteger(32) && number.getInt() > 1 &&
             number.getInt() <= 64 && hasMemory() && !kernel->hasAttr(tt::kStreamK);
    };
    auto isStream = [&](Attribute given) {
      return isa<UnitAttr>(given) && hasMemory() && kernel->hasAttr(ttg::kPersistent);
    };
    check(kernel, tt::kSplitK, isSplit,
          "2 to 64, an i32, of a kernel with tt.partial_bytes and pointers as last two arguments");
    check(kernel, tt::kStreamK, isStream,
          "of a kernel with ttg.persistent, tt.partial_bytes and pointers as last two arguments");
    check(kernel, tt::kPartialBytes, isPartial, "an i64, at least 1 and at most 2^40");
    check(kernel, ttg::kConditions, isList, ("a list of " + conditions).str());
    check(
        kernel, ttg::kCopyConditions,
        [&](Attribute given) {
          auto places = dyn_cast<DictionaryAttr>(given);
          return places && llvm::all_of(places, [&](NamedAttribute place) {
                   return isList(place.getValue());
                 });
        },
        ("by places lists of " + conditions).str());
    check(
        kernel, ttg::kRefusedCopies,
        [](Attribute given) {
          auto places = dyn_cast<ArrayAttr>(given);
          return places && llvm::all_of(places, llvm::IsaPred<StringAttr>);
        },
        "a list of places, which are strings");
  }
  return reason;
}

static LaunchCondition readCondition(DenseI64ArrayAttr numbers) {
  LaunchCondition condition;
  for (ArrayRef<int64_t> list = numbers.asArrayRef(); list.size() >= 2; list = list.drop_front(2))
    condition.push_back(
        {static_cast<uint8_t>(list[0]), static_cast<uint8_t>(list[0] >> 8), list[1]});
  return condition;
}

/// Behind those that more of the code needs, each once.
static void readCopyConditions(tt::FuncOp kernel, KernelMetadata &metadata) {
  auto places = kernel->getAttrOfType<DictionaryAttr>(ttg::kCopyConditions);
  if (!places)
    return;
  std::vector<LaunchCondition> &all = metadata.conditions;
  size_t ofAll = all.size();
  for (NamedAttribute place : places) {
    CopyNeeds copy{place.getName().str(), {}, {}};
    for (auto numbers : cast<ArrayAttr>(place.getValue()).getAsRange<DenseI64ArrayAttr>()) {
      LaunchCondition condition = readCondition(numbers);
      size_t number = llvm::find(all, condition) - all.begin();
      if (number == all.size())
        all.push_back(std::move(condition));
      if (number >= ofAll)
        copy.conditions.push_back(number);
    }
    metadata.copies.push_back(std::move(copy));
  }
}

void describeTensorMaps(GPULaunchInfo launch, KernelMetadata &metadata) {
  metadata.tensorMaps = std::move(launch.tensorMaps);
  for (auto [number, places] : llvm::enumerate(launch.placesOfMaps)) {
    // Nobody could name a copy without a place.
    if (places.contains(""))
      continue;
    for (const std::string &place : places) {
      auto copy = llvm::find_if(metadata.copies,
                                [&](const CopyNeeds &known) { return known.place == place; });
      if (copy == metadata.copies.end())
        copy = metadata.copies.insert(copy, CopyNeeds{place, {}, {}});
      copy->tensorMaps.push_back(number);
    }
  }
}

void readPromises(ModuleOp module, KernelMetadata &metadata) {
  module.walk([&](tt::FuncOp kernel) {
    metadata.overtakes |= kernel->hasAttr(ttg::kOvertakes);
    metadata.isPersistent |= kernel->hasAttr(ttg::kPersistent);
    metadata.waitsForLaunches |=
        kernel.isKernel() && !kernel.isExternal() && ttg::waitsForLaunches(kernel);
    metadata.takesPrograms |= kernel->hasAttr(ttg::kProgramCounter);
    if (auto parts = kernel->getAttrOfType<IntegerAttr>(tt::kSplitK))
      metadata.splitK = static_cast<unsigned>(parts.getInt());
    metadata.streamK |= kernel->hasAttr(tt::kStreamK);
    if (metadata.hasParts())
      metadata.partialBytes = kernel->getAttrOfType<IntegerAttr>(tt::kPartialBytes).getInt();
    if (auto programs = kernel->getAttrOfType<IntegerAttr>(ttg::kProgramsPerCTA))
      metadata.programsPerCTA = static_cast<unsigned>(programs.getInt());
    if (auto programs = kernel->getAttrOfType<IntegerAttr>(ttg::kProgramsPerWarp))
      metadata.programsPerCTA *= static_cast<unsigned>(programs.getInt());
    if (auto conditions = kernel->getAttrOfType<ArrayAttr>(ttg::kConditions))
      for (auto numbers : conditions.getAsRange<DenseI64ArrayAttr>())
        metadata.conditions.push_back(readCondition(numbers));
    readCopyConditions(kernel, metadata);
  });
}

} // namespace tritium
