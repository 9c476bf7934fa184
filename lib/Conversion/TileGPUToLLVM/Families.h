//===- Families.h - operations that are lowered alike ----------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_FAMILIES_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_FAMILIES_H

#include "LoweringContext.h"

namespace tritium::ttg {

struct DotWork;
struct TensorMaps;

void populateElementwisePatterns(LoweringPatterns &patterns, const LoweringContext &context);
void populateElementsPatterns(LoweringPatterns &patterns, const LoweringContext &context);
void populateShapePatterns(LoweringPatterns &patterns, const LoweringContext &context);
void populateConvertLayoutPatterns(LoweringPatterns &patterns, const LoweringContext &context);
void populateMemoryPatterns(LoweringPatterns &patterns, const LoweringContext &context);
void populateAtomicPatterns(LoweringPatterns &patterns, const LoweringContext &context);
void populateReducePatterns(LoweringPatterns &patterns, const LoweringContext &context);
void populateScanPatterns(LoweringPatterns &patterns, const LoweringContext &context);
void populateSkipMaskedPatterns(LoweringPatterns &patterns, const LoweringContext &context);
void populateControlFlowPatterns(LoweringPatterns &patterns, const LoweringContext &context);
/// Of both `work` is what starts among the products of dots.
void populateLocalMemoryPatterns(LoweringPatterns &patterns, const LoweringContext &context,
                                 std::shared_ptr<DotWork> work);
void populateDotPatterns(LoweringPatterns &patterns, const LoweringContext &context,
                         std::shared_ptr<DotWork> work);
void populateWarpGroupDotPatterns(LoweringPatterns &patterns, const LoweringContext &context);
void populateMBarrierPatterns(LoweringPatterns &patterns, const LoweringContext &context);
void populateClusterPatterns(LoweringPatterns &patterns, const LoweringContext &context);
/// The last parameters of the entry are `maps`.
void populateTensorCopyPatterns(LoweringPatterns &patterns, const LoweringContext &context,
                                TensorMaps maps);
/// `populate`: the patterns of a group.
void populateWarpGroupsPatterns(LoweringPatterns &patterns, const LoweringContext &context,
                                const PopulatePatterns &populate);
/// The assertions that the code reports by number are added to `asserts`.
void populateDebugPatterns(LoweringPatterns &patterns, const LoweringContext &context,
                           std::vector<AssertSite> &asserts);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_FAMILIES_H
