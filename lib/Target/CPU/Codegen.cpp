//===- Codegen.cpp - LLVM-dialect module to CPU object code ---------------===//
//
// Translation to LLVM IR, a short pass list, and LLVM's code generator. The pass list is
// short because the lowering already emits register-sized vectors and blocked loops: what
// is left is cleaning up addresses, hoisting and redundant loads. Vectorisers and the
// unroller would triple the time and find nothing.
//
//===----------------------------------------------------------------------===//

#include "tritium/Target/CPU/Codegen.h"
#include "LLVMBackend.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace {

// The lowering emits clean loops with 64-bit indices, so induction variables need no
// widening: that pass took half of the time.
constexpr const char *kPasses =
    "function(early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),gvn,simplifycfg)";

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

} // namespace

bool tritium::cpu::emitObject(mlir::ModuleOp module, const TargetInfo &targetInfo, bool wantLLIR,
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
  target::collectErrors(context, error);
  std::unique_ptr<Module> ir = target::translate(module, context, error);
  if (!ir)
    return false;
  std::unique_ptr<TargetMachine> machine = createMachine(targetInfo, error);
  if (!machine)
    return false;
  ir->setTargetTriple(targetInfo.triple);
  ir->setDataLayout(machine->createDataLayout());
  setFunctionAttributes(*ir, targetInfo);
  if (!target::runPasses(*ir, *machine, kPasses, error))
    return false;

  if (wantLLIR) {
    raw_string_ostream stream(code.llir);
    ir->print(stream, nullptr);
  }
  if (wantAssembly) {
    // Code generation changes the module, so the text comes from a copy.
    std::unique_ptr<Module> copy = CloneModule(*ir);
    if (!target::generate(*copy, *machine, CodeGenFileType::AssemblyFile, code.assembly, error))
      return false;
  }
  return target::generate(*ir, *machine, CodeGenFileType::ObjectFile, code.object, error);
}
