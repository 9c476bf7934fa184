//===- RobustnessTest.cpp - every function on arbitrary arguments ---------===//
//
// Whatever a kernel passes to a library function or an operator, the result is
// valid IR or exactly one error.
//
//===----------------------------------------------------------------------===//

#include "SemaTestUtil.h"

#include "tritium/Frontend/Sema/Builtins.h"

#include <random>

using namespace tritium;
using namespace tritium::sema;

namespace {
class Robustness : public SemaTest {
protected:
  Robustness() { functions.areIdentities = true; }
  std::mt19937 random{20240229};

  std::vector<Value> pool() {
    auto dtype = [](const char *name) { return makeDType(*DType::parse(name)); };
    return {Value(),
            makeBool(true),
            makeInt(0),
            makeInt(1),
            makeInt(2),
            makeInt(-1),
            makeInt(Constant::Int(1) << 100),
            makeFloat(0.5),
            makeFloat(-0.0),
            makeFloat(NAN),
            makeString(""),
            makeString("relaxed"),
            makeString("max"),
            dtype("float32"),
            dtype("int1"),
            dtype("float8e5"),
            dtype("void"),
            dtype("*i32"),
            Tuple{},
            Tuple{{makeInt(4), makeInt(2)}, {}},
            Tuple{{makeInt(1), makeInt(0)}, {}},
            Tuple{{tensor("i32", {8}), tensor("fp32", {8})}, {}},
            BlockType{DType{DTypeKind::Float32}, {4}},
            Library{"maximum"},
            Library{"PropagateNan"},
            Slice{},
            Dict{{{Constant{std::string("a")}, makeInt(1)}}},
            frontend::External::Module{"triton.language", nullptr},
            tensor("i1"),
            tensor("i32"),
            tensor("u64"),
            tensor("fp16"),
            tensor("fp32"),
            tensor("*fp32"),
            tensor("i1", {8}),
            tensor("i8", {8, 8}),
            tensor("u32", {8}),
            tensor("bf16", {8, 8}),
            tensor("fp32", {8}),
            tensor("fp32", {8, 8}),
            tensor("fp64", {1}),
            tensor("fp8e5", {8}),
            tensor("*i32", {8}),
            tensor("*kfp32", {8}),
            tensor("*i1", {8, 1}),
            tensor("*fp64"),
            tensor("**i32")};
  }

  void check(const std::string &what, const Result &result) {
    std::string text = errors();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), result ? 0 : 1) << what << ": " << text;
  }
};
} // namespace

TEST_F(Robustness, LibraryFunctions) {
  std::vector<Value> values = pool();
  auto any = [&] { return values[random() % values.size()]; };
  unsigned succeeded = 0;
  for (const char *module : {"triton.language", "triton.language.math", "math", "builtins",
                             "triton", "triton.language.extra.libdevice"})
    for (const std::string &name : libraryFunctions(module)) {
      Value callee = *libraryName(module, name);
      const Builtin *builtin = findBuiltin(callee.get<Library>().name);
      ASSERT_TRUE(builtin) << name;
      for (int round = 0; round < 400 && !builtin->function; ++round) {
        Arguments arguments;
        size_t count = random() % (builtin->parameters.size() + 2);
        for (size_t i = 0; i < count; ++i) {
          if (i < builtin->parameters.size() && random() % 4 == 0)
            arguments.keywords.push_back({builtin->parameters[i].name, any()});
          else
            arguments.positional.push_back(any());
        }
        Result result = sema.call(callee, arguments);
        check(name, result);
        succeeded += result.has_value();
      }
    }
  EXPECT_GT(succeeded, 3000u);
}

TEST_F(Robustness, Operators) {
  std::vector<Value> values = pool();
  for (const Value &lhs : values) {
    for (const Value &rhs : values) {
      std::string what = describe(lhs) + " and " + describe(rhs);
      for (int op = 0; op <= static_cast<int>(BinaryOp::Shr); ++op)
        check(what, sema.binary(static_cast<BinaryOp>(op), lhs, rhs));
      for (int op = 0; op <= static_cast<int>(CompareOp::NotIn); ++op)
        check(what, sema.compare(static_cast<CompareOp>(op), lhs, rhs));
      check(what, sema.subscript(lhs, rhs));
      check(what, sema.convertLike(lhs, rhs, "x"));
    }
    for (int op = 0; op <= static_cast<int>(UnaryOp::Not); ++op)
      check(describe(lhs), sema.unary(static_cast<UnaryOp>(op), lhs));
    for (const char *name : {"shape", "dtype", "T", "type", "sum", "load", "is_fp32", "value", ""})
      check(describe(lhs), sema.attribute(lhs, name));
    check(describe(lhs), sema.materialize(lhs));
    for (const char *spec : {"", "d", ".3f", ">8", "x", "%", "bogus"})
      if (!sema.format(lhs, spec))
        check(spec, std::nullopt);
  }
}

TEST_F(Robustness, Unification) {
  std::vector<Value> values = pool();
  auto here = builder.saveInsertionPoint();
  for (const Value &lhs : values)
    for (const Value &rhs : values) {
      Value a = lhs, b = rhs;
      bool unified = sema.unify(a, here, b, here, "x");
      check(describe(lhs) + " and " + describe(rhs), unified ? Result(a) : std::nullopt);
      EXPECT_TRUE(!unified || sema.sameType(a, b)) << describe(lhs) << " and " << describe(rhs);
    }
}
