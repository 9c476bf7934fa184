//===- ConstantFold.cpp - arithmetic on compile-time values ---------------===//

#include "tritium/Frontend/Sema/ConstantFold.h"

#include <cmath>

using namespace tritium;
using namespace tritium::sema;
using namespace tritium::frontend;
using Int = Constant::Int;

std::optional<Int> sema::integerOf(const Constant &constant) {
  if (auto *i = std::get_if<Int>(&constant.value))
    return *i;
  if (auto *b = std::get_if<bool>(&constant.value))
    return *b ? 1 : 0;
  return std::nullopt;
}

std::optional<double> sema::floatOf(const Constant &constant) {
  if (auto *d = std::get_if<double>(&constant.value))
    return *d;
  if (auto i = integerOf(constant))
    return static_cast<double>(*i);
  return std::nullopt;
}

std::string sema::pythonTypeName(const Constant &constant) {
  constexpr const char *kNames[] = {"NoneType", "bool",  "int",   "float",
                                    "str",      "dtype", "tuple", "object"};
  return kNames[constant.value.index()];
}

bool sema::isTrue(const Constant &constant) {
  if (auto number = floatOf(constant))
    return *number != 0;
  if (auto *s = std::get_if<std::string>(&constant.value))
    return !s->empty();
  if (auto *t = std::get_if<Constant::Tuple>(&constant.value))
    return !t->empty();
  return !constant.isNone();
}

/// The order of an integer and a float, without rounding the integer first.
static std::partial_ordering compareIntFloat(Int i, double d) {
  if (std::isnan(d))
    return std::partial_ordering::unordered;
  if (std::fabs(d) >= 0x1p126)
    return d > 0 ? std::partial_ordering::less : std::partial_ordering::greater;
  Int whole = static_cast<Int>(std::floor(d));
  if (i != whole)
    return i < whole ? std::partial_ordering::less : std::partial_ordering::greater;
  return d == std::floor(d) ? std::partial_ordering::equivalent : std::partial_ordering::less;
}

static std::partial_ordering reversed(std::partial_ordering order) { return 0 <=> order; }

/// Absent if the two cannot be ordered, though they may be equal.
static std::optional<std::partial_ordering> order(const Constant &lhs, const Constant &rhs) {
  auto li = integerOf(lhs), ri = integerOf(rhs);
  auto *ld = std::get_if<double>(&lhs.value), *rd = std::get_if<double>(&rhs.value);
  if (li && ri)
    return std::partial_ordering(*li <=> *ri);
  if (li && rd)
    return compareIntFloat(*li, *rd);
  if (ld && ri)
    return reversed(compareIntFloat(*ri, *ld));
  if (ld && rd)
    return *ld <=> *rd;
  auto *ls = std::get_if<std::string>(&lhs.value), *rs = std::get_if<std::string>(&rhs.value);
  if (ls && rs)
    return std::partial_ordering(ls->compare(*rs) <=> 0);
  auto *lt = std::get_if<Constant::Tuple>(&lhs.value);
  auto *rt = std::get_if<Constant::Tuple>(&rhs.value);
  if (!lt || !rt)
    return std::nullopt;
  for (size_t i = 0; i < std::min(lt->size(), rt->size()); ++i)
    if (!constantsEqual((*lt)[i], (*rt)[i]))
      return order((*lt)[i], (*rt)[i]);
  return std::partial_ordering(lt->size() <=> rt->size());
}

bool sema::constantsEqual(const Constant &lhs, const Constant &rhs) {
  auto *lt = std::get_if<Constant::Tuple>(&lhs.value);
  auto *rt = std::get_if<Constant::Tuple>(&rhs.value);
  if (lt && rt)
    return std::equal(lt->begin(), lt->end(), rt->begin(), rt->end(), constantsEqual);
  if (auto o = order(lhs, rhs))
    return *o == std::partial_ordering::equivalent;
  return lhs == rhs;
}

static std::string operandError(std::string_view op, const Constant &lhs, const Constant &rhs) {
  return "unsupported operands for " + std::string(op) + ": '" + pythonTypeName(lhs) + "' and '" +
         pythonTypeName(rhs) + "'";
}

static Int floorDiv(Int a, Int b) {
  Int q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static std::optional<Int> power(Int base, Int exponent) {
  Int result = 1;
  // A base of magnitude 2 or more overflows within 127 steps, the others repeat.
  if (base == 0 || base == 1)
    return exponent == 0 ? 1 : base;
  if (base == -1)
    return exponent % 2 ? -1 : 1;
  for (Int i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result))
      return std::nullopt;
  return result;
}

static std::optional<Constant> integerBinary(BinaryOp op, Int a, Int b, std::string &error) {
  Int result = 0;
  bool overflow = false;
  switch (op) {
  case BinaryOp::Add:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case BinaryOp::Sub:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case BinaryOp::Mul:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case BinaryOp::TrueDiv:
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    if (b == 0) {
      error = "division by zero in a compile-time expression";
      return std::nullopt;
    }
    if (op == BinaryOp::TrueDiv)
      return Constant{static_cast<double>(a) / static_cast<double>(b)};
    if (b == -1) // the quotient of the least value overflows in hardware
      overflow = op == BinaryOp::FloorDiv && __builtin_sub_overflow(Int(0), a, &result);
    else
      result = op == BinaryOp::FloorDiv ? floorDiv(a, b) : a - floorDiv(a, b) * b;
    break;
  case BinaryOp::Pow: {
    if (b < 0)
      return Constant{std::pow(static_cast<double>(a), static_cast<double>(b))};
    auto p = power(a, b);
    overflow = !p;
    result = p.value_or(0);
    break;
  }
  case BinaryOp::BitAnd:
    result = a & b;
    break;
  case BinaryOp::BitOr:
    result = a | b;
    break;
  case BinaryOp::BitXor:
    result = a ^ b;
    break;
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    if (b < 0) {
      error = "negative shift count in a compile-time expression";
      return std::nullopt;
    }
    if (op == BinaryOp::Shr)
      result = a >> (b > 127 ? Int(127) : b);
    else
      overflow = a != 0 && (b > 126 || __builtin_mul_overflow(a, Int(1) << b, &result));
    break;
  case BinaryOp::MatMul:
    error = "'@' needs tensors; for matrices write tl.dot(a, b)";
    return std::nullopt;
  }
  if (overflow) {
    error = "integer overflow in a compile-time expression (more than 128 bits)";
    return std::nullopt;
  }
  return Constant{result};
}

static std::optional<Constant> floatBinary(BinaryOp op, double a, double b, const Constant &lhs,
                                           const Constant &rhs, std::string &error) {
  bool divides = op == BinaryOp::TrueDiv || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  if (divides && b == 0) {
    error = "division by zero in a compile-time expression";
    return std::nullopt;
  }
  switch (op) {
  case BinaryOp::Add:
    return Constant{a + b};
  case BinaryOp::Sub:
    return Constant{a - b};
  case BinaryOp::Mul:
    return Constant{a * b};
  case BinaryOp::TrueDiv:
    return Constant{a / b};
  case BinaryOp::FloorDiv:
    return Constant{std::floor(a / b)};
  case BinaryOp::Mod: {
    double r = std::fmod(a, b);
    if (r != 0 && (r < 0) != (b < 0))
      r += b;
    return Constant{r == 0 ? std::copysign(0.0, b) : r};
  }
  case BinaryOp::Pow:
    return Constant{std::pow(a, b)};
  default:
    error = operandError(spelling(op), lhs, rhs);
    return std::nullopt;
  }
}

/// The largest string or tuple that `+` and `*` make.
static constexpr size_t kMaxSequence = 1 << 16;

template <typename Sequence>
static std::optional<Constant> repeat(const Sequence &sequence, Int count) {
  if (count > Int(kMaxSequence / std::max<size_t>(sequence.size(), 1)))
    return std::nullopt;
  Sequence result;
  for (Int i = 0; i < count; ++i)
    result.insert(result.end(), sequence.begin(), sequence.end());
  return Constant{std::move(result)};
}

template <typename Sequence>
static std::optional<Constant> join(const Sequence &lhs, const Sequence &rhs) {
  if (lhs.size() + rhs.size() > kMaxSequence)
    return std::nullopt;
  Sequence result = lhs;
  result.insert(result.end(), rhs.begin(), rhs.end());
  return Constant{std::move(result)};
}

/// `+` and `*` of strings and tuples.
static std::optional<Constant> sequenceBinary(BinaryOp op, const Constant &lhs, const Constant &rhs,
                                              std::string &error) {
  auto *ls = std::get_if<std::string>(&lhs.value), *rs = std::get_if<std::string>(&rhs.value);
  auto *lt = std::get_if<Constant::Tuple>(&lhs.value);
  auto *rt = std::get_if<Constant::Tuple>(&rhs.value);
  std::optional<Constant> result;
  auto count = integerOf(ls || lt ? rhs : lhs);
  bool isJoin = op == BinaryOp::Add && ((ls && rs) || (lt && rt));
  bool isRepeat = op == BinaryOp::Mul && count && (ls || rs || lt || rt);
  if (isJoin)
    result = ls ? join(*ls, *rs) : join(*lt, *rt);
  else if (isRepeat)
    result = ls || rs ? repeat(ls ? *ls : *rs, *count) : repeat(lt ? *lt : *rt, *count);
  else
    error = operandError(spelling(op), lhs, rhs);
  if (!result && error.empty())
    error = "a string or tuple in a compile-time expression may have at most " +
            std::to_string(kMaxSequence) + " elements";
  return result;
}

std::optional<Constant> sema::foldBinary(BinaryOp op, const Constant &lhs, const Constant &rhs,
                                         std::string &error) {
  auto *lb = std::get_if<bool>(&lhs.value), *rb = std::get_if<bool>(&rhs.value);
  if (lb && rb) {
    if (op == BinaryOp::BitAnd)
      return Constant{*lb && *rb};
    if (op == BinaryOp::BitOr)
      return Constant{*lb || *rb};
    if (op == BinaryOp::BitXor)
      return Constant{*lb != *rb};
  }
  auto li = integerOf(lhs), ri = integerOf(rhs);
  if (li && ri)
    return integerBinary(op, *li, *ri, error);
  auto ld = floatOf(lhs), rd = floatOf(rhs);
  if (ld && rd)
    return floatBinary(op, *ld, *rd, lhs, rhs, error);
  return sequenceBinary(op, lhs, rhs, error);
}

std::optional<Constant> sema::foldUnary(UnaryOp op, const Constant &operand, std::string &error) {
  if (op == UnaryOp::Not)
    return Constant{!isTrue(operand)};
  if (auto i = integerOf(operand)) {
    Int result = op == UnaryOp::Invert ? ~*i : *i;
    if (op != UnaryOp::Minus || !__builtin_sub_overflow(Int(0), *i, &result))
      return Constant{result};
    error = "integer overflow in a compile-time expression (more than 128 bits)";
    return std::nullopt;
  }
  auto *d = std::get_if<double>(&operand.value);
  if (d && op != UnaryOp::Invert)
    return Constant{op == UnaryOp::Minus ? -*d : *d};
  error = "unsupported operand for unary " + std::string(spelling(op)) + ": '" +
          pythonTypeName(operand) + "'";
  return std::nullopt;
}

static std::optional<bool> contains(const Constant &item, const Constant &sequence) {
  if (auto *tuple = std::get_if<Constant::Tuple>(&sequence.value)) {
    for (const Constant &element : *tuple)
      if (constantsEqual(element, item))
        return true;
    return false;
  }
  auto *text = std::get_if<std::string>(&sequence.value);
  auto *part = std::get_if<std::string>(&item.value);
  if (!text || !part)
    return std::nullopt;
  return text->find(*part) != std::string::npos;
}

std::optional<Constant> sema::foldCompare(CompareOp op, const Constant &lhs, const Constant &rhs,
                                          std::string &error) {
  switch (op) {
  case CompareOp::Eq:
    return Constant{constantsEqual(lhs, rhs)};
  case CompareOp::Ne:
    return Constant{!constantsEqual(lhs, rhs)};
  case CompareOp::Is:
    return Constant{lhs == rhs};
  case CompareOp::IsNot:
    return Constant{!(lhs == rhs)};
  case CompareOp::In:
  case CompareOp::NotIn:
    if (auto found = contains(lhs, rhs))
      return Constant{*found == (op == CompareOp::In)};
    break;
  default:
    if (auto o = order(lhs, rhs)) {
      bool less = *o < 0, greater = *o > 0, equal = *o == 0;
      return Constant{op == CompareOp::Lt   ? less
                      : op == CompareOp::Le ? less || equal
                      : op == CompareOp::Gt ? greater
                                            : greater || equal};
    }
    break;
  }
  error = operandError(spelling(op), lhs, rhs);
  return std::nullopt;
}
