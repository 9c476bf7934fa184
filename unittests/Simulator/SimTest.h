//===- SimTest.h - small kernels for tests of the simulator -----*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_SIMULATOR_SIMTEST_H
#define TRITIUM_UNITTESTS_SIMULATOR_SIMTEST_H

#include "tritium/Simulator/Simulator.h"

#include <bit>
#include <gtest/gtest.h>

namespace tritium::sim::test {

/// Buffers get addresses far apart, in the order in which they are added.
class SimRun {
public:
  explicit SimRun(std::string ptx, std::string entry = "k") {
    program = Program::load(std::move(ptx), errors);
    launch.entry = std::move(entry);
    launch.block = {32, 1, 1};
  }
  template <typename T> SimRun &buffer(std::vector<T> &data, const char *name = "buffer") {
    uint64_t address = 0x7f0000000000 + launch.buffers.size() * 0x100000000;
    launch.buffers.push_back({address, data.data(), data.size() * sizeof(T), true, name});
    launch.pass(address);
    return *this;
  }
  template <typename T> SimRun &value(T v) {
    launch.pass(v);
    return *this;
  }
  SimRun &threads(uint32_t block, uint32_t grid = 1) {
    launch.block = {block, 1, 1};
    launch.grid = {grid, 1, 1};
    return *this;
  }
  Result run() {
    if (!program) {
      Result failed;
      for (const ptx::Error &error : errors)
        ADD_FAILURE() << error.at.line << ":" << error.at.column << ": " << error.message;
      return failed;
    }
    return program->run(launch);
  }
  Result clean() {
    Result result = run();
    EXPECT_TRUE(result.clean()) << result.renderFaults();
    return result;
  }
  Launch launch;
  std::shared_ptr<Program> program;
  std::vector<ptx::Error> errors;
};

/// A kernel of one pointer parameter p, whose body is given; %p, %h, %r, %d, %f, %g are
/// registers of 1, 16, 32, 64 bits, f32 and f64. %d0 holds the pointer, %r0 the thread.
inline std::string kernel(const std::string &body, const std::string &before = "") {
  return ".version 8.5\n.target sm_90\n.address_size 64\n" + before +
         "\n.visible .entry k(.param .u64 p)\n{\n"
         ".reg .pred %p<10>;\n.reg .b16 %h<20>;\n.reg .b32 %r<40>;\n.reg .b64 %d<20>;\n"
         ".reg .f32 %f<20>;\n.reg .f64 %g<20>;\n"
         "ld.param.u64 %d0, [p];\nmov.u32 %r0, %tid.x;\n" +
         body + "\nret;\n}\n";
}

/// Runs `instruction` on each row of operands (up to three, as 64-bit words) and returns
/// its results. Operands and result are registers a, b, c, d with the letter of their kind:
/// %ha %ra %da %fa %ga (16, 32, 64 bits, f32, f64); %pd is stored as 0 or 1.
inline std::vector<uint64_t> evaluate(const std::string &instruction, char kind,
                                      std::vector<std::vector<uint64_t>> rows) {
  std::string body = ".reg .pred %pa, %pb, %pd;\n.reg .b16 %ha, %hb, %hc, %hd;\n"
                     ".reg .b32 %ra, %rb, %rc, %rd, %rn;\n.reg .b64 %da, %db, %dc, %dd, %at;\n"
                     ".reg .f32 %fa, %fb, %fc, %fd;\n.reg .f64 %ga, %gb, %gc, %gd;\n"
                     "ld.param.u32 %rn, [n];\nsetp.ge.u32 %pa, %r0, %rn;\n@%pa exit;\n"
                     "mad.wide.u32 %at, %r0, 32, %d0;\n";
  const char letters[] = "abc";
  for (int i = 0; i < 3; ++i)
    for (auto [reg, type] :
         {std::pair('h', "u16"), {'r', "u32"}, {'d', "u64"}, {'f', "f32"}, {'g', "f64"}})
      body += std::string("ld.global.") + type + " %" + reg + letters[i] + ", [%at+" +
              std::to_string(8 * i) + "];\n";
  body += "setp.ne.u32 %pa, %ra, 0;\nsetp.ne.u32 %pb, %rb, 0;\n" + instruction + "\n";
  switch (kind) {
  case 'p':
    body += "selp.u64 %dd, 1, 0, %pd;\nst.global.u64 [%at+24], %dd;\n";
    break;
  case 'h':
    body += "cvt.u64.u16 %dd, %hd;\nst.global.u64 [%at+24], %dd;\n";
    break;
  case 'r':
    body += "cvt.u64.u32 %dd, %rd;\nst.global.u64 [%at+24], %dd;\n";
    break;
  case 'f':
    body += "st.global.f32 [%at+24], %fd;\n";
    break;
  case 'g':
    body += "st.global.f64 [%at+24], %gd;\n";
    break;
  default:
    body += "st.global.u64 [%at+24], %dd;\n";
    break;
  }
  std::string text = kernel(body);
  text.replace(text.find(".param .u64 p"), 13, ".param .u64 p, .param .u32 n");
  std::vector<uint64_t> memory(rows.size() * 4);
  for (size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), memory.begin() + 4 * i);
  SimRun run(text);
  run.buffer(memory).value(uint32_t(rows.size())).threads(uint32_t((rows.size() + 31) / 32 * 32));
  run.clean();
  std::vector<uint64_t> results;
  for (size_t i = 0; i < rows.size(); ++i)
    results.push_back(memory[4 * i + 3]);
  return results;
}

inline uint64_t bits(float x) { return std::bit_cast<uint32_t>(x); }
inline uint64_t bits(double x) { return std::bit_cast<uint64_t>(x); }
inline float single(uint64_t x) { return std::bit_cast<float>(uint32_t(x)); }

} // namespace tritium::sim::test

#endif // TRITIUM_UNITTESTS_SIMULATOR_SIMTEST_H
