//===- Document.cpp - what the compiler did, as data ----------------------===//
//
// Every list refers to others by their positions: lines to operations and remarks, operations to
// those of the stage before and to lines of the assembly.
//
//===----------------------------------------------------------------------===//

#include "tritium/Explain/Explain.h"

#include "Decisions.h"
#include "Loops.h"
#include "Rules.h"

#include "tritium/Target/GPU/GPUModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cmath>
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

/// `object` without what is said elsewhere.
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

void Writer::readCounters() {
  const json::Array *counted = subject.counters ? subject.counters->getArray("lines") : nullptr;
  for (size_t i = 0; counted && i < counted->size(); ++i) {
    const json::Object &line = *(*counted)[i].getAsObject();
    int64_t number = line.getInteger("line").value_or(0);
    llvm::StringRef source = line.getString("source").value_or("");
    std::string file = source.substr(0, source.rfind(':')).str();
    countersOfLine[{source.empty() ? -1 : fileNumber(file), static_cast<unsigned>(number)}] =
        without(line, {"line", "source"});
  }
}

Work Writer::workOfLine(const std::pair<int64_t, unsigned> &line,
                        const json::Object &counted) const {
  MatrixUse product;
  if (assembly && line.first >= 0)
    if (auto found = assembly->products.find({paths[line.first], line.second});
        found != assembly->products.end())
      product = found->second;
  double ctas = static_cast<double>(subject.counters->getInteger("ctas").value_or(1));
  return workOf(counted, std::max(ctas, 1.0), product, ratesOf(capability(), subject.gpu));
}

/// Waits, of all warps of a CTA together, and instructions come to what the simulator counts of a
/// multiprocessor.
static LaunchFacts::Path pathBy(const json::Object &counters, size_t which, double resident,
                                bool allAtOnce, double waits, double instructions) {
  // Where all CTAs run at once, none of another multiprocessor makes up for the one that takes
  // longest.
  const json::Array *paths = counters.getArray(allAtOnce ? "longest_path_clocks" : "path_clocks");
  if (!paths || instructions <= 0)
    return {};
  double ctas = static_cast<double>(counters.getInteger("path_ctas").value_or(1));
  double warps = std::ceil(static_cast<double>(counters.getInteger("threads").value_or(32)) / 32);
  double path = (*paths)[which].getAsNumber().value_or(0);
  double turns = std::max(ctas / std::max(resident, 1.0), 1.0);
  double waited = std::min(turns * waits / warps, path);
  return {waits > 0 ? waited / waits : 0, (path - waited) / instructions};
}

LaunchFacts Writer::launchFacts(const Work &total) const {
  LaunchFacts made;
  made.capability = capability();
  made.multiprocessors = gpuModel(made.capability).multiprocessors;
  made.gpu = subject.gpu;
  made.ctas = static_cast<double>(subject.counters->getInteger("grid").value_or(1));
  made.warps = std::max(1u, subject.metadata.numWarps);
  if (const json::Array *fits = subject.counters->getArray("occupancy"); fits && !fits->empty())
    if (const json::Object *fit = fits->front().getAsObject())
      made.resident =
          static_cast<double>(std::max<int64_t>(1, fit->getInteger("ctas").value_or(1)));
  if (const json::Array *memory = subject.counters->getArray("memory"))
    for (const json::Value &array : *memory)
      if (const json::Object *object = array.getAsObject()) {
        double bytes = static_cast<double>(object->getInteger("bytes").value_or(0));
        made.readArrays += object->getBoolean("read").value_or(true) ? bytes : 0;
        made.writtenArrays += object->getBoolean("written").value_or(true) ? bytes : 0;
      }
  made.bytesRead = total.bytesRead * made.ctas;
  // Buffers that take turns: all but the one that is read. Else what loads bring between two
  // executions of one.
  for (const Buffer &buffer : sharedBuffers)
    if (buffer.count > 1)
      made.bytesInFlight += static_cast<double>(buffer.bytes) *
                            static_cast<double>(buffer.count - 1) /
                            static_cast<double>(buffer.count);
  made.runsAhead = made.bytesInFlight > 0;
  double loads = static_cast<double>(subject.counters->getInteger("most_loads").value_or(0));
  double ran = static_cast<double>(subject.counters->getInteger("ctas").value_or(1));
  if (made.bytesInFlight == 0 && loads > 0)
    made.bytesInFlight = total.bytesRead / std::max(1.0, loads / (ran * made.warps));
  made.spilledBytes = spilledBytes(total, made.warps);
  made.pathCTAs = static_cast<double>(subject.counters->getInteger("path_ctas").value_or(0));
  bool allAtOnce = made.ctas <= made.multiprocessors * made.resident;
  made.near =
      pathBy(*subject.counters, 0, made.resident, allAtOnce, total.nearWaits, total.instructions);
  made.far =
      pathBy(*subject.counters, 1, made.resident, allAtOnce, total.farWaits, total.instructions);
  made.isSimulated = made.pathCTAs > 0;
  return made;
}

/// Each is stored and loaded as often as the code runs, on average of its instructions.
double Writer::spilledBytes(const Work &total, double warps) const {
  double instructions = 0;
  if (assembly)
    for (const auto &[place, count] : assembly->counts)
      instructions += count;
  double turns = instructions > 0 ? total.instructions / (instructions * warps) : 0;
  constexpr double lanes = 32, storeAndLoad = 2;
  return storeAndLoad * subject.metadata.spillBytes * lanes * warps * std::max(turns, 1.0);
}

std::optional<json::Object> Writer::addModel() {
  if (!subject.counters)
    return std::nullopt;
  Work total;
  for (const auto &[line, counted] : countersOfLine)
    total.add(workOfLine(line, counted));
  LaunchFacts launch = launchFacts(total);
  Prediction prediction = predict(total, launch);
  facts = launch;
  LaunchFacts counted = launch;
  counted.isSimulated = false;
  Prediction bySums = predict(total, counted);
  auto interval = [](const Prediction &of) {
    return json::Object{{"best", of.best}, {"expected", of.expected}, {"worst", of.worst}};
  };
  // What waits in the simulation is not always what makes it wait.
  for (const auto &[line, work] : countersOfLine)
    shares[line] = bySums.share(clocksOf(workOfLine(line, work), counted));
  json::Array resources;
  for (Resource resource : prediction.order)
    if (double clocks = prediction.clocks[size_t(resource)]; clocks > 0)
      resources.push_back(json::Object{
          {"name", nameOf(resource)}, {"clocks", clocks}, {"formula", formulaOf(resource)}});
  return json::Object{{"grade", "estimated"},
                      {"megahertz", ratesOf(launch.capability, launch.gpu).megahertz},
                      {"gpu", ratesOf(launch.capability, launch.gpu).gpu},
                      {"multiprocessors", launch.multiprocessors},
                      {"resident", launch.resident},
                      {"waves", launch.ctas / (launch.multiprocessors * launch.resident)},
                      {"resources", std::move(resources)},
                      {"bound", nameOf(prediction.order[0])},
                      {"second", nameOf(prediction.order[1])},
                      {"microseconds", interval(prediction)},
                      {"by_sums", interval(bySums)}};
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
} // namespace

json::Array Writer::estimates() const {
  CountedLaunch launch;
  launch.facts = facts;
  if (subject.launch)
    if (const json::Array *arguments = subject.launch->getArray("arguments"))
      for (const json::Value &each : *arguments)
        if (const json::Object *argument = each.getAsObject())
          if (std::optional<int64_t> value = argument->getInteger("value"))
            launch.values[argument->getString("name").value_or("").str()] = *value;
  std::map<std::pair<int64_t, unsigned>, CountedLine> lines;
  for (const auto &[place, counters] : countersOfLine) {
    CountedLine &line = lines[place];
    line.place = json::Object{{"file", place.first}, {"line", place.second}, {"column", 0}};
    line.counters = &counters;
    line.work = workOfLine(place, counters);
    if (auto found = namesOfLine.find(place); found != namesOfLine.end())
      line.operations = found->second;
  }
  for (const Remark &remark : subject.remarks)
    if (auto found = lines.find({knownFile(remark.file), remark.line}); found != lines.end())
      found->second.remarks.push_back(&remark);
  for (auto &[place, line] : lines)
    launch.lines.push_back(std::move(line));
  return estimatedHints(launch);
}

json::Object explain(const Subject &subject, json::Array *estimates) {
  Writer writer(subject);
  json::Object made = writer.write();
  if (estimates && made.getObject("model"))
    *estimates = writer.estimates();
  return made;
}

} // namespace tritium::explain
