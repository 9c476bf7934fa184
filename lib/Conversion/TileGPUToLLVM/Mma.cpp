//===- Mma.cpp - matrix products on tensor cores --------------------------===//
//
// One block of c is 16x8, a step of k what Mma.h says; instructions by type:
//
//   f16            m16n8k16, on sm_75 two m16n8k8; accumulates in f32 or f16
//   bf16           m16n8k16
//   f32            tf32   m16n8k8
//                  tf32x3 a = big + small, b likewise: small big + big small + big big
//                  bf16x3 the same in bf16, m16n8k16; bf16x6: of three parts, six products
//   i8             m16n8k32, on sm_75 four m8n8k16
//   f8             m16n8k32, which accumulates in f32
//   f64            m16n8k8, before sm_90 four m8n8k4
//
// Operands from shared memory are read a step ahead, and asynchronous copies start in the
// midst of the products, so that neither keeps the tensor cores waiting behind a barrier.
//
//===----------------------------------------------------------------------===//

#include "Dot.h"

#include "tritium/Dialect/TileGPU/IR/Mma.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

std::map<Coordinates, unsigned> byPlace(const TileLayout &layout) {
  std::map<Coordinates, unsigned> places;
  for (unsigned r = 0; r < layout.registers(); ++r)
    places.try_emplace(layout.offset(r), r);
  return places;
}

namespace {
/// The parts that an f32 operand is split into, and products of them, the smallest first. One
/// more part is the first again, or 0 if that is not finite: an infinity times what is missing
/// from the other operand, which may be 0, is no part of the product.
struct Splitting {
  unsigned parts = 1;
  SmallVector<std::pair<unsigned, unsigned>> products{{0, 0}};
};

Splitting splittingFor(tt::DotOp op) {
  if (!op.getA().getType().getElementType().isF32())
    return {};
  switch (op.getInputPrecision()) {
  case tt::InputPrecision::TF32x3:
  case tt::InputPrecision::BF16x3:
    return {2, {{1, 2}, {2, 1}, {0, 0}}};
  case tt::InputPrecision::BF16x6:
    return {3, {{2, 3}, {1, 1}, {3, 2}, {1, 3}, {3, 1}, {0, 0}}};
  default:
    return {};
  }
}

struct Instruction {
  std::string name;         ///< with types: "m16n8k16.row.col.f32.f16.f16.f32"
  bool allRows, allK;       ///< 16 rows, or 8; all of a step, or half of it
  char letter;              ///< of an accumulator's register: f, d or r
  char operandLetter = 'r'; ///< likewise
};

std::string nameOf(Type type) {
  return type.isF16()            ? "f16"
         : type.isBF16()         ? "bf16"
         : type.isF32()          ? "f32"
         : type.isF64()          ? "f64"
         : type.isInteger(32)    ? "s32"
         : type.isFloat8E5M2()   ? "e5m2"
         : tt::isTileFloat(type) ? "e4m3"
                                 : "s8";
}

Instruction instructionFor(tt::DotOp op, Type sum, const GPUModel &gpu) {
  Type element = op.getA().getType().getElementType(), other = op.getB().getType().getElementType();
  auto spell = [&](StringRef shape, const std::string &a, const std::string &b) {
    std::string c = nameOf(sum);
    return shape.str() + ".row.col." + c + "." + a + "." + b + "." + c;
  };
  if (element.isInteger(8)) {
    std::string type = op.getIsUnsigned() ? "u8" : "s8";
    bool isWhole = gpu.hasWholeSteps;
    return {spell(isWhole ? "m16n8k32" : "m8n8k16", type, type), isWhole, isWhole, 'r'};
  }
  if (element.isF64()) {
    bool isWhole = gpu.hasWholeDoubleSteps;
    return {spell(isWhole ? "m16n8k8" : "m8n8k4", "f64", "f64"), isWhole, isWhole, 'd', 'd'};
  }
  if (element.isF32()) {
    bool isTF32 = op.getInputPrecision() == tt::InputPrecision::TF32 ||
                  op.getInputPrecision() == tt::InputPrecision::TF32x3;
    std::string type = isTF32 ? "tf32" : "bf16";
    return {spell(isTF32 ? "m16n8k8" : "m16n8k16", type, type), true, true, 'f'};
  }
  char letter = sum.isF16() ? 'r' : 'f';
  if (tt::scalarBits(element) == 8)
    return {spell("m16n8k32", nameOf(element), nameOf(other)), true, true, letter};
  bool isWhole = gpu.hasWholeSteps;
  return {spell(isWhole ? "m16n8k16" : "m16n8k8", nameOf(element), nameOf(element)), true, isWhole,
          letter};
}

/// "{$4, $5}", from the number `next` on.
std::string registerList(unsigned &next, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(next++);
  return text + "}";
}

/// Emits products of words.
class MmaEmitter {
public:
  MmaEmitter(LoweringContext &e, const Instruction &instruction, Type sum)
      : e(e), instruction(instruction) {
    perRegister = sum.isF16() ? 2 : 1;
    accumulator = perRegister == 2 ? e.b.getI32Type() : sum;
  }

  /// c += a b for a block. `c` are its registers in the order (g, 2t), (g, 2t + 1), (g + 8, ..);
  /// halves are packed in pairs. a[2 dk + dm], b[dk].
  void multiply(ArrayRef<Value> a, ArrayRef<Value> b, MutableArrayRef<Value> c) {
    unsigned rowParts = instruction.allRows ? 1 : 2, kParts = instruction.allK ? 1 : 2;
    size_t each = c.size() / rowParts;
    for (unsigned dk = 0; dk < kParts; ++dk)
      for (unsigned dm = 0; dm < rowParts; ++dm) {
        SmallVector<Value> left, right;
        for (unsigned k = 0; k < 2; ++k)
          for (unsigned row = 0; row < 2; ++row)
            if ((instruction.allK || k == dk) && (instruction.allRows || row == dm))
              left.push_back(a[2 * k + row]);
        for (unsigned k = 0; k < 2; ++k)
          if (instruction.allK || k == dk)
            right.push_back(b[k]);
        emit(left, right, c.slice(dm * each, each));
      }
  }

  unsigned elementsPerRegister() const { return perRegister; }
  Type accumulatorType() const { return accumulator; }

private:
  void emit(ArrayRef<Value> a, ArrayRef<Value> b, MutableArrayRef<Value> c) {
    unsigned next = 0, none = 0;
    std::string sums = registerList(next, c.size()), left = registerList(next, a.size()),
                right = registerList(next, b.size());
    std::string text = "mma.sync.aligned." + instruction.name + " " + sums + ", " + left + ", " +
                       right + ", " + registerList(none, c.size()) + ";";
    std::string constraints;
    SmallVector<Value> operands(a);
    operands.append(b.begin(), b.end());
    for (size_t i = 0; i < c.size(); ++i)
      constraints += std::string(i ? ",=" : "=") + instruction.letter;
    for (size_t i = 0; i < operands.size(); ++i)
      constraints += std::string(",") + instruction.operandLetter;
    for (auto [i, x] : llvm::enumerate(c)) {
      constraints += "," + std::to_string(i);
      operands.push_back(x);
    }
    Type results = LLVM::LLVMStructType::getLiteral(e.b.getContext(),
                                                    SmallVector<Type>(c.size(), accumulator));
    Value whole = e.assembly(results, text, constraints, operands, /*hasSideEffects=*/false);
    for (auto [i, x] : llvm::enumerate(c))
      x = e.extract(whole, i);
  }

  LoweringContext &e;
  const Instruction &instruction;
  unsigned perRegister;
  Type accumulator;
};
} // namespace

/// The parts of f32 `x` as operands of tensor cores: rounded, then what is missing, rounded.
/// Of infinities and NaN nothing is missing. If there are several, the first follows again, or 0
/// if it is not finite.
SmallVector<Value, 4> DotLowering::splitFloat(Value x, bool isTF32, unsigned parts) {
  SmallVector<Value, 4> result;
  Type f32 = b.getF32Type();
  Value finite;
  for (unsigned i = 0; i < parts; ++i) {
    Value part, rounded;
    if (isTF32) {
      part = assembly(b.getI32Type(), "cvt.rna.tf32.f32 $0, $1;", "=r,f", {x}, false);
      rounded = bitcast(part, f32);
    } else {
      Value narrow = fptrunc(x, b.getBF16Type());
      rounded = fpext(narrow, f32);
      part = bitcast(narrow, intType(16));
    }
    result.push_back(part);
    if (i + 1 == parts)
      break;
    OperationState absolute(loc, "llvm.intr.fabs", {rounded}, {f32});
    Value isFinite =
        b.create<LLVM::FCmpOp>(loc, LLVM::FCmpPredicate::olt, b.create(absolute)->getResult(0),
                               number(f32, std::numeric_limits<float>::infinity()));
    x = select(isFinite, binary<LLVM::FSubOp>(x, rounded), number(f32, 0.0));
    if (i == 0)
      finite = select(isFinite, part, constant(part.getType(), 0));
  }
  if (finite)
    result.push_back(finite);
  return result;
}

LogicalResult DotLowering::lowerMma(tt::DotOp op) {
  auto shape = mmaFragmentsFor(op);
  if (!shape)
    return unsupported(op, "a dot of these element types on tensor cores");
  Splitting splitting = splittingFor(op);
  const TileLayout &layoutA = layout(op.getA()), &layoutB = layout(op.getB()),
                   &layoutC = layout(op.getC());
  auto placesA = byPlace(layoutA), placesB = byPlace(layoutB), placesC = byPlace(layoutC);
  unsigned rank = layoutC.rank(), m = rank - 2, n = rank - 1;
  Type element = op.getA().getType().getElementType(), sum = op.getC().getType().getElementType();
  // PTX 8.5 has no f16 accumulators for f8.
  bool isFloat8 = tt::isTileFloat(element) && tt::scalarBits(element) == 8;
  Type accumulator = isFloat8 ? Type(b.getF32Type()) : sum;
  Instruction instruction = instructionFor(op, accumulator, gpu);
  MmaEmitter mma(*this, instruction, accumulator);

  // Words of operands, in their parts: kWidth neighbours along k.
  bool isTF32 = StringRef(instruction.name).contains("tf32");
  auto wordsOf = [&](const Registers &registers, std::map<Coordinates, unsigned> &places,
                     Coordinates at, unsigned k) {
    SmallVector<SmallVector<Value>, 4> elements(splitting.parts + (splitting.parts > 1));
    for (unsigned i = 0; i < shape->kWidth; ++i, ++at[k]) {
      Value x = registers[places.find(at)->second];
      if (element.isF32()) {
        for (auto [list, part] : llvm::zip(elements, splitFloat(x, isTF32, splitting.parts)))
          list.push_back(part);
      } else {
        elements[0].push_back(element.isF64() ? x : toMemory(x, element));
      }
    }
    SmallVector<Value, 4> words;
    for (ArrayRef<Value> list : elements)
      words.push_back(element.isF64() ? list[0] : pack(list, 32)[0]);
    return words;
  };
  Registers a = get(op.getA()), bRegisters = get(op.getB()), result = get(op.getC());
  if (accumulator != sum)
    for (Value &x : result)
      x = fpext(x, accumulator);
  std::map<Coordinates, SmallVector<Value, 4>> wordsA, wordsB;
  auto wordOfA = [&](const Coordinates &at) -> ArrayRef<Value> {
    auto [it, isNew] = wordsA.try_emplace(at);
    if (isNew)
      it->second = wordsOf(a, placesA, at, n);
    return it->second;
  };
  auto wordOfB = [&](const Coordinates &at) -> ArrayRef<Value> {
    auto [it, isNew] = wordsB.try_emplace(at);
    if (isNew)
      it->second = wordsOf(bRegisters, placesB, at, m);
    return it->second;
  };

  // The first of the four elements of a block, and its accumulators.
  SmallVector<Coordinates> blocks;
  for (auto &[at, reg] : placesC)
    if (at[n] % 8 == 0 && at[m] % 16 == 0)
      blocks.push_back(at);
  auto registersOf = [&](const Coordinates &at) {
    SmallVector<unsigned, 4> list;
    for (int64_t dm : {0, 8})
      for (int64_t dn : {0, 1}) {
        Coordinates atC = at;
        atC[m] += dm;
        atC[n] += dn;
        list.push_back(placesC.find(atC)->second);
      }
    return list;
  };
  unsigned perRegister = mma.elementsPerRegister();
  std::vector<SmallVector<Value, 4>> sums;
  for (const Coordinates &at : blocks) {
    SmallVector<Value> elements;
    for (unsigned r : registersOf(at))
      elements.push_back(perRegister == 2 ? bitcast(result[r], intType(16)) : result[r]);
    if (perRegister == 2)
      elements = pack(elements, 32);
    sums.emplace_back(elements.begin(), elements.end());
  }

  int64_t half = shape->k / 2;
  unsigned steps = layoutA.extents()[n] / shape->k;
  // Sums of fp8 that may be imprecise start anew every so many steps.
  unsigned restart = isFloat8 && op.getMaxNumImpreciseAcc()
                         ? std::max<unsigned>(1, op.getMaxNumImpreciseAcc() / shape->k)
                         : steps;
  std::vector<SmallVector<Value, 4>> total;

  // In the order of their use: all of b meets the first rows of a.
  SmallVector<std::function<void()>> loads;
  SmallVector<unsigned> loadsBefore{0}; // the number that a step needs
  {
    const Fragments *ofA = work->fragmentsOf(op.getA()), *ofB = work->fragmentsOf(op.getB());
    size_t nextA = 0, nextB = 0;
    for (unsigned step = 1; step <= steps; ++step) {
      auto take = [&](const Fragments *from, size_t &next, Registers &to, size_t end) {
        for (; from && next < end; ++next)
          loads.push_back([&load = from->loads[next], &to] { load(to); });
      };
      size_t endA = ofA ? ofA->loadsBelow(step * shape->k) : 0;
      take(ofA, nextA, a, std::min(endA, nextA + 1));
      take(ofB, nextB, bRegisters, ofB ? ofB->loadsBelow(step * shape->k) : 0);
      take(ofA, nextA, a, endA);
      loadsBefore.push_back(loads.size());
    }
  }
  unsigned loaded = 0;
  auto loadUpTo = [&](unsigned end) {
    for (; loaded < end; ++loaded)
      loads[loaded]();
  };
  loadUpTo(loadsBefore[1]);
  auto interleave = op->getAttrOfType<InterleaveAttr>(kInterleave);
  unsigned dots = interleave ? interleave.getDots() : 1;
  size_t copiesToStart = llvm::divideCeil(work->copies.size(), dots);
  size_t products = blocks.size() * steps, started = 0, done = 0;
  size_t productsWithCopies = dots == 1 ? products - blocks.size() / 2 : products;
  size_t laterFrom = interleave && interleave.getFrom() ? products / interleave.getFrom() : 0,
         laterIn = std::max<size_t>(1, products / (interleave ? interleave.getWithin() : 1));
  auto startLater = [&](size_t product) {
    if (product < laterFrom)
      return;
    size_t end =
        std::min(work->later.size(), work->later.size() * (product - laterFrom + 1) / laterIn);
    for (; done < end; ++done)
      work->later[done]();
  };
  for (unsigned step = 0; step < steps; ++step) {
    if (restart < steps && step % restart == 0) {
      if (step == 0)
        total = sums;
      for (auto [whole, part] : llvm::zip(total, sums))
        for (auto [x, y] : llvm::zip(whole, part)) {
          if (step)
            x = binary<LLVM::FAddOp>(x, y);
          y = number(mma.accumulatorType(), 0.0);
        }
    }
    for (auto [i, at] : llvm::enumerate(blocks)) {
      int64_t k = step * shape->k;
      // The operands of the next step in the first half of this one.
      if (step + 1 < steps) {
        unsigned from = loadsBefore[step + 1], count = loadsBefore[step + 2] - from;
        loadUpTo(from + std::min<size_t>(count, count * 2 * (i + 1) / blocks.size()));
      }
      size_t due =
          std::min(copiesToStart, copiesToStart * (step * blocks.size() + i) / productsWithCopies);
      work->startCopies(due - started);
      started = due;
      startLater(step * blocks.size() + i);
      SmallVector<ArrayRef<Value>, 4> left, right;
      for (int64_t dk : {int64_t(0), half}) {
        for (int64_t dm : {0, 8}) {
          Coordinates atA = at;
          atA[m] += dm;
          atA[n] = k + dk;
          left.push_back(wordOfA(atA));
        }
        Coordinates atB = at;
        atB[m] = k + dk;
        right.push_back(wordOfB(atB));
      }
      for (auto [partA, partB] : splitting.products) {
        SmallVector<Value, 4> x, y;
        for (ArrayRef<Value> word : left)
          x.push_back(word[partA]);
        for (ArrayRef<Value> word : right)
          y.push_back(word[partB]);
        mma.multiply(x, y, sums[i]);
      }
    }
  }
  if (dots == 1)
    work->startCopies(work->copies.size());
  startLater(2 * products);
  work->later.clear();
  for (auto [i, at] : llvm::enumerate(blocks)) {
    SmallVector<Value> elements;
    for (auto [r, x] : llvm::enumerate(sums[i])) {
      Value y = total.empty() ? x : binary<LLVM::FAddOp>(total[i][r], x);
      if (perRegister == 1) {
        elements.push_back(y);
        continue;
      }
      for (Value bits : unpack(y, 16))
        elements.push_back(bitcast(bits, sum));
    }
    for (auto [r, x] : llvm::zip(registersOf(at), elements))
      result[r] = accumulator == sum ? x : fptrunc(x, sum);
  }
  set(op, std::move(result));
  return success();
}

} // namespace tritium::ttg
