"""The premises of the analyses, for utils/mutate_analysis.py."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Premise:
    """An expression of the sources, and what stands there without the premise."""

    name: str
    file: str
    text: str
    weakened: str
    guards: str       # in words
    after: str = ""   # text right before it, where the expression alone is not unique


ANALYSIS = "lib/Analysis/"
DIALECT = "lib/Dialect/Tile/IR/"
TRANSFORMS = "lib/Dialect/Tile/Transforms/"
CPU = "lib/Conversion/TileToCPU/"
GPU = "lib/Conversion/TileGPUToLLVM/"


def premises(file, *rows):
    stem = file.rpartition("/")[2].removesuffix(".cpp")
    return [Premise(f"{stem}: {name}", file, text, weakened, guards, *after)
            for name, guards, text, weakened, *after in rows]


PREMISES = (
    premises(
        DIALECT + "ShapeOps.cpp",
        ("reshape", "a reshape puts dimensions together",
         "!llvm::equal(llvm::make_filter_range(from, isLong), "
         "llvm::make_filter_range(to, isLong))",
         "from.size() != to.size()"))
    + premises(
        ANALYSIS + "IntegerRanges.cpp",
        ("assumed everywhere", "an assumption in a branch holds there only",
         "isa<tt::FuncOp>(assume->getParentOp())", "true"),
        ("sums fit", "what is not marked may wrap at its width",
         "isUnwrapped(op)", "true", "ofArithmetic(op, bits, "),
        ("carried sum fits", "a sum that a loop carries may wrap",
         "range::sum(init, *moved, bits)", "range::sum(init, *moved, 64)"),
        ("zero extension", "a negative number is another one without its sign",
         "from > 1 && isNonNegative(x)", "from > 1"),
        ("logical shift", "the sign of a negative number becomes a digit",
         "isa<arith::ShRUIOp>(op) && !isNonNegative(x)", "false"),
        ("unsigned division", "negative numbers are large ones",
         "isNonNegative(x) && isNonNegative(y) ? Result(rule(x, y)) : std::nullopt",
         "Result(rule(x, y))"),
        ("conjunction", "two negative numbers have a negative one", "x.low < 0 && y.low < 0",
         "false"),
        ("truncation fits", "a number that is cut off is another one",
         "range::fitting(operand(0), bits)", "Result(operand(0))"),
        ("left shift fits", "digits are lost", "range::product(x, {factor, factor}, bits)",
         "range::product(x, {factor, factor}, 64)"),
        ("signed end", "what counts up may come from the largest to the least number",
         "range.low > all.low || range.high < all.high", "true"),
        ("unsigned end", "what counts up may come from -1 to 0",
         "range.low >= 0 || range.high < -1", "true"))
    + premises(
        ANALYSIS + "MaskRuns.cpp",
        ("crossing", "an index wraps within a run", "!cannotCross", "false"),
        ("bound", "the bound changes within a run",
         "std::gcd(info.contiguity[dim], axes.get(bound).constancy[dim])",
         "info.contiguity[dim]"),
        ("directions", "of two masks one falls and one rises", "a.falls || b.falls", "a.falls"))
    + premises(
        ANALYSIS + "Distinct.cpp",
        ("overlap", "elements or rows reach into the next ones", "stride < reach", "false"),
        ("round", "addresses come round at 2^64", "reach > Wide(1) << 63", "false"))
    + premises(
        ANALYSIS + "Strides.cpp",
        ("negative quotient", "division towards zero has a quotient of two lengths around it",
         "x.low < 0 || y.low <= 0", "y.low <= 0"),
        ("one quotient", "the dividend passes a multiple of the divisor",
         "x.high < y.low || (y.low == y.high && x.low / y.low == x.high / y.low)",
         "y.low == y.high"),
        ("within half", "differences that are equal modulo 2^width are not",
         "Wide(range.high) - range.low < Wide(1) << (widthOf(value) - 1)", "true"),
        ("sign extension", "what is extended wraps between neighbours",
         "exact(op.getIn(), dim, depth)", "modular(op.getIn(), dim, depth)",
         "arith::ExtSIOp op) { return "),
        ("zero extension", "a sum passes from -1 to 0",
         "x == 0 || isNonNegative(op.getIn())", "true"),
        ("narrow offset", "an offset of 32 bits wraps between neighbours",
         "widthOf(offset) == 64", "true"),
        ("choice", "neighbours choose differently", "isUniform(op.getCondition())", "true"),
        ("remainder", "the dividend passes a multiple of the divisor",
         "straight.contains(op) || hasOneQuotient(op)",
         "isUniform(op.getRhs())"),
        ("factor", "the factor changes along the tile",
         "*stride == 0 && modular(factor, dim, depth) == 0", "*stride == 0"),
        ("exact", "the values wrap between two elements",
         "Wide(range.high) - range.low < (Wide(1) << bits) - distance", "true"),
        ("unmarked", "a sum that is not marked may wrap", "!flags.hasNoSignedWrap()", "false"),
        ("product of tiles", "both factors change along the tile",
         "isUniform(op.getLhs()) || isUniform(op.getRhs())", "true"),
        ("shift by a tile", "the amount changes along the tile",
         "linear(0) && isUniform(op.getRhs())", "linear(0)"))
    + premises(
        ANALYSIS + "AxisLine.cpp",
        ("numbers", "a run crosses an end of the integers", "cannotCross || x.c == 1", "true"),
        ("run: end", "a run crosses an end", "longestAligned(bits)", "int64_t(0)", "y.k), "),
        ("run: start", "a run starts between two multiples", "x.q", "int64_t(0)",
         "std::gcd(std::gcd(std::gcd(x.c, "),
        ("run: constant", "the other side changes in a run", "y.k", "int64_t(0)",
         "std::gcd(std::gcd(std::gcd(x.c, x.q), "),
        ("run: multiple", "a multiple of the other side lies in a run",
         "std::gcd(length, divisorAt(y, length))", "length"))
    + premises(
        ANALYSIS + "AxisRules.cpp",
        ("reshape", "a run reaches over the end of a row",
         "std::gcd(extentOf(from, s), extentOf(to, t))", "extentOf(to, t)"),
        ("join", "a run has to be one on both ways", "std::gcd(x.c, y.c)", "x.c"))
    + premises(
        ANALYSIS + "ElementwiseRules.cpp",
        ("offset", "an offset of 32 bits crosses an end",
         "bits == 64 || ranges.cannotCrossSignedEnd(offset)", "true"),
        ("sum", "what is added changes in a run", "std::gcd(a.c, b.k)", "a.c"),
        ("difference", "a run that is taken away counts down", "false", "true",
         "arith::SubIOp) { return rule.addition("),
        ("exact quotient", "only elements that are multiples have an exact quotient",
         "a.c == 1", "true"),
        ("towards zero", "below zero, quotients change between multiples",
         "ranges.get(op->getOperand(0)).low >= 0", "true"),
        ("choice", "neighbours choose differently", "line(select.getCondition(), d).k",
         "int64_t(0)"),
        ("mask of bits", "other masks than 2^n - 1 are no remainder",
         "((*mask + 1) & *mask) == 0", "true"),
        ("constant without sign", "a negative constant is another one",
         "isUnsigned && *info.constant < 0", "false"),
        ("extension", "a run crosses an end before it is extended",
         "isUnsigned ? ranges.cannotCrossUnsignedEnd(from) : ranges.cannotCrossSignedEnd(from)",
         "true"))
    + premises(
        ANALYSIS + "Disjoint.cpp",
        ("wrap", "a sum that is not marked may wrap", "flags && flags.hasNoSignedWrap()", "true"),
        ("factors", "what both add, they add equally often",
         "x.scalars.lookup(scalar.first) == scalar.second", "x.scalars.contains(scalar.first)"),
        ("scalars", "the second adds nothing else", "!hasFactorsOf(a, b)", "false"),
        ("window", "an iteration moves on by less than it touches",
         "added >= window || -added >= window", "added != 0"),
        ("outer loop", "an outer loop comes back to the same addresses",
         "loop->getParentOfType<LoopLikeOpInterface>()", "LoopLikeOpInterface()"))
    + premises(
        TRANSFORMS + "WidenOffsets.cpp",
        ("unsigned comparison", "an offset is a signed number",
         "!isUnsigned", "true", "if ("))
    + premises(
        TRANSFORMS + "NarrowOffsets.cpp",
        ("fits", "an offset that leaves 32 bits stays as it is",
         "!ranges.get(value).isWithin(IntegerRange::ofWidth(32))", "false"))
    + premises(
        ANALYSIS + "PointerBases.cpp",
        ("elsewhere", "a pointer that memory holds may point anywhere",
         "x.elsewhere || y.elsewhere", "false"))
    + premises(
        "lib/Analysis/GlobalOrder.cpp",
        ("twice", "one tile of pointers may hold an address twice",
         "holdsNoAddressTwice(a)", "true", "isElementwise && "),
        ("copies", "several threads access one element",
         "hasNoCopies(a)", "true", "bool isElementwise = "))
    + premises(
        ANALYSIS + "TileConditions.cpp",
        ("bounds", "the largest offset of a tile wraps", "result && !proved && bits < 64",
         "false"),
        ("sums", "the bounds of a tile of 64 bits wrap", "!proved && bits == 64", "false",
         "range::difference(a, b, bits);\n  if ("),
        ("products", "the bounds of a tile of 64 bits wrap",
         "!proved && bits == 64 && by.low != 0", "false"),
        ("negative", "below zero, a remainder counts up to zero",
         "compare(P::sge, range->min, zero)", "compare(P::sge, zero, zero)"),
        ("one multiple", "the tile passes a multiple of the divisor",
         "compare(P::slt, length, rest)", "compare(P::sle, length, length)"))
    + premises(
        CPU + "Plan.cpp",
        ("twice", "one tile of pointers may hold an address twice",
         "distinctAddresses(x, facts.strides)", "true"),
        ("arguments", "two arguments may be views of one array",
         "options.mayAlias || mayShareBase(x, y)", "mayShareBase(x, y)"))
    + premises(
        CPU + "PlanPhase.cpp",
        ("contiguous", "the elements of a row do not follow each other",
         "isContiguous(load.getPtr(), along, facts.strides)", "true"),
        ("rows", "rows are not equally far apart",
         "facts.strides.isLinear(load.getPtr(), 1 - along)", "true"),
        ("arithmetic", "where a row lies is read from memory, behind the last one too",
         "isArithmetic(load.getPtr())", "true"),
        ("later row", "where a row lies is read from memory, behind the last one too",
         "isArithmetic(root.op->getOperand(0))", "true"))
    + premises(
        CPU + "Evaluate.cpp",
        ("exact", "lanes wrap where they are extended or compared",
         "strides->exact(value, index.lanesDim()) == chunk.stride", "true"))
    + premises(
        CPU + "Masks.cpp",
        ("difference", "bound and offset are further apart than 63 bits",
         "known && known->high < INT64_MAX", "true"))
    + premises(
        CPU + "Ahead.cpp",
        ("last row", "where a row lies is read from memory, behind the last one too",
         "std::min(row, upcoming.rows - 1)", "row")))
