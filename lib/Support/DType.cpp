//===- DType.cpp - spellings of element types -----------------------------===//

#include "tritium/Support/Constant.h"

using namespace tritium;

namespace {
struct Spelling {
  DTypeKind kind;
  std::string_view signature, language;
  unsigned bits;
};

constexpr Spelling kSpellings[] = {
    {DTypeKind::Void, "void", "void", 0},
    {DTypeKind::Int1, "i1", "int1", 1},
    {DTypeKind::Int8, "i8", "int8", 8},
    {DTypeKind::Int16, "i16", "int16", 16},
    {DTypeKind::Int32, "i32", "int32", 32},
    {DTypeKind::Int64, "i64", "int64", 64},
    {DTypeKind::UInt8, "u8", "uint8", 8},
    {DTypeKind::UInt16, "u16", "uint16", 16},
    {DTypeKind::UInt32, "u32", "uint32", 32},
    {DTypeKind::UInt64, "u64", "uint64", 64},
    {DTypeKind::Float8E5, "fp8e5", "float8e5", 8},
    {DTypeKind::Float8E4NV, "fp8e4nv", "float8e4nv", 8},
    {DTypeKind::Float8E4B8, "fp8e4b8", "float8e4b8", 8},
    {DTypeKind::Float8E4B15, "fp8e4b15", "float8e4b15", 8},
    {DTypeKind::Float8E5B16, "fp8e5b16", "float8e5b16", 8},
    {DTypeKind::Float16, "fp16", "float16", 16},
    {DTypeKind::BFloat16, "bf16", "bfloat16", 16},
    {DTypeKind::Float32, "fp32", "float32", 32},
    {DTypeKind::Float64, "fp64", "float64", 64},
};

constexpr unsigned kMaxPointerDepth = 8;

const Spelling &spellingOf(DTypeKind kind) { return kSpellings[static_cast<unsigned>(kind)]; }

constexpr bool inEnumOrder() {
  for (unsigned i = 0; i < std::size(kSpellings); ++i)
    if (static_cast<unsigned>(kSpellings[i].kind) != i)
      return false;
  return true;
}
static_assert(inEnumOrder(), "kSpellings is indexed by DTypeKind");
} // namespace

std::string DType::signature() const {
  std::string text(pointerDepth, '*');
  if (isPointer() && isConst)
    text.insert(1, "k");
  return text.append(spellingOf(kind).signature);
}

std::optional<DType> DType::parse(std::string_view text) {
  DType type;
  while (!text.empty() && text.front() == '*') {
    if (++type.pointerDepth > kMaxPointerDepth)
      return std::nullopt;
    text.remove_prefix(1);
    if (type.pointerDepth == 1 && !text.empty() && text.front() == 'k') {
      type.isConst = true;
      text.remove_prefix(1);
    }
  }
  if (text == "u1") { // how some hosts spell a bool argument
    type.kind = DTypeKind::Int1;
    return type;
  }
  for (const Spelling &spelling : kSpellings) {
    if (text == spelling.signature || text == spelling.language) {
      type.kind = spelling.kind;
      return type;
    }
  }
  return std::nullopt;
}

std::string_view DType::languageName() const { return spellingOf(kind).language; }

unsigned DType::bits() const { return isPointer() ? 64 : spellingOf(kind).bits; }
