//===- Clusters.h - what CTAs of a cluster store to each other --*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILENVGPU_IR_CLUSTERS_H
#define TRITIUM_DIALECT_TILENVGPU_IR_CLUSTERS_H

#include "tritium/Dialect/Tile/IR/Tile.h"

namespace tritium::ttng {

/// Fails, with a message, unless what CTAs store to each other's shared memory is in order:
///
/// - the CTAs have met at the cluster's barrier before, so that all have begun;
/// - what is stored is read behind the barrier of the cluster, at which all arrive after they have
///   stored, and which is not relaxed. So no CTA ends while others store to its memory, either;
/// - memory that CTAs store to is theirs: each allocation has one such store, in no loop, and
/// nothing
///   else writes there.
///
/// That all CTAs of a cluster take the same branch is for who wrote it to see to.
mlir::LogicalResult checkClusters(tt::FuncOp kernel);

} // namespace tritium::ttng

#endif // TRITIUM_DIALECT_TILENVGPU_IR_CLUSTERS_H
