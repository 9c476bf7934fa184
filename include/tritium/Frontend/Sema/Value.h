//===- Value.h - what an expression of a kernel evaluates to ----*- C++ -*-===//
//
// While a kernel is compiled, an expression is either known (a constant, a type, a
// function, a module) or an SSA value in the IR. `Value` is the sum of these.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_FRONTEND_SEMA_VALUE_H
#define TRITIUM_FRONTEND_SEMA_VALUE_H

#include "tritium/Frontend/Scope.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tritium::sema {

struct Value;

/// A scalar or a tile in the IR. The IR's integers are signless, so `dtype` says
/// whether they are signed, and what a pointer points to (and whether it is const).
struct Tensor {
  mlir::Value value;
  DType dtype;

  /// Empty for a scalar.
  llvm::ArrayRef<int64_t> shape() const;
  bool isScalar() const { return shape().empty(); }
  int64_t numElements() const;
};

/// A class with @triton.aggregate.
struct AggregateClass {
  /// `kind`: what the class says that it holds: "constexpr", "tensor", "tuple",
  /// "tensor_descriptor", the label of another aggregate, or "" for anything.
  struct Field {
    std::string name, kind;
  };
  std::string name;
  /// Its own label, and those of the aggregates that it is derived from.
  std::vector<std::string> labels;
  std::shared_ptr<const Value> object; ///< the class, whose attributes the host knows
  std::vector<Field> fields;
  std::vector<std::string> statics; ///< functions that take no object
  bool hasInit = false;             ///< it has an __init__ of its own

  bool isA(std::string_view label) const;
};

/// A tuple; `names` is empty, or has a name for each element (a named tuple, an aggregate).
struct Tuple {
  std::vector<Value> elements;
  std::vector<std::string> names;
  /// Of an aggregate, which is no sequence. While its __init__ runs, the fields that are set are
  /// there, in their order.
  std::shared_ptr<const AggregateClass> aggregate = nullptr;
};

/// A type: an element type with an empty shape is kept as a `Constant`, so this is
/// always the type of a tile, or of a block pointer to one.
struct BlockType {
  DType element;
  std::vector<int64_t> shape;
  bool isPointer = false;
};

/// A kernel function, known by its text.
struct Function {
  std::shared_ptr<frontend::FunctionSource> source;
};

/// A function, class or type of the language, by its canonical name: "load",
/// "math.exp" is "exp", "triton.cdiv" is "cdiv"; Python's are "builtins.len".
struct Library {
  std::string name;
};

/// `x.sum`, to be called with the rest of its arguments: a function of the library, or `function`
/// of an aggregate.
struct BoundMethod {
  Library callee;
  std::shared_ptr<const Value> self;
  std::shared_ptr<frontend::FunctionSource> function = nullptr;
};

/// `a:b:c` within a subscript. A part that was left out is null.
struct Slice {
  std::shared_ptr<const Value> begin, end, step;
};

/// An array in memory that is accessed block by block.
struct BlockedArray {
  Tensor base;                 ///< a scalar pointer to its first element
  std::vector<Tensor> shape;   ///< in elements: int32 scalars, or int64 ones
  std::vector<Tensor> strides; ///< in elements: int64 scalars
  std::vector<int64_t> blockShape;

  DType element() const;
  int64_t rank() const { return blockShape.size(); }
};

/// `tl.make_tensor_descriptor(...)`: an array that is accessed in blocks of one shape;
/// what lies outside of it reads as padding and is not written.
struct Descriptor : BlockedArray {
  bool padsWithNaN = false;
  Tensor handle; ///< a `!tt.tensordesc` of all this; the array's are what a kernel may ask for
};

/// `tl.make_block_ptr(...)`: one block of an array.
struct BlockPointer : BlockedArray {
  std::vector<Tensor> offsets; ///< int64 scalars
  std::vector<int32_t> order;  ///< the dimensions from the fastest
};

/// `tl.scope(name)`: a named part of a kernel, which a `with` enters. It makes no code.
struct Scope {
  std::string name;
};

/// A dictionary, as it is written, or as `**META` binds it.
struct Dict {
  std::vector<std::pair<Constant, Value>> entries;
  const Value *find(const Constant &key) const;
};

template <typename T, typename... Ts>
constexpr bool isOneOf = (std::is_same_v<std::decay_t<T>, Ts> || ...);

/// Constants include dtypes (pointers too), strings and None; a tuple is always a
/// `Tuple`, never a `Constant`.
struct Value {
  std::variant<Constant, Tensor, Tuple, BlockType, Function, Library, BoundMethod, Slice, Dict,
               Descriptor, BlockPointer, Scope, frontend::External::Module,
               frontend::External::HostFunction>
      value;

  Value() = default; ///< None
  template <typename T>
    requires isOneOf<T, Constant, Tensor, Tuple, BlockType, Function, Library, BoundMethod, Slice,
                     Dict, Descriptor, BlockPointer, Scope, frontend::External::Module,
                     frontend::External::HostFunction>
  Value(T &&v) : value(std::forward<T>(v)) {}

  template <typename T> const T *getIf() const { return std::get_if<T>(&value); }
  template <typename T> T *getIf() { return std::get_if<T>(&value); }
  template <typename T> bool is() const { return std::holds_alternative<T>(value); }
  template <typename T> const T &get() const { return std::get<T>(value); }

  bool isNone() const {
    auto *c = getIf<Constant>();
    return c && c->isNone();
  }
};

/// Constants as values and back. A constant tuple becomes a Tuple of constants.
Value fromConstant(const Constant &constant);
/// Nothing unless `value` is a constant, or a tuple of constants.
std::optional<Constant> asConstant(const Value &value);
Value makeInt(Constant::Int value);
Value makeBool(bool value);
Value makeFloat(double value);
Value makeString(std::string value);
Value makeDType(DType value);

std::optional<Constant::Int> asInt(const Value &value); ///< int or bool constant
std::optional<std::string> asString(const Value &value);
std::optional<DType> asDType(const Value &value);
std::optional<bool> asBool(const Value &value); ///< bool constant only

/// For diagnostics: "int32", "float32[64, 128]", "constexpr 3", "tuple of 2", "pointer<fp32>".
std::string describe(const Value &value);
/// "[64, 128]"; "[]" for a scalar.
std::string describeShape(llvm::ArrayRef<int64_t> shape);
/// The name in the language, also of pointers: "float32", "pointer<float32>".
std::string describeType(DType dtype);

/// The array of a descriptor or a block pointer; null for anything else.
const BlockedArray *blockedArray(const Value &value);
/// The aggregate that a value is; null for anything else.
const Tuple *asAggregate(const Value &value);

/// The SSA values within `value` in order, through tuples, descriptors and block pointers.
void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &out);
/// `like` with its SSA values replaced, in order, from the front of `values`, which
/// is advanced.
Value rebuild(const Value &like, llvm::ArrayRef<mlir::Value> &values);

/// The arguments of a call, as written and already evaluated: `*args` and `**kwargs`
/// are spread.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

/// Absent after an error, which has been reported.
using Result = std::optional<Value>;

} // namespace tritium::sema

#endif // TRITIUM_FRONTEND_SEMA_VALUE_H
