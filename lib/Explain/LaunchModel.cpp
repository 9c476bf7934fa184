//===- LaunchModel.cpp - what a launch that was counted takes -------------===//
//
// Document.cpp's Writer, as far as it is about counters: what each line did, how long the launch
// takes by the model, and what changes of the source and of the host would gain.
//
//===----------------------------------------------------------------------===//

#include "Writer.h"

#include "tritium/Simulator/Counters.h"
#include "tritium/Target/GPU/GPUModel.h"

#include <algorithm>
#include <cmath>

namespace tritium::explain {

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

/// Of memory that no argument bounds it is known what the CTAs that were counted come to, and what
/// half of them do: from the one to the other it grows by a power of their number, taken to be the
/// same from there to the whole grid. All of them read the same: 0; none two: 1.
static double otherBytes(const json::Object &counters, const char *name, double ofGrid) {
  const json::Object *reached = counters.getObject(name);
  double all = reached ? double(reached->getInteger("by_all").value_or(0)) : 0;
  if (all <= 0)
    return 0;
  double half = std::max(double(reached->getInteger("by_half").value_or(0)), 1.0);
  return all * std::pow(ofGrid, std::clamp(std::log2(all / half), 0.0, 1.0));
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
  double counted = static_cast<double>(subject.counters->getInteger("ctas").value_or(1));
  made.readArrays = otherBytes(*subject.counters, "other_read", made.ctas / std::max(counted, 1.0));
  made.writtenArrays =
      otherBytes(*subject.counters, "other_written", made.ctas / std::max(counted, 1.0));
  if (const json::Array *memory = subject.counters->getArray("memory"))
    for (const json::Value &array : *memory)
      if (const json::Object *object = array.getAsObject()) {
        double bytes = static_cast<double>(object->getInteger("bytes").value_or(0));
        made.readArrays += object->getBoolean("read").value_or(true) ? bytes : 0;
        made.writtenArrays += object->getBoolean("written").value_or(true) ? bytes : 0;
      }
  made.bytesRead = total.bytesRead * made.ctas;
  for (const auto &[place, counted] : countersOfLine)
    made.bytesReadAgain += bytesReadAgain(workOfLine(place, counted), total, made);
  // Buffers that take turns: all but the one that is read. Else what loads bring between two
  // executions of one.
  for (const Buffer &buffer : sharedBuffers)
    if (buffer.count > 1)
      made.bytesInFlight += static_cast<double>(buffer.bytes) *
                            static_cast<double>(buffer.count - 1) /
                            static_cast<double>(buffer.count);
  made.runsAhead = made.bytesInFlight > 0;
  double loads = static_cast<double>(subject.counters->getInteger("most_loads").value_or(0));
  if (made.bytesInFlight == 0 && loads > 0)
    made.bytesInFlight = total.bytesRead / std::max(1.0, loads / (counted * made.warps));
  made.spilledBytes = spilledBytes(total, made.warps);
  made.pathCTAs = static_cast<double>(subject.counters->getInteger("path_ctas").value_or(0));
  bool allAtOnce = made.ctas <= made.multiprocessors * made.resident;
  made.near = pathBy(*subject.counters, sim::kFromL2, made.resident, allAtOnce, total.nearWaits,
                     total.instructions);
  made.far = pathBy(*subject.counters, sim::kFromMemory, made.resident, allAtOnce, total.farWaits,
                    total.instructions);
  made.common = pathBy(*subject.counters, sim::kCommon, made.resident, allAtOnce, total.commonWaits,
                       total.instructions);
  // Where a CTA comes to a line by several requests, memory is waited for once.
  constexpr double sectorsOfLine = 4;
  if (total.l2Requests > 0)
    made.firstOfCTA = (total.farSectors - total.rereadSectors) / (sectorsOfLine * total.l2Requests);
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

} // namespace tritium::explain
