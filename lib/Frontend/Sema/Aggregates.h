//===- Aggregates.h - classes with @triton.aggregate ------------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_SEMA_AGGREGATES_H
#define TRITIUM_LIB_FRONTEND_SEMA_AGGREGATES_H

#include "tritium/Frontend/Sema/Sema.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tritium::sema {

/// What the host says of a class; null if it is no aggregate.
std::shared_ptr<const AggregateClass> aggregateClass(Sema &sema, const Value &object);

/// Calls the class: what its __init__ makes, or what has the values as its fields.
Result construct(Sema &sema, const std::shared_ptr<const AggregateClass> &type,
                 const Arguments &arguments);

/// `aggregate` with `value` in the field `name`. Errors: no such field, a value that it cannot
/// hold.
Result withField(Sema &sema, const Tuple &aggregate, std::string_view name, const Value &value);

/// A method, or another attribute of its class.
std::optional<Value> aggregateAttribute(Sema &sema, const Value &aggregate, std::string_view name);

/// aggregate.method(arguments...); an error says that `what` is not defined.
Result callOperator(Sema &sema, const Value &aggregate, std::string_view method,
                    const Arguments &arguments, const std::string &what);
inline Result callOperator(Sema &sema, const Value &aggregate, std::string_view method,
                           std::vector<Value> arguments, const std::string &what) {
  return callOperator(sema, aggregate, method, Arguments{std::move(arguments), {}}, what);
}
/// `lhs op rhs`, where either is an aggregate.
Result combineAggregates(Sema &sema, BinaryOp op, const Value &lhs, const Value &rhs);
Result compareAggregates(Sema &sema, CompareOp op, const Value &lhs, const Value &rhs);

/// isinstance(value, type), where `type` is a class of aggregates.
std::optional<bool> isOfAggregate(Sema &sema, const Value &value, const Value &type);

/// Makes elements of the values that a call gives for the fields `result.names`; false after an
/// error. Without a default of its own, a field must be given.
bool bindFields(Sema &sema, const Value &type, const Arguments &arguments, Tuple &result,
                llvm::function_ref<Result(const std::string &)> defaultOf);

} // namespace tritium::sema

#endif // TRITIUM_LIB_FRONTEND_SEMA_AGGREGATES_H
