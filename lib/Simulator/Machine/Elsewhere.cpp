//===- Elsewhere.cpp - what a warp knows of other CTAs --------------------===//

#include "Elsewhere.h"

#include <algorithm>
#include <bit>

using namespace tritium::sim;

/// A leaf has bit 0. A branch's CTAs agree with `prefix` above `bit`; `zero` has those
/// where it is 0.
struct Elsewhere::Node {
  uint32_t prefix = 0, bit = 0;
  Tree zero, one;
  std::vector<uint32_t> times;
};

using Node = Elsewhere::Node;
using Tree = Elsewhere::Tree;

static bool isWithin(uint32_t cta, const Node &branch) {
  return ((cta ^ branch.prefix) & ~(branch.bit | (branch.bit - 1))) == 0;
}

static Tree makeBranch(uint32_t prefix, uint32_t bit, Tree zero, Tree one) {
  return std::make_shared<Node>(Node{prefix & ~(bit | (bit - 1)), bit, zero, one, {}});
}

/// Two trees whose prefixes differ.
static Tree unite(const Tree &a, const Tree &b) {
  uint32_t bit = std::bit_floor(a->prefix ^ b->prefix);
  return a->prefix & bit ? makeBranch(a->prefix, bit, b, a) : makeBranch(a->prefix, bit, a, b);
}

static Tree mergeLeaves(const Tree &a, const Tree &b) {
  Node made{a->prefix, 0, nullptr, nullptr, a->times};
  made.times.resize(std::max(a->times.size(), b->times.size()));
  for (size_t i = 0; i < b->times.size(); ++i)
    made.times[i] = std::max(made.times[i], b->times[i]);
  if (made.times == a->times)
    return a;
  return made.times == b->times ? b : std::make_shared<Node>(std::move(made));
}

/// Shares what it can with `a`, then with `b`.
static Tree merge(const Tree &a, const Tree &b) {
  if (a == b || !b)
    return a;
  if (!a)
    return b;
  if (!a->bit && !b->bit)
    return a->prefix == b->prefix ? mergeLeaves(a, b) : unite(a, b);
  if (a->bit == b->bit && isWithin(b->prefix, *a)) {
    Tree zero = merge(a->zero, b->zero), one = merge(a->one, b->one);
    if (zero == a->zero && one == a->one)
      return a;
    return zero == b->zero && one == b->one ? b : makeBranch(a->prefix, a->bit, zero, one);
  }
  if (a->bit > b->bit && isWithin(b->prefix, *a)) {
    bool isOne = b->prefix & a->bit;
    Tree child = merge(isOne ? a->one : a->zero, b);
    if (child == (isOne ? a->one : a->zero))
      return a;
    return makeBranch(a->prefix, a->bit, isOne ? a->zero : child, isOne ? child : a->one);
  }
  if (b->bit > a->bit && isWithin(a->prefix, *b)) {
    bool isOne = a->prefix & b->bit;
    Tree child = merge(a, isOne ? b->one : b->zero);
    if (child == (isOne ? b->one : b->zero))
      return b;
    return makeBranch(b->prefix, b->bit, isOne ? b->zero : child, isOne ? child : b->one);
  }
  return unite(a, b);
}

const std::vector<uint32_t> *Elsewhere::find(uint32_t cta) const {
  const Node *node = root.get();
  while (node && node->bit)
    node = cta & node->bit ? node->one.get() : node->zero.get();
  return node && node->prefix == cta ? &node->times : nullptr;
}

void Elsewhere::join(uint32_t cta, std::vector<uint32_t> times) {
  root = merge(root, std::make_shared<Node>(Node{cta, 0, nullptr, nullptr, std::move(times)}));
}

void Elsewhere::join(const Elsewhere &other) { root = merge(root, other.root); }
