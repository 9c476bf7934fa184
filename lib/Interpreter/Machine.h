//===- Machine.h - a kernel as steps over slots -----------------*- C++ -*-===//
//
// The module is translated once into steps: closures that read and write the slots of
// one frame. A Program holds no reference into MLIR and is immutable, so that launches
// share it; a Machine is the state of one launch.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_INTERPRETER_MACHINE_H
#define TRITIUM_LIB_INTERPRETER_MACHINE_H

#include "Numbers.h"
#include "Threads.h"

#include "tritium/Interpreter/Interpreter.h"
#include "tritium/Kernel/Debugger.h"

#include <functional>
#include <string>
#include <vector>

namespace tritium::interpreter {

/// The slots of one SSA value: row-major elements from `offset` of the frame.
struct Tile {
  size_t offset = 0;
  int64_t count = 1;
  Element element;
};

struct Machine;
using Step = std::function<void(Machine &)>;

/// Straight-line steps; ends early when the machine stops.
struct Body {
  std::vector<Step> steps;
  void run(Machine &machine) const;
};

struct Parameter {
  std::string name;
  Element element;
  Element pointee; ///< of a pointer
};

struct Program {
  struct ConstantTile {
    Tile tile;
    std::vector<Slot> values; ///< one for all elements, or one each
  };

  std::string kernel;
  std::vector<Parameter> parameters;
  std::vector<Tile> arguments; ///< where the parameters live
  std::vector<ConstantTile> constants;
  Body body;
  size_t frameSlots = 0;

  /// What runs at its own pace: the program, and its warp groups. None: it has no threads.
  unsigned actors = 0;
  std::vector<std::string> actorNames;
  std::vector<AccessName> names; ///< of accesses that hazards are looked for in
  unsigned ctas = 1;             ///< of a program
  bool isPersistent = false;     ///< CTAs loop over programs, and are what runs
  uint64_t sharedBytes = 0;
  unsigned sharedGranule = 8, globalGranule = 8; ///< bytes of the smallest element
};

/// CTAs of a kernel that loops over programs: few, so that they do.
inline constexpr uint32_t kMostCTAs = 2;
/// Those that a launch for `grid` has.
inline uint32_t ctasFor(const uint32_t grid[3]) {
  return grid[0] > 1 || grid[1] > 1 || grid[2] > 1 ? kMostCTAs : 1;
}

/// The coordinates of a flat index into a tile.
std::vector<int64_t> indexOf(const std::vector<int64_t> &shape, int64_t element);
/// `[3, 5]` for it.
std::string indexText(const std::vector<int64_t> &shape, int64_t element);

class CTA;
class Cluster;
struct Line;

struct Machine {
  const Program &program;
  const InterpreterOptions &options;
  const std::vector<uint64_t> &args;
  uint32_t pid[3] = {}, grid[3] = {};
  /// Ends the running program: of the launch if there is an error, else only of it.
  bool stopped = false;
  bool ended = false; ///< the host has ended the launch; `stopped` is set then, too
  std::string error;
  std::vector<Slot> frame;
  std::unique_ptr<CTA> cta;   ///< if the program has threads
  Cluster *cluster = nullptr; ///< of the CTAs of the program, if they are several
  size_t rank = 0;            ///< in it
  /// The statement that runs, and before it those of its callers.
  std::vector<const Line *> lines;
  bool wasShown = false; ///< to a debugger, since the statement began

  Machine(const Program &program, const InterpreterOptions &options,
          const std::vector<uint64_t> &args);
  ~Machine();

  Slot *at(const Tile &tile) { return frame.data() + tile.offset; }

  /// Whether [address, address + bytes) lies in one buffer that permits the access.
  bool mayAccess(uint64_t address, unsigned bytes, bool write);
  /// Stops the launch: lane `lane` of a tile of `shape` made a forbidden access.
  void refuseAccess(const char *what, uint64_t address, unsigned bytes, bool write,
                    const std::vector<int64_t> &shape, int64_t lane, const Site &site);
  /// Stops the launch with "kernel 'k', program (x, y, z): message, at site".
  /// `index`: of the element that has, if one has.
  void fail(const std::string &message, const Site &site, std::vector<int64_t> index = {});
  /// Shows a debugger, if there is one, the program as it is.
  void stop(Stop::Reason reason, const std::string &message = "", std::vector<int64_t> index = {});

  /// Looks whether the host ends the launch; once in each round of a loop.
  void attend();
  /// The same in a loop that waits for memory to change: it has gone round so often.
  void wait(uint32_t rounds, const Site &site);

private:
  void end() { stopped = ended = true; }

  BufferRange recent = {0, 0, false};
};

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_MACHINE_H
