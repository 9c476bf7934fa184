//===- ParseVariables.cpp - registers and variables -----------------------===//

#include "Parser.h"

#include <bit>
#include <cstring>

using namespace tritium::sim::ptx;

namespace {
/// Beyond this a module is a mistake, and would cost gigabytes to hold.
constexpr uint64_t largestVariable = uint64_t(1) << 30;
constexpr uint64_t largestInitial = uint64_t(1) << 26;
constexpr uint32_t mostRegisters = 1 << 18;
/// Braces inside braces of an initial value; an array has no more dimensions than that.
constexpr unsigned mostBraces = 32;
} // namespace

// .align 4 .ptr .global .align 1 .v4 .b32, in any order; the type comes last.
void Parser::attributes(Variable &variable) {
  uint64_t vector = 1;
  bool aligned = false;
  while (token.kind == Token::Dotted) {
    Token at = token;
    if (acceptDotted("align")) {
      uint64_t align = unsignedNumber("an alignment");
      if (!failed() && (!align || align > 1 << 20 || (align & (align - 1))))
        return fail(at, "an alignment is a power of two up to 2^20");
      variable.align = uint32_t(align);
      aligned = true;
    } else if (acceptDotted("ptr")) {
      // What the pointer leads to; the access is what is checked.
      for (const char *space : {"const", "global", "local", "shared"})
        if (acceptDotted(space))
          break;
      if (acceptDotted("align"))
        unsignedNumber("an alignment");
    } else if (acceptDotted("v2") || acceptDotted("v4") || acceptDotted("v8")) {
      vector = at.text[1] - '0';
    } else if (acceptDotted("attribute")) {
      expect('(', "after .attribute");
      while (token.kind != Token::End && !token.is(')'))
        advance();
      expect(')', "after the attribute");
    } else if (Type type = typeNamed(token.text); type != Type::None) {
      variable.type = type;
      advance();
      break;
    } else {
      return failHere("unknown type or attribute " + spelled(token) + " of a variable");
    }
  }
  if (variable.type == Type::None)
    return failHere("expected the type of a variable, found " + spelled(token));
  variable.size = (bitsOf(variable.type) + 7) / 8 * vector;
  if (!aligned)
    variable.align = uint32_t(variable.size);
}

void Parser::declarator(Variable &variable) {
  variable.at = token.at;
  variable.name = identifier("the variable's name");
  bool first = true;
  uint64_t size = variable.size;
  while (accept('[')) {
    Token at = token;
    uint64_t extent = 0;
    if (token.is(']') && first)
      size = 0; // as many as the initial value or the launch gives
    else
      extent = unsignedNumber("the extent of an array");
    if (size && (__builtin_mul_overflow(size, extent, &size) || size > largestVariable))
      return fail(at, "this variable is larger than 1 GiB");
    expect(']', "after the extent");
    first = false;
  }
  variable.size = size;
}

void Parser::initialElement(Variable &variable, uint64_t &offset, unsigned braces) {
  if (token.is('{')) {
    if (braces == mostBraces)
      return failHere("initial values are nested more than " + std::to_string(mostBraces) +
                      " deep");
    advance();
    do
      initialElement(variable, offset, braces + 1);
    while (accept(',') && !failed());
    return expect('}', "after the initial values");
  }
  unsigned bytes = (bitsOf(variable.type) + 7) / 8;
  Token at = token;
  uint64_t limit = variable.size ? variable.size : largestInitial;
  if (offset + bytes > limit || offset + bytes > largestInitial)
    return fail(at, "more initial values than '" + std::string(variable.name) + "' has elements");
  if (variable.initial.size() < offset + bytes)
    variable.initial.resize(offset + bytes);
  uint64_t bits = 0;
  bool negative = accept('-');
  if (token.kind == Token::Float) {
    double number = token.isSingle ? double(std::bit_cast<float>(uint32_t(token.value)))
                                   : std::bit_cast<double>(token.value);
    if (negative)
      number = -number;
    if (variable.type == Type::F32)
      bits = std::bit_cast<uint32_t>(float(number));
    else
      bits = std::bit_cast<uint64_t>(number);
    if (token.isSingle && variable.type != Type::F64)
      bits = token.value ^ (negative ? 0x80000000u : 0);
    advance();
  } else if (token.kind == Token::Integer) {
    bits = negative ? 0 - token.value : token.value;
    if (isFloat(variable.type) && bitsOf(variable.type) == 32)
      bits = std::bit_cast<uint32_t>(float(int64_t(bits)));
    else if (variable.type == Type::F64)
      bits = std::bit_cast<uint64_t>(double(int64_t(bits)));
    advance();
  } else if (token.kind == Token::Identifier && !negative) {
    Relocation relocation;
    relocation.offset = offset;
    relocation.bytes = uint8_t(bytes);
    if (token.text == "generic") {
      relocation.generic = true;
      advance();
      expect('(', "after generic");
    }
    std::string_view target = identifier("the name of a variable");
    if (auto found = moduleVariables.find(target); found != moduleVariables.end())
      relocation.variable = found->second;
    else if (auto function = moduleFunctions.find(target); function != moduleFunctions.end()) {
      relocation.variable = function->second;
      relocation.isFunction = true;
    } else if (!failed())
      return fail(at, "'" + std::string(target) + "' is not declared");
    if (relocation.generic)
      expect(')', "after the name");
    if (accept('+'))
      relocation.addend = unsignedNumber("an offset");
    else if (accept('-'))
      relocation.addend = 0 - unsignedNumber("an offset");
    variable.relocations.push_back(relocation);
  } else {
    return failHere("expected an initial value, found " + spelled(token));
  }
  if (failed())
    return;
  for (unsigned i = 0; i < bytes && i < 8; ++i)
    variable.initial[offset + i] = uint8_t(bits >> 8 * i);
  offset += bytes;
}

void Parser::initializer(Variable &variable) {
  uint64_t offset = 0;
  initialElement(variable, offset, 0);
  if (!variable.size)
    variable.size = offset;
}

void Parser::variables(Space space, bool isExternal, std::vector<Variable> &into) {
  Variable common;
  common.space = space;
  common.isExternal = isExternal;
  attributes(common);
  do {
    Variable variable = common;
    Token at = token;
    declarator(variable);
    // A vector may be a weak redeclaration of an external one; the first has its place.
    if (token.is('=')) {
      advance();
      initializer(variable);
    }
    if (failed())
      return;
    bool ofModule = &into == &module.variables;
    uint32_t index = uint32_t(into.size());
    if (!ofModule) {
      define(at, {Meaning::Variable, index});
      into.push_back(std::move(variable));
    } else if (auto [known, isNew] = moduleVariables.try_emplace(variable.name, index); isNew) {
      into.push_back(std::move(variable));
    } else if (into[known->second].isExternal) {
      into[known->second] = std::move(variable);
    } else if (!isExternal) {
      return fail(at, "'" + std::string(variable.name) + "' is declared twice");
    }
  } while (accept(','));
  expect(';', "after the variable");
}

// .reg .b32 %r<25>, %x, y;
void Parser::registers() {
  Token at = token;
  if (acceptDotted("v2") || acceptDotted("v4"))
    return fail(at, "vector registers cannot be run");
  Type type = token.kind == Token::Dotted ? typeNamed(token.text) : Type::None;
  if (type == Type::None)
    return failHere("expected the type of registers, found " + spelled(token));
  advance();
  do {
    Token name = token;
    RegisterRange range;
    range.name = identifier("the register's name");
    range.type = type;
    range.first = uint32_t(current->registers.size());
    uint64_t count = 1;
    if (accept('<')) {
      range.numbered = true;
      count = unsignedNumber("the number of registers");
      expect('>', "after the number of registers");
    }
    if (failed())
      return;
    if (count + range.first > mostRegisters)
      return fail(name, "a function has at most " + std::to_string(mostRegisters) + " registers");
    range.count = uint32_t(count);
    define(name, {range.numbered ? Meaning::Range : Meaning::Register, range.first, range.count});
    current->registers.resize(range.first + count, type);
    current->ranges.push_back(range);
  } while (accept(','));
  expect(';', "after the registers");
}
