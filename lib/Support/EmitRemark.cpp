//===- EmitRemark.cpp - remarks of passes ---------------------------------===//

#include "tritium/Support/EmitRemark.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tritium {

static void emit(Location loc, StringRef pass, StringRef kind, const Twine &message,
                 RemarkArguments arguments) {
  Builder b(loc.getContext());
  SmallVector<NamedAttribute> values;
  for (const auto &[name, value] : arguments)
    values.push_back(b.getNamedAttr(name, b.getStringAttr(value)));
  auto all = b.getDictionaryAttr({b.getNamedAttr("pass", b.getStringAttr(pass)),
                                  b.getNamedAttr("kind", b.getStringAttr(kind)),
                                  b.getNamedAttr("message", b.getStringAttr(message)),
                                  b.getNamedAttr("arguments", b.getDictionaryAttr(values))});
  Location tagged = FusedLoc::get(loc.getContext(), {loc}, all);
  emitRemark(tagged) << pass << " (" << kind << "): " << message;
}

void remarkMissed(Location loc, StringRef pass, const Twine &message, RemarkArguments arguments) {
  emit(loc, pass, "missed", message, arguments);
}

void remarkApplied(Location loc, StringRef pass, const Twine &message, RemarkArguments arguments) {
  emit(loc, pass, "applied", message, arguments);
}

FileLineColLoc authorsPlace(Location loc) {
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return authorsPlace(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(loc))
    return authorsPlace(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (FileLineColLoc place = authorsPlace(part))
        return place;
  return dyn_cast<FileLineColLoc>(loc);
}

std::string placeText(Location loc) {
  FileLineColLoc place = authorsPlace(loc);
  if (!place)
    return "";
  return (llvm::sys::path::filename(place.getFilename().strref()) + ":" + Twine(place.getLine()) +
          ":" + Twine(place.getColumn()))
      .str();
}

std::optional<Remark> readRemark(Diagnostic &diagnostic) {
  auto tagged = dyn_cast<FusedLoc>(diagnostic.getLocation());
  if (diagnostic.getSeverity() != DiagnosticSeverity::Remark || !tagged)
    return std::nullopt;
  auto all = dyn_cast_or_null<DictionaryAttr>(tagged.getMetadata());
  if (!all)
    return std::nullopt;
  auto text = [&](StringRef name) { return all.getAs<StringAttr>(name).str(); };
  Remark remark;
  remark.pass = text("pass");
  remark.kind = text("kind");
  remark.message = text("message");
  for (NamedAttribute value : all.getAs<DictionaryAttr>("arguments"))
    remark.arguments[value.getName().str()] = cast<StringAttr>(value.getValue()).str();
  if (FileLineColLoc place = authorsPlace(diagnostic.getLocation())) {
    remark.file = place.getFilename().str();
    remark.line = static_cast<int>(place.getLine());
    remark.column = static_cast<int>(place.getColumn());
  }
  return remark;
}

} // namespace tritium
