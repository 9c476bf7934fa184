//===- ElementOps.cpp - code for single elements, and the machine's own ---===//

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tritium::tt;

static SmallVector<Type> allTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  return types;
}

//===----------------------------------------------------------------------===//
// map_elementwise
//===----------------------------------------------------------------------===//

LogicalResult MapElementwiseOp::verify() {
  if (getSrcs().empty() || getResults().empty())
    return emitOpError() << "(map_elementwise_c1) needs an operand and a result";
  Type first = getSrcs()[0].getType();
  for (Type type : allTypes(*this))
    if (shapeOf(type) != shapeOf(first) || isa<PointerType>(elementType(type)))
      return emitOpError() << "(map_elementwise_c1) operands and results must hold numbers in one "
                              "shape, found "
                           << first << " and " << type;
  if (static_cast<int32_t>(getPack()) <= 0)
    return emitOpError() << "(map_elementwise_c2) pack must be positive, found "
                         << static_cast<int32_t>(getPack());
  return success();
}

/// `pack` scalars for each tile.
static SmallVector<Type> scalarsOf(TypeRange tiles, unsigned pack) {
  SmallVector<Type> scalars;
  for (Type tile : tiles)
    scalars.append(pack, elementType(tile));
  return scalars;
}

LogicalResult MapElementwiseOp::verifyRegions() {
  Block &body = getFunction().front();
  SmallVector<Type> taken = scalarsOf(getOperandTypes(), getPack());
  SmallVector<Type> returned = scalarsOf(getResultTypes(), getPack());
  if (TypeRange(body.getArgumentTypes()) != TypeRange(taken) || body.empty() ||
      !isa<MapReturnOp>(body.back()) ||
      TypeRange(body.back().getOperandTypes()) != TypeRange(returned))
    return emitOpError() << "(map_elementwise_c3) the region must take (" << taken
                         << ") and return (" << returned << ")";
  WalkResult result = body.walk([&](Operation *op) {
    auto isOther = [](Type type) { return isa<RankedTensorType, PointerType>(type); };
    if ((isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) &&
        llvm::none_of(op->getOperandTypes(), isOther) &&
        llvm::none_of(op->getResultTypes(), isOther))
      return WalkResult::advance();
    op->emitOpError() << "(map_elementwise_c4) cannot stand here: what is applied to each element "
                         "only computes, and on scalars";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {

/// Whether `op`, on scalars, has the same meaning on tiles, or is the same for all elements.
bool isForTiles(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isScalar(op->getResult(0).getType()) && (isElementwise(op) || op->getNumOperands() == 0);
}

bool isHint(NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  return name == "tt.divisibility" || name == "tt.contiguity" || name == "tt.constancy";
}

/// A function without branches and loops is operations on tiles:
///
///   map_elementwise(%x) { %b = addf %a, %one; return %b }   ->   addf %x, dense<one>
struct MapWithoutBranches : OpRewritePattern<MapElementwiseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapElementwiseOp op, PatternRewriter &rewriter) const override {
    Block &body = op.getFunction().front();
    if (op.getPack() != 1 || !llvm::all_of(body.without_terminator(),
                                           [](Operation &inner) { return isForTiles(&inner); }))
      return failure();
    Type like = op.getSrcs()[0].getType();
    IRMapping tiles;
    tiles.map(body.getArguments(), op.getSrcs());
    for (Operation &inner : body.without_terminator())
      tiles.map(inner.getResult(0), onTiles(&inner, like, tiles, rewriter));
    rewriter.replaceOp(op, llvm::map_to_vector(body.getTerminator()->getOperands(),
                                               [&](Value v) { return tiles.lookup(v); }));
    return success();
  }

  static Value onTiles(Operation *inner, Type like, const IRMapping &tiles,
                       PatternRewriter &rewriter) {
    Location loc = inner->getLoc();
    auto type = cast<RankedTensorType>(withElement(like, inner->getResult(0).getType()));
    if (auto constant = dyn_cast<arith::ConstantOp>(inner))
      return rewriter.create<arith::ConstantOp>(loc,
                                                DenseElementsAttr::get(type, constant.getValue()));
    if (inner->getNumOperands() == 0)
      return rewriter.create<SplatOp>(loc, type, rewriter.clone(*inner)->getResult(0));
    OperationState state(loc, inner->getName());
    for (Value operand : inner->getOperands())
      state.operands.push_back(tiles.lookup(operand));
    state.types.push_back(type);
    // What a hint says of a scalar, it does not say of a tile in this form.
    for (NamedAttribute attribute : inner->getAttrs())
      if (!isHint(attribute))
        state.attributes.append(attribute.getName(), attribute.getValue());
    return rewriter.create(state)->getResult(0);
  }
};

} // namespace

void MapElementwiseOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *context) {
  patterns.add<MapWithoutBranches>(context);
}

//===----------------------------------------------------------------------===//
// inline_asm
//===----------------------------------------------------------------------===//

namespace {

bool isAlnum(char c) { return llvm::isAlnum(c); }

constexpr StringLiteral kLetters =
    "r (32 bits), h or c (16), l (64), f (float32), d (float64) and b (a predicate)";

/// One constraint: the letter of a register, or the number of the output that an input shares one
/// with. `mistake` says what is wrong.
struct Constraint {
  char letter = 0;
  bool isOutput = false, isClobber = false;
  unsigned shared = 0;
  std::string mistake;
};

Constraint readConstraint(StringRef text) {
  Constraint constraint;
  auto fail = [&](const Twine &why) {
    constraint.mistake = ("the constraint '" + text + "' " + why).str();
    return constraint;
  };
  StringRef rest = text;
  if (rest.consume_front("~{")) {
    constraint.isClobber = rest.consume_back("}") && !rest.empty() && llvm::all_of(rest, isAlnum);
    return constraint.isClobber ? constraint : fail("is none of what is overwritten: '~{memory}'");
  }
  if (rest.starts_with("+"))
    return fail("is not LLVM's: write '=r' for what is written, and its number ('0') as an input");
  constraint.isOutput = rest.consume_front("=");
  if (constraint.isOutput)
    rest.consume_front("&");
  if (rest.empty())
    return fail("names no register; there are " + kLetters);
  if (!constraint.isOutput && llvm::isDigit(rest.front()))
    return rest.getAsInteger(10, constraint.shared) ? fail("is no number of an output")
                                                    : constraint;
  constraint.letter = rest.front();
  if (rest.size() != 1 || !InlineAsmOp::bitsOf(constraint.letter))
    return fail("is no register; there are " + kLetters +
                (constraint.isOutput ? "" : ", and for an output '=' before the letter"));
  return constraint;
}

/// What the constraints say: a letter for each register, outputs first.
struct Constraints {
  SmallVector<char> letters;
  unsigned outputs = 0;
  std::string mistake;
};

Constraints readConstraints(StringRef text) {
  Constraints all;
  SmallVector<StringRef> parts;
  if (!text.trim().empty())
    text.split(parts, ',');
  for (StringRef part : parts) {
    Constraint one = readConstraint(part);
    if (one.mistake.empty() && one.isOutput && all.outputs != all.letters.size())
      one.mistake = ("the output '" + part + "' stands behind an input; outputs come first").str();
    if (one.mistake.empty() && !one.isClobber && !one.letter && one.shared >= all.outputs)
      one.mistake =
          ("the constraint '" + part + "' names an output, and there are " + Twine(all.outputs))
              .str();
    if (!one.mistake.empty()) {
      all.mistake = std::move(one.mistake);
      return all;
    }
    if (one.isClobber)
      continue;
    all.outputs += one.isOutput;
    all.letters.push_back(one.letter ? one.letter : all.letters[one.shared]);
  }
  return all;
}

/// The mistake in a text that may name so many registers; empty if there is none.
std::string mistakeOf(StringRef text, unsigned registers) {
  if (llvm::any_of(text, [](char c) { return c == 0 || !llvm::isASCII(c); }))
    return "the text has a character that is not ASCII";
  auto [before, after] = text.split('$');
  while (before.size() != text.size()) {
    text = after;
    StringRef digits = text;
    bool isBraced = digits.consume_front("{");
    unsigned number = 0;
    if (!isBraced && text.consume_front("$")) {
      std::tie(before, after) = text.split('$');
      continue;
    }
    if (digits.consumeInteger(10, number) || (isBraced && !digits.consume_front("}")))
      return "a '$' in the text must stand before the number of a register ('$0'), or be '$$'";
    if (number >= registers)
      return "the text names $" + std::to_string(number) + ", and the constraints have " +
             (registers == 0   ? "no register"
              : registers == 1 ? "one register, $0"
                               : "the registers $0 to $" + std::to_string(registers - 1));
    text = digits;
    std::tie(before, after) = text.split('$');
  }
  return "";
}

std::string counted(unsigned count, StringRef word) {
  return (Twine(count) + " " + word + (count == 1 ? "" : "s")).str();
}

} // namespace

unsigned InlineAsmOp::bitsOf(char letter) {
  switch (letter) {
  case 'b':
    return 1;
  case 'h':
  case 'c':
    return 16;
  case 'r':
  case 'f':
    return 32;
  case 'l':
  case 'd':
    return 64;
  default:
    return 0;
  }
}

InlineAsmOp::Packing InlineAsmOp::packingOf(Type element, unsigned pack) {
  unsigned perRegister = std::min(std::max(32 / scalarBits(element), 1u), pack);
  return {perRegister, pack / perRegister};
}

SmallVector<char> InlineAsmOp::getLetters() { return readConstraints(getConstraints()).letters; }

void InlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

Speculation::Speculatability InlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

/// The registers that `values` take, each of which must fit its letter.
static LogicalResult checkRegisters(InlineAsmOp op, ValueRange values, StringRef what,
                                    ArrayRef<char> &letters) {
  for (auto [i, value] : llvm::enumerate(values)) {
    Type element = elementType(value.getType());
    InlineAsmOp::Packing packing = op.packingOf(value);
    unsigned bits = scalarBits(element) * packing.perRegister;
    for (char letter : letters.take_front(packing.registers)) {
      unsigned has = InlineAsmOp::bitsOf(letter);
      bool isExact = letter == 'f' || letter == 'd' || letter == 'b';
      if (bits > has || (isExact && bits != has))
        return op.emitOpError() << "(inline_asm_c4) the constraint '" << letter << "' is for "
                                << has << (has == 1 ? " bit" : " bits") << ", and " << what << " "
                                << i << " has " << bits << " in a register (" << packing.perRegister
                                << " of " << element << ")";
    }
    letters = letters.drop_front(packing.registers);
  }
  return success();
}

LogicalResult InlineAsmOp::verify() {
  if (getResults().empty())
    return emitOpError() << "(inline_asm_c1) needs a result";
  Type first = getResults()[0].getType();
  for (Type type : allTypes(*this))
    if (shapeOf(type) != shapeOf(first))
      return emitOpError() << "(inline_asm_c1) operands and results must have one shape, found "
                           << first << " and " << type;
  constexpr unsigned mostPacked = 64;
  if (!llvm::isPowerOf2_32(getPack()) || getPack() > mostPacked)
    return emitOpError() << "(inline_asm_c2) pack must be a power of two, at most " << mostPacked
                         << ", found " << static_cast<int32_t>(getPack());
  Constraints all = readConstraints(getConstraints());
  if (!all.mistake.empty())
    return emitOpError() << "(inline_asm_c3) " << all.mistake;
  unsigned outputs = 0, inputs = 0;
  for (Value result : getResults())
    outputs += packingOf(result).registers;
  for (Value argument : getArgs())
    inputs += packingOf(argument).registers;
  unsigned found = all.letters.size() - all.outputs;
  if (outputs != all.outputs || inputs != found)
    return emitOpError() << "(inline_asm_c3) the constraints '" << getConstraints() << "' have "
                         << counted(all.outputs, "output") << " and " << counted(found, "input")
                         << ", but with pack=" << getPack() << " "
                         << counted(getNumResults(), "result") << " and "
                         << counted(getArgs().size(), "argument") << " take " << outputs << " and "
                         << inputs << ": a register for each element, or for as many of less than "
                         << "32 bits as fit in 32";
  ArrayRef<char> letters = all.letters;
  if (failed(checkRegisters(*this, getResults(), "result", letters)) ||
      failed(checkRegisters(*this, getArgs(), "argument", letters)))
    return failure();
  if (std::string mistake = mistakeOf(getText(), all.letters.size()); !mistake.empty())
    return emitOpError() << "(inline_asm_c4) " << mistake;
  return success();
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

LogicalResult ReadRegisterOp::verify() {
  unsigned bits = getWhich() == MachineRegister::GLOBALTIMER ? 64 : 32;
  if (getType().isInteger(bits))
    return success();
  return emitOpError() << "(read_register_c1) " << stringifyMachineRegister(getWhich())
                       << " has type i" << bits << ", found " << getType();
}
