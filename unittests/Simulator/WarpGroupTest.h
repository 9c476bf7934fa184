//===- WarpGroupTest.h - kernels around wgmma -------------------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_SIMULATOR_WARPGROUPTEST_H
#define TRITIUM_UNITTESTS_SIMULATOR_WARPGROUPTEST_H

#include "SimTest.h"

#include <functional>
#include <random>

namespace tritium::sim::test {

/// How a matrix lies in shared memory: the canonical layouts of the PTX manual, in bytes.
struct MatrixLayout {
  bool isTransposed = false;
  unsigned swizzle = 0; ///< 0, 32, 64, 128
  uint32_t start = 0, leading = 0, stride = 0;

  uint64_t descriptor() const {
    uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
    return start >> 4 | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32 | mode << 62;
  }
  /// Of a row of A or a column of B, and of k.
  uint32_t address(unsigned line, unsigned k, unsigned bytes) const {
    unsigned t = 16 / bytes, w = swizzle / 16;
    uint32_t at;
    if (!isTransposed && !w)
      at = line % 8 * t * bytes + line / 8 * stride + k % t * bytes + k / t * leading;
    else if (!isTransposed)
      at = line % 8 * w * t * bytes + line / 8 * stride + k % t * bytes + k / t * t * bytes;
    else if (!w)
      at = line % t * bytes + line / t * stride + k % 8 * t * bytes + k / 8 * leading;
    else
      at = line % t * bytes + line / t % w * t * bytes + line / t / w * leading +
           k % 8 * w * t * bytes + k / 8 * stride;
    at += start;
    for (unsigned bit = 0; 16u << bit < swizzle; ++bit)
      at ^= (at >> (7 + bit) & 1) << (4 + bit);
    return at;
  }
};

inline const char wgmmaPrologue[] = "wgmma.fence.sync.aligned;\n",
                  wgmmaEpilogue[] = "wgmma.commit_group.sync.aligned;\n"
                                    "wgmma.wait_group.sync.aligned 0;\n";

inline std::string registerList(const char *prefix, unsigned count, unsigned first = 0) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", %" : "%") + std::string(prefix) + std::to_string(first + i);
  return text + "}";
}

inline std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// A kernel that copies `image` to shared memory (%s: its address), loads `sums` registers
/// %c0, ... and four registers %a0, ... of each thread, runs the body, and stores the sums.
/// %da and %db are descriptors, %adds is scale-d, %t the thread, %w its warp.
inline std::string groupKernel(unsigned sharedBytes, unsigned sums, const std::string &body) {
  std::string load, store;
  for (unsigned i = 0; i < sums; ++i) {
    std::string at = "[%at+" + std::to_string(4 * i) + "]", name = "%c" + std::to_string(i);
    load += "ld.global.b32 " + name + ", " + at + ";\n";
    store += "st.global.b32 " + at + ", " + name + ";\n";
  }
  return ".version 8.5\n.target sm_90a\n.address_size 64\n"
         ".shared .align 1024 .b8 s[" +
         std::to_string(sharedBytes) +
         "];\n"
         ".visible .entry k(.param .u64 pimage, .param .u64 psums, .param .u64 pa,\n"
         ".param .u64 pda, .param .u64 pdb, .param .u32 padds)\n{\n"
         ".reg .b32 %c<" +
         std::to_string(sums + 1) +
         ">;\n.reg .b32 %a<4>;\n.reg .b32 %r<20>;\n.reg .b32 %t, %w, %s;\n.reg .b64 %d<10>;\n"
         ".reg .b64 %da, %db, %at;\n.reg .pred %p<10>, %adds;\n"
         "mov.u32 %t, %tid.x;\nshr.u32 %w, %t, 5;\nmov.u32 %s, s;\n"
         "ld.param.u64 %d1, [pimage];\nld.param.u64 %da, [pda];\nld.param.u64 %db, [pdb];\n"
         "ld.param.u32 %r0, [padds];\nsetp.ne.u32 %adds, %r0, 0;\n"
         "ld.param.u64 %at, [pa];\nmad.wide.u32 %at, %t, 16, %at;\n"
         "ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%at];\n"
         "ld.param.u64 %at, [psums];\nmad.wide.u32 %at, %t, " +
         std::to_string(4 * sums) + ", %at;\n" + load +
         // The image, 16 bytes a thread and turn.
         "shl.b32 %r1, %t, 4;\nmov.u32 %r7, %ntid.x;\nshl.b32 %r7, %r7, 4;\nCOPY:\n"
         "setp.ge.u32 %p0, %r1, " +
         std::to_string(sharedBytes) +
         ";\n@%p0 bra COPIED;\n"
         "cvt.u64.u32 %d2, %r1;\nadd.s64 %d2, %d1, %d2;\n"
         "ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%d2];\nadd.u32 %r6, %s, %r1;\n"
         "st.shared.v4.b32 [%r6], {%r2, %r3, %r4, %r5};\nadd.u32 %r1, %r1, %r7;\nbra COPY;\n"
         "COPIED:\nfence.proxy.async.shared::cta;\nbar.sync 0;\n" +
         body + "\n" + store + "ret;\n}\n";
}

/// The arguments of such a kernel.
struct GroupRun {
  std::vector<uint8_t> image;
  std::vector<uint32_t> sums, a;
  uint64_t descriptorA = 0, descriptorB = 0;
  uint32_t adds = 1, threads = 128;
  uint64_t seed = 0;
  bool separateProducts = false, stopAtFault = false;

  Result run(const std::string &text, const std::function<void(Launch &)> &change = {}) {
    SimRun run(text);
    run.buffer(image, "image").buffer(sums, "sums").buffer(a, "a");
    run.value(descriptorA).value(descriptorB).value(adds).threads(threads);
    run.launch.seed = seed;
    run.launch.separateProducts = separateProducts;
    run.launch.stopAtFault = stopAtFault;
    if (change)
      change(run.launch);
    return run.run();
  }
};

} // namespace tritium::sim::test

#endif // TRITIUM_UNITTESTS_SIMULATOR_WARPGROUPTEST_H
