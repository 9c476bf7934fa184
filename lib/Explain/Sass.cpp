//===- Sass.cpp - machine code of GPUs in documents -----------------------===//

#include "Fields.h"

#include "tritium/Explain/Explain.h"
#include "tritium/Target/NVPTX/Disassembler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <map>

namespace json = llvm::json;

namespace tritium::explain {

namespace {
/// Instructions of a line, or all.
struct Part {
  int64_t instructions = 0, stall = 0, waits = 0;
  std::map<std::string, int64_t> classes;
  json::Array rows;
  int64_t lastRow = -1;

  void add(const nvptx::SassInstruction &instruction) {
    ++instructions;
    ++classes[nvptx::sassClass(instruction.opcode)];
    if (!instruction.control)
      return;
    stall += instruction.control->stall;
    waits += instruction.control->waits != 0;
  }
  /// What follows right behind is one range.
  void addRow(int64_t row) {
    if (lastRow >= 0 && lastRow + 1 == row)
      (*rows.back().getAsArray())[1] = row;
    else
      rows.push_back(json::Array{row, row});
    lastRow = row;
  }
  json::Object object(bool hasControl) const {
    json::Object list;
    for (const auto &[name, count] : classes)
      list[name] = count;
    json::Object made{{"instructions", instructions}, {"classes", std::move(list)}};
    if (hasControl) {
      made["stall"] = stall;
      made["waits"] = waits;
    }
    return made;
  }
};

/// "0-2---": the barriers that are waited for.
std::string maskOf(uint8_t waits) {
  std::string mask = "------";
  for (unsigned i = 0; i < mask.size(); ++i)
    if (waits >> i & 1)
      mask[i] = static_cast<char>('0' + i);
  return mask;
}

void write(const nvptx::SassInstruction &instruction, llvm::raw_ostream &out) {
  auto barrier = [](int number) { return number < 0 ? '-' : static_cast<char>('0' + number); };
  out << llvm::format("%06x  ", static_cast<unsigned>(instruction.offset));
  if (const auto &control = instruction.control)
    out << maskOf(control->waits) << "  " << barrier(control->reads) << " "
        << barrier(control->writes) << llvm::format(" %3u  ", unsigned(control->stall));
  out << instruction.text << "\n";
}

/// Which file of the document has which name.
std::map<std::string, int64_t> filesOf(const json::Object &document) {
  std::map<std::string, int64_t> made;
  if (const json::Array *files = document.getArray("files"))
    for (size_t i = 0; i < files->size(); ++i)
      if (auto name = (*files)[i].getAsString())
        made[name->str()] = static_cast<int64_t>(i);
  return made;
}
using Parts = std::map<std::pair<int64_t, int64_t>, Part>; // by file and line

void addToLines(json::Object &document, Parts &parts, bool hasControl) {
  json::Array *lines = document.getArray("lines");
  for (size_t i = 0; lines && i < lines->size(); ++i) {
    json::Object *line = (*lines)[i].getAsObject();
    if (!line)
      continue;
    auto found = parts.find({integer(*line, "file"), integer(*line, "line")});
    if (found == parts.end())
      continue;
    json::Object part = found->second.object(hasControl);
    part["rows"] = std::move(found->second.rows);
    (*line)["sass"] = std::move(part);
  }
}

void addCode(json::Object &document, const std::vector<nvptx::SassInstruction> &code,
             const nvptx::Disassembler &disassembler, const std::string &from) {
  std::map<std::string, int64_t> files = filesOf(document);
  Parts parts;
  Part all;
  bool hasControl = llvm::all_of(code, [](const auto &each) { return each.control.has_value(); });
  std::string text = hasControl ? "offset  waits   r w stall\n" : "offset\n";
  llvm::raw_string_ostream out(text);
  int64_t row = 2; // below the heading
  for (const nvptx::SassInstruction &each : code) {
    for (const std::string &label : each.labels) {
      out << label << ":\n";
      ++row;
    }
    write(each, out);
    all.add(each);
    if (auto file = files.find(each.file); each.line && file != files.end()) {
      Part &part = parts[{file->second, each.line}];
      part.add(each);
      part.addRow(row);
    }
    ++row;
  }
  addToLines(document, parts, hasControl);
  json::Object whole = all.object(hasControl);
  whole["grade"] = "decided";
  whole["from"] = from;
  if (!disassembler.hasLines)
    whole["no_lines"] = from + " does not print which lines code is of";
  document["sass"] = std::move(whole);
  if (json::Object *stages = document.getObject("stages"))
    (*stages)["sass"] = json::fixUTF8(text);
}
} // namespace

void addMachineCode(json::Object &document, const std::string *cubin) {
  std::optional<nvptx::Disassembler> disassembler = nvptx::findDisassembler();
  if (!disassembler || !cubin) {
    document["no_sass"] =
        cubin ? "there is neither nvdisasm nor cuobjdump, which come with the CUDA toolkit; "
                "TRITON_NVDISASM_PATH and TRITON_CUOBJDUMP_PATH name them"
              : "there is no ptxas, which makes machine code";
    return;
  }
  std::string from = (disassembler->hasLines ? "nvdisasm " : "cuobjdump ") + disassembler->version;
  std::string problem = from + " prints no instructions that can be read";
  std::vector<nvptx::SassInstruction> code;
  if (std::optional<std::string> printed = nvptx::disassemble(*disassembler, *cubin, problem))
    code = nvptx::readSass(*printed);
  if (code.empty())
    document["no_sass"] = json::fixUTF8(problem);
  else
    addCode(document, code, *disassembler, from);
}

} // namespace tritium::explain
