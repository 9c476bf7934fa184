//===- SimulatorFuzzer.cpp - the PTX parser and machine under libFuzzer ---===//
//
// Any bytes either parse or give an error; every entry of what parses runs to an end or to
// a fault, on two small buffers. Besides libFuzzer's own mutations a piece of the input is
// repeated until the input is long: what nests, and what recursion would follow.
//
//===----------------------------------------------------------------------===//

#include "tritium/Simulator/Simulator.h"

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace tritium::sim;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/// Repeats [begin, end) in its place, to `total` bytes and less than one piece more.
static size_t repeat(uint8_t *data, size_t size, size_t begin, size_t end, size_t total) {
  std::string text(reinterpret_cast<char *>(data), size), made = text.substr(0, end);
  while (made.size() + size - end + end - begin <= total)
    made.append(text, begin, end - begin);
  made.append(text, end);
  std::copy(made.begin(), made.end(), data);
  return made.size();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  constexpr size_t usual = 4096; // long enough for mutations that look for new paths
  if (size == 0 || size > usual || random() % 8)
    return LLVMFuzzerMutate(data, std::min(size, usual), std::min(most, usual));
  size_t begin = random() % size;
  if (random() % 2) // what opens something
    begin = size_t(std::find_first_of(data + begin, data + size, "{([", "{([" + 3) - data) % size;
  size_t end = begin + 1 + (random() % 2 ? 0 : random() % std::min<size_t>(size - begin, 64));
  return repeat(data, size, begin, end, std::max(size, std::min(most, usual << random() % 9)));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<ptx::Error> errors;
  auto program = Program::load(std::string(reinterpret_cast<const char *>(data), size), errors);
  if (!program) {
    if (errors.empty())
      abort();
    return 0;
  }
  std::vector<uint8_t> memory[2] = {std::vector<uint8_t>(1024, 1), std::vector<uint8_t>(1024)};
  for (const std::string &entry : program->entries()) {
    Launch launch;
    launch.entry = entry;
    launch.grid = {2, 1, 1};
    // A warp group, where the kernel asks for one.
    launch.block = {program->module().find(entry)->required[0] == 128 ? 128u : 40u, 1, 1};
    launch.dynamicShared = 256;
    launch.stepLimit = 20000;
    launch.memoryLimit = 64 << 20;
    launch.seed = size & 1;
    for (unsigned i = 0; i < 2; ++i)
      launch.buffers.push_back({0x10000 + i * 0x10000ull, memory[i].data(), 1024, i == 0, "b"});
    unsigned pointers = 0;
    for (const ptx::Variable &parameter : program->module().find(entry)->parameters) {
      std::vector<uint8_t> value(parameter.size < 4096 ? parameter.size : 0);
      uint64_t number = value.size() == 8 ? 0x10000 * (1 + pointers++ % 2) : 7;
      std::memcpy(value.data(), &number, std::min<size_t>(value.size(), 8));
      launch.arguments.push_back(value);
    }
    Result result = program->run(launch);
    if (!result.completed && result.faults.empty())
      abort();
    result.renderFaults();
    result.counters.json();
  }
  return 0;
}
