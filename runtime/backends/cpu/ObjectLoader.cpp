//===- ObjectLoader.cpp - object code to a callable entry -----------------===//

#include "ObjectLoader.h"
#include "HostSymbols.h"

#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"

#include <atomic>
#include <mutex>

using namespace tritium;
using namespace tritium::runtime;

namespace {

/// The process's linker session. Never destroyed: kernels may be released while the
/// process exits.
struct Session {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::orc::JITDylib *host = nullptr;
  std::string error;
  std::atomic<uint64_t> next{0};

  Session() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    if (llvm::Error failure = open())
      error = llvm::toString(std::move(failure));
  }

private:
  llvm::Error open() {
    // Kernels have no constructors and no thread-locals: no platform support is needed,
    // and nothing of the process's own symbols is visible.
    auto created = llvm::orc::LLJITBuilder()
                       .setLinkProcessSymbolsByDefault(false)
                       .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                       .create();
    if (!created)
      return created.takeError();
    jit = std::move(*created);
    host = &jit->getExecutionSession().createBareJITDylib("host");
    llvm::orc::SymbolMap symbols;
    for (auto [name, address] : hostSymbols())
      symbols[jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                             llvm::JITSymbolFlags::Exported |
                                                 llvm::JITSymbolFlags::Callable};
    return host->define(llvm::orc::absoluteSymbols(std::move(symbols)));
  }
};

Session &session() {
  static Session *instance = new Session;
  return *instance;
}

class JITObject final : public LoadedObject {
public:
  explicit JITObject(llvm::orc::JITDylib &library) : library(library) {}
  ~JITObject() override {
    llvm::consumeError(session().jit->getExecutionSession().removeJITDylib(library));
  }

private:
  llvm::orc::JITDylib &library;
};

} // namespace

std::shared_ptr<LoadedObject> tritium::runtime::loadObject(const std::string &object,
                                                           const std::string &entry,
                                                           std::string &error) {
  Session &s = session();
  if (!s.error.empty()) {
    error = s.error;
    return nullptr;
  }
  std::string name = "kernel." + std::to_string(s.next.fetch_add(1));
  llvm::orc::JITDylib &library = s.jit->getExecutionSession().createBareJITDylib(name);
  auto loaded = std::make_shared<JITObject>(library);
  library.addToLinkOrder(*s.host);
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, name);
  if (llvm::Error failure = s.jit->addObjectFile(library, std::move(buffer))) {
    error = llvm::toString(std::move(failure));
    return nullptr;
  }
  auto symbol = s.jit->lookup(library, entry);
  if (!symbol) {
    error = llvm::toString(symbol.takeError());
    return nullptr;
  }
  loaded->entry = symbol->toPtr<TritiumCPUEntry>();
  return loaded;
}
