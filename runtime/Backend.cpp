//===- Backend.cpp - the machines that there are --------------------------===//

#include "Backend.h"
#include "Signature.h"

#include <array>
#include <atomic>
#include <mutex>

using namespace tritium;
using namespace tritium::runtime;

// Each back end that is built in, in the order of runtime/CMakeLists.txt.
#define TRITIUM_BACKEND(name)                                                                      \
  namespace tritium::runtime::name {                                                               \
  const Backend &backend();                                                                        \
  }
#include "Backends.inc"
#undef TRITIUM_BACKEND

namespace {

class Registry {
public:
  Registry() {
#define TRITIUM_BACKEND(name) add(tritium::runtime::name::backend());
#include "Backends.inc"
#undef TRITIUM_BACKEND
  }

  void add(const Backend &backend) {
    addTargetKind(backend.kind);
    std::lock_guard lock(mutex);
    backends.push_back(&backend);
    if (backend.hasDevices())
      withMemory[backend.memory()] = &backend;
  }

  std::vector<const Backend *> all() {
    std::lock_guard lock(mutex);
    return backends;
  }

  /// Launches ask for it: no lock.
  const Backend *ofMemory(uint8_t memory) const {
    return withMemory[memory].load(std::memory_order_acquire);
  }

private:
  std::mutex mutex;
  std::vector<const Backend *> backends;
  std::array<std::atomic<const Backend *>, 256> withMemory = {};
};

Registry &registry() {
  static Registry all;
  return all;
}

} // namespace

void tritium::runtime::addBackend(const Backend &backend) { registry().add(backend); }

const Backend *tritium::runtime::findBackend(const TargetKind &kind) {
  for (const Backend *backend : registry().all())
    if (&backend->kind == &kind)
      return backend;
  return nullptr;
}

const Backend *tritium::runtime::backendThatCounts(const Target &target) {
  for (const Backend *backend : registry().all())
    if (backend->counts(target))
      return backend;
  return nullptr;
}

bool Backend::count(const CountRequest &request, llvm::json::Object &, CompileError &error) const {
  error = launchError("OptionError", "kernel '" + request.compiled.metadata.name +
                                         "': what it does on " + kind.name + " cannot be counted");
  return false;
}

const Backend *tritium::runtime::backendOfMemory(uint8_t memory) {
  return registry().ofMemory(memory);
}

const Backend *tritium::runtime::backendNamed(const std::string &name, Target &target,
                                              CompileError &error) {
  size_t colon = std::min(name.find(':'), name.size());
  std::string detail = colon < name.size() ? name.substr(colon + 1) : "", known;
  for (const Backend *backend : registry().all()) {
    known += (known.empty() ? "" : ", ") + backend->names();
    // A colon announces something.
    if (name.substr(0, colon) != backend->kind.name || colon + 1 == name.size())
      continue;
    if (std::optional<Target> named = backend->targetNamed(detail)) {
      target = *named;
      return backend;
    }
  }
  error = launchError("OptionError",
                      "TRITIUM_BACKEND=" + name + ": no such back end; there are: " + known);
  return nullptr;
}

DeviceMemory *tritium::runtime::deviceAt(uint8_t memory, int ordinal, const std::string &kernel,
                                         CompileError &error) {
  if (memory == TRITIUM_HOST_MEMORY)
    return nullptr;
  if (const Backend *backend = backendOfMemory(memory)) [[likely]]
    return backend->device(ordinal, kernel, error);
  error = launchError("ArgumentError",
                      "kernel '" + kernel + "': an array is in memory that no back end has");
  return nullptr;
}

//===-- What a back end need not have -------------------------------------===//

std::string Backend::whyNoStage(const std::string &name) const {
  std::string known;
  for (const char *stage : stages())
    known += (known.empty() ? "" : ", ") + std::string(stage);
  return "no stage '" + name + "'; there are: " + known;
}

std::optional<Target> Backend::targetNamed(const std::string &detail) const {
  return detail.empty() ? std::optional(Target(kind)) : std::nullopt;
}

DeviceMemory *Backend::device(int, const std::string &, CompileError &error) const {
  error =
      launchError("InternalError", std::string("the back end '") + kind.name + "' has no devices");
  return nullptr;
}
