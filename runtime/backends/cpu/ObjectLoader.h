//===- ObjectLoader.h - object code to a callable entry ---------*- C++ -*-===//
//
// Links a kernel's relocatable object into the process. One linker session serves all
// kernels; each kernel has a symbol table of its own, so that names never clash and a
// kernel can be unloaded alone. What kernels import (memory and math functions,
// soft-float helpers) is registered by address: nothing depends on what the host
// process happens to export.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_BACKENDS_CPU_OBJECTLOADER_H
#define TRITIUM_RUNTIME_BACKENDS_CPU_OBJECTLOADER_H

#include "tritium/Kernel/LaunchABI.h"

#include <memory>
#include <string>

namespace tritium::runtime {

/// A kernel's code in memory. Unloaded with its last reference.
class LoadedObject {
public:
  virtual ~LoadedObject() = default;
  TritiumCPUEntry entry = nullptr;
};

/// Links `object` (ELF) and looks `entry` up. On failure fills `error`, returns null.
/// Thread-safe.
std::shared_ptr<LoadedObject> loadObject(const std::string &object, const std::string &entry,
                                         std::string &error);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_BACKENDS_CPU_OBJECTLOADER_H
