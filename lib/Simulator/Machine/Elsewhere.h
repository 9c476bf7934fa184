//===- Elsewhere.h - what a warp knows of other CTAs ------------*- C++ -*-===//
//
// Times by CTA and warp. They go from hand to hand: each of thousands of programs that
// take a ticket learns what the one before it knew. So a map is a persistent trie over CTA
// numbers (big-endian Patricia tree): copies share it, and joining what two maps have in
// common costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_ELSEWHERE_H
#define TRITIUM_SIMULATOR_ELSEWHERE_H

#include <cstdint>
#include <memory>
#include <vector>

namespace tritium::sim {

class Elsewhere {
public:
  /// The times of a CTA's warps; null: nothing is known of it.
  const std::vector<uint32_t> *find(uint32_t cta) const;
  /// Learns the times of a CTA's warps.
  void join(uint32_t cta, std::vector<uint32_t> times);
  void join(const Elsewhere &other);

  struct Node;
  using Tree = std::shared_ptr<const Node>;

private:
  Tree root;
};

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_ELSEWHERE_H
