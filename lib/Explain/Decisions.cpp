//===- Decisions.cpp - what a stage decided, as data ----------------------===//

#include "Decisions.h"

namespace json = llvm::json;

namespace tritium::explain {

namespace {
/// Lists of one stage.
class Lists {
public:
  Lists(const Stage &stage, int64_t base) : stage(stage), base(base) {}

  json::Object run() const {
    return json::Object{{"layouts", layouts()},   {"conversions", conversions()},
                        {"groups", groups()},     {"buffers", buffers()},
                        {"barriers", barriers()}, {"schedule", schedule()}};
  }

private:
  int64_t id(size_t number) const { return base + static_cast<int64_t>(number); }
  json::Array layouts() const;
  json::Array conversions() const;
  json::Array groups() const;
  json::Array buffers() const;
  json::Array barriers() const;
  json::Array schedule() const;

  const Stage &stage;
  int64_t base;
};

json::Array Lists::layouts() const {
  json::Array made;
  for (const Layout &layout : stage.layouts) {
    json::Object bases;
    for (const auto &[input, places] : layout.bases) {
      json::Array list;
      for (const std::vector<int64_t> &place : places)
        list.push_back(json::Array(place));
      bases[input] = std::move(list);
    }
    made.push_back(json::Object{{"attribute", layout.attribute},
                                {"shape", json::Array(layout.shape)},
                                {"repeats", json::Array(layout.repeats)},
                                {"bases", std::move(bases)}});
  }
  return made;
}

json::Array Lists::conversions() const {
  json::Array made;
  for (const Conversion &conversion : stage.conversions) {
    json::Object each{{"op", id(conversion.operation)}, {"way", conversion.way}};
    for (auto [name, layout] : {std::pair("from", conversion.from), {"to", conversion.to}})
      if (layout >= 0)
        each[name] = layout;
    if (conversion.bytes)
      each["bytes"] = conversion.bytes;
    json::Array readers;
    for (size_t reader : conversion.readers)
      readers.push_back(id(reader));
    if (!readers.empty())
      each["readers"] = std::move(readers);
    made.push_back(std::move(each));
  }
  return made;
}

json::Array Lists::groups() const {
  json::Array made;
  for (const WarpGroup &group : stage.groups)
    made.push_back(json::Object{{"op", id(group.operation)},
                                {"name", json::fixUTF8(group.name)},
                                {"warps", group.warps},
                                {"registers", group.registers},
                                {"first", id(group.first)},
                                {"last", id(group.last)}});
  return made;
}

json::Array Lists::buffers() const {
  json::Array made;
  for (const Buffer &buffer : stage.buffers)
    made.push_back(json::Object{{"op", id(buffer.operation)},
                                {"offset", buffer.offset},
                                {"bytes", buffer.bytes},
                                {"count", buffer.count},
                                {"type", buffer.type},
                                {"first", id(buffer.first)},
                                {"last", id(buffer.last)}});
  return made;
}

json::Array Lists::barriers() const {
  json::Array made;
  for (const Barrier &barrier : stage.barriers) {
    json::Object each{{"op", id(barrier.operation)}, {"kind", barrier.kind}};
    if (!barrier.hazard.empty())
      each["hazard"] = barrier.hazard;
    made.push_back(std::move(each));
  }
  return made;
}

json::Array Lists::schedule() const {
  json::Array made;
  for (const Ahead &ahead : stage.ahead)
    made.push_back(json::Object{{"op", id(ahead.operation)}, {"ahead", ahead.iterations}});
  return made;
}
} // namespace

json::Object decisionsOf(const Stage &stage, int64_t base) { return Lists(stage, base).run(); }

} // namespace tritium::explain
