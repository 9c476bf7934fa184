//===- Remarks.h - what keeps a kernel from its speed ----------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_REMARKS_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_REMARKS_H

#include "tritium/Analysis/AxisInfo.h"

namespace tritium::ttg {

/// Says it at the lines of the kernel, whose decisions have been made.
void remarkOnKernel(tt::FuncOp kernel, const AxisInfoAnalysis &axes);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_REMARKS_H
