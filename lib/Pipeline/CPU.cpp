//===- CPU.cpp - the stages of a compilation for a CPU --------------------===//
//
//   ttir -> loops over registers and the LLVM dialect (TileToCPU) -> object code (Target/CPU)
//
//===----------------------------------------------------------------------===//

#include "TargetCompiler.h"

#include "tritium/Conversion/TileToCPU/TileToCPU.h"
#include "tritium/Conversion/TileToCPU/ToLLVM.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Support/Settings.h"
#include "tritium/Target/CPU/Codegen.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tritium {

namespace {

bool keeps(const CompileOptions &options, std::string_view stage) {
  return llvm::is_contained(options.keepStages, stage);
}

/// ttir -> object code.
bool emitForCPU(Session &session, ModuleOp module, const CompileOptions &options,
                CompiledKernel &kernel, CompileError &error) {
  cpu::TargetInfo target;
  std::string message;
  if (!cpu::resolveTarget(options.target.cpuName(), target, message))
    return refuse(error, message);
  kernel.metadata.cpu = target.cpu;
  auto addPasses = [&](OpPassManager &pm) {
    pm.addPass(tt::createRoughExponentials());
    // Loops over a row may compute it each.
    if (fusesMultiplyAdds(target, options))
      pm.addPass(tt::createFuseMultiplyAdds());
  };
  if (!session.runPasses(module, "CPUPipeline", addPasses))
    return false;

  session.enter("TileToCPU");
  // A report shows what the lowering was given, which is at hand as text.
  auto failedIn = [&](const std::string &what) {
    OwningOpRef<ModuleOp> input =
        parseSourceString<ModuleOp>(kernel.stages["ttir"], ParserConfig(&session.context()));
    return session.internalError(what, input ? *input : ModuleOp());
  };
  std::string *plan = keeps(options, "plan") ? &kernel.stages["plan"] : nullptr;
  if (failed(lowerToCPU(module, target, options, kernel.metadata, kernel.remarks, plan)))
    return failedIn("the lowering to the CPU");
  if (session.wants(settings::MLIRDump))
    llvm::errs() << "// -----// IR Dump After TileToCPU //----- //\n" << *module << "\n";
  session.enter("ToLLVM");
  if (failed(cpu::convertToLLVMDialect(module)))
    return failedIn("the conversion to LLVM");

  session.enter("Codegen");
  bool dumpsLLIR = session.wants(settings::TritonLLIRDump) || session.wants(settings::LLIRDump);
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

bool goOnForCPU(const std::string &text, const CompileOptions &options, CompiledKernel &kernel,
                CompileError &error) {
  cpu::TargetInfo target;
  std::string message;
  cpu::EmittedCode code;
  bool wantAssembly = llvm::is_contained(options.keepStages, "asm");
  if (!cpu::resolveTarget(options.target.cpuName(), target, message) ||
      !cpu::emitObject(text, target, wantAssembly, code, message))
    return refuse(error, message);
  kernel.metadata.cpu = target.cpu;
  kernel.stages["obj"] = std::move(code.object);
  if (wantAssembly)
    kernel.stages["asm"] = std::move(code.assembly);
  return true;
}

class CPUCompiler : public TargetCompiler {
public:
  using TargetCompiler::TargetCompiler;

  std::string fingerprint(const Target &target) const override {
    cpu::TargetInfo info;
    std::string error;
    if (!cpu::resolveTarget(target.cpuName(), info, error))
      return target.str() + " (unknown)";
    return info.triple + " " + info.cpu + " " + info.features + " " +
           std::to_string(info.vectorBits);
  }

  bool fromTileIR(Session &session, ModuleOp module, const CompileOptions &options,
                  CompiledKernel &kernel, CompileError &error) const override {
    return emitForCPU(session, module, options, kernel, error);
  }

  bool fromText(Session &session, const std::string &stage, const std::string &text,
                const CompileOptions &options, CompiledKernel &kernel,
                CompileError &error) const override {
    if (stage != "llir")
      return TargetCompiler::fromText(session, stage, text, options, kernel, error);
    return goOnForCPU(text, options, kernel, error);
  }
};

} // namespace

const TargetCompiler &cpuCompiler() {
  static const CPUCompiler compiler(kCPU);
  return compiler;
}

} // namespace tritium
