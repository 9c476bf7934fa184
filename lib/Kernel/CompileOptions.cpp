//===- CompileOptions.cpp - options that mean something elsewhere ---------===//

#include "tritium/Kernel/CompileOptions.h"

#include <algorithm>
#include <iterator>

using namespace tritium;

namespace {
struct Foreign {
  std::string_view name;
  const char *owner;
};

constexpr const char *kAMD = "AMD's GPUs", *kIntel = "Intel's GPUs",
                     *kOlder = "an older release of Triton";

constexpr Foreign kForeign[] = {
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

const char *tritium::foreignOption(std::string_view name) {
  const auto *found = std::find_if(std::begin(kForeign), std::end(kForeign),
                                   [&](const Foreign &option) { return option.name == name; });
  return found == std::end(kForeign) ? nullptr : found->owner;
}
