//===- WarpGroupDot.cpp - ttng.warp_group_dot as wgmma --------------------===//
//
// A warp group multiplies 64 rows of a by up to 256 columns of b, 32 bytes along k, with one
// instruction, and adds to registers that lie as those of mma.sync do, pairs of f16 in one.
// Operands in shared memory are named by descriptors of 64 bits (the PTX manual's "matrix
// descriptor"):
//
//   bits 0-13   address / 16
//   bits 16-29  along k in memory: not used; across k: from a panel to the next one / 16
//   bits 32-45  from 8 rows of a panel to the next 8 / 16
//   bits 62-63  bytes of a row: 1 for 128, 2 for 64, 3 for 32
//
// The next part of an operand is at another address; all else stays. What is in the low word is
// added up there, the high one is a constant.
//
// Sums that may be imprecise only so far begin anew in registers of their own, as often as that,
// and are then waited for and added to the result:
//
//   { wgmma.fence; wgmma, without an addend; wgmma ..; commit_group; wait_group 0; add } ..
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "MmaInstruction.h"

#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/TileOffsets.h"
#include "tritium/Dialect/TileNVGPU/IR/Panels.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Target/GPU/Strategy.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
constexpr int64_t kGroupRows = 64, kMostColumns = 256, kLeastColumns = 8, kStepBytes = 32,
                  kWarpsOfGroup = 4;
constexpr int64_t kMostRegisters = 255; // of a thread
/// Registers that ptxas 13.0 wants a thread to have for an instruction of n columns: n / 2 for
/// sums, and so many more; with a left operand in registers its four.
constexpr int64_t kMoreRegisters = 26, kLeftRegisters = 4;

/// An operand in shared memory.
struct MatrixDescriptor {
  Value low; ///< for the group's first rows, or columns
  uint32_t high;
  bool isAcrossK; ///< neighbours in memory are not neighbours along k
  TileOffsets offsets;
  int64_t elementBytes;
  int64_t panelColumns; ///< of b, that an instruction's are parts or multiples of

  /// Of an element from which a part begins, divided by 16.
  int64_t distanceTo(ArrayRef<int64_t> place) const { return offsets(place) * elementBytes / 16; }
};

/// The columns of 64 rows that an instruction adds to.
struct Part {
  int64_t row, column;
  SmallVector<unsigned> numbers; ///< of the result's registers
  SmallVector<Value> sums;       ///< an instruction's registers
};

class WarpGroupDotLowering : public LoweringContext {
public:
  explicit WarpGroupDotLowering(const LoweringContext &context) : LoweringContext(context) {}

  LogicalResult lowerDot(ttng::WarpGroupDotOp op);
  void lowerWait(ttng::WarpGroupDotWaitOp op);
  void lowerKeep(ttng::KeepOperandOp op);
  /// In front of the wait: stores of small tiles that no dot makes, which no lane does. The
  /// assembler moves waits up in front of all that does not touch memory, and what should be
  /// computed beside a dot would be computed behind it.
  std::string computeBefore(ttng::WarpGroupDotWaitOp op);
  void fence(StringRef text) { assembly({}, text, "~{memory}", {}); }
  /// An instruction that orders what happens with `registers`: they are others behind it, so that
  /// nothing is done with them before, and all is there that was.
  void passThrough(StringRef text, MutableArrayRef<Value> registers);
  void passThrough(StringRef text, ArrayRef<MutableArrayRef<Value>> lists);

protected:
  /// Columns of an instruction for which a thread has the registers.
  int64_t mostColumns(ttng::WarpGroupDotOp op, int64_t sums);
  MatrixDescriptor describe(TypedValue<MemDescType> memory, unsigned k, Value group,
                            int64_t groupExtent);
  Value sixteenths(Value address, Value more);
};

/// One dot.
class WarpGroupDot : public WarpGroupDotLowering {
public:
  WarpGroupDot(const WarpGroupDotLowering &context, ttng::WarpGroupDotOp op);
  void lower();

private:
  void readLeft();
  int64_t columnsOfPart(int64_t most) const;
  std::vector<Part> partsOf(const Registers &sums);
  SmallVector<Value> elementsOf(const Part &part);
  void addInBounds(Part &part, Registers &sums);
  /// The part's sums of the steps of k from `begin` to `end`, added to what they were or not.
  void addUp(Part &part, int64_t begin, int64_t end, bool addsFirst);
  /// d += a b, or d = a b; 64 rows by the columns of d.
  void multiply(MutableArrayRef<Value> d, ArrayRef<Value> left, int64_t leftDistance,
                int64_t rightDistance, bool adds);

  ttng::WarpGroupDotOp op;
  RankedTensorType type;
  Type elementA, elementB, sum;
  int64_t step; ///< elements along k of an instruction
  int64_t depth, groupsAlongM, columnsOfGroup;
  std::optional<MatrixDescriptor> left;
  MatrixDescriptor right;
  SmallVector<Value> words; ///< of a left operand in registers: four for each 64 rows and step
};

} // namespace

int64_t WarpGroupDotLowering::mostColumns(ttng::WarpGroupDotOp op, int64_t sums) {
  auto kernel = op->getParentOfType<tt::FuncOp>();
  int64_t threads = int64_t(launchedWarps(kernel)) * kLanesPerWarp;
  if (auto programs = kernel->getAttrOfType<IntegerAttr>(kProgramsAtOnce))
    threads *= programs.getInt();
  int64_t registers = options.maxRegisters ? options.maxRegisters : gpu.registers / threads;
  auto groups = op->getParentOfType<WarpGroupsOp>();
  if (groups && !options.maxRegisters)
    if (int32_t given = groups.getRegisters()[groups.groupOf(op)])
      registers = given;
  registers = std::min(registers, kMostRegisters) - kMoreRegisters;
  if (!isa<MemDescType>(op.getA().getType()))
    registers -= kLeftRegisters;
  // Beside all sums there are those that an instruction has begun.
  if (op.getMostImprecise())
    registers -= sums;
  return std::clamp(2 * registers, kLeastColumns, kMostColumns);
}

MatrixDescriptor WarpGroupDotLowering::describe(TypedValue<MemDescType> memory, unsigned k,
                                                Value group, int64_t groupExtent) {
  MemDescType type = memory.getType();
  auto panels = ttng::Panels::of(type);
  int64_t bytes = tt::scalarBytes(type.getElementType());
  bool isAcrossK = panels->fastest != k;
  MatrixDescriptor result{{},        0,
                          isAcrossK, TileOffsets(type),
                          bytes,     isAcrossK ? panels->rowBytes / bytes : kLeastColumns};
  int64_t pattern = 8 * panels->rowBytes, mode = 128 / panels->rowBytes;
  result.high = uint32_t(pattern / 16) | uint32_t(mode == 4 ? 3 : mode) << 30;
  int64_t panelBytes = isAcrossK ? type.getTileShape()[k] * panels->rowBytes : 16;
  Value more = i32(panelBytes / 16 << 16);
  if (group) {
    SmallVector<int64_t> place(2, 0);
    place[1 - k] = groupExtent;
    more = add(more, mul(group, i32(result.distanceTo(place))));
  }
  result.low = sixteenths(scalar(memory), more);
  return result;
}

/// `address` / 16 and `more`. The number of a buffer, which changes in a loop, is added last: all
/// else is computed in front of it.
Value WarpGroupDotLowering::sixteenths(Value address, Value more) {
  constexpr int64_t unit = 16;
  if (auto gep = address.getDefiningOp<LLVM::GEPOp>();
      gep && gep.getElemType().isInteger(8) && gep.getRawConstantIndices().size() == 1) {
    if (gep.getDynamicIndices().empty()) {
      if (int64_t bytes = gep.getRawConstantIndices()[0]; bytes % unit == 0)
        return sixteenths(gep.getBase(), offset(more, bytes / unit));
    } else if (auto index = gep.getDynamicIndices()[0].getDefiningOp<LLVM::MulOp>()) {
      APInt bytes;
      if (matchPattern(index.getRhs(), m_ConstantInt(&bytes)) && bytes.urem(unit) == 0)
        return add(sixteenths(gep.getBase(), more),
                   mul(index.getLhs(), i32(int32_t(bytes.getSExtValue() / unit))));
    }
  }
  Value whole = b.create<LLVM::PtrToIntOp>(loc, b.getI32Type(), address);
  return add(shr(iand(whole, i32(0x3ffff)), 4), more);
}

void WarpGroupDotLowering::passThrough(StringRef text, MutableArrayRef<Value> registers) {
  std::string outputs, inputs;
  SmallVector<Type> types;
  for (auto [i, x] : llvm::enumerate(registers)) {
    types.push_back(x.getType());
    outputs += std::string(i ? ",=" : "=") + (x.getType().isF32()                         ? "f"
                                              : x.getType().getIntOrFloatBitWidth() == 16 ? "h"
                                                                                          : "r");
    inputs += "," + std::to_string(i);
  }
  Type results = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value whole = assembly(results, text, outputs + inputs + ",~{memory}",
                         SmallVector<Value>(registers.begin(), registers.end()));
  for (auto [i, x] : llvm::enumerate(registers))
    x = extract(whole, i);
}

void WarpGroupDotLowering::passThrough(StringRef text, ArrayRef<MutableArrayRef<Value>> lists) {
  SmallVector<Value> all;
  for (ArrayRef<Value> list : lists)
    llvm::append_range(all, list);
  passThrough(text, all);
  ArrayRef<Value> rest = all;
  for (MutableArrayRef<Value> list : lists) {
    llvm::copy(rest.take_front(list.size()), list.begin());
    rest = rest.drop_front(list.size());
  }
}

//===----------------------------------------------------------------------===//
// One dot
//===----------------------------------------------------------------------===//

WarpGroupDot::WarpGroupDot(const WarpGroupDotLowering &context, ttng::WarpGroupDotOp op)
    : WarpGroupDotLowering(context), op(op), type(cast<RankedTensorType>(op.getType())),
      elementB(op.getB().getType().getElementType()), sum(type.getElementType()),
      step(kStepBytes / tt::scalarBytes(elementB)), depth(op.getB().getType().getTileShape()[0]) {
  auto leftMemory = dyn_cast<TypedValue<MemDescType>>(op.getA());
  elementA =
      leftMemory ? leftMemory.getType().getElementType() : tt::elementType(op.getA().getType());
  auto mma = cast<MmaEncodingAttr>(type.getEncoding());
  groupsAlongM = mma.getWarpsPerCTA()[0] / kWarpsOfGroup;
  int64_t groupsAlongN = mma.getWarpsPerCTA()[1];
  columnsOfGroup = type.getDimSize(1) / groupsAlongN;
  Value group = groupsAlongM * groupsAlongN > 1 ? shr(warpOfAllLanes(), 2) : Value();
  Value alongM = groupsAlongM > 1 ? iand(group, i32(groupsAlongM - 1)) : Value();
  Value alongN = groupsAlongN > 1 ? shr(group, llvm::Log2_64(groupsAlongM)) : Value();
  if (leftMemory)
    left = describe(leftMemory, /*k=*/1, alongM, kGroupRows);
  right = describe(op.getB(), /*k=*/0, alongN, columnsOfGroup);
  if (!leftMemory)
    readLeft();
}

/// As mma.sync has them (Mma.h).
void WarpGroupDot::readLeft() {
  std::map<Coordinates, unsigned> places = byPlace(layout(op.getA()));
  int64_t width = 4 / tt::scalarBytes(elementA);
  for (int64_t row = 0; row < type.getDimSize(0); row += kGroupRows * groupsAlongM)
    for (int64_t k = 0; k < depth; k += step)
      for (int64_t word = 0; word < 4; ++word) {
        SmallVector<Value> elements;
        for (int64_t e = 0; e < width; ++e) {
          Coordinates place{row + (word & 1) * 8, k + (word >> 1) * step / 2 + e};
          elements.push_back(toMemory(get(op.getA())[places.at(place)], elementA));
        }
        words.push_back(bitcast(pack(elements, 32).front(), b.getI32Type()));
      }
}

/// As many columns as an instruction may have, in parts of the group's that are alike.
int64_t WarpGroupDot::columnsOfPart(int64_t most) const {
  int64_t panel = right.panelColumns;
  auto isOne = [&](int64_t width) {
    bool hasInstruction = width % kLeastColumns == 0 &&
                          (!sum.isInteger(32) || width <= 32 || width % (2 * kLeastColumns) == 0);
    return hasInstruction && width <= most && (width % panel == 0 || panel % width == 0);
  };
  for (int64_t parts = 1;; ++parts)
    if (int64_t width = columnsOfGroup / parts;
        width <= kLeastColumns || (columnsOfGroup % parts == 0 && isOne(width)))
      return width;
}

std::vector<Part> WarpGroupDot::partsOf(const Registers &sums) {
  auto places = byPlace(layout(op.getResult()));
  int64_t width = columnsOfPart(mostColumns(op, sums.size()));
  std::vector<Part> parts;
  for (int64_t row = 0; row < type.getDimSize(0); row += kGroupRows * groupsAlongM)
    for (int64_t column = 0; column < columnsOfGroup; column += width) {
      Part part{row, column, {}, {}};
      for (int64_t i = 0; i < width / 2; ++i) {
        part.numbers.push_back(
            places.at({row + (i >> 1 & 1) * 8, column + (i >> 2) * 8 + (i & 1)}));
        Value x = sums[part.numbers.back()];
        part.sums.push_back(sum.isF16() ? bitcast(x, intType(16)) : x);
      }
      if (sum.isF16())
        part.sums = pack(part.sums, 32);
      parts.push_back(std::move(part));
    }
  return parts;
}

void WarpGroupDot::addUp(Part &part, int64_t begin, int64_t end, bool addsFirst) {
  for (int64_t k = begin; k < end; k += step) {
    ArrayRef<Value> ofStep;
    if (!left)
      ofStep =
          ArrayRef(words).slice((part.row / (kGroupRows * groupsAlongM) * depth + k) / step * 4, 4);
    multiply(part.sums, ofStep, left ? left->distanceTo({part.row, k}) : 0,
             right.distanceTo({k, part.column}), addsFirst || k > begin);
  }
}

/// Registers that other instructions have written are there for products behind a fence.
void WarpGroupDot::lower() {
  Registers sums = get(op.getC());
  std::vector<Part> parts = partsOf(sums);
  if (op.getMostImprecise()) {
    for (Part &part : parts)
      addInBounds(part, sums);
  } else {
    SmallVector<MutableArrayRef<Value>> all{words};
    bool isFromZero =
        matchPattern(op.getC(), m_PosZeroFloat()) || matchPattern(op.getC(), m_Zero());
    for (Part &part : parts) {
      // Zeros, where other products may be in flight, would be copies of registers of one of them.
      // A sum of nothing but -0 is +0 all the same (H200; fp16, bf16, fp8, tf32).
      if (isFromZero)
        for (Value &x : part.sums)
          x = undef(x.getType());
      all.push_back(part.sums);
    }
    passThrough("wgmma.fence.sync.aligned;", all);
    for (Part &part : parts)
      addUp(part, 0, depth, /*addsFirst=*/!isFromZero);
    fence("wgmma.commit_group.sync.aligned;");
    if (sum.isF16())
      passThrough("wgmma.wait_group.sync.aligned 0;", ArrayRef(all).drop_front());
    for (Part &part : parts)
      for (auto [number, x] : llvm::zip(part.numbers, elementsOf(part)))
        sums[number] = x;
  }
  set(op, std::move(sums));
}

/// A part's sums of as many products at a time as may be imprecise, added in registers.
void WarpGroupDot::addInBounds(Part &part, Registers &sums) {
  int64_t most = std::max<int64_t>(1, op.getMostImprecise() / step) * step;
  for (int64_t k = 0; k < depth; k += most) {
    for (Value &x : part.sums)
      x = undef(x.getType());
    SmallVector<Value> total;
    for (unsigned number : part.numbers)
      total.push_back(sums[number]);
    passThrough("wgmma.fence.sync.aligned;", {total, words});
    addUp(part, k, std::min(depth, k + most), /*addsFirst=*/false);
    fence("wgmma.commit_group.sync.aligned;");
    passThrough("wgmma.wait_group.sync.aligned 0;", part.sums);
    for (auto [number, x, y] : llvm::zip(part.numbers, total, elementsOf(part)))
      sums[number] = binary<LLVM::FAddOp>(x, y);
  }
}

/// Of the result, in the order of their numbers.
SmallVector<Value> WarpGroupDot::elementsOf(const Part &part) {
  if (!sum.isF16())
    return part.sums;
  SmallVector<Value> elements;
  for (Value word : part.sums)
    for (Value bits : unpack(word, 16))
      elements.push_back(bitcast(bits, sum));
  return elements;
}

void WarpGroupDot::multiply(MutableArrayRef<Value> d, ArrayRef<Value> leftWords,
                            int64_t leftDistance, int64_t rightDistance, bool adds) {
  unsigned next = 0;
  std::string sums = registerList(next, d.size()), constraints, a, majors, text;
  SmallVector<Value> operands;
  for (size_t i = 0; i < d.size(); ++i)
    constraints += std::string(i ? ",=" : "=") + (sum.isF32() ? "f" : "r");
  auto descriptor = [&](StringRef name, const MatrixDescriptor &memory, int64_t distance) {
    text += "mov.b64 " + name.str() + ", {$" + std::to_string(next++) + ", " +
            std::to_string(memory.high) + "}; ";
    operands.push_back(offset(memory.low, distance));
    constraints += ",r";
    if (takesAcrossDepth(elementB))
      majors += memory.isAcrossK ? ", 1" : ", 0";
  };
  text = "{ .reg .pred p; .reg .b64 da, db; setp.ne.b32 p, " + std::to_string(adds) + ", 0; ";
  if (left) {
    descriptor("da", *left, leftDistance);
    a = "da";
  } else {
    a = registerList(next, leftWords.size());
    operands.append(leftWords.begin(), leftWords.end());
    for (size_t i = 0; i < leftWords.size(); ++i)
      constraints += ",r";
  }
  descriptor("db", right, rightDistance);
  auto spell = [&](Type element) -> std::string {
    return element.isF32()                              ? "tf32"
           : element.isInteger(8) && op.getIsUnsigned() ? "u8"
                                                        : mmaTypeName(element);
  };
  int64_t columns = int64_t(d.size()) * (sum.isF16() ? 4 : 2);
  text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) + "k" +
          std::to_string(step) + "." + mmaTypeName(sum) + "." + spell(elementA) + "." +
          spell(elementB) + " " + sums + ", " + a + ", db, p" +
          (sum.isInteger(32) ? "" : ", 1, 1") + majors + "; }";
  for (auto [i, x] : llvm::enumerate(d)) {
    constraints += "," + std::to_string(i);
    operands.push_back(x);
  }
  constraints += ",~{memory}";
  Type results = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                  SmallVector<Type>(d.size(), d.front().getType()));
  Value whole = assembly(results, text, constraints, operands);
  for (auto [i, x] : llvm::enumerate(d))
    x = extract(whole, i);
}

/// Each group has as many rows and columns of its own, and columns side by side.
static bool isShared(RankedTensorType type, MmaEncodingAttr mma) {
  int64_t m = type.getDimSize(0), n = type.getDimSize(1);
  int64_t alongM = mma.getWarpsPerCTA()[0] / kWarpsOfGroup, alongN = mma.getWarpsPerCTA()[1];
  return m % (kGroupRows * alongM) == 0 && n % (kLeastColumns * alongN) == 0 &&
         (alongN == 1 || llvm::isPowerOf2_64(n));
}

LogicalResult WarpGroupDotLowering::lowerDot(ttng::WarpGroupDotOp op) {
  auto mma = dyn_cast_or_null<MmaEncodingAttr>(cast<RankedTensorType>(op.getType()).getEncoding());
  auto leftMemory = dyn_cast<TypedValue<MemDescType>>(op.getA());
  if (!mma || mma.getVersion() != 3 || !ttng::Panels::along(/*depth=*/0, op.getB().getType()) ||
      (leftMemory && !ttng::Panels::along(/*depth=*/1, leftMemory.getType())) ||
      !isShared(cast<RankedTensorType>(op.getType()), mma))
    return unsupported(op, "a dot of warp groups of these types and layouts");
  WarpGroupDot(*this, op).lower();
  return success();
}

std::string WarpGroupDotLowering::computeBefore(ttng::WarpGroupDotWaitOp op) {
  constexpr size_t fewRegisters = 8;
  SmallVector<size_t> registers;
  size_t next = 0;
  for (Value tile : op.getTiles()) {
    size_t count = get(tile).size();
    Operation *def = tile.getDefiningOp();
    if (def && !isa<ttng::WarpGroupDotOp, LoopLikeOpInterface>(def) && count <= fewRegisters)
      for (size_t i = 0; i < count; ++i)
        registers.push_back(next + i);
    next += count;
  }
  NotRun how = warps < strategy::kWarpsHeldByBranch ? NotRun::ByPredicate : NotRun::ByBranchOfWords;
  return registers.empty() ? "" : readNever(registers, how);
}

/// Neighbours along k share a word, as products take them, and are neighbours among a thread's
/// registers.
void WarpGroupDotLowering::lowerKeep(ttng::KeepOperandOp op) {
  SmallVector<Value> elements, words;
  for (Value element : get(op.getTile()))
    elements.push_back(toMemory(element, tt::elementType(op.getTile().getType())));
  std::string constraints;
  for (Value word : pack(elements, 32)) {
    constraints += "r,";
    words.push_back(bitcast(word, b.getI32Type()));
  }
  assembly({}, readNever(llvm::to_vector(llvm::seq(words.size())), NotRun::ByBranch),
           constraints + "~{memory}", words);
}

void WarpGroupDotLowering::lowerWait(ttng::WarpGroupDotWaitOp op) {
  SmallVector<Value> all;
  for (Value tile : op.getTiles())
    llvm::append_range(all, get(tile));
  std::string text =
      computeBefore(op) + "wgmma.wait_group.sync.aligned " + std::to_string(op.getPendings()) + ";";
  if (all.empty())
    return fence(text);
  passThrough(text, all);
  ArrayRef<Value> left = all;
  for (auto [tile, result] : llvm::zip(op.getTiles(), op.getResults())) {
    size_t count = get(tile).size();
    set(result, Registers(left.take_front(count)));
    left = left.drop_front(count);
  }
}

void populateWarpGroupDotPatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<WarpGroupDotLowering>(context);
  patterns.add<ttng::WarpGroupDotOp>([=](ttng::WarpGroupDotOp op) { return family->lowerDot(op); });
  patterns.add<ttng::WarpGroupDotWaitOp>([=](ttng::WarpGroupDotWaitOp op) {
    family->lowerWait(op);
    return success();
  });
  patterns.add<ttng::KeepOperandOp>([=](ttng::KeepOperandOp op) {
    family->lowerKeep(op);
    return success();
  });
  patterns.add<ttng::FenceAsyncProxyOp>([=](ttng::FenceAsyncProxyOp) {
    family->fence("fence.proxy.async.shared::cta;");
    return success();
  });
}

} // namespace tritium::ttg
