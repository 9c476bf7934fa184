//===- ConstantContent.cpp - what a constant table holds ------------------===//

#include "ConstantContent.h"
#include "Backend.h"

#include "tritium/Support/ForkGate.h"

using namespace tritium;
using namespace tritium::runtime;

ConstantContent::~ConstantContent() {
  for (auto [device, address] : copies)
    device->free(address);
}

bool ConstantContent::addressOn(DeviceMemory &device, const std::string &kernel, uint64_t &address,
                                CompileError &error) {
  ForkSafeLock lock(mutex);
  uint64_t &copy = copies[&device];
  if (!copy)
    copy = device.allocate(bytes,
                           "kernel '" + kernel + "': a constant table of " +
                               std::to_string(bytes.size()) + " bytes cannot be copied to the GPU",
                           error);
  address = copy;
  if (!copy)
    copies.erase(&device);
  return address != 0;
}
