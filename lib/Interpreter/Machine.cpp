//===- Machine.cpp - running steps, checking accesses ---------------------===//

#include "CTA.h"

#include <cstdio>

namespace tritium::interpreter {

Machine::Machine(const Program &program, const InterpreterOptions &options,
                 const std::vector<uint64_t> &args)
    : program(program), options(options), args(args), frame(program.frameSlots),
      cta(program.actors ? std::make_unique<CTA>(program) : nullptr) {}

Machine::~Machine() = default;

void Body::run(Machine &machine) const {
  for (const Step &step : steps) {
    step(machine);
    if (machine.stopped)
      return;
  }
}

namespace {
bool holds(const BufferRange &range, uint64_t address, unsigned bytes) {
  return address >= range.address && bytes <= range.bytes &&
         address - range.address <= range.bytes - bytes;
}

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// Bytes between `address` and the nearest byte of `range`.
uint64_t distance(const BufferRange &range, uint64_t address) {
  if (address < range.address)
    return range.address - address;
  uint64_t past = address - range.address;
  return past < range.bytes ? 0 : past - range.bytes + 1;
}

/// Which lane of a tile it is; nothing for a scalar.
std::string laneText(const std::vector<int64_t> &shape, int64_t lane) {
  return shape.empty() ? "" : " by lane " + indexText(shape, lane);
}

/// The argument that points into `range`, as `argument 'x_ptr'`.
std::string ownerText(const Machine &machine, const BufferRange &range) {
  const Program &program = machine.program;
  for (size_t i = 0; i < program.parameters.size(); ++i)
    if (program.parameters[i].element.kind == Kind::Pointer && holds(range, machine.args[i], 0))
      return "argument '" + program.parameters[i].name + "'";
  return "a buffer";
}

std::string rangeText(const Machine &machine, const BufferRange &range) {
  return ownerText(machine, range) + " (" + std::to_string(range.bytes) + " bytes at " +
         hex(range.address) + ")";
}
} // namespace

std::vector<int64_t> indexOf(const std::vector<int64_t> &shape, int64_t element) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; element /= shape[d])
    index[d] = element % shape[d];
  return index;
}

std::string indexText(const std::vector<int64_t> &shape, int64_t element) {
  std::string text;
  for (int64_t coordinate : indexOf(shape, element))
    text += (text.empty() ? "" : ", ") + std::to_string(coordinate);
  return "[" + text + "]";
}

bool Machine::mayAccess(uint64_t address, unsigned bytes, bool write) {
  if (!options.checkBounds || (holds(recent, address, bytes) && (!write || recent.writable)))
    return true;
  for (const BufferRange &range : options.buffers)
    if (holds(range, address, bytes) && (!write || range.writable)) {
      recent = range;
      return true;
    }
  return false;
}

void Machine::refuseAccess(const char *what, uint64_t address, unsigned bytes, bool write,
                           const std::vector<int64_t> &shape, int64_t lane, const Site &site) {
  std::string message = std::string(what) + " of " + std::to_string(bytes) + " byte" +
                        (bytes == 1 ? "" : "s") + " at " + hex(address) + laneText(shape, lane);
  const BufferRange *nearest = nullptr;
  for (const BufferRange &range : options.buffers) {
    if (write && holds(range, address, bytes))
      return fail(message + " is to read-only memory: " + rangeText(*this, range), site,
                  indexOf(shape, lane));
    if (!nearest || distance(range, address) < distance(*nearest, address))
      nearest = &range;
  }
  message += " is outside every argument";
  if (nearest) {
    auto offset = static_cast<int64_t>(address - nearest->address);
    int64_t element = (offset - (offset < 0 ? bytes - 1 : 0)) / int64_t(bytes);
    message += "; nearest: " + rangeText(*this, *nearest) + ", as element " +
               std::to_string(element) + " of " + std::to_string(nearest->bytes / bytes);
  }
  fail(message, site, indexOf(shape, lane));
}

void Machine::attend() {
  const TritiumHostCalls &host = options.host;
  if (host.attention && __atomic_load_n(host.attention, __ATOMIC_RELAXED) != 0 &&
      host.attend(host.user) != 0)
    end();
}

void Machine::wait(uint32_t rounds, const Site &site) {
  if (cta)
    cta->groups.yield(*this);
  const TritiumHostCalls &host = options.host;
  if (rounds % 64 == 0 && host.wait &&
      host.wait(host.user, site.file.c_str(), site.line, pid[0], pid[1], pid[2], rounds) != 0)
    end();
}

void Machine::fail(const std::string &message, const Site &site, std::vector<int64_t> index) {
  stop(Stop::Failure, message + ", at " + site.text, std::move(index));
  stopped = true;
  error = "kernel '" + program.kernel + "', program (" + std::to_string(pid[0]) + ", " +
          std::to_string(pid[1]) + ", " + std::to_string(pid[2]) + "): " + message + ", at " +
          site.text;
}

} // namespace tritium::interpreter
