//===- CompileOptions.cpp - options that mean something elsewhere ---------===//

#include "tritium/Kernel/CompileOptions.h"

#include <algorithm>
#include <iterator>

using namespace tritium;

namespace {
struct Unused {
  std::string_view name;
  const char *reason;
};

constexpr const char *kAMD = "it is an option of AMD's GPUs",
                     *kIntel = "it is an option of Intel's GPUs",
                     *kOlder = "it is an option of an older release of Triton",
                     *kOwn = "the compiler knows what its targets have";

constexpr Unused kUnused[] = {
    {"ir_override", "launches compile the kernel; triton.compile(\"kernel.ttgir\") takes a file"},
    {"instrumentation_mode",
     "nothing is instrumented; the interpreter and the simulator check accesses and races"},
    {"extern_libs",
     "functions of CUDA's device library (__nv_...) are the compiler's own, and other "
     "libraries cannot be linked"},
    {"allowed_dot_input_precisions", kOwn},
    {"supported_fp8_dtypes", kOwn},
    {"deprecated_fp8_dot_operand_dtypes", kOwn},
    {"waves_per_eu", kAMD},
    {"matrix_instr_nonkdim", kAMD},
    {"kpack", kAMD},
    {"schedule_hint", kAMD},
    {"instruction_sched_variant", kAMD},
    {"allow_flush_denorm", kAMD},
    {"grf_mode", kIntel},
    {"threads_per_warp", kIntel},
    {"split_barriers_scope", kIntel},
    {"generate_native_code", kIntel},
    {"num_consumer_groups", kOlder},
    {"num_buffers_warp_spec", kOlder},
    {"reg_dec_producer", kOlder},
    {"reg_inc_consumer", kOlder},
    {"enable_warp_specialization", kOlder},
    {"enable_persistent", kOlder},
    {"optimize_epilogue", kOlder},
    {"cluster_dims", kOlder},
};
} // namespace

const char *tritium::unusedOption(std::string_view name) {
  const auto *found = std::find_if(std::begin(kUnused), std::end(kUnused),
                                   [&](const Unused &option) { return option.name == name; });
  return found == std::end(kUnused) ? nullptr : found->reason;
}
