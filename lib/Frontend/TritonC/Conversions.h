//===- Conversions.h - C's conversions, and broadcasting --------*- C++ -*-===//
//
// What Triton-C adds to Sema: the ranks and signs of C's arithmetic conversions, the
// conversions of an assignment, the shapes that operators agree on. Operations on known
// operands fold as they are built, so that a constant expression is a constant.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_CONVERSIONS_H
#define TRITIUM_LIB_FRONTEND_TRITONC_CONVERSIONS_H

#include "tritium/Frontend/Sema/Sema.h"
#include "tritium/Frontend/TritonC/AST.h"

namespace tritium::frontend::tritonc {

using sema::Tensor;
using sema::TensorPair;
using Shape = llvm::ArrayRef<int64_t>;

Type typeOf(const Tensor &value);
/// "float[16, 32]", "int*".
std::string describe(const Tensor &value);

bool isArithmetic(DType type);
/// bool, char and short become int.
DType promoted(DType type);
/// The type in which C combines two arithmetic types.
DType commonType(DType a, DType b);

class Conversions {
public:
  explicit Conversions(sema::Sema &sema) : sema(sema) {}

  /// The value, with the operation that computes it replaced by its result if that is
  /// known.
  Tensor fold(const Tensor &value);
  std::optional<Constant::Int> knownInt(const Tensor &value);

  Tensor constant(Constant value, DType dtype, Shape shape = {});
  /// Zero, or a null pointer.
  Tensor zero(const Type &type);

  /// Arithmetic to arithmetic.
  Tensor convert(const Tensor &value, DType dtype);
  /// As an assignment to a variable or to memory of type `to` converts; pointers convert
  /// to pointers of the same kind. `what` names the place: "initialise 'x'".
  std::optional<Tensor> assign(const Tensor &value, const Type &to, std::string_view what);
  /// As assign, element by element.
  std::optional<Tensor> assignElements(const Tensor &value, DType to, std::string_view what);
  /// `(to)value`.
  std::optional<Tensor> cast(const Tensor &value, const Type &to);
  std::optional<Tensor> bitcast(const Tensor &value, const Type &to);
  /// `value != 0`, element by element.
  std::optional<Tensor> truth(const Tensor &value);

  /// The shape that both broadcast to; an error names the dimension.
  std::optional<llvm::SmallVector<int64_t>> commonShape(Shape a, Shape b);
  Tensor splat(const Tensor &value, Shape shape); ///< broadcasts, which must be possible
  std::optional<TensorPair> broadcast(const Tensor &a, const Tensor &b);
  /// Usual arithmetic conversions, and one shape.
  std::optional<TensorPair> usual(const Tensor &a, const Tensor &b, std::string_view op);
  /// Integer promotion.
  Tensor promote(const Tensor &value);
  /// One type for the results of `?:`, select and comparisons of pointers.
  std::optional<TensorPair> composite(const Tensor &a, const Tensor &b, std::string_view what);

private:
  std::optional<Tensor> castElements(const Tensor &value, DType to);
  std::optional<Tensor> reshapeTo(const Tensor &value, Shape shape, std::string_view what);

  sema::Sema &sema;
};

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_CONVERSIONS_H
