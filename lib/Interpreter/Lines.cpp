//===- Lines.cpp - where programs stop for a debugger ---------------------===//
//
// A line that is reached is kept: its callers' lines, which have less depth, stand before it, and
// nothing gives the slots of their variables to anybody else (Builder::release).
//
//===----------------------------------------------------------------------===//

#include "Lines.h"
#include "Builder.h"

#include "tritium/Dialect/Debug/IR/Debug.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

namespace {
void buildLine(Builder &b, dbg::LineOp op) {
  auto line = std::make_shared<Line>();
  line->function = op.getFunction().str();
  line->depth = op.getDepth();
  line->site = Builder::siteOf(op.getLoc());
  for (auto [i, name] : llvm::enumerate(op.getNames().getAsValueRange<StringAttr>())) {
    Value value = op.getValues()[i];
    StringRef type = cast<StringAttr>(op.getTypes()[i]).getValue();
    Shown shown(b.get(value), tt::shapeOf(value.getType()).vec(), !type.starts_with("uint"));
    std::optional<Tile> present;
    if (int32_t mask = op.getMasks()[i]; mask >= 0)
      present = b.get(op.getValues()[mask]);
    line->variables.push_back({name.str(), type.str(), std::move(shown), present});
  }
  for (NamedAttribute known : op.getKnown())
    line->known.emplace_back(known.getName().str(), cast<StringAttr>(known.getValue()).str());
  b.add([line](Machine &m) {
    m.lines.resize(std::min<size_t>(m.lines.size(), line->depth));
    m.lines.push_back(line.get());
    m.wasShown = false;
    Debugger *debugger = m.options.debugger;
    if (debugger && debugger->stopsAt({line->site.file, line->site.line, line->depth, m.pid}))
      m.stop(Stop::Line);
  });
}

void buildBreakpoint(Builder &b, dbg::BreakpointOp op) {
  b.add([pid = op.getPid().vec()](Machine &m) {
    if (!m.wasShown && std::equal(pid.begin(), pid.end(), m.pid))
      m.stop(Stop::Breakpoint);
  });
}

StoppedFrame frameOf(Machine &m, const Line &line) {
  StoppedFrame frame{line.function, line.site.file, line.site.line, line.site.column, {},
                     line.known};
  for (const Line::Variable &variable : line.variables) {
    StoppedValue value{variable.name,
                       variable.type,
                       variable.value.kind,
                       variable.value.bits,
                       variable.value.shape,
                       variable.value.packed(m),
                       {}};
    if (variable.present)
      for (int64_t i = 0; i < variable.present->count; ++i)
        value.present.push_back(m.at(*variable.present)[i] != 0);
    frame.values.push_back(std::move(value));
  }
  return frame;
}
} // namespace

void Machine::stop(Stop::Reason reason, const std::string &message, std::vector<int64_t> index) {
  if (!options.debugger || lines.empty())
    return;
  Stop stop{reason, message, program.kernel, {}, {}, std::move(index), {}, {}};
  std::copy_n(pid, 3, stop.pid);
  std::copy_n(grid, 3, stop.grid);
  for (const Line *line : lines)
    stop.frames.push_back(frameOf(*this, *line));
  for (size_t i = 0; i < args.size(); ++i)
    if (program.parameters[i].element.kind == Kind::Pointer)
      for (const BufferRange &range : options.buffers)
        if (args[i] - range.address <= range.bytes) {
          stop.buffers.push_back({program.parameters[i].name, range.address, range.bytes});
          break;
        }
  wasShown = true;
  if (!options.debugger->stopped(stop))
    end();
}

bool buildLines(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](dbg::LineOp op) { return buildLine(b, op), true; })
      .Case([&](dbg::BreakpointOp op) { return buildBreakpoint(b, op), true; })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
