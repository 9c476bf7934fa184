//===- Serialization.cpp - bytes of compiled kernels and keys -------------===//

#include "Serialization.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/SHA256.h"

#include <cstring>

using namespace tritium;
using namespace tritium::runtime;

void Writer::number(uint64_t value) {
  char data[8];
  for (int i = 0; i < 8; ++i)
    data[i] = static_cast<char>(value >> (8 * i));
  bytes.append(data, 8);
}

void Writer::text(std::string_view value) {
  number(value.size());
  bytes.append(value);
}

void Writer::dtype(const DType &type) {
  number(static_cast<uint64_t>(type.kind) | uint64_t(type.pointerDepth) << 8 |
         uint64_t(type.isConst) << 16);
}

void Writer::constant(const Constant &value) {
  number(value.value.index());
  if (const bool *flag = std::get_if<bool>(&value.value)) {
    number(*flag);
  } else if (const Constant::Int *integer = std::get_if<Constant::Int>(&value.value)) {
    number(static_cast<uint64_t>(*integer));
    number(static_cast<uint64_t>(*integer >> 64));
  } else if (const double *real = std::get_if<double>(&value.value)) {
    uint64_t bits;
    std::memcpy(&bits, real, sizeof bits);
    number(bits);
  } else if (const std::string *string = std::get_if<std::string>(&value.value)) {
    text(*string);
  } else if (const DType *type = std::get_if<DType>(&value.value)) {
    dtype(*type);
  } else if (const Constant::Tuple *tuple = std::get_if<Constant::Tuple>(&value.value)) {
    number(tuple->size());
    for (const Constant &item : *tuple)
      constant(item);
  } else if (auto *object = std::get_if<Constant::Object>(&value.value)) {
    text(object->name);
  }
}

std::string_view Reader::take(size_t count) {
  if (bad || count > rest.size()) {
    bad = true;
    return {};
  }
  std::string_view taken = rest.substr(0, count);
  rest.remove_prefix(count);
  return taken;
}

uint64_t Reader::number() {
  std::string_view data = take(8);
  uint64_t value = 0;
  for (size_t i = 0; i < data.size(); ++i)
    value |= static_cast<uint64_t>(static_cast<uint8_t>(data[i])) << (8 * i);
  return value;
}

size_t Reader::length() {
  uint64_t value = number();
  if (value > rest.size())
    bad = true;
  return bad ? 0 : value;
}

std::string Reader::text() {
  size_t size = length();
  return std::string(take(size));
}

DType Reader::dtype() {
  uint64_t bits = number();
  if ((bits & 0xff) > static_cast<uint64_t>(DTypeKind::Float64)) {
    bad = true;
    return {};
  }
  return {static_cast<DTypeKind>(bits & 0xff), static_cast<uint8_t>(bits >> 8),
          (bits >> 16 & 1) != 0};
}

Target Reader::target() {
  std::string ignored;
  std::optional<Target> target = Target::parse(text(), ignored);
  bad |= !target;
  return target.value_or(Target());
}

Constant Reader::constant(unsigned depth) {
  uint64_t kind = number();
  if (depth > 64)
    bad = true;
  if (bad)
    return {};
  switch (kind) {
  case 0:
    return {};
  case 1:
    return {number() != 0};
  case 2: {
    uint64_t low = number(), high = number();
    return {static_cast<Constant::Int>(static_cast<unsigned __int128>(high) << 64 | low)};
  }
  case 3: {
    uint64_t bits = number();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return {value};
  }
  case 4:
    return {text()};
  case 5:
    return {dtype()};
  case 6: {
    Constant::Tuple tuple;
    for (size_t count = length(); count && !bad; --count)
      tuple.push_back(constant(depth + 1));
    return {std::move(tuple)};
  }
  case 7:
    return {Constant::Object{text()}};
  default:
    bad = true;
    return {};
  }
}

static void write(Writer &writer, const std::vector<ScalarStep> &steps) {
  writer.number(steps.size());
  for (const ScalarStep &step : steps) {
    writer.number(step.kind | step.bits << 8);
    writer.number(static_cast<uint64_t>(step.value));
  }
}

static std::vector<ScalarStep> readSteps(Reader &reader) {
  std::vector<ScalarStep> steps;
  for (size_t count = reader.length(); count && !reader.failed(); --count) {
    uint64_t code = reader.number();
    auto value = static_cast<int64_t>(reader.number());
    steps.push_back({static_cast<uint8_t>(code), static_cast<uint8_t>(code >> 8), value});
  }
  return steps;
}

static void write(Writer &writer, const TensorMapParameter &map) {
  for (uint64_t number : {uint64_t(map.elementBytes), uint64_t(map.roundsToTF32),
                          uint64_t(map.swizzle), uint64_t(map.base)})
    writer.number(number);
  write(writer, map.start);
  writer.number(map.box.size());
  for (size_t d = 0; d < map.box.size(); ++d) {
    writer.number(map.box[d]);
    write(writer, map.shape[d]);
    if (d + 1 < map.box.size())
      write(writer, map.strides[d]);
  }
}

static TensorMapParameter readTensorMap(Reader &reader) {
  TensorMapParameter map;
  map.elementBytes = std::max(1u, static_cast<unsigned>(reader.number()));
  map.roundsToTF32 = reader.number() != 0;
  map.swizzle = static_cast<unsigned>(reader.number());
  map.base = reader.number();
  map.start = readSteps(reader);
  for (size_t count = reader.length(); count && !reader.failed(); --count) {
    map.box.push_back(static_cast<uint32_t>(reader.number()));
    map.shape.push_back(readSteps(reader));
    if (count > 1)
      map.strides.push_back(readSteps(reader));
  }
  return map;
}

static void write(Writer &writer, const KernelClocks &clocks) {
  writer.number(clocks.parts.size());
  for (const ClockedPart &part : clocks.parts) {
    writer.text(part.name);
    writer.text(part.file);
    writer.number(static_cast<uint32_t>(part.line));
    writer.number(static_cast<uint32_t>(part.last));
  }
  writer.number(clocks.groups.size());
  for (const ClockedGroup &group : clocks.groups) {
    writer.text(group.name);
    writer.number(group.warps);
  }
}

static KernelClocks readClocks(Reader &reader) {
  KernelClocks clocks;
  for (size_t count = reader.length(); count && !reader.failed(); --count) {
    ClockedPart part;
    part.name = reader.text();
    part.file = reader.text();
    part.line = static_cast<int>(reader.number());
    part.last = static_cast<int>(reader.number());
    clocks.parts.push_back(std::move(part));
  }
  for (size_t count = reader.length(); count && !reader.failed(); --count) {
    std::string name = reader.text();
    clocks.groups.push_back({std::move(name), static_cast<unsigned>(reader.number())});
  }
  return clocks;
}

void tritium::runtime::write(Writer &writer, const CompiledKernel &kernel) {
  const KernelMetadata &data = kernel.metadata;
  for (const std::string &text : {data.name, data.entry, data.target.str(), data.cpu})
    writer.text(text);
  writer.number(data.parameters.size());
  for (const ParameterInfo &parameter : data.parameters) {
    writer.text(parameter.name);
    writer.dtype(parameter.type);
    writer.number(parameter.isWritten | parameter.isRead << 1);
    writer.number(static_cast<uint64_t>(parameter.divisibility));
    writer.number(parameter.streamedBytes);
  }
  writer.number(data.scratchBytes);
  writer.number(data.hasIndirectPointers | data.hasIndirectWrites << 1 | data.overtakes << 2 |
                data.mayWait << 3 | data.isPersistent << 4 | data.takesPrograms << 5 |
                data.streamK << 6 | data.waitsForLaunches << 7);
  for (uint64_t number : {uint64_t(data.numWarps), uint64_t(data.numCtas),
                          uint64_t(data.programsPerCTA), uint64_t(data.splitK), data.partialBytes,
                          data.sharedBytes, uint64_t(data.registers), uint64_t(data.spillBytes)})
    writer.number(number);
  writer.number(data.asserts.size());
  for (const AssertSite &site : data.asserts) {
    writer.text(site.message);
    writer.text(site.file);
    writer.number(static_cast<uint32_t>(site.line));
    writer.number(static_cast<uint32_t>(site.kind));
    writer.number(site.shape.size());
    for (int64_t extent : site.shape)
      writer.number(static_cast<uint64_t>(extent));
  }
  writer.number(data.conditions.size());
  for (const LaunchCondition &condition : data.conditions)
    ::write(writer, condition);
  writer.number(data.tensorMaps.size());
  for (const TensorMapParameter &map : data.tensorMaps)
    ::write(writer, map);
  writer.number(data.copies.size());
  for (const CopyNeeds &copy : data.copies) {
    writer.text(copy.place);
    for (const std::vector<uint64_t> *numbers : {&copy.conditions, &copy.tensorMaps}) {
      writer.number(numbers->size());
      for (uint64_t number : *numbers)
        writer.number(number);
    }
  }
  writer.number(kernel.stages.size());
  for (const auto &[name, text] : kernel.stages) {
    writer.text(name);
    writer.text(text);
  }
  writer.number(kernel.remarks.size());
  for (const Remark &remark : kernel.remarks) {
    for (const std::string *text :
         {&remark.pass, &remark.kind, &remark.message, &remark.file, &remark.rendered})
      writer.text(*text);
    writer.number(static_cast<uint32_t>(remark.line));
    writer.number(static_cast<uint32_t>(remark.column));
    writer.number(remark.arguments.size());
    for (const auto &[name, value] : remark.arguments) {
      writer.text(name);
      writer.text(value);
    }
  }
  writer.text(kernel.printed);
  writer.text(kernel.handicap);
  ::write(writer, kernel.clocks);
}

void tritium::runtime::read(Reader &reader, CompiledKernel &kernel) {
  KernelMetadata &data = kernel.metadata;
  data.name = reader.text();
  data.entry = reader.text();
  data.target = reader.target();
  data.cpu = reader.text();
  for (size_t count = reader.length(); count && !reader.failed(); --count) {
    ParameterInfo parameter;
    parameter.name = reader.text();
    parameter.type = reader.dtype();
    uint64_t flags = reader.number();
    parameter.isWritten = flags & 1;
    parameter.isRead = flags & 2;
    parameter.divisibility = static_cast<int64_t>(reader.number());
    parameter.streamedBytes = reader.number();
    data.parameters.push_back(std::move(parameter));
  }
  data.scratchBytes = reader.number();
  uint64_t flags = reader.number();
  data.hasIndirectPointers = flags & 1;
  data.hasIndirectWrites = flags & 2;
  data.overtakes = flags & 4;
  data.mayWait = flags & 8;
  data.isPersistent = flags & 16;
  data.takesPrograms = flags & 32;
  data.streamK = flags & 64;
  data.waitsForLaunches = flags & 128;
  for (unsigned *number : {&data.numWarps, &data.numCtas, &data.programsPerCTA, &data.splitK})
    *number = static_cast<unsigned>(reader.number());
  data.partialBytes = reader.number();
  data.sharedBytes = reader.number();
  for (unsigned *number : {&data.registers, &data.spillBytes})
    *number = static_cast<unsigned>(reader.number());
  for (size_t count = reader.length(); count && !reader.failed(); --count) {
    AssertSite site;
    site.message = reader.text();
    site.file = reader.text();
    site.line = static_cast<int>(reader.number());
    site.kind = static_cast<int>(reader.number());
    for (size_t rank = reader.length(); rank && !reader.failed(); --rank)
      site.shape.push_back(std::max<int64_t>(1, static_cast<int64_t>(reader.number())));
    data.asserts.push_back(std::move(site));
  }
  for (size_t count = reader.length(); count && !reader.failed(); --count)
    data.conditions.push_back(readSteps(reader));
  for (size_t count = reader.length(); count && !reader.failed(); --count)
    data.tensorMaps.push_back(readTensorMap(reader));
  for (size_t count = reader.length(); count && !reader.failed(); --count) {
    CopyNeeds copy;
    copy.place = reader.text();
    auto readNumbers = [&](std::vector<uint64_t> &numbers, size_t most) {
      for (size_t count = reader.length(); count && !reader.failed(); --count)
        if (uint64_t number = reader.number(); number < most)
          numbers.push_back(number);
    };
    readNumbers(copy.conditions, data.conditions.size());
    readNumbers(copy.tensorMaps, data.tensorMaps.size());
    data.copies.push_back(std::move(copy));
  }
  for (size_t count = reader.length(); count && !reader.failed(); --count) {
    std::string name = reader.text();
    kernel.stages[name] = reader.text();
  }
  for (size_t count = reader.length(); count && !reader.failed(); --count) {
    Remark remark;
    for (std::string *text :
         {&remark.pass, &remark.kind, &remark.message, &remark.file, &remark.rendered})
      *text = reader.text();
    remark.line = static_cast<int>(reader.number());
    remark.column = static_cast<int>(reader.number());
    for (size_t values = reader.length(); values && !reader.failed(); --values) {
      std::string name = reader.text();
      remark.arguments[name] = reader.text();
    }
    kernel.remarks.push_back(std::move(remark));
  }
  kernel.printed = reader.text();
  kernel.handicap = reader.text();
  kernel.clocks = readClocks(reader);
}

void tritium::runtime::write(Writer &writer, const ArgumentSpec &argument) {
  writer.number(argument.isConstexpr | argument.isDescriptor << 1);
  writer.number(argument.parts.size());
  for (const ArgumentSpec &part : argument.parts)
    write(writer, part);
  if (argument.isConstexpr || !argument.parts.empty()) {
    writer.constant(argument.value); // of a named tuple: its names
  } else {
    writer.dtype(argument.type);
    writer.number(static_cast<uint64_t>(argument.divisibility));
  }
}

void tritium::runtime::write(Writer &writer, const CompileOptions &options) {
  writer.text(options.target.str());
  writer.number(options.mayAlias | options.debug << 1 | options.streamStores << 2 |
                options.isUnconditional << 3);
  writer.number(options.refusedCopies.size());
  for (const std::string &place : options.refusedCopies)
    writer.text(place);
  writer.number(options.extra.size());
  for (const auto &[name, value] : options.extra) {
    writer.text(name);
    writer.constant(value);
  }
  writer.number(options.keepStages.size());
  for (const std::string &stage : options.keepStages)
    writer.text(stage);
}

std::string tritium::runtime::hashText(std::string_view bytes) {
  std::array<uint8_t, 32> digest = llvm::SHA256::hash(
      llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  std::string text;
  uint32_t pending = 0, bits = 0;
  for (uint8_t byte : digest) {
    pending = pending << 8 | byte;
    for (bits += 8; bits >= 5; bits -= 5)
      text += "abcdefghijklmnopqrstuvwxyz234567"[pending >> (bits - 5) & 31];
  }
  text += "abcdefghijklmnopqrstuvwxyz234567"[pending << (5 - bits) & 31];
  return text;
}
