//===- Recording.cpp - a launch as a file ---------------------------------===//
//
// Lines of words, then the bytes that they announce:
//
//   tritium-launch 1
//   entry add_kernel
//   grid 3 1 1
//   block 128 1 1
//   shared 0
//   argument 00007f2a10000000     (bytes, in hexadecimal)
//   variable name 0102            (first bytes of a variable of the module)
//   buffer ADDRESS BYTES w name   (w: writable, r: not)
//   ptx BYTES
//
// The bytes of the buffers follow in their order, then the PTX.
//
//===----------------------------------------------------------------------===//

#include "tritium/Simulator/Recording.h"

#include "llvm/ADT/StringExtras.h"

#include <sstream>

using namespace tritium::sim;

static constexpr char magic[] = "tritium-launch 1";

void Recording::bind() {
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    launch.buffers[i].data = memory[i].data();
    launch.buffers[i].bytes = memory[i].size();
  }
}

std::string tritium::sim::record(const std::string &ptx, const Launch &launch) {
  std::ostringstream out;
  auto extent = [&](const char *name, const Extent &e) {
    out << name << " " << e.x << " " << e.y << " " << e.z << "\n";
  };
  out << magic << "\nentry " << launch.entry << "\n";
  extent("grid", launch.grid);
  extent("block", launch.block);
  out << "shared " << launch.dynamicShared << "\n";
  for (const std::vector<uint8_t> &argument : launch.arguments)
    out << "argument " << llvm::toHex(argument) << "\n";
  for (const Buffer &buffer : launch.buffers)
    out << "buffer " << buffer.address << " " << buffer.bytes << " "
        << (buffer.writable ? "w" : "r") << " " << buffer.name << "\n";
  for (const auto &[name, value] : launch.variables)
    out << "variable " << name << " " << llvm::toHex(value) << "\n";
  out << "ptx " << ptx.size() << "\n";
  for (const Buffer &buffer : launch.buffers)
    out.write(static_cast<const char *>(buffer.data), std::streamsize(buffer.bytes));
  out << ptx;
  return out.str();
}

bool tritium::sim::restore(std::string_view bytes, Recording &recording, std::string &error) {
  size_t at = 0;
  unsigned number = 0;
  auto fail = [&](const std::string &what) {
    error = "line " + std::to_string(number) + ": " + what;
    return false;
  };
  auto line = [&] {
    size_t end = bytes.find('\n', at);
    ++number;
    if (end == std::string_view::npos)
      end = bytes.size();
    std::string text(bytes.substr(at, end - at));
    at = std::min(end + 1, bytes.size());
    return text;
  };
  if (line() != magic)
    return fail("no recorded launch");
  Launch &launch = recording.launch;
  std::vector<uint64_t> sizes;
  uint64_t ptxBytes = 0;
  for (bool more = true; more;) {
    if (at >= bytes.size())
      return fail("the file ends early");
    std::istringstream words(line());
    std::string word, text;
    words >> word;
    auto extent = [&](Extent &e) { words >> e.x >> e.y >> e.z; };
    if (word == "entry") {
      words >> launch.entry;
    } else if (word == "grid") {
      extent(launch.grid);
    } else if (word == "block") {
      extent(launch.block);
    } else if (word == "shared") {
      words >> launch.dynamicShared;
    } else if (word == "argument" || word == "variable") {
      std::string name, value;
      if (word == "variable")
        words >> name;
      words >> text;
      if (!llvm::tryGetFromHex(text, value))
        return fail("'" + text + "' is not in hexadecimal");
      std::vector<uint8_t> decoded(value.begin(), value.end());
      if (word == "variable")
        launch.variables.emplace_back(name, std::move(decoded));
      else
        launch.arguments.push_back(std::move(decoded));
    } else if (word == "buffer") {
      Buffer buffer;
      char mode = 0;
      words >> buffer.address >> buffer.bytes >> mode;
      std::getline(words >> std::ws, buffer.name);
      if (mode != 'r' && mode != 'w')
        return fail("a buffer wants its address, bytes, and r or w");
      words.clear();
      buffer.writable = mode == 'w';
      sizes.push_back(buffer.bytes);
      launch.buffers.push_back(std::move(buffer));
    } else if (word == "ptx") {
      words >> ptxBytes;
      more = false;
    } else {
      return fail("'" + word + "' is not known here");
    }
    if (words.fail())
      return fail("a number is missing");
  }
  for (uint64_t size : sizes) {
    if (size > bytes.size() - at)
      return fail("the file ends early");
    recording.memory.emplace_back(bytes.begin() + at, bytes.begin() + at + size);
    at += size;
  }
  if (ptxBytes != bytes.size() - at)
    return fail("the file ends early");
  recording.ptx = bytes.substr(at);
  recording.bind();
  return true;
}
