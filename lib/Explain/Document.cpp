//===- Document.cpp - what the compiler did, as data ----------------------===//
//
// Every list refers to others by their positions: lines to operations and remarks, operations to
// those of the stage before and to lines of the assembly.
//
//===----------------------------------------------------------------------===//

#include "tritium/Explain/Explain.h"

#include "Writer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

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
} // namespace

/// -1: nothing refers to it.
int64_t Writer::knownFile(const std::string &path) const {
  auto found = llvm::find(paths, path);
  return found == paths.end() ? -1 : found - paths.begin();
}

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
      std::pair<int64_t, unsigned> line{fileNumber(op.place.file), op.place.line};
      operationsOfLine[line].push_back(number);
      namesOfLine[line].insert(op.name);
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
    sharedBuffers = read->buffers;
    decisions = decisionsOf(*read, static_cast<int64_t>(base));
  }
}

/// Of the operations of one place the one that the place is there for.
int64_t Writer::mainOperation(const std::vector<int64_t> &numbers) const {
  static constexpr llvm::StringRef names[] = {"dot", "store", "load", "copy", "reduce", "atomic"};
  for (llvm::StringRef name : names)
    for (int64_t number : numbers)
      if (operations[static_cast<size_t>(number)]
              .getAsObject()
              ->getString("name")
              .value_or("")
              .contains(name))
        return number;
  return numbers.front();
}

void Writer::addRemarks() {
  for (const Remark &remark : subject.remarks) {
    int64_t number = static_cast<int64_t>(remarks.size());
    json::Object values;
    for (const auto &[name, value] : remark.arguments)
      values[name] = text(value);
    json::Object made{{"pass", remark.pass},
                      {"code", codeOf(remark)},
                      {"kind", remark.kind},
                      {"message", text(remark.message)},
                      {"arguments", std::move(values)}};
    if (std::optional<json::Object> fix = fixOf(remark))
      made["fix"] = std::move(*fix);
    if (remark.line) {
      SourcePlace place{remark.file, static_cast<unsigned>(remark.line),
                        static_cast<unsigned>(remark.column)};
      made["place"] = placeOf(place);
      if (auto found = before.find(place); found != before.end()) {
        made["ops"] = json::Array(found->second);
        made["op"] = mainOperation(found->second);
      }
      remarksOfLine[{fileNumber(remark.file), remark.line}].push_back(number);
    }
    remarks.push_back(std::move(made));
  }
}

json::Object without(const json::Object &object, llvm::ArrayRef<llvm::StringRef> names) {
  json::Object made;
  for (const auto &[name, value] : object)
    if (!llvm::is_contained(names, name.str()))
      made[json::ObjectKey(name.str())] = value;
  return made;
}

/// The simulator's, with the lines' in the lines.
json::Object Writer::counters() const {
  json::Object made =
      without(*subject.counters, {"lines", "kernel", "declared_registers", "static_shared",
                                  "dynamic_shared", "local_bytes"});
  made["grade"] = "simulated";
  return made;
}

/// Which instructions are whose.
void Writer::readCode() {
  if (const std::string *ptx = stage("ptx"))
    assembly = readPTX(*ptx);
  if (assembly)
    for (const auto &[place, count] : assembly->counts)
      instructionsOfLine[{fileNumber(place.file), place.line}] += count;
  if (const std::string *text = stage("asm"))
    machineCode = readAssembly(*text, subject.metadata.target.cpuName(), whyNotRead);
  if (!machineCode)
    return;
  const cpu::CodeLine *last = nullptr;
  for (const cpu::CodeInstruction &each : machineCode->instructions) {
    const cpu::CodeLine *before = std::exchange(last, &each.source);
    if (!each.source.line)
      continue;
    std::pair<int64_t, unsigned> line{fileNumber(each.source.file), each.source.line};
    ++instructionsOfLine[line];
    json::Array &rows = rowsOfLine[line];
    // What follows right behind is one range.
    if (before && *before == each.source)
      (*rows.back().getAsArray())[1] = each.textLine;
    else
      rows.push_back(json::Array{each.textLine, each.textLine});
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
  for (const auto &place : all) {
    json::Object made{{"file", place.first}, {"line", place.second}};
    if (auto found = texts.find(place); found != texts.end())
      made["text"] = text(found->second);
    if (auto found = operationsOfLine.find(place); found != operationsOfLine.end())
      made["ops"] = json::Array(found->second);
    if (auto found = remarksOfLine.find(place); found != remarksOfLine.end())
      made["remarks"] = json::Array(found->second);
    if (auto found = instructionsOfLine.find(place); found != instructionsOfLine.end())
      made["instructions"] = graded(found->second, "decided");
    if (auto found = rowsOfLine.find(place); found != rowsOfLine.end())
      made["assembly"] = json::Array(found->second);
    if (auto found = countersOfLine.find(place); found != countersOfLine.end())
      made["counters"] = json::Object(found->second);
    if (auto found = shares.find(place); found != shares.end())
      made["share"] = graded(found->second, "estimated");
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
    made["waits_for_launches"] = graded(metadata.waitsForLaunches, "decided");
  } else {
    made["scratch_bytes"] = graded(static_cast<int64_t>(metadata.scratchBytes), "decided");
  }
  return made;
}

json::Object Writer::write() {
  if (!subject.path.empty())
    fileNumber(subject.path);
  readCode();
  for (const char *name : {"ptx", "plan", "asm"})
    if (const std::string *given = stage(name))
      stages[name] = text(*given);
  addStage("ttir");
  addStage("ttgir");
  addRemarks();
  readCounters();
  std::optional<json::Object> model = addModel();
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
                    {"resources", resources()},
                    {"remarks", std::move(remarks)},
                    {"stages", std::move(stages)}};
  for (auto &[name, list] : decisions)
    made[name] = std::move(list);
  if (machineCode)
    made["loops"] = loopsOf(*machineCode, metadata.cpu,
                            [this](const std::string &path) { return knownFile(path); });
  else if (!whyNotRead.empty())
    made["loops_not_read"] = text(whyNotRead);
  if (subject.launch)
    made["launch"] = json::Object(*subject.launch);
  if (subject.counters)
    made["counters"] = counters();
  if (model)
    made["model"] = std::move(*model);
  return made;
}

json::Object explain(const Subject &subject, json::Array *estimates) {
  Writer writer(subject);
  json::Object made = writer.write();
  if (estimates && made.getObject("model"))
    *estimates = writer.estimates();
  return made;
}

} // namespace tritium::explain
