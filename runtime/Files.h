//===- Files.h - whole files, read and written at once ----------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_FILES_H
#define TRITIUM_RUNTIME_FILES_H

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tritium::runtime {

/// The content of a regular file, or nothing. Also nothing if it has more than `most` bytes or
/// does not begin with `prefix`: then little of it is read. Never waits for a pipe's writer.
std::string readFile(const std::string &path, uint64_t most = UINT64_MAX,
                     std::string_view prefix = {});

/// Puts a file there by rename, so that a reader sees all of it or what was there before.
/// Its folder must exist. Returns whether it is there now.
bool writeFile(const std::string &path, std::initializer_list<std::string_view> parts);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_FILES_H
