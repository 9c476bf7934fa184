//===- IncludeFiles.h - files that clang's preprocessor reads ---*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_INCLUDEFILES_H
#define TRITIUM_LIB_FRONTEND_TRITONC_INCLUDEFILES_H

#include "SourceText.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <memory>

namespace tritium::frontend::tritonc {

/// The real file system, but of regular files only, each read once and with blanks
/// before ranges. Directories cannot be listed.
class IncludeFiles : public llvm::vfs::FileSystem {
public:
  struct Entry {
    std::string text; ///< as it stands on the disk
    SeparatedText separated;
    llvm::vfs::Status status;
  };
  /// The file at `path` has this text, whatever the disk says. Returns where it is found: if there
  /// is no such file, in a folder that has no other. clang needs a file: its directives
  /// would read through a null pointer in a buffer that is none.
  std::string setMain(const std::string &path, const std::string &text,
                      const SeparatedText &separated);
  /// The file at a path that was opened before; null if there is none.
  const Entry *find(llvm::StringRef path) const;
  /// All but the main file, ordered by path.
  std::vector<const Entry *> opened() const;

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &path, std::error_code &error) override;
  std::error_code setCurrentWorkingDirectory(const llvm::Twine &path) override;
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override;

private:
  llvm::StringMap<std::unique_ptr<Entry>> entries;
  Entry *main = nullptr;

  Entry *add(const std::string &path, llvm::sys::fs::UniqueID id, std::string text,
             SeparatedText separated);
  llvm::ErrorOr<const Entry *> read(const llvm::Twine &path);
};

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_INCLUDEFILES_H
