//===- Handover.cpp - what one warp learns from another -------------------===//

#include "Machine.h"

#include <algorithm>

using namespace tritium::sim;

void Handover::addKnown(const Warp &warp) {
  known.join(warp.known);
  if (warp.hasFenced)
    fenced.join(warp.fenced), hasFenced = true;
  if (warp.hasSeen)
    seen.join(warp.seen), hasSeen = true;
}

void Handover::giveKnown(Warp &warp) const {
  // What is known of the own warp stands in lanes and pairs.
  uint32_t own = warp.known.warps[warp.index];
  warp.known.join(known);
  warp.known.warps[warp.index] = own;
  if (hasFenced)
    warp.fenced.join(fenced), warp.hasFenced = true;
  if (hasSeen)
    warp.seen.join(seen), warp.hasSeen = true;
}

void Handover::join(const Handover &other) {
  known.join(other.known);
  fenced.join(other.fenced);
  seen.join(other.seen);
  hasFenced |= other.hasFenced;
  hasSeen |= other.hasSeen;
}

void Handover::add(Warp &warp, uint32_t lanes) {
  uint32_t now = ++warp.machine.time;
  uint32_t own = warp.known.warps[warp.index];
  // Of a part of the warp: what it did itself, and what is ordered within the warp.
  warp.known.warps[warp.index] = lanes == warp.live ? now : warp.known.lanes;
  addKnown(warp);
  warp.known.warps[warp.index] = own;
  if (lanes == warp.live)
    return;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (lanes >> lane & 1)
      known.learnThread(uint16_t(warp.thread(lane)), now);
    if (warp.known.pairs.empty())
      continue;
    for (unsigned arrives = 0; arrives < 32; ++arrives)
      if (lanes >> arrives & 1)
        known.learnThread(uint16_t(warp.thread(lane)), warp.known.pairs[arrives * 32 + lane]);
  }
}

void Handover::give(Warp &warp, uint32_t lanes) const {
  giveKnown(warp);
  // What the others know of the own warp orders its lanes.
  Known &mine = warp.known;
  uint32_t own = warp.index < known.warps.size() ? known.warps[warp.index] : 0;
  if (lanes == warp.live)
    mine.lanes = std::max(mine.lanes, own);
  auto order = [&](unsigned earlier, uint32_t time) {
    if (time <= mine.lanes)
      return;
    if (mine.pairs.empty())
      mine.pairs.resize(32 * 32);
    for (unsigned lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1) {
        uint32_t &pair = mine.pairs[lane * 32 + earlier];
        pair = std::max(pair, time);
      }
  };
  for (unsigned lane = 0; lane < 32; ++lane)
    order(lane, own);
  for (auto [thread, time] : known.threads)
    if (thread / 32 == warp.index)
      order(thread % 32, time);
}
