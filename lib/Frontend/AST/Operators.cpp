//===- Operators.cpp - spellings of operators -----------------------------===//

#include "tritium/Frontend/Operators.h"

using namespace tritium;

std::string_view frontend::spelling(frontend::BinaryOp op) {
  constexpr std::string_view kNames[] = {"+", "-", "*", "/", "//", "%", "**",
                                         "@", "&", "|", "^", "<<", ">>"};
  return kNames[static_cast<unsigned>(op)];
}

std::string_view frontend::spelling(frontend::UnaryOp op) {
  constexpr std::string_view kNames[] = {"+", "-", "~", "not"};
  return kNames[static_cast<unsigned>(op)];
}

std::string_view frontend::spelling(frontend::CompareOp op) {
  constexpr std::string_view kNames[] = {"==", "!=", "<",      "<=", ">",
                                         ">=", "is", "is not", "in", "not in"};
  return kNames[static_cast<unsigned>(op)];
}

std::string_view frontend::spelling(frontend::LogicalOp op) {
  return op == frontend::LogicalOp::And ? "and" : "or";
}
