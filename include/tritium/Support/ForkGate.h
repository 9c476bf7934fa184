//===- ForkGate.h - forks that leave the child working ----------*- C++ -*-===//
//
// Only the forking thread lives on in a child. A lock that another one held, ours or LLVM's,
// would stay locked there for ever. So whoever compiles, or takes a lock of an object that
// outlives a launch, is inside the gate, and a fork waits until nobody is. Calls of the host
// (its names, its hooks, its printer) leave the gate: the forking thread may hold what they
// need, as the interpreter lock of Python. What such a thread was at in the middle of is
// lost to the child, which claims the work anew (WorkClaim.h).
//
// Running programs are not inside: they hold no such lock, and a fork does not wait for them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SUPPORT_FORKGATE_H
#define TRITIUM_SUPPORT_FORKGATE_H

#include <mutex>

namespace tritium {

/// The calling thread is inside the gate while this lives. Nests. Waits for a fork in progress.
class InsideForkGate {
public:
  InsideForkGate();
  ~InsideForkGate();
  InsideForkGate(const InsideForkGate &) = delete;
  InsideForkGate &operator=(const InsideForkGate &) = delete;
};

/// The calling thread is inside the gate while this lives, and again at its end, while what the
/// compiler has kept for it goes. MLIR keeps caches of threads, which are taken off their contexts
/// then, under the contexts' locks.
class InsideForkGateToCompile {
public:
  InsideForkGateToCompile();
  ~InsideForkGateToCompile();

private:
  InsideForkGate inside;
};

/// The calling thread is outside the gate while this lives, however often it has entered.
class OutsideForkGate {
public:
  OutsideForkGate();
  ~OutsideForkGate();
  OutsideForkGate(const OutsideForkGate &) = delete;
  OutsideForkGate &operator=(const OutsideForkGate &) = delete;

private:
  unsigned entered;
};

/// Holds a mutex, inside the gate.
template <typename Mutex> class ForkSafeLock {
public:
  explicit ForkSafeLock(Mutex &mutex) : lock(mutex) {}

private:
  InsideForkGate inside;
  std::lock_guard<Mutex> lock;
};

} // namespace tritium

#endif // TRITIUM_SUPPORT_FORKGATE_H
