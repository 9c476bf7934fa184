//===- Fields.h - reading documents and writing columns ---------*- C++ -*-===//
//
// Documents may be files of any age and from anywhere: a field that is absent or of another type is
// as good as none.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_EXPLAIN_FIELDS_H
#define TRITIUM_LIB_EXPLAIN_FIELDS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace tritium::explain {

inline constexpr size_t kColumns = 80;

int64_t integer(const llvm::json::Object &object, llvm::StringRef name);

/// Of a number with a grade.
std::optional<double> graded(const llvm::json::Object &object, llvm::StringRef name);

/// The objects of the list `name`.
llvm::SmallVector<const llvm::json::Object *> objects(const llvm::json::Object &object,
                                                      llvm::StringRef name);

/// The members of the document's list `list` that the numbers of `object`'s `name` are of.
llvm::SmallVector<const llvm::json::Object *> referred(const llvm::json::Object &object,
                                                       llvm::StringRef name,
                                                       const llvm::json::Object &document,
                                                       llvm::StringRef list);

/// `text` in lines that begin `indent` to the right.
void wrap(llvm::raw_ostream &out, llvm::StringRef text, size_t indent);

/// A number without digits that say nothing.
std::string decimal(double value);

} // namespace tritium::explain

#endif // TRITIUM_LIB_EXPLAIN_FIELDS_H
