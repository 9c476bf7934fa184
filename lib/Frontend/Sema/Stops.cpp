//===- Stops.cpp - where a debugger may stop a program --------------------===//

#include "tritium/Frontend/Sema/Stops.h"

#include "tritium/Dialect/Debug/IR/Debug.h"
#include "tritium/Dialect/Tile/IR/Tile.h"

using namespace tritium;
using namespace tritium::sema;

namespace {
/// What a line shows, in parts that are scalars, tiles and texts.
struct Parts {
  llvm::SmallVector<std::string> names, types;
  llvm::SmallVector<int32_t> masks;
  llvm::SmallVector<mlir::Value> values, maskValues;
  llvm::SmallVector<mlir::NamedAttribute> known;

  void add(Sema &sema, const std::string &name, const Value &value);

private:
  void addTensor(const std::string &name, const Tensor &tensor);
  void addArray(Sema &sema, const std::string &name, const BlockedArray &array);
};
} // namespace

/// What a load leaves where its mask is false is nothing that the kernel may use, unless it says
/// what stands there.
static mlir::Value maskOf(mlir::Value value) {
  auto load = value.getDefiningOp<tt::LoadOp>();
  bool isOpen = load && load.getMask() && !load.getOther() &&
                tt::shapeOf(load.getMask().getType()) == tt::shapeOf(value.getType());
  return isOpen ? load.getMask() : nullptr;
}

void Parts::addTensor(const std::string &name, const Tensor &tensor) {
  names.push_back(name);
  types.push_back(describeType(tensor.dtype));
  values.push_back(tensor.value);
  mlir::Value mask = maskOf(tensor.value);
  masks.push_back(mask ? static_cast<int32_t>(maskValues.size()) : -1);
  if (mask)
    maskValues.push_back(mask);
}

void Parts::addArray(Sema &sema, const std::string &name, const BlockedArray &array) {
  auto addAll = [&](const char *part, llvm::ArrayRef<Tensor> all) {
    for (auto [i, each] : llvm::enumerate(all))
      addTensor(name + "." + part + "[" + std::to_string(i) + "]", each);
  };
  addTensor(name + ".base", array.base);
  addAll("shape", array.shape);
  addAll("strides", array.strides);
  Tuple block;
  for (int64_t extent : array.blockShape)
    block.elements.push_back(makeInt(extent));
  add(sema, name + ".block_shape", block);
}

void Parts::add(Sema &sema, const std::string &name, const Value &value) {
  if (auto *tensor = value.getIf<Tensor>())
    return addTensor(name, *tensor);
  if (const BlockedArray *array = blockedArray(value)) {
    addArray(sema, name, *array);
    if (auto *pointer = value.getIf<BlockPointer>())
      for (auto [i, offset] : llvm::enumerate(pointer->offsets))
        addTensor(name + ".offsets[" + std::to_string(i) + "]", offset);
    return;
  }
  if (auto *tuple = value.getIf<Tuple>(); tuple && !tuple->elements.empty()) {
    for (auto [i, element] : llvm::enumerate(tuple->elements))
      add(sema,
          i < tuple->names.size() ? name + "." + tuple->names[i]
                                  : name + "[" + std::to_string(i) + "]",
          element);
    return;
  }
  // Functions and modules are what the text says they are.
  bool isData = value.is<Constant>() || value.is<Tuple>() || value.is<BlockType>();
  if (auto *dict = value.getIf<Dict>())
    for (const auto &[key, entry] : dict->entries)
      add(sema, name + "[" + key.repr() + "]", entry);
  else if (isData)
    known.push_back(sema.builder().getNamedAttr(
        name, sema.builder().getStringAttr(value.is<Constant>() && !asDType(value)
                                               ? value.get<Constant>().repr()
                                               : sema.format(value))));
}

/// Whether control is in code that runs once for a program, and not for each element.
static bool runsAlone(mlir::OpBuilder &builder) {
  mlir::Operation *around = builder.getInsertionBlock()->getParentOp();
  while (
      llvm::isa<mlir::scf::ForOp, mlir::scf::IfOp, mlir::scf::WhileOp, mlir::scf::ExecuteRegionOp>(
          around))
    around = around->getParentOp();
  return llvm::isa<tt::FuncOp>(around);
}

/// Whether operations here can use all of the value.
static bool isVisible(mlir::OpBuilder &builder, const Value &value) {
  llvm::SmallVector<mlir::Value> parts;
  flatten(value, parts);
  return llvm::all_of(parts, [&](mlir::Value part) {
    return part.getParentRegion()->isAncestor(builder.getInsertionBlock()->getParent());
  });
}

void build::line(Sema &sema, llvm::StringRef function, llvm::ArrayRef<Variable> variables) {
  const std::vector<CallFrame> &calls = sema.callStack();
  mlir::OpBuilder &builder = sema.builder();
  if (llvm::any_of(calls, [](const CallFrame &call) { return call.isLibrary; }) ||
      !runsAlone(builder))
    return;
  Parts parts;
  for (const auto &[name, value] : variables)
    if (isVisible(builder, value))
      parts.add(sema, name, value);
  for (int32_t &mask : parts.masks)
    if (mask >= 0)
      mask += static_cast<int32_t>(parts.values.size());
  parts.values.append(parts.maskValues);
  auto texts = [&](llvm::ArrayRef<std::string> all) {
    return builder.getStrArrayAttr(llvm::SmallVector<llvm::StringRef>(all.begin(), all.end()));
  };
  builder.getContext()->loadDialect<dbg::DebugDialect>();
  builder.create<dbg::LineOp>(sema.loc(), function, static_cast<int32_t>(calls.size()),
                              texts(parts.names), texts(parts.types), parts.masks,
                              builder.getDictionaryAttr(parts.known), parts.values);
}

void build::breakpoint(Sema &sema, llvm::ArrayRef<int64_t> pid) {
  if (!runsAlone(sema.builder()))
    return;
  sema.builder().getContext()->loadDialect<dbg::DebugDialect>();
  sema.builder().create<dbg::BreakpointOp>(sema.loc(), pid);
}
