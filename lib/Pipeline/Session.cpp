//===- Session.cpp - contexts, diagnostics, dumps -------------------------===//

#include "Session.h"

#include "tritium/Pipeline/Passes.h"
#include "tritium/Support/EmitRemark.h"
#include "tritium/Support/Settings.h"

#include "mlir/Pass/PassManager.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <mutex>
#include <vector>

using namespace mlir;

namespace tritium {

namespace {
/// Contexts that no compilation uses at the moment. To make one, with its dialects, takes
/// longer than to compile a small kernel to ttir. A context keeps every type, constant and
/// location that it has seen, so each serves a number of compilations only.
class ContextPool {
public:
  std::unique_ptr<SharedContext> take() {
    {
      std::lock_guard lock(mutex);
      if (!free.empty()) {
        std::unique_ptr<SharedContext> context = std::move(free.back());
        free.pop_back();
        return context;
      }
    }
    DialectRegistry registry;
    registerTileDialects(registry);
    return std::make_unique<SharedContext>(registry);
  }
  void giveBack(std::unique_ptr<SharedContext> context) {
    constexpr unsigned mostUses = 32;
    if (++context->uses == mostUses)
      return;
    std::lock_guard lock(mutex);
    free.push_back(std::move(context));
  }
  /// Never destroyed: other threads may compile while the process exits.
  static ContextPool &get() {
    static auto *pool = new ContextPool;
    return *pool;
  }

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<SharedContext>> free;
};

/// "FILE:LINE:COLUMN: error: ", or nothing where no place is known.
std::string placeOf(Location loc, const char *severity) {
  FileLineColLoc place = authorsPlace(loc);
  return place ? place.getFilename().str() + ":" + std::to_string(place.getLine()) + ":" +
                     std::to_string(place.getColumn()) + ": " + severity + ": "
               : "";
}

/// Remembers the pass that failed.
struct FailureRecorder : PassInstrumentation {
  std::string &failed;
  explicit FailureRecorder(std::string &failed) : failed(failed) {}
  void runAfterPassFailed(Pass *pass, Operation *) override {
    if (failed.empty())
      failed = pass->getArgument().empty() ? pass->getName().str() : pass->getArgument().str();
  }
};

/// Writes the module for a bug report; returns the path, or nothing.
std::string writeReproducer(const std::string &kernel, ModuleOp module) {
  SmallString<128> path;
  int fd;
  if (llvm::sys::fs::createTemporaryFile("tritium-" + kernel, "mlir", fd, path))
    return "";
  llvm::raw_fd_ostream out(fd, /*shouldClose=*/true);
  // The generic form prints modules that do not verify, too.
  module->print(out, OpPrintingFlags().enableDebugInfo().printGenericOpForm().useLocalScope());
  out.flush();
  bool written = !out.has_error();
  out.clear_error();
  return written ? std::string(path) : "";
}
} // namespace

Session::Session(std::string kernel, CompileError &error)
    : kernel(std::move(kernel)), error(error), shared(ContextPool::get().take()),
      handler(std::in_place, &shared->context, [this](Diagnostic &diagnostic) {
        if (std::optional<Remark> remark = readRemark(diagnostic))
          remarks.push_back(std::move(*remark));
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        std::string message = placeOf(diagnostic.getLocation(), "error") + diagnostic.str();
        for (Diagnostic &note : diagnostic.getNotes())
          message += "\n  " + placeOf(note.getLocation(), "note") + note.str();
        messages.push_back(std::move(message));
        return success();
      }) {
  shared->context.printOpOnDiagnostic(false);
  timing.setEnabled(wants(settings::MLIRTiming));
  root = timing.getRootScope();
}

Session::~Session() {
  stage.stop();
  root.stop();
  handler.reset();
  ContextPool::get().giveBack(std::move(shared));
}

void Session::enter(const char *name) {
  stage.stop();
  stage = root.nest(StringRef(name));
}

bool Session::wants(const Setting &setting) const { return setting.isOnFor(kernel); }

bool Session::runPasses(ModuleOp module, const char *name,
                        llvm::function_ref<void(OpPassManager &)> build) {
  enter(name);
  // Passes may leave behind anything, so what they were given is kept for the report.
  OwningOpRef<ModuleOp> input = module.clone();
  PassManager pm(&context(), ModuleOp::getOperationName());
  build(pm);
  if (wants(settings::MLIRDump)) {
    auto always = [](Pass *, Operation *) { return true; };
    pm.enableIRPrinting(always, always, /*printModuleScope=*/true,
                        /*printAfterOnlyOnChange=*/false);
  }
  std::string failedPass;
  pm.addInstrumentation(std::make_unique<FailureRecorder>(failedPass));
  pm.enableVerifier(settings::Verify.isOn());
  pm.enableTiming(stage);
  if (succeeded(pm.run(module)))
    return true;
  return internalError("pass '" + (failedPass.empty() ? std::string(name) : failedPass) + "'",
                       *input);
}

bool Session::internalError(const std::string &what, ModuleOp module) {
  error.kind = "InternalError";
  error.message = "a bug in the compiler: " + what + " failed on kernel '" + kernel + "'";
  if (!messages.empty())
    error.message += ": " + StringRef(messages.front()).split('\n').first.str();
  error.rendered = error.message;
  for (const std::string &message : llvm::drop_begin(messages, messages.empty() ? 0 : 1))
    error.rendered += "\n" + message;
  if (module)
    if (std::string path = writeReproducer(kernel, module); !path.empty())
      error.rendered += "\nreproducer: " + path;
  return false;
}

void Session::takeRemarks(std::vector<Remark> &taken) {
  auto isSame = [](const Remark &a, const Remark &b) {
    return a.line == b.line && a.column == b.column && a.message == b.message && a.file == b.file;
  };
  for (Remark &remark : remarks)
    if (llvm::none_of(taken, [&](const Remark &known) { return isSame(known, remark); }))
      taken.push_back(std::move(remark));
  remarks.clear();
}

void Session::textError(const std::string &fallback) {
  error.kind = "CompilationError";
  error.message = messages.empty() ? fallback : StringRef(messages.front()).split('\n').first.str();
  error.rendered = messages.empty() ? fallback : llvm::join(messages, "\n");
}

} // namespace tritium
