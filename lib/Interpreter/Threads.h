//===- Threads.h - who accesses what, and what orders it --------*- C++ -*-===//
//
// A program with layouts has threads: a layout says which of them holds an element. Nothing
// runs them one by one; each operation is done for all, and a history keeps, for each few bytes
// of memory, who has written them last and who has read them since. Two accesses of different
// threads, one of them a write, must have a barrier between, or whatever else orders them.
//
// Actors are what runs at its own pace: the program, or each of its warp groups. An actor's
// clock goes on with each of its operations. `seen` says up to which time an actor knows what the
// others have done; arrivals and waits hand such knowledge over (a vector clock an actor, not a
// thread: threads of an actor are ordered by its barriers alone).
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_INTERPRETER_THREADS_H
#define TRITIUM_LIB_INTERPRETER_THREADS_H

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tritium::interpreter {

/// Where an access or assertion stands in the user's source.
struct Site {
  std::string file;
  int line = 0, column = 0;
  std::string text; ///< "file:line:column", with the call chain
};

/// A thread of an actor: lane + 32 * warp, or that several have done it.
using Thread = uint16_t;
inline constexpr Thread kSeveral = 0xfff;
inline constexpr Thread kLanes = 32; ///< of a warp

/// The threads that have an element of a tile: all of them read it, the first writes it.
struct Holders {
  std::vector<Thread> writer, readers; ///< of each element
};

/// An operation's accesses, as reports name them.
struct AccessName {
  std::string operation;
  std::vector<int64_t> shape; ///< of the tile; nothing: a scalar
  Site site;
};

/// An access that has been made. Clock 0: none.
struct Stamp {
  uint64_t clock : 40 = 0;
  uint64_t thread : 12 = 0;
  uint64_t actor : 12 = 0;
  uint32_t name = 0;   ///< of the program's access names
  uint32_t atomic = 0; ///< not 0: atomics with the same number may come in any order
};

/// What has been done to each granule of an address space.
class History {
public:
  History(unsigned granule, unsigned actors) : granule(granule), stamps(1 + actors) {}
  /// The last write, and then an actor's last read.
  Stamp *at(uint64_t address);
  void clear();
  const unsigned granule;

private:
  static constexpr uint64_t kPage = 512, kRecent = 16;
  const unsigned stamps;
  std::unordered_map<uint64_t, std::unique_ptr<Stamp[]>> pages;
  std::vector<std::unique_ptr<Stamp[]>> spare;
  std::array<std::pair<uint64_t, Stamp *>, kRecent> recent = {};
};

/// Up to which time of each actor something is known.
using Clocks = std::vector<uint64_t>;

class Order {
public:
  Order(unsigned actors, unsigned sharedGranule, unsigned globalGranule)
      : shared(sharedGranule, actors), global(globalGranule, actors), actors(actors) {}

  /// A program begins: nothing has been accessed.
  void begin();
  /// The next operation of the running actor begins; its own accesses are in any order.
  void nextOperation() { ++actors[running].clock; }
  /// All threads of the running actor have come.
  void barrier() { actors[running].lastBarrier = ++actors[running].clock; }
  /// The lanes of each warp of the running actor have come.
  void meetInWarps() { actors[running].lastMeeting = ++actors[running].clock; }
  /// What the running actor has written is there for the asynchronous proxy.
  void fence() { actors[running].fences.push_back(++actors[running].clock); }
  /// What the running actor has done and knows is known to whoever acquires `clocks`.
  void release(Clocks &clocks);
  void acquire(const Clocks &clocks);
  uint64_t now() const { return actors[running].clock; }

  /// The accesses of [address, address + bytes) by `thread` of the running actor are added. What
  /// one of them is in no order with; none: all is well.
  std::optional<Stamp> read(History &history, uint64_t address, unsigned bytes, Stamp access);
  std::optional<Stamp> write(History &history, uint64_t address, unsigned bytes, Stamp access);
  /// A write of an actor that has no operations of its own.
  void writeAs(unsigned actor, uint64_t clock, History &history, uint64_t address, unsigned bytes,
               Stamp access);
  /// The last write there if no fence of its actor stands between it and the running one.
  std::optional<Stamp> unfencedWrite(History &history, uint64_t address);
  /// Only looks whether a write would be in order.
  std::optional<Stamp> wouldRace(History &history, uint64_t address, unsigned bytes, Thread thread);

  History shared, global;
  unsigned running = 0; ///< an actor

private:
  struct Actor {
    uint64_t clock = 1, lastBarrier = 1, lastMeeting = 1;
    Clocks seen;
    std::vector<uint64_t> fences; ///< when, ascending
  };
  bool isBefore(const Stamp &stamp, Thread thread) const;
  void fill(Stamp &stamp) const;
  std::vector<Actor> actors;
};

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_THREADS_H
