//===- Simulate.cpp - tritium sim -----------------------------------------===//

#include "Commands.h"

#include "tritium/Simulator/Recording.h"
#include "tritium/Target/NVPTX/Ptxas.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

using namespace tritium;
using namespace tritium::tool;

const char *const tritium::tool::simHelp =
    R"(usage: tritium sim FILE.ptx [--entry NAME] --grid X[,Y[,Z]] --block X[,Y[,Z]] [OPTION...]
       tritium sim --launch FILE.launch [OPTION...]

Runs a kernel of a PTX file with no GPU: every access is checked and counted. Exit status 0
if nothing was wrong, 1 if there were faults, 2 for a wrong command line.

  --entry NAME        the kernel; may be left out if the file has only one
  --grid X[,Y[,Z]]    blocks of the grid (1)
  --block X[,Y[,Z]]   threads of a block (the kernel's .reqntid, or 32)
  --shared BYTES      dynamic shared memory (0)
  --arg TYPE:VALUE    the next argument, a number: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64
  --arg TYPE[N]=FILL  the next argument, a pointer to N elements of new memory. FILL: zero,
                      iota (0, 1, 2, ...), random[:SEED] (integers 0 to 99, floats in
                      [-1, 1)), a number, or @PATH for a file's bytes. `const TYPE[N]=FILL`
                      makes it read-only
  --arg bytes:HEX     the next argument, a structure by its bytes
  --launch FILE       run a launch that TRITIUM_SIM_RECORD=FOLDER has kept, with its kernel,
                      extents and arguments; --print and --dump count its buffers, as bytes
  --print INDEX[:N]   print the first N (16) elements of argument INDEX, from 0, afterwards
  --dump INDEX=PATH   write the memory of argument INDEX to a file
  --seed N            let warps and blocks take turns at random, by this seed
  --step-limit N      warp instructions before the launch is given up (2000000000)
  --arch sm_NN        the GPU whose limits hold and whose occupancy is shown: 75, 80, 86, 89
                      or 90 (those of all that run the file)
  --no-races          do not look for races
  --same-value        races of writes that leave memory as it is are faults, too
  --separate-products of a wgmma each warp's wait speaks for that warp alone: neither that the
                      others have read their operands, nor what they did before
  --no-undefined      do not look for values that nothing wrote
  --counters          print the counters by kernel and source line
  --json PATH         write the counters as JSON; -: standard output
  -h, --help          show this text

examples:
  tritium compile examples/vector_add.py --signature "*fp32:16,*fp32:16,*fp32:16,i32" \
      --constexpr BLOCK_SIZE=128 --target cuda:80 -o add.ptx
  tritium sim add.ptx --entry add_kernel --grid 4 --block 128 --arg f32[512]=iota \
      --arg f32[512]=1 --arg f32[512]=zero --arg i32:512 --print 2
)";

namespace {

struct ElementType {
  const char *name;
  unsigned bytes;
  char kind; ///< i, u, f
};
constexpr ElementType elementTypes[] = {
    {"i8", 1, 'i'},  {"i16", 2, 'i'}, {"i32", 4, 'i'}, {"i64", 8, 'i'}, {"u8", 1, 'u'},
    {"u16", 2, 'u'}, {"u32", 4, 'u'}, {"u64", 8, 'u'}, {"f32", 4, 'f'}, {"f64", 8, 'f'}};

const ElementType &elementType(const std::string &name, const std::string &option) {
  for (const ElementType &type : elementTypes)
    if (name == type.name)
      return type;
  throw UsageError("'" + name + "' in '--arg " + option +
                   "' is no type; there are: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 bytes");
}

uint64_t number(const std::string &text, const std::string &of) {
  try {
    size_t used = 0;
    if (text.empty() || text[0] == '-')
      throw std::invalid_argument("");
    uint64_t value = std::stoull(text, &used, 0);
    if (used != text.size())
      throw std::invalid_argument("");
    return value;
  } catch (const std::exception &) {
    throw UsageError(of + " wants a number, but got '" + text + "'");
  }
}

std::vector<uint8_t> scalar(const ElementType &type, const std::string &text) {
  std::vector<uint8_t> bytes(type.bytes);
  try {
    size_t used = 0;
    if (type.kind == 'f') {
      double value = std::stod(text, &used);
      float single = float(value);
      if (type.bytes == 4)
        std::memcpy(bytes.data(), &single, 4);
      else
        std::memcpy(bytes.data(), &value, 8);
    } else {
      uint64_t value =
          text[0] == '-' ? uint64_t(std::stoll(text, &used, 0)) : std::stoull(text, &used, 0);
      std::memcpy(bytes.data(), &value, type.bytes);
    }
    if (used != text.size())
      throw std::invalid_argument("");
  } catch (const std::exception &) {
    throw UsageError("'" + text + "' is no value of type " + type.name);
  }
  return bytes;
}

std::string readWhole(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    throw Failure("cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Memory {
  const ElementType *type = nullptr;
  std::vector<uint8_t> bytes;
};

void fill(Memory &memory, uint64_t count, const std::string &how) {
  const ElementType &type = *memory.type;
  if (how[0] == '@') {
    std::string content = readWhole(how.substr(1));
    std::copy_n(content.begin(), std::min(content.size(), memory.bytes.size()),
                memory.bytes.begin());
    return;
  }
  bool isRandom = how.substr(0, 6) == "random";
  std::mt19937_64 random(how.size() > 7 ? number(how.substr(7), "random") : 1);
  for (uint64_t i = 0; i < count && how != "zero"; ++i) {
    std::vector<uint8_t> value;
    if (how == "iota")
      value = scalar(type, std::to_string(i));
    else if (isRandom)
      value = scalar(type, type.kind == 'f' ? std::to_string(double(random() >> 11) * 0x1p-52 - 1)
                                            : std::to_string(random() % 100));
    else
      value = scalar(type, how);
    std::copy(value.begin(), value.end(), memory.bytes.begin() + i * type.bytes);
  }
}

struct Request {
  std::string file, json, recorded;
  sim::Launch launch;
  std::vector<Memory> memories; ///< by argument; no type: a number
  std::vector<std::pair<uint64_t, uint64_t>> prints;
  std::vector<std::pair<uint64_t, std::string>> dumps;
  bool counters = false, hasBlock = false;
};

void addArgument(Request &request, std::string text) {
  const std::string option = text;
  bool readOnly = text.substr(0, 6) == "const ";
  if (readOnly)
    text = text.substr(6);
  size_t colon = text.find(':'), bracket = text.find('[');
  request.memories.emplace_back();
  if (bracket == std::string::npos || (colon != std::string::npos && colon < bracket)) {
    if (colon == std::string::npos)
      throw UsageError("--arg wants TYPE:VALUE or TYPE[N]=FILL, but got '" + option + "'");
    std::string value = text.substr(colon + 1);
    if (text.substr(0, colon) == "bytes") {
      std::vector<uint8_t> bytes;
      if (value.size() % 2)
        throw UsageError("--arg bytes: wants two digits for each byte, but got '" + value + "'");
      for (size_t i = 0; i < value.size(); i += 2)
        bytes.push_back(uint8_t(number("0x" + value.substr(i, 2), "--arg bytes:")));
      request.launch.arguments.push_back(bytes);
    } else {
      request.launch.arguments.push_back(scalar(elementType(text.substr(0, colon), option), value));
    }
    return;
  }
  size_t close = text.find(']', bracket), equals = text.find('=', bracket);
  if (close == std::string::npos || equals != close + 1 || equals + 1 >= text.size())
    throw UsageError("--arg wants TYPE:VALUE or TYPE[N]=FILL, but got '" + option + "'");
  Memory &memory = request.memories.back();
  memory.type = &elementType(text.substr(0, bracket), option);
  uint64_t count = number(text.substr(bracket + 1, close - bracket - 1), "--arg " + option);
  uint64_t before = 0;
  for (const Memory &other : request.memories)
    before += other.bytes.size();
  constexpr uint64_t most = uint64_t(4) << 30;
  if (count > most || before + count * memory.type->bytes > most)
    throw UsageError("--arg " + option + ": the memory of all arguments is at most 4 GiB");
  memory.bytes.resize(count * memory.type->bytes);
  fill(memory, count, text.substr(equals + 1));
  // Far apart, so that no overrun of one lands in another.
  uint64_t address = 0x7f0000000000 + request.launch.buffers.size() * (uint64_t(1) << 36);
  request.launch.buffers.push_back({address, memory.bytes.data(), memory.bytes.size(), !readOnly,
                                    "argument " + std::to_string(request.memories.size() - 1)});
  request.launch.pass(address);
}

sim::Extent extent(const std::string &text, const std::string &option) {
  sim::Extent made;
  uint32_t *parts[] = {&made.x, &made.y, &made.z};
  size_t begin = 0;
  for (uint32_t *part : parts) {
    size_t comma = text.find(',', begin);
    *part = uint32_t(std::min<uint64_t>(number(text.substr(begin, comma - begin), option), ~0u));
    if (comma == std::string::npos)
      return made;
    begin = comma + 1;
  }
  throw UsageError(option + " wants X[,Y[,Z]], but got '" + text + "'");
}

bool parse(const Arguments &arguments, Request &request) {
  CommandLine options(arguments);
  while (options.next()) {
    const std::string name = options.name;
    if (!options.isOption) {
      if (!request.file.empty())
        throw UsageError("sim: one file at a time, but got '" + request.file + "' and '" + name +
                         "'");
      request.file = name;
    } else if (name == "-h" || name == "--help") {
      std::fputs(simHelp, stdout);
      return false;
    } else if (name == "--entry") {
      request.launch.entry = options.value();
    } else if (name == "--grid") {
      request.launch.grid = extent(options.value(), name);
    } else if (name == "--block") {
      request.launch.block = extent(options.value(), name);
      request.hasBlock = true;
    } else if (name == "--shared") {
      request.launch.dynamicShared =
          uint32_t(std::min<uint64_t>(number(options.value(), name), ~0u));
    } else if (name == "--arg") {
      addArgument(request, options.value());
    } else if (name == "--launch") {
      request.recorded = options.value();
    } else if (name == "--print") {
      std::string text = options.value();
      size_t colon = text.find(':');
      request.prints.emplace_back(
          number(text.substr(0, colon), name),
          colon == std::string::npos ? 16 : number(text.substr(colon + 1), name));
    } else if (name == "--dump") {
      std::string text = options.value();
      size_t equals = text.find('=');
      if (equals == std::string::npos)
        throw UsageError("--dump wants INDEX=PATH, but got '" + text + "'");
      request.dumps.emplace_back(number(text.substr(0, equals), name), text.substr(equals + 1));
    } else if (name == "--seed") {
      request.launch.seed = number(options.value(), name);
    } else if (name == "--step-limit") {
      request.launch.stepLimit = number(options.value(), name);
    } else if (name == "--arch") {
      std::string text = options.value();
      uint64_t arch = number(text.substr(0, 3) == "sm_" ? text.substr(3) : text, name);
      if (arch != 75 && arch != 80 && arch != 86 && arch != 89 && arch != 90)
        throw UsageError("--arch wants sm_75, sm_80, sm_86, sm_89 or sm_90, but got '" + text +
                         "'");
      request.launch.architecture = unsigned(arch);
    } else if (name == "--no-races") {
      options.noValue();
      request.launch.checkRaces = false;
    } else if (name == "--same-value") {
      options.noValue();
      request.launch.checkSameValue = true;
    } else if (name == "--separate-products") {
      options.noValue();
      request.launch.separateProducts = true;
    } else if (name == "--no-undefined") {
      options.noValue();
      request.launch.checkUndefined = false;
    } else if (name == "--counters") {
      options.noValue();
      request.counters = true;
    } else if (name == "--json") {
      request.json = options.value();
    } else {
      throw UsageError("sim has no option '" + name + "'");
    }
  }
  if (request.file.empty() == request.recorded.empty())
    throw UsageError("sim needs either a PTX file or --launch FILE");
  return true;
}

const Memory &memoryOf(const Request &request, uint64_t index, const char *option) {
  if (index >= request.memories.size() || !request.memories[index].type)
    throw UsageError(std::string(option) + ": argument " + std::to_string(index) + " is no memory");
  return request.memories[index];
}

void print(const Memory &memory, uint64_t index, uint64_t most) {
  unsigned size = memory.type->bytes;
  std::printf("argument %llu:", (unsigned long long)index);
  for (uint64_t i = 0; i < most && (i + 1) * size <= memory.bytes.size(); ++i) {
    int64_t whole = 0;
    std::memcpy(&whole, &memory.bytes[i * size], size);
    float single;
    double wide;
    std::memcpy(&single, &whole, 4);
    std::memcpy(&wide, &whole, 8);
    if (memory.type->kind == 'f')
      std::printf(" %.9g", size == 4 ? double(single) : wide);
    else if (memory.type->kind == 'u')
      std::printf(" %llu", (unsigned long long)whole);
    else
      std::printf(" %lld", (long long)(whole << (64 - 8 * size) >> (64 - 8 * size)));
  }
  std::printf("\n");
}

/// Fills in the launch that was recorded; returns its PTX.
std::string readRecording(Request &request) {
  sim::Recording recording;
  std::string error;
  if (!sim::restore(readWhole(request.recorded), recording, error))
    throw Failure(request.recorded + ": " + error);
  sim::Launch &launch = request.launch, &kept = recording.launch;
  if (!launch.arguments.empty())
    throw UsageError("--launch has arguments of its own: leave --arg out");
  launch.entry = kept.entry;
  launch.grid = kept.grid;
  launch.block = kept.block;
  launch.dynamicShared = kept.dynamicShared;
  launch.arguments = std::move(kept.arguments);
  launch.variables = std::move(kept.variables);
  launch.buffers = std::move(kept.buffers);
  request.hasBlock = true;
  request.file = request.recorded;
  for (std::vector<uint8_t> &bytes : recording.memory)
    request.memories.push_back({&elementType("u8", ""), std::move(bytes)});
  for (size_t i = 0; i < request.memories.size(); ++i)
    launch.buffers[i].data = request.memories[i].bytes.data();
  return std::move(recording.ptx);
}

} // namespace

int tritium::tool::simulate(const Arguments &arguments) {
  Request request;
  if (!parse(arguments, request))
    return 0;
  std::string text;
  if (!request.recorded.empty())
    text = readRecording(request);
  for (auto [index, most] : request.prints)
    memoryOf(request, index, "--print");
  for (auto &[index, path] : request.dumps)
    memoryOf(request, index, "--dump");
  if (request.recorded.empty())
    text = readWhole(request.file);
  std::vector<sim::ptx::Error> errors;
  auto program = sim::Program::load(std::move(text), errors);
  if (!program) {
    text.clear();
    for (const sim::ptx::Error &error : errors)
      text += request.file + ":" + std::to_string(error.at.line) + ":" +
              std::to_string(error.at.column) + ": error: " + error.message + "\n";
    if (!text.empty())
      text.pop_back();
    throw Failure(text);
  }
  sim::Launch &launch = request.launch;
  if (launch.entry.empty() && program->entries().size() == 1)
    launch.entry = program->entries()[0];
  if (launch.entry.empty()) {
    std::string names;
    for (const std::string &name : program->entries())
      names += (names.empty() ? "" : ", ") + name;
    throw UsageError(names.empty() ? "the file has no kernel" : "say --entry, one of: " + names);
  }
  if (!request.hasBlock) {
    launch.block = {32, 1, 1};
    if (const auto *entry = program->module().find(launch.entry); entry && entry->required[0])
      launch.block = {entry->required[0], entry->required[1], entry->required[2]};
  }
  launch.isCounted = request.counters || !request.json.empty();
  if (launch.isCounted)
    launch.allocatedRegisters = [&](unsigned architecture) {
      sim::AllocatedRegisters answer;
      const sim::ptx::Module &module = program->module();
      answer.registers = nvptx::registersOf(module.text, std::string(module.target), launch.entry,
                                            architecture, answer.reason);
      return answer;
    };
  sim::Result result = program->run(launch);
  std::fputs(result.output.c_str(), stdout);
  for (auto [index, most] : request.prints)
    print(request.memories[index], index, most);
  for (auto &[index, path] : request.dumps) {
    std::ofstream out(path, std::ios::binary);
    const std::vector<uint8_t> &bytes = request.memories[index].bytes;
    if (!out.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size())))
      throw Failure("cannot write '" + path + "'");
  }
  if (request.counters)
    std::fputs(result.counters.text().c_str(), stdout);
  if (request.json == "-")
    std::printf("%s\n", result.counters.json().c_str());
  else if (!request.json.empty() &&
           !(std::ofstream(request.json) << result.counters.json() << "\n"))
    throw Failure("cannot write '" + request.json + "'");
  std::fputs(result.renderFaults().c_str(), stderr);
  return result.clean() ? 0 : 1;
}
