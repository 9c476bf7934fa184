//===- GPU.cpp - the stages of a compilation for a GPU --------------------===//

#include "GPU.h"
#include "Metadata.h"

#include "tritium/Conversion/TileGPUToLLVM/TileGPUToLLVM.h"
#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Pipeline/Passes.h"
#include "tritium/Support/EmitRemark.h"
#include "tritium/Target/NVPTX/Codegen.h"
#include "tritium/Target/NVPTX/Ptxas.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>

using namespace mlir;

namespace tritium {

//===-- Options -----------------------------------------------------------===//

namespace {

bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  StringRef text(value ? value : "");
  return text == "1" || text.equals_insensitive("true") || text.equals_insensitive("on") ||
         text.equals_insensitive("yes");
}

bool isUnset(const char *variable) {
  const char *value = std::getenv(variable);
  StringRef text(value ? value : "");
  return text == "0" || text.equals_insensitive("false") || text.equals_insensitive("off") ||
         text.equals_insensitive("no");
}

class OptionReader {
public:
  OptionReader(const CompileOptions &options, CompileError &error)
      : options(options), error(error) {}

  /// An int from `least` to `most`; None is as good as nothing.
  void number(const char *name, unsigned least, unsigned most, unsigned &result) {
    const Constant *value = find(name);
    if (!value)
      return;
    const auto *integer = std::get_if<Constant::Int>(&value->value);
    if (!integer || *integer < least || *integer > most)
      return refuse(name, "an int from " + std::to_string(least) + " to " + std::to_string(most),
                    *value);
    result = static_cast<unsigned>(*integer);
  }

  void flag(const char *name, bool &result) {
    const Constant *value = find(name);
    if (!value)
      return;
    if (const bool *given = std::get_if<bool>(&value->value))
      result = *given;
    else if (const auto *integer = std::get_if<Constant::Int>(&value->value))
      result = *integer != 0;
    else
      refuse(name, "True or False", *value);
  }

  void words(const char *name, std::vector<std::string> &result) {
    const Constant *value = find(name);
    if (!value)
      return;
    if (const auto *text = std::get_if<std::string>(&value->value))
      split(*text, result);
    else
      refuse(name, "a string of arguments", *value);
  }

  void architecture(const char *name, std::string &result) {
    const Constant *value = find(name);
    if (!value)
      return;
    if (const auto *text = std::get_if<std::string>(&value->value))
      result = *text;
    else if (const auto *number = std::get_if<Constant::Int>(&value->value))
      result = "sm_" + std::to_string(static_cast<int64_t>(*number));
    else
      refuse(name, "a name such as 'sm_90'", *value);
  }

  static void split(StringRef text, std::vector<std::string> &result) {
    SmallVector<StringRef> parts;
    text.split(parts, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef part : parts)
      result.push_back(part.str());
  }

  bool isGood() const { return good; }

private:
  const Constant *find(const char *name) const {
    auto found = options.extra.find(name);
    return found == options.extra.end() || found->second.isNone() ? nullptr : &found->second;
  }

  void refuse(const char *name, const std::string &rule, const Constant &found) {
    good = false;
    error.kind = "OptionError";
    error.message =
        std::string("option '") + name + "' must be " + rule + " on a GPU, but got " + found.repr();
    error.rendered = error.message;
  }

  const CompileOptions &options;
  CompileError &error;
  bool good = true;
};

} // namespace

bool readGPUOptions(const CompileOptions &options, GPUOptions &result, CompileError &error) {
  OptionReader reader(options, error);
  result = GPUOptions();
  result.fpFusion = !isUnset("TRITON_DEFAULT_FP_FUSION");
  result.lineInfo = !isSet("TRITON_DISABLE_LINE_INFO");
  result.optimize = !isSet("DISABLE_PTXAS_OPT");
  reader.number("num_warps", 1, 32, result.numWarps);
  reader.number("num_ctas", 1, 16, result.numCtas);
  reader.number("num_stages", 0, 64, result.numStages);
  reader.number("maxnreg", 16, 255, result.maxRegisters);
  reader.number("ptx_version", 63, 99, result.ptxVersion);
  reader.flag("enable_fp_fusion", result.fpFusion);
  reader.flag("enable_reflect_ftz", result.flushSubnormals);
  reader.flag("launch_pdl", result.programmaticLaunch);
  reader.number("warp_size", 1, 1024, result.warpSize);
  reader.architecture("arch", result.architecture);
  if (const char *text = std::getenv("PTXAS_OPTIONS"))
    OptionReader::split(text, result.assembler);
  reader.words("ptx_options", result.assembler);
  return reader.isGood();
}

//===-- Emission ----------------------------------------------------------===//

namespace {

LLVM::LLVMFuncOp onlyLLVMKernel(ModuleOp module) {
  LLVM::LLVMFuncOp found;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal() || function.getLinkage() == LLVM::Linkage::Internal ||
        function.getLinkage() == LLVM::Linkage::Private)
      continue;
    if (found)
      return {};
    found = function;
  }
  return found;
}

/// Of the slow path, if anything.
constexpr unsigned kTolerableSpills = 16;

/// Removes the wish for a number of CTAs a multiprocessor; false if there is none.
bool dropOccupancy(std::string &ptx) {
  size_t from = ptx.find("\n.minnctapersm");
  if (from == std::string::npos)
    return false;
  ptx.erase(from, ptx.find('\n', from + 1) - from);
  return true;
}

} // namespace

bool assembleForGPU(Session &session, const nvptx::TargetInfo &target, const GPUOptions &gpu,
                    Location where, CompiledKernel &kernel, CompileError &error) {
  std::optional<nvptx::Ptxas> ptxas = nvptx::findPtxas();
  if (!ptxas)
    return true;
  session.enter("ptxas");
  nvptx::AssembleOptions options;
  options.lineInfo = gpu.lineInfo;
  options.fpFusion = gpu.fpFusion;
  options.optimize = gpu.optimize;
  options.extra = gpu.assembler;
  nvptx::Assembled result;
  std::string message;
  std::string &ptx = kernel.stages["ptx"];
  bool isGood = nvptx::assemble(*ptxas, ptx, target.binaryName(), options, result, message);
  // More programs side by side are not worth registers spilled to memory.
  if (isGood && result.spillBytes > kTolerableSpills && dropOccupancy(ptx))
    isGood = nvptx::assemble(*ptxas, ptx, target.binaryName(), options, result, message);
  if (!isGood) {
    // An assembler older than the GPU leaves the work to the driver, which is not.
    if (StringRef(result.log).contains("is not defined for option 'gpu-name'"))
      return true;
    error.kind = "PTXASError";
    error.message = "kernel '" + kernel.metadata.name + "': " + message;
    error.rendered = error.message;
    return false;
  }
  kernel.metadata.registers = result.registers;
  kernel.metadata.spillBytes = result.spillBytes;
  kernel.stages["cubin"] = std::move(result.cubin);
  if (result.spillBytes > kTolerableSpills)
    remarkMissed(where, "ptxas",
                 "registers do not suffice: " + std::to_string(result.spillBytes) +
                     " bytes a thread are spilled to memory at " +
                     std::to_string(result.registers) +
                     " registers; use smaller tiles, more warps, or a larger maxnreg",
                 {{"bytes", std::to_string(result.spillBytes)},
                  {"registers", std::to_string(result.registers)}});
  for (const std::string &warning : result.warnings)
    remarkMissed(where, "ptxas", warning);
  return true;
}

std::optional<KernelMetadata> describeLLVMKernel(ModuleOp module, const GPUOptions &gpu,
                                                 std::string &message) {
  KernelMetadata metadata;
  LLVM::LLVMFuncOp kernel = onlyLLVMKernel(module);
  if (!kernel) {
    message = "a module in the LLVM dialect has exactly one kernel: a function with a body that is "
              "neither internal nor private";
    return std::nullopt;
  }
  auto number = [&](const char *attribute, unsigned otherwise) {
    auto value = module->getAttrOfType<IntegerAttr>(attribute);
    return value ? static_cast<unsigned>(value.getInt()) : otherwise;
  };
  metadata.numWarps = number("ttg.num-warps", gpu.numWarps);
  metadata.numCtas = number("ttg.num-ctas", gpu.numCtas);
  metadata.sharedBytes = number("ttg.shared", 0);
  metadata.name = kernel.getName().str();
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    ParameterInfo info;
    info.name = "arg" + std::to_string(i);
    std::optional<DType> dtype = dtypeOf(type);
    if (!dtype) {
      llvm::raw_string_ostream(message)
          << "parameter " << i << " of kernel '" << metadata.name << "' is of type " << type
          << ", which no launch can pass; pass integers, floats and pointers";
      return std::nullopt;
    }
    info.type = *dtype;
    info.isRead = info.isWritten = info.type.isPointer();
    metadata.parameters.push_back(std::move(info));
  }
  return metadata;
}

bool emitForGPU(Session &session, ModuleOp module, const CompileOptions &options,
                const GPUOptions &gpu, CompiledKernel &kernel, CompileError &error) {
  nvptx::TargetInfo target;
  std::string message;
  auto fail = [&] {
    error.kind = "CompilationError";
    error.rendered = error.message = message;
    return false;
  };
  if (!nvptx::resolveTarget(options.target, target, message))
    return fail();
  LLVM::LLVMFuncOp function = onlyLLVMKernel(module);
  if (!function)
    return session.internalError("the lowering to the GPU (not exactly one kernel)", module);
  Location where = function.getLoc();
  // The user's limit decides.
  if (gpu.maxRegisters)
    function->removeAttr(NVVM::NVVMDialect::getMinctasmAttrName());
  KernelMetadata &metadata = kernel.metadata;
  metadata.cpu = target.codeName();
  nvptx::EmitOptions emit;
  emit.kernel = function.getName().str();
  emit.threads = 32 * metadata.numWarps;
  emit.maxRegisters = gpu.maxRegisters;
  emit.ptxVersion = gpu.ptxVersion;
  emit.fpFusion = gpu.fpFusion;
  emit.lineInfo = gpu.lineInfo;
  bool dumps = session.wants("TRITON_ENABLE_LLIR_DUMP") || session.wants("LLVM_IR_ENABLE_DUMP");
  bool keeps = llvm::is_contained(options.keepStages, "llir");
  emit.wantLLIR = dumps || keeps;
  if (!nvptx::checkPTXVersion(target, emit.ptxVersion, message))
    return fail();
  session.enter("Codegen");
  nvptx::EmittedCode code;
  OwningOpRef<ModuleOp> input = module.clone();
  if (!nvptx::emitPTX(module, target, emit, code, message))
    return session.internalError("code generation (" + message + ")", *input);
  if (dumps)
    llvm::errs() << code.llir;
  if (session.wants("NVPTX_ENABLE_DUMP"))
    llvm::errs() << code.ptx;
  if (keeps)
    kernel.stages["llir"] = std::move(code.llir);
  metadata.entry = code.entry;
  kernel.stages["ptx"] = std::move(code.ptx);
  return isSimulatedTarget(options.target) ||
         assembleForGPU(session, target, gpu, where, kernel, error);
}

//===-- From tiles --------------------------------------------------------===//

/// What a tile kernel cannot have on this GPU.
static bool checkGPUOptions(const nvptx::TargetInfo &target, const GPUOptions &gpu,
                            CompileError &error) {
  auto refuse = [&](const std::string &message) {
    error.kind = "OptionError";
    error.rendered = error.message = message;
    return false;
  };
  if (!llvm::isPowerOf2_32(gpu.numWarps))
    return refuse("option 'num_warps' must be a power of two on a GPU, but got " +
                  std::to_string(gpu.numWarps));
  std::string has = ", and this GPU has " + std::to_string(target.capability / 10) + "." +
                    std::to_string(target.capability % 10);
  if (gpu.numCtas > 1 && target.capability < 90)
    return refuse("option 'num_ctas' is " + std::to_string(gpu.numCtas) +
                  ", but clusters begin with compute capability 9.0" + has);
  if (gpu.programmaticLaunch && target.capability < 90)
    return refuse("option 'launch_pdl' is True, but dependent launches begin with compute "
                  "capability 9.0" +
                  has);
  if (gpu.warpSize != 32)
    return refuse("option 'warp_size' must be 32 on an NVIDIA GPU, but got " +
                  std::to_string(gpu.warpSize));
  std::string own = "sm_" + std::to_string(target.capability);
  if (!gpu.architecture.empty() && gpu.architecture != own && gpu.architecture != own + "a")
    return refuse("option 'arch' is '" + gpu.architecture + "', but this GPU is " + own +
                  "; leave the option out, or compile ahead (tritium compile --target)");
  return true;
}

static bool refuse(CompileError &error, const std::string &message) {
  error.kind = "CompilationError";
  error.rendered = error.message = message;
  return false;
}

/// ttgir -> PTX. The metadata of the parameters is filled.
static bool lowerToPTX(Session &session, ModuleOp module, const nvptx::TargetInfo &target,
                       const CompileOptions &options, const GPUOptions &gpu, bool isForeign,
                       CompiledKernel &kernel, CompileError &error) {
  readPromises(module, kernel.metadata);
  session.enter("TileGPUToLLVM");
  GPULoweringOptions lowering;
  lowering.capability = target.codeCapability;
  lowering.mayAlias = options.mayAlias;
  lowering.flushSubnormals = gpu.flushSubnormals;
  lowering.isForeign = isForeign;
  GPULaunchInfo launch;
  if (failed(lowerTileGPUToLLVM(module, lowering, launch))) {
    session.textError("kernel '" + kernel.metadata.name + "' cannot be lowered to a GPU");
    return false;
  }
  if (session.wants("MLIR_ENABLE_DUMP"))
    llvm::errs() << "// -----// IR Dump After TileGPUToLLVM //----- //\n" << *module << "\n";
  kernel.metadata.numWarps = static_cast<unsigned>(launch.numWarps);
  // Programs are counted in CTAs.
  kernel.metadata.numCtas = 1;
  kernel.metadata.sharedBytes = launch.sharedBytes;
  kernel.metadata.asserts = std::move(launch.asserts);
  return emitForGPU(session, module, options, gpu, kernel, error);
}

bool compileForGPU(Session &session, ModuleOp module, const CompileOptions &options,
                   CompiledKernel &kernel, CompileError &error) {
  nvptx::TargetInfo target;
  std::string message;
  if (!nvptx::resolveTarget(options.target, target, message))
    return refuse(error, message);
  GPUOptions gpu;
  if (!readGPUOptions(options, gpu, error) || !checkGPUOptions(target, gpu, error))
    return false;
  if (gpu.numCtas > 1)
    remarkMissed((*module.getOps<tt::FuncOp>().begin()).getLoc(), "num-ctas",
                 "num_ctas=" + Twine(gpu.numCtas) + " changes nothing: a program runs on one CTA");
  GPUPipelineOptions pipeline;
  pipeline.numWarps = static_cast<int>(gpu.numWarps);
  pipeline.capability = static_cast<int>(target.codeCapability);
  pipeline.numStages = static_cast<int>(gpu.numStages);
  pipeline.mayAlias = options.mayAlias;
  pipeline.launchConditions = !options.isUnconditional;
  if (!session.runPasses(module, "TileGPUPipeline",
                         [&](OpPassManager &passes) { buildTileGPUPipeline(passes, pipeline); }))
    return false;
  if (llvm::is_contained(options.keepStages, "ttgir")) {
    llvm::raw_string_ostream out(kernel.stages["ttgir"]);
    module->print(out, OpPrintingFlags().enableDebugInfo());
  }
  return lowerToPTX(session, module, target, options, gpu, /*isForeign=*/false, kernel, error);
}

bool compileTileGPU(Session &session, ModuleOp module, const CompileOptions &options,
                    CompiledKernel &kernel, CompileError &error) {
  if (!isGPUTarget(options.target))
    return refuse(error, "tile IR with layouts (.ttgir) is for a GPU: name one as the target "
                         "(cuda:80), or go on from tile IR (.ttir)");
  nvptx::TargetInfo target;
  std::string message;
  if (!nvptx::resolveTarget(options.target, target, message))
    return refuse(error, message);
  GPUOptions gpu;
  if (!readGPUOptions(options, gpu, error) || !checkGPUOptions(target, gpu, error))
    return false;
  llvm::raw_string_ostream out(kernel.stages["ttgir"]);
  module->print(out, OpPrintingFlags().enableDebugInfo());
  // Which pointers the copies to shared memory read is not followed.
  for (ParameterInfo &parameter : kernel.metadata.parameters)
    parameter.isRead = parameter.type.isPointer();
  KernelMetadata promised;
  readPromises(module, promised);
  std::string rest = "; this launch needs other code: go on from tile IR (.ttir), of which each "
                     "launch has what it needs";
  if (options.mayAlias && promised.overtakes)
    return refuse(error, "kernel '" + kernel.metadata.name +
                             "': its tile IR with layouts was scheduled for arrays that do not "
                             "overlap" +
                             rest);
  if (options.isUnconditional && !promised.conditions.empty())
    return refuse(error, "kernel '" + kernel.metadata.name +
                             "': its tile IR with layouts relies on conditions of the launch "
                             "(tt.conditions)" +
                             rest);
  return lowerToPTX(session, module, target, options, gpu, /*isForeign=*/true, kernel, error);
}

} // namespace tritium
