//===- Samples.h - compiled kernels to test with ----------------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_RUNTIME_SAMPLES_H
#define TRITIUM_UNITTESTS_RUNTIME_SAMPLES_H

#include "Dependencies.h"

#include <cstdlib>
#include <filesystem>

namespace tritium::runtime::samples {

/// A kernel with something in every field.
inline CompiledKernel kernel() {
  CompiledKernel kernel;
  kernel.metadata = {"add", "add_entry", Target::cpu("haswell"), "haswell", {}, 4096, true};
  kernel.metadata.parameters.push_back({"x", {DTypeKind::Float32, 1, true}, false, true, 4096, 16});
  kernel.metadata.parameters.push_back({"n", {DTypeKind::Int32, 0, false}, false, false});
  kernel.metadata.asserts.push_back({"m", "k.py", 5, AssertSite::Float, {4, 8}});
  TensorMapParameter &map = kernel.metadata.tensorMaps.emplace_back();
  map.elementBytes = 2;
  map.swizzle = 128;
  map.box = {64, 32};
  map.start = {{ScalarStep::Constant, 32, 8}};
  map.shape = {{{ScalarStep::Argument, 32, 1}}, {{ScalarStep::Constant, 64, 5}}};
  map.strides = {{{ScalarStep::Argument, 64, 1}}};
  kernel.metadata.conditions = {{{ScalarStep::Argument, 32, 1}}};
  kernel.metadata.copies = {{"k.py:4:9", {0}, {0}}};
  kernel.stages = {{"ttir", "module {}"}, {"obj", std::string("\0ELF\xff", 5)}};
  kernel.remarks.push_back({"vectorize", "missed", "masked", "k.py", 3, 7, {{"width", "16"}}});
  kernel.printed = "hello\n";
  return kernel;
}

/// A scope of constants.
struct Constants : frontend::Scope {
  std::map<std::string, frontend::External, std::less<>> names;
  int lookups = 0;
  std::optional<frontend::External> lookup(std::string_view name) override {
    ++lookups;
    auto found = names.find(name);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  }
};

inline frontend::External integer(int value) {
  return {Constant{static_cast<Constant::Int>(value)}};
}

/// A folder that goes with the object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    char pattern[] = "/tmp/tritium-test-XXXXXX";
    folder = mkdtemp(pattern);
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(folder, error);
  }
  std::string path() const { return folder; }

private:
  std::string folder;
};

} // namespace tritium::runtime::samples

#endif // TRITIUM_UNITTESTS_RUNTIME_SAMPLES_H
