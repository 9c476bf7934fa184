//===- WarpGroupDot.cpp - ttng.warp_group_dot as wgmma --------------------===//
//
// A warp group multiplies 64 rows of a by up to 256 columns of b, 32 bytes along k, with one
// instruction, and adds to registers that lie as those of mma.sync do. Operands in shared memory
// are named by descriptors of 64 bits (the PTX manual's "matrix descriptor"):
//
//   bits 0-13   address / 16
//   bits 16-29  along k in memory: not used; across k: from a panel to the next one / 16
//   bits 32-45  from 8 rows of a panel to the next 8 / 16
//   bits 62-63  bytes of a row: 1 for 128, 2 for 64, 3 for 32
//
// The next part of an operand is at another address; all else stays. What is in the low word is
// added up there, the high one is a constant.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "MmaInstruction.h"

#include "tritium/Dialect/TileNVGPU/IR/Panels.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
constexpr int64_t kGroupRows = 64, kMostColumns = 256, kStepBytes = 32, kWarpsOfGroup = 4;
/// Registers that ptxas 13.0 wants a thread to have for an instruction of n columns: n / 2 for
/// sums, and so many more; with a left operand in registers its four.
constexpr int64_t kMoreRegisters = 26, kLeftRegisters = 4;

/// An operand in shared memory.
struct MatrixDescriptor {
  Value low; ///< for the group's first rows, or columns
  uint32_t high;
  bool isAcrossK; ///< neighbours in memory are not neighbours along k
  LinearLayout offsets;
  ArrayRef<int64_t> shape;
  int64_t elementBytes;

  /// Of an element from which a part begins, divided by 16.
  int64_t distanceTo(ArrayRef<int64_t> place) const {
    uint64_t flat = place[0] | place[1] << llvm::Log2_64(shape[0]);
    return int64_t(offsets.apply({flat})) * elementBytes / 16;
  }
};

class WarpGroupDotLowering : public LoweringContext {
public:
  explicit WarpGroupDotLowering(const LoweringContext &context) : LoweringContext(context) {}

  LogicalResult lowerDot(ttng::WarpGroupDotOp op);
  void lowerWait(ttng::WarpGroupDotWaitOp op);
  /// In front of the wait: stores of small tiles that no dot makes, which no lane does. The
  /// assembler moves waits up in front of all that does not touch memory, and what should be
  /// computed beside a dot would be computed behind it.
  std::string computeBefore(ttng::WarpGroupDotWaitOp op);
  void fence(StringRef text) { assembly({}, text, "~{memory}", {}); }
  /// An instruction that orders what happens with `registers`: they are others behind it, so that
  /// nothing is done with them before, and all is there that was.
  void passThrough(StringRef text, MutableArrayRef<Value> registers);

private:
  SmallVector<Value> wordsOf(Value left, int64_t rows, int64_t rowsAtOnce, int64_t depth);
  /// Columns of an instruction for which a thread has the registers.
  int64_t mostColumns(ttng::WarpGroupDotOp op);
  MatrixDescriptor describe(TypedValue<MemDescType> memory, unsigned k, Value group,
                            int64_t groupExtent);
  /// d += a b, 64 rows by d.size() / 32 columns.
  void multiply(ttng::WarpGroupDotOp op, MutableArrayRef<Value> d, ArrayRef<Value> left,
                const MatrixDescriptor *leftMemory, const MatrixDescriptor &right,
                int64_t leftDistance, int64_t rightDistance);
};

} // namespace

int64_t WarpGroupDotLowering::mostColumns(ttng::WarpGroupDotOp op) {
  int64_t threads = int64_t(numWarps(module)) * kLanesPerWarp;
  auto kernel = op->getParentOfType<tt::FuncOp>();
  if (auto programs = kernel->getAttrOfType<IntegerAttr>(kProgramsAtOnce))
    threads *= programs.getInt();
  int64_t registers = options.maxRegisters ? options.maxRegisters : gpu.registers / threads;
  int64_t most = kMostColumns;
  bool isLeftInMemory = isa<MemDescType>(op.getA().getType());
  while (most > 8 && most / 2 + kMoreRegisters + (isLeftInMemory ? 0 : kLeftRegisters) > registers)
    most /= 2;
  return most;
}

MatrixDescriptor WarpGroupDotLowering::describe(TypedValue<MemDescType> memory, unsigned k,
                                                Value group, int64_t groupExtent) {
  MemDescType type = memory.getType();
  auto panels = ttng::Panels::of(type);
  ArrayRef<int64_t> shape = type.getTileShape();
  int64_t bytes = tt::scalarBytes(type.getElementType());
  MatrixDescriptor result{{}, 0, panels->fastest != k, offsetsOf(type), shape, bytes};
  int64_t pattern = 8 * panels->rowBytes, mode = 128 / panels->rowBytes;
  result.high = uint32_t(pattern / 16) | uint32_t(mode == 4 ? 3 : mode) << 30;
  int64_t panelBytes = result.isAcrossK ? shape[k] * panels->rowBytes : 16;
  Value address = b.create<LLVM::PtrToIntOp>(loc, b.getI32Type(), scalar(memory));
  result.low = ior(shr(iand(address, i32(0x3ffff)), 4), i32(panelBytes / 16 << 16));
  if (group) {
    SmallVector<int64_t> place(2, 0);
    place[1 - k] = groupExtent;
    result.low = add(result.low, mul(group, i32(result.distanceTo(place))));
  }
  return result;
}

void WarpGroupDotLowering::multiply(ttng::WarpGroupDotOp op, MutableArrayRef<Value> d,
                                    ArrayRef<Value> left, const MatrixDescriptor *leftMemory,
                                    const MatrixDescriptor &right, int64_t leftDistance,
                                    int64_t rightDistance) {
  std::string element = mmaTypeName(op.getB().getType().getElementType());
  unsigned next = 0;
  std::string sums = registerList(next, d.size()), constraints, a, text;
  SmallVector<Value> operands;
  for (size_t i = 0; i < d.size(); ++i)
    constraints += i ? ",=f" : "=f";
  auto descriptor = [&](StringRef name, const MatrixDescriptor &memory, int64_t distance) {
    text += "mov.b64 " + name.str() + ", {$" + std::to_string(next++) + ", " +
            std::to_string(memory.high) + "}; ";
    operands.push_back(offset(memory.low, distance));
    constraints += ",r";
  };
  text = "{ .reg .pred p; .reg .b64 da, db; setp.ne.b32 p, 1, 0; ";
  std::string majorA;
  if (leftMemory) {
    descriptor("da", *leftMemory, leftDistance);
    a = "da";
    majorA = leftMemory->isAcrossK ? "1, " : "0, ";
  } else {
    a = registerList(next, left.size());
    operands.append(left.begin(), left.end());
    for (size_t i = 0; i < left.size(); ++i)
      constraints += ",r";
  }
  descriptor("db", right, rightDistance);
  text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(2 * d.size()) + "k16.f32." +
          element + "." + element + " " + sums + ", " + a + ", db, p, 1, 1, " + majorA +
          (right.isAcrossK ? "1; }" : "0; }");
  for (auto [i, x] : llvm::enumerate(d)) {
    constraints += "," + std::to_string(i);
    operands.push_back(x);
  }
  constraints += ",~{memory}";
  Type results =
      LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(d.size(), b.getF32Type()));
  Value whole = assembly(results, text, constraints, operands);
  for (auto [i, x] : llvm::enumerate(d))
    x = extract(whole, i);
}

void WarpGroupDotLowering::passThrough(StringRef text, MutableArrayRef<Value> registers) {
  std::string outputs, inputs;
  SmallVector<Type> types;
  for (auto [i, x] : llvm::enumerate(registers)) {
    types.push_back(x.getType());
    outputs += std::string(i ? ",=" : "=") + (x.getType().isF32() ? "f" : "r");
    inputs += "," + std::to_string(i);
  }
  Type results = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value whole = assembly(results, text, outputs + inputs + ",~{memory}",
                         SmallVector<Value>(registers.begin(), registers.end()));
  for (auto [i, x] : llvm::enumerate(registers))
    x = extract(whole, i);
}

/// The words of a left operand in registers, four for each 64 rows and step of k.
SmallVector<Value> WarpGroupDotLowering::wordsOf(Value left, int64_t rows, int64_t rowsAtOnce,
                                                 int64_t depth) {
  constexpr int64_t step = kStepBytes / 2;
  std::map<Coordinates, unsigned> places = byPlace(layout(left));
  Type element = tt::elementType(left.getType());
  SmallVector<Value> words;
  for (int64_t row = 0; row < rows; row += rowsAtOnce)
    for (int64_t k = 0; k < depth; k += step)
      for (int64_t word = 0; word < 4; ++word) {
        SmallVector<Value> pair;
        for (int64_t e = 0; e < 2; ++e) {
          Coordinates place{row + (word & 1) * 8, k + (word >> 1) * 8 + e};
          pair.push_back(toMemory(get(left)[places.at(place)], element));
        }
        words.push_back(pack(pair, 32).front());
      }
  return words;
}

LogicalResult WarpGroupDotLowering::lowerDot(ttng::WarpGroupDotOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto mma = dyn_cast_or_null<MmaEncodingAttr>(type.getEncoding());
  auto leftMemory = dyn_cast<TypedValue<MemDescType>>(op.getA());
  Type element = op.getB().getType().getElementType();
  if (!mma || mma.getVersion() != 3 || !type.getElementType().isF32() ||
      !(element.isF16() || element.isBF16()) || !ttng::Panels::of(op.getB().getType()) ||
      (leftMemory && !ttng::Panels::of(leftMemory.getType())))
    return unsupported(op, "a dot of warp groups of these types and layouts");
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  int64_t depth = op.getB().getType().getTileShape()[0], step = kStepBytes / 2;
  int64_t groupsAlongM = mma.getWarpsPerCTA()[0] / kWarpsOfGroup;
  int64_t groupsAlongN = mma.getWarpsPerCTA()[1];
  int64_t columnsOfGroup = columns / groupsAlongN,
          width = std::min(columnsOfGroup, mostColumns(op));
  // The same in all lanes, which the assembler cannot know.
  Value group = groupsAlongM * groupsAlongN > 1 ? shuffleIndex(shr(warp, 2), i32(0)) : Value();
  Value alongM = groupsAlongM > 1 ? iand(group, i32(groupsAlongM - 1)) : Value();
  Value alongN = groupsAlongN > 1 ? shr(group, llvm::Log2_64(groupsAlongM)) : Value();
  std::optional<MatrixDescriptor> left;
  if (leftMemory)
    left = describe(leftMemory, /*k=*/1, alongM, kGroupRows);
  MatrixDescriptor right = describe(op.getB(), /*k=*/0, alongN, columnsOfGroup);

  auto places = byPlace(layout(op.getResult()));
  int64_t rowsAtOnce = kGroupRows * groupsAlongM;
  // Registers that other instructions have written are there for products behind a fence.
  Registers sums = get(op.getC());
  SmallVector<Value> words;
  if (!leftMemory)
    words = wordsOf(op.getA(), rows, rowsAtOnce, depth);
  SmallVector<Value> all(sums.begin(), sums.end());
  llvm::append_range(all, words);
  passThrough("wgmma.fence.sync.aligned;", all);
  llvm::copy(ArrayRef(all).take_front(sums.size()), sums.begin());
  llvm::copy(ArrayRef(all).drop_front(sums.size()), words.begin());
  for (int64_t row = 0; row < rows; row += rowsAtOnce)
    for (int64_t column = 0; column < columnsOfGroup; column += width) {
      SmallVector<unsigned> numbers;
      for (int64_t i = 0; i < width / 2; ++i)
        numbers.push_back(places.at({row + (i >> 1 & 1) * 8, column + (i >> 2) * 8 + (i & 1)}));
      SmallVector<Value> d;
      for (unsigned r : numbers)
        d.push_back(sums[r]);
      for (int64_t k = 0; k < depth; k += step) {
        ArrayRef<Value> ofStep;
        if (!leftMemory)
          ofStep = ArrayRef(words).slice((row / rowsAtOnce * (depth / step) + k / step) * 4, 4);
        multiply(op, d, ofStep, left ? &*left : nullptr, right,
                 left ? left->distanceTo({row, k}) : 0, right.distanceTo({k, column}));
      }
      for (auto [r, x] : llvm::zip(numbers, d))
        sums[r] = x;
    }
  fence("wgmma.commit_group.sync.aligned;");
  set(op, std::move(sums));
  return success();
}

std::string WarpGroupDotLowering::computeBefore(ttng::WarpGroupDotWaitOp op) {
  constexpr size_t fewRegisters = 8;
  std::string stores;
  size_t next = 0;
  for (Value tile : op.getTiles()) {
    size_t count = get(tile).size();
    Operation *def = tile.getDefiningOp();
    if (def && !isa<ttng::WarpGroupDotOp, LoopLikeOpInterface>(def) && count <= fewRegisters)
      for (size_t i = 0; i < count; ++i)
        stores += "@p st.shared.b32 [lane], $" + std::to_string(next + i) + "; ";
    next += count;
  }
  if (stores.empty())
    return "";
  return "{ .reg .pred p; .reg .b32 lane; mov.u32 lane, %laneid; setp.gt.u32 p, lane, 31; " +
         stores + "} ";
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
  patterns.add<ttng::FenceAsyncProxyOp>([=](ttng::FenceAsyncProxyOp) {
    family->fence("fence.proxy.async.shared::cta;");
    return success();
  });
}

} // namespace tritium::ttg
