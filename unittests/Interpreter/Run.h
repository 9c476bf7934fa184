//===- Run.h - running small kernels in tests -------------------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_INTERPRETER_RUN_H
#define TRITIUM_UNITTESTS_INTERPRETER_RUN_H

#include "tritium/Interpreter/Interpreter.h"

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace tritium::testing {

/// Memory that kernels read and write, guarded by the interpreter's bounds check.
template <typename T> BufferRange range(std::vector<T> &data, bool writable = true) {
  return {reinterpret_cast<uint64_t>(data.data()), data.size() * sizeof(T), writable};
}
template <typename T> uint64_t pointer(std::vector<T> &data) {
  return reinterpret_cast<uint64_t>(data.data());
}
inline uint64_t slot(float value) { return std::bit_cast<uint32_t>(value); }

/// Runs `body` as a kernel with parameters `parameters` on a grid of `programs`.
inline std::string run(const std::string &parameters, const std::string &body,
                       const std::vector<uint64_t> &args, const std::vector<BufferRange> &buffers,
                       uint32_t programs = 1, const std::string &functions = "") {
  InterpreterOptions options;
  options.buffers = buffers;
  uint32_t grid[3] = {programs, 1, 1};
  return interpret("tt.func @k(" + parameters + ") {\n" + body + "\n tt.return\n}\n" + functions,
                   args, grid, options);
}

/// Applies an operation, element by element: `op` over tiles %x and %y of `in` gives a
/// tile of `out`, named %r where there are several lines. Tiles are read from memory
/// and written to it.
template <typename In, typename Out>
std::vector<Out> apply(const std::string &op, const std::string &in, const std::string &out,
                       std::vector<In> x, std::vector<In> y, std::string &error) {
  std::vector<Out> r(x.size());
  std::string n = std::to_string(x.size()), shape = "tensor<" + n + "x";
  y.resize(x.size());
  auto load = [&](const std::string &name, const std::string &arg, const std::string &type) {
    return "  %s" + name + " = tt.splat " + arg + " : !tt.ptr<" + type + "> -> " + shape +
           "!tt.ptr<" + type + ">>\n  %p" + name + " = tt.addptr %s" + name + ", %i : " + shape +
           "!tt.ptr<" + type + ">>, " + shape + "i32>\n";
  };
  std::string body = "  %i = tt.make_range {start = 0 : i32, end = " + n + " : i32} : " + shape +
                     "i32>\n" + load("x", "%X", in) + load("y", "%Y", in) + load("r", "%R", out) +
                     "  %x = tt.load %px : " + shape + "!tt.ptr<" + in + ">>\n" +
                     "  %y = tt.load %py : " + shape + "!tt.ptr<" + in + ">>\n" +
                     (op.find("%r =") == std::string::npos ? "  %r = " : "  ") + op +
                     "\n  tt.store %pr, %r : " + shape + "!tt.ptr<" + out + ">>";
  error = run("%X: !tt.ptr<" + in + ">, %Y: !tt.ptr<" + in + ">, %R: !tt.ptr<" + out + ">", body,
              {pointer(x), pointer(y), pointer(r)}, {range(x), range(y), range(r)});
  return r;
}

} // namespace tritium::testing

#endif // TRITIUM_UNITTESTS_INTERPRETER_RUN_H
