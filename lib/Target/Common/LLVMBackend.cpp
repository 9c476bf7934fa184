//===- LLVMBackend.cpp - what all targets do with LLVM --------------------===//

#include "LLVMBackend.h"

#include "tritium/Support/Settings.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/ModuleSummaryIndex.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {
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

/// A pass manager that takes all passes but some.
struct SelectedPasses : legacy::PassManager {
  explicit SelectedPasses(ArrayRef<StringRef> leftOut) : leftOut(leftOut) {}
  void add(Pass *pass) override {
    const PassInfo *info = PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
    if (info && is_contained(leftOut, info->getPassArgument()))
      delete pass;
    else
      legacy::PassManager::add(pass);
  }
  ArrayRef<StringRef> leftOut;
};
} // namespace

void tritium::target::collectErrors(LLVMContext &context, std::string &error) {
  context.setDiagnosticHandler(std::make_unique<CollectErrors>(error));
}

std::unique_ptr<Module> tritium::target::parse(const std::string &text, LLVMContext &context,
                                               std::string &error) {
  // LLVM's other readers end the process where text that parses is not valid; this one has no
  // form for text in memory.
  SmallString<128> path;
  int file;
  if (std::error_code code = sys::fs::createTemporaryFile("tritium", "ll", file, path)) {
    error = "cannot write a temporary file: " + code.message();
    return nullptr;
  }
  FileRemover remover(path);
  {
    raw_fd_ostream out(file, /*shouldClose=*/true);
    out << text;
    out.flush();
    if (out.has_error()) {
      error = "cannot write " + path.str().str() + ": " + out.error().message();
      out.clear_error();
      return nullptr;
    }
  }
  SMDiagnostic found;
  std::unique_ptr<Module> ir =
      parseAssemblyFileWithIndexNoUpgradeDebugInfo(
          path, found, context, nullptr,
          [](StringRef, StringRef) -> std::optional<std::string> { return std::nullopt; })
          .Mod;
  raw_string_ostream stream(error);
  if (!ir)
    stream << "llir:" << found.getLineNo() << ":" << found.getColumnNo() + 1
           << ": error: " << found.getMessage() << "\n"
           << found.getLineContents() << "\n";
  else if (verifyModule(*ir, &stream))
    ir = nullptr;
  return ir;
}

std::unique_ptr<Module> tritium::target::translate(mlir::ModuleOp module, LLVMContext &context,
                                                   std::string &error) {
  std::unique_ptr<Module> ir =
      mlir::translateModuleToLLVMIR(module, context, "kernel",
                                    /*disableVerification=*/!settings::Verify.isOn());
  if (!ir && error.empty())
    error = "translation to LLVM IR failed";
  return ir;
}

bool tritium::target::runPasses(Module &module, TargetMachine &machine, const char *pipeline,
                                std::string &error) {
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
  if (Error failed = builder.parsePassPipeline(passes, pipeline)) {
    error = toString(std::move(failed));
    return false;
  }
  passes.run(module, modules);
  return true;
}

bool tritium::target::generate(Module &module, TargetMachine &machine, CodeGenFileType type,
                               std::string &out, std::string &error, ArrayRef<StringRef> leftOut) {
  SmallVector<char, 0> buffer;
  raw_svector_ostream stream(buffer);
  SelectedPasses passes(leftOut);
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type,
                                  /*DisableVerify=*/!settings::Verify.isOn())) {
    error = "the target cannot emit this kind of file";
    return false;
  }
  passes.run(module);
  out.assign(buffer.begin(), buffer.end());
  return error.empty();
}
