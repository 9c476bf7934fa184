//===- Conversion.cpp - arguments as a C declaration wants them -----------===//

#include "Conversion.h"
#include "Signature.h"

#include "llvm/ADT/APFloat.h"

#include <bit>
#include <cmath>

using namespace tritium;
using namespace tritium::runtime;

namespace {

bool isFloat(DTypeKind kind) { return kind >= DTypeKind::Float8E5; }
bool isInteger(DTypeKind kind) { return kind >= DTypeKind::Int1 && kind <= DTypeKind::UInt64; }

/// Bits of an element in memory.
unsigned storageBits(const DType &type) { return type.kind == DTypeKind::Int1 ? 8 : type.bits(); }

std::string shown(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string shown(const tritium_argument &argument) {
  switch (argument.kind) {
  case TRITIUM_ARG_POINTER:
    return "an array of " + std::string(toDType(argument.type).languageName());
  case TRITIUM_ARG_INT:
    return std::to_string(static_cast<int64_t>(argument.bits));
  case TRITIUM_ARG_UINT:
    return std::to_string(argument.bits);
  case TRITIUM_ARG_BOOL:
    return argument.bits ? "true" : "false";
  case TRITIUM_ARG_FLOAT:
    return shown(std::bit_cast<double>(argument.bits));
  default:
    return argument.value ? toConstant(*argument.value).repr() : "nothing";
  }
}

/// `value` as the nearest number of a float type.
double rounded(double value, DTypeKind kind) {
  const llvm::fltSemantics *format = nullptr;
  switch (kind) {
  case DTypeKind::Float8E5:
    format = &llvm::APFloat::Float8E5M2();
    break;
  case DTypeKind::Float8E4NV:
    format = &llvm::APFloat::Float8E4M3FN();
    break;
  case DTypeKind::Float8E4B8:
    format = &llvm::APFloat::Float8E4M3FNUZ();
    break;
  case DTypeKind::Float8E5B16:
    format = &llvm::APFloat::Float8E5M2FNUZ();
    break;
  case DTypeKind::Float16:
    format = &llvm::APFloat::IEEEhalf();
    break;
  case DTypeKind::BFloat16:
    format = &llvm::APFloat::BFloat();
    break;
  case DTypeKind::Float32:
    return static_cast<float>(value);
  default:
    return value;
  }
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(*format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

class Converter {
public:
  Converter(const std::string &kernel, const KernelParameter &parameter,
            const tritium_argument &argument, tritium_argument &result, CompileError &error)
      : kernel(kernel), parameter(parameter), type(*parameter.type), argument(argument),
        result(result), error(error) {}

  bool run() {
    result = {};
    return type.isPointer() ? toPointer() : isFloat(type.kind) ? toFloat() : toInteger();
  }

private:
  bool refuse(const std::string &found) {
    error = launchError("ArgumentError", "kernel '" + kernel + "': parameter '" + parameter.name +
                                             "' is " + parameter.annotation + ", but got " + found);
    return false;
  }

  bool toPointer() {
    DType pointee = {type.kind, static_cast<uint8_t>(type.pointerDepth - 1), false};
    result.kind = TRITIUM_ARG_POINTER;
    result.type = fromDType(pointee);
    bool isNone = argument.kind == TRITIUM_ARG_VALUE &&
                  (!argument.value || argument.value->kind == TRITIUM_NONE);
    if (isNone || (argument.kind == TRITIUM_ARG_INT && argument.bits == 0))
      return true; // nobody's memory: no bytes
    if (argument.kind == TRITIUM_ARG_INT || argument.kind == TRITIUM_ARG_UINT) {
      if (argument.kind == TRITIUM_ARG_INT && static_cast<int64_t>(argument.bits) < 0)
        return refuse(shown(argument) + ", which is no address");
      result.bits = result.begin = argument.bits;
      result.bytes = TRITIUM_UNKNOWN_EXTENT;
      return true;
    }
    if (argument.kind != TRITIUM_ARG_POINTER)
      return refuse(shown(argument));
    DType element = toDType(argument.type);
    bool fits = element == pointee || pointee.kind == DTypeKind::Void;
    if (!element.isPointer() && storageBits(element) == storageBits(pointee))
      fits |= isInteger(element.kind) && (isInteger(pointee.kind) || pointee.isPointer());
    if (!fits)
      return refuse(shown(argument));
    result.bits = argument.bits;
    result.begin = argument.begin;
    result.bytes = argument.bytes;
    result.allocation_begin = argument.allocation_begin;
    result.allocation_bytes = argument.allocation_bytes;
    result.read_only = argument.read_only;
    result.memory = argument.memory;
    result.device = argument.device;
    return true;
  }

  bool toFloat() {
    double value = 0;
    switch (argument.kind) {
    case TRITIUM_ARG_INT:
      value = static_cast<double>(static_cast<int64_t>(argument.bits));
      break;
    case TRITIUM_ARG_UINT:
    case TRITIUM_ARG_BOOL:
      value = static_cast<double>(argument.bits);
      break;
    case TRITIUM_ARG_FLOAT:
      value = std::bit_cast<double>(argument.bits);
      break;
    default:
      return refuse(shown(argument));
    }
    double converted = rounded(value, type.kind);
    if (std::isfinite(value) && !std::isfinite(converted))
      return refuse(shown(argument) + ", which is out of its range");
    result.kind = TRITIUM_ARG_FLOAT;
    result.bits = std::bit_cast<uint64_t>(converted);
    return true;
  }

  bool toInteger() {
    result = argument;
    if (argument.kind == TRITIUM_ARG_FLOAT) {
      double value = std::bit_cast<double>(argument.bits);
      if (value != std::trunc(value) || !(std::fabs(value) < 18446744073709551616.0))
        return refuse(shown(argument) + ": pass a whole number");
      bool isLarge = value >= 9223372036854775808.0;
      if (value < -9223372036854775808.0)
        return refuse(shown(argument) + ", which is out of its range");
      result.kind = isLarge ? TRITIUM_ARG_UINT : TRITIUM_ARG_INT;
      result.bits = isLarge ? static_cast<uint64_t>(value) : static_cast<uint64_t>(int64_t(value));
    } else if (argument.kind == TRITIUM_ARG_BOOL) {
      result.kind = TRITIUM_ARG_INT;
      result.bits = argument.bits != 0;
    } else if (argument.kind != TRITIUM_ARG_INT && argument.kind != TRITIUM_ARG_UINT) {
      return refuse(shown(argument));
    }
    if (!fitsInteger(result, type.kind))
      return refuse(shown(argument) + ", which is out of its range");
    return true;
  }

  const std::string &kernel;
  const KernelParameter &parameter;
  const DType type;
  const tritium_argument &argument;
  tritium_argument &result;
  CompileError &error;
};

} // namespace

bool tritium::runtime::convertArgument(const std::string &kernel, const KernelParameter &parameter,
                                       const tritium_argument &argument, tritium_argument &result,
                                       CompileError &error) {
  return Converter(kernel, parameter, argument, result, error).run();
}

bool tritium::runtime::checkPromises(const std::string &kernel, const KernelParameter &parameter,
                                     const tritium_argument &argument, CompileError &error) {
  bool isPointer = argument.kind == TRITIUM_ARG_POINTER;
  int64_t divisor = isPointer ? parameter.aligned : parameter.multipleOf;
  bool isUnsigned = isPointer || argument.kind == TRITIUM_ARG_UINT;
  bool isInt = argument.kind == TRITIUM_ARG_INT;
  if (divisor <= 1 || (!isUnsigned && !isInt))
    return true;
  bool isKept = isUnsigned ? argument.bits % static_cast<uint64_t>(divisor) == 0
                           : static_cast<int64_t>(argument.bits) % divisor == 0;
  if (isKept)
    return true;
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(argument.bits));
  error = launchError(
      "ArgumentError",
      "kernel '" + kernel + "': parameter '" + parameter.name + "' is promised to " +
          (isPointer ? "be aligned to " : "be a multiple of ") + std::to_string(divisor) +
          (isPointer ? " bytes, but its address is " : ", but got ") +
          (isPointer ? std::string(address) : shown(argument)));
  return false;
}
