//===- Types.cpp - PTX's types by name ------------------------------------===//

#include "tritium/Simulator/PTX.h"

#include <iterator>

using namespace tritium::sim::ptx;

namespace {

enum Class : uint8_t { Other, Bits, Unsigned, Signed, Floating };
struct Description {
  std::string_view name;
  uint16_t bits;
  Class kind;
};
// In the order of Type.
constexpr Description descriptions[] = {
    {"none", 0, Other},       {"pred", 1, Other},       {"b8", 8, Bits},
    {"b16", 16, Bits},        {"b32", 32, Bits},        {"b64", 64, Bits},
    {"b128", 128, Bits},      {"u8", 8, Unsigned},      {"u16", 16, Unsigned},
    {"u32", 32, Unsigned},    {"u64", 64, Unsigned},    {"s8", 8, Signed},
    {"s16", 16, Signed},      {"s32", 32, Signed},      {"s64", 64, Signed},
    {"u16x2", 32, Unsigned},  {"s16x2", 32, Signed},    {"f16", 16, Floating},
    {"f16x2", 32, Floating},  {"bf16", 16, Floating},   {"bf16x2", 32, Floating},
    {"f32", 32, Floating},    {"f32x2", 64, Floating},  {"f64", 64, Floating},
    {"tf32", 32, Floating},   {"e4m3", 8, Floating},    {"e5m2", 8, Floating},
    {"e4m3x2", 16, Floating}, {"e5m2x2", 16, Floating}, {"s4", 4, Signed},
    {"u4", 4, Unsigned},      {"b1", 1, Bits},
};
static_assert(std::size(descriptions) == size_t(Type::B1) + 1);
const Description &describe(Type type) { return descriptions[size_t(type)]; }

} // namespace

namespace tritium::sim::ptx {

unsigned bitsOf(Type type) { return describe(type).bits; }
bool isSigned(Type type) { return describe(type).kind == Signed; }
bool isFloat(Type type) { return describe(type).kind == Floating; }
bool isInteger(Type type) {
  Class kind = describe(type).kind;
  return kind == Bits || kind == Unsigned || kind == Signed;
}
std::string_view nameOf(Type type) { return describe(type).name; }

Type typeNamed(std::string_view name) {
  for (size_t i = 1; i < std::size(descriptions); ++i)
    if (descriptions[i].name == name)
      return Type(i);
  return Type::None;
}

std::string_view nameOf(Space space) {
  constexpr std::string_view names[] = {"generic", "register", "const", "global",
                                        "local",   "param",    "shared"};
  return names[size_t(space)];
}

std::string Function::registerName(uint32_t index) const {
  for (const RegisterRange &range : ranges)
    if (index >= range.first && index - range.first < range.count)
      return std::string(range.name) +
             (range.numbered ? std::to_string(index - range.first) : std::string());
  return "register " + std::to_string(index);
}

const Function *Module::find(std::string_view name) const {
  for (const Function &function : functions)
    if (function.name == name && function.isDefined)
      return &function;
  return nullptr;
}

std::string Module::render(const SourceLine &line) const {
  if (!line.file || line.file >= files.size())
    return "";
  return files[line.file] + ":" + std::to_string(line.line);
}

} // namespace tritium::sim::ptx
