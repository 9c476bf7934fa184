//===- AxisInfoRandomTest.cpp - every claim against what is computed ------===//
//
// Random kernels of index arithmetic. Every integer value that they compute is stored
// by the interpreter, for several arguments and programs, and every claim of the
// analysis about it is checked element by element.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/AxisInfo.h"
#include "tritium/Interpreter/Interpreter.h"
#include "tritium/Pipeline/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace tritium;

namespace {
/// Writes the text of a random kernel, one operation after another.
class Generator {
public:
  explicit Generator(uint32_t seed) : random(seed) {}

  std::string kernel() {
    values[""] = {};
    scalar("%pid = tt.get_program_id 0 : i32", "%pid");
    scalars.insert(scalars.end(), {"%a", "%b", "%n"});
    for (int i = 0; i < 3; ++i)
      constant();
    for (int i = 0; i < 14; ++i)
      step();
    return "tt.func @k(%out: !tt.ptr<i64>, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, "
           "%a: i32 {tt.divisibility = 16 : i32}, %b: i32, %n: i32 {tt.divisibility = 4 : i32}) "
           "{\n" +
           text + "  tt.return\n}\n";
  }

private:
  int pick(int n) { return static_cast<int>(random() % n); }
  template <typename T> const T &pick(const std::vector<T> &list) { return list[pick(list.size())]; }
  std::string fresh() { return "%v" + std::to_string(count++); }
  void line(const std::string &op) { text += "  " + op + "\n"; }
  void scalar(const std::string &op, const std::string &name) {
    line(op);
    scalars.push_back(name);
  }
  void tile(const std::string &shape, const std::string &name, const std::string &op) {
    line(name + " = " + op);
    values[shape].push_back(name);
  }
  std::string type(const std::string &shape, const char *element = "i32") {
    return "tensor<" + shape + "x" + element + ">";
  }

  std::string number() {
    static const std::vector<int> kNumbers{0, 1, 2, 3, 4, 4, 8, 8, 12, 16, 16, 24, 32, 64, -1, -8};
    return std::to_string(pick(kNumbers));
  }

  void constant() {
    std::string name = fresh();
    scalar(name + " = arith.constant " + number() + " : i32", name);
  }

  std::string binaryOp() {
    static const std::vector<std::string> kOps{
        "addi", "addi", "addi", "subi", "muli", "muli", "divsi", "divui", "remsi", "remui", "floordivsi",
        "andi", "ori",  "xori", "minsi", "maxsi", "maxui", "shli", "shrsi", "shrui"};
    return "arith." + pick(kOps);
  }

  /// A shape that has a tile already, or a new range.
  std::string anyShape() {
    std::vector<std::string> shapes;
    for (auto &[shape, names] : values)
      if (!shape.empty() && !names.empty())
        shapes.push_back(shape);
    return shapes.empty() ? range() : pick(shapes);
  }

  std::string range() {
    static const std::vector<int> kExtents{1, 4, 8, 12, 16, 24, 32, 13};
    static const std::vector<int> kStarts{0, 0, 0, 1, 4, 16, -8};
    int extent = pick(kExtents), start = pick(kStarts);
    std::string shape = std::to_string(extent);
    tile(shape, fresh(), "tt.make_range {start = " + std::to_string(start) + " : i32, end = " +
                             std::to_string(start + extent) + " : i32} : " + type(shape));
    return shape;
  }

  std::string splat(const std::string &shape) {
    std::string name = fresh();
    tile(shape, name, "tt.splat " + pick(scalars) + " : i32 -> " + type(shape));
    return name;
  }

  /// A tile of `shape`: an old one, or a uniform one.
  std::string operand(const std::string &shape) {
    std::string name = fresh();
    switch (pick(6)) {
    case 0:
      return splat(shape);
    case 1:
    case 2:
      tile(shape, name, "arith.constant dense<" + number() + "> : " + type(shape));
      return name;
    default:
      return pick(values[shape]);
    }
  }

  void step() {
    std::string shape = anyShape(), name = fresh();
    switch (pick(12)) {
    case 0:
      range();
      break;
    case 1: {
      std::string x = pick(scalars), y = pick(scalars);
      scalar(name + " = " + binaryOp() + " " + x + ", " + y + " : i32", name);
      break;
    }
    case 2:
      if (shape.find('x') == std::string::npos) {
        int axis = pick(2);
        std::string wide = axis ? shape + "x1" : "1x" + shape, x = pick(values[shape]);
        tile(wide, name, "tt.expand_dims " + x + " {axis = " + std::to_string(axis) + " : i32} : " +
                             type(shape) + " -> " + type(wide));
        std::string both = axis ? shape + "x8" : "8x" + shape;
        tile(both, fresh(), "tt.broadcast " + name + " : " + type(wide) + " -> " + type(both));
      }
      break;
    case 3:
      if (size_t x = shape.find('x'); x != std::string::npos) {
        std::string flipped = shape.substr(x + 1) + "x" + shape.substr(0, x);
        std::string source = pick(values[shape]);
        tile(flipped, name, "tt.trans " + source + " {order = array<i32: 1, 0>} : " + type(shape) +
                                " -> " + type(flipped));
      }
      break;
    case 4: {
      std::string target = pick(2) ? reshapeOf(shape, 4) : reshapeOf(shape, 2);
      std::string source = pick(values[shape]);
      if (!target.empty())
        tile(target, name, "tt.reshape " + source + " : " + type(shape) + " -> " + type(target));
      break;
    }
    case 5: {
      static const std::vector<std::string> kPredicates{"slt", "sle", "sgt", "sge", "ult",
                                                        "ule", "ugt", "uge", "eq",  "ne"};
      std::string x = operand(shape), y = operand(shape), z = operand(shape), w = operand(shape);
      line(name + "c = arith.cmpi " + pick(kPredicates) + ", " + x + ", " + y + " : " +
           type(shape));
      tile(shape, name, "arith.select " + name + "c, " + z + ", " + w + " : " +
                            type(shape, "i1") + ", " + type(shape));
      break;
    }
    case 6: {
      // Carries x through an operation that differs from iteration to iteration.
      std::string x = operand(shape), y = operand(shape), id = name.substr(1), op = binaryOp();
      line("%z" + id + " = arith.constant 0 : i32");
      line("%one" + id + " = arith.constant 1 : i32");
      tile(shape, name,
           "scf.for %i" + id + " = %z" + id + " to %n step %one" + id + " iter_args(%c" + id +
               " = " + x + ") -> " + type(shape) + " : i32 {\n    %s" + id + " = " + op + " %c" +
               id + ", " + y + " : " + type(shape) + "\n    scf.yield " +
               (pick(3) ? "%s" + id : y) + " : " + type(shape) + "\n  }");
      break;
    }
    case 7: {
      std::string x = operand(shape);
      line(name + "s = tt.splat %p : !tt.ptr<f32> -> " + type(shape, "!tt.ptr<f32>"));
      line(name + "p = tt.addptr " + name + "s, " + x + " : " + type(shape, "!tt.ptr<f32>") + ", " +
           type(shape));
      break;
    }
    default: {
      std::string x = operand(shape), y = operand(shape);
      tile(shape, name, binaryOp() + " " + x + ", " + y + " : " + type(shape));
    }
    }
  }

  /// `shape` with the last dimension cut by `factor`, or joined to one dimension.
  std::string reshapeOf(const std::string &shape, int factor) {
    size_t x = shape.find('x');
    if (x != std::string::npos)
      return std::to_string(std::stoi(shape) * std::stoi(shape.substr(x + 1)));
    int extent = std::stoi(shape);
    return extent % factor ? "" : std::to_string(extent / factor) + "x" + std::to_string(factor);
  }

  std::mt19937 random;
  int count = 0;
  std::string text;
  std::vector<std::string> scalars;
  std::map<std::string, std::vector<std::string>> values; ///< by shape
};

struct Observed {
  AxisInfo info;
  SmallVector<int64_t> shape;
  int64_t unit = 1;   ///< bytes of a pointee
  int64_t offset = 0; ///< of its elements among what is stored
  std::string text;
};

/// Stores the integers and addresses of every top-level value to `%out`, as i64.
std::vector<Observed> observeAll(tt::FuncOp func, int64_t &total) {
  AxisInfoAnalysis analysis(func);
  std::vector<Observed> observed;
  SmallVector<Value> found;
  for (Operation &op : func.getBody().front())
    for (Value value : op.getResults())
      if (Type element = tt::elementType(value.getType());
          element.isInteger(32) || element.isInteger(1) || isa<tt::PointerType>(element))
        found.push_back(value);
  OpBuilder b(func.getBody().front().getTerminator());
  Location loc = func.getLoc();
  total = 0;
  for (Value value : found) {
    Observed o{analysis.get(value), {}, 1, total, ""};
    llvm::raw_string_ostream(o.text) << value;
    Type type = value.getType();
    if (!tt::isTile(type)) {
      type = RankedTensorType::get({1}, type);
      value = b.create<tt::SplatOp>(loc, type, value);
    }
    o.shape.assign(tt::shapeOf(type).begin(), tt::shapeOf(type).end());
    int64_t count = cast<RankedTensorType>(type).getNumElements();
    auto flat = [&](Type element) { return RankedTensorType::get({count}, element); };
    value = b.create<tt::ReshapeOp>(loc, flat(tt::elementType(type)), value);
    if (auto pointer = dyn_cast<tt::PointerType>(tt::elementType(type))) {
      o.unit = tt::scalarBytes(pointer.getPointeeType());
      value = b.create<tt::PtrToIntOp>(loc, flat(b.getI64Type()), value);
    } else {
      value = b.create<arith::ExtSIOp>(loc, flat(b.getI64Type()), value);
    }
    Value at = b.create<tt::MakeRangeOp>(loc, flat(b.getI32Type()), int32_t(total),
                                         int32_t(total + count));
    Type pointers = flat(func.getArgumentTypes()[0]);
    Value base = b.create<tt::SplatOp>(loc, pointers, func.getArgument(0));
    Value target = b.create<tt::AddPtrOp>(loc, pointers, base, at);
    b.create<tt::StoreOp>(loc, target, value, Value());
    total += count;
    observed.push_back(std::move(o));
  }
  return observed;
}

/// Checks one value along dimension d, for all indices of the others.
::testing::AssertionResult holds(const Observed &o, const std::vector<int64_t> &stored, size_t d) {
  int64_t extent = o.shape[d], inner = 1, outer = 1;
  for (size_t e = 0; e < o.shape.size(); ++e)
    (e < d ? outer : e > d ? inner : extent) *= e == d ? 1 : o.shape[e];
  int64_t c = o.info.contiguity[d], q = o.info.divisibility[d], k = o.info.constancy[d];
  for (int64_t a = 0; a < outer; ++a)
    for (int64_t b = 0; b < inner; ++b)
      for (int64_t i = 0; i < extent; ++i) {
        auto at = [&](int64_t j) { return stored[o.offset + (a * extent + j) * inner + b]; };
        if (int32_t(at(i)) != int32_t(at(i / c * c) + i % c * o.unit) || at(i / c * c) % q != 0 ||
            at(i) != at(i / k * k) || (o.info.constant && at(i) != *o.info.constant))
          return ::testing::AssertionFailure()
                 << o.text << "\n dimension " << d << ", element " << i << " is " << at(i)
                 << "; claims: contiguity " << c << ", divisibility " << q << ", constancy " << k;
      }
  return ::testing::AssertionSuccess();
}

void checkKernel(uint32_t seed, int64_t &strong) {
  DialectRegistry registry;
  registerTileDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string text = Generator(seed).kernel();
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  ASSERT_TRUE(module) << text;
  int64_t total;
  std::vector<Observed> observed = observeAll(*module->getOps<tt::FuncOp>().begin(), total);
  ASSERT_TRUE(succeeded(verify(*module))) << text;
  std::string ttir;
  llvm::raw_string_ostream(ttir) << *module;
  for (const Observed &o : observed)
    for (size_t d = 0; d < o.shape.size(); ++d)
      strong += (o.shape[d] > 1 && o.info.contiguity[d] > 1) + (o.info.constancy[d] > 1) +
                (o.info.divisibility[d] > 1);

  const int64_t kArguments[][3] = {{0, 0, 0}, {16, 3, 4}, {48, -5, 8}, {-32, 7, 12}};
  std::vector<int64_t> stored(total);
  std::vector<float> memory(16);
  for (auto [a, b, n] : kArguments)
    for (uint32_t grid = 1; grid <= 4; grid += 3) {
      // The last program's values stay.
      uint32_t grids[3] = {grid, 1, 1};
      InterpreterOptions options;
      options.buffers = {{reinterpret_cast<uint64_t>(stored.data()), stored.size() * 8, true}};
      std::vector<uint64_t> args{reinterpret_cast<uint64_t>(stored.data()),
                                 reinterpret_cast<uint64_t>(memory.data()) & ~uint64_t(15),
                                 uint32_t(a), uint32_t(b), uint32_t(n)};
      ASSERT_EQ(interpret(ttir, args, grids, options), "") << text;
      for (const Observed &o : observed)
        for (size_t d = 0; d < o.shape.size(); ++d)
          ASSERT_TRUE(holds(o, stored, d)) << "seed " << seed << "\n" << text;
    }
}
} // namespace

TEST(AxisInfoRandom, EveryClaimHolds) {
  int64_t strong = 0;
  for (uint32_t seed = 0; seed < 300 && !HasFatalFailure(); ++seed)
    checkKernel(seed, strong);
  // An analysis that claims nothing would pass as well.
  EXPECT_GT(strong, 3000);
}
