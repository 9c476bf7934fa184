//===- Compiler.cpp - compileKernel and compileTileIR ---------------------===//
//
// The stages of a compilation, in order:
//
//   source text -> tt (front end) -> ttir (TileIRPipeline) -> ttir of pointers -> loops over
//   registers and the LLVM dialect (TileToCPU) -> object code (Target/CPU)
//
// The target "interpret" ends at ttir. A GPU's goes on through GPU.cpp. A text that is
// compiled may be of a later stage than tt: the LLVM dialect goes straight to emission.
//
//===----------------------------------------------------------------------===//

#include "Diagnose.h"
#include "GPU.h"
#include "Metadata.h"
#include "Session.h"
#include "TextDepth.h"

#include "tritium/Conversion/TileToCPU/TileToCPU.h"
#include "tritium/Conversion/TileToCPU/ToLLVM.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Frontend/Python/IRGen.h"
#include "tritium/Frontend/TritonC/IRGen.h"
#include "tritium/Pipeline/Passes.h"
#include "tritium/Target/CPU/Codegen.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/Path.h"

using namespace mlir;

namespace tritium {

namespace {
bool keeps(const CompileOptions &options, std::string_view stage) {
  return llvm::is_contained(options.keepStages, stage);
}

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out, OpPrintingFlags().enableDebugInfo().assumeVerified());
  return text;
}

bool fail(CompileError &error, std::string message) {
  error.kind = "CompilationError";
  error.rendered = error.message = std::move(message);
  return false;
}

/// ttir -> object code.
bool emitForCPU(Session &session, ModuleOp module, const CompileOptions &options,
                CompiledKernel &kernel, CompileError &error) {
  cpu::TargetInfo target;
  std::string message;
  if (!cpu::resolveTarget(options.cpu, target, message))
    return fail(error, message);
  kernel.metadata.cpu = target.cpu;

  session.enter("TileToCPU");
  // A report shows what the lowering was given, which is at hand as text.
  auto failedIn = [&](const std::string &what) {
    OwningOpRef<ModuleOp> input =
        parseSourceString<ModuleOp>(kernel.stages["ttir"], ParserConfig(&session.context()));
    return session.internalError(what, input ? *input : ModuleOp());
  };
  if (failed(lowerToCPU(module, target, options, kernel.metadata, kernel.remarks)))
    return failedIn("the lowering to the CPU");
  if (session.wants("MLIR_ENABLE_DUMP"))
    llvm::errs() << "// -----// IR Dump After TileToCPU //----- //\n" << *module << "\n";
  session.enter("ToLLVM");
  if (failed(cpu::convertToLLVMDialect(module)))
    return failedIn("the conversion to LLVM");

  session.enter("Codegen");
  bool dumpsLLIR = session.wants("TRITON_ENABLE_LLIR_DUMP") || session.wants("LLVM_IR_ENABLE_DUMP");
  cpu::EmittedCode code;
  if (!cpu::emitObject(module, target, dumpsLLIR || keeps(options, "llir"), keeps(options, "asm"),
                       code, message))
    return failedIn("code generation (" + message + ")");
  if (dumpsLLIR)
    llvm::errs() << code.llir;
  kernel.stages["obj"] = std::move(code.object);
  if (keeps(options, "llir"))
    kernel.stages["llir"] = std::move(code.llir);
  if (keeps(options, "asm"))
    kernel.stages["asm"] = std::move(code.assembly);
  return true;
}

/// A kernel that is already in the LLVM dialect.
std::unique_ptr<CompiledKernel> compileLLVMDialect(Session &session, ModuleOp module,
                                                   const CompileOptions &options,
                                                   CompileError &error) {
  auto kernel = std::make_unique<CompiledKernel>();
  GPUOptions gpu;
  if (!readGPUOptions(options, gpu, error))
    return nullptr;
  if (!isGPUTarget(options.target)) {
    fail(error, "a module in the LLVM dialect is for a GPU: name one as the target (cuda:80)");
    return nullptr;
  }
  std::string message;
  std::optional<KernelMetadata> described = describeLLVMKernel(module, gpu, message);
  if (!described) {
    fail(error, message);
    return nullptr;
  }
  kernel->metadata = std::move(*described);
  kernel->metadata.target = options.target;
  if (!emitForGPU(session, module, options, gpu, *kernel, error))
    return nullptr;
  session.takeRemarks(kernel->remarks);
  renderRemarks({}, kernel->remarks);
  return kernel;
}

/// A kernel that has layouts already.
std::unique_ptr<CompiledKernel> compileTileGPUDialect(Session &session, ModuleOp module,
                                                      const CompileOptions &options,
                                                      CompileError &error) {
  std::string message;
  tt::FuncOp func = onlyKernel(module, message);
  if (!func) {
    fail(error, message);
    return nullptr;
  }
  auto kernel = std::make_unique<CompiledKernel>();
  kernel->metadata = describeKernel(func);
  kernel->metadata.target = options.target;
  describePointers(func, kernel->metadata);
  if (!compileTileGPU(session, module, options, *kernel, error))
    return nullptr;
  session.takeRemarks(kernel->remarks);
  renderRemarks({}, kernel->remarks);
  return kernel;
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

/// From a module of tt to the target's last stage.
bool runStages(Session &session, ModuleOp module, const CompileOptions &options,
               CompiledKernel &kernel, CompileError &error) {
  if (options.target != "cpu" && options.target != "interpret" && !isGPUTarget(options.target))
    return fail(error, "unknown target '" + options.target +
                           "': use 'cpu', 'interpret', 'cuda:NN' or 'sim:NN', NN the "
                           "GPU's compute capability (90 for 9.0)");
  if (!session.runPasses(module, "TileIRPipeline", buildTileIRPipeline))
    return false;
  session.enter("ttir");
  kernel.stages["ttir"] = textOf(module);
  kernel.metadata.target = options.target;
  std::string message;
  tt::FuncOp func = onlyKernel(module, message);
  if (!func)
    return fail(error, message);
  describePointers(func, kernel.metadata);
  if (options.target == "interpret")
    return true;
  if (tt::hasDescriptors(module) &&
      !session.runPasses(module, "PointerPipeline", buildPointerPipeline))
    return false;
  return isGPUTarget(options.target) ? compileForGPU(session, module, options, kernel, error)
                                     : emitForCPU(session, module, options, kernel, error);
}

/// The precision of an fp32 dot that names none.
std::string defaultInputPrecision(const CompileOptions &options) {
  const char *chosen = std::getenv("TRITON_F32_DEFAULT");
  if (chosen && *chosen)
    return llvm::StringRef(chosen).lower();
  auto given = options.extra.find("default_dot_input_precision");
  if (given != options.extra.end())
    if (const auto *text = std::get_if<std::string>(&given->second.value))
      return *text;
  return isGPUTarget(options.target) ? "tf32" : "ieee";
}

/// A kernel's text -> tt.
OwningOpRef<ModuleOp> runFrontend(Session &session, const frontend::FunctionSource &source,
                                  const std::vector<ArgumentSpec> &arguments,
                                  const CompileOptions &options, SourceManager &sources,
                                  DiagnosticEngine &diagnostics, std::string &printed) {
  bool checkHints = options.debug || options.target == "interpret";
  if (source.language == frontend::Language::TritonC)
    return frontend::tritonc::generate(session.context(), source, arguments, sources, diagnostics,
                                       {options.debug, checkHints});
  frontend::python::GenerateOptions generate;
  generate.debug = options.debug;
  generate.checkHints = checkHints;
  generate.defaultInputPrecision = defaultInputPrecision(options);
  return frontend::python::generate(session.context(), source, arguments, sources, diagnostics,
                                    generate, printed);
}

/// Metadata of a fresh module, and its stages.
std::unique_ptr<CompiledKernel> finish(Session &session, ModuleOp module,
                                       const CompileOptions &options,
                                       std::unique_ptr<CompiledKernel> kernel,
                                       const std::vector<ArgumentSpec> &arguments,
                                       CompileError &error) {
  std::string message;
  tt::FuncOp func = onlyKernel(module, message);
  if (!func) {
    fail(error, message);
    return nullptr;
  }
  kernel->metadata = describeKernel(func);
  // The specialisation knows the signs.
  auto parameter = kernel->metadata.parameters.begin();
  for (const ArgumentSpec *argument : runTimeArguments(arguments))
    if (parameter != kernel->metadata.parameters.end())
      (parameter++)->type = argument->type;
  if (!runStages(session, module, options, *kernel, error))
    return nullptr;
  session.takeRemarks(kernel->remarks);
  return kernel;
}
} // namespace

static void addRunTime(const ArgumentSpec &argument, std::vector<const ArgumentSpec *> &result) {
  for (const ArgumentSpec &part : argument.parts)
    addRunTime(part, result);
  if (argument.parts.empty() && !argument.isConstexpr)
    result.push_back(&argument);
}

std::vector<const ArgumentSpec *> runTimeArguments(const std::vector<ArgumentSpec> &arguments) {
  std::vector<const ArgumentSpec *> result;
  for (const ArgumentSpec &argument : arguments)
    addRunTime(argument, result);
  return result;
}

std::unique_ptr<CompiledKernel> compileKernel(const frontend::FunctionSource &source,
                                              const std::vector<ArgumentSpec> &arguments,
                                              const CompileOptions &options, CompileError &error) {
  // A Triton-C file need not say which kernel is meant: the file stands for it.
  Session session(source.name.empty() ? llvm::sys::path::stem(source.file).str() : source.name,
                  error);
  session.enter("Frontend");
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  auto kernel = std::make_unique<CompiledKernel>();
  OwningOpRef<ModuleOp> module =
      runFrontend(session, source, arguments, options, sources, diagnostics, kernel->printed);
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
  kernel = finish(session, *module, options, std::move(kernel), arguments, error);
  if (kernel) {
    renderRemarks(source, kernel->remarks);
    printRemarks(kernel->remarks);
  }
  return kernel;
}

std::unique_ptr<CompiledKernel> compileTileIR(const std::string &text,
                                              const CompileOptions &options, CompileError &error) {
  Session session("ttir", error);
  session.enter("Parser");
  if (std::string stage = laterStage(text); !stage.empty()) {
    fail(error, "the text is " + stage +
                    " without the comment in its last line, `tritium: ...`, that says what a "
                    "launch needs to know; write it out again, or go on from tile IR (.ttir)");
    return nullptr;
  }
  if (auto line = lineNestedTooDeeply(text)) {
    fail(error, "ttir:" + std::to_string(*line) + ": error: brackets are nested more than " +
                    std::to_string(kMaxTextDepth) + " deep");
    return nullptr;
  }
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&session.context()), "ttir");
  if (!module) {
    session.textError("the text is not a ttir module");
    return nullptr;
  }
  if (!module->getOps<LLVM::LLVMFuncOp>().empty())
    return compileLLVMDialect(session, *module, options, error);
  if ((*module)->hasAttr(ttg::kNumWarps))
    return compileTileGPUDialect(session, *module, options, error);
  auto kernel = finish(session, *module, options, std::make_unique<CompiledKernel>(), {}, error);
  if (kernel) {
    renderRemarks({}, kernel->remarks);
    printRemarks(kernel->remarks);
  }
  return kernel;
}

} // namespace tritium
