//===- Parser.h - recursive descent over PTX --------------------*- C++ -*-===//
//
// The first error ends the parse: afterwards every token is End, so that all loops
// leave by themselves.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_PTX_PARSER_H
#define TRITIUM_SIMULATOR_PTX_PARSER_H

#include "Lexer.h"

#include "llvm/ADT/StringMap.h"

namespace tritium::sim::ptx {

/// What a name stands for in a block.
struct Meaning {
  enum Kind : uint8_t {
    Register,
    Range,
    Variable,
    Parameter,
    Return,
    Label,
    TargetList,
    Prototype
  };
  Kind kind;
  uint32_t index, count = 1; ///< Range: first register and how many
};

class Parser {
public:
  Parser(Module &module, std::vector<Error> &errors)
      : module(module), errors(errors), lexer(module.text) {
    advance();
  }
  void parseModule();

private:
  // Tokens.
  void advance();
  void fail(const Token &at, std::string message);
  void failHere(std::string message) { fail(token, std::move(message)); }
  bool failed() const { return !errors.empty(); }
  bool accept(char c);
  bool acceptDotted(std::string_view name);
  void expect(char c, std::string_view where);
  std::string_view identifier(std::string_view what);
  uint64_t unsignedNumber(std::string_view what);
  int64_t signedNumber(std::string_view what);
  std::string spelled(const Token &token) const;

  // Module.cpp: directives.
  void versionDirective();
  void targetDirective();
  void fileDirective();
  void locDirective();
  void skipSection();
  bool linkage(bool &isExternal);
  void function(bool isEntry, bool isExternal);
  void parameterList(std::vector<Variable> &list, bool isEntry);
  void performanceDirectives(Function &function);
  void extents(uint32_t (&extent)[3]);

  // Variables.cpp
  void variables(Space space, bool isExternal, std::vector<Variable> &into);
  void attributes(Variable &variable);
  void declarator(Variable &variable);
  void initializer(Variable &variable);
  void initialElement(Variable &variable, uint64_t &offset, unsigned braces);
  void registers();

  // Body.cpp: blocks, instructions, operands.
  void body(Function &function);
  void statement();
  void label(const Token &name);
  void targetList(const Token &name, bool isCall);
  void prototype(const Token &name);
  void instruction();
  Operand operand();
  Operand primary();
  Operand name();
  Operand address();
  Operand list(char close, Operand::Kind kind);
  Operand targetOf(const Token &name);
  void closeBlock();
  const Meaning *lookup(std::string_view name, uint32_t &index) const;
  void define(const Token &name, Meaning meaning);

  Module &module;
  std::vector<Error> &errors;
  Lexer lexer;
  Token token;
  Token ahead;
  bool hasAhead = false;
  SourceLine source;

  llvm::StringMap<uint32_t> moduleVariables, moduleFunctions;

  /// A name that may be a label further on. path leads to the operand in its instruction.
  struct Pending {
    std::string_view name;
    Position at;
    uint32_t instruction, operand; ///< list: the target list and the place in it
    bool isList = false;
  };
  struct Block {
    llvm::StringMap<Meaning> names;
    std::vector<Pending> pending;
  };
  Function *current = nullptr;
  std::vector<Block> blocks;
};

} // namespace tritium::sim::ptx

#endif // TRITIUM_SIMULATOR_PTX_PARSER_H
