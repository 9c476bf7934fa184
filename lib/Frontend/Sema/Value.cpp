//===- Value.cpp - what an expression evaluates to ------------------------===//

#include "tritium/Frontend/Sema/Value.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/ConstantFold.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/ADT/STLExtras.h"

using namespace tritium;
using namespace tritium::sema;

llvm::ArrayRef<int64_t> Tensor::shape() const { return tt::shapeOf(value.getType()); }

int64_t Tensor::numElements() const {
  int64_t n = 1;
  for (int64_t extent : shape())
    n *= extent;
  return n;
}

DType BlockedArray::element() const { return pointee(base.dtype); }

const BlockedArray *sema::blockedArray(const Value &value) {
  if (auto *descriptor = value.getIf<Descriptor>())
    return descriptor;
  return value.getIf<BlockPointer>();
}

const Tuple *sema::asAggregate(const Value &value) {
  auto *tuple = value.getIf<Tuple>();
  return tuple && tuple->aggregate ? tuple : nullptr;
}

bool AggregateClass::isA(std::string_view label) const { return llvm::is_contained(labels, label); }

const Value *Dict::find(const Constant &key) const {
  for (const auto &[other, value] : entries)
    if (constantsEqual(other, key))
      return &value;
  return nullptr;
}

Value sema::fromConstant(const Constant &constant) {
  auto *elements = std::get_if<Constant::Tuple>(&constant.value);
  if (!elements)
    return constant;
  Tuple tuple;
  for (const Constant &element : *elements)
    tuple.elements.push_back(fromConstant(element));
  return tuple;
}

std::optional<Constant> sema::asConstant(const Value &value) {
  if (auto *constant = value.getIf<Constant>())
    return *constant;
  auto *module = value.getIf<frontend::External::Module>();
  if (module && !module->object.empty())
    return Constant{Constant::Object{module->object}};
  auto *tuple = value.getIf<Tuple>();
  if (!tuple || tuple->aggregate)
    return std::nullopt;
  Constant::Tuple elements;
  for (const Value &element : tuple->elements) {
    auto constant = asConstant(element);
    if (!constant)
      return std::nullopt;
    elements.push_back(std::move(*constant));
  }
  return Constant{std::move(elements)};
}

Value sema::makeInt(Constant::Int value) { return Constant{value}; }
Value sema::makeBool(bool value) { return Constant{value}; }
Value sema::makeFloat(double value) { return Constant{value}; }
Value sema::makeString(std::string value) { return Constant{std::move(value)}; }
Value sema::makeDType(DType value) { return Constant{value}; }

template <typename T> static const T *constantIf(const Value &value) {
  auto *constant = value.getIf<Constant>();
  return constant ? std::get_if<T>(&constant->value) : nullptr;
}

std::optional<Constant::Int> sema::asInt(const Value &value) {
  if (auto *i = constantIf<Constant::Int>(value))
    return *i;
  if (auto *b = constantIf<bool>(value))
    return *b ? 1 : 0;
  return std::nullopt;
}

std::optional<std::string> sema::asString(const Value &value) {
  if (auto *s = constantIf<std::string>(value))
    return *s;
  return std::nullopt;
}

std::optional<DType> sema::asDType(const Value &value) {
  if (auto *t = constantIf<DType>(value))
    return *t;
  return std::nullopt;
}

std::optional<bool> sema::asBool(const Value &value) {
  if (auto *b = constantIf<bool>(value))
    return *b;
  return std::nullopt;
}

std::string sema::describeShape(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string sema::describeType(DType dtype) {
  if (!dtype.isPointer())
    return std::string(dtype.languageName());
  DType element = dtype;
  --element.pointerDepth;
  element.isConst = false;
  return (dtype.isConst ? "pointer<const " : "pointer<") + describeType(element) + ">";
}

namespace {
struct Describe {
  std::string operator()(const Constant &c) const {
    if (auto *dtype = std::get_if<DType>(&c.value))
      return "the type " + describeType(*dtype);
    return c.isNone() ? "None" : "constexpr " + c.repr();
  }
  std::string operator()(const Tensor &t) const {
    return describeType(t.dtype) + (t.isScalar() ? "" : describeShape(t.shape()));
  }
  std::string operator()(const Tuple &t) const {
    std::string text = (t.aggregate ? t.aggregate->name : "") + "(";
    bool isNamed = !t.names.empty();
    for (size_t i = 0; i < t.elements.size(); ++i)
      text += (i ? ", " : "") + (isNamed ? t.names[i] + "=" : "") + describe(t.elements[i]);
    return text + (t.elements.size() == 1 && !isNamed && !t.aggregate ? ",)" : ")");
  }
  std::string operator()(const BlockType &b) const {
    std::string tile = describeType(b.element) + describeShape(b.shape);
    return "the type " + (b.isPointer ? "pointer<" + tile + ">" : tile);
  }
  std::string operator()(const Function &f) const {
    return "the function '" + f.source->name + "'";
  }
  std::string operator()(const Library &l) const { return "the library function '" + l.name + "'"; }
  std::string operator()(const BoundMethod &m) const {
    return "the method '" + (m.function ? m.function->name : m.callee.name) + "'";
  }
  std::string operator()(const Descriptor &d) const {
    return "a tensor descriptor of " + blocks(d);
  }
  std::string operator()(const BlockPointer &p) const { return "a block pointer to " + blocks(p); }
  std::string operator()(const Scope &s) const { return "the scope '" + s.name + "'"; }
  std::string operator()(const Slice &) const { return "a slice"; }
  std::string operator()(const Dict &d) const {
    std::string text = "the dictionary {";
    for (const auto &entry : d.entries)
      text += (&entry == &d.entries.front() ? "" : ", ") + entry.first.repr() + ": " +
              describe(entry.second);
    return text + "}";
  }
  std::string operator()(const frontend::External::Module &m) const {
    if (!m.object.empty())
      return "the object " + m.object;
    return m.library.empty() ? "a module" : "the module '" + m.library + "'";
  }
  std::string operator()(const frontend::External::HostFunction &f) const {
    return "the host function '" + f.name + "'";
  }

private:
  static std::string blocks(const BlockedArray &array) {
    return describeType(array.element()) + describeShape(array.blockShape);
  }
};
} // namespace

std::string sema::describe(const Value &value) { return std::visit(Describe{}, value.value); }

/// Calls `visit` on every tensor within `value`.
template <typename V, typename F> static void eachTensor(V &value, F visit) {
  auto eachOf = [&](auto &tensors) {
    for (auto &tensor : tensors)
      visit(tensor);
  };
  auto arrayOf = [&](auto &array) {
    visit(array.base);
    eachOf(array.shape);
    eachOf(array.strides);
  };
  if (auto *tensor = value.template getIf<Tensor>()) {
    visit(*tensor);
  } else if (auto *tuple = value.template getIf<Tuple>()) {
    for (auto &element : tuple->elements)
      eachTensor(element, visit);
  } else if (auto *dict = value.template getIf<Dict>()) {
    for (auto &[name, entry] : dict->entries)
      eachTensor(entry, visit);
  } else if (auto *descriptor = value.template getIf<Descriptor>()) {
    arrayOf(*descriptor);
    visit(descriptor->handle);
  } else if (auto *pointer = value.template getIf<BlockPointer>()) {
    arrayOf(*pointer);
    eachOf(pointer->offsets);
  }
}

void sema::flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &out) {
  eachTensor(value, [&](const Tensor &tensor) { out.push_back(tensor.value); });
}

Value sema::rebuild(const Value &like, llvm::ArrayRef<mlir::Value> &values) {
  Value result = like;
  eachTensor(result, [&](Tensor &tensor) {
    tensor.value = values.front();
    values = values.drop_front();
  });
  return result;
}
