//===- Constant.cpp - printing compile-time values ------------------------===//

#include "tritium/Support/Constant.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace tritium;

namespace {
std::string reprInt(Constant::Int value) {
  bool negative = value < 0;
  unsigned __int128 rest = value;
  if (negative)
    rest = -rest;
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  if (negative)
    digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

/// The shortest decimal that reads back as `value`, in Python's layout: positional for
/// exponents in [-4, 16), else scientific with at least two exponent digits.
std::string reprFloat(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string_view scientific(buffer, end.ptr - buffer);
  size_t e = scientific.find('e');
  int exponent = 0;
  const char *digits = scientific.data() + e + 1;
  std::from_chars(*digits == '+' ? digits + 1 : digits, end.ptr, exponent);
  if (exponent < -4 || exponent >= 16)
    return std::string(scientific);
  end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  std::string text(buffer, end.ptr - buffer);
  if (text.find('.') == std::string::npos)
    text += ".0";
  return text;
}

std::string reprString(std::string_view value) {
  bool hasSingle = value.find('\'') != std::string_view::npos;
  bool hasDouble = value.find('"') != std::string_view::npos;
  char quote = hasSingle && !hasDouble ? '"' : '\'';
  std::string text(1, quote);
  for (char c : value) {
    constexpr char kHex[] = "0123456789abcdef";
    unsigned char byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\')
      text += {'\\', c};
    else if (c == '\n')
      text += "\\n";
    else if (c == '\r')
      text += "\\r";
    else if (c == '\t')
      text += "\\t";
    else if (byte < 0x20 || byte == 0x7f)
      text += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    else
      text += c;
  }
  return text += quote;
}

std::string reprDType(const DType &type) {
  if (type.isPointer())
    return "pointer<" + type.signature() + ">";
  return "triton.language." + std::string(type.languageName());
}

struct Repr {
  std::string operator()(Constant::None) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(Constant::Int value) const { return reprInt(value); }
  std::string operator()(double value) const { return reprFloat(value); }
  std::string operator()(const std::string &value) const { return reprString(value); }
  std::string operator()(const DType &value) const { return reprDType(value); }
  std::string operator()(const Constant::Object &value) const { return value.name; }
  std::string operator()(const Constant::Tuple &value) const {
    std::string text = "(";
    for (size_t i = 0; i < value.size(); ++i)
      text += (i ? ", " : "") + value[i].repr();
    return text += value.size() == 1 ? ",)" : ")";
  }
};
} // namespace

std::string Constant::repr() const { return std::visit(Repr{}, value); }
