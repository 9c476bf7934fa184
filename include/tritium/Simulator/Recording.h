//===- Recording.h - a launch as a file -------------------------*- C++ -*-===//
//
// A file of its own holds all that a launch needs: the PTX, the arguments, the memory before
// it. `tritium sim --launch FILE` runs it again.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_RECORDING_H
#define TRITIUM_SIMULATOR_RECORDING_H

#include "tritium/Simulator/Simulator.h"

namespace tritium::sim {

struct Recording {
  std::string ptx;
  Launch launch;
  std::vector<std::vector<uint8_t>> memory; ///< what launch.buffers point to

  /// The buffers' data point into `memory` again, as after a copy.
  void bind();
};

/// The launch as text of a header and bytes. The memory is read now.
std::string record(const std::string &ptx, const Launch &launch);

/// False with `error` if `bytes` are no recording.
bool restore(std::string_view bytes, Recording &recording, std::string &error);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_RECORDING_H
