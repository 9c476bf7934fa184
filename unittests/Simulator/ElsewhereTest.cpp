//===- ElsewhereTest.cpp - the map of what a warp knows of other CTAs -----===//

#include "../../lib/Simulator/Machine/Elsewhere.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace tritium::sim;

namespace {

/// The same by an ordinary map.
struct Plain {
  std::map<uint32_t, std::vector<uint32_t>> times;
  void join(uint32_t cta, const std::vector<uint32_t> &other) {
    std::vector<uint32_t> &mine = times[cta];
    mine.resize(std::max(mine.size(), other.size()));
    for (size_t i = 0; i < other.size(); ++i)
      mine[i] = std::max(mine[i], other[i]);
  }
  void join(const Plain &other) {
    for (const auto &[cta, theirs] : other.times)
      join(cta, theirs);
  }
};

// Copies stay what they were, whatever is joined to one of them.
TEST(Elsewhere, AgreesWithAPlainMap) {
  std::mt19937 random(7);
  constexpr unsigned maps = 6;
  for (uint32_t span : {4u, 100u, ~0u}) {
    Elsewhere ours[maps];
    Plain plain[maps];
    for (unsigned step = 0; step < 2000; ++step) {
      unsigned a = random() % maps, b = random() % maps;
      if (random() % 3 == 0) {
        ours[a].join(ours[b]);
        plain[a].join(Plain(plain[b]));
      } else if (random() % 20 == 0) {
        ours[a] = ours[b];
        plain[a] = plain[b];
      } else {
        uint32_t cta = span == ~0u ? uint32_t(random()) << random() % 32 : random() % span;
        std::vector<uint32_t> times(1 + random() % 3);
        for (uint32_t &time : times)
          time = random() % 100;
        ours[a].join(cta, times);
        plain[a].join(cta, times);
      }
      for (const auto &[cta, times] : plain[a].times) {
        const std::vector<uint32_t> *found = ours[a].find(cta);
        ASSERT_TRUE(found);
        ASSERT_EQ(*found, times);
      }
      uint32_t other = random() % 200;
      ASSERT_EQ(ours[a].find(other) != nullptr, plain[a].times.count(other) != 0);
    }
  }
}

} // namespace
