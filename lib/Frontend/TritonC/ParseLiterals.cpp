//===- ParseLiterals.cpp - numbers and characters -------------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tritium::frontend::tritonc {

static std::string quoted(llvm::StringRef text) { return "'" + text.str() + "'"; }

/// The first of C's types for an integer literal that holds it.
static std::optional<DType> integerType(uint64_t value, bool isDecimal, bool isUnsigned,
                                        bool isLong) {
  struct Candidate {
    DTypeKind kind;
    uint64_t max;
    bool isUnsigned, isLong;
  };
  static constexpr Candidate kCandidates[] = {
      {DTypeKind::Int32, INT32_MAX, false, false},
      {DTypeKind::UInt32, UINT32_MAX, true, false},
      {DTypeKind::Int64, INT64_MAX, false, true},
      {DTypeKind::UInt64, UINT64_MAX, true, true},
  };
  for (const Candidate &candidate : kCandidates) {
    bool fits = isUnsigned ? candidate.isUnsigned : !candidate.isUnsigned || !isDecimal;
    if (fits && (!isLong || candidate.isLong) && value <= candidate.max)
      return DType{candidate.kind};
  }
  return std::nullopt;
}

ExprPtr Parser::parseNumber(const Token &token) {
  auto result = std::make_unique<Number>(token.range);
  llvm::StringRef text(token.text.data(), token.text.size());
  bool isHex = text.starts_with_insensitive("0x");
  bool isFloat = text.contains('.') || text.contains_insensitive(isHex ? "p" : "e");
  if (isFloat) {
    llvm::StringRef digits = text;
    DTypeKind kind = DTypeKind::Float64;
    if (digits.ends_with_insensitive("f")) {
      kind = DTypeKind::Float32;
      digits = digits.drop_back();
    } else if (digits.ends_with_insensitive("l")) {
      digits = digits.drop_back();
    }
    llvm::APFloat value(kind == DTypeKind::Float32 ? llvm::APFloat::IEEEsingle()
                                                   : llvm::APFloat::IEEEdouble());
    auto status = value.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return error(token.range, quoted(text) + " is not a number; a float ends in 'f', and there "
                                               "is no suffix for half");
    }
    bool isInexact = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
    result->dtype = {kind};
    result->value.value = value.convertToDouble();
    return result;
  }
  llvm::StringRef suffix = text.take_while([&](char c) {
    return isHex ? llvm::isHexDigit(c) || c == 'x' || c == 'X'
                 : llvm::isDigit(c) || c == 'b' || c == 'B';
  });
  llvm::StringRef digits = suffix;
  std::string rest = text.drop_front(digits.size()).lower();
  bool isUnsigned = llvm::is_contained({"u", "ul", "lu", "ull", "llu"}, rest);
  bool isLong = rest.find('l') != std::string::npos;
  uint64_t value = 0;
  if (!rest.empty() && !isUnsigned && rest != "l" && rest != "ll")
    return error(token.range, quoted(text) + " is not a number: the suffixes of integers are u, l, "
                                             "ul, ll and ull");
  if (digits.getAsInteger(0, value)) {
    bool isTooLarge = isHex || (!digits.starts_with("0") && llvm::all_of(digits, llvm::isDigit));
    return error(token.range, quoted(text) + (isTooLarge ? " does not fit in 64 bits"
                                                         : " is not a number: a leading 0 makes it "
                                                           "octal"));
  }
  bool isDecimal = !digits.starts_with("0") || digits == "0";
  auto dtype = integerType(value, isDecimal, isUnsigned, isLong);
  if (!dtype)
    return error(token.range,
                 quoted(text) + " does not fit in a long; write it with the suffix 'u'");
  result->dtype = *dtype;
  result->value.value = Constant::Int(value);
  return result;
}

/// The value of one character or escape at the front of `text`, which is advanced.
static std::optional<int> character(llvm::StringRef &text) {
  if (text.empty())
    return std::nullopt;
  char c = text.front();
  text = text.drop_front();
  if (c != '\\')
    return static_cast<signed char>(c);
  if (text.empty())
    return std::nullopt;
  static constexpr std::string_view kEscapes = "n\nt\tr\ra\ab\bf\fv\v\\\\''\"\"??";
  if (llvm::isDigit(text.front()) && text.front() < '8') {
    int value = 0;
    for (unsigned i = 0; i < 3 && !text.empty() && text.front() >= '0' && text.front() < '8'; ++i) {
      value = value * 8 + (text.front() - '0');
      text = text.drop_front();
    }
    return static_cast<signed char>(value);
  }
  if (text.consume_front("x")) {
    unsigned value = 0;
    llvm::StringRef digits = text.take_while(llvm::isHexDigit);
    if (digits.getAsInteger(16, value) || value > 0xFF)
      return std::nullopt;
    text = text.drop_front(digits.size());
    return static_cast<signed char>(value);
  }
  for (size_t i = 0; i + 1 < kEscapes.size(); i += 2)
    if (kEscapes[i] == text.front()) {
      text = text.drop_front();
      return kEscapes[i + 1];
    }
  return std::nullopt;
}

ExprPtr Parser::parseCharacter(const Token &token) {
  llvm::StringRef text(token.text.data(), token.text.size());
  auto value = text.consume_front("'") && text.consume_back("'") ? character(text) : std::nullopt;
  if (!value || !text.empty())
    return error(token.range, "a character constant has one character");
  auto result = std::make_unique<Number>(token.range);
  result->dtype = {DTypeKind::Int32};
  result->value.value = Constant::Int(*value);
  return result;
}

} // namespace tritium::frontend::tritonc
