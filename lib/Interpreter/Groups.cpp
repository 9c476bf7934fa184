//===- Groups.cpp - warp groups that take turns ---------------------------===//

#include "CTA.h"

namespace tritium::interpreter {

void Groups::run(Machine &m, const std::vector<GroupCode> &codes, const Site &site) {
  groups.assign(codes.size(), {});
  for (size_t i = 0; i < codes.size(); ++i)
    groups[i].actor = codes[i].actor;
  bool hasRun = turns.run(codes.size(), [&](size_t i) {
    m.cta->order.running = groups[i].actor;
    if (!m.stopped)
      codes[i].body->run(m);
    groups[i].isOver = true;
    handOn(m);
  });
  groups.clear();
  if (!hasRun)
    m.fail("the system has no threads for " + std::to_string(codes.size()) + " warp groups", site);
}

void Groups::awaitTurn(Machine &m, size_t group) {
  turns.await(group);
  m.cta->order.running = groups[group].actor;
}

void Groups::handOn(Machine &m) {
  // A machine that has stopped lets each group end.
  auto canRun = [&](const Group &group) {
    return !group.isOver && (m.stopped || !group.isReady || (*group.isReady)());
  };
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (size_t i = 1; i <= groups.size(); ++i) {
      size_t next = (turns.turn() + i) % groups.size();
      if (canRun(groups[next]))
        return turns.handTo(next);
    }
    bool isOver = true;
    for (const Group &group : groups)
      isOver &= group.isOver;
    if (isOver)
      return;
    fail(m);
  }
}

void Groups::fail(Machine &m) {
  std::string text = "no warp group can go on";
  const Site *site = nullptr;
  for (const Group &group : groups) {
    if (group.isOver)
      continue;
    text += "; " + m.program.actorNames[group.actor] + " " + (*group.reason)() + " at " +
            group.site->text;
    site = group.site;
  }
  m.fail(text, *site);
}

void Groups::wait(Machine &m, const std::function<bool()> &isReady,
                  const std::function<std::string()> &reason, const Site &site) {
  if (isReady() || m.stopped)
    return;
  if (groups.empty())
    return m.fail("the program " + reason() + ", and nobody else is there", site);
  size_t mine = turns.turn();
  groups[mine].isReady = &isReady;
  groups[mine].reason = &reason;
  groups[mine].site = &site;
  handOn(m);
  awaitTurn(m, mine);
  groups[mine].isReady = nullptr;
}

void Groups::yield(Machine &m) {
  if (groups.empty())
    return;
  size_t mine = turns.turn();
  handOn(m);
  awaitTurn(m, mine);
}

} // namespace tritium::interpreter
