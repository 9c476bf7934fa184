//===- Shadow.h - who touched which byte when -------------------*- C++ -*-===//
//
// Happens-before by time stamps. One clock counts the synchronisations of the whole grid;
// an access is stamped with it. What warp w knows of warp v is a time: accesses of v with
// an earlier stamp happen before what w does now. Lanes of one warp are ordered by
// bar.warp.sync and barriers only.
//
// Memory is watched by cells of 4 bytes, in pages; a page that sees a narrower access is
// split into cells of one byte.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_SHADOW_H
#define TRITIUM_SIMULATOR_SHADOW_H

#include "Elsewhere.h"

namespace tritium::sim {

/// Warps of a CTA and, numbered behind them, its actors (Proxy.h) are the parties to a race.
struct Access {
  uint32_t cta = 0;
  uint16_t thread = 0; ///< party * 32 + lane
  uint8_t present = 0, strong : 1 = 0;
  uint8_t async : 1 = 0;   ///< under way
  uint8_t proxy : 1 = 0;   ///< by the async proxy
  uint8_t barrier : 1 = 0; ///< mbarrier.init: the bytes are an mbarrier's
  uint32_t time = 0, op = 0;
};

/// What lanes of one warp read at one time by one instruction.
struct Read {
  uint32_t cta = 0, lanes = 0; ///< no lanes: there is none
  uint32_t time = 0, op = 0;
  uint16_t warp = 0; ///< or another party
  bool strong = false, proxy = false;
};

/// The last write, and the reads since then that a write has to come after. A read is
/// forgotten when one that happens after it takes its place: whoever comes after the
/// second one comes after the first.
struct Cell {
  Access write;
  Read read;              ///< the latest
  uint32_t underRead = 0; ///< reads by the async proxy that are under way
  std::vector<Read> reads;
};

struct Known {
  std::vector<uint32_t> warps; ///< of the own CTA, and its actors behind them
  /// Threads of which more is known than of their warp: thread, time. Of those that arrived
  /// at an mbarrier without the others of their warp.
  std::vector<std::pair<uint16_t, uint32_t>> threads;
  uint32_t lanes = 0;          ///< of the own warp, for all pairs of lanes
  std::vector<uint32_t> pairs; ///< [lane][lane], where only a part synchronised; or empty
  Elsewhere others;            ///< of other CTAs

  void join(const Known &other);
  void learn(uint32_t party, uint32_t time);
  void learnThread(uint16_t thread, uint32_t time);
};

class Shadow {
public:
  void resize(uint64_t bytes) {
    pages.clear();
    pages.resize((bytes + pageBytes - 1) / pageBytes);
  }
  /// Calls f(cell, its first byte, its bytes) for each cell of [offset, offset + bytes).
  template <typename F> void visit(uint64_t offset, uint32_t bytes, F &&f) {
    for (uint64_t at = offset, end = offset + bytes; at < end;) {
      uint64_t page = at / pageBytes;
      if (page >= pages.size())
        return;
      Page &cells = pages[page];
      if (cells.cells.empty())
        cells.cells.resize(pageBytes / 4);
      if (!cells.fine && ((at | (end - at)) & 3) && (at % 4 != 0 || end - at < 4))
        refine(cells);
      uint64_t within = at % pageBytes;
      if (cells.fine) {
        f(cells.cells[within], at, 1);
        ++at;
      } else {
        f(cells.cells[within / 4], at, 4);
        at += 4;
      }
    }
  }

private:
  static constexpr uint64_t pageBytes = 256;
  struct Page {
    std::vector<Cell> cells;
    bool fine = false;
  };
  static void refine(Page &page);
  std::vector<Page> pages;
};

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_SHADOW_H
