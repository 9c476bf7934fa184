//===- StageSeal.cpp - what written-out code says of itself ---------------===//

#include "StageSeal.h"
#include "Serialization.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/xxhash.h"

using namespace tritium;
using namespace tritium::runtime;

namespace {

/// Changes with the form of the comment.
constexpr uint64_t version = 4;
constexpr const char *mark = "tritium: ";

struct Form {
  const char *stage, *comment;
};
constexpr Form forms[] = {{"llir", "; "}, {"ptx", "// "}};

} // namespace

void tritium::runtime::seal(CompiledKernel &kernel, const CompileOptions &options) {
  CompiledKernel described;
  described.metadata = kernel.metadata;
  for (auto [stage, comment] : forms) {
    auto text = kernel.stages.find(stage);
    if (text == kernel.stages.end() || unseal(text->second))
      continue;
    if (!text->second.empty() && text->second.back() != '\n')
      text->second += '\n';
    Writer body;
    body.number(options.mayAlias | options.isUnconditional << 1 | options.debug << 2);
    body.number(llvm::xxh3_64bits(llvm::StringRef(text->second)));
    write(body, described);
    Writer head;
    head.number(version);
    head.number(llvm::xxh3_64bits(llvm::StringRef(body.bytes)));
    text->second +=
        std::string(comment) + mark + llvm::encodeBase64(head.bytes + body.bytes) + "\n";
  }
}

std::optional<Sealed> tritium::runtime::unseal(const std::string &text) {
  llvm::StringRef line = llvm::StringRef(text).rtrim();
  llvm::StringRef code = line.take_front(line.rfind('\n') + 1);
  line = line.drop_front(code.size());
  for (auto [stage, comment] : forms) {
    llvm::StringRef rest = line;
    std::vector<char> bytes;
    if (!rest.consume_front(comment) || !rest.consume_front(mark))
      continue;
    if (llvm::Error error = llvm::decodeBase64(rest, bytes)) {
      llvm::consumeError(std::move(error));
      return std::nullopt;
    }
    std::string_view all(bytes.data(), bytes.size());
    Reader head(all.substr(0, 16));
    if (all.size() < 16 || head.number() != version ||
        head.number() != llvm::xxh3_64bits(llvm::StringRef(all.substr(16))))
      return std::nullopt;
    Reader body(all.substr(16));
    uint64_t flags = body.number(), hash = body.number();
    CompiledKernel described;
    read(body, described);
    if (body.failed() || !body.atEnd())
      return std::nullopt;
    // Whoever has changed the text may have put an access in front of the wait.
    described.metadata.waitsForLaunches &= hash == llvm::xxh3_64bits(code);
    return Sealed{stage, std::move(described.metadata), (flags & 1) != 0, (flags & 2) != 0,
                  (flags & 4) != 0};
  }
  return std::nullopt;
}
