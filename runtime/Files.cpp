//===- Files.cpp - whole files, read and written at once ------------------===//

#include "Files.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

/// Appends `count` bytes, or as many as there are.
static void readMore(int file, size_t count, std::string &bytes) {
  size_t done = bytes.size(), end = done + count;
  bytes.resize(end);
  while (done < end) {
    ssize_t got = read(file, bytes.data() + done, end - done);
    if (got <= 0)
      break;
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
}

std::string tritium::runtime::readFile(const std::string &path, uint64_t most,
                                       std::string_view prefix) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return {};
  std::string bytes;
  struct stat status;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    auto size = static_cast<uint64_t>(status.st_size);
    if (size <= most && size >= prefix.size()) {
      readMore(file, prefix.size(), bytes);
      if (bytes == prefix)
        readMore(file, size - prefix.size(), bytes);
      else
        bytes.clear();
    }
  }
  close(file);
  return bytes;
}

static bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = write(file, bytes.data(), bytes.size());
    if (put <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

bool tritium::runtime::writeFile(const std::string &path,
                                 std::initializer_list<std::string_view> parts) {
  std::string temporary = (std::filesystem::path(path).parent_path() / ".XXXXXX").string();
  int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0)
    return false;
  bool written = true;
  for (std::string_view part : parts)
    written = written && writeAll(file, part);
  written = written && fchmod(file, 0644) == 0;
  // A full disk may be reported only here.
  written = close(file) == 0 && written;
  written = written && rename(temporary.c_str(), path.c_str()) == 0;
  if (!written)
    unlink(temporary.c_str());
  return written;
}
