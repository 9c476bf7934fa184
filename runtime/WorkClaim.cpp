//===- WorkClaim.cpp - nobody does the same work twice at once ------------===//

#include "WorkClaim.h"

#include "tritium/Support/ForkGate.h"

#include <atomic>
#include <mutex>
#include <pthread.h>
#include <set>

using namespace tritium;
using namespace tritium::runtime;

namespace {

struct Claims {
  std::mutex mutex;
  std::set<std::pair<const void *, std::string>> held;
  std::atomic<uint32_t> released{0}; ///< changes with each release
};

/// Never destroyed: threads may compile while the process exits.
Claims *claims = new Claims;

[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { claims = new Claims; });

} // namespace

WorkClaim::WorkClaim(const void *owner, std::string what) : key(owner, std::move(what)) {
  while (true) {
    uint32_t seen;
    {
      std::lock_guard lock(claims->mutex);
      if (claims->held.insert(key).second)
        return;
      seen = claims->released.load();
    }
    OutsideForkGate outside;
    claims->released.wait(seen);
  }
}

WorkClaim::~WorkClaim() {
  {
    std::lock_guard lock(claims->mutex);
    claims->held.erase(key);
    claims->released.fetch_add(1);
  }
  claims->released.notify_all();
}
