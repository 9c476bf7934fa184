//===- tritium.hpp - Tritium for C++ programs -------------------*- C++ -*-===//
//
// Objects around tritium.h; header only. Errors are thrown as tritium::Error.
//
//   tritium::Module m = tritium::load("matmul.py");
//   auto k = m.kernel("matmul", {{"BM", 128}, {"BN", 128}, {"BK", 32}});
//   k.launch({gridX, gridY}, tritium::Stream{}, a, b, c, M, N, K);
//
//   tritium::Module d = tritium::load("dot.tc", {.defines = {{"TYPE", "half"},
//                                                            {"TM", "[64, 128]"}}});
//   d.kernel("dot").launch([&](const tritium::Options &opt) {
//     return tritium::Grid(tritium::cdiv(M, opt["TM"])); }, tritium::Stream{}, a, b, c, M);
//
// A launch compiles on first use (and finds the result on disk the next time), runs
// every program of the grid and returns when all have finished.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_TRITIUM_HPP
#define TRITIUM_TRITIUM_HPP

#include "tritium/tritium.h"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tritium {

/// Anything that went wrong: in a kernel's text, in a launch's arguments, while it ran.
class Error : public std::runtime_error {
public:
  /// Takes what `error` holds and clears it.
  explicit Error(tritium_error &error)
      : std::runtime_error(error.rendered ? error.rendered : "unknown error"),
        kind(error.kind ? error.kind : ""), message(error.message ? error.message : ""),
        file(error.file ? error.file : ""), line(error.line), column(error.column) {
    tritium_error_clear(&error);
  }
  explicit Error(const std::string &text) : std::runtime_error(text), message(text) {}

  std::string kind;    ///< see tritium_error
  std::string message; ///< one line; what() has the source line and a caret, too
  std::string file;
  int line = 0, column = 0;
};

/// An element type by its name in signatures: "fp32", "bf16", "i64", ...
class DType {
public:
  DType(const char *name) {
    if (tritium_dtype_parse(name, &type) != 0)
      throw Error(std::string("no element type is called '") + name + "'");
  }
  tritium_dtype get() const { return type; }

private:
  tritium_dtype type = {};
};

/// A compile-time value: None, a bool, an int, a float, a string, a type or a tuple.
class Value {
public:
  Value() = default;
  Value(std::nullptr_t) {}
  Value(bool flag) {
    value.kind = TRITIUM_BOOL;
    value.as.boolean = flag;
  }
  template <std::integral T> Value(T number) {
    value.kind = TRITIUM_INT;
    value.as.integer.low = static_cast<uint64_t>(number);
    value.as.integer.high = std::is_signed_v<T> && number < T(0) ? -1 : 0;
  }
  Value(double number) {
    value.kind = TRITIUM_FLOAT;
    value.as.number = number;
  }
  Value(const char *text) : Value(std::string(text)) {}
  Value(std::string text) : text(std::make_shared<std::string>(std::move(text))) {
    value.kind = TRITIUM_STRING;
    value.as.string = {this->text->data(), this->text->size()};
  }
  Value(DType type) {
    value.kind = TRITIUM_DTYPE;
    value.as.dtype = type.get();
  }
  static Value tuple(std::vector<Value> items) {
    Value result;
    result.items = std::make_shared<std::vector<Value>>(std::move(items));
    result.views = std::make_shared<std::vector<tritium_value>>();
    for (const Value &item : *result.items)
      result.views->push_back(item.value);
    result.value.kind = TRITIUM_TUPLE;
    result.value.as.tuple = {result.views->data(), result.views->size()};
    return result;
  }

  const tritium_value &get() const { return value; }

private:
  tritium_value value = {};
  std::shared_ptr<std::string> text; // what `value` points to; copies share it
  std::shared_ptr<std::vector<Value>> items;
  std::shared_ptr<std::vector<tritium_value>> views;
};

/// Memory with an element type and a size that the C++ type does not tell. A span or a vector
/// stands for its elements alone: where a kernel reaches from one argument into another, pass both
/// as Buffers with the allocation that they are parts of, so that the order of accesses is kept.
struct Buffer {
  const void *data;
  DType type;   ///< of the elements: "bf16", ...
  size_t bytes; ///< TRITIUM_UNKNOWN_EXTENT if it is not known
  bool isReadOnly = false;
  int device = -1;                  ///< the GPU that `data` is on, from 0; -1: memory of the host
  const void *allocation = nullptr; ///< all that the kernel may reach; null: `bytes` from `data`
  size_t allocationBytes = 0;
};

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
    if (std::cmp_less(size, 1) || std::cmp_greater(size, INT32_MAX))
      throw Error("a grid's dimension must be from 1 to 2147483647, but got " +
                  std::to_string(size));
    return static_cast<uint32_t>(size);
  }
};

namespace detail {

template <typename T> constexpr const char *elementName() {
  using E = std::remove_cv_t<T>;
  if constexpr (std::same_as<E, bool>)
    return "i1";
  else if constexpr (std::same_as<E, float>)
    return "fp32";
  else if constexpr (std::same_as<E, double>)
    return "fp64";
#ifdef __FLT16_MAX__
  else if constexpr (std::same_as<E, _Float16>)
    return "fp16";
#endif
  else if constexpr (std::integral<E>)
    return std::is_signed_v<E> ? (sizeof(E) == 1   ? "i8"
                                  : sizeof(E) == 2 ? "i16"
                                  : sizeof(E) == 4 ? "i32"
                                                   : "i64")
                               : (sizeof(E) == 1   ? "u8"
                                  : sizeof(E) == 2 ? "u16"
                                  : sizeof(E) == 4 ? "u32"
                                                   : "u64");
  else
    static_assert(sizeof(E) == 0, "pass a tritium::Buffer that names the element type");
}

inline tritium_argument pointer(const void *data, DType type, size_t bytes, bool isReadOnly) {
  tritium_argument argument = {};
  argument.kind = TRITIUM_ARG_POINTER;
  argument.read_only = isReadOnly;
  argument.type = type.get();
  argument.bits = argument.begin = reinterpret_cast<uint64_t>(data);
  argument.bytes = bytes;
  return argument;
}

template <typename T>
concept Range = requires(T &range) {
  { std::span(range) };
};

/// A bare pointer says nothing of its extent: the kernel is then compiled so that its
/// arguments may overlap. Pass a span or a vector where you can.
template <typename T>
  requires(!Range<const T>)
tritium_argument toArgument(const T &value) {
  tritium_argument argument = {};
  if constexpr (std::same_as<T, Buffer>) {
    tritium_argument buffer = pointer(value.data, value.type, value.bytes, value.isReadOnly);
    buffer.memory = value.device < 0 ? TRITIUM_HOST_MEMORY : TRITIUM_CUDA_MEMORY;
    buffer.device = static_cast<uint8_t>(value.device < 0 ? 0 : value.device);
    buffer.allocation_begin = reinterpret_cast<uint64_t>(value.allocation);
    buffer.allocation_bytes = value.allocationBytes;
    return buffer;
  } else if constexpr (std::same_as<T, Value>) {
    argument.kind = TRITIUM_ARG_VALUE;
    argument.value = &value.get();
  } else if constexpr (std::same_as<T, std::nullptr_t>) {
    static const tritium_value none = {};
    argument.kind = TRITIUM_ARG_VALUE;
    argument.value = &none;
  } else if constexpr (std::same_as<T, bool>) {
    argument.kind = TRITIUM_ARG_BOOL;
    argument.bits = value;
  } else if constexpr (std::integral<T>) {
    bool isLarge = !std::is_signed_v<T> && static_cast<uint64_t>(value) > INT64_MAX;
    argument.kind = isLarge ? TRITIUM_ARG_UINT : TRITIUM_ARG_INT;
    argument.bits = static_cast<uint64_t>(value);
  } else if constexpr (std::floating_point<T>) {
    argument.kind = TRITIUM_ARG_FLOAT;
    argument.bits = std::bit_cast<uint64_t>(static_cast<double>(value));
  } else if constexpr (std::is_pointer_v<T>) {
    using E = std::remove_pointer_t<T>;
    return pointer(value, elementName<E>(), TRITIUM_UNKNOWN_EXTENT, std::is_const_v<E>);
  } else {
    static_assert(sizeof(T) == 0, "this type cannot be passed to a kernel");
  }
  return argument;
}

template <typename T>
  requires Range<T>
tritium_argument toArgument(T &range) {
  std::span view(range);
  using E = typename decltype(view)::element_type;
  return pointer(view.data(), elementName<E>(), view.size_bytes(), std::is_const_v<E>);
}

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

namespace detail {

/// A macro's text for a value.
inline std::string macroText(const Value &given) {
  const tritium_value &value = given.get();
  switch (value.kind) {
  case TRITIUM_BOOL:
    return value.as.boolean ? "1" : "0";
  case TRITIUM_INT:
    return value.as.integer.high < 0 ? std::to_string(static_cast<int64_t>(value.as.integer.low))
                                     : std::to_string(value.as.integer.low);
  case TRITIUM_FLOAT: {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value.as.number);
    // Without a point it would be an integer.
    return std::strpbrk(text, ".en") ? std::string(text) : std::string(text) + ".0";
  }
  case TRITIUM_STRING:
    return {value.as.string.data, value.as.string.size};
  case TRITIUM_DTYPE: {
    static constexpr const char *names[] = {
        "void",          "bool",           "char",         "short",         "int",   "long",
        "unsigned char", "unsigned short", "unsigned int", "unsigned long", nullptr, nullptr,
        "half",          "bfloat16",       "float",        "double"};
    size_t kind = value.as.dtype.kind;
    if (kind < std::size(names) && names[kind])
      return names[kind] + std::string(value.as.dtype.pointer_depth, '*');
    break;
  }
  default:
    break;
  }
  throw Error("a macro is text, a number, a bool or an element type");
}

} // namespace detail

/// What `load` takes for files in Triton-C.
struct LoadOptions {
  /// NAME, text. The text `[a, b]` is a list to tune over: the first launch with new
  /// integer arguments tries every combination and keeps the fastest.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> includePaths; ///< for #include
  std::vector<int> numWarps;             ///< values of the option to try
  /// Parameters whose values choose anew: by default those marked __retune, else all
  /// integers.
  std::vector<std::string> key;
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
    int status = tritium_program_launch(program.get(), all.data(), all.size(), nullptr, 0, grid,
                                        &call, stream.handle, nullptr, &error);
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

/// A file of kernels.
class Module {
public:
  explicit Module(tritium_module *owned) : handle(owned) {}
  /// A file in Triton-C, which is read when a kernel of it is asked for.
  Module(std::string path, LoadOptions given) : path(std::move(path)), given(std::move(given)) {}

  /// The kernel of that name; `bindings` gives its constexpr parameters by name, or, in
  /// Triton-C, more macros. A null name is the first kernel of a Triton-C file.
  Kernel kernel(const char *name, Kernel::Bindings bindings = {},
                const tritium_kernel_config *config = nullptr) const {
    tritium_error error = {};
    if (!handle)
      return Kernel(newProgram(name, bindings, config));
    tritium_kernel *kernel = tritium_module_kernel(handle.get(), name, config, &error);
    if (!kernel)
      throw Error(error);
    return Kernel(kernel, bindings);
  }

  /// The kernels of the file, in its order. Throws for a file of Triton-C that has none, or
  /// has an error.
  std::vector<std::string> kernelNames() const {
    std::vector<std::string> names;
    if (!handle) {
      detail::Handle<tritium_program, tritium_program_release> first(
          newProgram(nullptr, {}, nullptr));
      for (size_t i = 0; i < tritium_program_kernel_count(first.get()); ++i)
        names.push_back(tritium_program_kernel_name(first.get(), i));
      return names;
    }
    for (size_t i = 0; i < tritium_module_kernel_count(handle.get()); ++i)
      names.push_back(tritium_module_kernel_name(handle.get(), i));
    return names;
  }

private:
  tritium_program *newProgram(const char *name, Kernel::Bindings bindings,
                              const tritium_kernel_config *config) const {
    std::vector<std::pair<std::string, std::string>> all = given.defines;
    for (const auto &[macro, value] : bindings)
      all.emplace_back(macro, detail::macroText(value));
    std::vector<tritium_define> defines;
    for (const auto &[macro, text] : all)
      defines.push_back({macro.c_str(), text.c_str(), nullptr, 0});
    std::vector<const char *> paths, key;
    for (const std::string &folder : given.includePaths)
      paths.push_back(folder.c_str());
    for (const std::string &parameter : given.key)
      key.push_back(parameter.c_str());
    tritium_program_source source = {};
    source.file = path.c_str();
    source.name = name;
    source.defines = defines.data();
    source.define_count = defines.size();
    source.include_paths = paths.data();
    source.include_path_count = paths.size();
    source.num_warps = given.numWarps.data();
    source.num_warps_count = given.numWarps.size();
    source.key = key.data();
    source.key_count = key.size();
    tritium_error error = {};
    tritium_program *made = tritium_program_create(&source, config, &error);
    if (!made)
      throw Error(error);
    return made;
  }

  detail::Handle<tritium_module, tritium_module_release> handle; ///< null: Triton-C
  std::string path;
  LoadOptions given;
};

/// Reads a file of kernels. It needs no Python. Files that end in .tc, .tr, .c, .h or .cu
/// are Triton-C, all others Python's syntax, which takes no options.
inline Module load(const std::string &path, LoadOptions options = {}) {
  for (const char *suffix : {".tc", ".tr", ".c", ".h", ".cu"})
    if (path.ends_with(suffix))
      return Module(path, std::move(options));
  if (!options.defines.empty() || !options.includePaths.empty())
    throw Error(path + ": definitions are for files in Triton-C (.tc)");
  tritium_error error = {};
  tritium_module *module = tritium_module_load(path.c_str(), &error);
  if (!module)
    throw Error(error);
  return Module(module);
}

} // namespace tritium

#endif // TRITIUM_TRITIUM_HPP
