// Runs the kernels of a textual stage (ttir or ttgir) in the interpreter, on arguments that a seed
// makes, and prints a digest of each pointer argument's memory. What a pass keeps has the same
// digests before and after; what is wrong with the IR is an error.
//
//   RUN: tritium-interpret %s > %t
//   RUN: tritium-opt %s --some-pass | tritium-interpret | diff %t -

#include "Machine.h"

#include "tritium/Interpreter/Interpreter.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <random>

using namespace tritium;
using namespace tritium::interpreter;
namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::desc("FILE"), cl::init("-"));
static cl::list<uint32_t> grid("grid", cl::CommaSeparated, cl::desc("programs of each axis (1)"));
static cl::list<std::string>
    settings("set", cl::desc("NAME=VALUE of a number, or #INDEX=VALUE of one without a name; for "
                             "all others 64"));
static cl::opt<uint64_t> bytes("bytes", cl::init(1 << 16), cl::desc("behind each pointer"));
static cl::opt<uint32_t> seed("seed", cl::init(1), cl::desc("of what is in memory"));
static cl::opt<bool> noRaces("no-races", cl::desc("barriers are not placed yet: look for none "
                                                  "that are missing"));
static cl::opt<unsigned> shown("show", cl::init(0),
                               cl::desc("print so many elements of each argument, too"));

/// Floats in [-1, 1), small integers; null pointers.
static std::vector<uint8_t> fill(Element element, std::mt19937 &random) {
  std::vector<uint8_t> memory(bytes);
  for (size_t i = 0; i + element.bytes() <= bytes; i += element.bytes()) {
    uint32_t drawn = random();
    Slot slot = element.isFloat() ? writeFloat(element, int32_t(drawn) * 0x1p-31)
                                  : drawn >> 28 & element.mask();
    uint64_t bits = element.kind == Kind::Pointer ? 0 : toBits(element, slot);
    std::memcpy(&memory[i], &bits, element.bytes());
  }
  return memory;
}

static Slot numberFor(const Parameter &parameter) {
  double value = 64;
  for (const std::string &setting : settings)
    if (llvm::StringRef(setting).starts_with(parameter.name + "="))
      value = std::atof(setting.c_str() + parameter.name.size() + 1);
  return parameter.element.isFloat() ? writeFloat(parameter.element, value)
                                     : Slot(int64_t(value)) & parameter.element.mask();
}

static void printDigest(const std::string &name, Element element,
                        const std::vector<uint8_t> &memory) {
  uint64_t digest = 0xcbf29ce484222325; // FNV-1a
  for (uint8_t byte : memory)
    digest = (digest ^ byte) * 0x100000001b3;
  llvm::outs() << name << ": " << llvm::format_hex_no_prefix(digest, 16);
  for (unsigned i = 0; i < shown && (i + 1) * element.bytes() <= memory.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, &memory[i * element.bytes()], element.bytes());
    if (element.isFloat())
      llvm::outs() << ' ' << llvm::format("%g", readFloat(element, fromBits(element, bits)));
    else
      llvm::outs() << ' ' << llvm::SignExtend64(bits, 8 * element.bytes());
  }
  llvm::outs() << '\n';
}

static std::string run(const Program &program) {
  std::mt19937 random(seed);
  std::vector<std::vector<uint8_t>> buffers;
  std::vector<uint64_t> args;
  InterpreterOptions options;
  options.checkRaces = !noRaces;
  for (const Parameter &parameter : program.parameters)
    if (parameter.element.kind == Kind::Pointer) {
      buffers.push_back(fill(parameter.pointee, random));
      args.push_back(reinterpret_cast<uint64_t>(buffers.back().data()));
      options.buffers.push_back({args.back(), bytes, true});
    } else {
      args.push_back(numberFor(parameter));
    }
  uint32_t extents[3] = {1, 1, 1};
  std::copy_n(grid.begin(), std::min<size_t>(3, grid.size()), extents);
  std::string error = interpret(program, args, extents, options);
  size_t next = 0;
  for (const Parameter &parameter : program.parameters)
    if (parameter.element.kind == Kind::Pointer)
      printDigest(program.kernel + "." + parameter.name, parameter.pointee, buffers[next++]);
  return error;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "Runs kernels of tile IR in the interpreter\n");
  auto text = llvm::MemoryBuffer::getFileOrSTDIN(input);
  if (!text) {
    llvm::errs() << input << ": " << text.getError().message() << '\n';
    return 2;
  }
  std::string error;
  auto programs = loadPrograms((*text)->getBuffer().str(), error);
  if (error.empty() && programs.empty())
    error = "there is no kernel (a public function)";
  for (const auto &program : programs) {
    std::string fault = run(*program);
    error += (error.empty() || fault.empty() ? "" : "\n") + fault;
  }
  if (!error.empty())
    llvm::errs() << error << '\n';
  return error.empty() ? 0 : 1;
}
