//===- SignatureText.cpp - signatures and values as text ------------------===//

#include "SignatureText.h"
#include "Commands.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

using namespace tritium;
using namespace tritium::tool;

static std::string trim(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<std::string> tool::splitItems(const std::string &text) {
  std::vector<std::string> items;
  std::string item;
  int depth = 0;
  char quote = 0;
  for (char c : text) {
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      items.push_back(trim(item));
      item.clear();
      continue;
    }
    item += c;
  }
  if (!trim(item).empty() || !items.empty())
    items.push_back(trim(item));
  if (!items.empty() && items.back().empty())
    items.pop_back(); // a comma at the end
  return items;
}

static std::optional<Value> parseNumber(const std::string &text) {
  bool isNegative = text[0] == '-';
  std::string digits = text.substr(isNegative || text[0] == '+');
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits = digits.substr(2);
    base = 16;
  }
  uint64_t magnitude = 0;
  auto [end, status] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (status == std::errc() && end == digits.data() + digits.size()) {
    if (!isNegative)
      return Value(magnitude);
    if (magnitude <= uint64_t(1) << 63)
      return Value(static_cast<int64_t>(0 - magnitude));
    return std::nullopt;
  }
  if (base == 16 || digits.empty() || !(std::isdigit(digits[0]) || digits[0] == '.'))
    return std::nullopt;
  char *stop = nullptr;
  double number = std::strtod(text.c_str(), &stop);
  if (*stop != '\0')
    return std::nullopt;
  return Value(number);
}

static std::optional<Value> parseType(std::string text) {
  if (text.starts_with("tl."))
    text = text.substr(3);
  tritium_dtype type;
  if (tritium_dtype_parse(text.c_str(), &type) != 0)
    return std::nullopt;
  return Value(DType(text.c_str()));
}

/// Tuples in tuples that a value may have.
static constexpr unsigned kMostTuples = 32;

static Value parseValueIn(unsigned tuples, const std::string &given) {
  std::string text = trim(given);
  if (text.empty())
    return Value("");
  if (text == "None")
    return Value();
  if (text == "True" || text == "False")
    return Value(text == "True");
  if (text == "inf" || text == "-inf" || text == "nan")
    return Value(std::strtod(text.c_str(), nullptr));
  char first = text.front(), last = text.back();
  if (text.size() >= 2 && (first == '\'' || first == '"') && last == first)
    return Value(text.substr(1, text.size() - 2));
  if ((first == '(' && last == ')') || (first == '[' && last == ']')) {
    if (tuples == kMostTuples)
      throw UsageError("tuples are nested more than " + std::to_string(kMostTuples) + " deep");
    std::vector<Value> items;
    for (const std::string &item : splitItems(text.substr(1, text.size() - 2)))
      items.push_back(parseValueIn(tuples + 1, item));
    return Value::tuple(std::move(items));
  }
  if (auto number = parseNumber(text))
    return *number;
  if (auto type = parseType(text))
    return *type;
  return Value(text);
}

Value tool::parseValue(const std::string &text) { return parseValueIn(0, text); }

SignatureItem tool::parseSignatureItem(const std::string &text) {
  SignatureItem item;
  std::string name = text, hint;
  size_t colon = text.rfind(':');
  if (colon != std::string::npos) {
    name = trim(text.substr(0, colon));
    hint = trim(text.substr(colon + 1));
  }
  if (tritium_dtype_parse(name.c_str(), &item.type) == 0 && item.type.kind != 0) {
    if (hint == "1") {
      item.value = Value(1);
    } else if (hint == "16") {
      item.divisibility = 16;
    } else if (!hint.empty()) {
      throw UsageError("signature item '" + text +
                       "': the hint after ':' is 16 (divisible by "
                       "16) or 1 (equal to 1)");
    }
    return item;
  }
  Value value = parseValue(text);
  if (value.get().kind == TRITIUM_STRING && text.find_first_of("'\"") != 0)
    throw UsageError("signature item '" + text +
                     "' is neither a type (such as *fp32, i32:16) "
                     "nor a literal");
  item.value = std::move(value);
  return item;
}
