//===- Compiler.cpp - compileKernel and compileTileIR ---------------------===//
//
// The stages of a compilation, in order:
//
//   source text -> tt (front end) -> ttir (TileIRPipeline) -> the target's own (TargetCompiler.h)
//
// A text that is compiled may be of a later stage than tt: tile IR with layouts, the LLVM dialect.
//
//===----------------------------------------------------------------------===//

#include "Diagnose.h"
#include "Metadata.h"
#include "TargetCompiler.h"
#include "TextDepth.h"

#include "tritium/Dialect/Debug/IR/Debug.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Frontend/Python/IRGen.h"
#include "tritium/Frontend/TritonC/IRGen.h"
#include "tritium/Pipeline/Passes.h"
#include "tritium/Support/EmitRemark.h"
#include "tritium/Support/Settings.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/Path.h"

using namespace mlir;

namespace tritium {

namespace {
std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out, OpPrintingFlags().enableDebugInfo().assumeVerified());
  return text;
}

/// What a text is that no module can be read from, as far as it is a stage that comes later.
std::string laterStage(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    line = line.trim();
    if (line.starts_with(".version"))
      return "PTX (.ptx)";
    if (line.starts_with("define ") || line.starts_with("target triple") ||
        line.starts_with("source_filename"))
      return "LLVM IR (.llir)";
  }
  return "";
}

/// False, with the author's line, if a kernel for `target` has a GPU's assembly in it.
bool checkNoAssembly(Session &session, ModuleOp module, const Target &target) {
  WalkResult result = module.walk([&](tt::InlineAsmOp op) {
    op.emitError() << "tl.inline_asm_elementwise is a GPU's assembly, which the target "
                   << target.str()
                   << " does not run; functions of tl and tl.extra.libdevice do the same on every "
                      "target: write it with them, or in the branch of 'if not "
                      "tl.target_info.is_cuda()'";
    return WalkResult::interrupt();
  });
  if (!result.wasInterrupted())
    return true;
  session.textError("");
  return false;
}

/// Whether an option is given as what it is where nobody gives it.
bool isUnset(const Constant &value) { return value.isNone() || value == Constant{std::string()}; }

/// From a module of tt to the target's last stage.
bool runStages(Session &session, ModuleOp module, const TargetCompiler &target,
               const CompileOptions &options, CompiledKernel &kernel, CompileError &error) {
  if (!target.stops())
    dbg::eraseStops(module);
  if (!session.runPasses(module, "TileIRPipeline", buildTileIRPipeline))
    return false;
  session.enter("ttir");
  kernel.stages["ttir"] = textOf(module);
  kernel.metadata.target = options.target;
  std::string message;
  tt::FuncOp func = onlyKernel(module, message);
  if (!func)
    return refuse(error, message);
  for (StringRef parts : {tt::kSplitK, tt::kStreamK})
    if (func->hasAttr(parts))
      return refuse(error, "kernel '" + func.getName().str() + "': " + parts.str() +
                               " is of tile IR with layouts (.ttgir); leave it out, and launch "
                               "with " +
                               parts.drop_front(3).str());
  describePointers(func, kernel.metadata);
  for (const auto &[name, value] : options.extra)
    if (const char *reason = unusedOption(name); reason && !isUnset(value))
      remarkMissed(func.getLoc(), "options", llvm::Twine(name) + " changes nothing: " + reason);
  if (!target.takesAssembly() && !checkNoAssembly(session, module, options.target))
    return false;
  // Targets that move no blocks of arrays by themselves take pointers.
  if (!target.takesDescriptors() && tt::hasDescriptors(module) &&
      !session.runPasses(module, "PointerPipeline", buildPointerPipeline))
    return false;
  return target.fromTileIR(session, module, options, kernel, error);
}

/// A kernel that is already in the LLVM dialect, or that has layouts already.
std::unique_ptr<CompiledKernel> compileLaterDialect(Session &session, ModuleOp module,
                                                    const TargetCompiler &target,
                                                    const CompileOptions &options,
                                                    CompileError &error) {
  auto kernel = std::make_unique<CompiledKernel>();
  bool isDone = false;
  if (!module.getOps<LLVM::LLVMFuncOp>().empty()) {
    isDone = target.fromLLVMDialect(session, module, options, *kernel, error);
  } else {
    std::string message;
    tt::FuncOp func = onlyKernel(module, message);
    if (!func) {
      refuse(error, message);
      return nullptr;
    }
    kernel->metadata = describeKernel(func);
    kernel->metadata.target = options.target;
    describePointers(func, kernel->metadata);
    isDone = target.fromTileGPU(session, module, options, *kernel, error);
  }
  if (!isDone)
    return nullptr;
  session.takeRemarks(kernel->remarks);
  renderRemarks({}, kernel->remarks);
  return kernel;
}

/// The precision of an fp32 dot that names none.
std::string defaultInputPrecision(const TargetCompiler &target, const CompileOptions &options) {
  if (std::string chosen = settings::F32Default.text(); !chosen.empty())
    return llvm::StringRef(chosen).lower();
  auto given = options.extra.find("default_dot_input_precision");
  if (given != options.extra.end())
    if (const auto *text = std::get_if<std::string>(&given->second.value))
      return *text;
  return target.dotPrecision();
}

/// The option debug_lines, which a debugger that is there gives to what it may stop.
bool hasDebugger(const CompileOptions &options) {
  auto found = options.extra.find("debug_lines");
  return found != options.extra.end() && found->second.isSet();
}

/// A kernel's text -> tt. `hasLines`: for a debugger.
OwningOpRef<ModuleOp> generate(Session &session, const TargetCompiler &target,
                               const frontend::FunctionSource &source,
                               const std::vector<ArgumentSpec> &arguments,
                               const CompileOptions &options, bool hasLines, SourceManager &sources,
                               DiagnosticEngine &diagnostics, std::string &printed) {
  bool asserts = options.keepsAsserts();
  HintUse hints = options.debug || target.checksHints() ? HintUse::Checked
                  : options.asserts()                   ? HintUse::Ignored
                                                        : HintUse::Assumed;
  if (source.language == frontend::Language::TritonC)
    return frontend::tritonc::generate(session.context(), source, arguments, sources, diagnostics,
                                       {asserts, hints, hasLines});
  frontend::python::GenerateOptions forPython;
  forPython.debug = asserts;
  forPython.hasLines = hasLines;
  forPython.hints = hints;
  forPython.defaultInputPrecision = defaultInputPrecision(target, options);
  auto sanitize = options.extra.find("sanitize_overflow");
  if (sanitize != options.extra.end())
    if (const auto *isOn = std::get_if<bool>(&sanitize->second.value))
      forPython.sanitizeOverflow = *isOn;
  if (options.target.isGPU())
    forPython.cudaCapability = static_cast<int>(options.target.architecture());
  auto warps = options.extra.find("num_warps");
  if (warps != options.extra.end())
    if (const auto *count = std::get_if<Constant::Int>(&warps->second.value))
      forPython.numWarps = static_cast<int>(*count);
  return frontend::python::generate(session.context(), source, arguments, sources, diagnostics,
                                    forPython, printed);
}

/// The same with what a debugger needs, where the target has one: with lines if a debugger is there
/// or the kernel calls breakpoint().
OwningOpRef<ModuleOp> runFrontend(Session &session, const TargetCompiler &target,
                                  const frontend::FunctionSource &source,
                                  const std::vector<ArgumentSpec> &arguments,
                                  const CompileOptions &options, SourceManager &sources,
                                  DiagnosticEngine &diagnostics, std::string &printed) {
  bool hasLines = target.stops() && hasDebugger(options);
  OwningOpRef<ModuleOp> module = generate(session, target, source, arguments, options, hasLines,
                                          sources, diagnostics, printed);
  if (!module || hasLines || !target.stops() || !dbg::hasBreakpoints(*module))
    return module;
  diagnostics.rollback(0);
  printed.clear();
  return generate(session, target, source, arguments, options, /*hasLines=*/true, sources,
                  diagnostics, printed);
}

/// Metadata of a fresh module, and its stages.
std::unique_ptr<CompiledKernel> finish(Session &session, ModuleOp module,
                                       const TargetCompiler &target, const CompileOptions &options,
                                       std::unique_ptr<CompiledKernel> kernel,
                                       const std::vector<ArgumentSpec> &arguments,
                                       CompileError &error) {
  std::string message;
  tt::FuncOp func = onlyKernel(module, message);
  if (!func) {
    refuse(error, message);
    return nullptr;
  }
  kernel->metadata = describeKernel(func);
  // The specialisation knows the signs.
  auto parameter = kernel->metadata.parameters.begin();
  for (const ArgumentSpec *argument : runTimeArguments(arguments))
    if (parameter != kernel->metadata.parameters.end())
      (parameter++)->type = argument->type;
  if (!runStages(session, module, target, options, *kernel, error))
    return nullptr;
  session.takeRemarks(kernel->remarks);
  return kernel;
}
} // namespace

std::unique_ptr<CompiledKernel> compileKernel(const frontend::FunctionSource &source,
                                              const std::vector<ArgumentSpec> &arguments,
                                              const CompileOptions &options, CompileError &error) {
  const TargetCompiler *target = targetCompiler(options.target, error);
  if (!target)
    return nullptr;
  // A Triton-C file need not say which kernel is meant: the file stands for it.
  Session session(source.name.empty() ? llvm::sys::path::stem(source.file).str() : source.name,
                  error);
  target->prepare(session, options);
  session.enter("Frontend");
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  auto kernel = std::make_unique<CompiledKernel>();
  OwningOpRef<ModuleOp> module = runFrontend(session, *target, source, arguments, options, sources,
                                             diagnostics, kernel->printed);
  if (!module) {
    fillError(sources, diagnostics, error);
    return nullptr;
  }
  collectWarnings(sources, diagnostics, kernel->remarks);
  session.enter("Verifier");
  if (failed(verify(*module))) {
    session.internalError("the front end", *module);
    return nullptr;
  }
  kernel = finish(session, *module, *target, options, std::move(kernel), arguments, error);
  if (kernel) {
    renderRemarks(source, kernel->remarks);
    printRemarks(kernel->remarks);
  }
  return kernel;
}

std::unique_ptr<CompiledKernel> compileTileIR(const std::string &text, const std::string &file,
                                              const CompileOptions &options, CompileError &error) {
  const TargetCompiler *target = targetCompiler(options.target, error);
  if (!target)
    return nullptr;
  Session session("ttir", error);
  session.enter("Parser");
  if (std::string stage = laterStage(text); !stage.empty()) {
    refuse(error, "the text is " + stage +
                      " without the comment in its last line, `tritium: ...`, that says what a "
                      "launch needs to know; write it out again, or go on from tile IR (.ttir)");
    return nullptr;
  }
  if (auto line = lineNestedTooDeeply(text)) {
    refuse(error, file + ":" + std::to_string(*line) + ": error: brackets are nested more than " +
                      std::to_string(kMaxTextDepth) + " deep");
    return nullptr;
  }
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&session.context()), file);
  if (!module) {
    session.textError("the text is not a ttir module");
    return nullptr;
  }
  if (!module->getOps<LLVM::LLVMFuncOp>().empty() || (*module)->hasAttr(ttg::kNumWarps))
    return compileLaterDialect(session, *module, *target, options, error);
  target->prepare(session, options);
  auto kernel =
      finish(session, *module, *target, options, std::make_unique<CompiledKernel>(), {}, error);
  if (kernel) {
    renderRemarks({}, kernel->remarks);
    printRemarks(kernel->remarks);
  }
  return kernel;
}

} // namespace tritium
