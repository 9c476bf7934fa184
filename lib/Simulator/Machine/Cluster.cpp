//===- Cluster.cpp - CTAs that reach each other's shared memory -----------===//

#include "Cluster.h"
#include "Race.h"

#include <algorithm>

using namespace tritium::sim;

bool Cluster::isOver() const {
  return std::all_of(ctas.begin(), ctas.end(), [](const Cta *cta) { return cta->live == 0; });
}

Cta *tritium::sim::findVisited(Warp &warp, const Op &op, unsigned lane, uint64_t &address) {
  uint64_t rank = (address >> rankShift) - 1;
  address &= (1u << rankShift) - 1;
  const std::vector<Cta *> &ctas = warp.cta.cluster->ctas;
  auto refuse = [&](const std::string &why) {
    warp.machine.report(FaultKind::OutOfBounds, &op, &warp, int(lane), why);
    return nullptr;
  };
  std::string name = "the CTA of rank " + std::to_string(rank);
  if (rank >= ctas.size())
    return refuse(name + " is accessed, and the cluster has " + std::to_string(ctas.size()));
  Cta *other = ctas[rank];
  if (other == &warp.cta)
    return other;
  if (!other->live)
    return refuse(name + " has ended, and its shared memory with it");
  if (!warp.hasMetCluster)
    return refuse(name + " need not have begun: a barrier of the cluster has to come before the "
                         "first access to its shared memory");
  Access &visit = other->visitors[uint64_t(warp.cta.linear) << 16 | warp.index];
  visit.cta = warp.cta.linear;
  visit.thread = uint16_t(warp.thread(lane));
  visit.present = 1;
  visit.time = warp.machine.time;
  visit.op = op.id;
  return other;
}

void tritium::sim::checkVisitors(Warp &last) {
  Cta &cta = last.cta;
  if (!last.machine.launch.checkRaces)
    return;
  for (const auto &[by, visit] : cta.visitors) {
    auto knows = [&](const Warp &warp) { return ordered(warp, 0, visit); };
    if (std::any_of(cta.warps.begin(), cta.warps.end(), knows))
      continue;
    Fault *fault = last.machine.report(
        FaultKind::SharedRace, last.now, &last, -1,
        "the CTA may end before another one of its cluster accesses its shared memory: a barrier "
        "of the cluster has to come between");
    if (fault) {
      fault->hasOther = true;
      fault->other = last.machine.placeOf(visit);
      fault->otherIs = "accessed";
    }
  }
}
