//===- Groups.h - warp groups that take turns -------------------*- C++ -*-===//
//
// Each group has a thread of the host, which takes turns with those of the others. In which order
// they run does not matter, since what must be ordered is looked for by clocks, not by luck.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_INTERPRETER_GROUPS_H
#define TRITIUM_LIB_INTERPRETER_GROUPS_H

#include "Machine.h"
#include "Turns.h"

namespace tritium::interpreter {

/// Code of a group, and the actor that runs it.
struct GroupCode {
  std::shared_ptr<const Body> body;
  unsigned actor = 0;
};

class Groups {
public:
  /// Runs all groups, which begin at `site`, until they are over, or the machine has stopped.
  void run(Machine &m, const std::vector<GroupCode> &groups, const Site &site);
  /// The running group, or the program if there are none, goes on when `isReady`. If nobody can go
  /// on, the machine stops with what each waits for: `reason`, as "waits for ...".
  void wait(Machine &m, const std::function<bool()> &isReady,
            const std::function<std::string()> &reason, const Site &site);
  /// Lets others run, as they can.
  void yield(Machine &m);

private:
  struct Group {
    unsigned actor = 0;
    bool isOver = false;
    const std::function<bool()> *isReady = nullptr; ///< null: it can go on
    const std::function<std::string()> *reason = nullptr;
    const Site *site = nullptr;
  };
  /// Chooses who runs next; with nobody left to, says why.
  void handOn(Machine &m);
  void awaitTurn(Machine &m, size_t group);
  void fail(Machine &m);

  std::vector<Group> groups; ///< empty: the program runs alone
  Turns turns;
};

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_GROUPS_H
