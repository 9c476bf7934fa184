//===- Files.cpp - whole files, read and written at once ------------------===//

#include "Files.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

std::string tritium::runtime::readFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  std::string bytes;
  struct stat status;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    bytes.resize(static_cast<size_t>(status.st_size));
    size_t done = 0;
    while (done < bytes.size()) {
      ssize_t got = read(file, bytes.data() + done, bytes.size() - done);
      if (got <= 0)
        break;
      done += static_cast<size_t>(got);
    }
    bytes.resize(done);
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
