//===- Mutants.cpp - are the simulator's checks worth something? ----------===//
//
//   ptx-mutants FOLDER [--seconds N] [--seed N] [--jobs N] [--launches N] [--least PERCENT]
//               [--survivors FILE] [--no-masks]
//
// FOLDER holds recorded launches (Recording.h) of kernels that are right. From each kernel's
// PTX one barrier, fence, wait or mask at a time is taken away, and the launches run again: a
// fault, or memory that differs from what the whole kernel leaves, finds the mutant. With
// --seconds the kernels come in an order drawn by --seed until the time is over. Four sorts
// are counted apart, since without them the kernel does the same in every launch: one of two
// that do the same, which are found if both are missing; what no launch reaches; masks that
// never mask anything; and masks of loads and copies whose further values, in bounds, nobody
// uses (anything else in their place makes no difference). The exit status is 0 if at least
// --least percent (95) of the others are found.
//
//===----------------------------------------------------------------------===//

#include "Mutations.h"

#include "tritium/Simulator/Recording.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <regex>
#include <sstream>
#include <thread>
#include <utility>

using namespace tritium;
namespace fs = std::filesystem;

namespace {

struct Options {
  std::string folder, survivors;
  double seconds = 0, least = 95;
  uint64_t seed = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency()), launches = 6;
  bool triesMasks = true;
};

constexpr uint64_t seeds[] = {0, 1, 2};

//===-- Kernels -----------------------------------------------------------===//

struct Outcome {
  bool clean = false;
  std::string fault;
  uint64_t steps = 0;
  std::vector<std::vector<uint8_t>> memory;
};

Outcome runOnce(const std::string &ptx, const sim::Recording &recording, uint64_t seed,
                uint64_t stepLimit, bool checkSameValue) {
  sim::Recording copy = recording;
  copy.bind();
  copy.launch.seed = seed;
  copy.launch.stepLimit = stepLimit;
  copy.launch.stopAtFault = true;
  copy.launch.checkSameValue = checkSameValue;
  copy.launch.separateProducts = true;
  Outcome outcome;
  std::vector<sim::ptx::Error> errors;
  auto program = sim::Program::load(ptx, errors);
  if (!program) {
    outcome.fault = "PTX: " + (errors.empty() ? std::string("?") : errors[0].message);
    return outcome;
  }
  sim::Result result = program->run(copy.launch);
  outcome.clean = result.clean();
  if (!result.faults.empty())
    outcome.fault = result.faults[0].render();
  outcome.steps = result.counters.total.warpInstructions;
  outcome.memory = std::move(copy.memory);
  return outcome;
}

struct Kernel {
  std::string name, ptx;
  std::vector<std::string> lines;
  std::vector<std::pair<std::string, sim::Recording>> launches;
  std::vector<std::vector<Outcome>> whole; ///< by launch and seed
  /// No two threads write one value to one place. Where they do, that is no fault, though it hides
  /// some that a mutant makes.
  bool checkSameValue = true;
};

std::string read(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs one launch of the whole kernel with every seed, as far as it is clean.
std::vector<Outcome> runWhole(const Kernel &kernel, const sim::Recording &launch) {
  std::vector<Outcome> runs;
  for (uint64_t seed : seeds) {
    runs.push_back(runOnce(kernel.ptx, launch, seed, 20'000'000, kernel.checkSameValue));
    if (!runs.back().clean)
      break;
  }
  return runs;
}

/// Runs the whole kernel; false, with a message, if it is not right itself.
bool prepare(Kernel &kernel) {
  for (bool check : {true, false}) {
    kernel.checkSameValue = check;
    kernel.whole.clear();
    bool isClean = true;
    for (const auto &[name, launch] : kernel.launches) {
      kernel.whole.push_back(runWhole(kernel, launch));
      isClean &= kernel.whole.back().back().clean;
    }
    if (isClean)
      break;
  }
  std::vector<std::vector<Outcome>> whole = std::exchange(kernel.whole, {});
  size_t next = 0;
  std::erase_if(kernel.launches, [&](const auto &launch) {
    std::vector<Outcome> &runs = whole[next++];
    if (runs.back().clean) {
      kernel.whole.push_back(std::move(runs));
      return false;
    }
    std::printf("%s: %s is not clean: %s\n", kernel.name.c_str(), launch.first.c_str(),
                runs.back().fault.c_str());
    return true;
  });
  return !kernel.launches.empty();
}

std::vector<std::unique_ptr<Kernel>> load(const Options &options) {
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  std::vector<std::pair<uint64_t, fs::path>> files;
  for (const auto &entry : fs::directory_iterator(options.folder))
    if (entry.path().extension() == ".launch")
      files.emplace_back(entry.file_size(), entry.path());
  std::sort(files.begin(), files.end()); // small ones first
  for (const auto &[size, path] : files) {
    sim::Recording recording;
    std::string error;
    if (!sim::restore(read(path), recording, error)) {
      std::printf("%s: %s\n", path.c_str(), error.c_str());
      continue;
    }
    auto &kernel = kernels[recording.ptx];
    if (!kernel) {
      kernel = std::make_unique<Kernel>();
      kernel->name = recording.launch.entry;
      kernel->ptx = recording.ptx;
      kernel->lines = linesOf(recording.ptx);
    }
    if (kernel->launches.size() < options.launches) {
      kernel->launches.emplace_back(path.filename(), std::move(recording));
      kernel->launches.back().second.bind();
    }
  }
  std::vector<std::unique_ptr<Kernel>> made;
  for (auto &[ptx, kernel] : kernels)
    made.push_back(std::move(kernel));
  return made;
}

//===-- Finding -----------------------------------------------------------===//

enum Verdict { Found, Survives, Covered, NeverRuns, NeverMasks, Unused };
constexpr const char *verdictNames[] = {"found",     "survive",    "covered by another",
                                        "never run", "never mask", "mask what nobody uses"};

std::string mutated(const Kernel &kernel, size_t line, const std::string &replacement,
                    const Mutant *other = nullptr) {
  std::string text;
  for (size_t i = 0; i < kernel.lines.size(); ++i)
    text += (i == line                   ? replacement
             : other && i == other->line ? other->replacement
                                         : kernel.lines[i]) +
            "\n";
  return text;
}

bool findsDifference(const Kernel &kernel, const std::string &ptx, std::string &how,
                     size_t schedules = std::size(seeds)) {
  for (size_t s = 0; s < schedules; ++s)
    for (size_t i = 0; i < kernel.launches.size(); ++i) {
      const Outcome &right = kernel.whole[i][s];
      Outcome outcome = runOnce(ptx, kernel.launches[i].second, seeds[s], 4 * right.steps + 10000,
                                kernel.checkSameValue);
      if (!outcome.clean) {
        how = outcome.fault;
        return true;
      }
      if (outcome.memory != right.memory) {
        how = "other results";
        return true;
      }
    }
  return false;
}

/// Whether no launch comes to this line: a trap before it is never reached.
bool neverRuns(const Kernel &kernel, const Mutant &mutant) {
  std::string how;
  return !findsDifference(
      kernel, mutated(kernel, mutant.line, "trap;\n" + kernel.lines[mutant.line]), how, 1);
}

/// Whether the guard of this line never keeps a lane back: a trap in its place, guarded the
/// other way round, is never reached.
bool neverMasks(const Kernel &kernel, const Mutant &mutant) {
  const std::string &line = kernel.lines[mutant.line];
  std::string how;
  auto neverTraps = [&](const std::string &trap) {
    return !findsDifference(kernel, mutated(kernel, mutant.line, trap + "\n" + line), how, 1);
  };
  static const std::regex partly("\\], (\\d+), (%\\w+);");
  std::smatch copy;
  if (std::regex_search(line, copy, partly))
    return neverTraps("{ .reg .pred %never; setp.lt.u32 %never, " + copy[2].str() + ", " +
                      copy[1].str() + "; @%never trap; }");
  size_t at = line.find('@');
  if (at == std::string::npos)
    return false;
  bool negated = line[at + 1] == '!';
  std::string predicate = line.substr(at + 1 + negated);
  predicate = predicate.substr(0, predicate.find_first_of(" \t"));
  bool isBranch = std::string(mutant.kind) == "branch";
  // A mask keeps back lanes where its guard is false, a branch those where it is true.
  return neverTraps((negated == isBranch ? "@!" : "@") + predicate + " trap;");
}

/// "%rd1+16" as operands of an addition.
std::string addressOf(const std::string &text) {
  size_t plus = text.find('+');
  return plus == std::string::npos ? text + ", 0"
                                   : text.substr(0, plus) + ", " + text.substr(plus + 1);
}

/// Whether the mask is of a load, and what the lanes that it kept back then load is of no
/// consequence: they get other values here.
bool isUnused(const Kernel &kernel, const Mutant &mutant) {
  static const std::regex copy("^\\s*(cp\\.async\\.c[\\w.:]*) (\\[[^\\]]*\\]), \\[([^\\]]+)\\], "
                               "(\\d+), (%\\w+);.*$");
  static const std::regex load("^\\s*@(!?)(%\\w+)\\s+(ld\\.[\\w.:]*\\.([bsuf])(8|16|32|64))\\s+"
                               "\\{?([^\\[]*?)\\}?,\\s*(\\[[^\\]]*\\]);.*$");
  if (std::smatch copies; std::regex_match(kernel.lines[mutant.line], copies, copy)) {
    // The further lanes copy from the beginning of a buffer, one that nobody writes.
    static const std::regex pointer("ld\\.param\\.u64\\s+%\\w+, (\\[[^\\]]+\\]);");
    auto end = std::sregex_iterator();
    for (auto it = std::sregex_iterator(kernel.ptx.begin(), kernel.ptx.end(), pointer); it != end;
         ++it) {
      std::string text = "{ .reg .pred %never; .reg .b64 %other; setp.lt.u32 %never, " +
                         copies[5].str() + ", " + copies[4].str() + "; add.u64 %other, " +
                         addressOf(copies[3]) + "; @%never ld.param.u64 %other, " + (*it)[1].str() +
                         "; " + copies[1].str() + " " + copies[2].str() + ", [%other], " +
                         copies[4].str() + "; }";
      std::string how;
      if (!findsDifference(kernel, mutated(kernel, mutant.line, text), how, 1))
        return true;
    }
    return false;
  }
  std::smatch parts;
  const std::string &line = kernel.lines[mutant.line];
  if (!std::regex_match(line, parts, load))
    return false;
  std::string text = mutant.replacement, bits = parts[5] == "8" ? "16" : parts[5].str();
  std::istringstream registers(parts[6]);
  std::string guard = std::string("@") + (parts[1].length() ? "" : "!") + parts[2].str();
  for (std::string name; std::getline(registers, name, ',');) {
    name.erase(std::remove_if(name.begin(), name.end(), ::isspace), name.end());
    // A quiet NaN as a float, a large number as an integer.
    std::string value = parts[4] == "f" ? (bits == "64" ? "0d7FF8123456789ABC" : "0f7FC12345")
                        : bits == "16"  ? "0x7e55"
                        : bits == "32"  ? "0x7fc12345"
                                        : "0x7ff8123456789abc";
    text += "\n" + guard + " mov." + (parts[4] == "f" ? "f" : "b") + bits + " " + name + ", " +
            value + ";";
  }
  std::string how;
  return !findsDifference(kernel, mutated(kernel, mutant.line, text), how, 1);
}

struct Tally {
  unsigned of[std::size(verdictNames)] = {};
  std::map<std::string, unsigned> byFault;
};

struct Trial {
  Mutant mutant;
  Verdict verdict;
  std::string how; ///< it is found
};

Verdict judge(const Kernel &kernel, const Mutant &mutant, std::string &how) {
  bool isMask = mutant.isMask();
  std::string ptx = mutated(kernel, mutant.line, mutant.replacement);
  if (findsDifference(kernel, ptx, how, isMask ? 1 : std::size(seeds)))
    return Found;
  if (neverRuns(kernel, mutant))
    return NeverRuns;
  if (isMask && neverMasks(kernel, mutant))
    return NeverMasks;
  return isMask && isUnused(kernel, mutant) ? Unused : Survives;
}

/// Of two that survive, each does what the other one does if a kernel without both is found.
void judgePairs(const Kernel &kernel, std::vector<Trial> &trials,
                const std::function<bool()> &isOver) {
  std::vector<Trial *> left;
  for (Trial &trial : trials)
    if (trial.verdict == Survives && !trial.mutant.isMask())
      left.push_back(&trial);
  for (Trial *one : left)
    for (Trial *other : left) {
      std::string how;
      if (one->mutant.line < other->mutant.line &&
          (one->verdict == Survives || other->verdict == Survives) && !isOver() &&
          findsDifference(
              kernel, mutated(kernel, one->mutant.line, one->mutant.replacement, &other->mutant),
              how))
        one->verdict = other->verdict = Covered;
    }
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--no-masks") {
      options.triesMasks = false;
      continue;
    }
    if (name.substr(0, 2) != "--") {
      options.folder = name;
      continue;
    }
    std::string value = i + 1 < argc ? argv[++i] : "";
    if (name == "--seconds")
      options.seconds = std::atof(value.c_str());
    else if (name == "--seed")
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--jobs")
      options.jobs = std::max(1, std::atoi(value.c_str()));
    else if (name == "--launches")
      options.launches = unsigned(std::max(1, std::atoi(value.c_str())));
    else if (name == "--least")
      options.least = std::atof(value.c_str());
    else if (name == "--survivors")
      options.survivors = value;
    else
      options.folder.clear();
  }
  if (!fs::is_directory(options.folder)) {
    std::fprintf(stderr, "usage: ptx-mutants FOLDER [--seconds N] [--seed N] [--jobs N] "
                         "[--launches N] [--least PERCENT] [--survivors FILE] [--no-masks]\n");
    return 2;
  }
  auto begin = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  auto isOver = [&] { return options.seconds > 0 && elapsed() > options.seconds; };
  std::vector<std::unique_ptr<Kernel>> kernels = load(options);
  std::mt19937_64 random(options.seed);
  std::shuffle(kernels.begin(), kernels.end(), random);

  std::mutex mutex;
  std::atomic<size_t> next = 0;
  std::map<std::string, Tally> tallies;
  unsigned unclean = 0, tried = 0;
  std::atomic<unsigned> writingTwice = 0; ///< kernels that run without the check of equal values
  std::ofstream survivors(options.survivors);
  auto work = [&] {
    for (size_t i; (i = next++) < kernels.size() && !isOver();) {
      Kernel &kernel = *kernels[i];
      if (!prepare(kernel)) {
        std::lock_guard lock(mutex);
        ++unclean;
        continue;
      }
      writingTwice += !kernel.checkSameValue;
      std::vector<Trial> trials;
      for (Mutant &mutant : mutantsOf(kernel.lines)) {
        if (isOver())
          break;
        if (mutant.isMask() && !options.triesMasks)
          continue;
        std::string how;
        Verdict verdict = judge(kernel, mutant, how);
        trials.push_back({std::move(mutant), verdict, std::move(how)});
      }
      judgePairs(kernel, trials, isOver);
      std::lock_guard lock(mutex);
      for (const auto &[mutant, verdict, how] : trials) {
        Tally &tally = tallies[mutant.kind];
        ++tally.of[verdict];
        if (verdict == Found)
          ++tally.byFault[how.substr(0, how.find(" in kernel"))];
        else
          survivors << verdictNames[verdict] << ": " << mutant.kind << " " << kernel.name << " "
                    << kernel.launches[0].first << ":" << mutant.line + 1 << ": "
                    << kernel.lines[mutant.line] << "\n";
      }
      ++tried;
      kernel.launches.clear();
      kernel.whole.clear();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < options.jobs; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();

  unsigned found = 0, survive = 0;
  for (const auto &[kind, tally] : tallies) {
    found += tally.of[Found];
    survive += tally.of[Survives];
    std::printf("%-17s", kind.c_str());
    for (size_t i = 0; i < std::size(verdictNames); ++i)
      std::printf(" %u %s%s", tally.of[i], verdictNames[i],
                  i + 1 < std::size(verdictNames) ? "," : ";");
    for (const auto &[fault, count] : tally.byFault)
      std::printf(" %s %u,", fault.c_str(), count);
    std::printf("\n");
  }
  double part = found + survive ? 100.0 * found / (found + survive) : 0;
  std::printf("%u of %zu kernels (%u not clean, %u write one value twice), %u mutants, %.1f %% "
              "found, %.0f s, seed %llu\n",
              tried, kernels.size(), unclean, writingTwice.load(), found + survive, part, elapsed(),
              (unsigned long long)options.seed);
  return unclean == 0 && part >= options.least ? 0 : 1;
}
