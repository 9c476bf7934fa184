//===- Operators.h - the operators of the kernel languages ------*- C++ -*-===//

#ifndef TRITIUM_FRONTEND_OPERATORS_H
#define TRITIUM_FRONTEND_OPERATORS_H

#include <cstdint>
#include <string_view>

namespace tritium::frontend {

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  TrueDiv,  ///< `/`
  FloorDiv, ///< `//`: truncates towards zero on tensors, floors on constants
  Mod,
  Pow,
  MatMul,
  BitAnd,
  BitOr,
  BitXor,
  Shl,
  Shr
};

enum class UnaryOp : uint8_t { Plus, Minus, Invert, Not };

enum class CompareOp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };

enum class LogicalOp : uint8_t { And, Or };

/// As it is written: "+", "//", "not", "is not", ...
std::string_view spelling(BinaryOp op);
std::string_view spelling(UnaryOp op);
std::string_view spelling(CompareOp op);
std::string_view spelling(LogicalOp op);

} // namespace tritium::frontend

#endif // TRITIUM_FRONTEND_OPERATORS_H
