//===- Passes.td - transformations of the ttg dialect ----------*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_TRANSFORMS_PASSES_TD
#define TRITIUM_TILEGPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileToTileGPU : Pass<"convert-tt-to-ttg", "::mlir::ModuleOp"> {
  let summary = "gives every tile a layout";
  let description = [{
    Every tile of a kernel gets the plain blocked layout of its shape for `num-warps`
    warps, the operands of a dot a `dot_op` layout; conversions stand where an operation
    needs another one. The module says for which GPU it is (`ttg.target`) and for how many warps.
  }];
  let options = [Option<"warps", "num-warps", "int", "4",
                        "Warps of a program, if the module does not say">,
                 Option<"capability", "compute-capability", "unsigned", "80",
                        "What the module is for: 80 for sm_80">,
                 Option<"isSpecific", "architecture-specific", "bool", "false",
                        "Code may use what newer architectures do not have">];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def LaunchConditions : Pass<"ttg-launch-conditions", "::mlir::ModuleOp"> {
  let summary = "what launches look at so that accesses are wide";
  let description = [{
    A division by a scalar tells the sign of its result only if the divisor is known to be
    positive. Where that is all that keeps loads and stores narrow, and arguments and grid
    decide it, the kernel relies on it (`tt.positive`), and its launches look: the function's
    `tt.conditions` say at what.
  }];
}

def PackPrograms : Pass<"ttg-pack-programs", "::mlir::ModuleOp"> {
  let summary = "several short programs in one CTA";
  let description = [{
    A kernel that reduces or scans one short row, and whose programs depend on nothing that others
    do, gets one warp a program (`ttg.num-warps`) and several programs a CTA
    (`ttg.programs_per_cta`).
  }];
}

def SpreadPrograms : Pass<"ttg-spread-programs", "::mlir::ModuleOp"> {
  let summary = "programs of long rows as clusters of CTAs";
  let description = [{
    A kernel whose program reduces a row that would fill most of a multiprocessor runs as a cluster
    of CTAs for each program (`ttg.num-ctas`), which have a slice of the row each and exchange what
    their reductions find. For compute capability 9.0 and newer.
  }];
  let options = [Option<"warps", "num-warps", "int", "4", "Warps of a program, as asked for">,
                 Option<"ctas", "num-ctas", "int", "0",
                        "CTAs of a program, as asked for; 0: as many as its rows need">,
                 Option<"persistent", "persistent", "bool", "false",
                        "CTAs loop over programs in any case">,
                 Option<"mayAlias", "may-alias", "bool", "false",
                        "Pointer arguments may reach the same memory">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tritium::tt::TileDialect",
                           "::tritium::ttng::TileNVGPUDialect"];
}

def VersionTails : Pass<"ttg-version-tails", "::mlir::ModuleOp"> {
  let summary = "a second version of a kernel for pitches that allow vectors";
  let description = [{
    Where the unknown alignment of integer arguments, pitches of rows, is all that keeps
    loads and stores narrow, the kernel asks at run time, and moves 16 bytes a lane if they
    are multiples. The bound of a mask costs no width and is not asked about.
    Kernels with dots or assumptions are left alone.
  }];
  let options = [Option<"warps", "num-warps", "int", "4",
                        "Warps of a program, if the module does not say">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tritium::tt::TileDialect"];
}

def Coalesce : Pass<"ttg-coalesce", "::mlir::ModuleOp"> {
  let summary = "lets neighbouring lanes access neighbouring addresses";
  let description = [{
    Gives loads, stores and atomics of tiles a blocked layout whose fastest dimension is
    the one along which addresses are contiguous, with up to 16 bytes a lane as far as
    alignment allows. Under a mask that is a bound, vectors that lie wholly inside move
    whole, the one across it element by element.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def AccelerateMatmul : Pass<"ttg-accelerate-matmul", "::mlir::ModuleOp"> {
  let summary = "dots to tensor cores";
  let description = [{
    Dots whose element types, precision and extents an instruction of the architecture has
    (wgmma, or else mma.sync) get its layouts; all others a blocked one with square blocks a lane.
    8-bit floats without an instruction become f16.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def ScheduleLoops : Pass<"ttg-schedule-loops", "::mlir::ModuleOp"> {
  let summary = "which loads of a loop run ahead, and by how many iterations";
  let description = [{
    In loops with a dot, and in those that ask for it, loads are to become asynchronous copies
    into a ring of buffers in shared memory, `num-stages` - 1 iterations ahead, also ahead of
    stores to other arguments (`tt.overtakes`). Attributes say so (`ttg.stages`, `ttg.schedule`,
    `ttg.async_copy`); operations stay as they are.
  }];
  let options = [Option<"stages", "num-stages", "int", "3", "Buffers of a loop">,
                 Option<"mostStages", "most-stages", "int", "0",
                        "No loop gets more, whatever it asks for, since the program's shared "
                        "memory does not suffice for them; 0: no such bound">,
                 Option<"mayAlias", "may-alias", "bool", "false",
                        "Pointer arguments may reach the same memory">];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def SpecializeWarps : Pass<"ttg-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "a warp of its own starts the copies of loops";
  let description = [{
    Where all copies of a pipelined loop are boxes (`ttng.load_box`), a group of one warp starts
    them, and the program's warps are a group that computes (`ttg.warp_groups`). Barriers in memory
    say when buffers are full, and when they are free. Such a loop has no schedule then.
  }];
  let options = [Option<"mode", "mode", "std::string", "\"auto\"",
                        "never; auto: where it is asked for (tt.warp_specialize) or pays; always, "
                        "where it can be">];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def PersistPrograms : Pass<"ttg-persist-programs", "::mlir::ModuleOp"> {
  let summary = "kernels whose CTAs loop over the programs of the grid";
  let description = [{
    Those whose programs depend on nothing that others do, where it makes them faster: copies by TMA
    for the next program start before this one is stored.
  }];
  let options = [Option<"always", "always", "bool", "false",
                        "Wherever it is right, also where nothing is gained">,
                 Option<"specialize", "specialize", "std::string", "\"auto\"",
                        "The mode of ttg-specialize-warps">,
                 Option<"takePrograms", "take-programs", "std::string", "\"auto\"",
                        "CTAs take programs from a counter: never, auto (where some take longer "
                        "than others), always (where a warp of its own starts copies)">];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def OrderPrograms : Pass<"ttg-order-programs", "::mlir::ModuleOp"> {
  let summary = "programs with the longest loops begin first";
  let description = [{
    Of kernels whose programs depend on nothing that others do, and whose loops grow with the
    program's id: ids count down (`ttg.last_first`).
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def TakePrograms : Pass<"ttg-take-programs", "::mlir::ModuleOp"> {
  let summary = "CTAs take the next program from a counter";
  let description = [{
    Of kernels with `ttg.program_counter` and warp groups: one warp takes the numbers of programs, and
    hands them on to the other groups.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::tritium::ttg::TileGPUDialect",
                           "::tritium::ttng::TileNVGPUDialect"];
}

def ExpandPipeline : Pass<"ttg-expand-pipeline", "::mlir::ModuleOp"> {
  let summary = "loops as their schedules say";
  let description = [{
    Loops with `ttg.stages` get their buffers, the copies of the first iterations in front of them,
    waits, and copies for later iterations. Schedules that this pass cannot follow are refused.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def OptimizeDotOperands : Pass<"ttg-optimize-dot-operands", "::mlir::ModuleOp"> {
  let summary = "operands of dots straight from the pipeline's buffers";
  let description = [{
    A load from shared memory whose result reaches a dot through conversions, transpositions
    and functions of one element becomes a load of the dot's fragments, from the transposed
    buffer if need be.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def HoistDots : Pass<"ttg-hoist-dots", "::mlir::ModuleOp"> {
  let summary = "beside the first dot of an iteration, what needs nothing of it";
  let description = [{
    In loops with several dots of warp groups, which go on by themselves: other dots that need none
    of the iteration's, and what is computed to be an operand of one, come right behind the first
    dot, in front of what waits for its result.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def RotateDots : Pass<"ttg-rotate-dots", "::mlir::ModuleOp"> {
  let summary = "the second of two dots of a loop beside the first one of the next iteration";
  let description = [{
    Where a loop adds to a sum a dot of what another dot has made, as attention does, and nothing
    but the sum needs it: the second dot goes on while the next iteration computes from its first
    one. For dots of warp groups, the right operand of the second in a ring with a buffer to spare.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def Prefetch : Pass<"ttg-prefetch", "::mlir::ModuleOp"> {
  let summary = "operands of the next step of k while this one is multiplied";
  let description = [{
    In pipelined loops, a dot on tensor cores becomes one dot a step of k, each of whose
    operands are loaded from shared memory before the step in front of it; those of an
    iteration's first step at the end of the iteration before.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def ReduceDataDuplication : Pass<"ttg-reduce-data-duplication", "::mlir::ModuleOp"> {
  let summary = "operands of dots in shared memory instead of copies in every lane";
  let description = [{
    A conversion to the layout of a dot's operand that crosses lanes becomes a store to
    shared memory and, right before the dot, a load. One outside of the dot's loop stays
    unless the loop needs the registers.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def OptimizeThreadLocality : Pass<"ttg-optimize-thread-locality", "::mlir::ModuleOp"> {
  let summary = "reductions that a loop accumulates add in registers first";
  let description = [{
    Where a loop combines an accumulator with the reduction of a tile, it combines a tile of
    accumulators with the tile instead, and reduces that once behind the loop. Results of
    floats may differ in the last places, as by any other order of a reduction.
  }];
  let options = [Option<"fpFusion", "fp-fusion", "bool", "true",
                        "A product that is added up is rounded with the sum">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

def RemoveLayoutConversions : Pass<"ttg-remove-layout-conversions", "::mlir::ModuleOp"> {
  let summary = "chooses the layouts of all tiles anew from those of memory accesses and dots";
  let description = [{
    What is cheap to compute is computed in each layout that is asked for; what comes from
    memory or a dot keeps its layout through element-wise operations and loops, and is
    converted where another one is needed, before it gets wider and outside of loops.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def ReorderInstructions : Pass<"ttg-reorder-instructions", "::mlir::ModuleOp"> {
  let summary = "addresses behind the loops that do not need them";
  let description = [{
    Addresses and masks that are used only behind a loop are computed behind it, where they
    take no registers from the loop.
  }];
}

def FindPlaces : Pass<"ttg-find-places", "::mlir::ModuleOp"> {
  let summary = "places of extrema are found behind the extrema";
  let description = [{
    A reduction of pairs of a value and its place becomes one of values, and one of the places that
    have the extremum. Layouts must not change any more.
  }];
}

def BeginLoads : Pass<"ttg-begin-loads", "::mlir::ModuleOp"> {
  let summary = "loads begin before anything is computed of them";
  let description = [{
    Loads of tiles that stand in no loop begin together where what is computed of them takes long.
  }];
}

def PlanExchanges : Pass<"ttg-plan-exchanges", "::mlir::ModuleOp"> {
  let summary = "decides how elements get from thread to thread";
  let description = [{
    Conversions say whether they rename registers or shuffle; those that go through shared memory
    become an allocation that holds the tile and a load. So do reductions across warps, of what
    each warp has found, and results of atomics that one thread runs for others.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def ChooseOccupancy : Pass<"ttg-choose-occupancy", "::mlir::ModuleOp"> {
  let summary = "how many programs a multiprocessor should run side by side";
  let description = [{
    Kernels that stream tiles through registers say how many programs there are registers for
    (`ttg.programs_at_once`), so that the assembler spends no more.
  }];
}

def PrefetchNextPrograms : Pass<"ttg-prefetch-next-programs", "::mlir::ModuleOp"> {
  let summary = "what later programs load, brought to L2";
  let description = [{
    Beside loads of rows that are reduced, what another program loads there is brought to L2
    (`ttg.prefetch_l2`, `ttng.prefetch_run`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tritium::ttng::TileNVGPUDialect"];
}

def AllocateSharedMemory : Pass<"ttg-allocate-shared-memory", "::mlir::ModuleOp"> {
  let summary = "gives allocations places in shared memory";
  let description = [{
    Each allocation gets an offset. Those that are not in use at the same time may share a place.
  }];
}

def PlaceBarriers : Pass<"ttg-place-barriers", "::mlir::ModuleOp"> {
  let summary = "barriers in front of accesses that must wait for other threads";
  let description = [{
    Of shared memory, and of global memory where program order counts. Each barrier says what it
    is there for.
  }];
  let options = [Option<"mayAlias", "may-alias", "bool", "false",
                        "Pointer arguments may reach the same memory">];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def OverlapDots : Pass<"ttg-overlap-dots", "::mlir::ModuleOp"> {
  let summary = "what happens while a dot multiplies";
  let description = [{
    Loads of its operands by steps of k, asynchronous copies among its products, and before dots
    whose operands are in registers the wait and the loads for the next iteration.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def SkipOnes : Pass<"ttg-skip-ones", "::mlir::ModuleOp"> {
  let summary = "leaves out products by factors that are one";
  let description = [{
    Warps branch around products of sums of dots by what a greater maximum makes of them, where no
    maximum of theirs has become greater.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

def OverlapLaunches : Pass<"ttg-overlap-launches", "::mlir::ModuleOp"> {
  let summary = "kernels may be started while the launch in front of them ends";
  let description = [{
    A kernel waits for the launches in front of it (`tt.grid_dependency wait`) before it first
    touches global memory, so that the GPU need not wait for them before it starts its CTAs. It
    does nothing else about other launches, whatever its author wrote.
  }];
  let dependentDialects = ["::tritium::tt::TileDialect"];
  let options = [Option<"apart", "apart", "bool", "false",
                        "Launches do not overlap: nothing is done about others">];
}

def SkipMaskedRegisters : Pass<"ttg-skip-masked-registers", "::mlir::ModuleOp"> {
  let summary = "leaves out registers that a mask rules out";
  let description = [{
    Element-wise operations, reductions and stores of rows in tiles that are larger stand in
    `ttg.skip_masked`: warps do not compute what lies behind the row.
  }];
  let dependentDialects = ["::tritium::ttg::TileGPUDialect"];
}

#endif
