//===- ChildProcess.h - work on a copy of this process's memory -*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CHILDPROCESS_H
#define TRITIUM_RUNTIME_CHILDPROCESS_H

#include <functional>
#include <optional>
#include <string>

namespace tritium::runtime {

/// Runs `work` in a forked child and returns what it returned: whatever it writes is the child's,
/// but for memory that processes share. The child has no thread but the one that works, asks the
/// host nothing (Interrupt.h), and ends with the calling thread. Nothing, with `why`, if there is
/// no child, if it ends early, or if the caller is interrupted.
std::optional<std::string> inChildProcess(const std::function<std::string()> &work,
                                          std::string &why);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_CHILDPROCESS_H
