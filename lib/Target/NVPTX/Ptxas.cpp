//===- Ptxas.cpp - NVIDIA's assembler -------------------------------------===//

#include "tritium/Target/NVPTX/Ptxas.h"

#include "Tool.h"

#include "tritium/Support/Settings.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

std::optional<tritium::nvptx::Ptxas> tritium::nvptx::findPtxas() {
  std::optional<Tool> found = findTool(settings::PtxasPath, "ptxas");
  return found ? std::optional(Ptxas{found->path, found->version}) : std::nullopt;
}

bool tritium::nvptx::assemble(const Ptxas &ptxas, const std::string &ptx, const std::string &gpu,
                              const AssembleOptions &options, Assembled &result,
                              std::string &error) {
  result = Assembled();
  TemporaryFile source("ptx"), binary("cubin");
  if (!source.exists() || !binary.exists() || !source.write(ptx)) {
    error = "cannot write a temporary file for ptxas";
    return false;
  }
  std::string architecture = "--gpu-name=" + gpu;
  SmallVector<StringRef, 12> arguments = {ptxas.path, "-v", architecture};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  if (!options.fpFusion)
    arguments.push_back("--fmad=false");
  if (!options.optimize)
    arguments.push_back("--opt-level=0");
  for (const std::string &argument : options.extra)
    arguments.push_back(argument);
  arguments.append({source.path(), "-o", binary.path()});
  int status = run(ptxas.path, arguments, result.log);
  result.report = readPtxasLog(result.log);
  if (settings::DumpPtxasLog.isOn())
    errs() << result.log;
  if (status == 0)
    result.cubin = binary.read();
  if (!result.cubin.empty())
    return true;
  error = "ptxas " + ptxas.version + " (" + ptxas.path + ") failed with status " +
          std::to_string(status) + ": " + StringRef(result.log).trim().str();
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
