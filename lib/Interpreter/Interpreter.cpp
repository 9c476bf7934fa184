//===- Interpreter.cpp - parsing, caching and running a kernel ------------===//

#include "Builder.h"
#include "Clusters.h"

#include "tritium/Dialect/Debug/IR/Debug.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Support/SingleThreadedContext.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <list>
#include <mutex>

using namespace mlir;

namespace tritium {

using namespace interpreter;

namespace {
using Programs = std::vector<std::shared_ptr<const Program>>;

Programs buildPrograms(const std::string &text, std::string &error) {
  DialectRegistry registry;
  registry.insert<tt::TileDialect, ttg::TileGPUDialect, ttng::TileNVGPUDialect, gpu::GPUDialect,
                  arith::ArithDialect, math::MathDialect, scf::SCFDialect, cf::ControlFlowDialect,
                  ub::UBDialect, dbg::DebugDialect>();
  SingleThreadedContext context(registry);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && error.empty())
      error = Builder::siteOf(diagnostic.getLocation()).text + ": " + diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  if (!module) {
    error = error.empty() ? "the text is not a ttir module" : error;
    return {};
  }
  Programs programs;
  for (auto func : module->getOps<tt::FuncOp>()) {
    if (func.isExternal() || !func.isKernel())
      continue;
    auto program = std::make_shared<Program>();
    Builder(*program, error).buildKernel(func);
    if (!error.empty())
      return {};
    programs.push_back(std::move(program));
  }
  return programs;
}

std::shared_ptr<const Program> buildProgram(const std::string &ttir, std::string &error) {
  Programs programs = buildPrograms(ttir, error);
  if (error.empty() && programs.size() != 1)
    error = "a ttir module has one kernel (a public function), found " +
            std::to_string(programs.size());
  return error.empty() ? programs.front() : nullptr;
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

std::shared_ptr<const Program> loadProgram(const std::string &ttir, std::string &error) {
  static ProgramCache cache;
  return cache.get(ttir, error);
}

std::vector<std::shared_ptr<const Program>> loadPrograms(const std::string &text,
                                                         std::string &error) {
  return buildPrograms(text, error);
}

/// Of the CTAs of a program.
using Machines = std::vector<std::unique_ptr<Machine>>;

static std::unique_ptr<Machine> makeMachine(const Program &program,
                                            const std::vector<uint64_t> &args,
                                            const uint32_t grid[3],
                                            const InterpreterOptions &options) {
  auto machine = std::make_unique<Machine>(program, options, args);
  std::copy_n(grid, 3, machine->grid);
  for (const auto &[tile, values] : program.constants)
    if (values.size() == 1)
      std::fill_n(machine->at(tile), tile.count, values[0]);
    else
      std::copy(values.begin(), values.end(), machine->at(tile));
  return machine;
}

static void beginProgram(Machine &machine, uint64_t number) {
  const Program &program = machine.program;
  for (int axis = 0; axis < 3; ++axis) {
    uint32_t extent = program.isPersistent && axis == 0 ? kMostCTAs : machine.grid[axis];
    machine.pid[axis] = static_cast<uint32_t>(number % extent);
    number /= extent;
  }
  for (size_t i = 0; i < machine.args.size(); ++i) {
    Element element = program.parameters[i].element;
    *machine.at(program.arguments[i]) =
        machine.args[i] & (element.isNarrow() ? 0xffffffffu : element.mask());
  }
  machine.stopped = false;
  if (machine.cta)
    machine.cta->begin();
}

std::string interpret(const Program &program, const std::vector<uint64_t> &args,
                      const uint32_t grid[3], const InterpreterOptions &options,
                      const std::function<bool(int64_t &number)> &next) {
  if (args.size() != program.parameters.size())
    return "kernel '" + program.kernel + "' takes " + std::to_string(program.parameters.size()) +
           " arguments, found " + std::to_string(args.size());

  Machines machines;
  for (unsigned rank = 0; rank < program.ctas; ++rank)
    machines.push_back(makeMachine(program, args, grid, options));
  std::optional<Cluster> cluster;
  if (program.ctas > 1)
    cluster.emplace(machines);
  Machine &machine = *machines.front();
  for (int64_t number; !machine.ended && next(number);) {
    if (program.isPersistent && number >= ctasFor(grid))
      continue;
    for (auto &each : machines)
      beginProgram(*each, static_cast<uint64_t>(number));
    if (!cluster)
      program.body.run(machine);
    else if (!cluster->run())
      return "kernel '" + program.kernel + "': the system has no threads for the " +
             std::to_string(program.ctas) + " CTAs of a program";
    std::string error;
    for (auto &each : machines) {
      if (each->cta)
        each->cta->end(*each);
      each->lines.clear();
      error = error.empty() ? each->error : error;
      machine.ended |= each->ended;
    }
    if (options.debugger)
      options.debugger->programEnded();
    if (!error.empty())
      return error;
    machine.attend();
  }
  return "";
}

std::string interpret(const std::string &ttir, const std::vector<uint64_t> &args,
                      const uint32_t grid[3], const InterpreterOptions &options) {
  std::string error;
  auto program = loadProgram(ttir, error);
  if (!program)
    return error;
  return interpret(*program, args, grid, options);
}

std::string interpret(const Program &program, const std::vector<uint64_t> &args,
                      const uint32_t grid[3], const InterpreterOptions &options) {
  int64_t following = 0, programs = int64_t(grid[0]) * grid[1] * grid[2];
  return interpret(program, args, grid, options, [&](int64_t &number) {
    number = following++;
    return number < programs;
  });
}

} // namespace tritium
