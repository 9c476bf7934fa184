//===- Node.h - what nodes of syntax trees have in common -------*- C++ -*-===//

#ifndef TRITIUM_FRONTEND_AST_NODE_H
#define TRITIUM_FRONTEND_AST_NODE_H

#include "tritium/Support/Diagnostics.h"

namespace tritium::frontend {

/// An expression or a statement, of a kind that `Kind` enumerates.
template <typename Kind> struct Node {
  const Kind kind;
  uint16_t height = 1; ///< of the tree from here down, where the parser bounds it
  SourceRange range;   ///< of a compound statement: its header
  virtual ~Node() = default;

protected:
  Node(Kind kind, SourceRange range) : kind(kind), range(range) {}
};

/// A `Base` of one kind, which llvm::isa knows by its number.
template <typename Base, auto K> struct NodeOf : Base {
  explicit NodeOf(SourceRange range) : Base(K, range) {}
  static bool classof(const Base *node) { return node->kind == K; }
};

} // namespace tritium::frontend

#endif // TRITIUM_FRONTEND_AST_NODE_H
