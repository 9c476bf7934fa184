//===- Clusters.h - CTAs of a program that take turns -----------*- C++ -*-===//
//
// The CTAs of a program have a machine each, and a thread of the host, as warp groups have. They
// take turns, from one barrier of the cluster to the next. What others store to the shared memory
// of a CTA comes as late as it may: when it waits for the barrier at which they have arrived since.
// Until then it is on its way, and nobody may access it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_INTERPRETER_CLUSTERS_H
#define TRITIUM_LIB_INTERPRETER_CLUSTERS_H

#include "CTA.h"
#include "Turns.h"

namespace tritium::interpreter {

class Cluster {
public:
  /// The machines of the CTAs, by rank.
  explicit Cluster(std::vector<std::unique_ptr<Machine>> &machines);
  /// All of them run the program. One that fails stops the others. False if the system has no
  /// threads for them.
  bool run();

  /// The CTA has come to the barrier. What it has stored before is there for those who wait, if it
  /// releases that.
  void arrive(Machine &m, bool releases);
  /// Lets others run until all have arrived.
  void wait(Machine &m, const Site &site);
  /// An element for the memory of the CTA of rank `to`.
  void store(Machine &m, size_t to, const SharedAccess &access, size_t element, uint64_t address,
             Slot slot);
  /// What each CTA comes with, one after the other.
  std::vector<Slot> gather(Machine &m, std::vector<Slot> own, const Site &site);

private:
  struct Element {
    const SharedAccess *access;
    uint64_t address;
    Slot slot;
    size_t from;
    int64_t released = -1; ///< by the arrival of this phase
  };
  struct Member {
    Machine *machine;
    int64_t arrivals = 0, waits = 0;
    bool isOver = false;
    const Site *site = nullptr; ///< where it waits
    std::vector<Element> coming;
    std::vector<Slot> brought; ///< to a gather
  };
  bool canRun(const Member &member) const;
  bool hasMet(int64_t phase) const;
  void handOn();

  std::vector<Member> members;
  Turns turns;
};

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_CLUSTERS_H
