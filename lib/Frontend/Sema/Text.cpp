//===- Text.cpp - methods of texts and dictionaries, while compiling ------===//

#include "BuiltinSupport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace tritium;
using namespace tritium::sema;

namespace {

/// The texts of a text, or of a tuple of texts.
std::optional<std::vector<std::string>> texts(Sema &sema, const Value &value,
                                              std::string_view what) {
  std::vector<std::string> result;
  auto *tuple = value.getIf<Tuple>();
  for (const Value &element :
       tuple ? llvm::ArrayRef<Value>(tuple->elements) : llvm::ArrayRef<Value>(value)) {
    auto text = constantString(sema, element, what);
    if (!text)
      return std::nullopt;
    result.push_back(std::move(*text));
  }
  return result;
}

Value tupleOf(llvm::ArrayRef<std::string> texts) {
  Tuple tuple;
  for (const std::string &text : texts)
    tuple.elements.push_back(makeString(text));
  return tuple;
}

std::string self(const BoundArguments &args) { return asString(args[0]).value_or(""); }

template <bool isFront> Result hasAffix(Sema &sema, const BoundArguments &args) {
  auto affixes = texts(sema, args[1], isFront ? "the start of a text" : "the end of a text");
  if (!affixes)
    return std::nullopt;
  std::string text = self(args);
  return makeBool(llvm::any_of(*affixes, [&](const std::string &affix) {
    return isFront ? text.starts_with(affix) : text.ends_with(affix);
  }));
}

template <bool isFront> Result removeAffix(Sema &sema, const BoundArguments &args) {
  auto affix = constantString(sema, args[1], "what is removed from a text");
  if (!affix)
    return std::nullopt;
  std::string text = self(args);
  llvm::StringRef rest = text;
  isFront ? rest.consume_front(*affix) : rest.consume_back(*affix);
  return makeString(rest.str());
}

template <bool isUpper> Result changeCase(Sema &, const BoundArguments &args) {
  std::string text = self(args);
  return makeString(isUpper ? llvm::StringRef(text).upper() : llvm::StringRef(text).lower());
}

template <bool fromLeft, bool fromRight> Result strip(Sema &sema, const BoundArguments &args) {
  std::string blanks = " \t\n\r\f\v";
  auto chars = args[1].isNone() ? blanks : constantString(sema, args[1], "what is stripped");
  if (!chars)
    return std::nullopt;
  std::string text = self(args);
  llvm::StringRef rest = text;
  if (fromLeft)
    rest = rest.ltrim(*chars);
  if (fromRight)
    rest = rest.rtrim(*chars);
  return makeString(rest.str());
}

Result replace(Sema &sema, const BoundArguments &args) {
  auto old = constantString(sema, args[1], "the text to replace");
  auto with = old ? constantString(sema, args[2], "the new text") : std::nullopt;
  if (!with)
    return std::nullopt;
  if (old->empty())
    return sema.error("the text to replace must not be empty");
  std::string text = self(args), result;
  size_t at = 0;
  for (size_t next; (next = text.find(*old, at)) != std::string::npos; at = next + old->size())
    result += text.substr(at, next - at) + *with;
  return makeString(result + text.substr(at));
}

Result find(Sema &sema, const BoundArguments &args) {
  auto part = constantString(sema, args[1], "the text to find");
  if (!part)
    return std::nullopt;
  size_t at = self(args).find(*part);
  return makeInt(at == std::string::npos ? -1 : static_cast<int64_t>(at));
}

Result count(Sema &sema, const BoundArguments &args) {
  auto part = constantString(sema, args[1], "the text to count");
  if (!part)
    return std::nullopt;
  std::string text = self(args);
  if (part->empty())
    return makeInt(static_cast<int64_t>(text.size()) + 1);
  return makeInt(static_cast<int64_t>(llvm::StringRef(text).count(*part)));
}

Result split(Sema &sema, const BoundArguments &args) {
  std::string text = self(args);
  llvm::SmallVector<llvm::StringRef> parts;
  if (args[1].isNone()) {
    llvm::SplitString(text, parts, " \t\n\r\f\v");
  } else {
    auto separator = constantString(sema, args[1], "the separator");
    if (!separator)
      return std::nullopt;
    if (separator->empty())
      return sema.error("the separator must not be empty");
    llvm::StringRef(text).split(parts, *separator);
  }
  return tupleOf(std::vector<std::string>(parts.begin(), parts.end()));
}

Result join(Sema &sema, const BoundArguments &args) {
  auto parts = sema.iterate(args[1]);
  auto all = parts ? texts(sema, Value(Tuple{*parts, {}}), "what is joined") : std::nullopt;
  return all ? Result(makeString(llvm::join(*all, self(args)))) : std::nullopt;
}

template <int (*test)(int)> Result areAll(Sema &, const BoundArguments &args) {
  std::string text = self(args);
  return makeBool(!text.empty() &&
                  llvm::all_of(text, [](unsigned char c) { return test(c) != 0; }));
}

/// "{} of {1:>4}".format(a, b): as an f-string, with arguments by position.
Result format(Sema &sema, const BoundArguments &args) {
  std::string text = self(args), result;
  const auto &values = args[1].get<Tuple>().elements;
  size_t next = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool isDoubled = i + 1 < text.size() && text[i + 1] == c;
    if ((c != '{' && c != '}') || isDoubled) {
      result += c;
      i += isDoubled && (c == '{' || c == '}');
      continue;
    }
    size_t end = text.find('}', i);
    if (c == '}' || end == std::string::npos)
      return sema.error("a single '" + std::string(1, c) + "' in the text of format()");
    auto [number, spec] = llvm::StringRef(text).slice(i + 1, end).split(':');
    size_t index = next;
    if (number.empty())
      ++next;
    else if (number.getAsInteger(10, index))
      return sema.error("format() takes arguments by position, found {" + number.str() +
                        "}; write an f-string");
    if (index >= values.size())
      return sema.error("format() has no argument " + std::to_string(index));
    auto part = sema.format(values[index], std::string_view(spec));
    if (!part)
      return std::nullopt;
    result += *part;
    i = end;
  }
  return makeString(std::move(result));
}

//===-- Dictionaries ------------------------------------------------------===//

Result get(Sema &sema, const BoundArguments &args) {
  auto key = asConstant(args[1]);
  if (!key)
    return sema.error("the key of a dictionary must be known at compile time, found " +
                      describe(args[1]));
  const Value *entry = args[0].get<Dict>().find(*key);
  return entry ? *entry : args[2];
}

enum class Part { Keys, Values, Items };

template <Part part> Result parts(Sema &, const BoundArguments &args) {
  Tuple all;
  for (const auto &[name, value] : args[0].get<Dict>().entries)
    all.elements.push_back(part == Part::Keys     ? fromConstant(name)
                           : part == Part::Values ? value
                                                  : Value(Tuple{{fromConstant(name), value}, {}}));
  return Value(std::move(all));
}

} // namespace

void sema::addTextBuiltins(Registry &registry) {
  registry.add("str.startswith", "self, prefix", hasAffix<true>);
  registry.add("str.endswith", "self, suffix", hasAffix<false>);
  registry.add("str.removeprefix", "self, prefix", removeAffix<true>);
  registry.add("str.removesuffix", "self, suffix", removeAffix<false>);
  registry.add("str.upper", "self", changeCase<true>);
  registry.add("str.lower", "self", changeCase<false>);
  registry.add("str.strip", "self, chars=None", strip<true, true>);
  registry.add("str.lstrip", "self, chars=None", strip<true, false>);
  registry.add("str.rstrip", "self, chars=None", strip<false, true>);
  registry.add("str.replace", "self, old, new", replace);
  registry.add("str.find", "self, sub", find);
  registry.add("str.count", "self, sub", count);
  registry.add("str.split", "self, sep=None", split);
  registry.add("str.join", "self, parts", join);
  registry.add("str.isdigit", "self", areAll<std::isdigit>);
  registry.add("str.isalpha", "self", areAll<std::isalpha>);
  registry.add("str.isalnum", "self", areAll<std::isalnum>);
  registry.add("str.format", "self, *values", format);
  registry.add("dict.get", "self, key, default=None", get);
  registry.add("dict.keys", "self", parts<Part::Keys>);
  registry.add("dict.values", "self", parts<Part::Values>);
  registry.add("dict.items", "self", parts<Part::Items>);
}
