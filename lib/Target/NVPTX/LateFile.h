//===- LateFile.h - a file that is opened before it is written --*- C++ -*-===//
//
// A program can be started before its input is known, and get ready meanwhile: it waits where it
// reads. Its standard input is a pipe then, and the file a link to that. Once what is written has
// been read, a plain file of the same text takes the link's place, and only then does the first
// reader come to the end. So one that reads the file again, or asks for its size, has all of it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_TARGET_NVPTX_LATEFILE_H
#define TRITIUM_LIB_TARGET_NVPTX_LATEFILE_H

#include "Tool.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tritium::nvptx {

class LateFile {
public:
  /// Does not exist where the folder for temporary files has no links.
  explicit LateFile(const char *suffix);
  LateFile(const LateFile &) = delete;
  LateFile &operator=(const LateFile &) = delete;
  /// Who reads comes to the end of the file. So it does where this process ends.
  ~LateFile();
  bool exists() const { return writeEnd >= 0; }
  /// Of the file, for the program whose standard input is `input`.
  llvm::StringRef path() const { return link.path(); }
  std::string input() const;
  /// Writes the file, once, and waits until it has been read. False if that cannot be, for the text
  /// is longer than a pipe holds, or if nobody has read it when `isOver`.
  bool write(llvm::StringRef text, llvm::function_ref<bool()> isOver);

private:
  void close();
  /// A child of a fork closes the pipes of its parent, whose readers would else not come to an end
  /// before the child does.
  static void closeAll();

  TemporaryFile link, written;
  int readEnd = -1; ///< not read here: with it, writing raises no signal
  int writeEnd = -1;
};

} // namespace tritium::nvptx

#endif // TRITIUM_LIB_TARGET_NVPTX_LATEFILE_H
