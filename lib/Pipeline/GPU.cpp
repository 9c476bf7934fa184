//===- GPU.cpp - the stages of a compilation for a GPU --------------------===//

#include "GPU.h"
#include "Clocks.h"
#include "FewestSpills.h"
#include "GPUChoices.h"
#include "GPUSharedMemory.h"
#include "Metadata.h"
#include "TargetCompiler.h"

#include "tritium/Conversion/TileGPUToLLVM/TileGPUToLLVM.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Kernel/AssemblyLines.h"
#include "tritium/Pipeline/Passes.h"
#include "tritium/Support/EmitRemark.h"
#include "tritium/Support/Settings.h"
#include "tritium/Target/NVPTX/Clocks.h"
#include "tritium/Target/NVPTX/Codegen.h"
#include "tritium/Target/NVPTX/Ptxas.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tritium {

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

/// What ptxas says, in `message`, behind what it means for the author: of assembly at its line, of
/// the whole kernel at the kernel's.
void refuseToAssemble(const nvptx::Assembled &assembled, const std::string &ptx,
                      const std::string &message, Location where, const std::string &kernel,
                      CompileError &error) {
  error.kind = "PTXASError";
  error.message = "kernel '" + kernel + "': " + message;
  error.rendered = error.message;
  if (std::string at = assemblyError(assembled.log, ptx); !at.empty()) {
    error.message = at;
    error.rendered = at + "\n" + error.rendered;
    return;
  }
  auto advice = llvm::find_if(assembled.report.advice, [](auto &line) { return line.isFatal; });
  if (advice == assembled.report.advice.end())
    return;
  error.message = "kernel '" + kernel + "': " + explain(*advice);
  std::string at;
  if (FileLineColLoc place = authorsPlace(where)) {
    error.file = place.getFilename().str();
    error.line = static_cast<int>(place.getLine());
    error.column = static_cast<int>(place.getColumn());
    at = error.file + ":" + std::to_string(error.line) + ":" + std::to_string(error.column) +
         ": error: ";
  }
  error.rendered = at + error.message + "\n" + error.rendered;
}

} // namespace

static nvptx::AssembleOptions assembleOptions(const GPUOptions &gpu) {
  nvptx::AssembleOptions options;
  options.lineInfo = gpu.lineInfo;
  options.fpFusion = gpu.fpFusion;
  options.optimize = gpu.optimize;
  options.extra = gpu.assembler;
  return options;
}

void startAssembler(Session &session, const CompileOptions &options) {
  nvptx::TargetInfo target;
  GPUOptions gpu;
  std::string message;
  CompileError ignored; // who compiles finds it, too
  if (!readGPUOptions(options, gpu, ignored) ||
      !nvptx::resolveTarget(options.target.architecture(), target, message))
    return;
  if (std::optional<nvptx::Ptxas> ptxas = nvptx::findPtxas())
    session.assembler =
        nvptx::WaitingPtxas::start(*ptxas, target.binaryName(), assembleOptions(gpu));
}

bool assembleForGPU(Session &session, const nvptx::TargetInfo &target, const GPUOptions &gpu,
                    Location where, CompiledKernel &kernel, CompileError &error) {
  std::optional<nvptx::Ptxas> ptxas = nvptx::findPtxas();
  if (!ptxas)
    return true;
  session.enter("ptxas");
  nvptx::Assembled result;
  std::string message;
  std::string &ptx = kernel.stages["ptx"];
  if (!assembleWithFewestSpills(*ptxas, ptx, target.binaryName(),
                                std::max(1u, kernel.metadata.numWarps), assembleOptions(gpu),
                                std::move(session.assembler), result, message)) {
    // An assembler older than the GPU leaves the work to the driver, which is not.
    if (StringRef(result.log).contains("is not defined for option 'gpu-name'"))
      return true;
    refuseToAssemble(result, ptx, message, where, kernel.metadata.name, error);
    return false;
  }
  const nvptx::PtxasReport &report = result.report;
  kernel.metadata.registers = report.registers;
  kernel.metadata.spillBytes = report.spillBytes;
  kernel.handicap = handicapOf(report);
  kernel.stages["cubin"] = std::move(result.cubin);
  auto text = [](uint64_t number) { return std::to_string(number); };
  if (std::string spills = explainSpills(report), used = text(report.registers); !spills.empty())
    remarkMissed(where, "ptxas", spills,
                 {{"bytes", text(report.spillBytes)}, {"registers", used}, {"case", "spills"}});
  for (const nvptx::PtxasAdvice &advice : report.advice)
    remarkMissed(where, "ptxas", explain(advice),
                 {{"code", text(advice.code)}, {"text", advice.text}});
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
  metadata.numCtas = number("ttg.num-ctas", std::max(gpu.numCtas, 1u));
  metadata.sharedBytes = number("ttg.shared", 0);
  metadata.name = kernel.getName().str();
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    ParameterInfo info;
    info.name = "arg" + std::to_string(i);
    bool isByValue = kernel.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName()) != nullptr;
    std::optional<DType> dtype = isByValue ? std::nullopt : dtypeOf(type);
    if (!dtype) {
      llvm::raw_string_ostream(message)
          << "parameter " << i << " of kernel '" << metadata.name << "' is of type " << type
          << (isByValue ? " by value" : "")
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
  if (!nvptx::resolveTarget(options.target.architecture(), target, message))
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
  emit.clusterCTAs = metadata.numCtas;
  emit.maxRegisters = gpu.maxRegisters;
  emit.ptxVersion = gpu.ptxVersion;
  emit.lineInfo = gpu.lineInfo;
  bool dumps = session.wants(settings::TritonLLIRDump) || session.wants(settings::LLIRDump);
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
  if (session.wants(settings::PTXDump))
    llvm::errs() << code.ptx;
  if (keeps)
    kernel.stages["llir"] = std::move(code.llir);
  metadata.entry = code.entry;
  kernel.stages["ptx"] = std::move(code.ptx);
  return options.target.kind().isModel ||
         assembleForGPU(session, target, gpu, where, kernel, error);
}

//===-- From tiles --------------------------------------------------------===//

/// A compute capability as its vendor writes it: 9.0 for 90.
static std::string versionText(unsigned capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

/// The compute capability that launches overlap from.
static constexpr unsigned kFirstOverlapping = 90;

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
  std::string has = ", and this GPU has " + versionText(target.capability);
  if (gpu.numCtas > 1 && target.capability < 90)
    return refuse("option 'num_ctas' is " + std::to_string(gpu.numCtas) +
                  ", but clusters begin with compute capability 9.0" + has);
  if (gpu.programmaticLaunch.value_or(false) && target.capability < kFirstOverlapping)
    return refuse("option 'launch_pdl' is True, but dependent launches begin with compute "
                  "capability 9.0" +
                  has);
  if (gpu.persistent.value_or(false) && gpu.cooperative)
    return refuse("option 'persistent' is True, but with launch_cooperative_grid all programs run "
                  "at once, and may wait for each other; leave one of the two out");
  if (gpu.streamK && (gpu.cooperative || !gpu.persistent.value_or(true) || gpu.splitK > 1))
    return refuse(std::string("option 'stream_k' is True: CTAs loop over programs and parts of "
                              "programs; leave ") +
                  (gpu.splitK > 1    ? "split_k"
                   : gpu.cooperative ? "launch_cooperative_grid"
                                     : "persistent=False") +
                  " out");
  if (gpu.warpSize != 32)
    return refuse("option 'warp_size' must be 32 on an NVIDIA GPU, but got " +
                  std::to_string(gpu.warpSize));
  std::string own = "sm_" + std::to_string(target.capability), asked = gpu.architecture;
  if (llvm::StringRef digits(asked); digits.consume_front("sm") && !digits.starts_with("_"))
    asked = "sm_" + digits.str();
  if (!asked.empty() && asked != own && asked != own + "a")
    return refuse("option 'arch' is '" + gpu.architecture + "', but this GPU is " + own +
                  "; leave the option out, or compile ahead (tritium compile --target)");
  return true;
}

/// ttgir -> PTX. The metadata of the parameters is filled.
static bool lowerToPTX(Session &session, ModuleOp module, const nvptx::TargetInfo &target,
                       const CompileOptions &options, const GPUOptions &gpu, bool isForeign,
                       CompiledKernel &kernel, CompileError &error) {
  readPromises(module, kernel.metadata);
  if (!gpu.clocks.empty())
    kernel.clocks.groups = warpGroupsOf(module);
  session.enter("TileGPUToLLVM");
  GPULoweringOptions lowering;
  lowering.mayAlias = options.mayAlias;
  lowering.flushSubnormals = gpu.flushSubnormals;
  lowering.fpFusion = gpu.fpFusion;
  lowering.isForeign = isForeign;
  lowering.assertsTrap = options.asserts() && !options.debug;
  lowering.maxRegisters = gpu.maxRegisters;
  GPULaunchInfo launch;
  if (failed(lowerTileGPUToLLVM(module, lowering, launch))) {
    session.textError("kernel '" + kernel.metadata.name + "' cannot be lowered to a GPU");
    return false;
  }
  if (session.wants(settings::MLIRDump))
    llvm::errs() << "// -----// IR Dump After TileGPUToLLVM //----- //\n" << *module << "\n";
  kernel.metadata.numWarps = static_cast<unsigned>(launch.numWarps);
  kernel.metadata.numCtas = static_cast<unsigned>(launch.numCTAs);
  kernel.metadata.sharedBytes = launch.sharedBytes;
  kernel.metadata.asserts = std::move(launch.asserts);
  describeTensorMaps(std::move(launch), kernel.metadata);
  if (options.isUnconditional && !kernel.metadata.tensorMaps.empty())
    return refuse(error,
                  "kernel '" + kernel.metadata.name +
                      "' copies boxes of tensors (ttng.tma_load, ttng.tma_store), which must "
                      "begin and have strides at multiples of 16 bytes; this launch needs "
                      "code without: go on from tile IR (.ttir)");
  return emitForGPU(session, module, options, gpu, kernel, error);
}

/// Has the code, a module in the LLVM dialect that is compiled already, count its clocks. All that
/// was chosen stays, and so do the remarks: they are on the code without.
static bool addClocks(Session &session, ModuleOp module, const CompileOptions &options,
                      const GPUOptions &gpu, CompiledKernel &kernel, CompileError &error) {
  LLVM::LLVMFuncOp function = gpu.clocks.empty() ? LLVM::LLVMFuncOp() : onlyLLVMKernel(module);
  if (!function)
    return true;
  KernelClocks &clocks = kernel.clocks;
  clocks.parts = gpu.clocks == "lines" ? nvptx::linesOf(function) : scopesOf(module);
  if (clocks.parts.size() == 1) { // the rest: there is nothing to tell it from
    clocks = {};
    return true;
  }
  session.enter("Clocks");
  nvptx::insertClocks(function, clocks.parts, kernel.metadata.numWarps);
  size_t remarks = session.countRemarks();
  std::string handicap = kernel.handicap;
  bool isGood = emitForGPU(session, module, options, gpu, kernel, error);
  session.dropRemarks(remarks);
  kernel.handicap = std::move(handicap);
  return isGood;
}

bool compileForGPU(Session &session, ModuleOp module, const CompileOptions &options,
                   CompiledKernel &kernel, CompileError &error) {
  nvptx::TargetInfo target;
  std::string message;
  if (!nvptx::resolveTarget(options.target.architecture(), target, message))
    return refuse(error, message);
  GPUOptions gpu;
  if (!readGPUOptions(options, gpu, error) || !checkGPUOptions(target, gpu, error))
    return false;
  if (std::string reason = reasonAgainstPromises(module); !reason.empty())
    return refuse(error, reason);
  GPUPipelineOptions pipeline;
  pipeline.numWarps = static_cast<int>(gpu.numWarps);
  pipeline.capability = target.codeCapability;
  // With fewer registers a thread there is no instruction of warp groups.
  constexpr unsigned leastRegisters = 40;
  bool hasFew = gpu.maxRegisters && gpu.maxRegisters < leastRegisters;
  pipeline.isSpecific = target.isSpecific && !hasFew;
  pipeline.numStages = static_cast<int>(gpu.numStages);
  pipeline.splitK = static_cast<int>(gpu.splitK);
  pipeline.streamK = gpu.streamK;
  pipeline.mayAlias = options.mayAlias;
  pipeline.fpFusion = gpu.fpFusion;
  pipeline.launchConditions = !options.isUnconditional;
  pipeline.persistent = gpu.persistent.value_or(!gpu.cooperative);
  pipeline.alwaysPersistent = gpu.persistent.value_or(false);
  // Launches look at whether programs can be counted; dependent ones begin CTA by CTA.
  pipeline.packPrograms =
      pipeline.persistent && !options.isUnconditional && !gpu.programmaticLaunch.value_or(false);
  if (target.capability >= kFirstOverlapping && !gpu.programmaticLaunch.value_or(false))
    pipeline.overlapLaunches =
        gpu.cooperative || gpu.programmaticLaunch || !gpu.clocks.empty() ? "never" : "always";
  // All CTAs of a cooperative launch run at once: there are no more of them than asked for.
  pipeline.numCTAs = static_cast<int>(gpu.cooperative ? std::max(gpu.numCtas, 1u) : gpu.numCtas);
  pipeline.tensorCopies = gpu.tensorCopies && !options.isUnconditional;
  pipeline.specializeWarps = gpu.specializeWarps;
  pipeline.takePrograms = gpu.takePrograms;
  refuseCopies(module, options);
  OwningOpRef<ModuleOp> input = module.clone();
  bool isSpecialized = false, keeps = false;
  auto compile = [&] {
    if (!lowerToTileGPU(session, module, *input, pipeline))
      return false;
    isSpecialized = choseToSpecialize(module, pipeline);
    keeps = keepsOperands(module);
    if (llvm::is_contained(options.keepStages, "ttgir")) {
      std::string &text = kernel.stages["ttgir"];
      text.clear();
      llvm::raw_string_ostream out(text);
      module->print(out, OpPrintingFlags().enableDebugInfo());
    }
    return lowerToPTX(session, module, target, options, gpu, /*isForeign=*/false, kernel, error);
  };
  size_t remarks = session.countRemarks();
  KernelMetadata described = kernel.metadata;
  if (!compile())
    return false;
  // The assembler says that it is slow, perhaps by what was chosen and can be left.
  auto again = [&](auto stop, const Twine &reason) {
    session.dropRemarks(remarks);
    restore(module, *input);
    kernel.metadata = described;
    stop(module, pipeline, reason.str());
    remarks = session.countRemarks();
    return compile();
  };
  if (!kernel.handicap.empty() && keeps &&
      !again(stopKeepingOperands, "in registers, " + kernel.handicap))
    return false;
  if (!kernel.handicap.empty() && kernel.metadata.isPersistent && !pipeline.alwaysPersistent &&
      !pipeline.streamK && !again(stopPersisting, "in a loop over programs, " + kernel.handicap))
    return false;
  if (!kernel.handicap.empty() && isSpecialized &&
      !again(stopSpecializing, "with a warp for copies, " + kernel.handicap))
    return false;
  return addClocks(session, module, options, gpu, kernel, error);
}

bool compileTileGPU(Session &session, ModuleOp module, const CompileOptions &options,
                    CompiledKernel &kernel, CompileError &error) {
  nvptx::TargetInfo target;
  std::string message;
  if (!nvptx::resolveTarget(options.target.architecture(), target, message))
    return refuse(error, message);
  GPUOptions gpu;
  if (!readGPUOptions(options, gpu, error) || !checkGPUOptions(target, gpu, error))
    return false;
  if (std::string reason = reasonAgainstPromises(module); !reason.empty())
    return refuse(error, reason);
  auto asked = module->getAttrOfType<ttg::TargetAttr>(ttg::kTarget);
  if (!asked)
    module->setAttr(ttg::kTarget, ttg::TargetAttr::get(module.getContext(), target.codeCapability,
                                                       target.isSpecific));
  else if (asked.getCompute() > target.codeCapability ||
           (asked.getSpecific() && target.capability != asked.getCompute()))
    return refuse(error, "kernel '" + kernel.metadata.name +
                             "': its tile IR with layouts is for compute capability " +
                             versionText(asked.getCompute()) + " (ttg.target), and this GPU has " +
                             versionText(target.capability) +
                             "; go on from tile IR (.ttir), or compile for a newer GPU");
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
  return lowerToPTX(session, module, target, options, gpu, /*isForeign=*/true, kernel, error) &&
         addClocks(session, module, options, gpu, kernel, error);
}

//===-- From text ---------------------------------------------------------===//

bool goOnForGPU(Session &session, const std::string &stage, const std::string &text,
                const CompileOptions &options, CompiledKernel &kernel, CompileError &error) {
  nvptx::TargetInfo target;
  GPUOptions gpu;
  std::string message;
  if (!readGPUOptions(options, gpu, error))
    return false;
  if (!nvptx::resolveTarget(options.target.architecture(), target, message))
    return refuse(error, message);
  kernel.metadata.cpu = target.codeName();
  if (stage == "llir") {
    nvptx::EmitOptions emit;
    emit.kernel = kernel.metadata.entry;
    emit.clusterCTAs = kernel.metadata.numCtas;
    emit.ptxVersion = gpu.ptxVersion;
    nvptx::EmittedCode code;
    if (!nvptx::emitPTX(text, target, emit, code, message))
      return refuse(error, message);
    kernel.stages["ptx"] = std::move(code.ptx);
  }
  return options.target.kind().isModel ||
         assembleForGPU(session, target, gpu, UnknownLoc::get(&session.context()), kernel, error);
}

} // namespace tritium
