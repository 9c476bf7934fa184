//===- Document.cpp - what the compiler did, as data ----------------------===//
//
// Every list refers to others by their positions: lines to operations and remarks, operations to
// those of the stage before and to lines of the assembly.
//
//===----------------------------------------------------------------------===//

#include "tritium/Explain/Explain.h"

#include "Instructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <set>

namespace json = llvm::json;

namespace tritium::explain {

namespace {
json::Object graded(json::Value value, const char *grade, std::string from = "") {
  json::Object made{{"value", std::move(value)}, {"grade", grade}};
  if (!from.empty())
    made["from"] = std::move(from);
  return made;
}

/// What comes from a kernel's text or from files may be any bytes.
json::Value text(llvm::StringRef bytes) { return json::fixUTF8(bytes); }

class Writer {
public:
  explicit Writer(const Subject &subject) : subject(subject) {}
  json::Object write();

private:
  const std::string *stage(const char *name) const {
    auto found = subject.stages.find(name);
    return found == subject.stages.end() ? nullptr : &found->second;
  }
  int64_t fileNumber(const std::string &path);
  json::Object placeOf(const SourcePlace &place) {
    return json::Object{
        {"file", fileNumber(place.file)}, {"line", place.line}, {"column", place.column}};
  }
  void addStage(const char *name);
  void addOperations(const char *name, const Stage &read);
  void addDecisions(const Stage &read, size_t base);
  void addLayouts(const Stage &read);
  void addRemarks();
  void addLines();
  json::Object resources() const;
  json::Object counters() const;
  void readCounters();
  json::Array rangesAt(const SourcePlace &place) const;

  const Subject &subject;
  std::vector<std::string> paths;
  std::optional<Instructions> assembly;
  /// Operations of the latest stage and of that before, by place.
  std::map<SourcePlace, std::vector<int64_t>> here, before;
  std::map<std::pair<int64_t, unsigned>, std::vector<int64_t>> operationsOfLine, remarksOfLine;
  std::map<std::pair<int64_t, unsigned>, json::Object> countersOfLine;
  json::Array operations, buffers, barriers, schedule, layouts, remarks, lines;
  json::Object stages;
};

int64_t Writer::fileNumber(const std::string &path) {
  if (path.empty())
    return -1;
  auto found = llvm::find(paths, path);
  if (found == paths.end())
    found = paths.insert(paths.end(), path);
  return found - paths.begin();
}

json::Array Writer::rangesAt(const SourcePlace &place) const {
  json::Array made;
  if (!assembly)
    return made;
  if (auto found = assembly->ranges.find(place); found != assembly->ranges.end())
    for (LineRange range : found->second)
      made.push_back(json::Array{range.first, range.last});
  return made;
}

void Writer::addOperations(const char *name, const Stage &read) {
  int64_t base = static_cast<int64_t>(operations.size());
  bool isLast = llvm::StringRef(name) == "ttgir";
  for (const Operation &op : read.operations) {
    int64_t number = static_cast<int64_t>(operations.size());
    json::Object made{
        {"id", number}, {"stage", name}, {"name", op.name}, {"text_line", op.textLine}};
    if (!op.type.empty())
      made["type"] = op.type;
    if (op.layout >= 0)
      made["layout"] = op.layout;
    if (op.loop >= 0)
      made["loop"] = base + op.loop;
    if (op.place.line) {
      made["place"] = placeOf(op.place);
      here[op.place].push_back(number);
      if (auto found = before.find(op.place); found != before.end())
        made["from"] = json::Array(found->second);
      if (isLast)
        made["assembly"] = rangesAt(op.place);
      operationsOfLine[{fileNumber(op.place.file), op.place.line}].push_back(number);
    }
    json::Array calls;
    for (const SourcePlace &call : op.calls)
      calls.push_back(placeOf(call));
    if (!calls.empty())
      made["calls"] = std::move(calls);
    operations.push_back(std::move(made));
  }
  before = std::move(here);
  here.clear();
}

void Writer::addDecisions(const Stage &read, size_t base) {
  auto id = [&](size_t number) { return static_cast<int64_t>(base + number); };
  for (const Buffer &buffer : read.buffers)
    buffers.push_back(json::Object{{"op", id(buffer.operation)},
                                   {"offset", buffer.offset},
                                   {"bytes", buffer.bytes},
                                   {"count", buffer.count},
                                   {"type", buffer.type},
                                   {"first", id(buffer.first)},
                                   {"last", id(buffer.last)}});
  for (const Barrier &barrier : read.barriers) {
    json::Object made{{"op", id(barrier.operation)}, {"kind", barrier.kind}};
    if (!barrier.hazard.empty())
      made["hazard"] = barrier.hazard;
    barriers.push_back(std::move(made));
  }
  for (const Ahead &ahead : read.ahead)
    schedule.push_back(json::Object{{"op", id(ahead.operation)}, {"ahead", ahead.iterations}});
}

void Writer::addLayouts(const Stage &read) {
  for (const Layout &layout : read.layouts) {
    json::Object bases;
    for (const auto &[input, places] : layout.bases) {
      json::Array list;
      for (const std::vector<int64_t> &place : places)
        list.push_back(json::Array(place));
      bases[input] = std::move(list);
    }
    layouts.push_back(json::Object{{"attribute", layout.attribute},
                                   {"shape", json::Array(layout.shape)},
                                   {"repeats", json::Array(layout.repeats)},
                                   {"bases", std::move(bases)}});
  }
}

void Writer::addStage(const char *name) {
  const std::string *given = stage(name);
  if (!given)
    return;
  std::optional<Stage> read = readStage(*given, name);
  if (!read) {
    stages[name] = text(*given);
    return;
  }
  size_t base = operations.size();
  stages[name] = text(read->text);
  addOperations(name, *read);
  if (llvm::StringRef(name) == "ttgir") {
    addDecisions(*read, base);
    addLayouts(*read);
  }
}

void Writer::addRemarks() {
  for (const Remark &remark : subject.remarks) {
    int64_t number = static_cast<int64_t>(remarks.size());
    json::Object values;
    for (const auto &[name, value] : remark.arguments)
      values[name] = text(value);
    json::Object made{{"pass", remark.pass},
                      {"kind", remark.kind},
                      {"message", text(remark.message)},
                      {"arguments", std::move(values)}};
    if (remark.line) {
      SourcePlace place{remark.file, static_cast<unsigned>(remark.line),
                        static_cast<unsigned>(remark.column)};
      made["place"] = placeOf(place);
      if (auto found = before.find(place); found != before.end())
        made["ops"] = json::Array(found->second);
      remarksOfLine[{fileNumber(remark.file), remark.line}].push_back(number);
    }
    remarks.push_back(std::move(made));
  }
}

/// The simulator's, with the lines' in the lines.
json::Object Writer::counters() const {
  json::Object made(*subject.counters);
  for (const char *name :
       {"lines", "kernel", "declared_registers", "static_shared", "dynamic_shared", "local_bytes"})
    made.erase(name);
  made["grade"] = "simulated";
  return made;
}

void Writer::readCounters() {
  const json::Array *counted = subject.counters ? subject.counters->getArray("lines") : nullptr;
  for (size_t i = 0; counted && i < counted->size(); ++i) {
    json::Object line(*(*counted)[i].getAsObject());
    auto number = line.getInteger("line").value_or(0);
    std::string source = line.getString("source").value_or("").str();
    line.erase("line");
    line.erase("source");
    std::pair<int64_t, unsigned> place{-1, 0};
    if (number)
      place = {fileNumber(source.substr(0, source.rfind(':'))), static_cast<unsigned>(number)};
    countersOfLine[place] = std::move(line);
  }
}

/// The kernel's own lines, and those of others that operations or remarks are at.
void Writer::addLines() {
  std::map<std::pair<int64_t, unsigned>, std::string> texts;
  if (!subject.path.empty()) {
    llvm::StringRef rest = subject.source;
    for (unsigned line = subject.firstLine; !rest.empty(); ++line) {
      auto [first, others] = rest.split('\n');
      texts[{fileNumber(subject.path), line}] = first.rtrim("\r").str();
      rest = others;
    }
  }
  std::set<std::pair<int64_t, unsigned>> all;
  for (const auto &[place, line] : texts)
    all.insert(place);
  for (const auto &[place, ids] : operationsOfLine)
    all.insert(place);
  for (const auto &[place, ids] : remarksOfLine)
    all.insert(place);
  for (const auto &[place, counted] : countersOfLine)
    all.insert(place);
  std::map<std::pair<int64_t, unsigned>, unsigned> instructions;
  if (assembly)
    for (const auto &[place, count] : assembly->counts)
      instructions[{fileNumber(place.file), place.line}] += count;
  for (const auto &place : all) {
    json::Object made{{"file", place.first}, {"line", place.second}};
    if (auto found = texts.find(place); found != texts.end())
      made["text"] = text(found->second);
    if (auto found = operationsOfLine.find(place); found != operationsOfLine.end())
      made["ops"] = json::Array(found->second);
    if (auto found = remarksOfLine.find(place); found != remarksOfLine.end())
      made["remarks"] = json::Array(found->second);
    if (auto found = instructions.find(place); found != instructions.end())
      made["instructions"] = graded(found->second, "decided");
    if (auto found = countersOfLine.find(place); found != countersOfLine.end())
      made["counters"] = std::move(found->second);
    lines.push_back(std::move(made));
  }
}

json::Object Writer::resources() const {
  const KernelMetadata &metadata = subject.metadata;
  json::Object made;
  if (metadata.target.isGPU()) {
    made["warps"] = graded(metadata.numWarps, "decided");
    made["shared_bytes"] = graded(static_cast<int64_t>(metadata.sharedBytes), "decided");
    if (metadata.registers) {
      made["registers"] = graded(metadata.registers, "decided", "ptxas");
      made["spill_bytes"] = graded(metadata.spillBytes, "decided", "ptxas");
    }
    made["persistent"] = graded(metadata.isPersistent, "decided");
  } else {
    made["scratch_bytes"] = graded(static_cast<int64_t>(metadata.scratchBytes), "decided");
  }
  return made;
}

json::Object Writer::write() {
  if (!subject.path.empty())
    fileNumber(subject.path);
  if (const std::string *ptx = stage("ptx")) {
    assembly = readPTX(*ptx);
    stages["ptx"] = text(*ptx);
  }
  for (const char *name : {"plan", "asm"})
    if (const std::string *given = stage(name))
      stages[name] = text(*given);
  addStage("ttir");
  addStage("ttgir");
  addRemarks();
  readCounters();
  addLines();
  json::Array files;
  for (const std::string &path : paths)
    files.push_back(text(path));
  const KernelMetadata &metadata = subject.metadata;
  json::Object made{{"format", kFormat},
                    {"version", kVersion},
                    {"kernel", text(metadata.name)},
                    {"target", metadata.target.str()},
                    {"code_for", metadata.cpu},
                    {"options", json::Object(subject.options)},
                    {"signature", json::Array(subject.signature)},
                    {"files", std::move(files)},
                    {"lines", std::move(lines)},
                    {"ops", std::move(operations)},
                    {"layouts", std::move(layouts)},
                    {"buffers", std::move(buffers)},
                    {"barriers", std::move(barriers)},
                    {"schedule", std::move(schedule)},
                    {"resources", resources()},
                    {"remarks", std::move(remarks)},
                    {"stages", std::move(stages)}};
  if (subject.launch)
    made["launch"] = json::Object(*subject.launch);
  if (subject.counters)
    made["counters"] = counters();
  return made;
}
} // namespace

json::Object explain(const Subject &subject) { return Writer(subject).write(); }

} // namespace tritium::explain
