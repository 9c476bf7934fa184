//===- HostSymbols.h - what compiled kernels may import ---------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BACKENDS_CPU_HOSTSYMBOLS_H
#define TRITIUM_RUNTIME_BACKENDS_CPU_HOSTSYMBOLS_H

#include <utility>
#include <vector>

namespace tritium::runtime {

/// Name and address of each function.
std::vector<std::pair<const char *, void *>> hostSymbols();

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_BACKENDS_CPU_HOSTSYMBOLS_H
