//===- TileNVGPUOps.cpp - operations of the ttng dialect ------------------===//

#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tritium;
using namespace tritium::ttng;

#define GET_OP_CLASSES
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPUOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Barriers in memory
//===----------------------------------------------------------------------===//

static LogicalResult verifyBarrier(Operation *op, StringRef constraint, ttg::MemDescType type) {
  if (type.getElementType().isInteger(64) && type.getShape() == ArrayRef<int64_t>{1} &&
      type.getIsMutable())
    return success();
  return op->emitOpError() << "(" << constraint
                           << ") a barrier is mutable memory of one i64, found " << type;
}

static LogicalResult verifyNumber(Operation *op, StringRef constraint, StringRef what,
                                  int32_t number, int32_t most) {
  if (number >= 1 && number <= most)
    return success();
  return op->emitOpError() << "(" << constraint << ") the " << what << " must be 1 to " << most
                           << ", found " << number;
}

/// Arrivals that a barrier can count, and bytes.
constexpr int32_t kMostCounted = (1 << 20) - 1;

LogicalResult MBarrierInitOp::verify() {
  if (failed(verifyBarrier(*this, "mbarrier_c1", getBarrier().getType())))
    return failure();
  return verifyNumber(*this, "mbarrier_init_c2", "count", getCount(), kMostCounted);
}

LogicalResult MBarrierInvalidateOp::verify() {
  return verifyBarrier(*this, "mbarrier_c1", getBarrier().getType());
}

LogicalResult MBarrierExpectOp::verify() {
  if (failed(verifyBarrier(*this, "mbarrier_c1", getBarrier().getType())))
    return failure();
  return verifyNumber(*this, "mbarrier_expect_c2", "number of bytes", getBytes(), kMostCounted);
}

LogicalResult MBarrierArriveOp::verify() {
  if (failed(verifyBarrier(*this, "mbarrier_c1", getBarrier().getType())))
    return failure();
  return verifyNumber(*this, "mbarrier_arrive_c2", "count", getCount(), kMostCounted);
}

/// The region of the warp group that runs `op`; null if the program does.
static Region *groupOf(Operation *op) {
  for (Region *region = op->getParentRegion(); region; region = region->getParentRegion())
    if (isa<ttg::WarpGroupsOp>(region->getParentOp()))
      return region;
  return nullptr;
}

/// Phase 0 of a barrier goes on until somebody has arrived. That all who do are the waiting group
/// itself, behind the wait, is known where all uses of the barrier are; that it comes to the wait,
/// where no branch or loop is around.
LogicalResult MBarrierWaitOp::verify() {
  if (failed(verifyBarrier(*this, "mbarrier_c1", getBarrier().getType())))
    return failure();
  if (!isa<ttg::WarpGroupsOp, tt::FuncOp>((*this)->getParentOp()) ||
      !matchPattern(getParity(), m_Zero()) || !getBarrier().getDefiningOp<ttg::LocalAllocOp>())
    return success();
  Operation *late = nullptr;
  for (Operation *user : getBarrier().getUsers()) {
    if (isa<MBarrierInitOp, MBarrierInvalidateOp, MBarrierWaitOp>(user))
      continue;
    Operation *here = (*this)->getBlock()->findAncestorOpInBlock(*user);
    bool isBehind = here && (*this)->isBeforeInBlock(here) && groupOf(user) == groupOf(*this);
    if (!isa<MBarrierArriveOp, MBarrierExpectOp, TMALoadOp>(user) || !isBehind)
      return success();
    late = user;
  }
  InFlightDiagnostic error = emitOpError()
                             << "(mbarrier_wait_c2) somebody must arrive before the wait is over, "
                             << (late ? "and only who waits does, later" : "and nobody does");
  if (late)
    error.attachNote(late->getLoc()) << "here";
  return error;
}

//===----------------------------------------------------------------------===//
// Copies of boxes
//===----------------------------------------------------------------------===//

/// A box of a tensor that becomes `type`, a tile of `rank` dimensions.
template <typename Op>
static LogicalResult verifyTensor(Op op, Type type, Type element, size_t rank) {
  constexpr size_t mostDimensions = 5;
  size_t all = op.getOffsets().size();
  if (rank < 1 || all < rank || all > mostDimensions || op.getShape().size() != all ||
      op.getStrides().size() != all)
    return op.emitOpError() << "(tma_c1) shape, strides and offsets must have one number for each "
                               "of 1 to 5 dimensions, the last of which are the tile's, found "
                            << op.getShape().size() << ", " << op.getStrides().size() << " and "
                            << all << " for " << type;
  if (cast<tt::PointerType>(op.getBase().getType()).getPointeeType() != element)
    return op.emitOpError() << "(tma_c2) the pointee must be the tile's element, found "
                            << op.getBase().getType() << " and " << type;
  return success();
}

template <typename Op> static LogicalResult verifyLastStride(Op op) {
  if (matchPattern(op.getStrides().back(), m_One()))
    return success();
  return op.emitOpError() << "(tma_c6) neighbours in a row must be neighbours in memory: the last "
                             "stride must be the constant 1";
}

/// The box of a tensor that `memory` holds.
template <typename Op> static LogicalResult verifyBox(Op op, ttg::MemDescType memory) {
  constexpr int64_t mostExtent = 256, rowBytes = 16;
  size_t rank = memory.getNumBuffers() == 1 ? memory.getShape().size() : 0;
  if (failed(verifyTensor(op, memory, memory.getElementType(), rank)))
    return failure();
  bool fits = llvm::all_of(memory.getShape(), [](int64_t n) { return n <= mostExtent; });
  if (!fits || memory.getShape().back() * tt::scalarBytes(memory.getElementType()) % rowBytes)
    return op.emitOpError() << "(tma_c3) extents of a box must be at most 256, and its rows "
                               "multiples of 16 bytes, found "
                            << memory;
  if (!boxesOf(memory))
    return op.emitOpError()
           << "(tma_c5) the tile must lie in rows, or in panels of rows of 128, 64 "
              "or 32 bytes whose chunks of 16 bytes are exchanged as TMA does, "
              "found "
           << memory;
  return verifyLastStride(op);
}

/// What is rounded to tf32 is f32.
static LogicalResult verifyRounded(Operation *op, StringRef constraint, bool isRounded,
                                   Type element) {
  if (!isRounded || element.isF32())
    return success();
  return op->emitOpError() << "(" << constraint
                           << ") elements that are rounded to tf32 must be f32, found " << element;
}

LogicalResult RoundToTF32Op::verify() {
  return verifyRounded(*this, "round_to_tf32_c1", true, tt::elementType(getType()));
}

LogicalResult LoadBoxOp::verify() {
  if (failed(verifyRounded(*this, "tma_c8", getRoundsToTF32(), tt::elementType(getType()))))
    return failure();
  if (failed(verifyTensor(*this, getType(), tt::elementType(getType()),
                          tt::shapeOf(getType()).size())))
    return failure();
  return verifyLastStride(*this);
}

LogicalResult TMALoadOp::verify() {
  if (!getDst().getType().getIsMutable())
    return emitOpError() << "(tma_c4) the destination must be mutable, found "
                         << getDst().getType();
  if (failed(verifyBarrier(*this, "tma_c4", getBarrier().getType())))
    return failure();
  if (failed(
          verifyRounded(*this, "tma_c8", getRoundsToTF32(), getDst().getType().getElementType())))
    return failure();
  return verifyBox(*this, getDst().getType());
}

LogicalResult TMAStoreOp::verify() {
  ttg::MemDescType memory = getSrc().getType();
  if (getByWarp() && !rowsOfWarp(memory, ttg::numWarps(*this)))
    return emitOpError() << "(tma_c9) each of " << ttg::numWarps(*this)
                         << " warps must have a multiple of 8 rows of a tile of two dimensions, "
                            "found "
                         << memory;
  return verifyBox(*this, memory);
}

//===----------------------------------------------------------------------===//
// Dots of a warp group
//===----------------------------------------------------------------------===//

/// Extents and elements of an operand, wherever it is.
static std::pair<ArrayRef<int64_t>, Type> operandOf(Type type) {
  if (auto memory = dyn_cast<ttg::MemDescType>(type))
    return {memory.getShape(), memory.getElementType()};
  return {tt::shapeOf(type), tt::elementType(type)};
}

LogicalResult WarpGroupDotOp::verify() {
  auto [a, elementOfA] = operandOf(getA().getType());
  auto [b, elementOfB] = operandOf(getB().getType());
  auto [c, elementOfC] = operandOf(getType());
  if (a.size() != 2 || b.size() != 2 || c.size() != 2 || a[1] != b[0] || a[0] != c[0] ||
      b[1] != c[1])
    return emitOpError() << "(warp_group_dot_c1) operands must be MxK, KxN and MxN, found "
                         << getA().getType() << ", " << getB().getType() << " and " << getType();
  unsigned width = elementOfA.getIntOrFloatBitWidth();
  bool areFloats = isa<FloatType>(elementOfA) && isa<FloatType>(elementOfB) && width <= 32 &&
                   elementOfB.getIntOrFloatBitWidth() == width &&
                   (width == 8 || elementOfA == elementOfB);
  bool areBytes = elementOfA.isInteger(8) && elementOfB.isInteger(8);
  bool fits = areFloats
                  ? elementOfC.isF32() || (elementOfC.isF16() && (elementOfA.isF16() || width == 8))
                  : areBytes && elementOfC.isInteger(32);
  if (!fits)
    return emitOpError() << "(warp_group_dot_c2) elements must be floats of one width up to 32 "
                            "bits that give f32, f16 and f8 that give f16, or i8 that give i32, "
                            "found "
                         << elementOfA << ", " << elementOfB << " and " << elementOfC;
  int64_t stepK = 256 / width;
  if (a[0] % 64 || b[1] % 8 || a[1] % stepK)
    return emitOpError() << "(warp_group_dot_c3) M must be a multiple of 64, N of 8 and K of "
                         << stepK << ", found " << a[0] << ", " << b[1] << " and " << a[1];
  if (int warps = ttg::numWarps(*this); warps % 4)
    return emitOpError() << "(warp_group_dot_c4) a multiple of 4 warps must run it, found "
                         << warps;
  if ((getMostImprecise() && !(areFloats && width == 8)) || (getIsUnsigned() && !areBytes))
    return emitOpError()
           << "(warp_group_dot_c5) mostImprecise is of f8 and isUnsigned of i8, found "
           << elementOfA;
  return success();
}

SmallVector<Value, 2> WarpGroupDotOp::getAsyncReads() {
  SmallVector<Value, 2> result;
  for (Value operand : {getA(), Value(getB())})
    if (isa<ttg::MemDescType>(operand.getType()))
      result.push_back(operand);
  return result;
}

LogicalResult WarpGroupDotWaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                   ValueRange operands, DictionaryAttr,
                                                   OpaqueProperties, RegionRange,
                                                   SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

static LogicalResult verifyWholeCTA(Operation *op) {
  if (!op->getParentOfType<ttg::WarpGroupsOp>())
    return success();
  return op->emitOpError() << "(cluster_c1) it must stand outside of warp groups";
}
LogicalResult ClusterArriveOp::verify() { return verifyWholeCTA(*this); }
LogicalResult ClusterWaitOp::verify() { return verifyWholeCTA(*this); }

/// The number of CTAs, and behind it the extents of the source.
static bool hasShapeOfAll(Operation *op, ArrayRef<int64_t> shape, Type source) {
  return !shape.empty() && shape.front() == ttg::numCTAs(op) &&
         shape.drop_front() == tt::shapeOf(source);
}

LogicalResult ClusterGatherOp::verify() {
  RankedTensorType type = getResult().getType();
  if (type.getElementType() != tt::elementType(getSrc().getType()) ||
      !hasShapeOfAll(*this, type.getShape(), getSrc().getType()))
    return emitOpError() << "(cluster_gather_c2) the result must have the element type of the "
                            "source and one slice for each of the "
                         << ttg::numCTAs(*this) << " CTAs of a program (" << ttg::kNumCTAs
                         << "), found " << type << " of " << getSrc().getType();
  return verifyWholeCTA(*this);
}

LogicalResult ClusterStoreOp::verify() {
  ttg::MemDescType type = getDst().getType();
  auto shared = dyn_cast<ttg::SharedEncodingAttr>(type.getEncoding());
  int32_t rank = type.getShape().size();
  bool isRowMajor = shared && shared.getMaxPhase() == 1 && type.getNumBuffers() == 1;
  for (int32_t d = 0; isRowMajor && d < rank; ++d)
    isRowMajor = shared.getOrder()[d] == rank - 1 - d;
  if (!isRowMajor || !type.getIsMutable() ||
      type.getElementType() != tt::elementType(getSrc().getType()) ||
      !hasShapeOfAll(*this, type.getShape(), getSrc().getType()))
    return emitOpError()
           << "(cluster_store_c2) the memory must be mutable, row-major, and have the "
              "element type of the source and one slice for each of the "
           << ttg::numCTAs(*this) << " CTAs of a program (" << ttg::kNumCTAs << "), found " << type
           << " for " << getSrc().getType();
  return verifyWholeCTA(*this);
}
