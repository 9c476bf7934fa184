//===- FrontendFuzzer.cpp - random kernels through the front end ----------===//
//
// The input's bytes choose a kernel from a grammar of statements and expressions, right
// and wrong ones. Every kernel must give valid IR or a user's error; a verifier that
// fails behind the front end is a bug.
//
//===----------------------------------------------------------------------===//

#include "tritium/Frontend/Python/IRGen.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdio>
#include <cstdlib>

using namespace tritium;
using namespace tritium::frontend;

namespace {
class Writer {
public:
  Writer(const uint8_t *data, size_t size) : data(data), size(size) {}

  std::string kernel() {
    text = "def kernel(p, q, n, x, B: tl.constexpr):\n a = n\n b = n + 1\n c = 2\n"
           " t = tl.arange(0, 4)\n u = t * 1.0\n";
    block(1, 0);
    return text;
  }
  std::string function() {
    text = "def f(a, b=2, *d, q=3, k: tl.constexpr = 1, **m):\n n = b\n c = k\n"
           " t = tl.arange(0, 4)\n u = t * 1.0\n";
    block(1, 1);
    return text;
  }

private:
  const uint8_t *data;
  size_t size, pos = 0;
  std::string text;

  unsigned pick(unsigned count) { return pos < size ? data[pos++] % count : 0; }
  bool isDone() const { return pos >= size || text.size() > 6000; }

  std::string oneOf(std::initializer_list<const char *> options) {
    return options.begin()[pick(options.size())];
  }
  std::string name() { return oneOf({"a", "b", "c", "n", "x", "p", "q", "B", "t", "u", "i"}); }

  /// Expressions that are right for the names that keep their types: a, b, c and n are
  /// integers, t is a tile of integers, u one of floats.
  std::string integer(unsigned depth = 0) {
    if (depth > 2 || isDone())
      return oneOf({"a", "b", "c", "n", "3", "0", "-2"});
    auto sub = [&] { return integer(depth + 1); };
    switch (pick(9)) {
    case 0:
    case 1:
      return "(" + sub() + oneOf({" + ", " - ", " * ", " // ", " & ", " % "}) + sub() + ")";
    case 2:
      return "(" + sub() + " if " + condition(depth + 1) + " else " + sub() + ")";
    case 3:
      return "tl.sum(" + tile(depth + 1) + ")";
    case 4:
      return "tl.load(q + " + sub() + ")";
    case 5:
      return "(a := " + sub() + ")";
    default:
      return oneOf({"a", "b", "c", "n", "3", "0", "-2"});
    }
  }

  std::string condition(unsigned depth = 0) {
    if (depth > 2)
      return "a > 1";
    switch (pick(6)) {
    case 0:
      return "not " + condition(depth + 1);
    case 1:
      return condition(depth + 1) + oneOf({" and ", " or "}) + condition(depth + 1);
    case 2:
      return integer(depth + 1) + " < " + integer(depth + 1) + " <= " + integer(depth + 1);
    default:
      return integer(depth + 1) + oneOf({" < ", " == ", " >= "}) + integer(depth + 1);
    }
  }

  std::string tile(unsigned depth = 0) {
    if (depth > 2 || isDone())
      return "t";
    auto sub = [&] { return tile(depth + 1); };
    switch (pick(6)) {
    case 0:
      return "(" + sub() + oneOf({" + ", " - ", " * "}) + integer(depth + 1) + ")";
    case 1:
      return "tl.where(" + sub() + " > " + integer(depth + 1) + ", " + sub() + ", " + sub() + ")";
    case 2:
      return "tl.load(q + " + sub() + ", mask=" + sub() + " < n, other=0)";
    case 3:
      return "(" + sub() + " if " + condition(depth + 1) + " else " + sub() + ")";
    case 4:
      return "tl.sum(t[:, None] + " + sub() + "[None, :], " + oneOf({"0", "1", "-1"}) + ")";
    default:
      return "t";
    }
  }

  void typedStatement(unsigned level, unsigned isFunction) {
    switch (pick(10)) {
    case 0:
    case 1:
      line(level, oneOf({"a", "b", "c"}) + oneOf({" = ", " = ", " += "}) + integer());
      return;
    case 2:
      line(level, oneOf({"t = ", "t += ", "t = "}) + tile());
      return;
    case 3:
      line(level, "u = tl.exp(u) * " + tile());
      return;
    case 4:
      line(level, "tl.store(q + t, " + tile() + ", mask=t < " + integer() + ")");
      return;
    case 5:
      line(level, "if " + condition() + ":");
      block(level + 1, isFunction);
      if (pick(2)) {
        line(level, "else:");
        block(level + 1, isFunction);
      }
      return;
    case 6:
      line(level, "for i in " + oneOf({"range", "tl.range"}) + "(" + integer() + ", " + integer() +
                      oneOf({"", ", 2", ", -1", ", n"}) + "):");
      block(level + 1, isFunction);
      return;
    case 7:
      line(level, "while " + condition() + ":");
      block(level + 1, isFunction);
      return;
    case 8:
      line(level, isFunction ? "return " + integer()
                  : pick(3)  ? "return"
                             : oneOf({"a = f(b, c, q=q)", "t = f(t, c, q=q, k=2)"}));
      return;
    default:
      line(level, "a, b = b, " + integer());
      return;
    }
  }

  std::string atom() {
    switch (pick(12)) {
    case 0:
      return oneOf({"0", "1", "2", "3", "4", "-1", "7", "2147483648", "1.5", "0.0", "1e300"});
    case 1:
      return oneOf({"None", "True", "False", "'s'", "tl.float32", "tl.int64", "(1, 2)", "tl.int1"});
    case 2:
      return "tl.arange(0, " + oneOf({"4", "8", "B", "3", "n"}) + ")";
    case 3:
      return "tl.zeros((" + oneOf({"4,", "4, 8", "8, 4", "B,", "1, 4", "2, 2, 2"}) + "), " +
             oneOf({"tl.float32", "tl.int32", "tl.float16", "tl.int8", "tl.uint32", "tl.int1"}) +
             ")";
    case 4:
      return "tl.program_id(" + oneOf({"0", "1", "2", "3"}) + ")";
    default:
      return name();
    }
  }

  std::string expr(unsigned depth) {
    if (depth > 3 || isDone())
      return atom();
    auto sub = [&] { return expr(depth + 1); };
    switch (pick(24)) {
    case 0:
    case 1:
    case 2:
      return "(" + sub() +
             oneOf({" + ", " - ", " * ", " / ", " // ", " % ", " & ", " | ", " ^ ", " << ", " >> ",
                    " ** ", " @ "}) +
             sub() + ")";
    case 3:
      return "(" + sub() + oneOf({" < ", " <= ", " == ", " != ", " is ", " is not ", " in "}) +
             sub() + ")";
    case 4:
      return "(" + sub() + " < " + sub() + " < " + sub() + ")";
    case 5:
      return "(" + oneOf({"-", "not ", "~", "+"}) + sub() + ")";
    case 6:
      return "(" + sub() + oneOf({" and ", " or "}) + sub() + ")";
    case 7:
      return "(" + sub() + " if " + sub() + " else " + sub() + ")";
    case 8:
      return "tl.load(" + sub() + oneOf({")", ", mask=n > 1)", ", n > 1, other=0)", ", other=1)"});
    case 9:
      return "tl." +
             oneOf({"sum", "max", "argmax", "exp", "abs", "sqrt", "trans", "ravel", "sigmoid",
                    "softmax", "cdiv", "rand", "zeros_like", "umulhi"}) +
             "(" + sub() + oneOf({")", ", 0)", ", axis=1)", ", -1)", ", n)"});
    case 10:
      return "tl." +
             oneOf({"where", "dot", "fma", "clamp", "maximum", "minimum", "join", "broadcast_to",
                    "reshape", "permute", "expand_dims", "full"}) +
             "(" + sub() + ", " + sub() + (pick(2) ? ", " + sub() + ")" : ")");
    case 11:
      return sub() + ".to(" + oneOf({"tl.float32", "tl.int8", "tl.bfloat16", "tl.int1", "n"}) + ")";
    case 12:
      return sub() + "." + oneOf({"dtype", "shape", "T", "sum()", "x", "shape[0]", "type"});
    case 13:
      return sub() + "[" + oneOf({":, None", "None, :", "0", "...", "1:2", "n", "None"}) + "]";
    case 14:
      return "f(" + sub() + oneOf({")", ", k=3)", ", *(1, 2))", ", z=1)", ", b=n, w=2)"});
    case 15:
      return "(" + name() + " := " + sub() + ")";
    case 16:
      return "[" + sub() + " for i in " + oneOf({"(1, 2)", "t", "(a, b)"}) + "]";
    case 17:
      return "tl.reduce(" + sub() + ", 0, f)";
    case 18:
      return "(" + sub() + ", " + sub() + ")";
    case 19:
      return "f'{" + name() + "}'";
    default:
      return atom();
    }
  }

  void line(unsigned level, const std::string &line) {
    text += std::string(level, ' ') + line + "\n";
  }

  void block(unsigned level, unsigned isFunction) {
    unsigned count = 1 + pick(5);
    for (unsigned i = 0; i < count; ++i)
      statement(level, isFunction);
  }

  void statement(unsigned level, unsigned isFunction) {
    if (level > 5 || isDone())
      return line(level, "pass");
    if (pick(16) != 1)
      return typedStatement(level, isFunction);
    switch (pick(16)) {
    case 0:
      line(level, "if " + expr(1) + ":");
      block(level + 1, isFunction);
      if (pick(2)) {
        line(level, "else:");
        block(level + 1, isFunction);
      }
      return;
    case 1:
      line(level, "if n > " + atom() + ":");
      block(level + 1, isFunction);
      if (pick(2)) {
        line(level, "elif " + expr(2) + ":");
        block(level + 1, isFunction);
      }
      return;
    case 2:
      line(level, "for i in " + oneOf({"range", "tl.range", "tl.static_range", "range"}) + "(" +
                      oneOf({"n", "3", "0, n, 2", "n, 0, -1", "n, 4, n", "B", "0", "x"}) + "):");
      return block(level + 1, isFunction);
    case 3:
      line(level, "while " + expr(2) + ":");
      return block(level + 1, isFunction);
    case 4:
      return line(level, pick(3) ? "return" : "return " + expr(1));
    case 5:
      return line(level, name() + oneOf({" += ", " *= ", " -= ", " //= "}) + expr(1));
    case 6:
      return line(level, name() + ", " + name() + " = " + expr(0));
    case 7:
      return line(level, "tl.store(" + expr(1) + ", " + expr(1) + ")");
    case 8:
      return line(level, name() + ": tl.constexpr = " + expr(1));
    case 9:
      return line(level, "for i in (" + expr(2) + ", " + expr(2) + "): a = i");
    default:
      return line(level, name() + " = " + expr(0));
    }
  }
};

class FuzzScope : public Scope {
public:
  std::weak_ptr<FunctionSource> function;
  std::optional<External> lookup(std::string_view name) override {
    if (name == "tl")
      return External{External::Module{"triton.language", nullptr}};
    if (name == "f")
      if (auto source = function.lock())
        return External{source};
    return std::nullopt;
  }
};

std::shared_ptr<FunctionSource> source(std::string name, std::string text,
                                       const std::shared_ptr<FuzzScope> &scope) {
  auto result = std::make_shared<FunctionSource>();
  result->name = std::move(name);
  result->file = result->name + ".py";
  result->text = std::move(text);
  result->scope = scope;
  return result;
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto scope = std::make_shared<FuzzScope>();
  auto function = source("f", Writer(data, size / 3).function(), scope);
  auto kernel = source("kernel", Writer(data + size / 3, size - size / 3).kernel(), scope);
  scope->function = function;

  std::vector<ArgumentSpec> arguments(5);
  arguments[0].type = *DType::parse("*fp32");
  arguments[1].type = *DType::parse("*i32");
  arguments[2].type = *DType::parse("i32");
  arguments[3].type = *DType::parse("fp32");
  arguments[4].isConstexpr = true;
  arguments[4].value.value = Constant::Int{4};

  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string printed;
  auto module =
      python::generate(context, *kernel, arguments, sources, diagnostics, {true, "ieee"}, printed);
  std::string rendered = diagnostics.render();
  bool isBug = !module && !diagnostics.hasErrors();
  for (const Diagnostic &diagnostic : diagnostics.all())
    isBug |= diagnostic.kind == "InternalError";
  if (isBug) {
    fprintf(stderr, "%s%s%s", kernel->text.c_str(), function->text.c_str(), rendered.c_str());
    abort();
  }
  if (getenv("TRITIUM_FUZZ_SHOW"))
    fprintf(stderr, "%s%s%s\n", kernel->text.c_str(), function->text.c_str(), rendered.c_str());
  return 0;
}
