//===- Elements.cpp - functions and assembly of elements, the machine -----===//
//
// A function of elements stands as often as a thread has registers of the tile, and threads take
// ways of their own through it. Nothing in it waits for other threads.
//
// Assembly stands for each group of `pack` registers. Where it came from is a comment in it, which
// tells the author's line when the assembler complains (AssemblyLines.h).
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "tritium/Kernel/AssemblyLines.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
class ElementsLowering : public LoweringContext {
public:
  explicit ElementsLowering(const LoweringContext &context) : LoweringContext(context) {}

  LogicalResult lowerMap(tt::MapElementwiseOp op);
  LogicalResult lowerAssembly(tt::InlineAsmOp op);
  LogicalResult lowerGridDependency(tt::GridDependencyOp op);

private:
  /// The registers from `first` on that are computed together; behind the last it is that again.
  SmallVector<unsigned> group(unsigned first, unsigned pack, unsigned count);
  unsigned registersOf(Value value) {
    return tt::isTile(value.getType()) ? layout(value).registers() : 1;
  }
  /// `registers` of the results are what `make` makes of them, one after the other, result by
  /// result. `guards`: not where all that they hold is padding, on which it might not end.
  LogicalResult makeGroup(ValueRange results, ArrayRef<unsigned> registers, bool guards,
                          llvm::function_ref<SmallVector<Value>(ArrayRef<Value> insides)> make);
  SmallVector<Value> callFunction(tt::MapElementwiseOp op, ArrayRef<unsigned> registers,
                                  ArrayRef<Value> insides);
  SmallVector<Value> callAssembly(tt::InlineAsmOp op, StringRef text, ArrayRef<unsigned> registers);
  Value toRegister(ArrayRef<Value> elements, Type element, char letter);
  SmallVector<Value> fromRegister(Value word, Type element, unsigned count);
  Type registerType(char letter);
  /// In the midst of a group, with a diagnostic.
  bool hasFailed = false;
};
} // namespace

SmallVector<unsigned> ElementsLowering::group(unsigned first, unsigned pack, unsigned count) {
  return llvm::map_to_vector(llvm::seq(first, first + pack),
                             [=](unsigned r) { return std::min(r, count - 1); });
}

LogicalResult
ElementsLowering::makeGroup(ValueRange results, ArrayRef<unsigned> registers, bool guards,
                            llvm::function_ref<SmallVector<Value>(ArrayRef<Value> insides)> make) {
  SmallVector<Value> insides, zeros;
  bool isPadded = guards && tt::isTile(results[0].getType());
  if (isPadded) {
    SmallVector<Value, 4> thread(threadCoordinates(results[0]));
    for (unsigned r : registers)
      insides.push_back(isInside(layout(results[0]), thread, r));
    isPadded = llvm::all_of(insides, [](Value inside) { return inside != nullptr; });
  }
  for (Value result : results)
    zeros.append(registers.size(), zero(lowered(tt::elementType(result.getType()))));
  SmallVector<Value> made =
      isPadded ? branchAround(anyOf(insides), zeros, [&] { return make(insides); }) : make(insides);
  if (hasFailed)
    return failure();
  for (auto [i, value] : llvm::enumerate(made))
    values[results[i / registers.size()]][registers[i % registers.size()]] = value;
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

SmallVector<Value> ElementsLowering::callFunction(tt::MapElementwiseOp op,
                                                  ArrayRef<unsigned> registers,
                                                  ArrayRef<Value> insides) {
  Block &body = op.getFunction().front();
  unsigned next = 0;
  for (Value source : op.getSrcs()) {
    SmallVector<Value> elements =
        llvm::map_to_vector(registers, [&](unsigned r) { return get(source)[r]; });
    // What is padding is another element, one that is none.
    Value valid = elements[0];
    for (auto [element, inside] : llvm::zip(elements, insides))
      valid = inside ? select(inside, element, valid) : element;
    for (auto [i, element] : llvm::enumerate(elements)) {
      if (i < insides.size() && insides[i] && registers.size() > 1)
        element = select(insides[i], element, valid);
      set(body.getArgument(next++), {element});
    }
  }
  for (Operation &inner : body.without_terminator())
    if (failed(lower(&inner))) {
      hasFailed = true;
      return {};
    }
  loc = op.getLoc();
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return scalar(value); });
}

LogicalResult ElementsLowering::lowerMap(tt::MapElementwiseOp op) {
  unsigned count = registersOf(op.getResults()[0]);
  for (Value result : op.getResults())
    set(result, Registers(count));
  for (unsigned first = 0; first < count; first += op.getPack()) {
    SmallVector<unsigned> registers = group(first, op.getPack(), count);
    if (failed(makeGroup(op.getResults(), registers, /*guards=*/true, [&](ArrayRef<Value> insides) {
          return callFunction(op, registers, insides);
        })))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

Type ElementsLowering::registerType(char letter) {
  return letter == 'f'   ? Type(b.getF32Type())
         : letter == 'd' ? Type(b.getF64Type())
                         : intType(tt::InlineAsmOp::bitsOf(letter));
}

/// Elements side by side, the first in the lowest bits.
Value ElementsLowering::toRegister(ArrayRef<Value> elements, Type element, char letter) {
  unsigned bits = tt::scalarBits(element), width = tt::InlineAsmOp::bitsOf(letter);
  Value word;
  for (auto [i, x] : llvm::enumerate(elements)) {
    Value part = element.isInteger(1) ? x : toMemory(x, element);
    part = shl(zext(part, width), static_cast<int64_t>(i) * bits);
    word = word ? ior(word, part) : part;
  }
  return bitcast(word, registerType(letter));
}

SmallVector<Value> ElementsLowering::fromRegister(Value word, Type element, unsigned count) {
  unsigned bits = tt::scalarBits(element);
  word = bitcast(word, intType(word.getType().getIntOrFloatBitWidth()));
  return llvm::map_to_vector(llvm::seq(0u, count), [&](unsigned i) {
    Value part = trunc(shr(word, static_cast<int64_t>(i) * bits), bits);
    return element.isInteger(1) ? part : fromMemory(part, element);
  });
}

SmallVector<Value> ElementsLowering::callAssembly(tt::InlineAsmOp op, StringRef text,
                                                  ArrayRef<unsigned> registers) {
  SmallVector<char> letters = op.getLetters();
  SmallVector<Type> outputs;
  for (Value result : op.getResults())
    for (unsigned i = 0; i < op.packingOf(result).registers; ++i)
      outputs.push_back(registerType(letters[outputs.size()]));
  SmallVector<Value> inputs;
  for (Value argument : op.getArgs()) {
    SmallVector<Value> elements =
        llvm::map_to_vector(registers, [&](unsigned r) { return get(argument)[r]; });
    auto [perRegister, count] = op.packingOf(argument);
    for (unsigned i = 0; i < count; ++i)
      inputs.push_back(toRegister(ArrayRef(elements).slice(i * perRegister, perRegister),
                                  tt::elementType(argument.getType()),
                                  letters[outputs.size() + inputs.size()]));
  }
  Type type =
      outputs.size() == 1 ? outputs[0] : LLVM::LLVMStructType::getLiteral(b.getContext(), outputs);
  Value all = assembly(type, text, op.getConstraints(), inputs, /*hasSideEffects=*/!op.getPure());
  SmallVector<Value> made;
  int64_t output = 0;
  for (Value result : op.getResults()) {
    auto [perRegister, count] = op.packingOf(result);
    for (unsigned i = 0; i < count; ++i, ++output)
      made.append(fromRegister(outputs.size() == 1 ? all : extract(all, output),
                               tt::elementType(result.getType()), perRegister));
  }
  return made;
}

LogicalResult ElementsLowering::lowerAssembly(tt::InlineAsmOp op) {
  std::string text = op.getText().str();
  if (auto place = op.getLoc()->findInstanceOf<FileLineColLoc>())
    text = assemblyAt(place.getFilename().str(), place.getLine(), place.getColumn()) + text;
  unsigned count = registersOf(op.getResults()[0]);
  for (Value result : op.getResults())
    set(result, Registers(count));
  for (unsigned first = 0; first < count; first += op.getPack()) {
    SmallVector<unsigned> registers = group(first, op.getPack(), count);
    if (failed(makeGroup(op.getResults(), registers, /*guards=*/!op.getPure(),
                         [&](ArrayRef<Value>) { return callAssembly(op, text, registers); })))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

LogicalResult ElementsLowering::lowerGridDependency(tt::GridDependencyOp op) {
  constexpr unsigned first = 90;
  if (gpu.capability < first)
    return op.emitError() << "overlapping launches begin with compute capability 9.0, and this GPU "
                             "has "
                          << gpu.capability / 10 << "." << gpu.capability % 10;
  assembly({},
           op.getKind() == tt::GridDependency::WAIT ? "griddepcontrol.wait;"
                                                    : "griddepcontrol.launch_dependents;",
           "~{memory}", {});
  return success();
}

void populateElementsPatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<ElementsLowering>(context);
  patterns.add<tt::MapElementwiseOp>([=](tt::MapElementwiseOp op) { return family->lowerMap(op); });
  patterns.add<tt::InlineAsmOp>([=](tt::InlineAsmOp op) { return family->lowerAssembly(op); });
  patterns.add<tt::GridDependencyOp>(
      [=](tt::GridDependencyOp op) { return family->lowerGridDependency(op); });
  patterns.add<tt::ReadRegisterOp>([=](tt::ReadRegisterOp op) {
    bool isClock = op.getWhich() == tt::MachineRegister::GLOBALTIMER;
    family->set(op, {family->assembly(op.getType(),
                                      isClock ? "mov.u64 $0, %globaltimer;" : "mov.u32 $0, %smid;",
                                      isClock ? "=l" : "=r", {})});
    return success();
  });
}

} // namespace tritium::ttg
