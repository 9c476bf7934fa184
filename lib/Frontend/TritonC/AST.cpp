//===- AST.cpp - spellings and look-up ------------------------------------===//

#include "tritium/Frontend/TritonC/AST.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tritium::frontend::tritonc {

static std::string_view scalarName(DTypeKind kind) {
  switch (kind) {
  case DTypeKind::Void:
    return "void";
  case DTypeKind::Int1:
    return "bool";
  case DTypeKind::Int8:
    return "char";
  case DTypeKind::Int16:
    return "short";
  case DTypeKind::Int32:
    return "int";
  case DTypeKind::Int64:
    return "long";
  case DTypeKind::UInt8:
    return "unsigned char";
  case DTypeKind::UInt16:
    return "unsigned short";
  case DTypeKind::UInt32:
    return "unsigned int";
  case DTypeKind::UInt64:
    return "unsigned long";
  case DTypeKind::Float8E5:
    return "float8e5";
  case DTypeKind::Float8E4NV:
    return "float8e4nv";
  case DTypeKind::Float8E4B8:
    return "float8e4b8";
  case DTypeKind::Float8E4B15:
    return "float8e4b15";
  case DTypeKind::Float8E5B16:
    return "float8e5b16";
  case DTypeKind::Float16:
    return "half";
  case DTypeKind::BFloat16:
    return "bfloat16";
  case DTypeKind::Float32:
    return "float";
  case DTypeKind::Float64:
    return "double";
  }
  return "?";
}

std::string spelling(const Type &type) {
  std::string text;
  if (type.element.isConst)
    text = "const ";
  text += scalarName(type.element.kind);
  if (type.isConstantSpace)
    text += " __constant__";
  text.append(type.element.pointerDepth, '*');
  if (!type.shape.empty())
    text +=
        "[" +
        llvm::join(llvm::map_range(type.shape, [](int64_t n) { return std::to_string(n); }), ", ") +
        "]";
  return text;
}

std::string_view spelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return "+";
  case BinaryOp::Sub:
    return "-";
  case BinaryOp::Mul:
    return "*";
  case BinaryOp::Div:
    return "/";
  case BinaryOp::Rem:
    return "%";
  case BinaryOp::MatMul:
    return "@";
  case BinaryOp::Shl:
    return "<<";
  case BinaryOp::Shr:
    return ">>";
  case BinaryOp::BitAnd:
    return "&";
  case BinaryOp::BitOr:
    return "|";
  case BinaryOp::BitXor:
    return "^";
  case BinaryOp::Lt:
    return "<";
  case BinaryOp::Gt:
    return ">";
  case BinaryOp::Le:
    return "<=";
  case BinaryOp::Ge:
    return ">=";
  case BinaryOp::Eq:
    return "==";
  case BinaryOp::Ne:
    return "!=";
  case BinaryOp::LogicalAnd:
    return "&&";
  case BinaryOp::LogicalOr:
    return "||";
  }
  return "?";
}

const Function *Unit::find(std::string_view name) const {
  auto found = llvm::find_if(functions, [&](const auto &f) { return f->name == name; });
  return found == functions.end() ? nullptr : found->get();
}

} // namespace tritium::frontend::tritonc
