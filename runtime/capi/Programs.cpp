//===- Programs.cpp - Triton-C of the C interface -------------------------===//

#include "Programs.h"
#include "../Files.h"
#include "Tuning.h"

#include <filesystem>

using namespace tritium;
using namespace tritium::capi;
using runtime::ChosenOptions;
using runtime::Program;

static std::vector<runtime::Alternatives> toDefinitions(const tritium_define *defines,
                                                        size_t count) {
  std::vector<runtime::Alternatives> result;
  for (size_t i = 0; i < count; ++i) {
    runtime::Alternatives define{defines[i].name, {}};
    if (defines[i].values) {
      define.values = {defines[i].values, defines[i].values + defines[i].value_count};
    } else {
      std::string text = defines[i].value ? defines[i].value : "1";
      auto list = runtime::listValues(text);
      define.values = list ? std::move(*list) : std::vector<std::string>{text};
    }
    result.push_back(std::move(define));
  }
  return result;
}

/// Checks that the names are identifiers: they become text of directives.
static bool checkNames(const std::vector<runtime::Alternatives> &defines, CompileError &error) {
  for (const auto &[name, values] : defines) {
    if (runtime::identifiersIn(name) != std::set<std::string>{name}) {
      error = runtime::launchError("OptionError", "'" + name + "' is no name of a macro");
      return false;
    }
    for (const std::string &text : values)
      if (text.find('\n') != std::string::npos) {
        error =
            runtime::launchError("OptionError", "a value of '" + name + "' has more than one line");
        return false;
      }
  }
  return true;
}

static bool toSource(const tritium_program_source &from, runtime::ProgramSource &source,
                     CompileError &error) {
  source.file = from.file ? from.file : "<text>";
  if (from.text) {
    source.text = from.text;
  } else {
    std::error_code status;
    if (!std::filesystem::is_regular_file(source.file, status)) {
      error = runtime::launchError("CompilationError", source.file + ": no such file");
      error.file = source.file;
      return false;
    }
    source.text = runtime::readFile(source.file);
  }
  source.name = from.name ? from.name : "";
  source.space.defines = toDefinitions(from.defines, from.define_count);
  source.space.numWarps = {from.num_warps, from.num_warps + from.num_warps_count};
  for (size_t i = 0; i < from.set_count; ++i) {
    const tritium_define_set &set = from.sets[i];
    runtime::ChoiceSpace::Config config;
    config.defines = toDefinitions(set.defines, set.count);
    if (set.num_warps)
      config.numWarps = set.num_warps;
    if (!checkNames(config.defines, error))
      return false;
    source.space.configs.push_back(std::move(config));
  }
  source.includePaths = {from.include_paths, from.include_paths + from.include_path_count};
  source.key = {from.key, from.key + from.key_count};
  return checkNames(source.space.defines, error);
}

tritium_program *tritium_program_create(const tritium_program_source *source,
                                        const tritium_kernel_config *config, tritium_error *error) {
  return guarded(error, static_cast<tritium_program *>(nullptr), [&]() -> tritium_program * {
    CompileError failure;
    runtime::ProgramSource owned;
    llvm::IntrusiveRefCntPtr<Program> program;
    if (toSource(*source, owned, failure))
      program = Program::create(std::move(owned), config, failure);
    if (!program) {
      report(failure, error);
      return nullptr;
    }
    program->Retain();
    return reinterpret_cast<tritium_program *>(program.get());
  });
}

void tritium_program_retain(tritium_program *program) {
  if (program)
    unwrap(program)->Retain();
}

void tritium_program_release(tritium_program *program) {
  if (program)
    unwrap(program)->Release();
}

const char *tritium_program_name(const tritium_program *program) {
  return unwrap(program)->declaration().name.c_str();
}

size_t tritium_program_kernel_count(const tritium_program *program) {
  return unwrap(program)->declaration().kernels.size();
}

const char *tritium_program_kernel_name(const tritium_program *program, size_t index) {
  const auto &names = unwrap(program)->declaration().kernels;
  return index < names.size() ? names[index].c_str() : nullptr;
}

const char *tritium_program_warning(const tritium_program *program) {
  return unwrap(program)->warning().c_str();
}

//===-- Declarations ------------------------------------------------------===//

size_t tritium_program_parameter_count(const tritium_program *program) {
  return unwrap(program)->declaration().parameters.size();
}

tritium_declaration tritium_program_parameter(const tritium_program *program, size_t index) {
  const auto &parameters = unwrap(program)->declaration().parameters;
  if (index >= parameters.size())
    return {};
  const KernelParameter &parameter = parameters[index];
  return {parameter.name.c_str(), parameter.annotation.c_str(),
          runtime::fromDType(parameter.type.value_or(DType()))};
}

size_t tritium_program_table_count(const tritium_program *program) {
  return unwrap(program)->declaration().tables.size();
}

tritium_declaration tritium_program_table(const tritium_program *program, size_t index) {
  const auto &tables = unwrap(program)->declaration().tables;
  if (index >= tables.size())
    return {};
  return {tables[index].name.c_str(), "", runtime::fromDType(tables[index].element)};
}

int tritium_program_fill_table(tritium_program *program, const char *name, const void *data,
                               size_t bytes, tritium_error *error) {
  return guarded(error, 1, [&] {
    CompileError failure;
    if (unwrap(program)->fillTable(name, {static_cast<const uint8_t *>(data), bytes}, failure))
      return 0;
    report(failure, error);
    return 1;
  });
}

//===-- Choices -----------------------------------------------------------===//

size_t tritium_program_choice_count(const tritium_program *program) {
  return unwrap(program)->choices().size();
}

const char *tritium_program_choice_label(const tritium_program *program, size_t choice) {
  const auto &choices = unwrap(program)->choices();
  return choice < choices.size() ? choices[choice].label.c_str() : nullptr;
}

const char *tritium_program_choice_value(const tritium_program *program, size_t choice,
                                         const char *name) {
  return guarded(nullptr, static_cast<const char *>(nullptr), [&] {
    const auto &choices = unwrap(program)->choices();
    const std::string *text = choice < choices.size() ? choices[choice].find(name) : nullptr;
    return text ? text->c_str() : nullptr;
  });
}

const char *tritium_chosen_text(const tritium_chosen *chosen, const char *name) {
  return guarded(nullptr, static_cast<const char *>(nullptr), [&] {
    const std::string *text = reinterpret_cast<const ChosenOptions *>(chosen)->find(name);
    return text ? text->c_str() : nullptr;
  });
}

int tritium_chosen_integer(const tritium_chosen *chosen, const char *name, int64_t *value) {
  return guarded(nullptr, 1, [&] {
    const std::string *text = reinterpret_cast<const ChosenOptions *>(chosen)->find(name);
    std::optional<int64_t> number = text ? runtime::integerValue(*text) : std::nullopt;
    if (number)
      *value = *number;
    return number ? 0 : 1;
  });
}

//===-- Launches ----------------------------------------------------------===//

Program::Call capi::toCall(const tritium_argument *arguments, size_t count,
                           const tritium_option *options, size_t optionCount,
                           tritium_grid_function grid, void *user, void *stream) {
  Program::Call call;
  call.arguments = {arguments, count};
  call.options = {options, optionCount};
  call.stream = stream;
  call.grid = [=](const ChosenOptions &chosen, uint32_t dims[3], CompileError &stopped) {
    int status = 1;
    std::string reason = "the grid function failed";
    callHost(reason,
             [&] { status = grid(user, reinterpret_cast<const tritium_chosen *>(&chosen), dims); });
    if (status != 0)
      stopped = runtime::launchError("Stopped", reason);
    return status == 0;
  };
  return call;
}

int tritium_program_launch(tritium_program *program, const tritium_argument *arguments,
                           size_t count, const tritium_option *options, size_t optionCount,
                           tritium_grid_function grid, void *user, void *stream,
                           tritium_launched *launched, tritium_error *error) {
  if (launched)
    *launched = {};
  return guarded(error, 1, [&] {
    CompileError failure;
    Program::Call call = toCall(arguments, count, options, optionCount, grid, user, stream);
    Program::Launched done;
    bool isDone = unwrap(program)->launch(call, done, failure);
    if (launched) {
      launched->choice = done.choice;
      launched->warning = done.warning;
      launched->compiled = release(std::move(done.variant));
      if (done.tuning && isDone)
        launched->tuned = release(std::move(*done.tuning));
    }
    if (isDone)
      return 0;
    report(failure, error);
    return 1;
  });
}

tritium_compiled *tritium_program_specialize(tritium_program *program, size_t choice,
                                             const int64_t *divisibility, size_t count,
                                             const tritium_option *options, size_t optionCount,
                                             const char *cpu, tritium_error *error) {
  return guarded(error, static_cast<tritium_compiled *>(nullptr), [&]() -> tritium_compiled * {
    CompileError failure;
    runtime::VariantRef variant;
    std::optional<Target> target;
    if (choice < unwrap(program)->choices().size()) {
      if (readTarget(cpu, target, failure))
        variant = unwrap(program)->specialize(choice, {divisibility, count}, {options, optionCount},
                                              target, failure);
    } else
      failure = runtime::launchError("ArgumentError", "there is no such choice");
    if (!variant)
      report(failure, error);
    return release(std::move(variant));
  });
}
