//===- Debug.cpp - printing and asserting, now and at run time ------------===//

#include "Attributes.h"
#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/DTypes.h"
#include "tritium/Frontend/Sema/Stops.h"

#include "tritium/Dialect/Tile/IR/Scopes.h"
#include "tritium/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

//===----------------------------------------------------------------------===//
// Text of values
//===----------------------------------------------------------------------===//

std::string Sema::format(const Value &value) {
  if (auto text = asString(value))
    return *text;
  if (auto dtype = asDType(value))
    return typeName(*dtype);
  if (auto constant = asConstant(value))
    return constant->repr();
  if (auto *tuple = value.getIf<Tuple>()) {
    std::string text = "(";
    for (size_t i = 0; i < tuple->elements.size(); ++i)
      text += (i ? ", " : "") + format(tuple->elements[i]);
    return text + (tuple->elements.size() == 1 ? ",)" : ")");
  }
  return describe(value);
}

/// Python's format specification: [[fill]align][sign][#][0][width][,][.precision][type]
namespace {
struct FormatSpec {
  char fill = ' ', align = 0, sign = '-', type = 0;
  bool alternate = false, grouped = false;
  unsigned width = 0;
  std::optional<unsigned> precision;
};
} // namespace

static std::optional<FormatSpec> parseSpec(llvm::StringRef text) {
  FormatSpec spec;
  auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  auto take = [&] {
    char c = text.front();
    text = text.drop_front();
    return c;
  };
  if (text.size() > 1 && isAlign(text[1])) {
    spec.fill = take();
    spec.align = take();
  } else if (!text.empty() && isAlign(text[0])) {
    spec.align = take();
  }
  if (!text.empty() && llvm::StringRef("+- ").contains(text[0]))
    spec.sign = take();
  spec.alternate = text.consume_front("#");
  if (text.consume_front("0") && !spec.align) {
    spec.fill = '0';
    spec.align = '=';
  }
  constexpr unsigned kMaxWidth = 1000;
  if (!text.empty() && llvm::isDigit(text[0]))
    if (text.consumeInteger(10, spec.width) || spec.width > kMaxWidth)
      return std::nullopt;
  spec.grouped = text.consume_front(",");
  if (text.consume_front(".")) {
    unsigned precision = 0;
    if (text.consumeInteger(10, precision) || precision > kMaxWidth)
      return std::nullopt;
    spec.precision = precision;
  }
  if (!text.empty())
    spec.type = take();
  if (!text.empty())
    return std::nullopt;
  return spec;
}

using Magnitude = unsigned __int128;

static std::string digitsOf(Magnitude magnitude, unsigned base, bool upper) {
  std::string digits;
  do {
    digits += llvm::hexdigit(static_cast<unsigned>(magnitude % base), !upper);
    magnitude /= base;
  } while (magnitude != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

/// Digits and prefix of an integer without its sign; absent if the type is not for ints.
static std::optional<std::string> integerBody(Magnitude magnitude, const FormatSpec &spec) {
  switch (spec.type) {
  case 0:
  case 'd':
    return digitsOf(magnitude, 10, false);
  case 'x':
  case 'X':
    return (spec.alternate ? "0x" : "") + digitsOf(magnitude, 16, spec.type == 'X');
  case 'b':
    return (spec.alternate ? "0b" : "") + digitsOf(magnitude, 2, false);
  case 'o':
    return (spec.alternate ? "0o" : "") + digitsOf(magnitude, 8, false);
  default:
    return std::nullopt;
  }
}

static std::optional<std::string> floatBody(double magnitude, const FormatSpec &spec) {
  char kind = spec.type == '%' ? 'f' : spec.type;
  if (!kind)
    kind = spec.precision ? 'g' : 0;
  if (!kind)
    return Constant{magnitude}.repr();
  if (!llvm::StringRef("eEfFgG").contains(kind))
    return std::nullopt;
  char pattern[] = {'%', '.', '*', kind, 0};
  char buffer[1400]; // 309 digits before the point and at most 1000 after it
  double shown = spec.type == '%' ? magnitude * 100 : magnitude;
  snprintf(buffer, sizeof buffer, pattern, static_cast<int>(spec.precision.value_or(6)), shown);
  return std::string(buffer) + (spec.type == '%' ? "%" : "");
}

static void group(std::string &body) {
  size_t end = 0;
  while (end < body.size() && llvm::isDigit(body[end]))
    ++end;
  for (size_t i = end; i > 3; i -= 3)
    body.insert(i - 3, ",");
}

static std::string pad(std::string sign, std::string body, const FormatSpec &spec, char align) {
  size_t length = sign.size() + body.size();
  size_t missing = spec.width > length ? spec.width - length : 0;
  if (spec.align)
    align = spec.align;
  if (align == '=')
    return sign + std::string(missing, spec.fill) + body;
  size_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
  return std::string(before, spec.fill) + sign + body + std::string(missing - before, spec.fill);
}

std::optional<std::string> Sema::format(const Value &value, std::string_view specText) {
  if (specText.empty())
    return format(value);
  auto spec = parseSpec(llvm::StringRef(specText.data(), specText.size()));
  auto *constant = value.getIf<Constant>();
  std::optional<std::string> body;
  std::string sign;
  auto signOf = [&](bool negative) -> std::string {
    return negative ? "-" : spec->sign == '-' ? "" : std::string(1, spec->sign);
  };
  char align = '>';
  bool isFloatType = spec && spec->type && llvm::StringRef("eEfFgG%").contains(spec->type);
  if (spec && constant && asInt(value) && !isFloatType) {
    Constant::Int integer = *asInt(value);
    sign = signOf(integer < 0);
    body = integerBody(integer < 0 ? -Magnitude(integer) : Magnitude(integer), *spec);
  } else if (auto *d = constant ? std::get_if<double>(&constant->value) : nullptr;
             spec && (d || (isFloatType && asInt(value)))) {
    double number = d ? *d : static_cast<double>(*asInt(value));
    sign = signOf(std::signbit(number));
    body = floatBody(std::fabs(number), *spec);
  } else if (spec && (!spec->type || spec->type == 's')) {
    body = format(value);
    if (spec->precision)
      body->resize(std::min<size_t>(body->size(), *spec->precision));
    align = '<';
  }
  if (!body)
    return error("the format '" + std::string(specText) + "' does not apply to " + describe(value));
  if (spec->grouped)
    group(*body);
  return pad(std::move(sign), std::move(*body), *spec, align);
}

//===----------------------------------------------------------------------===//
// Compile time
//===----------------------------------------------------------------------===//

/// static_print(*values, sep, end, file, flush)
static Result staticPrint(Sema &sema, const BoundArguments &args) {
  auto separator = args[1].isNone() ? " " : constantString(sema, args[1], "'sep'");
  auto end = !separator         ? std::nullopt
             : args[2].isNone() ? std::optional<std::string>("\n")
                                : constantString(sema, args[2], "'end'");
  if (!end)
    return std::nullopt;
  const auto &values = args[0].get<Tuple>().elements;
  std::string &out = sema.printed();
  for (size_t i = 0; i < values.size(); ++i)
    out += (i ? *separator : "") + sema.format(values[i]);
  out += *end;
  return Value();
}

static Result staticAssert(Sema &sema, const BoundArguments &args) {
  auto condition = sema.truth(args[0]);
  if (!condition)
    return std::nullopt;
  if (!std::holds_alternative<bool>(*condition))
    return sema.error("tl.static_assert needs a condition that is known at compile time, found " +
                      describe(args[0]) + "; use tl.device_assert");
  if (std::get<bool>(*condition))
    return Value();
  std::string text = sema.format(args[1]);
  return sema.error("static assertion failed" + (text.empty() ? "" : ": " + text),
                    "CompileTimeAssertionFailure");
}

//===----------------------------------------------------------------------===//
// Run time
//===----------------------------------------------------------------------===//

static Result print(Sema &sema, const std::string &prefix, bool hex, llvm::ArrayRef<Value> values) {
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<bool> isSignedFlags;
  for (const Value &value : values) {
    auto tensor = sema.toTensor(value);
    if (!tensor)
      return std::nullopt;
    // Its bits are an integer's; they are what is asked for in hexadecimal.
    if (is(tensor->dtype, DTypeKind::Float8E4B15) && !hex)
      tensor = sema.cast(*tensor, {DTypeKind::Float16});
    operands.push_back(tensor->value);
    isSignedFlags.push_back(isSigned(tensor->dtype));
  }
  sema.builder().create<tt::PrintOp>(sema.loc(), prefix, hex, operands, isSignedFlags);
  return Value();
}

/// device_print(prefix, *args, hex)
static Result devicePrint(Sema &sema, const BoundArguments &args) {
  auto prefix = asString(args[0]);
  if (!prefix)
    return sema.error("the first argument of tl.device_print is a text, which stands before the "
                      "values, found " +
                      describe(args[0]) + "; write tl.device_print(\"x\", x)");
  auto hex = prefix ? constantBool(sema, args[2], "'hex'") : std::nullopt;
  if (!hex)
    return std::nullopt;
  for (char c : *prefix)
    if (static_cast<unsigned char>(c) > 127)
      return sema.error("the prefix of tl.device_print must be ASCII");
  // A colon and a space are put behind it; one that has them keeps them.
  llvm::StringRef text = *prefix;
  text.consume_back(" ");
  text.consume_back(":");
  return print(sema, text.str(), *hex, args[1].get<Tuple>().elements);
}

/// print(*values, sep, end): constants are text, which the printed tensors follow.
static Result pythonPrint(Sema &sema, const BoundArguments &args) {
  std::string prefix;
  std::vector<Value> tensors;
  for (const Value &value : args[0].get<Tuple>().elements) {
    if (value.is<Tensor>())
      tensors.push_back(value);
    else
      prefix += (prefix.empty() ? "" : " ") + sema.format(value);
  }
  return print(sema, prefix, false, tensors);
}

/// device_assert(cond, msg, mask)
static Result deviceAssert(Sema &sema, const BoundArguments &args) {
  std::string message = sema.format(args[1]);
  if (auto *constant = args[0].getIf<Constant>(); constant && args[2].isNone()) {
    auto known = sema.truth(args[0]);
    if (std::get<bool>(*known) || !sema.options().debug)
      return Value();
  }
  if (!sema.options().debug)
    return Value();
  auto condition = sema.toTensor(args[0]);
  condition = condition ? sema.cast(*condition, {DTypeKind::Int1}) : std::nullopt;
  if (!condition)
    return std::nullopt;
  if (!args[2].isNone()) {
    auto notMask = sema.unary(UnaryOp::Not, args[2]);
    auto both = notMask ? sema.binary(BinaryOp::BitOr, *condition, *notMask) : std::nullopt;
    condition = both ? sema.toTensor(*both) : std::nullopt;
    if (!condition)
      return std::nullopt;
  }
  sema.builder().create<tt::AssertOp>(sema.loc(), condition->value, message);
  return Value();
}

/// breakpoint(pid)
static Result pythonBreakpoint(Sema &sema, const BoundArguments &args) {
  llvm::SmallVector<int64_t, 3> pid;
  const Value *one = &args[0];
  auto *several = one->getIf<Tuple>();
  size_t count = one->isNone() ? 0 : several ? several->elements.size() : 1;
  for (size_t axis = 0; axis < count; ++axis) {
    auto number = asInt(several ? several->elements[axis] : *one);
    if (!number || *number < 0 || *number > INT32_MAX || count > 3)
      return sema.error("'pid' of breakpoint is the program that stops, up to three numbers of the "
                        "grid that are known at compile time, found " +
                        describe(several ? several->elements[axis] : *one) +
                        "; write breakpoint(pid=(3, 0)), or 'if' a condition of the run time: "
                        "breakpoint()");
    pid.push_back(static_cast<int64_t>(*number));
  }
  build::breakpoint(sema, pid);
  return Value();
}

/// scope(name)
static Result scope(Sema &sema, const BoundArguments &args) {
  std::optional<std::string> name = asString(args[0]);
  if (!name)
    return sema.error("the name of tl.scope is a text that is known at compile time, found " +
                      describe(args[0]) + "; write with tl.scope(\"load\"):");
  if (llvm::StringRef(*name).trim().empty() || !llvm::all_of(*name, llvm::isPrint))
    return sema.error("the name of tl.scope is one line of printable ASCII, found " +
                      describe(args[0]));
  return Value(Scope{*name});
}

/// Of a scope: what is inside is the same code as without it, and tables find it by its lines.
static Result enterScope(Sema &, const BoundArguments &) { return Value(); }

/// The module has, under tt.scopes, each with its lines: those of the block that is left.
static Result leaveScope(Sema &sema, const BoundArguments &args) {
  mlir::OpBuilder &b = sema.builder();
  SourceRange block = sema.range();
  auto begin = sema.loc()->findInstanceOf<mlir::FileLineColLoc>();
  sema.setRange({block.end, block.end});
  auto end = sema.loc()->findInstanceOf<mlir::FileLineColLoc>();
  sema.setRange(block);
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<mlir::ModuleOp>();
  if (!begin || !end || !module)
    return Value();
  auto number = [&](unsigned n) { return b.getI32IntegerAttr(static_cast<int32_t>(n)); };
  mlir::Attribute scope = b.getDictionaryAttr(
      {b.getNamedAttr("name", b.getStringAttr(args[0].get<Scope>().name)),
       b.getNamedAttr("file", begin.getFilename()), b.getNamedAttr("line", number(begin.getLine())),
       b.getNamedAttr("column", number(begin.getColumn())),
       b.getNamedAttr("last", number(end.getLine()))});
  llvm::SmallVector<mlir::Attribute> scopes;
  if (auto known = module->getAttrOfType<mlir::ArrayAttr>(tt::kScopes))
    scopes.assign(known.begin(), known.end());
  if (!llvm::is_contained(scopes, scope))
    scopes.push_back(scope);
  module->setAttr(tt::kScopes, b.getArrayAttr(scopes));
  return Value();
}

/// expect_zero(x, mask): x, which is 0 where the mask is true; checked when debugging.
static Result expectZero(Sema &sema, const BoundArguments &args) {
  auto x = sema.toTensor(args[0]);
  auto isZero = x ? sema.compare(CompareOp::Eq, *x, makeInt(0)) : std::nullopt;
  if (!isZero ||
      !deviceAssert(sema,
                    {*isZero, makeString("a value that tl.expect_zero names is not 0"), args[1]}))
    return std::nullopt;
  return Value(*x);
}

void sema::addDebugBuiltins(Registry &registry) {
  registry.add("static_print", "*values, sep=' ', end='\\n', file=None, flush=False", staticPrint);
  registry.add("static_assert", "cond, msg=''", staticAssert);
  registry.add("device_print", "prefix, *args, hex=False", devicePrint);
  registry.add("scope", "name", scope);
  registry.add("scope.__enter__", "self", enterScope);
  registry.add("scope.__exit__", "self, exc_type, exc_value, traceback", leaveScope);
  registry.add("expect_zero", "x, mask", expectZero);
  registry.add("device_assert", "cond, msg='', mask=None", deviceAssert);
  registry.add("builtins.breakpoint", "pid=None", pythonBreakpoint);
  registry.add("builtins.print", "*values, sep=' ', end='\\n', file=None, flush=False",
               pythonPrint);
}
