//===- Report.cpp - faults in words ---------------------------------------===//

#include "Machine.h"

#include <cstdio>

using namespace tritium::sim;

const char *tritium::sim::nameOf(FaultKind kind) {
  static const char *const names[] = {"invalid launch",
                                      "unknown instruction",
                                      "out-of-bounds access",
                                      "misaligned access",
                                      "write to read-only memory",
                                      "undefined value",
                                      "shared-memory race",
                                      "global-memory race",
                                      "partial barrier",
                                      "deadlock",
                                      "missing lanes",
                                      "asynchronous copy not ready",
                                      "asynchronous copies left over",
                                      "mbarrier misuse",
                                      "invalid bulk copy",
                                      "register allocation",
                                      "missing proxy fence",
                                      "trap",
                                      "assertion",
                                      "step limit",
                                      "unsupported",
                                      "matrix product under way",
                                      "missing wgmma.fence",
                                      "warp group disagrees"};
  return names[size_t(kind)];
}

static std::string renderPlace(const Place &place) {
  std::string text = place.source;
  if (place.ptxLine)
    text += (text.empty() ? "PTX line " : " (PTX line ") + std::to_string(place.ptxLine) +
            (place.source.empty() ? "" : ")");
  if (place.warp >= 0) {
    text += ", CTA (" + std::to_string(place.cta.x) + ", " + std::to_string(place.cta.y) + ", " +
            std::to_string(place.cta.z) + ") warp " + std::to_string(place.warp);
    if (place.lane >= 0)
      text += " lane " + std::to_string(place.lane);
  }
  return text;
}

std::string Fault::render() const {
  std::string text = nameOf(kind);
  if (!kernel.empty())
    text += " in kernel '" + kernel + "'";
  std::string where = renderPlace(at);
  if (!where.empty())
    text += " at " + where;
  text += ": " + message;
  if (hasAddress) {
    char number[32];
    std::snprintf(number, sizeof number, "; address 0x%llx", (unsigned long long)address);
    text += number;
  }
  if (hasOther)
    text += "; " + otherIs + " at " + renderPlace(other);
  if (count > 1)
    text += " [" + std::to_string(count) + " times]";
  return text;
}

std::string Result::renderFaults() const {
  std::string text;
  for (const Fault &fault : faults)
    text += fault.render() + "\n";
  if (faultsLeftOut)
    text += std::to_string(faultsLeftOut) + " more faults are not shown\n";
  return text;
}

Place Machine::place(const Op *op, const Warp *warp, int lane) const {
  Place place;
  if (op && op->origin) {
    place.line = op->origin->source;
    place.source = module.render(place.line);
    place.ptxLine = op->origin->at.line;
  }
  if (warp) {
    place.cta = warp->cta.id;
    place.warp = int(warp->index);
    place.lane = lane;
  }
  return place;
}

Place Machine::placeOf(const Access &access) const {
  Place made = place(access.op < ops.size() ? ops[access.op] : nullptr, nullptr, -1);
  const Extent &grid = launch.grid;
  made.cta = {access.cta % grid.x, access.cta / grid.x % grid.y, access.cta / grid.x / grid.y};
  if (access.thread / 32u < warpsOfCta) {
    made.warp = access.thread / 32;
    made.lane = access.thread % 32;
  }
  return made;
}

/// Null: the same fault at the same place is known, or there are too many.
Fault *Machine::report(FaultKind kind, const Op *op, Warp *warp, int lane, std::string message) {
  stop |= launch.stopAtFault;
  const ptx::Instruction *origin = op ? op->origin : nullptr;
  if (origin) {
    auto [known, isNew] = reported.try_emplace({origin, kind}, uint32_t(result.faults.size()));
    if (!isNew) {
      if (known->second < result.faults.size())
        ++result.faults[known->second].count;
      return nullptr;
    }
  }
  if (result.faults.size() >= launch.mostFaults) {
    ++result.faultsLeftOut;
    return nullptr;
  }
  Fault fault;
  fault.kind = kind;
  fault.kernel = launch.entry;
  fault.message = std::move(message);
  fault.at = place(op, warp, lane);
  result.faults.push_back(std::move(fault));
  return &result.faults.back();
}
