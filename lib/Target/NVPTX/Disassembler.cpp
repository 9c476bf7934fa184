//===- Disassembler.cpp - running nvdisasm or cuobjdump -------------------===//

#include "tritium/Target/NVPTX/Disassembler.h"

#include "Tool.h"

#include "tritium/Support/Settings.h"

#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace tritium::nvptx {

std::optional<Disassembler> findDisassembler() {
  if (std::optional<Tool> found = findTool(settings::Nvdisasm, "nvdisasm"))
    return Disassembler{found->path, found->version, /*hasLines=*/true};
  if (std::optional<Tool> found = findTool(settings::Cuobjdump, "cuobjdump"))
    return Disassembler{found->path, found->version, /*hasLines=*/false};
  return std::nullopt;
}

std::optional<std::string> disassemble(const Disassembler &disassembler, const std::string &cubin,
                                       std::string &error) {
  TemporaryFile binary("cubin");
  if (!binary.exists() || !binary.write(cubin)) {
    error = "cannot write a temporary file for " + disassembler.path;
    return std::nullopt;
  }
  SmallVector<StringRef> arguments{disassembler.path};
  // Code alone, with lines and encodings, and without a search for targets of branches.
  if (disassembler.hasLines)
    arguments.append({"-g", "-c", "-hex", "-ndf"});
  else
    arguments.push_back("-sass");
  arguments.push_back(binary.path());
  std::string text, problems;
  int status = run(disassembler.path, arguments, text, &problems);
  if (status == 0 && !text.empty())
    return text;
  error = disassembler.path + " failed with status " + std::to_string(status) + ": " +
          StringRef(problems).trim().split('\n').first.str();
  return std::nullopt;
}

} // namespace tritium::nvptx
