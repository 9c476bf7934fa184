//===- kernels.hpp - kernels and their launches ----------------*- C++ -*-===//

#ifndef TRITIUM_CPP_KERNELS_HPP
#define TRITIUM_CPP_KERNELS_HPP

#include "tritium/c/process.h"
#include "tritium/c/programs.h"
#include "tritium/cpp/arguments.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tritium {

/// Where launches are queued. On a GPU: a stream of the device that the arguments are on,
/// the default stream if it is null; a launch returns before it has finished. A CPU has
/// one queue: launches run in order, and each has finished when it returns.
struct Stream {
  void *handle = nullptr; ///< a CUstream or cudaStream_t
};

/// Ends what runs now on the host in any thread: launches, simulations, tuning and waits for a
/// GPU. Each throws an Error of the kind "Interrupted". May be called from a signal handler.
inline void cancel() { tritium_cancel(); }

/// One to three dimensions.
struct Grid {
  std::array<uint32_t, 3> dims = {1, 1, 1};
  template <std::integral... T>
    requires(sizeof...(T) >= 1 && sizeof...(T) <= 3)
  Grid(T... sizes) {
    size_t axis = 0;
    ((dims[axis++] = check(sizes)), ...);
  }

private:
  template <typename T> static uint32_t check(T size) {
    if (std::cmp_less(size, 0) || std::cmp_greater(size, INT32_MAX))
      throw Error("a grid's dimension must be from 0 to 2147483647, but got " +
                  std::to_string(size));
    return static_cast<uint32_t>(size);
  }
};

namespace detail {

template <typename T, void (*release)(T *)> struct Releaser {
  void operator()(T *handle) const { release(handle); }
};
template <typename T, void (*release)(T *)> using Handle = std::unique_ptr<T, Releaser<T, release>>;

} // namespace detail

/// What a grid is computed from: the macros that a launch of a Triton-C kernel chose, and
/// num_warps. Of use only while the grid function runs.
class Options {
public:
  explicit Options(const tritium_chosen *chosen) : chosen(chosen) {}
  /// The value of a macro whose text is an integer.
  int64_t operator[](const char *name) const {
    int64_t value = 0;
    if (tritium_chosen_integer(chosen, name, &value) != 0)
      throw Error("the grid asks for '" + std::string(name) + "', which " +
                  (tritium_chosen_text(chosen, name) ? "is '" + text(name) + "', no integer"
                                                     : std::string("no option defines")));
    return value;
  }
  template <typename T> T D(const char *name) const { return static_cast<T>((*this)[name]); }
  /// The text of a macro.
  std::string text(const char *name) const {
    const char *found = tritium_chosen_text(chosen, name);
    if (!found)
      throw Error("the grid asks for '" + std::string(name) + "', which no option defines");
    return found;
  }

private:
  const tritium_chosen *chosen;
};

/// A kernel with some of its parameters bound to compile-time values, or of a Triton-C
/// file with its macros.
class Kernel {
public:
  using Bindings = std::initializer_list<std::pair<const char *, Value>>;

  /// Names in `bindings` are parameters, or options of a launch.
  Kernel(tritium_kernel *owned, Bindings bindings) : handle(owned) {
    bound.resize(tritium_kernel_parameter_count(owned));
    for (const auto &[name, value] : bindings) {
      values.push_back(std::make_unique<Value>(value));
      if (tritium_argument *argument = find(name))
        *argument = detail::toArgument(*values.back());
      else
        options.push_back({keep(name), values.back()->get()});
    }
    for (size_t i = 0; i < bound.size(); ++i)
      if (bound[i].kind == TRITIUM_ARG_ABSENT)
        free.push_back(i);
  }
  explicit Kernel(tritium_program *owned) : program(owned) {
    bound.resize(tritium_program_parameter_count(owned));
    for (size_t i = 0; i < bound.size(); ++i)
      free.push_back(i);
  }

  /// Runs every program of `grid`. `arguments` are the parameters that are not bound, in
  /// order: spans, vectors or arrays (their extent is known), Buffers, pointers, numbers,
  /// bools, nullptr, Values. Those left out at the end take their defaults.
  template <typename... Arguments>
  void launch(Grid grid, Stream stream, Arguments &&...arguments) const {
    if (program)
      return launchProgram([&](const Options &) { return grid; }, stream, arguments...);
    std::vector<tritium_argument> all = bound;
    [[maybe_unused]] size_t position = 0;
    (place(all, position++, arguments), ...);
    tritium_error error = {};
    if (tritium_kernel_launch_on(handle.get(), all.data(), all.size(), options.data(),
                                 options.size(), grid.dims.data(), stream.handle, nullptr,
                                 &error) != 0)
      throw Error(error);
  }

  /// The same with a grid that depends on what a Triton-C kernel's tuning chose:
  ///   k.launch([&](const tritium::Options &opt) {
  ///     return tritium::Grid(tritium::cdiv(n, opt["TM"])); }, tritium::Stream{}, x, y, n);
  template <typename Function, typename... Arguments>
    requires std::is_invocable_r_v<Grid, Function, const Options &>
  void launch(Function &&grid, Stream stream, Arguments &&...arguments) const {
    if (!program)
      throw Error(std::string("kernel '") + name() +
                  "': only kernels in Triton-C have options that a grid can depend on");
    launchProgram(grid, stream, arguments...);
  }

  /// Gives a Triton-C kernel's constant table its content, for the launches that follow.
  template <detail::Range T> void fill(const char *table, const T &content) const {
    std::span view(content);
    tritium_error error = {};
    if (!program)
      throw Error(std::string("kernel '") + name() + "' is not in Triton-C");
    if (tritium_program_fill_table(program.get(), table, view.data(), view.size_bytes(), &error))
      throw Error(error);
  }

  const char *name() const {
    return program ? tritium_program_name(program.get()) : tritium_kernel_name(handle.get());
  }
  /// The native object; null for a kernel in Triton-C.
  tritium_kernel *get() const { return handle.get(); }
  /// The native object of a kernel in Triton-C, else null.
  tritium_program *getProgram() const { return program.get(); }

private:
  const char *keep(const char *name) {
    names.push_back(std::make_unique<std::string>(name));
    return names.back()->c_str();
  }

  tritium_argument *find(const std::string &name) {
    for (size_t i = 0; i < bound.size(); ++i)
      if (name == tritium_kernel_parameter(handle.get(), i)->name)
        return &bound[i];
    return nullptr;
  }

  template <typename T>
  void place(std::vector<tritium_argument> &all, size_t position, T &value) const {
    if (position >= free.size())
      throw Error(std::string("kernel '") + name() + "' takes " + std::to_string(free.size()) +
                  " arguments, but got more");
    all[free[position]] = detail::toArgument(value);
  }

  template <typename Function, typename... Arguments>
  void launchProgram(Function &&function, Stream stream, Arguments &...arguments) const {
    std::vector<tritium_argument> all = {detail::toArgument(arguments)...};
    struct Call {
      Function &function;
      std::exception_ptr thrown;
    } call{function, nullptr};
    auto grid = [](void *user, const tritium_chosen *chosen, uint32_t dims[3]) {
      auto *self = static_cast<Call *>(user);
      try {
        Grid computed = self->function(Options(chosen));
        std::copy(computed.dims.begin(), computed.dims.end(), dims);
        return 0;
      } catch (...) {
        self->thrown = std::current_exception();
        return 1;
      }
    };
    tritium_error error = {};
    tritium_launched launched = {};
    int status = tritium_program_launch(program.get(), all.data(), all.size(), nullptr, 0, grid,
                                        &call, stream.handle, &launched, &error);
    tritium_compiled_release(launched.compiled);
    tritium_tuned_release(launched.tuned);
    if (launched.warning)
      std::fprintf(stderr, "warning: %s\n", launched.warning);
    if (call.thrown) {
      tritium_error_clear(&error);
      std::rethrow_exception(call.thrown);
    }
    if (status != 0)
      throw Error(error);
  }

  detail::Handle<tritium_kernel, tritium_kernel_release> handle;
  detail::Handle<tritium_program, tritium_program_release> program; ///< one of the two
  std::vector<tritium_argument> bound;
  std::vector<size_t> free; ///< parameters that a launch gives
  std::vector<std::unique_ptr<Value>> values;
  std::vector<std::unique_ptr<std::string>> names;
  std::vector<tritium_option> options;
};

/// The least integer that is not below a / b, for positive ones.
template <std::integral A, std::integral B> constexpr auto cdiv(A a, B b) {
  return (a + b - 1) / b;
}

} // namespace tritium

#endif // TRITIUM_CPP_KERNELS_HPP
