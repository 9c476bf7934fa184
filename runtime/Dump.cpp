//===- Dump.cpp - stages of kernels as files ------------------------------===//

#include "Dump.h"

#include "tritium/Support/Settings.h"

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace tritium;
namespace fs = std::filesystem;

bool runtime::dumpWanted() { return settings::KernelDump.isOn(); }
bool runtime::overrideWanted() { return settings::KernelOverride.isOn(); }

void runtime::dump(const std::string &hash, const CompiledKernel &kernel,
                   const std::string &metadata) {
  std::string directory = settings::directory(settings::DumpDirectory);
  if (directory.empty())
    return;
  std::error_code error;
  fs::path folder = fs::path(directory) / hash;
  fs::create_directories(folder, error);
  auto write = [&](const std::string &stage, const std::string &text) {
    std::ofstream(folder / (kernel.metadata.name + "." + stage), std::ios::binary) << text;
  };
  for (const auto &[stage, text] : kernel.stages)
    write(stage == "obj" ? "o" : stage == "asm" ? "s" : stage, text);
  write("json", metadata);
}

std::optional<runtime::Override> runtime::findOverride(const std::string &hash,
                                                       const std::string &kernel) {
  std::string directory = settings::directory(settings::OverrideDirectory);
  if (directory.empty())
    return std::nullopt;
  fs::path path = fs::path(directory) / hash / (kernel + ".ttir");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::nullopt;
  return Override{{std::istreambuf_iterator<char>(file), {}}, path.string()};
}
