//===- TargetInfo.h - what the CPU lowering knows of a CPU ------*- C++ -*-===//

#ifndef TRITIUM_TARGET_CPU_TARGETINFO_H
#define TRITIUM_TARGET_CPU_TARGETINFO_H

#include <cstdint>
#include <string>

namespace tritium::cpu {

/// The features of a CPU that the lowering and the math library ask about.
struct TargetInfo {
  std::string triple;        ///< e.g. "x86_64-unknown-linux-gnu"
  std::string cpu;           ///< LLVM's name, "native" resolved
  std::string features;      ///< LLVM's feature string, "+avx2,+fma,..."
  unsigned vectorBits = 128; ///< widest useful vector register
  unsigned vectorRegisters = 16;
  bool hasFMA = false, hasAVX2 = false, hasAVX512 = false /* F, BW, DQ, VL */;
  bool hasF16C = false; ///< converts fp16 to fp32 and back
  bool isX86 = false;
  /// BFDOT of AArch64, or VDPBF16PS on registers of 512 bits, at the rate of an FMA. Intel's cores
  /// take four times as long for it, so widened operands and FMA are twice as fast there.
  bool hasBF16Dot = false;
  /// AMX for bf16 and for bytes, where the system lets a process have it.
  bool hasBF16Tiles = false, hasByteTiles = false;
  bool hasByteDot = false;    ///< VPDPBUSD on registers of `vectorBits`
  bool hasDotProduct = false; ///< SDOT and UDOT of AArch64
  /// BFMMLA, and SMMLA and UMMLA, of AArch64: twice the products of BFDOT and SDOT, at their rate.
  bool hasBF16Blocks = false, hasByteBlocks = false;
  /// A row that is asked for ahead of its program is best kept in the second-level cache, however
  /// short it is: so with AMD's cores, which fetch from one row to the next by themselves.
  bool fetchesRowsToL2 = false;
  /// A first-level cache of 48 KB: Intel's cores with AVX-512, all but the oldest.
  bool hasLargeFirstCache = false;

  /// f32 lanes of one register.
  unsigned lanesF32() const { return vectorBits / 32; }
};

/// Resolves a CPU name: "native", one of LLVM's, of AArch64 also on other hosts, or "aarch64". On
/// an unknown name fills `error`.
bool resolveTarget(const std::string &cpu, TargetInfo &info, std::string &error);

/// Of what code for `cpu` may use, what this machine lacks: "avx512f, avx512bw", or the name of
/// another architecture. Empty where it runs here.
std::string lackedByHost(const std::string &cpu);

} // namespace tritium::cpu

#endif // TRITIUM_TARGET_CPU_TARGETINFO_H
