//===- WorkClaim.h - nobody does the same work twice at once ----*- C++ -*-===//
//
// Work that takes long, such as a compilation, is done under no lock. The thread that does it
// claims it; others that need its result wait, look for it, and do the work themselves if it
// has failed. A forked child starts without the claims of threads that it does not have.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_WORKCLAIM_H
#define TRITIUM_RUNTIME_WORKCLAIM_H

#include <string>
#include <utility>

namespace tritium::runtime {

class WorkClaim {
public:
  /// Waits until no other thread has claimed this work: `what`, a name or a key, at `owner`.
  /// Waits outside the fork gate.
  WorkClaim(const void *owner, std::string what);
  ~WorkClaim();
  WorkClaim(const WorkClaim &) = delete;
  WorkClaim &operator=(const WorkClaim &) = delete;

private:
  std::pair<const void *, std::string> key;
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_WORKCLAIM_H
