//===- Interpreter.cpp - parsing, caching and running a kernel ------------===//

#include "Builder.h"

#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <list>
#include <mutex>

using namespace mlir;

namespace tritium {

using namespace interpreter;

namespace {
std::shared_ptr<const Program> buildProgram(const std::string &ttir, std::string &error) {
  DialectRegistry registry;
  registry.insert<tt::TileDialect, ttg::TileGPUDialect, arith::ArithDialect, math::MathDialect,
                  scf::SCFDialect, cf::ControlFlowDialect, ub::UBDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && error.empty())
      error = Builder::siteOf(diagnostic.getLocation()).text + ": " + diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(ttir, ParserConfig(&context));
  if (!module) {
    error = error.empty() ? "the text is not a ttir module" : error;
    return nullptr;
  }
  SmallVector<tt::FuncOp> kernels;
  for (auto func : module->getOps<tt::FuncOp>()) {
    if (func.isExternal())
      continue;
    if (func.isKernel())
      kernels.push_back(func);
  }
  if (kernels.size() != 1) {
    error =
        "a ttir module has one kernel (a public function), found " + std::to_string(kernels.size());
    return nullptr;
  }
  auto program = std::make_shared<Program>();
  Builder builder(*program, error);
  builder.buildKernel(kernels.front());
  return error.empty() ? program : nullptr;
}

/// The programs of the last texts that were run, most recent first.
class ProgramCache {
public:
  std::shared_ptr<const Program> get(const std::string &ttir, std::string &error) {
    {
      std::lock_guard lock(mutex);
      for (auto it = entries.begin(); it != entries.end(); ++it)
        if (it->first == ttir) {
          entries.splice(entries.begin(), entries, it);
          return it->second;
        }
    }
    auto program = buildProgram(ttir, error);
    if (program) {
      std::lock_guard lock(mutex);
      entries.emplace_front(ttir, program);
      if (entries.size() > kCapacity)
        entries.pop_back();
    }
    return program;
  }

private:
  static constexpr size_t kCapacity = 32;
  std::mutex mutex;
  std::list<std::pair<std::string, std::shared_ptr<const Program>>> entries;
};
} // namespace

std::string interpret(const std::string &ttir, const std::vector<uint64_t> &args,
                      const uint32_t grid[3], const InterpreterOptions &options) {
  static ProgramCache cache;
  std::string error;
  auto program = cache.get(ttir, error);
  if (!program)
    return error;
  if (args.size() != program->parameters.size())
    return "kernel '" + program->kernel + "' takes " + std::to_string(program->parameters.size()) +
           " arguments, found " + std::to_string(args.size());

  Machine machine(*program, options, args);
  std::copy_n(grid, 3, machine.grid);
  for (const auto &[tile, values] : program->constants)
    if (values.size() == 1)
      std::fill_n(machine.at(tile), tile.count, values[0]);
    else
      std::copy(values.begin(), values.end(), machine.at(tile));

  for (uint32_t z = 0; z < grid[2]; ++z)
    for (uint32_t y = 0; y < grid[1]; ++y)
      for (uint32_t x = 0; x < grid[0]; ++x) {
        machine.pid[0] = x, machine.pid[1] = y, machine.pid[2] = z;
        for (size_t i = 0; i < args.size(); ++i) {
          Element element = program->parameters[i].element;
          *machine.at(program->arguments[i]) =
              args[i] & (element.isNarrow() ? 0xffffffffu : element.mask());
        }
        machine.stopped = false;
        program->body.run(machine);
        if (!machine.error.empty())
          return machine.error;
      }
  return "";
}

} // namespace tritium
