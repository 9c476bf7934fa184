//===- Libdevice.cpp - the device library's names and types ---------------===//
//
// The functions of CUDA's device library, each with the types that it takes. What they compute is
// written in the kernel language (lib/Frontend/Library/libdevice_*.py), so that it is the same on
// every back end.
//
//===----------------------------------------------------------------------===//

#include "BuiltinSupport.h"

#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace tritium;
using namespace tritium::sema;

namespace {

/// Names that take the same types: a word for each overload, a letter for each argument: i int32,
/// u uint32, l int64, L uint64, f float32, d float64. `add_*` stands for add_rn, add_rz, add_rd
/// and add_ru, which are all the function `_add` with the rounding's name as its last argument.
struct Family {
  const char *names, *overloads;
};

constexpr Family kFamilies[] = {
    {"clz popc brev ffs", "i l"},
    {"byte_perm", "iii"},
    {"mulhi", "ii uu ll LL"},
    {"mul24 hadd rhadd", "ii uu"},
    {"sad", "iiu uuu"},
    {"abs", "f d i l"},
    {"floor ceil trunc rint nearbyint round rsqrt sin cos sinpi cospi tan exp exp2 exp10 "
     "expm1 log log2 log10 log1p sinh cosh tanh asin acos atan asinh acosh atanh cbrt rcbrt erf "
     "erfc erfcx erfinv erfcinv normcdf normcdfinv lgamma tgamma j0 j1 y0 y1 cyl_bessel_i0 "
     "cyl_bessel_i1 llrint llround isnan isinf signbit ilogb logb",
     "f d"},
    {"finitef saturatef rsqrt_rn float_as_int float_as_uint fast_sinf fast_cosf fast_tanf "
     "fast_expf fast_exp10f fast_logf fast_log2f fast_log10f fast_tanhf",
     "f"},
    {"isfinited rcp64h double2loint double2hiint double_as_longlong", "d"},
    {"int_as_float int2double_rn", "i"},
    {"uint_as_float uint2double_rn", "u"},
    {"longlong_as_double", "l"},
    {"hiloint2double", "ii"},
    {"atan2 pow fmod remainder fdim hypot rhypot copysign nextafter", "ff dd"},
    {"fast_dividef fast_powf", "ff"},
    {"ldexp scalbn", "fi di"},
    {"jn yn", "if id"},
    {"fma norm3d rnorm3d", "fff ddd"},
    {"norm4d rnorm4d", "ffff dddd"},
    {"add_* sub_* mul_* div_*", "ff dd"},
    {"fma_*", "fff ddd"},
    {"rcp_* sqrt_* sqrt", "f d"},
    {"double2float_* double2int_* double2uint_* double2ll_* double2ull_*", "d"},
    {"float2int_* float2uint_* float2ll_* float2ull_*", "f"},
    {"int2float_*", "i"},
    {"uint2float_*", "u"},
    {"ll2float_* ll2double_*", "l"},
    {"ull2float_* ull2double_*", "L"},
};

/// More overloads, behind the ones above.
constexpr Family kMore[] = {{"pow", "fi di"}};

DType typeOf(char letter) {
  switch (letter) {
  case 'i':
    return {DTypeKind::Int32};
  case 'u':
    return {DTypeKind::UInt32};
  case 'l':
    return {DTypeKind::Int64};
  case 'L':
    return {DTypeKind::UInt64};
  case 'f':
    return {DTypeKind::Float32};
  default:
    return {DTypeKind::Float64};
  }
}

std::vector<std::string> words(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ' ', -1, /*KeepEmpty=*/false);
  return {parts.begin(), parts.end()};
}

/// Whether an argument may be passed as `type`: exactly, or a constant that is a number of its
/// kind. `isLoose`: also an integer of the same width and the other sign.
bool fits(const Value &argument, DType type, bool isLoose) {
  auto *tensor = argument.getIf<Tensor>();
  if (!tensor)
    return asInt(argument) || (argument.is<Constant>() && isFloat(type));
  if (tensor->dtype == type)
    return true;
  return isLoose && isInteger(type) && isInteger(tensor->dtype) &&
         type.bits() == tensor->dtype.bits();
}

std::optional<std::string> matching(const Builtin &builtin, llvm::ArrayRef<Value> arguments) {
  for (bool isLoose : {false, true})
    for (const std::string &overload : builtin.overloads) {
      auto pairs = llvm::zip(arguments, overload);
      if (llvm::all_of(pairs, [&](auto pair) {
            return fits(std::get<0>(pair), typeOf(std::get<1>(pair)), isLoose);
          }))
        return overload;
    }
  return std::nullopt;
}

std::string listed(const Builtin &builtin) {
  std::string text;
  for (const std::string &overload : builtin.overloads) {
    text += text.empty() ? "(" : " or (";
    for (size_t i = 0; i < overload.size(); ++i)
      text += (i ? ", " : "") + describeType(typeOf(overload[i]));
    text += ")";
  }
  return text;
}

std::nullopt_t refuse(Sema &sema, const Builtin &builtin, const BoundArguments &arguments) {
  std::string found;
  for (const Value &argument : arguments)
    found += (found.empty() ? "" : ", ") + describe(argument);
  return sema.error(builtin.name + " takes " + listed(builtin) + ", found (" + found +
                    "); convert with .to(tl." +
                    describeType(typeOf(builtin.overloads.front().front())) + ")");
}

} // namespace

std::optional<Arguments> sema::chooseOverload(Sema &sema, const Builtin &builtin,
                                              const BoundArguments &arguments) {
  BoundArguments values = arguments;
  auto isNumber = [](const Value &value) {
    return value.is<Tensor>() || (value.is<Constant>() && constantType(value.get<Constant>()));
  };
  if (!llvm::all_of(values, isNumber))
    return refuse(sema, builtin, arguments);
  auto overload = matching(builtin, values);
  if (!overload && values.size() > 1) {
    // As operators would: (float32, float64) are float64.
    for (int pass = 0; pass < 2; ++pass)
      for (Value &other : llvm::MutableArrayRef<Value>(values).drop_front()) {
        auto pair = sema.promote(values.front(), other, builtin.name);
        if (!pair)
          return std::nullopt;
        values.front() = pair->lhs;
        other = pair->rhs;
      }
    overload = matching(builtin, values);
  }
  if (!overload)
    return refuse(sema, builtin, arguments);
  std::vector<Tensor> tensors;
  for (auto [value, letter] : llvm::zip(values, *overload)) {
    auto *tensor = value.getIf<Tensor>();
    auto converted = tensor ? sema.cast(*tensor, typeOf(letter))
                            : sema.constant(value.get<Constant>(), typeOf(letter));
    if (!converted)
      return std::nullopt;
    tensors.push_back(*converted);
  }
  if (!broadcastAll(sema, tensors))
    return std::nullopt;
  Arguments result;
  for (Tensor &tensor : tensors)
    result.positional.emplace_back(std::move(tensor));
  if (!builtin.rounding.empty())
    result.positional.push_back(makeString(builtin.rounding));
  return result;
}

void sema::addLibdeviceBuiltins(Registry &registry, const FunctionTable &functions) {
  for (const Family &family : kFamilies)
    for (const std::string &name : words(family.names)) {
      std::vector<std::string> overloads = words(family.overloads);
      for (const Family &more : kMore)
        if (name == more.names)
          llvm::append_range(overloads, words(more.overloads));
      llvm::StringRef stem = name;
      if (name == "sqrt") { // the language's own is approximate on a GPU
        registry.addLibdevice("libdevice.sqrt", overloads, "rn", functions.at("_sqrt"));
        continue;
      }
      if (!stem.consume_back("_*")) {
        registry.addLibdevice("libdevice." + name, overloads, "", functions.at(name));
        continue;
      }
      auto function = functions.at(("_" + stem).str());
      for (const char *rounding : {"rn", "rz", "rd", "ru"})
        registry.addLibdevice(("libdevice." + stem + "_" + rounding).str(), overloads, rounding,
                              function);
    }
}
