//===- WarpGroupReads.cpp - what wgmma reads of shared memory -------------===//
//
// Each warp of a group reads, through the async proxy, its 16 rows of A, and B: whatever was
// written there has to be known to it. B is looked at once, for the warp that issues first, and
// again only for warps that may know less than that one did.
//
// A wait of any of them says that all have issued the product, since it is computed: what a warp
// did before its issue happens before what follows the wait of another. One thread of a group
// may so tell a producer that the operands of all are free. With Launch::separateProducts a wait
// says only that the own warp's operands have been read; B is then looked at for each warp.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Proxy.h"
#include "WarpGroup.h"

#include <algorithm>
#include <utility>

using namespace tritium::sim;

/// The pieces of lines [first, first + lines), joined where they touch.
static void addParts(const SharedMatrix &matrix, unsigned first, unsigned lines,
                     std::vector<AsyncPart> &parts) {
  constexpr uint32_t bytes = SharedMatrix::pieceBytes;
  matrix.visit(first, lines, [&](uint32_t at, unsigned, unsigned) {
    if (!parts.empty() && parts.back().offset + parts.back().bytes == at)
      parts.back().bytes += bytes;
    else if (!parts.empty() && at + bytes == parts.back().offset)
      parts.back().offset = at, parts.back().bytes += bytes;
    else
      parts.push_back({nullptr, at, bytes});
  });
}

/// When the warp last did something that only itself may know of.
static uint32_t lastOwnTime(const Warp &warp) {
  uint32_t fenced = warp.proxyFences.empty() ? 0 : warp.proxyFences.back().time;
  return std::max(warp.lastSharedWrite, fenced);
}

static bool knowsThread(const Known &known, uint16_t thread, uint32_t time) {
  return known.warps[thread / 32] >= time ||
         std::any_of(known.threads.begin(), known.threads.end(), [&](const auto &other) {
           return other.first == thread && other.second >= time;
         });
}

/// All writes of shared memory, and fences behind them, that happened before what lane 0 of `first`
/// did when it knew `then` happen before what lane 0 of `warp` does now.
static bool knowsAsMuch(const Warp &warp, const Warp &first, const Known &then) {
  const Known &now = warp.known;
  uint32_t mine = lastOwnTime(warp);
  if ((mine && mine >= now.lanes) || lastOwnTime(first) >= now.warps[first.index])
    return false;
  for (uint32_t party = 0; party < then.warps.size(); ++party)
    if (party != warp.index && party != first.index &&
        (party < now.warps.size() ? now.warps[party] : 0) < then.warps[party])
      return false;
  return std::all_of(then.threads.begin(), then.threads.end(), [&](const auto &thread) {
    return knowsThread(now, thread.first, thread.second);
  });
}

void tritium::sim::beginReads(Warp &warp, GroupProduct &product) {
  if (!warp.machine.launch.checkRaces)
    return;
  const Op &op = *product.op;
  ProductForm form(op);
  unsigned member = warp.index % warpsOfGroup;
  std::vector<AsyncPart> parts;
  if (!form.na)
    addParts(SharedMatrix(product.a, form.flags & ProductForm::TransposesA), member * 16, 16,
             parts);
  bool isFirst = product.firstMember < 0;
  if (isFirst) {
    product.firstMember = int(member);
    product.known = warp.known;
  }
  const Warp &first = warp.cta.warps[warp.index - member + unsigned(product.firstMember)];
  bool separate = warp.machine.launch.separateProducts;
  if (isFirst || separate || !knowsAsMuch(warp, first, product.known))
    addParts(SharedMatrix(product.b, form.flags & ProductForm::TransposesB), 0, form.n, parts);
  product.reads[member] = beginAsync(warp, op, 0, AsyncUse::Reads, std::move(parts));
  product.issuers.join(warp.known);
  product.issuers.learn(warp.index, ++warp.machine.time);
}

void tritium::sim::endReads(Machine &machine, WarpGroup &group, GroupProduct &product) {
  if (!machine.launch.checkRaces)
    return;
  Completion done;
  for (unsigned member = 0; member < warpsOfGroup; ++member) {
    if (!member || machine.launch.separateProducts)
      done = machine.complete(group.actors[member]);
    endAsync(machine, std::exchange(product.reads[member], nullptr), done);
    product.over[member] = done.time;
  }
}

void tritium::sim::learnProduct(Warp &warp, const WarpGroup &group, const GroupProduct &product) {
  if (!warp.machine.launch.checkRaces)
    return;
  unsigned member = warp.index % warpsOfGroup;
  learn(warp, {uint16_t(group.actors[member] * 32), product.over[member]});
  if (warp.machine.launch.separateProducts)
    return;
  uint32_t own = warp.known.warps[warp.index];
  warp.known.join(product.issuers);
  warp.known.warps[warp.index] = own;
  // All lanes have come to the issue, those of the own warp, too.
  warp.known.lanes = std::max(warp.known.lanes, product.issuers.warps[warp.index]);
}
