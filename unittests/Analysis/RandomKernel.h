//===- RandomKernel.h - random kernels of index arithmetic ------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_ANALYSIS_RANDOMKERNEL_H
#define TRITIUM_UNITTESTS_ANALYSIS_RANDOMKERNEL_H

#include <map>
#include <random>
#include <string>
#include <vector>

namespace tritium::testing {

/// Writes the text of a random kernel @k, one operation after another: index arithmetic
/// on scalars and tiles of i32, with shapes, comparisons, loops and addresses. Its
/// arguments are %out (for the caller), %p, and the integers %a (a multiple of 16), %b
/// and %n (a multiple of 4).
class RandomKernel {
public:
  explicit RandomKernel(uint32_t seed) : random(seed) {}

  std::string text() {
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
           body + "  tt.return\n}\n";
  }

private:
  int pick(int n) { return static_cast<int>(random() % n); }
  template <typename T> const T &pick(const std::vector<T> &list) {
    return list[pick(list.size())];
  }
  std::string fresh() { return "%v" + std::to_string(count++); }
  void line(const std::string &op) { body += "  " + op + "\n"; }
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
    static const std::vector<int> kEdges{127,        128,        255,         32767,  65536,
                                         2147483647, 2147483640, -2147483648, -32768, 1 << 30};
    return std::to_string(pick(8) ? pick(kNumbers) : pick(kEdges));
  }

  void constant() {
    std::string name = fresh();
    scalar(name + " = arith.constant " + number() + " : i32", name);
  }

  std::string binaryOp() {
    static const std::vector<std::string> kOps{
        "addi",       "addi", "addi", "subi", "muli",  "muli",  "divsi", "divui", "remsi", "remui",
        "floordivsi", "andi", "ori",  "xori", "minsi", "maxsi", "maxui", "shli",  "shrsi", "shrui"};
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
    tile(shape, fresh(),
         "tt.make_range {start = " + std::to_string(start) +
             " : i32, end = " + std::to_string(start + extent) + " : i32} : " + type(shape));
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
    switch (pick(13)) {
    case 0:
      range();
      break;
    case 8: {
      // Cut to fewer bits and extended again.
      std::string x = operand(shape), bits = pick(2) ? "i8" : "i16";
      line(name + "n = arith.trunci " + x + " : " + type(shape) + " to " +
           type(shape, bits.c_str()));
      tile(shape, name,
           std::string(pick(2) ? "arith.extsi " : "arith.extui ") + name +
               "n : " + type(shape, bits.c_str()) + " to " + type(shape));
      break;
    }
    case 1: {
      std::string x = pick(scalars), y = pick(scalars);
      scalar(name + " = " + binaryOp() + " " + x + ", " + y + " : i32", name);
      break;
    }
    case 2:
      if (shape.find('x') == std::string::npos) {
        int axis = pick(2);
        std::string wide = axis ? shape + "x1" : "1x" + shape, x = pick(values[shape]);
        tile(wide, name,
             "tt.expand_dims " + x + " {axis = " + std::to_string(axis) +
                 " : i32} : " + type(shape) + " -> " + type(wide));
        std::string both = axis ? shape + "x8" : "8x" + shape;
        tile(both, fresh(), "tt.broadcast " + name + " : " + type(wide) + " -> " + type(both));
      }
      break;
    case 3:
      if (size_t x = shape.find('x'); x != std::string::npos) {
        std::string flipped = shape.substr(x + 1) + "x" + shape.substr(0, x);
        std::string source = pick(values[shape]);
        tile(flipped, name,
             "tt.trans " + source + " {order = array<i32: 1, 0>} : " + type(shape) + " -> " +
                 type(flipped));
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
      tile(shape, name,
           "arith.select " + name + "c, " + z + ", " + w + " : " + type(shape, "i1") + ", " +
               type(shape));
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
  std::string body;
  std::vector<std::string> scalars;
  std::map<std::string, std::vector<std::string>> values; ///< by shape
};

} // namespace tritium::testing

#endif // TRITIUM_UNITTESTS_ANALYSIS_RANDOMKERNEL_H
