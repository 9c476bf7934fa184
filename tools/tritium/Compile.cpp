//===- Compile.cpp - tritium compile --------------------------------------===//

#include "CompileRequest.h"
#include "SignatureText.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>

using namespace tritium;
using namespace tritium::tool;

const char *const tritium::tool::compileHelp =
    R"(usage: tritium compile FILE.py [--kernel NAME] --signature TYPES [OPTION...]
       tritium compile FILE.tc [-DNAME[=TEXT]...] [OPTION...]
       tritium compile --from FILE.ttir [OPTION...]

Compiles one kernel of a Python file (which is read, not run) for one choice of types and
constants, or of a file in Triton-C (.tc .tr .c .h .cu) for its macros.

  --kernel NAME          the kernel; may be left out if a Python file has only one, and for
                         the first of a Triton-C file
  -DNAME[=TEXT]          Triton-C: a macro; without a text 1. -DTM=[64,128] lists values:
                         each combination is compiled, to a file of its own that -o FILE and
                         the values name (out.s: out.TM64.s, out.TM128.s)
  -I FOLDER              Triton-C: where #include looks; may be repeated
  --num-warps N,N        Triton-C: values of the option, as a list of -D
  --syntax-only          check the text and write nothing
  --signature TYPES      one item for each parameter that --constexpr does not give, in
                         order, with commas between: a type (*fp32, i32, *i64, ...), with
                         :16 if 16 divides the value or address, :1 if the value is 1; or
                         a literal, which is then a constant. Parameters left out at the
                         end take their defaults. Triton-C declares its types: there an
                         item is :16, or nothing
  --constexpr NAME=VALUE a constant: a number, True, False, None, a string, a type
                         (fp16), a tuple ((1, 2)); may be repeated
  --from FILE            go on from tile IR (.ttir), tile IR with layouts (.ttgir), LLVM IR
                         (.llir) or PTX (.ptx) that were written out with their last line,
                         or from a module in the LLVM and NVVM dialects with one kernel
  --target cpu[:NAME]    the CPU: LLVM's name (haswell, skylake-avx512, ...), or this
                         machine's
  --target cuda:NN       a GPU of compute capability N.N (cuda:80, cuda:90); none need be
                         there
  --emit STAGE           ttir: tile IR; llir: LLVM IR; for a CPU plan: its loops and scratch
                         memory, and what they are for, asm: assembly (the default) and obj:
                         ELF object; for a GPU ttgir: tile IR with layouts, ptx (the default)
                         and cubin: machine code, by ptxas; for both header: a
                         C header with what the code takes for granted of a launch (alignment,
                         signs, no overlap, the grid), a check of it and a launch function,
                         and json: the same as data
  --header FILE          write the C header, too
  --option NAME=VALUE    an option of the launch (num_warps=8); may be repeated.
                         tensor_copies=1: copies by TMA, as launches by Tritium have them: of
                         tensor maps that who launches the code has to make; persistent=1:
                         CTAs loop over the programs of a grid that three more parameters say;
                         num_ctas=4: a program is a cluster of CTAs, which launches start
  --debug                check device_assert and hints
  --remarks[=all]        say on standard error what keeps the kernel from its speed; all:
                         also what was done for it
  -o FILE                where to write; -: standard output (the default, but for obj and
                         cubin)
  -h, --help             show this text

Errors are written as clang's are, FILE:LINE:COLUMN: error: ...

examples:
  tritium compile examples/vector_add.py --signature "*fp32:16,*fp32:16,*fp32:16,i32" \
      --constexpr BLOCK_SIZE=1024 --emit asm
  tritium compile examples/triton-c/matmul.tc -DTYPE=half -DTM=[64,128] -DTN=64 -DTK=32 \
      --signature :16,:16,:16 -o matmul.s
)";

namespace {

using Request = CompileRequest;

/// Whether the target has the stage that is asked for; by default its last text.
void checkStage(Request &request) {
  bool isGPU = request.target.isGPU();
  if (request.emit.empty())
    request.emit = isGPU ? "ptx" : "asm";
  std::vector<std::string> known = {"ttir", "llir", "header", "json"};
  for (const char *stage :
       {isGPU ? "ttgir" : "plan", isGPU ? "ptx" : "asm", isGPU ? "cubin" : "obj"})
    known.push_back(stage);
  std::string list;
  for (const std::string &stage : known) {
    if (stage == request.emit)
      return;
    list += (list.empty() ? "" : ", ") + stage;
  }
  throw UsageError("nothing to emit for " + std::string(isGPU ? "a GPU" : "a CPU") +
                   " is called '" + request.emit + "'; there are: " + list);
}

/// False if the help was shown instead.
bool parse(const Arguments &arguments, Request &request) {
  CommandLine options(arguments);
  while (options.next()) {
    const std::string &name = options.name;
    if (!options.isOption) {
      if (!request.file.empty())
        throw UsageError("compile: one file at a time, but got '" + request.file + "' and '" +
                         name + "'");
      request.file = name;
    } else if (name == "-h" || name == "--help") {
      std::fputs(compileHelp, stdout);
      return false;
    } else if (request.take(options)) {
      continue;
    } else if (name == "--syntax-only") {
      options.noValue();
      request.onlySyntax = true;
    } else if (name == "--remarks") {
      request.remarks = true;
      if (options.hasValue()) {
        if (options.value() != "all")
          throw UsageError("compile: --remarks, or --remarks=all");
        request.allRemarks = true;
      }
    } else if (name == "--emit") {
      request.emit = options.value();
    } else if (name == "-o") {
      request.output = options.value();
    } else if (name == "--header") {
      request.header = options.value();
    } else {
      throw UsageError("compile: no option " + name);
    }
  }
  checkStage(request);
  request.finish("compile");
  return true;
}

} // namespace

void tritium::tool::writeRemarks(const tritium_compiled *compiled, const CompileRequest &request) {
  if (request.remarks)
    std::fputs(tritium_compiled_remarks(compiled, request.allRemarks), stderr);
}

void tritium::tool::writeStage(tritium_compiled *compiled, const std::string &stage,
                               const std::string &output) {
  tritium_error error = {};
  size_t size = 0;
  const char *text = nullptr;
  std::string metadata;
  if (stage == "json") {
    metadata = std::string(tritium_compiled_metadata(compiled)) + "\n";
    text = metadata.data();
    size = metadata.size();
  } else if (!(text = tritium_compiled_stage(compiled, stage.c_str(), &size, &error))) {
    throw Error(error);
  }
  if (output.empty() || output == "-") {
    std::fwrite(text, 1, size, stdout);
    return;
  }
  std::ofstream file(output, std::ios::binary);
  if (!file.write(text, static_cast<std::streamsize>(size)).flush())
    throw Failure(output + ": cannot be written");
}

int tritium::tool::compile(const Arguments &arguments) try {
  Request request;
  if (!parse(arguments, request))
    return 0;
  if (request.output.empty() && request.isBinary() && !request.onlySyntax)
    throw UsageError("compile: say where to write the " + request.emit + ": -o FILE");
  if (request.onlySyntax) {
    request.emit = "ttir";
    request.header.clear();
  }
  if (request.from.empty() && isTritonC(request.file))
    return compileTritonC(request);
  CompiledHandle compiled = compileRequest(request);
  writeRemarks(compiled.get(), request);
  if (!request.onlySyntax)
    writeStage(compiled.get(), request.emit, request.output);
  if (!request.header.empty())
    writeStage(compiled.get(), "header", request.header);
  return 0;
} catch (const Error &error) {
  throw Failure(error.what());
}
