//===- CHeader.cpp - the C header of code compiled ahead ------------------===//

#include "CHeader.h"
#include "GPUSlots.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tritium;
using namespace tritium::runtime;
using llvm::formatv;

namespace {

/// "INT64_C(5)"; the least one has no literal.
std::string literal(int64_t value) {
  return value == INT64_MIN ? "INT64_MIN" : "INT64_C(" + std::to_string(value) + ")";
}

/// A string literal.
std::string quoted(llvm::StringRef text) {
  std::string result = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (c == '\n')
      result += "\\n";
    else
      result += c;
  return result + "\"";
}

/// Without what would end a comment.
std::string commented(std::string text) {
  for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
    text.replace(at, 2, "* /");
  return text;
}

class CHeader {
public:
  CHeader(const KernelMetadata &metadata, const CompileOptions &options)
      : metadata(metadata), options(options), isForGPU(metadata.target.isGPU()),
        rules(launchRules(metadata, options.mayAlias)) {
    prefix = identifier(metadata.name);
    for (const char *taken : {"grid_x", "grid_y", "grid_z", "grid", "slots", "begin", "end",
                              "function", "stream", "config", "attributes", "status", "arguments"})
      names.insert(taken);
    for (const ParameterInfo &parameter : metadata.parameters)
      arguments.push_back(unique(identifier(parameter.name)));
    for (const LaunchRule &rule : rules)
      if (rule.kind == LaunchRule::DoNotOverlap)
        for (size_t parameter : {rule.parameter, rule.other})
          if (sizes.try_emplace(parameter).second)
            sizes[parameter] = unique(arguments[parameter] + "_bytes");
  }

  std::string write() {
    std::string guard = "TRITIUM_KERNEL_" + llvm::StringRef(prefix).upper() + "_H";
    line("/* What code of the kernel " + commented(metadata.name) + " for " + commented(machine()) +
         " takes for granted.");
    line("   " + prefix +
         "_check answers 0, or the number of the first of these rules that a "
         "launch breaks:");
    for (const auto &[i, rule] : llvm::enumerate(rules))
      line(formatv("   {0,3}  {1}", i + 1, commented(rule.text)));
    line("   Code is right only for launches that break none. */");
    line("#ifndef " + guard + "\n#define " + guard + "\n");
    line("#include <stddef.h>\n#include <stdint.h>");
    if (!isForGPU)
      line("#include <setjmp.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>");
    line("\n" + std::string(cHeaderRanges));
    writeConstants();
    writeRules();
    writeCheck();
    if (isForGPU)
      writeGPULaunch();
    else
      writeCPULaunch();
    line("#endif /* " + guard + " */");
    return std::move(text);
  }

private:
  void line(const std::string &more) { text += more + "\n"; }

  /// Broken behind commas where it is long.
  void wrapped(llvm::StringRef more) {
    constexpr size_t most = 100;
    std::string indent;
    while (indent.size() + more.size() > most) {
      size_t comma = more.take_front(most - indent.size()).rfind(", ");
      if (comma == llvm::StringRef::npos)
        break;
      line(indent + more.take_front(comma + 1).str());
      more = more.drop_front(comma + 2);
      indent = "    ";
    }
    line(indent + more.str());
  }

  std::string machine() const {
    std::string platform = metadata.target.platform();
    return metadata.cpu.empty() ? platform : platform + " (" + metadata.cpu + ")";
  }

  static std::string identifier(llvm::StringRef name) {
    std::string result;
    for (char c : name)
      result += llvm::isAlnum(c) ? c : '_';
    if (result.empty() || llvm::isDigit(result[0]))
      result = "_" + result;
    return result;
  }

  /// A name that no other argument, keyword or macro has.
  std::string unique(std::string name) {
    static const llvm::StringSet<> keywords = {
        "alignas",  "alignof",  "and",    "asm",      "auto",      "bool",     "break",
        "case",     "catch",    "char",   "class",    "const",     "continue", "default",
        "delete",   "do",       "double", "else",     "enum",      "explicit", "export",
        "extern",   "false",    "float",  "for",      "friend",    "goto",     "if",
        "inline",   "int",      "long",   "mutable",  "namespace", "new",      "not",
        "nullptr",  "operator", "or",     "private",  "protected", "public",   "register",
        "restrict", "return",   "short",  "signed",   "sizeof",    "static",   "struct",
        "switch",   "template", "this",   "throw",    "true",      "try",      "typedef",
        "typeid",   "typename", "union",  "unsigned", "using",     "virtual",  "void",
        "volatile", "while",    "xor",    "linux",    "unix",      "NULL",     "EOF",
        "stdin",    "stdout",   "stderr", "errno",    "I",         "INT64_MIN"};
    if (keywords.contains(name) || llvm::StringRef(name).starts_with("tritium_"))
      name += "_";
    while (!names.insert(name).second)
      name += "_";
    return name;
  }

  static const char *elementName(DTypeKind kind) {
    switch (kind) {
    case DTypeKind::Int8:
      return "int8_t";
    case DTypeKind::Int16:
      return "int16_t";
    case DTypeKind::Int32:
      return "int32_t";
    case DTypeKind::Int64:
      return "int64_t";
    case DTypeKind::UInt16:
    case DTypeKind::Float16:
    case DTypeKind::BFloat16:
      return "uint16_t";
    case DTypeKind::UInt32:
      return "uint32_t";
    case DTypeKind::UInt64:
      return "uint64_t";
    case DTypeKind::Float32:
      return "float";
    case DTypeKind::Float64:
      return "double";
    case DTypeKind::Void:
      return "void";
    default: // bytes: bool, fp8
      return "uint8_t";
    }
  }

  bool isFloat(const DType &type) const {
    return !type.isPointer() && type.kind >= DTypeKind::Float8E5 && type.kind <= DTypeKind::Float64;
  }

  /// "const float *", "int32_t ".
  std::string typeOf(const ParameterInfo &parameter) const {
    const DType &type = parameter.type;
    if (!type.isPointer()) {
      // A CPU's entry takes narrow floats as f32, a GPU's by their bits.
      bool isWidened = !isForGPU && isFloat(type) && type.kind != DTypeKind::Float64;
      return std::string(isWidened ? "float" : elementName(type.kind)) + " ";
    }
    if (isForGPU)
      return "uint64_t ";
    std::string element =
        type.pointerDepth > 1 ? "void *" : std::string(elementName(type.kind)) + " ";
    if (!parameter.isWritten)
      element = type.pointerDepth > 1 ? "void *const " : "const " + element;
    return element + "*";
  }

  /// Declarations of the kernel's arguments and the grid.
  std::string declarations() const {
    std::string list;
    for (size_t i = 0; i < arguments.size(); ++i) {
      list += typeOf(metadata.parameters[i]) + arguments[i] + ", ";
      if (auto size = sizes.find(i); size != sizes.end())
        list += "size_t " + size->second + ", ";
    }
    return list + "uint32_t grid_x, uint32_t grid_y, uint32_t grid_z";
  }

  std::string passed() const {
    std::string list;
    for (size_t i = 0; i < arguments.size(); ++i) {
      list += arguments[i] + ", ";
      if (auto size = sizes.find(i); size != sizes.end())
        list += size->second + ", ";
    }
    return list + "grid_x, grid_y, grid_z";
  }

  /// The argument as an integer of 64 bits.
  std::string slotOf(size_t i) const {
    if (metadata.parameters[i].type.isPointer() && !isForGPU)
      return "(uint64_t)(uintptr_t)" + arguments[i];
    return "(uint64_t)" + arguments[i];
  }

  void define(const char *name, const std::string &value) {
    line("#define " + prefix + "_" + name + " " + value);
  }

  void writeConstants() {
    define("symbol", quoted(metadata.entry));
    define("target", quoted(metadata.target.platform()));
    define("rules", std::to_string(rules.size()));
    if (isForGPU) {
      define("num_warps", std::to_string(metadata.numWarps));
      define("threads", std::to_string(32 * metadata.numWarps) + " /* of a block, along x */");
      define("num_ctas", std::to_string(metadata.numCtas) + " /* of a cluster, along x */");
      define("shared_bytes", std::to_string(metadata.sharedBytes) + " /* dynamic, of a block */");
    } else {
      define("scratch_bytes", std::to_string(metadata.scratchBytes) +
                                  " /* of a thread that runs programs, aligned to 64 */");
    }
  }

  void writeRules() {
    line("\n/* The text of a rule, from 1; \"\" for other numbers. */");
    line("static inline const char *" + prefix + "_rule(int number) {");
    line("  switch (number) {");
    for (const auto &[i, rule] : llvm::enumerate(rules))
      line("  case " + std::to_string(i + 1) + ":\n    return " + quoted(rule.text) + ";");
    line("  default:\n    return \"\";\n  }\n}\n");
  }

  /// What breaks the rule, as a condition in C.
  std::string broken(const LaunchRule &rule) const {
    switch (rule.kind) {
    case LaunchRule::GridIsNotEmpty:
      return "grid_x == 0 || grid_y == 0 || grid_z == 0";
    case LaunchRule::GridIsInLimits: {
      GridLimits limits = gridLimits(metadata);
      std::string text = formatv("grid_x > {0}u || grid_y > {1}u || grid_z > {2}u",
                                 limits.dimension[0], limits.dimension[1], limits.dimension[2]);
      // The product of two dimensions is below 2^62.
      if (!isForGPU)
        text += " ||\n      (uint64_t)grid_x * grid_y > ((UINT64_C(1) << 62) - 1) / grid_z";
      return text;
    }
    case LaunchRule::IsMultiple: {
      bool isPointer = metadata.parameters[rule.parameter].type.isPointer();
      return (isPointer ? slotOf(rule.parameter) : arguments[rule.parameter]) + " % " +
             std::to_string(rule.divisor) + " != 0";
    }
    case LaunchRule::DoNotOverlap: {
      auto reach = [&](size_t i) { return slotOf(i) + ", " + sizes.find(i)->second; };
      return "tritium_overlap(" + reach(rule.parameter) + ", " + reach(rule.other) + ")";
    }
    case LaunchRule::IsAtLeastOne:
    case LaunchRule::DoesNotWrap:
      return "!tritium_r.known || tritium_r.low < 1";
    }
    return "1";
  }

  /// The scalar's bounds in r, a step a line.
  void writeScalar(const LaunchCondition &condition) {
    std::vector<std::string> stack;
    size_t count = 0;
    for (const ScalarStep &step : condition) {
      std::string value = leaf(step);
      if (size_t takes = takenBy(step)) {
        value = "tritium_range_" + std::string(operation(step)) + "(";
        if (stack.size() < takes)
          break;
        for (size_t i = stack.size() - takes; i < stack.size(); ++i)
          value += (value.back() == '(' ? "" : ", ") + stack[i];
        value += ")";
        stack.resize(stack.size() - takes);
      }
      stack.push_back("tritium_r" + std::to_string(count++));
      line("    tritium_range " + stack.back() + " =\n        tritium_range_fit(" + value + ", " +
           std::to_string(step.bits) + ");");
    }
    line("    tritium_range tritium_r = " +
         (stack.size() == 1 ? stack[0] : std::string("tritium_range_unknown()")) + ";");
  }

  static size_t takenBy(const ScalarStep &step) {
    return step.kind < ScalarStep::Sum ? 0 : step.kind == ScalarStep::LoopIndex ? 3 : 2;
  }

  std::string leaf(const ScalarStep &step) const {
    auto number = size_t(step.value);
    std::string axis = number < 3 ? std::string("grid_") + "xyz"[number] : "";
    if (step.kind == ScalarStep::Constant)
      return "tritium_range_of(" + literal(step.value) + ", " + literal(step.value) + ", 64)";
    if (step.kind == ScalarStep::Argument && number < arguments.size() && step.bits &&
        !isFloat(metadata.parameters[number].type))
      return "tritium_range_argument(" + slotOf(number) + ", " + std::to_string(step.bits) + ")";
    if (step.kind == ScalarStep::ProgramId && number < 3)
      return "tritium_range_of(0, (int64_t)" + axis + " - 1, 64)";
    if (step.kind == ScalarStep::NumPrograms && number < 3)
      return "tritium_range_of(" + axis + ", " + axis + ", 64)";
    return "tritium_range_unknown()";
  }

  static const char *operation(const ScalarStep &step) {
    switch (step.kind) {
    case ScalarStep::Sum:
      return "sum";
    case ScalarStep::Difference:
      return "difference";
    case ScalarStep::Product:
      return "product";
    case ScalarStep::Quotient:
      return "quotient";
    case ScalarStep::Remainder:
      return "remainder";
    case ScalarStep::Minimum:
      return "minimum";
    case ScalarStep::Maximum:
      return "maximum";
    default:
      return "loop";
    }
  }

  void writeCheck() {
    line("/* 0, or the number of the first rule that the launch breaks. */");
    wrapped("static inline int " + prefix + "_check(" + declarations() + ") {");
    for (size_t i = 0; i < arguments.size(); ++i)
      line("  (void)" + arguments[i] + ";");
    for (const auto &[i, rule] : llvm::enumerate(rules)) {
      bool isScalar = rule.condition != nullptr;
      if (isScalar) {
        line("  {");
        writeScalar(*rule.condition);
      }
      line((isScalar ? "    if (" : "  if (") + broken(rule) + ")");
      line((isScalar ? "      return " : "    return ") + std::to_string(i + 1) + ";");
      if (isScalar)
        line("  }");
    }
    line("  return 0;\n}\n");
  }

  void writeCPULaunch() {
    line(cHeaderHostCalls);
    line("#ifdef __cplusplus\nextern \"C\"\n#endif");
    line("/* The entry: runs the programs [begin, end) of the flattened grid, x fastest. slots: an "
         "argument\n   each, in the low bytes; floats narrower than f64 as f32. scratch: " +
         prefix +
         "_scratch_bytes\n   of this thread's own, aligned to 64; null if there are "
         "none. */");
    std::string entry = identifier(metadata.entry);
    bool isPlain = entry == metadata.entry;
    line("void " + entry +
         "(const uint64_t *slots, void *scratch, int64_t begin, int64_t end, const uint32_t "
         "*grid,\n    const tritium_host_calls *host)" +
         (isPlain ? "" : " __asm__(" + quoted(metadata.entry) + ")") + ";\n");
    line("static inline int " + prefix +
         "_call(const uint64_t *slots, int64_t begin, int64_t end,");
    line("    const uint32_t *grid, int is_alone) {");
    line("  tritium_call call;\n  tritium_host_calls host;");
    line("  char *volatile memory = NULL;\n  void *scratch = NULL;\n  volatile int status = 0;");
    line("  if (" + prefix + "_scratch_bytes) {");
    line("    memory = (char *)malloc((size_t)" + prefix + "_scratch_bytes + 63);");
    line("    if (!memory)\n      return -1;");
    line("    scratch = (void *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);\n  }");
    line("  call.waits = 0;\n  host.user = &call;\n  host.print = tritium_print;\n"
         "  host.assert_failed = tritium_assert_failed;\n  host.attention = NULL;\n"
         "  host.attend = NULL;\n  host.wait = is_alone ? tritium_wait_in_vain : NULL;");
    line("  if (setjmp(call.failed) == 0)\n    " + entry +
         "(slots, scratch, begin, end, grid, &host);");
    line("  else\n    status = -2;\n  if (status == 0 && call.waits)\n    status = -3;");
    line("  free(memory);\n  return status;\n}\n");

    line("/* Runs programs [begin, end) in this thread, with scratch memory. 0; -1: there is no "
         "memory; -2:\n   an assertion failed, of which standard error tells. */");
    line("static inline int " + prefix + "_run(const uint64_t *slots, int64_t begin, int64_t end,");
    line("    const uint32_t *grid) {");
    line("  return " + prefix + "_call(slots, begin, end, grid, 0);\n}\n");

    line("/* Checks the launch and runs it in this thread. 0, the number of the rule that it "
         "breaks, or what\n   " +
         prefix + "_run answers; -3: a program waits for a later one. */");
    wrapped("static inline int " + prefix + "_launch(" + declarations() + ") {");
    line("  uint64_t slots[" + std::to_string(std::max<size_t>(1, arguments.size())) + "] = {0};");
    line("  uint32_t grid[3];");
    wrapped("  int status = " + prefix + "_check(" + passed() + ");");
    line("  if (status)\n    return status;");
    for (size_t i = 0; i < arguments.size(); ++i) {
      std::string slot = "slots[" + std::to_string(i) + "]";
      if (isFloat(metadata.parameters[i].type))
        line("  memcpy(&" + slot + ", &" + arguments[i] + ", sizeof " + arguments[i] + ");");
      else if (metadata.parameters[i].type.kind == DTypeKind::Int1 &&
               !metadata.parameters[i].type.isPointer())
        line("  " + slot + " = " + arguments[i] + " != 0;");
      else
        line("  " + slot + " = " + slotOf(i) + ";");
    }
    line("  grid[0] = grid_x;\n  grid[1] = grid_y;\n  grid[2] = grid_z;");
    line("  return " + prefix +
         "_call(slots, 0, (int64_t)((uint64_t)grid_x * grid_y * grid_z), grid, 1);\n}\n");
  }

  void writeGPULaunch() {
    std::vector<std::string> attributes;
    if (metadata.numCtas > 1)
      attributes.push_back(formatv("id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;\n"
                                   "  attributes[{0}].value.clusterDim.x = {1};\n"
                                   "  attributes[{0}].value.clusterDim.y = 1;\n"
                                   "  attributes[{0}].value.clusterDim.z = 1;",
                                   attributes.size(), metadata.numCtas));
    if (options.isOn("launch_cooperative_grid"))
      attributes.push_back(formatv("id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;\n"
                                   "  attributes[{0}].value.cooperative = 1;",
                                   attributes.size()));
    bool overlaps = overlapsLaunches(metadata, options);
    std::string isAllowed = " 1";
    if (overlaps)
      isAllowed = "\n      cuDriverGetVersion(&driver) == CUDA_SUCCESS && driver >= " +
                  std::to_string(kFirstDriverThatOverlaps);
    if (overlaps || options.isOn("launch_pdl"))
      attributes.push_back(
          formatv("id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;\n"
                  "  attributes[{0}].value.programmaticStreamSerializationAllowed ={1};",
                  attributes.size(), isAllowed));
    line("#ifdef CUDA_VERSION /* where <cuda.h> comes first */");
    line("/* Queues the kernel, `function` of the loaded module, on a stream. "
         "CUDA_ERROR_INVALID_VALUE for a\n   launch that breaks a rule. */");
    wrapped("static inline CUresult " + prefix + "_launch(CUfunction function, CUstream stream, " +
            declarations() + ") {");
    line("  CUlaunchConfig config;");
    if (!attributes.empty())
      line("  CUlaunchAttribute attributes[" + std::to_string(attributes.size()) + "];");
    line("  void *arguments[" + std::to_string(arguments.size() + 1) + "] = {0};");
    if (overlaps)
      line("  int driver = 0;");
    line("  CUresult status;");
    wrapped("  if (" + prefix + "_check(" + passed() + "))");
    line("    return CUDA_ERROR_INVALID_VALUE;");
    for (size_t i = 0; i < arguments.size(); ++i)
      line("  arguments[" + std::to_string(i) + "] = &" + arguments[i] + ";");
    line("  status = cuFuncSetAttribute(function, "
         "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,\n                              " +
         prefix + "_shared_bytes);");
    line("  if (status != CUDA_SUCCESS)\n    return status;");
    for (const auto &[i, attribute] : llvm::enumerate(attributes))
      line("  attributes[" + std::to_string(i) + "]." + attribute);
    line("  config.gridDimX = grid_x * " + prefix + "_num_ctas;");
    line("  config.gridDimY = grid_y;\n  config.gridDimZ = grid_z;");
    line("  config.blockDimX = " + prefix + "_threads;");
    line("  config.blockDimY = 1;\n  config.blockDimZ = 1;");
    line("  config.sharedMemBytes = " + prefix + "_shared_bytes;\n  config.hStream = stream;");
    line(attributes.empty() ? "  config.attrs = NULL;\n  config.numAttrs = 0;"
                            : "  config.attrs = attributes;\n  config.numAttrs = " +
                                  std::to_string(attributes.size()) + ";");
    line("  return cuLaunchKernelEx(&config, function, arguments, NULL);\n}");
    line("#endif /* CUDA_VERSION */\n");
  }

  const KernelMetadata &metadata;
  const CompileOptions &options;
  bool isForGPU;
  std::vector<LaunchRule> rules;
  std::string prefix, text;
  llvm::StringSet<> names;
  std::vector<std::string> arguments;  ///< their names in C
  std::map<size_t, std::string> sizes; ///< names of numbers of bytes, by parameter
};

} // namespace

std::string tritium::runtime::cHeader(const KernelMetadata &metadata,
                                      const CompileOptions &options) {
  return CHeader(metadata, options).write();
}
