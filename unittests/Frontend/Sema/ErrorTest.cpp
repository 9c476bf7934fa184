//===- ErrorTest.cpp - what users are told --------------------------------===//

#include "SemaTestUtil.h"

#include "tritium/Frontend/Sema/Builtins.h"

using namespace tritium;
using namespace tritium::sema;

namespace {
class Errors : public SemaTest {
protected:
  /// The call must fail with exactly one error.
  std::string fails(const char *name, std::vector<Value> positional,
                    std::vector<std::pair<std::string, Value>> keywords = {}) {
    EXPECT_FALSE(lib(name, std::move(positional), std::move(keywords))) << name;
    std::string text = errors();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << name << ": " << text;
    return text.empty() ? text : text.substr(0, text.size() - 1);
  }
  Value ints(std::vector<int64_t> values) {
    Tuple tuple;
    for (int64_t value : values)
      tuple.elements.push_back(makeInt(value));
    return tuple;
  }
  Value dtype(const char *name) { return makeDType(*DType::parse(name)); }
};
} // namespace

TEST_F(Errors, Binding) {
  Value p = tensor("*fp32", {8});
  EXPECT_EQ(fails("load", {p}, {{"msk", makeBool(true)}}),
            "tl.load() has no parameter 'msk'; did you mean 'mask'?");
  EXPECT_EQ(fails("load", {}), "tl.load() is missing the argument 'pointer'");
  EXPECT_EQ(fails("load", {p, Value()}, {{"mask", Value()}}),
            "tl.load() got two values for its parameter 'mask'");
  EXPECT_EQ(fails("exp", {p, p}), "tl.exp() takes 1 positional argument at most, but 2 were given");
  ASSERT_FALSE(diagnostics.all().back().notes.empty());
  EXPECT_EQ(diagnostics.all().back().notes[0].message, "its signature is tl.exp(x)");
}

TEST_F(Errors, Load) {
  Value p = tensor("*fp32", {8}), scalar = tensor("*fp32"), mask = tensor("i1", {8});
  EXPECT_EQ(fails("load", {tensor("fp32", {8})}),
            "tl.load needs a pointer or a tile of pointers, found float32[8]; did you pass the "
            "value instead of the address?");
  EXPECT_EQ(fails("load", {p, Value(), makeFloat(0)}),
            "tl.load: 'other' needs a mask: it is what masked-off elements read");
  EXPECT_EQ(fails("load", {p, tensor("i1", {16})}),
            "cannot broadcast shapes [8] and [16]: aligned at the right, each pair of extents must "
            "agree or have a 1");
  EXPECT_EQ(fails("load", {p, tensor("i1", {4, 8})}),
            "the mask of tl.load has shape [4, 8], which does not broadcast to the shape of the "
            "pointer, [8]");
  EXPECT_EQ(fails("load", {p, tensor("i32", {8})}),
            "the mask of tl.load must be bool (int1), found int32[8]; compare it, for example "
            "with '!= 0'");
  EXPECT_EQ(fails("load", {p, makeFloat(1.5)}),
            "the mask of tl.load must be bool (int1), found constexpr 1.5; compare it, for "
            "example with '!= 0'");
  EXPECT_EQ(fails("load", {scalar, mask}),
            "the mask of tl.load is a tile, int1[8], but the pointer is a scalar");
  EXPECT_EQ(fails("load", {p, mask, tensor("fp32", {4})}),
            "the 'other' of tl.load has shape [4], which does not broadcast to the shape of the "
            "pointer, [8]");
  EXPECT_EQ(fails("load", {p}, {{"cache_modifier", makeString(".wb")}}),
            "'cache_modifier' must be one of '', '.ca', '.cg', '.cs', '.cv', found '.wb'");
  EXPECT_EQ(fails("load", {p}, {{"eviction_policy", makeString("evict")}}),
            "'eviction_policy' must be one of '', 'evict_first', 'evict_last', found 'evict'");
  EXPECT_NE(fails("load", {p}, {{"boundary_check", ints({0})}}).find("block pointers only"),
            std::string::npos);
}

TEST_F(Errors, Store) {
  Value p = tensor("*fp32", {8}), scalar = tensor("*fp32"), x = tensor("fp32", {8});
  EXPECT_EQ(fails("store", {tensor("*kfp32", {8}), x}),
            "tl.store through a tl.const pointer; remove the tl.const annotation of the parameter "
            "if the kernel writes to it");
  EXPECT_EQ(fails("store", {x, x}).substr(0, 55),
            "tl.store needs a pointer or a tile of pointers, found f");
  EXPECT_NE(fails("store", {scalar, x}).find("through a scalar pointer; add offsets"),
            std::string::npos);
  EXPECT_EQ(fails("store", {p, tensor("fp32", {4})}),
            "the value of tl.store has shape [4], which does not broadcast to the shape of the "
            "pointer, [8]");
  EXPECT_EQ(fails("store", {tensor("*fp32", {1}), x}),
            "the value of tl.store has shape [8], which does not broadcast to the shape of the "
            "pointer, [1]");
  EXPECT_TRUE(lib("store", {p, makeInt(3), tensor("i1", {1})}));
}

TEST_F(Errors, Creation) {
  EXPECT_EQ(fails("arange", {makeInt(4), makeInt(4)}),
            "the end of tl.arange must be greater than its start, found 4 and 4");
  EXPECT_EQ(fails("arange", {makeInt(0), tensor("i32")}),
            "the end of tl.arange must be an integer that is known at compile time, found int32; "
            "pass it as a tl.constexpr parameter");
  EXPECT_EQ(fails("arange", {makeInt(0), makeInt(int64_t(1) << 21)}),
            "a tile may have at most 1048576 elements, found shape [2097152]; use smaller tiles "
            "or a loop");
  EXPECT_EQ(fails("zeros", {ints({4, 0}), dtype("float32")}),
            "a tile's extents must be positive, found shape [4, 0]");
  EXPECT_EQ(fails("full", {ints({4}), tensor("fp32", {8}), dtype("float32")}),
            "tl.full needs a scalar value, found float32[8]");
  EXPECT_EQ(fails("zeros", {ints({4}), makeInt(3)}),
            "the dtype of tl.zeros must be a type such as tl.float32 that is known at compile "
            "time, found constexpr 3");
  EXPECT_EQ(fails("program_id", {makeInt(3)}), "the axis of the grid must be 0, 1 or 2, found 3");
}

TEST_F(Errors, Casts) {
  Value x = tensor("fp32", {8});
  EXPECT_EQ(fails("cast", {x, dtype("float16"), Value(), makeBool(true)}),
            "a bitcast needs types of one width, found float32[8] (32 bits) and float16 (16 bits)");
  EXPECT_EQ(fails("cast", {x, dtype("float64"), makeString("rtz")}),
            "'fp_downcast_rounding' applies only where a float becomes narrower, found "
            "float32[8] to float64");
  EXPECT_EQ(fails("cast", {x, dtype("float16"), makeString("up")}),
            "'fp_downcast_rounding' must be 'rtne' or 'rtz', found 'up'");
  EXPECT_EQ(fails("cast", {x, makeDType(DType{DTypeKind::Float32, 1})}),
            "only integers convert to pointers, found float32[8]");
  EXPECT_EQ(fails("cast", {tensor("*fp32"), dtype("int32")}),
            "a pointer converts to a 64-bit integer only, not to int32");
}

TEST_F(Errors, Math) {
  EXPECT_EQ(fails("exp", {tensor("fp16", {8})}),
            "tl.exp needs float32 or float64, found float16[8]; convert with .to(tl.float32)");
  EXPECT_EQ(fails("sqrt_rn", {tensor("fp64")}),
            "tl.sqrt_rn needs float32, found float64; convert with .to(tl.float32)");
  EXPECT_NE(fails("clamp", {tensor("i32"), makeInt(0), makeInt(1)}).find("needs floats"),
            std::string::npos);
  EXPECT_NE(fails("umulhi", {tensor("i16"), tensor("i16")}).find("32- or 64-bit"),
            std::string::npos);
  EXPECT_NE(fails("maximum", {tensor("fp32"), makeString("x")}).find("needs numbers"),
            std::string::npos);
}

TEST_F(Errors, Shapes) {
  Value x = tensor("fp32", {4, 8});
  EXPECT_EQ(fails("reshape", {x, ints({4, 4})}),
            "cannot reshape [4, 8] (32 elements) to [4, 4] (16 elements)");
  EXPECT_EQ(fails("permute", {x, ints({0, 0})}),
            "tl.permute needs a permutation of the 2 dimensions of shape [4, 8], found [0, 0]");
  EXPECT_NE(fails("broadcast_to", {x, ints({2, 4, 8})}).find("keeps the rank"), std::string::npos);
  EXPECT_EQ(fails("broadcast_to", {x, ints({4, 16})}),
            "cannot broadcast shape [4, 8] to [4, 16]: each extent must agree or be 1");
  EXPECT_EQ(fails("expand_dims", {x, ints({0, -4})}),
            "the axes of tl.expand_dims must differ from each other");
  EXPECT_NE(fails("trans", {tensor("fp32", {4})}).find("rank 2 or more"), std::string::npos);
  Tuple subscripts{{Slice{}, makeInt(8)}, {}};
  EXPECT_FALSE(sema.subscript(x, subscripts));
  EXPECT_EQ(errors(),
            "subscript constexpr 8 is out of range for dimension 1, which has 8 elements\n");
  EXPECT_FALSE(sema.subscript(x, Tuple{{Slice{}, Slice{}, Slice{}}, {}}));
  EXPECT_EQ(errors(), "too many subscripts: 3 dimensions are named, but the shape is [4, 8]\n");
}

TEST_F(Errors, Reductions) {
  Value x = tensor("fp32", {4, 8});
  EXPECT_EQ(fails("sum", {x, makeInt(2)}),
            "the axis of tl.sum must be in [-2, 2) for a tile of rank 2, found 2");
  EXPECT_EQ(fails("xor_sum", {x}), "tl.xor_sum needs integers, found float32[4, 8]");
  EXPECT_EQ(fails("argmax", {x}), "tl.argmax() is missing the argument 'axis'");
  EXPECT_NE(fails("reduce", {x, makeInt(0), makeInt(1)}).find("must be a jit function"),
            std::string::npos);
}

TEST_F(Errors, Dot) {
  Value a = tensor("fp32", {16, 8}), b = tensor("fp32", {8, 16});
  EXPECT_EQ(fails("dot", {a, a}),
            "the inner extents of tl.dot must agree: a is [16, 8], b is [16, 8], so K is 8 "
            "against 16");
  EXPECT_NE(fails("dot", {a, tensor("fp16", {8, 16})}).find("must have one type"),
            std::string::npos);
  EXPECT_NE(fails("dot", {tensor("i32", {8, 8}), tensor("i32", {8, 8})}).find("works on int8"),
            std::string::npos);
  EXPECT_NE(fails("dot", {a, b}, {{"out_dtype", dtype("bfloat16")}}).find("accumulate in bfloat16"),
            std::string::npos);
  EXPECT_EQ(fails("dot", {a, b, tensor("fp16", {16, 16})}),
            "the accumulator of tl.dot must be float32[16, 16], found float16[16, 16]");
  EXPECT_NE(fails("dot", {a, b},
                  {{"input_precision", makeString("ieee")}, {"allow_tf32", makeBool(true)}})
                .find("not both"),
            std::string::npos);
  EXPECT_NE(fails("dot", {a, tensor("fp32", {8})}).find("rank 2"), std::string::npos);
}

TEST_F(Errors, Atomics) {
  std::string numbers = "it works on integers of 8, 16, 32 and 64 bits, float16, bfloat16, float32 "
                        "and float64";
  EXPECT_EQ(fails("atomic_add", {tensor("*fp8e5"), makeFloat(1)}),
            "tl.atomic_add is not supported on float8e5; " + numbers);
  EXPECT_EQ(fails("atomic_max", {tensor("*i1"), makeBool(true)}),
            "tl.atomic_max is not supported on int1; " + numbers);
  EXPECT_EQ(fails("atomic_or", {tensor("*fp16"), makeFloat(1)}),
            "tl.atomic_or is not supported on float16; it works on integers of 8, 16, 32 and 64 "
            "bits");
  EXPECT_EQ(fails("atomic_xchg", {tensor("*fp8e4nv"), makeFloat(1)}),
            "tl.atomic_xchg is not supported on float8e4nv; " + numbers);
  EXPECT_EQ(fails("atomic_add", {tensor("*i32"), makeInt(1)}, {{"sem", makeString("seq_cst")}}),
            "'sem' must be one of 'acquire', 'release', 'acq_rel', 'relaxed', found 'seq_cst'");
  EXPECT_EQ(fails("atomic_cas", {tensor("*i1"), makeBool(true), makeBool(false)}),
            "tl.atomic_cas is not supported on int1; " + numbers);
}

TEST_F(Errors, StaticAssert) {
  EXPECT_EQ(fails("static_assert", {makeBool(false), makeString("no")}),
            "static assertion failed: no");
  EXPECT_EQ(diagnostics.all().back().kind, "CompileTimeAssertionFailure");
  EXPECT_NE(fails("static_assert", {tensor("i1")}).find("known at compile time"),
            std::string::npos);
}

TEST_F(Errors, Names) {
  Value tl = frontend::External::Module{"triton.language", nullptr};
  EXPECT_FALSE(sema.attribute(tl, "laod"));
  EXPECT_EQ(errors(), "the module 'triton.language' has no 'laod' that kernels can use; did you "
                      "mean 'load'?\n");
  EXPECT_FALSE(sema.attribute(tensor("fp32"), "item_size"));
  EXPECT_EQ(errors(), "float32 has no attribute 'item_size'\n");
  EXPECT_FALSE(sema.call(dtype("float32"), {}));
  EXPECT_NE(errors().find("is missing the argument"), std::string::npos);
  EXPECT_FALSE(sema.call(Library{"range"}, {}));
  EXPECT_EQ(errors(), "'tl.range' cannot be called here; it is written after 'for ... in'\n");
  EXPECT_FALSE(sema.fromExternal({frontend::External::Unusable{"it is a class"}}, "C").has_value());
  EXPECT_EQ(errors(), "'C' cannot be used in a kernel: it is a class\n");
}

// An error within a library function stands at the user's call.
TEST_F(Errors, Position) {
  uint32_t user = sources.addFile("k.py", "a = tl.softmax(x)\nb = f(a)\n");
  uint32_t library = sources.addFile("<tritium>/standard.py", "return tl.exp(x)\n");
  sema.setRange({{user, 18 + 4}, {user, 18 + 8}});
  sema.enterCall("f", false, true);
  sema.setRange({{user, 4}, {user, 17}});
  sema.enterCall("softmax", true, true);
  sema.setRange({{library, 7}, {library, 16}});
  sema.error("wrong");
  const Diagnostic &diagnostic = diagnostics.all().back();
  EXPECT_EQ(sources.lineColumn(diagnostic.range.begin).line, 1);
  ASSERT_EQ(diagnostic.notes.size(), 2u);
  EXPECT_EQ(diagnostic.notes[0].message, "within the library function 'softmax'");
  EXPECT_EQ(diagnostic.notes[1].message, "'f' is called here");
  EXPECT_EQ(sources.lineColumn(diagnostic.notes[1].range.begin).line, 2);
  std::string location;
  llvm::raw_string_ostream(location) << sema.loc();
  EXPECT_EQ(location, "loc(callsite(\"k.py\":1:5 at \"k.py\":2:5))");
  sema.leaveCall();
  sema.leaveCall();
  EXPECT_EQ(sema.range().begin.offset, 22u);
}
