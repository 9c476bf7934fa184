//===- IRGenElements.cpp - elements of tiles by their places --------------===//
//
//   x[3, :]           the elements at place 3 of the first axis, which disappears
//   x[0:8:2]          places that are known
//   x[rows, :]        places that a tile of integers holds
//   x[i] = e;         the variable's value from here on is a tile with other elements
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "tritium/Frontend/Sema/Indexing.h"

#include "llvm/ADT/STLExtras.h"

namespace tritium::frontend::tritonc {
using namespace tritium::sema;

bool Generator::namesElements(const Subscript &expr) {
  return llvm::any_of(expr.items, [](const SubscriptItem &item) {
    return item.kind == SubscriptItem::Element || item.kind == SubscriptItem::Slice;
  });
}

std::optional<std::vector<sema::Value>> Generator::elementIndices(const Subscript &expr,
                                                                  const Tensor &tile) {
  std::vector<sema::Value> indices;
  size_t named = 0, rank = tile.shape().size();
  auto part = [&](const ExprPtr &from, std::shared_ptr<const sema::Value> &to) {
    auto known = from ? constantExpression(*from, "a bound of a slice") : std::nullopt;
    if (known)
      to = std::make_shared<const sema::Value>(makeInt(*known));
    return !from || known;
  };
  for (const SubscriptItem &item : expr.items) {
    named += item.kind != SubscriptItem::NewAxis;
    if (item.kind == SubscriptItem::NewAxis) {
      indices.emplace_back();
    } else if (item.kind == SubscriptItem::Keep || item.kind == SubscriptItem::Slice) {
      Slice slice;
      if (!part(item.element, slice.begin) || !part(item.end, slice.end) ||
          !part(item.step, slice.step))
        return std::nullopt;
      indices.emplace_back(std::move(slice));
    } else if (item.kind == SubscriptItem::Element) {
      auto place = expression(*item.element);
      if (!place)
        return std::nullopt;
      auto known = place->isScalar() ? conversions.knownInt(*place) : std::nullopt;
      indices.push_back(known ? makeInt(*known) : sema::Value(*place));
    } else {
      return error(item.range, "an axis cannot be reduced or moved where elements are chosen or "
                               "assigned to; write two subscripts, x[...][...]");
    }
  }
  sema.setRange(expr.range);
  if (named < rank)
    return sema.error("too few subscripts: " + describe(tile) + " has " + std::to_string(rank) +
                      (rank == 1 ? " axis" : " axes") + ", found " + std::to_string(named) +
                      "; ':' keeps an axis");
  return indices;
}

Generator::Value Generator::assignElements(const Assign &expr, const Subscript &target) {
  auto *variable = llvm::dyn_cast<Name>(target.base.get());
  auto local = variable ? find(variable->id) : std::nullopt;
  if (!local)
    return error(target.range, "only the elements of a variable can be assigned to");
  if (!allowsAssignment(*local, target.range))
    return std::nullopt;
  Tensor tile = get(*local);
  sema.setRange(target.range);
  if (tile.isScalar())
    return sema.error("only tiles have elements to assign to, found " + describe(tile) +
                      (tile.dtype.isPointer() ? "; to access memory write *(p + i)" : ""));
  auto indices = elementIndices(target, tile);
  if (!indices)
    return std::nullopt;
  auto value = assignedValue(expr, [&]() -> Value {
    sema.setRange(target.range);
    auto old = readElements(sema, tile, *indices);
    return old ? Value(old->get<Tensor>()) : std::nullopt;
  });
  sema.setRange(expr.range);
  auto converted =
      value ? conversions.assignElements(*value, tile.dtype, "assign to elements") : std::nullopt;
  // The value's expression may assign to the variable as well.
  auto result = converted ? writeElements(sema, get(*local), *indices, *converted) : std::nullopt;
  if (!result)
    return std::nullopt;
  set(*local, result->get<Tensor>().value);
  checkPromises(locals[*local]);
  return converted;
}

} // namespace tritium::frontend::tritonc
