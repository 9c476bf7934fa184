//===- ParseSpecifiers.cpp - words of types, attributes -------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/StringSwitch.h"

namespace tritium::frontend::tritonc {

/// The words of a type, in any order: "unsigned long int".
struct TypeWords {
  unsigned numLong = 0;
  bool isShort = false, isSigned = false, isUnsigned = false, isInt = false;
  std::optional<DTypeKind> base; ///< any other word
  bool isAny() const { return numLong || isShort || isSigned || isUnsigned || isInt || base; }
};

/// Names of types that every file has, in the manner of typedefs: a declaration may hide
/// them.
static std::optional<DTypeKind> builtinTypedef(std::string_view name) {
  using K = DTypeKind;
  return llvm::StringSwitch<std::optional<K>>(llvm::StringRef(name))
      .Case("int1", K::Int1)
      .Case("uint1", K::Int1)
      .Case("int8", K::Int8)
      .Case("int16", K::Int16)
      .Case("int32", K::Int32)
      .Case("int64", K::Int64)
      .Cases("uint8", "uchar", K::UInt8)
      .Cases("uint16", "ushort", K::UInt16)
      .Cases("uint32", "uint", K::UInt32)
      .Cases("uint64", "ulong", K::UInt64)
      .Cases("float16", "fp16", K::Float16)
      .Cases("bfloat16", "bf16", K::BFloat16)
      .Cases("float32", "fp32", K::Float32)
      .Cases("float64", "fp64", K::Float64)
      .Default(std::nullopt);
}

static bool isTypeWord(std::string_view text) {
  return llvm::StringSwitch<bool>(llvm::StringRef(text))
      .Cases("void", "bool", "_Bool", "char", "short", "int", "long", "half", "float", true)
      .Cases("double", "signed", "unsigned", true)
      .Default(false);
}

bool isQualifier(std::string_view text) {
  return llvm::StringSwitch<bool>(llvm::StringRef(text))
      .Cases("const", "volatile", "restrict", "__restrict", "__restrict__", "__constant__", true)
      .Default(false);
}

/// Prefix attributes of generation A.
static bool isPrefixAttribute(std::string_view text) {
  return text == "read_only" || text == "write_only" || text == "align" || text == "multiple_of";
}

/// C's words that make types which the language does not have.
static bool isForeignType(std::string_view text) {
  return llvm::StringSwitch<bool>(llvm::StringRef(text))
      .Cases("struct", "union", "enum", "_Complex", "_Imaginary", "_Atomic", "auto", true)
      .Cases("_Thread_local", "_Alignas", "_Noreturn", "register", true)
      .Default(false);
}

/// Whether the token starts a type name, as after `(` in a cast.
bool Parser::startsType() const {
  const Token &token = peek();
  if (token.kind != Token::Identifier)
    return false;
  if (isTypeWord(token.text) || isQualifier(token.text) || isForeignType(token.text) ||
      findTypedef(token.text))
    return true;
  return builtinTypedef(token.text) && !isHidden(token.text);
}

/// Whether the token starts a declaration.
bool Parser::isSpecifier(bool isFileScope) const {
  const Token &token = peek();
  if (token.kind != Token::Identifier)
    return false;
  if (startsType())
    return true;
  bool isStorage = llvm::StringSwitch<bool>(llvm::StringRef(token.text))
                       .Cases("typedef", "extern", "static", "inline", "__global__", true)
                       .Cases("__attribute__", "tunable", isFileScope || token.text != "tunable")
                       .Case("kernel", isFileScope)
                       .Default(false);
  if (isStorage)
    return true;
  // `align(16) float *p`, but `align(x);` calls a function.
  if (!isPrefixAttribute(token.text))
    return false;
  if (token.text == "read_only" || token.text == "write_only")
    return peek(1).kind == Token::Identifier;
  return isPrefixWithArgument();
}

/// `align(...)` or `multiple_of(...)` with a name behind it.
bool Parser::isPrefixWithArgument() const {
  unsigned parentheses = 0;
  for (size_t i = 1; peek(i).kind != Token::End; ++i) {
    if (isAt("(", i))
      ++parentheses;
    else if (parentheses == 0 || isAt(";", i))
      return false;
    else if (isAt(")", i) && --parentheses == 0)
      return peek(i + 1).kind == Token::Identifier;
  }
  return false;
}

bool Parser::parsePrefixAttribute(Attributes &attributes) {
  Token name = take();
  if (!attributes.range.begin.isValid())
    attributes.range = name.range;
  if (name.text == "read_only" || name.text == "write_only") {
    (name.text == "read_only" ? attributes.isReadOnly : attributes.isWriteOnly) = true;
    return true;
  }
  return parseAttributeValue(name.text == "align" ? "aligned" : "multipleof", name.range,
                             attributes);
}

/// One word of the type. False if it contradicts the words before it.
bool Parser::parseTypeWord(TypeWords &words) {
  Token word = take();
  using K = DTypeKind;
  bool isOnly = !words.isAny();
  auto base = llvm::StringSwitch<std::optional<K>>(llvm::StringRef(word.text))
                  .Case("void", K::Void)
                  .Cases("bool", "_Bool", K::Int1)
                  .Case("char", K::Int8)
                  .Case("half", K::Float16)
                  .Case("float", K::Float32)
                  .Case("double", K::Float64)
                  .Default(std::nullopt);
  bool isWrong = false;
  if (base) {
    bool isChar = *base == K::Int8, isDouble = *base == K::Float64;
    bool joins = !words.base && !words.isInt && !words.isShort;
    isWrong = !(isOnly || (isChar && joins && words.numLong == 0) ||
                (isDouble && joins && words.numLong == 1 && !words.isSigned && !words.isUnsigned));
    words.base = base;
    if (isDouble)
      words.numLong = 0;
  } else if (word.text == "long") {
    isWrong = words.isShort || (words.base && *words.base != K::Float64) || words.numLong == 2;
    if (!words.base)
      ++words.numLong;
  } else if (word.text == "short") {
    isWrong = words.isShort || words.numLong || words.base;
    words.isShort = true;
  } else if (word.text == "int") {
    isWrong = words.isInt || words.base;
    words.isInt = true;
  } else {
    bool &sign = word.text == "signed" ? words.isSigned : words.isUnsigned;
    isWrong = words.isSigned || words.isUnsigned || (words.base && *words.base != K::Int8);
    sign = true;
  }
  if (isWrong)
    error(word.range, "'" + std::string(word.text) + "' does not go with the type before it");
  return !isWrong;
}

static DType dtypeOf(const TypeWords &words) {
  using K = DTypeKind;
  if (words.base)
    return {*words.base == K::Int8 && words.isUnsigned ? K::UInt8 : *words.base};
  if (words.isShort)
    return {words.isUnsigned ? K::UInt16 : K::Int16};
  if (words.numLong)
    return {words.isUnsigned ? K::UInt64 : K::Int64};
  return {words.isUnsigned ? K::UInt32 : K::Int32};
}

std::optional<Specifiers> Parser::parseSpecifiers(bool isFileScope) {
  Specifiers result;
  TypeWords words;
  SourceRange first = peek().range;
  while (peek().kind == Token::Identifier) {
    const Token &token = peek();
    std::string_view text = token.text;
    if (isForeignType(text)) {
      error(token.range, "there is no '" + std::string(text) +
                             "' in Triton-C: types are numbers, "
                             "pointers and tiles of them");
      // The braces are the type's, not a function's, after which a declaration would end.
      take();
      if (peek().kind == Token::Identifier && isAt("{", 1))
        take();
      if (accept("{"))
        skipBraces();
      return std::nullopt;
    }
    if (isTypeWord(text)) {
      if (result.hasType && !words.isAny()) {
        error(token.range, "a declaration has one type");
        return std::nullopt;
      }
      if (!parseTypeWord(words))
        return std::nullopt;
      result.hasType = true;
    } else if (isQualifier(text)) {
      take();
      result.isConst |= text == "const";
      result.type.isConstantSpace |= text == "__constant__";
      result.attributes.isNoAlias |= llvm::StringRef(text).contains("restrict");
    } else if (text == "__attribute__") {
      if (!parseAttributes(result.attributes))
        return std::nullopt;
    } else if (text == "typedef" || text == "extern" || text == "static" || text == "inline" ||
               text == "__global__" || (isFileScope && !result.hasType && text == "kernel")) {
      take();
      result.isTypedef |= text == "typedef";
      result.isExtern |= text == "extern";
      result.isGlobal |= text == "__global__" || text == "kernel";
    } else if (isFileScope && !result.hasType && text == "tunable") {
      take();
      result.isTunable = true;
    } else if (!result.hasType && isPrefixAttribute(text) && !findTypedef(text)) {
      if (!parsePrefixAttribute(result.attributes))
        return std::nullopt;
    } else if (!result.hasType && startsType()) {
      const Type *known = findTypedef(text);
      bool isConstantSpace = result.type.isConstantSpace;
      result.type = known ? *known : Type{DType{*builtinTypedef(text)}, {}, false};
      result.type.isConstantSpace |= isConstantSpace;
      result.hasType = true;
      take();
    } else {
      break;
    }
  }
  result.range = since(first);
  if (words.isAny())
    result.type.element = dtypeOf(words);
  if (!result.hasType) {
    const Token &next = peek();
    error(next.range, next.kind == Token::Identifier
                          ? "unknown type '" + std::string(next.text) +
                                "'; if it is a macro, define it with -D" + std::string(next.text) +
                                "=..."
                          : "expected a type, found " + found());
    return std::nullopt;
  }
  return result;
}

/// `aligned(16), readonly` within `__attribute__((...))`.
bool Parser::parseAttributeItem(Attributes &attributes) {
  Token name = take();
  std::string_view text = name.text;
  if (text.starts_with("__") && text.ends_with("__") && text.size() > 4)
    text = text.substr(2, text.size() - 4);
  bool *flag = llvm::StringSwitch<bool *>(llvm::StringRef(text))
                   .Case("readonly", &attributes.isReadOnly)
                   .Case("writeonly", &attributes.isWriteOnly)
                   .Case("noalias", &attributes.isNoAlias)
                   .Case("retune", &attributes.isRetune)
                   .Default(nullptr);
  if (flag)
    return *flag = true;
  if (text != "aligned" && text != "multipleof") {
    error(name.range, "unknown attribute '" + std::string(name.text) +
                          "': the attributes are aligned, multipleof, readonly, writeonly, noalias "
                          "and retune");
    return false;
  }
  return parseAttributeValue(text, name.range, attributes);
}

/// `(n)` of an attribute that has an argument.
bool Parser::parseAttributeValue(std::string_view text, SourceRange name, Attributes &attributes) {
  SourceRange opening = peek().range;
  if (!expect("(", "'" + std::string(text) + "'"))
    return false;
  SourceRange at = peek().range;
  auto value = parseConstant("an attribute's argument");
  if (!value || !expectClosing(")", opening))
    return false;
  bool isPowerOfTwo = *value > 0 && (*value & (*value - 1)) == 0;
  if (*value < 1 || (text == "aligned" && !isPowerOfTwo)) {
    error(at, text == "aligned"
                  ? "an alignment is a power of two, found " + std::to_string(*value)
                  : "'multipleof' needs a positive number, found " + std::to_string(*value));
    return false;
  }
  (text == "aligned" ? attributes.aligned : attributes.multipleOf) = *value;
  return true;
}

/// Any number of `__attribute__((...))`.
bool Parser::parseAttributes(Attributes &attributes) {
  while (isAt("__attribute__")) {
    SourceRange range = take().range, opening = peek().range;
    if (!attributes.range.begin.isValid())
      attributes.range = range;
    if (!expect("(", "'__attribute__'") || !expect("(", "'__attribute__('"))
      return false;
    while (!isAt(")")) {
      if (!parseAttributeItem(attributes))
        return false;
      if (!accept(","))
        break;
    }
    if (!expectClosing(")", opening) || !expectClosing(")", opening))
      return false;
  }
  return true;
}

} // namespace tritium::frontend::tritonc
