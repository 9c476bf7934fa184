//===- TargetCompiler.cpp - the targets that there are --------------------===//

#include "TargetCompiler.h"

#include <mutex>

using namespace mlir;

namespace tritium {

//===-- The table ---------------------------------------------------------===//

namespace {

struct Table {
  std::mutex mutex;
  std::vector<const TargetCompiler *> all{&cpuCompiler(), &interpreterCompiler(), &cudaCompiler(),
                                          &simulatorCompiler()};

  static Table &get() {
    static Table table;
    return table;
  }
};

} // namespace

void addTargetCompiler(const TargetCompiler &compiler) {
  addTargetKind(compiler.kind);
  Table &table = Table::get();
  std::lock_guard lock(table.mutex);
  table.all.push_back(&compiler);
}

const TargetCompiler *findTargetCompiler(const TargetKind &kind) {
  Table &table = Table::get();
  std::lock_guard lock(table.mutex);
  for (const TargetCompiler *compiler : table.all)
    if (&compiler->kind == &kind)
      return compiler;
  return nullptr;
}

const TargetCompiler *targetCompiler(const Target &target, CompileError &error) {
  if (const TargetCompiler *found = findTargetCompiler(target.kind()))
    return found;
  std::string known;
  for (const TargetKind *kind : targetKinds())
    if (findTargetCompiler(*kind))
      known += (known.empty() ? "" : ", ") + std::string(kind->spelling);
  refuse(error, "nothing compiles for the target " + target.str() + "; there are: " + known);
  return nullptr;
}

//===-- What a kind need not have -----------------------------------------===//

bool refuse(CompileError &error, std::string message) {
  error.kind = "CompilationError";
  error.rendered = error.message = std::move(message);
  return false;
}

bool TargetCompiler::fromTileGPU(Session &, ModuleOp, const CompileOptions &, CompiledKernel &,
                                 CompileError &error) const {
  return refuse(error, "tile IR with layouts (.ttgir) is for a GPU: name one as the target "
                       "(cuda:80), or go on from tile IR (.ttir)");
}

bool TargetCompiler::fromLLVMDialect(Session &, ModuleOp, const CompileOptions &, CompiledKernel &,
                                     CompileError &error) const {
  return refuse(error,
                "a module in the LLVM dialect is for a GPU: name one as the target (cuda:80)");
}

bool TargetCompiler::fromText(Session &, const std::string &stage, const std::string &,
                              const CompileOptions &options, CompiledKernel &kernel,
                              CompileError &error) const {
  return refuse(error, "kernel '" + kernel.metadata.name + "': its text is " + stage +
                           ", from which nothing goes on for the target " + options.target.str());
}

} // namespace tritium
