//===- Ptxas.cpp - NVIDIA's assembler -------------------------------------===//

#include "tritium/Target/NVPTX/Ptxas.h"

#include "LateFile.h"
#include "Tool.h"

#include "tritium/Support/Settings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tritium::nvptx;

std::optional<tritium::nvptx::Ptxas> tritium::nvptx::findPtxas() {
  std::optional<Tool> found = findTool(settings::PtxasPath, "ptxas");
  return found ? std::optional(Ptxas{found->path, found->version}) : std::nullopt;
}

/// Of one run, but for the program and its files.
static std::vector<std::string> argumentsOf(const std::string &gpu,
                                            const AssembleOptions &options) {
  std::vector<std::string> arguments = {"-v", "--gpu-name=" + gpu};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  if (!options.fpFusion)
    arguments.push_back("--fmad=false");
  if (!options.optimize)
    arguments.push_back("--opt-level=0");
  llvm::append_range(arguments, options.extra);
  return arguments;
}

static SmallVector<StringRef, 12> commandLine(const Ptxas &ptxas, ArrayRef<std::string> arguments,
                                              StringRef source, StringRef binary) {
  SmallVector<StringRef, 12> line = {ptxas.path};
  llvm::append_range(line, arguments);
  line.append({source, "-o", binary});
  return line;
}

/// Whether ptxas itself says that it does not take the text, which it has read from the beginning:
/// not that it is no PTX ("; fatal : Missing .version"), or not to be opened, nor what a program in
/// its place may say of a pipe.
static bool refuses(StringRef log) {
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  return any_of(lines,
                [](StringRef line) {
                  return line.starts_with("ptxas error") ||
                         (line.starts_with("ptxas ") && line.contains("; error"));
                }) ||
         any_of(readPtxasLog(log).advice, [](const PtxasAdvice &each) { return each.isFatal; });
}

namespace {

class StartedPtxas final : public WaitingPtxas {
public:
  StartedPtxas(const Ptxas &ptxas, std::vector<std::string> given)
      : path(ptxas.path), arguments(std::move(given)), source("ptx"), binary("cubin") {
    if (source.exists() && binary.exists())
      tool.emplace(ptxas.path, commandLine(ptxas, arguments, source.path(), binary.path()),
                   /*isApart=*/false, source.input());
  }

  bool isStarted() const { return tool.has_value(); }

  bool isFor(const Ptxas &ptxas, const std::string &gpu,
             const AssembleOptions &options) const override {
    return ptxas.path == path && argumentsOf(gpu, options) == arguments;
  }

  std::optional<int> assemble(const std::string &ptx, Assembled &result) override {
    if (!source.write(ptx, [&] { return tool->hasEnded(); }))
      return std::nullopt;
    int status = tool->wait(result.log);
    if (status == 0)
      result.cubin = binary.read();
    bool isDone = status == 0 ? !result.cubin.empty() : status > 0 && refuses(result.log);
    return isDone ? std::optional(status) : std::nullopt;
  }

private:
  std::string path;
  std::vector<std::string> arguments;
  LateFile source;
  TemporaryFile binary;
  std::optional<RunningTool> tool;
};

} // namespace

std::unique_ptr<WaitingPtxas> WaitingPtxas::start(const Ptxas &ptxas, const std::string &gpu,
                                                  const AssembleOptions &options) {
  auto started = std::make_unique<StartedPtxas>(ptxas, argumentsOf(gpu, options));
  return started->isStarted() ? std::move(started) : nullptr;
}

/// Fills `result` but for the report; returns the status.
static int runOnce(const Ptxas &ptxas, const std::string &ptx, ArrayRef<std::string> arguments,
                   Assembled &result) {
  TemporaryFile source("ptx"), binary("cubin");
  if (!source.exists() || !binary.exists() || !source.write(ptx)) {
    result.log = "cannot write a temporary file";
    return -1;
  }
  int status =
      run(ptxas.path, commandLine(ptxas, arguments, source.path(), binary.path()), result.log);
  if (status == 0)
    result.cubin = binary.read();
  return status;
}

bool tritium::nvptx::assemble(const Ptxas &ptxas, const std::string &ptx, const std::string &gpu,
                              const AssembleOptions &options, Assembled &result, std::string &error,
                              std::unique_ptr<WaitingPtxas> waiting) {
  result = Assembled();
  std::optional<int> status;
  if (waiting && waiting->isFor(ptxas, gpu, options))
    status = waiting->assemble(ptx, result);
  waiting.reset();
  if (!status)
    status = runOnce(ptxas, ptx, argumentsOf(gpu, options), result);
  result.report = readPtxasLog(result.log);
  if (settings::DumpPtxasLog.isOn())
    errs() << result.log;
  if (!result.cubin.empty())
    return true;
  error = "ptxas " + ptxas.version + " (" + ptxas.path + ") failed with status " +
          std::to_string(*status) + ": " + StringRef(result.log).trim().str();
  return false;
}

unsigned tritium::nvptx::registersOf(const std::string &ptx, const std::string &target,
                                     const std::string &entry, unsigned architecture,
                                     std::string &reason) {
  std::string gpu = "sm_" + std::to_string(architecture);
  StringRef number = target;
  unsigned least = 0;
  if (!number.consume_front("sm_") || number.consumeInteger(10, least)) {
    reason = "'" + target + "' names no GPU";
    return 0;
  }
  // A letter (sm_90a) stands for features of that architecture alone.
  if (least > architecture || (!number.empty() && least != architecture)) {
    reason = "the PTX is for " + target + ", which " + gpu + " does not run";
    return 0;
  }
  auto ptxas = findPtxas();
  if (!ptxas) {
    reason = "there is no ptxas";
    return 0;
  }
  AssembleOptions options;
  options.lineInfo = false;
  options.extra = {"--entry", entry};
  Assembled assembled;
  if (!assemble(*ptxas, ptx, number.empty() ? gpu : target, options, assembled, reason)) {
    reason = StringRef(reason).split('\n').first.str();
    return 0;
  }
  if (!assembled.report.registers)
    reason = "ptxas " + ptxas->version + " does not say how many registers '" + entry + "' takes";
  return assembled.report.registers;
}
