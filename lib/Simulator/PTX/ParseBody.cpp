//===- ParseBody.cpp - instructions and their operands --------------------===//

#include "Parser.h"

#include <algorithm>

using namespace tritium::sim::ptx;

static constexpr uint32_t mostBlocks = 64;
static constexpr size_t mostOperands = 512;

void Parser::define(const Token &name, Meaning meaning) {
  if (failed())
    return;
  if (!blocks.back().names.try_emplace(name.text, meaning).second)
    fail(name, "'" + std::string(name.text) + "' is declared twice in this block");
}

/// index: the register of a numbered range, otherwise the meaning's own.
const Meaning *Parser::lookup(std::string_view name, uint32_t &index) const {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    if (auto found = block->names.find(name);
        found != block->names.end() && found->second.kind != Meaning::Range) {
      index = found->second.index;
      return &found->second;
    }
    // %r12: 12 without leading zeros, after a prefix that was declared with <N>. The
    // prefix itself may end in digits.
    for (size_t cut = digits; cut < name.size(); ++cut) {
      if ((name[cut] == '0' && cut + 1 < name.size()) || name.size() - cut > 8)
        continue;
      auto found = block->names.find(name.substr(0, cut));
      if (found == block->names.end() || found->second.kind != Meaning::Range)
        continue;
      uint32_t number = uint32_t(std::strtoul(std::string(name.substr(cut)).c_str(), nullptr, 10));
      if (number >= found->second.count)
        continue;
      index = found->second.index + number;
      return &found->second;
    }
  }
  return nullptr;
}

void Parser::body(Function &function) {
  current = &function;
  blocks.clear();
  blocks.emplace_back();
  source = {};
  auto parameters = [&](std::vector<Variable> &list, Meaning::Kind kind) {
    for (uint32_t i = 0; i < list.size(); ++i) {
      Token at;
      at.text = list[i].name;
      at.at = list[i].at;
      if (list[i].space == Space::Register) {
        RegisterRange range{list[i].name, list[i].type, uint32_t(function.registers.size()), 1,
                            false};
        define(at, {Meaning::Register, range.first});
        function.registers.push_back(list[i].type);
        function.ranges.push_back(range);
      } else {
        define(at, {kind, i});
      }
    }
  };
  parameters(function.parameters, Meaning::Parameter);
  parameters(function.returns, Meaning::Return);
  expect('{', "before the body");
  while (!failed() && !blocks.empty())
    statement();
  blocks.clear();
  current = nullptr;
}

void Parser::closeBlock() {
  Block block = std::move(blocks.back());
  blocks.pop_back();
  for (const Pending &pending : block.pending) {
    auto found = block.names.find(pending.name);
    if (found == block.names.end()) {
      if (blocks.empty()) {
        Token at;
        at.at = pending.at;
        return fail(at, "'" + std::string(pending.name) + "' is not declared");
      }
      blocks.back().pending.push_back(pending);
      continue;
    }
    const Meaning &meaning = found->second;
    if (meaning.kind == Meaning::Label && pending.isList) {
      current->targetLists[pending.instruction][pending.operand] = meaning.index;
      continue;
    }
    Operand::Kind kind = meaning.kind == Meaning::Label        ? Operand::Label
                         : meaning.kind == Meaning::TargetList ? Operand::List
                         : meaning.kind == Meaning::Prototype  ? Operand::Prototype
                                                               : Operand::Sink;
    if (kind == Operand::Sink || pending.isList) {
      Token at;
      at.at = pending.at;
      return fail(at, "'" + std::string(pending.name) + "' is no label");
    }
    Operand &operand = current->body[pending.instruction].operands[pending.operand];
    operand.kind = kind;
    operand.index = meaning.index;
  }
}

void Parser::statement() {
  if (token.kind == Token::End)
    return failHere("the file ends inside a function");
  if (accept('{')) {
    if (blocks.size() >= mostBlocks)
      return failHere("blocks are nested more than " + std::to_string(mostBlocks) + " deep");
    blocks.emplace_back();
    return;
  }
  if (token.is('}')) {
    closeBlock();
    return advance();
  }
  if (accept(';'))
    return;
  if (token.kind == Token::Dotted) {
    bool isExternal = false;
    linkage(isExternal);
    if (acceptDotted("reg"))
      return registers();
    if (acceptDotted("loc"))
      return locDirective();
    if (acceptDotted("file"))
      return fileDirective();
    for (auto [name, space] : {std::pair("local", Space::Local), std::pair("shared", Space::Shared),
                               std::pair("param", Space::Param), std::pair("const", Space::Const),
                               std::pair("global", Space::Global)})
      if (acceptDotted(name)) {
        // Statics of a function: one for the whole grid.
        if (space == Space::Const || space == Space::Global)
          return variables(space, isExternal, module.variables);
        return variables(space, isExternal, current->variables);
      }
    if (acceptDotted("pragma")) {
      while (token.kind == Token::String || token.is(','))
        advance();
      return expect(';', "after .pragma");
    }
    return failHere("unknown directive " + spelled(token));
  }
  if (token.kind == Token::Identifier) {
    Token first = token;
    advance();
    if (accept(':'))
      return label(first);
    if (!failed()) { // an instruction after all
      ahead = token;
      hasAhead = true;
      token = first;
    }
  }
  instruction();
}

void Parser::label(const Token &name) {
  if (acceptDotted("branchtargets"))
    return targetList(name, false);
  if (acceptDotted("calltargets"))
    return targetList(name, true);
  if (acceptDotted("callprototype"))
    return prototype(name);
  define(name, {Meaning::Label, uint32_t(current->body.size())});
}

void Parser::targetList(const Token &name, bool isCall) {
  uint32_t list = uint32_t(current->targetLists.size());
  define(name, {Meaning::TargetList, list});
  current->targetLists.emplace_back();
  do {
    Token target = token;
    identifier("a target");
    if (failed())
      return;
    if (!isCall)
      blocks.back().pending.push_back(
          {target.text, target.at, list, uint32_t(current->targetLists[list].size()), true});
    current->targetLists[list].push_back(0);
  } while (accept(','));
  expect(';', "after the targets");
}

void Parser::prototype(const Token &name) {
  define(name, {Meaning::Prototype, 0});
  while (token.kind != Token::End && !token.is(';'))
    advance();
  expect(';', "after the prototype");
}

void Parser::instruction() {
  Instruction made;
  made.at = token.at;
  made.source = source;
  if (accept('@')) {
    made.guardNegated = accept('!');
    Token at = token;
    uint32_t index;
    std::string_view name = identifier("a predicate");
    const Meaning *meaning = failed() ? nullptr : lookup(name, index);
    if (!meaning || (meaning->kind != Meaning::Register && meaning->kind != Meaning::Range) ||
        current->registers[index] != Type::Pred)
      return fail(at, "'" + std::string(name) + "' is no predicate register");
    made.guard = int32_t(index);
  }
  Token opcode = token;
  made.at = token.at;
  made.opcode = identifier("an instruction");
  while (token.kind == Token::Dotted && !failed()) {
    made.modifiers.push_back(token.text);
    advance();
  }
  uint32_t number = uint32_t(current->body.size());
  current->body.push_back(std::move(made));
  std::vector<Operand> operands;
  if (!token.is(';')) {
    do {
      // While the operands are read, a label that is not known yet refers to this place.
      Token at = token;
      Operand value = operand();
      if (failed())
        return;
      if (value.kind == Operand::Sink && !value.name.empty()) {
        bool isLast = token.is(';') || token.is(',');
        if (!isLast)
          return fail(at, "'" + std::string(value.name) + "' is not declared");
        blocks.back().pending.push_back({value.name, at.at, number, uint32_t(operands.size())});
      }
      operands.push_back(std::move(value));
      if (operands.size() > mostOperands)
        return fail(opcode, "more operands than any instruction has");
    } while (accept(','));
  }
  current->body[number].operands = std::move(operands);
  expect(';', "after the instruction");
}

// operand: primary ['|' primary]
Operand Parser::operand() {
  Operand first = primary();
  if (!token.is('|'))
    return first;
  advance();
  Operand pair;
  pair.kind = Operand::Pair;
  pair.at = first.at;
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(primary());
  for (const Operand &element : pair.elements)
    if (element.kind == Operand::Sink && !element.name.empty() && !failed())
      failHere("'" + std::string(element.name) + "' is not declared");
  return pair;
}

Operand Parser::list(char close, Operand::Kind kind) {
  Operand made;
  made.kind = kind;
  made.at = token.at;
  advance();
  while (!failed() && !token.is(close)) {
    Token at = token;
    if (token.is('{') || token.is('(') || token.is('[')) {
      failHere("lists of operands do not nest");
      break;
    }
    made.elements.push_back(primary());
    const Operand &element = made.elements.back();
    if (element.kind == Operand::Sink && !element.name.empty())
      fail(at, "'" + std::string(element.name) + "' is not declared");
    if (made.elements.size() > mostOperands)
      fail(at, "this list is too long");
    if (!accept(','))
      break;
  }
  expect(close, "at the end of the list");
  return made;
}

Operand Parser::address() {
  Operand made;
  made.kind = Operand::Address;
  made.at = token.at;
  advance();
  if (token.is('[') || token.is('{') || token.is('(')) {
    failHere("expected an address, found " + spelled(token));
    return made;
  }
  Token at = token;
  made.elements.push_back(primary());
  Operand &base = made.elements.back();
  if (base.kind == Operand::Sink && !failed())
    fail(at, base.name.empty() ? std::string("an address cannot be _")
                               : "'" + std::string(base.name) + "' is not declared");
  if (token.is('+')) {
    advance();
    made.value += uint64_t(signedNumber("an offset"));
  } else if (token.is('-')) {
    made.value += uint64_t(signedNumber("an offset"));
  }
  if (token.is(',')) {
    advance();
    if (token.is('{'))
      made.elements.push_back(list('}', Operand::Vector));
    else
      failHere("coordinates stand in braces; " + spelled(token) + " is found");
  }
  expect(']', "after the address");
  return made;
}

Operand Parser::primary() {
  Operand made;
  made.at = token.at;
  if (token.is('{'))
    return list('}', Operand::Vector);
  if (token.is('('))
    return list(')', Operand::Tuple);
  if (token.is('['))
    return address();
  if (token.is('!')) {
    advance();
    made = name();
    made.negated = true;
    if (made.kind != Operand::Register && !failed())
      failHere("'!' stands before a predicate");
    return made;
  }
  bool negative = accept('-');
  if (token.kind == Token::Integer) {
    made.kind = Operand::Integer;
    made.value = negative ? 0 - token.value : token.value;
    advance();
    return made;
  }
  if (token.kind == Token::Float) {
    made.kind = Operand::Float;
    made.isSingle = token.isSingle;
    made.value = token.value;
    if (negative)
      made.value ^= token.isSingle ? 0x80000000u : uint64_t(1) << 63;
    advance();
    return made;
  }
  if (negative) {
    failHere("expected a number after '-', found " + spelled(token));
    return made;
  }
  return name();
}

/// Kind Sink with a name: not known yet.
Operand Parser::name() {
  Operand made;
  made.at = token.at;
  made.name = identifier("an operand");
  if (failed() || made.name == "_")
    return made.name = {}, made;
  uint32_t index = 0;
  if (const Meaning *meaning = lookup(made.name, index)) {
    made.index = index;
    switch (meaning->kind) {
    case Meaning::Register:
    case Meaning::Range:
      made.kind = Operand::Register;
      break;
    case Meaning::Parameter:
    case Meaning::Return:
    case Meaning::Variable:
      made.kind = Operand::Symbol;
      made.owner = meaning->kind == Meaning::Parameter ? Operand::OfParameters
                   : meaning->kind == Meaning::Return  ? Operand::OfReturns
                                                       : Operand::OfBody;
      break;
    case Meaning::Label:
      made.kind = Operand::Label;
      break;
    case Meaning::TargetList:
      made.kind = Operand::List;
      break;
    case Meaning::Prototype:
      made.kind = Operand::Prototype;
      break;
    }
    if (made.kind != Operand::Symbol)
      return made;
  } else if (auto found = moduleVariables.find(made.name); found != moduleVariables.end()) {
    made.kind = Operand::Symbol;
    made.owner = Operand::OfModule;
    made.index = found->second;
  } else if (auto function = moduleFunctions.find(made.name); function != moduleFunctions.end()) {
    made.kind = Operand::Function;
    made.index = function->second;
    return made;
  } else if (made.name[0] == '%') {
    made.kind = Operand::Special;
    if (token.kind == Token::Dotted) {
      // %tid.x: name and component stand side by side in the text.
      made.name = std::string_view(made.name.data(), made.name.size() + 1 + token.text.size());
      advance();
    }
    return made;
  } else {
    return made;
  }
  if (token.is('+')) { // variable+4
    advance();
    made.value = uint64_t(signedNumber("an offset"));
  }
  return made;
}
