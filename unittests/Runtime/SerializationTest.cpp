//===- SerializationTest.cpp ----------------------------------------------===//

#include "Samples.h"

#include "gtest/gtest.h"

using namespace tritium;
using namespace tritium::runtime;

namespace {

Constant integer(Constant::Int value) { return {value}; }

TEST(Serialization, ConstantsComeBack) {
  Constant::Int large = (Constant::Int(1) << 100) + 7;
  Constant::Tuple inner = {integer(-1), {std::string("a\0b", 3)}, {DType{DTypeKind::BFloat16}}};
  for (const Constant &value :
       {Constant{}, Constant{true}, integer(large), integer(-large), Constant{-0.0},
        Constant{1e300}, Constant{std::string()}, Constant{inner},
        Constant{Constant::Tuple{{inner}, {}}}, Constant{Constant::Object{"Mode.FAST"}}}) {
    Writer writer;
    writer.constant(value);
    Reader reader(writer.bytes);
    EXPECT_EQ(reader.constant(), value) << value.repr();
    EXPECT_TRUE(reader.atEnd() && !reader.failed());
  }
}

/// The key of a kernel on disk: named tuples with other names are other kernels.
TEST(Serialization, NamesOfATupleAreWritten) {
  auto bytesOf = [](const char *name) {
    ArgumentSpec tuple;
    tuple.parts.resize(1);
    tuple.value = {Constant::Tuple{{std::string(name)}}};
    Writer writer;
    write(writer, tuple);
    return writer.bytes;
  };
  EXPECT_EQ(bytesOf("first"), bytesOf("first"));
  EXPECT_NE(bytesOf("first"), bytesOf("second"));
}

TEST(Serialization, KernelsComeBack) {
  CompiledKernel kernel = samples::kernel(), copy;
  Writer writer;
  write(writer, kernel);
  Reader reader(writer.bytes);
  read(reader, copy);
  ASSERT_TRUE(reader.atEnd() && !reader.failed());
  EXPECT_EQ(copy.metadata.entry, "add_entry");
  EXPECT_EQ(copy.metadata.scratchBytes, 4096u);
  EXPECT_TRUE(copy.metadata.hasIndirectPointers);
  ASSERT_EQ(copy.metadata.parameters.size(), 2u);
  EXPECT_EQ(copy.metadata.parameters[0].type, kernel.metadata.parameters[0].type);
  EXPECT_TRUE(copy.metadata.parameters[0].isRead);
  EXPECT_FALSE(copy.metadata.parameters[0].isWritten);
  EXPECT_EQ(copy.metadata.parameters[0].streamedBytes, 4096u);
  ASSERT_EQ(copy.metadata.asserts.size(), 1u);
  EXPECT_EQ(copy.metadata.asserts[0], kernel.metadata.asserts[0]);
  EXPECT_EQ(copy.metadata.parameters[0].divisibility, 16);
  EXPECT_EQ(copy.metadata.parameters[1].divisibility, 1);
  EXPECT_EQ(copy.metadata.conditions, kernel.metadata.conditions);
  EXPECT_EQ(copy.metadata.tensorMaps, kernel.metadata.tensorMaps);
  EXPECT_EQ(copy.metadata.copies, kernel.metadata.copies);
  EXPECT_EQ(copy.stages, kernel.stages);
  ASSERT_EQ(copy.remarks.size(), 1u);
  EXPECT_EQ(copy.remarks[0].arguments, kernel.remarks[0].arguments);
  EXPECT_EQ(copy.remarks[0].line, 3);
  EXPECT_EQ(copy.printed, "hello\n");
}

/// Any cut and any flipped byte either fails or gives some kernel; nothing crashes.
TEST(Serialization, DamagedBytesAreSafe) {
  Writer writer;
  write(writer, samples::kernel());
  for (size_t size = 0; size < writer.bytes.size(); ++size) {
    CompiledKernel kernel;
    Reader reader(std::string_view(writer.bytes).substr(0, size));
    read(reader, kernel);
    EXPECT_TRUE(reader.failed()) << size;
  }
  for (size_t at = 0; at < writer.bytes.size(); ++at) {
    std::string damaged = writer.bytes;
    damaged[at] ^= 0xff;
    CompiledKernel kernel;
    Reader reader(damaged);
    read(reader, kernel);
  }
}

TEST(Serialization, HashesDiffer) {
  EXPECT_EQ(hashText("a").size(), 52u);
  EXPECT_EQ(hashText("a"), hashText("a"));
  EXPECT_NE(hashText("a"), hashText("b"));
}

} // namespace
