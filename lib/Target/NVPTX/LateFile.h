//===- LateFile.h - a file that is opened before it is written --*- C++ -*-===//
//
// A program can be started before its input is known, and get ready meanwhile: it waits where it
// reads. At first the file is a named pipe. Once what is written has been read from that, a plain
// file of the same text takes its place, and only then does the first reader come to the end. So
// one that reads the file again, or asks for its size, has all of it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_TARGET_NVPTX_LATEFILE_H
#define TRITIUM_LIB_TARGET_NVPTX_LATEFILE_H

#include "Tool.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tritium::nvptx {

class LateFile {
public:
  /// Does not exist where the folder for temporary files has no named pipes.
  explicit LateFile(const char *suffix);
  LateFile(const LateFile &) = delete;
  LateFile &operator=(const LateFile &) = delete;
  /// Who reads comes to the end of the file. So it does where this process ends.
  ~LateFile();
  bool exists() const { return pipe >= 0; }
  llvm::StringRef path() const { return waiting.path(); }
  /// Writes the file, once, and waits until it has been read. False if that cannot be, for the text
  /// is longer than a pipe holds, or if nobody has read it when `isOver`.
  bool write(llvm::StringRef text, llvm::function_ref<bool()> isOver);

private:
  void close();

  TemporaryFile waiting, written;
  int pipe = -1; ///< open to read, too: writing never waits, nor raises a signal
};

} // namespace tritium::nvptx

#endif // TRITIUM_LIB_TARGET_NVPTX_LATEFILE_H
