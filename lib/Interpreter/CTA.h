//===- CTA.h - the threads of a program, and the memory they share -*- C++ -*-===//
//
// Programs with layouts only. Shared memory are bytes, and a buffer is the number of its first
// one. What is copied there asynchronously arrives as late as it may: when a wait asks for it.
// Until then the elements are on their way, and whoever accesses them has forgotten a wait.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_INTERPRETER_CTA_H
#define TRITIUM_LIB_INTERPRETER_CTA_H

#include "Barriers.h"
#include "Groups.h"

#include <deque>

namespace tritium::interpreter {

/// How an operation accesses a tile: who, and what reports call it.
struct TileAccess {
  std::shared_ptr<const Holders> holders; ///< null: no thread in particular
  uint32_t name = 0;

  Stamp reader(int64_t element) const { return by(holders->readers[element]); }
  Stamp writer(int64_t element) const { return by(holders->writer[element]); }

private:
  Stamp by(Thread thread) const {
    Stamp stamp;
    stamp.thread = thread;
    stamp.name = name;
    return stamp;
  }
};

/// An access of a tile in shared memory, as an operation makes it.
struct SharedAccess : TileAccess {
  Tile memory;                   ///< the buffer's first byte
  std::vector<uint32_t> offsets; ///< of each element from there
  Element element;

  /// The tile in `slots` from and to memory. The machine has stopped if it must not be.
  void load(Machine &m, Slot *slots) const;
  void store(Machine &m, const Slot *slots) const;
  Slot read(const Machine &m, uint64_t address) const;
  void write(Machine &m, uint64_t address, Slot slot) const;
  uint64_t base(Machine &m) const { return *m.at(memory); }
};

/// An operation that copies asynchronously.
struct AsyncCopy {
  SharedAccess to;
  /// The element that has come from `source`, which was issued at the actor's time `issued`.
  std::function<Slot(Machine &, int64_t element, uint64_t source, uint64_t issued)> fetch;
};

/// What it has started.
struct CopyOnItsWay {
  std::shared_ptr<const AsyncCopy> copy;
  uint64_t destination = 0;      ///< the first byte
  std::vector<uint64_t> sources; ///< address of each element; 0: it becomes 0
  uint64_t issued = 0;           ///< when, for the actor
};

class CTA {
public:
  explicit CTA(const Program &program);
  /// A program begins.
  void begin();

  /// Starts a copy; commits those that have been started; lets all but the latest `pending`
  /// groups arrive.
  void start(Machine &m, CopyOnItsWay copy);
  void commit();
  void await(Machine &m, size_t pending);

  /// Groups run from here on, and are over.
  void runGroups(Machine &m, const std::vector<GroupCode> &groups, const Site &site);
  /// The running group, of `mine` warps, comes to barrier `id`, where `warps` do; and waits.
  void arriveNamed(Machine &m, int32_t id, int32_t warps, int32_t mine, const Site &site);
  void syncNamed(Machine &m, int32_t id, int32_t warps, int32_t mine, const Site &site);

  /// A barrier in memory; null if there is none, and the machine has stopped. `thread` uses it.
  MBarrier *barrierAt(Machine &m, const SharedAccess &access, Thread thread);
  void initBarrier(Machine &m, const SharedAccess &access, int32_t count);
  void invalidateBarrier(Machine &m, const SharedAccess &access);
  void arriveAt(Machine &m, const SharedAccess &access, int32_t count, int64_t bytes);
  void waitFor(Machine &m, const SharedAccess &access, uint32_t parity);
  /// A copy starts that `barrier` counts.
  void startFor(Machine &m, const SharedAccess &barrier, CopyOnItsWay copy);

  /// For whom the asynchronous proxy reads a tile: all threads of the actor, one, or the first of
  /// each warp, which has so many elements, those of one warp behind those of the other.
  struct Reader {
    Thread thread;
    size_t elementsOfWarp = 0;
    Thread of(size_t element) const {
      return elementsOfWarp ? Thread(element / elementsOfWarp * kLanes) : thread;
    }
  };
  /// It begins to read, and has ended.
  bool beginRead(Machine &m, const SharedAccess &access, uint64_t base, Reader reader);
  void endRead(Machine &m, const SharedAccess &access, uint64_t base, Reader reader);

  /// What an actor has started and not awaited.
  struct Pending {
    uint64_t number; ///< of all that the actor has started
    std::function<void(Machine &)> finish;
    std::function<void(Machine &)> read = nullptr; ///< its sources, before; null: done

    void endRead(Machine &m) {
      if (auto end = std::exchange(read, nullptr))
        end(m);
    }
  };
  /// Dots, each a group, and groups of stores.
  struct Queue {
    uint64_t started = 0;
    std::deque<Pending> pending;
    void start(std::function<void(Machine &)> finish,
               std::function<void(Machine &)> read = nullptr) {
      pending.push_back({++started, std::move(finish), std::move(read)});
    }
    void await(Machine &m, size_t left) {
      for (; pending.size() > left; pending.pop_front()) {
        pending.front().endRead(m);
        pending.front().finish(m);
      }
    }
    void awaitReads(Machine &m, size_t left) {
      for (size_t i = 0; i + left < pending.size(); ++i)
        pending[i].endRead(m);
    }
    bool isOver(uint64_t number) const {
      return pending.empty() || number < pending.front().number;
    }
  };
  Queue &dots() { return dotsOf[order.running]; }
  Queue &stores() { return storesOf[order.running]; }
  /// A store of a box reads its source, and writes what it has read.
  struct Store {
    std::function<void(Machine &)> read, write;
  };
  /// Those that no commit has closed yet, of the running actor.
  std::vector<Store> &openStores() { return openStoresOf[order.running]; }
  /// The program is over: what it has stored arrives.
  void end(Machine &m);

  /// Whether an access of a tile's element in shared memory, in bytes from `address`, is in order;
  /// otherwise the machine stops.
  bool mayRead(Machine &m, const SharedAccess &access, uint64_t address, int64_t element);
  bool mayWrite(Machine &m, const SharedAccess &access, uint64_t address, int64_t element,
                uint32_t atomic = 0);
  /// The same of global memory.
  bool mayAccess(Machine &m, const TileAccess &access, uint64_t address, unsigned bytes,
                 int64_t element, bool writes, uint32_t atomic = 0);
  /// Whether nobody has written there since the running actor's time `issued`.
  bool isUnchangedSince(uint64_t issued, uint64_t address);

  /// Another CTA stores an element there: on its way; false: the machine has stopped.
  bool expect(Machine &m, const SharedAccess &access, uint64_t address, int64_t element);
  /// It is there.
  void receive(uint64_t address, unsigned bytes);

  Order order;
  Groups groups;
  bool hasArrivedAtCluster = false;
  std::vector<uint8_t> memory;

private:
  void arrive(Machine &m, const CopyOnItsWay &copy);
  /// Marks the destination of a copy that starts now; false: it must not.
  bool mark(Machine &m, CopyOnItsWay &copy);
  /// The phase of a barrier ends if all it waits for has come.
  void settle(Machine &m, MBarrier &barrier);
  /// Stops the machine: `access` and what has been done before are in no order.
  void refuse(Machine &m, const TileAccess &access, int64_t element, Thread thread,
              const Stamp &before);
  void refuseOnItsWay(Machine &m, const SharedAccess &access, int64_t element, const char *verb,
                      uint32_t copy);
  void refuseRead(Machine &m, const TileAccess &access, int64_t element, uint32_t reader);

  struct Copies {
    std::vector<CopyOnItsWay> open;
    std::deque<std::vector<CopyOnItsWay>> committed;
  };
  uint32_t &wayTo(uint64_t address) { return onItsWay[address / order.shared.granule]; }
  /// Reads of the asynchronous proxy that go on.
  struct Reads {
    uint32_t count = 0, name = 0;
  };
  Reads &readsOf(uint64_t address) { return asyncReads[address / order.shared.granule]; }

  const Program &program;
  std::vector<Copies> copies;     ///< of each actor
  std::vector<uint32_t> onItsWay; ///< of each granule: what copies there, or 0
  std::vector<Reads> asyncReads;  ///< of each granule
  std::map<int32_t, NamedBarrier> named;
  std::map<uint64_t, MBarrier> barriers; ///< by address
  unsigned nextActor = 0;                ///< for the copies of another barrier
  std::vector<Queue> dotsOf, storesOf;   ///< of each actor
  std::vector<std::vector<Store>> openStoresOf;
};

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_CTA_H
