//===- IncludeFiles.cpp - files that clang's preprocessor reads -----------===//

#include "IncludeFiles.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

using namespace tritium::frontend::tritonc;

/// The largest file that is read.
static constexpr uint64_t kMaxBytes = uint64_t(1) << 24;
static constexpr llvm::StringLiteral kNoFolder = "/(text without a file)";

namespace {
class OpenFile : public llvm::vfs::File {
public:
  explicit OpenFile(const IncludeFiles::Entry &entry) : entry(entry) {}
  llvm::ErrorOr<llvm::vfs::Status> status() override { return entry.status; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine &name, int64_t,
                                                               bool, bool) override {
    return llvm::MemoryBuffer::getMemBuffer(entry.separated.text, name.str());
  }
  std::error_code close() override { return {}; }

private:
  const IncludeFiles::Entry &entry;
};
} // namespace

const IncludeFiles::Entry *IncludeFiles::find(llvm::StringRef path) const {
  auto found = entries.find(path);
  return found == entries.end() ? nullptr : found->second.get();
}

std::vector<const IncludeFiles::Entry *> IncludeFiles::opened() const {
  std::vector<const Entry *> files;
  for (const auto &entry : entries)
    if (entry.second.get() != main)
      files.push_back(entry.second.get());
  std::sort(files.begin(), files.end(), [](const Entry *a, const Entry *b) {
    return a->status.getName() < b->status.getName();
  });
  return files;
}

IncludeFiles::Entry *IncludeFiles::add(const std::string &path, llvm::sys::fs::UniqueID id,
                                       std::string text, SeparatedText separated) {
  auto entry = std::make_unique<Entry>();
  entry->text = std::move(text);
  entry->separated = std::move(separated);
  entry->status = llvm::vfs::Status(path, id, {}, 0, 0, entry->separated.text.size(),
                                    llvm::sys::fs::file_type::regular_file, llvm::sys::fs::all_all);
  return (entries[path] = std::move(entry)).get();
}

std::string IncludeFiles::setMain(const std::string &path, const std::string &text,
                                  const SeparatedText &separated) {
  llvm::sys::fs::file_status real;
  bool isFile =
      !llvm::sys::fs::status(path, real) && real.type() == llvm::sys::fs::file_type::regular_file;
  main = add(isFile ? path : std::string(kNoFolder) + "/unit",
             isFile ? real.getUniqueID() : llvm::vfs::getNextVirtualUniqueID(), text, separated);
  return main->status.getName().str();
}

llvm::ErrorOr<const IncludeFiles::Entry *> IncludeFiles::read(const llvm::Twine &path) {
  std::string name = path.str();
  if (const Entry *entry = find(name))
    return entry;
  llvm::sys::fs::file_status real;
  if (std::error_code error = llvm::sys::fs::status(name, real))
    return error;
  if (main && real.getUniqueID() == main->status.getUniqueID())
    return main;
  if (real.type() != llvm::sys::fs::file_type::regular_file)
    return std::make_error_code(std::errc::no_such_file_or_directory);
  if (real.getSize() > kMaxBytes)
    return std::make_error_code(std::errc::file_too_large);
  auto buffer = llvm::MemoryBuffer::getFile(name, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return buffer.getError();

  std::string text = (*buffer)->getBuffer().str();
  return add(name, real.getUniqueID(), text, separateRanges(text));
}

llvm::ErrorOr<llvm::vfs::Status> IncludeFiles::status(const llvm::Twine &path) {
  if (path.str() == kNoFolder)
    return llvm::vfs::Status(path, llvm::vfs::getNextVirtualUniqueID(), {}, 0, 0, 0,
                             llvm::sys::fs::file_type::directory_file, llvm::sys::fs::all_all);
  if (const Entry *entry = find(path.str()))
    return entry->status;
  llvm::sys::fs::file_status real;
  if (std::error_code error = llvm::sys::fs::status(path, real))
    return error;
  if (real.type() == llvm::sys::fs::file_type::directory_file)
    return llvm::vfs::Status(path, real.getUniqueID(), real.getLastModificationTime(),
                             real.getUser(), real.getGroup(), real.getSize(), real.type(),
                             real.permissions());
  auto entry = read(path);
  if (!entry)
    return entry.getError();
  return (*entry)->status;
}

llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
IncludeFiles::openFileForRead(const llvm::Twine &path) {
  auto entry = read(path);
  if (!entry)
    return entry.getError();
  return std::make_unique<OpenFile>(**entry);
}

llvm::vfs::directory_iterator IncludeFiles::dir_begin(const llvm::Twine &, std::error_code &error) {
  error = std::make_error_code(std::errc::not_supported);
  return {};
}

std::error_code IncludeFiles::setCurrentWorkingDirectory(const llvm::Twine &) {
  return std::make_error_code(std::errc::not_supported);
}

llvm::ErrorOr<std::string> IncludeFiles::getCurrentWorkingDirectory() const {
  llvm::SmallString<128> path;
  if (std::error_code error = llvm::sys::fs::current_path(path))
    return error;
  return path.str().str();
}
