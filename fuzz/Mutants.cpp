//===- Mutants.cpp - are the simulator's checks worth something? ----------===//
//
//   ptx-mutants FOLDER [--seconds N] [--seed N] [--jobs N] [--launches N] [--survivors FILE]
//
// FOLDER holds recorded launches (Recording.h) of kernels that are right. From each kernel's
// PTX one barrier, fence, wait or mask at a time is taken away, and the launches run again: a
// fault, or memory that differs from what the whole kernel leaves, finds the mutant. With
// --seconds the mutants come in an order drawn by --seed until the time is over. A mask that
// never masks anything in any launch is counted apart: without it the kernel does the same.
//
//===----------------------------------------------------------------------===//

#include "tritium/Simulator/Recording.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <regex>
#include <sstream>
#include <thread>

using namespace tritium;
namespace fs = std::filesystem;

namespace {

struct Options {
  std::string folder, survivors;
  double seconds = 0;
  uint64_t seed = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency()), launches = 6;
};

constexpr uint64_t seeds[] = {0, 1, 2};

//===-- What can be taken away --------------------------------------------===//

struct Mutant {
  const char *kind;
  size_t line; ///< of the PTX, from 0
  std::string replacement;
};

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// A forward branch over code with accesses and without other jumps: a mask as control flow.
bool skipsAccesses(const std::vector<std::string> &lines, size_t branch, const std::string &to) {
  static const std::regex access(
      "^\\s*(@!?%\\w+\\s+)?(ld|st|atom|red|cp)\\.[\\w.:]*(global|shared)");
  static const std::regex jump("^\\s*(@!?%\\w+\\s+)?(bra|brx|call|ret|exit)\\b");
  bool found = false;
  for (size_t i = branch + 1; i < lines.size(); ++i) {
    if (lines[i].find(to + ":") != std::string::npos)
      return found;
    if (std::regex_search(lines[i], jump))
      return false;
    found |= std::regex_search(lines[i], access);
  }
  return false;
}

std::vector<Mutant> mutantsOf(const std::vector<std::string> &lines) {
  static const std::regex form("^\\s*(@!?%\\w+\\s+)?([a-z][\\w.:]*)\\s*([^;]*);\\s*(//.*)?$");
  std::vector<Mutant> made;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch parts;
    if (!std::regex_match(lines[i], parts, form))
      continue;
    bool guarded = parts[1].matched;
    std::string opcode = parts[2], operands = parts[3];
    std::string family = opcode.substr(0, opcode.find('.'));
    auto add = [&](const char *kind, std::string text) {
      made.push_back({kind, i, std::move(text)});
    };
    if (family == "bar" || family == "barrier")
      add("barrier", "");
    else if (family == "membar" || family == "fence")
      add("fence", "");
    else if (opcode.starts_with("cp.async.wait"))
      add("wait", "");
    else if (opcode.starts_with("cp.async.commit"))
      add("commit", "");
    if (!guarded || family == "bar") {
      // cp.async with the bytes to read in a register: fewer where masked.
      static const std::regex partly("(.*\\], \\d+), %\\w+");
      std::smatch copy;
      if (opcode.starts_with("cp.async.c") && std::regex_match(operands, copy, partly))
        add("mask", opcode + " " + copy[1].str() + ";");
      continue;
    }
    if (family == "bra") {
      if (skipsAccesses(lines, i, operands))
        add("branch", "");
    } else {
      add("mask", opcode + " " + operands + ";");
    }
  }
  return made;
}

//===-- Kernels -----------------------------------------------------------===//

struct Outcome {
  bool clean = false;
  std::string fault;
  uint64_t steps = 0;
  std::vector<std::vector<uint8_t>> memory;
};

Outcome runOnce(const std::string &ptx, const sim::Recording &recording, uint64_t seed,
                uint64_t stepLimit) {
  sim::Recording copy = recording;
  copy.bind();
  copy.launch.seed = seed;
  copy.launch.stepLimit = stepLimit;
  copy.launch.mostFaults = 1;
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
};

std::string read(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs the whole kernel; false, with a message, if it is not right itself.
bool prepare(Kernel &kernel) {
  std::erase_if(kernel.launches, [&](const auto &launch) {
    auto &runs = kernel.whole.emplace_back();
    for (uint64_t seed : seeds) {
      runs.push_back(runOnce(kernel.ptx, launch.second, seed, 20'000'000));
      if (!runs.back().clean) {
        std::printf("%s: %s is not clean: %s\n", kernel.name.c_str(), launch.first.c_str(),
                    runs.back().fault.c_str());
        kernel.whole.pop_back();
        return true;
      }
    }
    return false;
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

enum Verdict { Found, Survives, NeverMasks };

std::string mutated(const Kernel &kernel, size_t line, const std::string &replacement) {
  std::string text;
  for (size_t i = 0; i < kernel.lines.size(); ++i)
    text += (i == line ? replacement : kernel.lines[i]) + "\n";
  return text;
}

bool findsDifference(const Kernel &kernel, const std::string &ptx, std::string &how) {
  for (size_t s = 0; s < std::size(seeds); ++s)
    for (size_t i = 0; i < kernel.launches.size(); ++i) {
      const Outcome &right = kernel.whole[i][s];
      Outcome outcome = runOnce(ptx, kernel.launches[i].second, seeds[s], 4 * right.steps + 10000);
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

/// Whether the guard of this line never keeps a lane back: a trap in its place, guarded the
/// other way round, is never reached.
bool neverMasks(const Kernel &kernel, const Mutant &mutant) {
  const std::string &line = kernel.lines[mutant.line];
  std::string how;
  auto neverTraps = [&](const std::string &trap) {
    return !findsDifference(kernel, mutated(kernel, mutant.line, trap + "\n" + line), how);
  };
  static const std::regex partly("\\], (\\d+), (%\\w+);");
  std::smatch copy;
  if (std::regex_search(line, copy, partly))
    return neverTraps("{ .reg .pred %never; setp.lt.u32 %never, " + copy[2].str() + ", " +
                      copy[1].str() + "; @%never trap; }");
  size_t at = line.find('@');
  if (at == std::string::npos || std::string(mutant.kind) == "barrier")
    return false;
  bool negated = line[at + 1] == '!';
  std::string predicate = line.substr(at + 1 + negated);
  predicate = predicate.substr(0, predicate.find_first_of(" \t"));
  bool isBranch = std::string(mutant.kind) == "branch";
  // A mask keeps back lanes where its guard is false, a branch those where it is true.
  return neverTraps((negated == isBranch ? "@!" : "@") + predicate + " trap;");
}

struct Tally {
  unsigned found = 0, survive = 0, never = 0;
  std::map<std::string, unsigned> byFault;
};

} // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
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
    else if (name == "--survivors")
      options.survivors = value;
    else
      options.folder.clear();
  }
  if (!fs::is_directory(options.folder)) {
    std::fprintf(stderr, "usage: ptx-mutants FOLDER [--seconds N] [--seed N] [--jobs N] "
                         "[--launches N] [--survivors FILE]\n");
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
  std::ofstream survivors(options.survivors);
  auto work = [&] {
    for (size_t i; (i = next++) < kernels.size() && !isOver();) {
      Kernel &kernel = *kernels[i];
      if (!prepare(kernel)) {
        std::lock_guard lock(mutex);
        ++unclean;
        continue;
      }
      for (const Mutant &mutant : mutantsOf(kernel.lines)) {
        if (isOver())
          break;
        std::string how;
        Verdict verdict = Survives;
        if (findsDifference(kernel, mutated(kernel, mutant.line, mutant.replacement), how))
          verdict = Found;
        else if (neverMasks(kernel, mutant))
          verdict = NeverMasks;
        std::lock_guard lock(mutex);
        Tally &tally = tallies[mutant.kind];
        ++(verdict == Found ? tally.found : verdict == Survives ? tally.survive : tally.never);
        if (verdict == Found)
          ++tally.byFault[how.substr(0, how.find(" in kernel"))];
        else
          survivors << (verdict == Survives ? "survives " : "never masks ") << mutant.kind << " "
                    << kernel.name << " " << kernel.launches[0].first << ":" << mutant.line + 1
                    << ": " << kernel.lines[mutant.line] << "\n";
      }
      std::lock_guard lock(mutex);
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
    found += tally.found;
    survive += tally.survive;
    std::printf("%-8s %6u found, %4u survive, %4u never mask;", kind.c_str(), tally.found,
                tally.survive, tally.never);
    for (const auto &[fault, count] : tally.byFault)
      std::printf(" %s %u,", fault.c_str(), count);
    std::printf("\n");
  }
  double part = found + survive ? 100.0 * found / (found + survive) : 0;
  std::printf("%u of %zu kernels (%u not clean), %u mutants, %.1f %% found, %.0f s, seed %llu\n",
              tried, kernels.size(), unclean, found + survive, part, elapsed(),
              (unsigned long long)options.seed);
  return unclean == 0 && part >= 95 ? 0 : 1;
}
