//===- Streaming.cpp - which launches store past the caches ---------------===//

#include "Streaming.h"

#include "tritium/Support/Settings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <thread>
#include <unistd.h>

using namespace tritium;
using namespace tritium::runtime;

StreamingChoice::StreamingChoice(const std::vector<ParameterInfo> &parameters, uint64_t threshold)
    : threshold(threshold) {
  for (auto [i, parameter] : llvm::enumerate(parameters))
    if (parameter.streamedBytes)
      outputs.push_back({static_cast<unsigned>(i), parameter.streamedBytes});
}

bool StreamingChoice::isWorthwhile(llvm::ArrayRef<BoundArgument> arguments,
                                   const uint32_t grid[3]) const {
  if (outputs.empty())
    return false;
  uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2], written = 0;
  for (const Output &output : outputs) {
    const BoundArgument &argument = arguments[output.argument];
    uint64_t most = llvm::SaturatingMultiply(output.bytesPerProgram, programs);
    uint64_t bytes = std::min(argument.end - argument.begin, most);
    if (bytes != kUnknownBytes)
      written = llvm::SaturatingAdd(written, bytes);
  }
  return written >= threshold;
}

/// A virtual machine is told the size of the whole cache, of which it has a share: of 480 MB told,
/// outputs of 64 MB and more gained from streaming, those of 32 MB lost.
static constexpr uint64_t kMostBytes = 48 << 20;

/// Beside an output the caches hold what it is computed from, and what others put there: of 32 MB
/// of a third-level cache, outputs of 8 MB and more gained, also if they were read next.
static constexpr uint64_t kShareOfCache = 3;

/// What Linux says of the third-level cache of the first CPU; empty if it does not.
static std::string aboutCache(llvm::StringRef name) {
  auto text = llvm::MemoryBuffer::getFileAsStream(
      ("/sys/devices/system/cpu/cpu0/cache/index3/" + name).str());
  return text ? (*text)->getBuffer().trim().str() : "";
}

/// The third-level caches of this process's CPUs, in bytes; 0 where that is not known. (AMD's
/// instruction, which sysconf asks, counts those of the whole package.)
static uint64_t thirdLevelCaches() {
  std::string text = aboutCache("size");
  llvm::StringRef size = text;
  uint64_t kilobytes = 0, sharing = 0;
  if (!size.consume_back("K") || size.getAsInteger(10, kilobytes))
    return 0;
  for (char digit : aboutCache("shared_cpu_map"))
    if (llvm::isHexDigit(digit))
      sharing += llvm::popcount(llvm::hexDigitValue(digit));
  uint64_t cpus = std::max(1u, std::thread::hardware_concurrency());
  return kilobytes * 1024 * llvm::divideCeil(cpus, std::max<uint64_t>(sharing, 1));
}

uint64_t tritium::runtime::streamingThreshold() {
  if (std::optional<uint64_t> bytes = settings::StreamingBytes.integer())
    return *bytes;
  if (uint64_t size = thirdLevelCaches())
    return std::min(size / kShareOfCache, kMostBytes);
  for (int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (long size = sysconf(level); size > 0)
      return std::min(static_cast<uint64_t>(size) / kShareOfCache, kMostBytes);
  return 32 << 20; // the system does not tell
}
