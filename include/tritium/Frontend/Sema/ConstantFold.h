//===- ConstantFold.h - arithmetic on compile-time values -------*- C++ -*-===//
//
// Python's rules: exact integers, `/` is a float, `//` and `%` floor, bool is an int,
// sequences compare and concatenate. Integers are exact within 128 bits; what does not
// fit is an error.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_FRONTEND_SEMA_CONSTANTFOLD_H
#define TRITIUM_FRONTEND_SEMA_CONSTANTFOLD_H

#include "tritium/Frontend/Operators.h"
#include "tritium/Support/Constant.h"

namespace tritium::sema {

/// Nothing, with `error` set, where Python would raise.
std::optional<Constant> foldBinary(frontend::BinaryOp op, const Constant &lhs, const Constant &rhs,
                                   std::string &error);
std::optional<Constant> foldUnary(frontend::UnaryOp op, const Constant &operand,
                                  std::string &error);
std::optional<Constant> foldCompare(frontend::CompareOp op, const Constant &lhs,
                                    const Constant &rhs, std::string &error);

/// Equality as `==` has it: 1 == 1.0 == True.
bool constantsEqual(const Constant &lhs, const Constant &rhs);
bool isTrue(const Constant &constant);

/// int or bool; and those or float.
std::optional<Constant::Int> integerOf(const Constant &constant);
std::optional<double> floatOf(const Constant &constant);

/// "int", "float", "str", "tuple", ...
std::string pythonTypeName(const Constant &constant);

} // namespace tritium::sema

#endif // TRITIUM_FRONTEND_SEMA_CONSTANTFOLD_H
