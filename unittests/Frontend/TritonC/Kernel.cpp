//===- Kernel.cpp - a Triton-C kernel, run on every back end --------------===//

#include "Kernel.h"

#include "../../../runtime/backends/cpu/ObjectLoader.h"

#include "tritium/Interpreter/Interpreter.h"

#include <cmath>
#include <mutex>
#include <regex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace tritium;
using namespace tritium::testing;

frontend::FunctionSource tritium::testing::sourceOf(const std::string &text, const Defines &defines,
                                                    const std::string &name) {
  frontend::FunctionSource source;
  source.language = frontend::Language::TritonC;
  source.name = name;
  source.file = "kernel.tc";
  source.text = text;
  source.defines = defines;
  return source;
}

Kernel::Kernel(std::string text, Defines defines, std::string name)
    : source(sourceOf(text, defines, name)) {}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
/// Memory of an array, whose end is the end of the last page that may be touched.
class GuardedArray {
public:
  explicit GuardedArray(size_t bytes) : bytes(bytes) {
    size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    mapped = (bytes + page - 1) / page * page + 2 * page;
    base = static_cast<uint8_t *>(
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base, page, PROT_NONE);
    mprotect(base + mapped - page, page, PROT_NONE);
    data = base + mapped - page - bytes;
  }
  GuardedArray(const GuardedArray &) = delete;
  ~GuardedArray() { munmap(base, mapped); }

  uint8_t *data;
  size_t bytes;

private:
  uint8_t *base;
  size_t mapped;
};

uint64_t slotOf(const KernelArgument &argument, DType type) {
  uint64_t slot = static_cast<uint64_t>(argument.integer);
  if (type.isPointer() || type.kind < DTypeKind::Float8E5)
    return slot;
  if (type.kind == DTypeKind::Float64) {
    std::memcpy(&slot, &argument.floating, 8);
    return slot;
  }
  float narrow = type.kind == DTypeKind::Float16
                     ? static_cast<float>(static_cast<Half>(argument.floating))
                     : static_cast<float>(argument.floating);
  uint32_t bits;
  std::memcpy(&bits, &narrow, 4);
  return bits;
}

struct Output {
  std::mutex mutex;
  std::string asserted;
};

void recordAssertion(void *user, const char *message, const char *file, int line,
                     const uint32_t *pid, int kind, const int64_t *shape, int rank,
                     uint32_t element, uint64_t value) {
  auto *output = static_cast<Output *>(user);
  std::lock_guard lock(output->mutex);
  AssertSite site{message, file, line, kind, {shape, shape + rank}};
  output->asserted += std::to_string(line) + ": " +
                      failureText(site, {{pid[0], pid[1], pid[2]}, element, value}) + "\n";
}
} // namespace

std::vector<ArgumentSpec> Kernel::specialise(const KernelSignature &signature) const {
  std::vector<ArgumentSpec> specs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    ArgumentSpec spec;
    if (i < signature.parameters.size())
      spec.type = *signature.parameters[i].type;
    else if (i - signature.parameters.size() < signature.tables.size()) {
      spec.type = signature.tables[i - signature.parameters.size()].element;
      ++spec.type.pointerDepth;
    }
    if (arguments[i].isKnown) {
      spec.isConstexpr = true;
      spec.value = {Constant::Int(arguments[i].integer)};
    } else if (!arguments[i].isArray && !spec.type.isPointer() && arguments[i].integer != 0) {
      spec.divisibility = arguments[i].integer & -arguments[i].integer & 31;
      spec.divisibility = std::max<int64_t>(std::min<int64_t>(spec.divisibility, 16), 1);
    }
    specs.push_back(spec);
  }
  return specs;
}

std::unique_ptr<CompiledKernel> Kernel::compile(CompileError &error, const Target &target) {
  auto signature = readSignature(source, error);
  if (!signature)
    return nullptr;
  CompileOptions options;
  options.target = target;
  options.debug = isDebug;
  options.mayAlias = false;
  return compileKernel(source, specialise(*signature), options, error);
}

//===----------------------------------------------------------------------===//
// Back ends
//===----------------------------------------------------------------------===//

static std::vector<uint64_t> slotsOf(const std::vector<KernelArgument> &arguments,
                                     const std::vector<uint8_t *> &addresses,
                                     const CompiledKernel &kernel) {
  std::vector<uint64_t> slots;
  size_t parameter = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].isKnown)
      continue;
    DType type = kernel.metadata.parameters[parameter++].type;
    slots.push_back(arguments[i].isArray ? reinterpret_cast<uint64_t>(addresses[i])
                                         : slotOf(arguments[i], type));
  }
  return slots;
}

void Kernel::interpretOn(std::vector<std::vector<uint8_t>> &arrays, std::array<uint32_t, 3> grid) {
  CompileError error;
  auto kernel = compile(error, Target(kInterpreter));
  ASSERT_TRUE(kernel) << error.rendered;
  InterpreterOptions options;
  std::vector<uint8_t *> addresses;
  for (size_t i = 0; i < arrays.size(); ++i) {
    addresses.push_back(arrays[i].data());
    if (arguments[i].isArray)
      options.buffers.push_back(
          {reinterpret_cast<uint64_t>(arrays[i].data()), arrays[i].size(), true});
  }
  Output output;
  options.host.user = &output;
  options.host.assertFailed = recordAssertion;
  std::string failure = interpret(kernel->stages["ttir"], slotsOf(arguments, addresses, *kernel),
                                  grid.data(), options);
  asserted = output.asserted;
  if (asserted.empty())
    ASSERT_EQ(failure, "") << kernel->stages["ttir"];
}

void Kernel::runOnCPU(std::vector<std::vector<uint8_t>> &arrays, std::array<uint32_t, 3> grid) {
  CompileError error;
  auto kernel = compile(error);
  ASSERT_TRUE(kernel) << error.rendered;
  std::string message;
  auto loaded = runtime::loadObject(kernel->stages["obj"], kernel->metadata.entry, message);
  ASSERT_TRUE(loaded) << message;
  std::vector<std::unique_ptr<GuardedArray>> guarded;
  std::vector<uint8_t *> addresses;
  for (const std::vector<uint8_t> &array : arrays) {
    guarded.push_back(std::make_unique<GuardedArray>(array.size()));
    std::memcpy(guarded.back()->data, array.data(), array.size());
    addresses.push_back(guarded.back()->data);
  }
  std::vector<uint64_t> slots = slotsOf(arguments, addresses, *kernel);
  Output output;
  TritiumHostCalls host = {};
  host.user = &output;
  host.assertFailed = recordAssertion;
  int64_t programs = int64_t(grid[0]) * grid[1] * grid[2];
  auto work = [&](int64_t begin, int64_t end) {
    void *scratch = std::aligned_alloc(64, (kernel->metadata.scratchBytes + 127) / 64 * 64);
    loaded->entry(slots.data(), scratch, begin, end, grid.data(), &host);
    std::free(scratch);
  };
  std::vector<std::thread> pool;
  for (unsigned i = 1; i < threadCount; ++i)
    pool.emplace_back(work, programs * i / threadCount, programs * (i + 1) / threadCount);
  work(0, programs / threadCount);
  for (std::thread &thread : pool)
    thread.join();
  EXPECT_EQ(output.asserted.empty(), asserted.empty()) << output.asserted;
  for (size_t i = 0; i < arrays.size(); ++i)
    if (!arrays[i].empty())
      std::memcpy(arrays[i].data(), guarded[i]->data, arrays[i].size());
}

static double element(const std::vector<uint8_t> &bytes, size_t i, unsigned size) {
  auto read = [&](auto value) {
    std::memcpy(&value, &bytes[i * size], size);
    return static_cast<double>(value);
  };
  return size == 8 ? read(double()) : size == 4 ? read(float()) : read(Half());
}

void Kernel::run(uint32_t x, uint32_t y, uint32_t z) {
  std::array<uint32_t, 3> grid{x, y, z};
  std::vector<std::vector<uint8_t>> reference;
  for (const KernelArgument &argument : arguments)
    reference.push_back(argument.bytes);
  std::vector<std::vector<uint8_t>> onCPU = reference;
  if (isInterpreted)
    interpretOn(reference, grid);
  if (::testing::Test::HasFatalFailure())
    return;
  runOnCPU(onCPU, grid);
  if (::testing::Test::HasFatalFailure())
    return;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument &argument = arguments[i];
    if (!argument.isArray)
      continue;
    if (!isInterpreted || !asserted.empty()) {
      argument.update(onCPU[i]);
      continue;
    }
    if (argument.tolerance == 0)
      EXPECT_EQ(onCPU[i], reference[i]) << "argument " << i << " differs between back ends";
    else
      for (size_t j = 0; j < onCPU[i].size() / argument.elementBytes; ++j) {
        double a = element(onCPU[i], j, argument.elementBytes);
        double b = element(reference[i], j, argument.elementBytes);
        ASSERT_NEAR(a, b, argument.tolerance * std::max(1.0, std::abs(b)))
            << "argument " << i << ", element " << j;
      }
    argument.update(onCPU[i]);
  }
}

//===----------------------------------------------------------------------===//
// Compiling only
//===----------------------------------------------------------------------===//

static std::unique_ptr<CompiledKernel>
compileDeclared(const std::string &text, const Defines &defines, bool debug, CompileError &error) {
  frontend::FunctionSource source = sourceOf(text, defines);
  auto signature = readSignature(source, error);
  if (!signature)
    return nullptr;
  std::vector<ArgumentSpec> specs;
  for (const KernelParameter &parameter : signature->parameters)
    specs.push_back({false, {}, *parameter.type, 16});
  for (const ConstantTable &table : signature->tables) {
    specs.push_back({false, {}, table.element, 16});
    ++specs.back().type.pointerDepth;
  }
  CompileOptions options;
  options.target = Target(kInterpreter);
  options.debug = debug;
  return compileKernel(source, specs, options, error);
}

std::string tritium::testing::errorsOf(const std::string &text, const Defines &defines,
                                       bool debug) {
  CompileError error;
  auto kernel = compileDeclared(text, defines, debug, error);
  EXPECT_EQ(kernel == nullptr, !error.rendered.empty());
  return error.rendered;
}

std::string tritium::testing::withoutLocations(const std::string &ir) {
  static const std::regex inlineLoc(" loc\\((#loc[0-9]*|unknown|\"[^\"]*\"[^)]*)\\)");
  static const std::regex aliases("#loc[^\\n]*\\n");
  return std::regex_replace(std::regex_replace(ir, inlineLoc, ""), aliases, "");
}

std::string tritium::testing::tileIROf(const std::string &text, const Defines &defines,
                                       bool debug) {
  CompileError error;
  auto kernel = compileDeclared(text, defines, debug, error);
  EXPECT_TRUE(kernel) << error.rendered;
  return kernel ? withoutLocations(kernel->stages["ttir"]) : "";
}
