//===- Prelude.cpp - what stands before every file ------------------------===//

#include "Prelude.h"

#include "llvm/ADT/StringExtras.h"

using namespace tritium;
using namespace tritium::frontend::tritonc;

std::string_view tritium::frontend::tritonc::prelude() {
  return R"(#define __STDC__ 1
#define __STDC_VERSION__ 201103L
#undef __BASE_FILE__
#undef __COUNTER__
#undef __FILE_NAME__
#undef __FLT_EVAL_METHOD__
#undef __INCLUDE_LEVEL__
#undef __TIME__
#undef __TIMESTAMP__
#undef __building_module
#undef __has_attribute
#undef __has_builtin
#undef __has_c_attribute
#undef __has_constexpr_builtin
#undef __has_declspec_attribute
#undef __has_embed
#undef __has_extension
#undef __has_feature
#undef __has_warning
#undef __is_identifier
#undef __is_target_arch
#undef __is_target_environment
#undef __is_target_os
#undef __is_target_variant_environment
#undef __is_target_variant_os
#undef __is_target_vendor
#define bool _Bool
#define true 1
#define false 0
#define __readonly __attribute__((readonly))
#define __writeonly __attribute__((writeonly))
#define __noalias __attribute__((noalias))
#define __retune __attribute__((retune))
#define __aligned(bytes) __attribute__((aligned(bytes)))
#define __multipleof(divisor) __attribute__((multipleof(divisor)))
#define F32_INFINITY bitcast<float>(0x7F800000)
#define F16_INFINITY bitcast<half>((short)0x7C00)
)";
}

std::string_view tritium::frontend::tritonc::definedName(std::string_view name) {
  return name.substr(0, name.find('('));
}

static bool isIdentifier(std::string_view name) {
  if (name.empty() || llvm::isDigit(name[0]))
    return false;
  for (char c : name)
    if (!llvm::isAlnum(c) && c != '_' && c != '$')
      return false;
  return true;
}

/// Why a definition's text would not end with its line; empty if it does.
static std::string_view openEnd(std::string_view text) {
  if (text.find_first_of("\n\r") != text.npos)
    return "has more than one line";
  if (!text.empty() && text.back() == '\\')
    return "ends with a backslash";
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\'') {
      char quote = text[i++];
      while (i < text.size() && text[i] != quote)
        i += text[i] == '\\' ? 2 : 1;
    } else if (text.substr(i, 2) == "//") {
      break;
    } else if (text.substr(i, 2) == "/*") {
      size_t end = text.find("*/", i + 2);
      if (end == text.npos)
        return "has a comment without an end";
      i = end + 1;
    }
  }
  return "";
}

std::optional<std::string> tritium::frontend::tritonc::defineLines(const SourceUnit &unit,
                                                                   DiagnosticEngine &diagnostics) {
  std::string lines;
  for (const auto &[name, text] : unit.defines) {
    bool hasParameters = name.size() != definedName(name).size();
    if (!isIdentifier(definedName(name)) || (hasParameters && name.back() != ')') ||
        !openEnd(name).empty()) {
      diagnostics.error({}, "definition '" + name + "': expected the name of a macro, as in TM, " +
                                "or one with its parameters, as in AT(p, i)");
      return std::nullopt;
    }
    if (std::string_view problem = openEnd(text); !problem.empty()) {
      diagnostics.error({}, "the definition of '" + name + "' " + std::string(problem));
      return std::nullopt;
    }
    lines.append("#define ").append(name).append(" ").append(text).append("\n");
  }
  return lines;
}
