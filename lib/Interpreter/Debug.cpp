//===- Debug.cpp - prints, assertions, hints ------------------------------===//

#include "Loops.h"
#include "Shown.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cinttypes>
#include <cstdio>

using namespace mlir;

namespace tritium::interpreter {

namespace {
void printElement(const Shown &value, bool hex, Slot slot) {
  if (hex || value.kind == StoppedValue::Pointer)
    std::fprintf(stderr, "0x%" PRIx64, slot);
  else if (value.kind == StoppedValue::Float)
    std::fprintf(stderr, "%g", value.bits == 64 ? fromSlot<double>(slot) : fromSlot<float>(slot));
  else if (value.kind == StoppedValue::Unsigned)
    std::fprintf(stderr, "%" PRIu64, slot);
  else
    std::fprintf(stderr, "%" PRId64, signedValue(slot, value.bits));
}

/// One line an element: pid (x, y, z) idx (r, c) prefix value.
void printToStderr(Machine &m, const std::string &prefix, bool hex, const Shown &value) {
  for (int64_t i = 0; i < value.tile.count; ++i) {
    std::string index;
    int64_t rest = i;
    for (size_t d = value.shape.size(); d-- > 0; rest /= value.shape[d])
      index = std::to_string(rest % value.shape[d]) + (index.empty() ? "" : ", ") + index;
    std::fprintf(stderr, "pid (%u, %u, %u) idx (%s) %s", m.pid[0], m.pid[1], m.pid[2],
                 index.c_str(), prefix.c_str());
    printElement(value, hex, m.at(value.tile)[i]);
    std::fputc('\n', stderr);
  }
}

void buildPrint(Builder &b, tt::PrintOp op) {
  std::vector<Shown> values;
  for (auto [i, arg] : llvm::enumerate(op.getArgs())) {
    bool isSigned = i < op.getIsSigned().size() && op.getIsSigned()[i];
    values.emplace_back(b.get(arg), tt::shapeOf(arg.getType()).vec(), isSigned);
  }
  b.add([values, prefix = op.getPrefix().str(), hex = op.getHex()](Machine &m) {
    auto *print = m.options.host.print;
    if (values.empty() && print)
      print(m.options.host.user, prefix.c_str(), hex, 0, 0, nullptr, nullptr, 0, m.pid);
    else if (values.empty())
      std::fprintf(stderr, "pid (%u, %u, %u) %s\n", m.pid[0], m.pid[1], m.pid[2], prefix.c_str());
    for (const Shown &value : values)
      if (print)
        print(m.options.host.user, prefix.c_str(), hex, value.kind, value.bits,
              value.packed(m).data(), value.shape.data(), int(value.shape.size()), m.pid);
      else
        printToStderr(m, prefix, hex, value);
  });
}

void buildAssert(Builder &b, tt::AssertOp op) {
  Tile condition = b.get(op.getCondition());
  Site place = Builder::siteOf(op.getLoc());
  AssertSite site{op.getMessage().str(), place.file, place.line, AssertSite::NoValue,
                  op.getShape().vec()};
  std::vector<Tile> report; // nothing, the value, or the element and the value
  for (Value part : op.getReport())
    report.push_back(b.get(part));
  if (!report.empty())
    site.kind = static_cast<int>(op.getKind());
  std::vector<int64_t> shape = tt::shapeOf(op.getCondition().getType()).vec();
  b.add([condition, report, site, place, shape](Machine &m) {
    const Slot *holds = m.at(condition), *fails = std::find(holds, holds + condition.count, 0);
    if (fails == holds + condition.count)
      return;
    FailedAssertion failure{{m.pid[0], m.pid[1], m.pid[2]}, 0, 0};
    if (!report.empty())
      failure.value = *m.at(report.back());
    if (report.size() == 2)
      failure.element = static_cast<uint32_t>(*m.at(report.front()));
    if (!m.options.host.assertFailed)
      return m.fail(failureText(site, failure), place, indexOf(shape, fails - holds));
    m.stop(Stop::Failure, failureText(site, failure), indexOf(shape, fails - holds));
    m.options.host.assertFailed(
        m.options.host.user, site.message.c_str(), site.file.c_str(), site.line, m.pid, site.kind,
        site.shape.data(), static_cast<int>(site.shape.size()), failure.element, failure.value);
    m.stopped = true;
  });
}
} // namespace

bool buildDebug(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](tt::PrintOp op) { return buildPrint(b, op), true; })
      .Case([&](tt::AssertOp op) { return buildAssert(b, op), true; })
      .Case([&](tt::AssumeOp) { return true; })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
