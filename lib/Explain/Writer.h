//===- Writer.h - an explanation as it is written --------------*- C++ -*-===//

#ifndef TRITIUM_LIB_EXPLAIN_WRITER_H
#define TRITIUM_LIB_EXPLAIN_WRITER_H

#include "Decisions.h"
#include "Loops.h"
#include "Rules.h"
#include "tritium/Explain/Explain.h"

#include <map>
#include <optional>
#include <set>

namespace tritium::explain {

namespace json = llvm::json;

/// `object` without what is said elsewhere.
json::Object without(const json::Object &object, llvm::ArrayRef<llvm::StringRef> names);

class Writer {
public:
  explicit Writer(const Subject &subject) : subject(subject) {}
  json::Object write();
  /// After write(): what changes of the source and of the host would gain.
  json::Array estimates() const;

private:
  const std::string *stage(const char *name) const {
    auto found = subject.stages.find(name);
    return found == subject.stages.end() ? nullptr : &found->second;
  }
  int64_t fileNumber(const std::string &path);
  int64_t knownFile(const std::string &path) const;
  json::Object placeOf(const SourcePlace &place) {
    return json::Object{
        {"file", fileNumber(place.file)}, {"line", place.line}, {"column", place.column}};
  }
  void addStage(const char *name);
  void addOperations(const char *name, const Stage &read);
  void addRemarks();
  void addLines();
  json::Object resources() const;
  json::Object counters() const;
  void readCounters();
  /// Of the GPU whose time is estimated.
  unsigned capability() const {
    return capabilityOf(subject.metadata.target.architecture(), subject.gpu);
  }
  LaunchFacts launchFacts(const Work &total) const;
  double spilledBytes(const Work &total, double warps) const;
  Work workOfLine(const std::pair<int64_t, unsigned> &line, const json::Object &counted) const;
  /// What the counters come to, and each line's share of it.
  std::optional<json::Object> addModel();
  json::Array rangesAt(const SourcePlace &place) const;
  void readCode();
  int64_t mainOperation(const std::vector<int64_t> &numbers) const;

  const Subject &subject;
  std::vector<std::string> paths;
  std::optional<Instructions> assembly;        ///< of a GPU
  std::optional<cpu::MachineCode> machineCode; ///< of a CPU
  std::string whyNotRead;
  /// Operations of the latest stage and of that before, by place.
  std::map<SourcePlace, std::vector<int64_t>> here, before;
  std::map<std::pair<int64_t, unsigned>, std::vector<int64_t>> operationsOfLine, remarksOfLine;
  std::map<std::pair<int64_t, unsigned>, std::set<std::string>> namesOfLine; ///< of operations
  std::map<std::pair<int64_t, unsigned>, json::Object> countersOfLine;
  std::map<std::pair<int64_t, unsigned>, double> shares;
  std::map<std::pair<int64_t, unsigned>, unsigned> instructionsOfLine;
  std::map<std::pair<int64_t, unsigned>, json::Array> rowsOfLine; ///< of a CPU's assembly
  std::vector<Buffer> sharedBuffers;
  LaunchFacts facts; ///< of the launch, once it has a model
  json::Array operations, remarks, lines;
  json::Object decisions = decisionsOf({}, 0), stages;
};

} // namespace tritium::explain

#endif // TRITIUM_LIB_EXPLAIN_WRITER_H
