//===- Codegen.cpp - LLVM-dialect module to CPU object code ---------------===//
//
// Translation to LLVM IR, a short pass list, and LLVM's code generator. The pass list is
// short because the lowering already emits register-sized vectors and blocked loops: what
// is left is cleaning up addresses, hoisting and redundant loads. Vectorisers and the
// unroller would triple the time and find nothing.
//
//===----------------------------------------------------------------------===//

#include "tritium/Target/CPU/Codegen.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace {

// The lowering emits clean loops with 64-bit indices, so induction variables need no
// widening: that pass took half of the time.
constexpr const char *kPasses =
    "function(early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),gvn,simplifycfg)";

#ifdef NDEBUG
constexpr bool kVerify = false;
#else
constexpr bool kVerify = true;
#endif

/// Collects LLVM's errors; the default handler ends the process.
struct CollectErrors : DiagnosticHandler {
  explicit CollectErrors(std::string &error) : error(error) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return true;
    raw_string_ostream stream(error);
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }
  std::string &error;
};

std::unique_ptr<TargetMachine> createMachine(const tritium::cpu::TargetInfo &info,
                                             std::string &error) {
  const Target *target = TargetRegistry::lookupTarget(info.triple, error);
  if (!target)
    return nullptr;
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Fast;
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(info.triple, info.cpu, info.features, options, Reloc::PIC_,
                                  CodeModel::Small, CodeGenOptLevel::Default));
}

void setFunctionAttributes(Module &module, const tritium::cpu::TargetInfo &target) {
  for (Function &function : module) {
    // Nothing that a kernel calls unwinds, so no unwind tables are needed.
    function.setDoesNotThrow();
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
  }
}

bool optimize(Module &module, TargetMachine &machine, std::string &error) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  ModulePassManager passes;
  if (Error failed = builder.parsePassPipeline(passes, kPasses)) {
    error = toString(std::move(failed));
    return false;
  }
  passes.run(module, modules);
  return true;
}

bool generate(Module &module, TargetMachine &machine, CodeGenFileType type, std::string &out,
              std::string &error) {
  SmallVector<char, 0> buffer;
  raw_svector_ostream stream(buffer);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/!kVerify)) {
    error = "the target cannot emit this kind of file";
    return false;
  }
  passes.run(module);
  out.assign(buffer.begin(), buffer.end());
  return error.empty();
}

} // namespace

bool tritium::cpu::emitObject(mlir::ModuleOp module, const TargetInfo &target, bool wantLLIR,
                              bool wantAssembly, EmittedCode &code, std::string &error) {
  code = EmittedCode();
  error.clear();
  mlir::MLIRContext *mlirContext = module.getContext();
  mlir::registerBuiltinDialectTranslation(*mlirContext);
  mlir::registerLLVMDialectTranslation(*mlirContext);

  // Line tables: each function becomes a debug scope for the locations in it.
  mlir::PassManager scopes(mlirContext);
  scopes.enableVerifier(false);
  scopes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass());
  if (failed(scopes.run(module))) {
    error = "could not attach debug scopes";
    return false;
  }

  LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<CollectErrors>(error));
  std::unique_ptr<Module> ir =
      mlir::translateModuleToLLVMIR(module, context, "kernel", /*disableVerification=*/!kVerify);
  if (!ir) {
    if (error.empty())
      error = "translation to LLVM IR failed";
    return false;
  }
  std::unique_ptr<TargetMachine> machine = createMachine(target, error);
  if (!machine)
    return false;
  ir->setTargetTriple(target.triple);
  ir->setDataLayout(machine->createDataLayout());
  setFunctionAttributes(*ir, target);
  if (!optimize(*ir, *machine, error))
    return false;

  if (wantLLIR) {
    raw_string_ostream stream(code.llir);
    ir->print(stream, nullptr);
  }
  if (wantAssembly) {
    // Code generation changes the module, so the text comes from a copy.
    std::unique_ptr<Module> copy = CloneModule(*ir);
    if (!generate(*copy, *machine, CodeGenFileType::AssemblyFile, code.assembly, error))
      return false;
  }
  return generate(*ir, *machine, CodeGenFileType::ObjectFile, code.object, error);
}
