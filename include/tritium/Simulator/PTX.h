//===- PTX.h - PTX in a typed form ------------------------------*- C++ -*-===//
//
// The tree that the parser makes of a PTX module. Every name is resolved: an operand
// holds the index of its register, variable, function or instruction. Views point into
// Module::text.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_PTX_H
#define TRITIUM_SIMULATOR_PTX_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tritium::sim::ptx {

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  U16x2,
  S16x2,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F32x2,
  F64,
  TF32,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
  S4,
  U4,
  B1, ///< elements of matrices only
};

/// Bits of a value of the type; 1 for a predicate, 0 for None.
unsigned bitsOf(Type type);
bool isSigned(Type type);
bool isFloat(Type type);
bool isInteger(Type type); ///< U*, S* (also packed) and B*
std::string_view nameOf(Type type);
/// None if no type has this name (without its dot).
Type typeNamed(std::string_view name);

enum class Space : uint8_t { Generic, Register, Const, Global, Local, Param, Shared };
std::string_view nameOf(Space space);

/// A place in the PTX text, from 1.
struct Position {
  uint32_t line = 0, column = 0;
};
/// A place in the program that the PTX was made from (.loc). File 0: unknown.
struct SourceLine {
  uint32_t file = 0, line = 0, column = 0;
  bool operator==(const SourceLine &) const = default;
};

struct Error {
  std::string message;
  Position at;
};

struct Operand {
  enum Kind : uint8_t {
    Register, ///< index: in Function::registers
    Special,  ///< name: %tid.x and the like
    Integer,  ///< value
    Float,    ///< value: the bits of a double; isSingle: of a float
    Symbol,   ///< the address of a variable (owner, index), plus value
    Function, ///< index: in Module::functions
    Label,    ///< index: of an instruction
    List,     ///< index: of a list of branch targets
    Prototype,
    Vector,  ///< elements
    Pair,    ///< d|p: two elements
    Address, ///< [elements[0] + value]; elements[1], if any: a Vector of coordinates
    Tuple,   ///< arguments of a call
    Sink,    ///< _
  };
  Kind kind = Sink;
  bool negated = false; ///< !p
  bool isSingle = false;
  /// Symbol: the list that index is of.
  enum Owner : uint8_t { OfModule, OfBody, OfParameters, OfReturns } owner = OfBody;
  uint32_t index = 0;
  uint64_t value = 0;
  std::string_view name;
  Position at;
  std::vector<Operand> elements;
};

struct Instruction {
  std::string_view opcode;
  std::vector<std::string_view> modifiers; ///< without their dots
  std::vector<Operand> operands;
  int32_t guard = -1; ///< register
  bool guardNegated = false;
  Position at;
  SourceLine source;
};

/// Registers that one directive declares: name, or name0, name1, ...
struct RegisterRange {
  std::string_view name;
  Type type = Type::None;
  uint32_t first = 0, count = 1;
  bool numbered = false;
};

/// The address of another variable in an initial value.
struct Relocation {
  uint64_t offset = 0;
  uint32_t variable = 0; ///< or function, if isFunction
  uint64_t addend = 0;
  bool generic = false, isFunction = false;
  uint8_t bytes = 8;
};

struct Variable {
  std::string_view name;
  Space space = Space::Generic;
  Type type = Type::None;
  uint32_t align = 1;
  uint64_t size = 0; ///< bytes; 0 for an array of unknown extent
  bool isExternal = false;
  std::vector<uint8_t> initial;
  std::vector<Relocation> relocations;
  Position at;
};

struct Function {
  std::string_view name;
  bool isEntry = false, isDefined = false;
  std::vector<Variable> parameters, returns;
  std::vector<RegisterRange> ranges;
  std::vector<Type> registers;
  std::vector<Variable> variables; ///< .local, .shared, .param of the body
  std::vector<Instruction> body;
  std::vector<std::vector<uint32_t>> targetLists;
  uint32_t required[3] = {0, 0, 0}, maximum[3] = {0, 0, 0}; ///< .reqntid, .maxntid; 0: none
  uint32_t maxRegisters = 0;
  uint32_t cluster[3] = {0, 0, 0}; ///< .reqnctapercluster
  Position at;

  std::string registerName(uint32_t index) const;
};

struct Module {
  std::string text;
  unsigned version = 0; ///< 85 for 8.5
  std::string_view target;
  unsigned capability = 0;        ///< 80 for sm_80
  std::vector<std::string> files; ///< by .file's number
  std::vector<Variable> variables;
  std::vector<Function> functions;

  const Function *find(std::string_view name) const;
  std::string render(const SourceLine &line) const; ///< "file.cu:12"; "" if unknown
};

/// The newest PTX that is understood: 9.0.
inline constexpr unsigned newestVersion = 90;

/// Null if there are errors, which are then at least one and at most 20.
std::unique_ptr<Module> parse(std::string text, std::vector<Error> &errors);

} // namespace tritium::sim::ptx

#endif // TRITIUM_SIMULATOR_PTX_H
