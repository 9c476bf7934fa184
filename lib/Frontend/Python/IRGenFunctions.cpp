//===- IRGenFunctions.cpp - kernels and the functions they call -----------===//

#include "Generator.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Python/Parser.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::python;
using namespace tritium::sema;

/// Of nested trees and calls together; each level takes a few frames of the stack.
static constexpr unsigned kMaxDepth = 1000;
/// Statements and expressions that one kernel may expand to.
static constexpr uint64_t kMaxSteps = 3'000'000;

Generator::Generator(mlir::MLIRContext &context, SourceManager &sources,
                     DiagnosticEngine &diagnostics, const GenerateOptions &options)
    : sources(sources), diagnostics(diagnostics), builder(&context),
      sema(builder, sources, diagnostics, *this,
           {options.debug, options.debug && options.sanitizeOverflow, options.defaultInputPrecision,
            options.hints, options.cudaCapability, options.numWarps}),
      hasLines(options.hasLines) {
  context.loadDialect<tt::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::gpu::GPUDialect>();
}

bool Generator::checkLimits() {
  if (depth > kMaxDepth) {
    sema.error("the kernel is nested too deeply here");
    return false;
  }
  if (++steps > kMaxSteps) {
    sema.error("the kernel expands to more than " + std::to_string(kMaxSteps) +
               " operations; use a run-time loop instead of unrolling");
    return false;
  }
  return true;
}

std::nullopt_t Generator::error(SourceRange range, std::string message, std::string kind) {
  sema.setRange(range);
  return sema.error(std::move(message), std::move(kind));
}

void Generator::note(SourceRange range, std::string message) {
  std::vector<Diagnostic> last = diagnostics.rollback(diagnostics.all().size() - 1);
  Diagnostic &again =
      last.front().severity == Severity::Error
          ? diagnostics.error(last.front().range, last.front().message, last.front().kind)
          : diagnostics.warning(last.front().range, last.front().message);
  again.notes = std::move(last.front().notes);
  // Before the chain of calls, which closes every error.
  auto calls = std::find_if(again.notes.begin(), again.notes.end(), [](const Diagnostic &other) {
    return other.message.ends_with("is called here");
  });
  again.notes.insert(calls, {Severity::Note, "", range, std::move(message), {}});
}

mlir::Location Generator::location(SourceRange range) {
  SourceRange saved = sema.range();
  sema.setRange(range);
  mlir::Location result = sema.loc();
  sema.setRange(saved);
  return result;
}

const ParsedFunction *Generator::parse(std::shared_ptr<FunctionSource> source) {
  auto [at, isNew] = parsed.try_emplace(source.get());
  ParsedFunction &entry = at->second;
  if (isNew) {
    entry.source = std::move(source);
    entry.file = sources.addFile(entry.source->file, entry.source->text, entry.source->firstLine,
                                 entry.source->columnOffset);
    size_t mark = diagnostics.all().size();
    entry.tree = parseFunction(sources, entry.file, diagnostics);
    if (!entry.tree && diagnostics.all().size() > mark)
      for (size_t i = sema.callStack().size(); i-- > 0;)
        note(sema.callStack()[i].callSite, "'" + sema.callStack()[i].callee + "' is called here");
  }
  return entry.tree ? &entry : nullptr;
}

//===----------------------------------------------------------------------===//
// Calls between kernel functions
//===----------------------------------------------------------------------===//

bool Generator::isSameFunction(const FunctionSource &a, const FunctionSource &b) {
  if (auto nested = parsed.find(&b); nested != parsed.end() && nested->second.frame)
    return parsed[&a].tree == nested->second.tree;
  return &a == &b || (a.file == b.file && a.firstLine == b.firstLine && a.name == b.name);
}

bool Generator::checkRecursion(const FunctionSource &source) {
  for (Frame *caller = frame; caller; caller = caller->caller) {
    if (!isSameFunction(*caller->source, source))
      continue;
    std::string chain = source.name;
    for (Frame *at = frame; at != caller; at = at->caller)
      chain = at->source->name + " -> " + chain;
    sema.error("recursion is not supported in a kernel: " + caller->source->name + " -> " + chain +
               "; use a loop instead");
    return false;
  }
  return true;
}

static std::string signatureText(const ast::Function &function) {
  std::string text = function.name + "(";
  for (const ast::Parameter &parameter : function.parameters) {
    if (&parameter != &function.parameters.front())
      text += ", ";
    text += parameter.kind == ast::Parameter::VarArgs       ? "*"
            : parameter.kind == ast::Parameter::VarKeywords ? "**"
                                                            : "";
    text += parameter.name;
    if (parameter.defaultValue)
      text += "=...";
  }
  return text + ")";
}

bool Generator::isConstexprAnnotation(const ast::Expr *annotation) {
  if (!annotation)
    return false;
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(annotation))
    return attribute->name == "constexpr";
  if (auto *literal = llvm::dyn_cast<ast::Literal>(annotation)) {
    auto *text = std::get_if<std::string>(&literal->value.value);
    return text && (*text == "constexpr" || text->ends_with(".constexpr"));
  }
  auto *name = llvm::dyn_cast<ast::Name>(annotation);
  if (!name)
    return false;
  if (name->id == "constexpr")
    return true;
  auto external = frame->source->scope ? frame->source->scope->lookup(name->id) : std::nullopt;
  auto *library = external ? std::get_if<External::Library>(&external->value) : nullptr;
  return library && library->name.ends_with("constexpr");
}

/// True for functions of the library that are written in the kernel language: their
/// lines are of no use to a user.
static bool isLibraryFile(const FunctionSource &source) { return source.file.starts_with("<"); }

/// Evaluates a default in the scope of its function, where no local name exists yet.
bool Generator::bindDefault(const ast::Function &function, const ast::Parameter &parameter) {
  if (auto nested = parsed.find(frame->source); nested != parsed.end() && nested->second.frame) {
    bind(parameter.name, nested->second.defaults[parameter.name], parameter.range);
    return true;
  }
  Environment bound = std::move(env);
  env.clear();
  sema.enterCall(function.name, isLibraryFile(*frame->source), /*isInlined=*/true);
  auto value = expression(*parameter.defaultValue);
  sema.leaveCall();
  env = std::move(bound);
  if (!value)
    return false;
  bind(parameter.name, std::move(*value), parameter.range);
  return true;
}

/// Binds the arguments of a call as Python does, into an empty environment.
bool Generator::bindArguments(const ast::Function &function, const Arguments &arguments) {
  using ast::Parameter;
  auto fail = [&](std::string message) {
    sema.error(message + "; it is " + signatureText(function));
    note(function.nameRange, "the function is defined here");
    return false;
  };
  std::vector<bool> isUsed(arguments.keywords.size(), false);
  size_t nextPositional = 0;
  for (const Parameter &parameter : function.parameters) {
    if (parameter.kind == Parameter::VarArgs) {
      Tuple rest;
      while (nextPositional < arguments.positional.size())
        rest.elements.push_back(arguments.positional[nextPositional++]);
      bind(parameter.name, std::move(rest), parameter.range);
      continue;
    }
    if (parameter.kind == Parameter::VarKeywords) {
      Dict rest;
      for (size_t i = 0; i < isUsed.size(); ++i)
        if (!isUsed[i])
          rest.entries.emplace_back(Constant{arguments.keywords[i].first},
                                    arguments.keywords[i].second);
      isUsed.assign(isUsed.size(), true);
      bind(parameter.name, std::move(rest), parameter.range);
      continue;
    }
    const Value *value = nullptr;
    if (parameter.kind != Parameter::KeywordOnly && nextPositional < arguments.positional.size())
      value = &arguments.positional[nextPositional++];
    for (size_t i = 0; i < arguments.keywords.size(); ++i) {
      if (parameter.kind == Parameter::PositionalOnly ||
          arguments.keywords[i].first != parameter.name)
        continue;
      if (value)
        return fail("argument '" + parameter.name + "' of '" + function.name + "' is given twice");
      value = &arguments.keywords[i].second;
      isUsed[i] = true;
    }
    if (!value && !parameter.defaultValue)
      return fail("argument '" + parameter.name + "' of '" + function.name + "' is missing");
    if (!value) {
      if (!bindDefault(function, parameter))
        return false;
      continue;
    }
    bind(parameter.name, *value, parameter.range);
  }
  if (nextPositional < arguments.positional.size())
    return fail("'" + function.name + "' takes " + std::to_string(nextPositional) +
                " positional arguments, but " + std::to_string(arguments.positional.size()) +
                " are given");
  for (size_t i = 0; i < isUsed.size(); ++i)
    if (!isUsed[i])
      return fail("'" + function.name + "' has no parameter '" + arguments.keywords[i].first + "'");
  return true;
}

Result Generator::callBody(const std::shared_ptr<FunctionSource> &function,
                           const Arguments &arguments, bool isInitializer) {
  Level level(*this);
  if (!checkLimits() || !checkRecursion(*function))
    return std::nullopt;
  Environment callerEnv = std::move(env);
  env.clear();
  Frame callee{function.get(), frame, ++frames};
  frame->suspended = &callerEnv;
  frame = &callee;
  auto enter = [&] {
    sema.enterCall(function->name, isLibraryFile(*function), /*isInlined=*/true);
  };
  enter();
  const ParsedFunction *body = parse(function);
  sema.leaveCall();
  // The arguments are the caller's business: their errors stand at the call.
  Result result;
  if (body && enterClosure(*body, callee) && bindArguments(*body->tree, arguments)) {
    enter();
    if (isInitializer)
      callee.self = &body->tree->parameters.front().name;
    Rest end{{}, nullptr, Rest::Function};
    Outcome outcome = run(body->tree->body, &end);
    if (!outcome.isFailed())
      result = std::move(outcome.exit.result);
    sema.leaveCall();
  }
  frame = callee.caller;
  frame->suspended = nullptr;
  env = std::move(callerEnv);
  return result;
}

std::optional<External> Generator::findObject(std::string_view name) {
  const Frame *kernel = frame;
  while (kernel && kernel->caller)
    kernel = kernel->caller;
  return kernel && kernel->source->scope ? kernel->source->scope->lookup(objectQuestion(name))
                                         : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Pairs of a name and a value, as a `**META` parameter gets them.
static std::optional<Dict> dictOf(const Constant &constant) {
  auto *pairs = std::get_if<Constant::Tuple>(&constant.value);
  if (!pairs)
    return std::nullopt;
  Dict dict;
  for (const Constant &pair : *pairs) {
    auto *parts = std::get_if<Constant::Tuple>(&pair.value);
    auto *name =
        parts && parts->size() == 2 ? std::get_if<std::string>(&(*parts)[0].value) : nullptr;
    if (!name)
      return std::nullopt;
    dict.entries.emplace_back(Constant{*name}, fromConstant((*parts)[1]));
  }
  return dict;
}

/// The value of an argument; takes its run-time values from the front of `values`.
Result Generator::kernelArgument(const ArgumentSpec &spec,
                                 llvm::ArrayRef<mlir::BlockArgument> &values) {
  if (spec.isConstexpr)
    return sema.known(spec.value);
  if (spec.parts.empty()) {
    Tensor tensor{values.front(), spec.type};
    values = values.drop_front();
    return Value(tensor);
  }
  Tuple parts;
  for (const ArgumentSpec &part : spec.parts) {
    auto value = kernelArgument(part, values);
    if (!value)
      return std::nullopt;
    parts.elements.push_back(std::move(*value));
  }
  if (auto *names = std::get_if<Constant::Tuple>(&spec.value.value)) {
    for (const Constant &name : *names)
      if (auto *text = std::get_if<std::string>(&name.value))
        parts.names.push_back(*text);
    if (parts.names.size() != parts.elements.size() || names->size() != parts.names.size())
      return sema.error("a tuple with names has a text for each of its items");
  }
  if (!spec.isDescriptor)
    return Value(std::move(parts));
  return sema.callLibrary("make_tensor_descriptor", {std::move(parts.elements), {}});
}

bool Generator::bindKernelArguments(const ast::Function &function,
                                    const std::vector<ArgumentSpec> &arguments,
                                    mlir::Block &entry) {
  llvm::ArrayRef<mlir::BlockArgument> values = entry.getArguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ast::Parameter &parameter = function.parameters[i];
    const ArgumentSpec &spec = arguments[i];
    Value value;
    if (parameter.kind == ast::Parameter::VarKeywords) {
      auto dict = spec.isConstexpr ? dictOf(spec.value) : std::nullopt;
      if (!dict) {
        error(parameter.range, "a '**' parameter of a kernel takes named constants");
        return false;
      }
      value = std::move(*dict);
    } else {
      sema.setRange(parameter.range);
      auto given = kernelArgument(spec, values);
      if (!given)
        return false;
      llvm::SmallVector<mlir::Value> runTime;
      flatten(*given, runTime);
      if (!runTime.empty() && isConstexprAnnotation(parameter.annotation.get())) {
        error(parameter.range,
              "parameter '" + parameter.name + "' of kernel '" + function.name +
                  "' is tl.constexpr, but a run-time argument is specified: " + describe(*given));
        return false;
      }
      value = std::move(*given);
    }
    bind(parameter.name, std::move(value), parameter.range);
  }
  return true;
}

/// Visits an argument that is no aggregate, or the parts of one, with names: a descriptor
/// `d` is "d", "d.shape[0]", ..., "d.strides[0]", ...; a tuple `t` is "t[0]", ....
static bool forEachPart(const ArgumentSpec &spec, const std::string &name,
                        llvm::function_ref<bool(const ArgumentSpec &, std::string)> visit) {
  if (spec.parts.empty())
    return visit(spec, name);
  constexpr std::string_view kDescriptorParts[] = {"", ".shape", ".strides", ".block_shape",
                                                   ".padding"};
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    bool isNamed = spec.isDescriptor && i < std::size(kDescriptorParts);
    std::string part =
        name + (isNamed ? std::string(kDescriptorParts[i]) : "[" + std::to_string(i) + "]");
    if (!forEachPart(spec.parts[i], part, visit))
      return false;
  }
  return true;
}

/// Empty if a kernel may have a parameter of the type.
static std::string_view whyNoParameter(DType type) {
  if (type.kind == DTypeKind::Void)
    return "has no type";
  if (type == DType{DTypeKind::Float8E4B15})
    return "cannot be a float8e4b15, only a pointer to it; pass a float32 and convert it with "
           ".to(tl.float8e4b15)";
  return "";
}

mlir::OwningOpRef<mlir::ModuleOp> Generator::kernel(const FunctionSource &source,
                                                    const std::vector<ArgumentSpec> &arguments) {
  Frame own{&source, nullptr, ++frames};
  own.isKernel = true;
  frame = &own;
  // The caller keeps the source alive.
  const ParsedFunction *body = parse(std::shared_ptr<FunctionSource>(
      std::shared_ptr<void>(), const_cast<FunctionSource *>(&source)));
  if (!body)
    return nullptr;
  const ast::Function &function = *body->tree;
  if (arguments.size() != function.parameters.size()) {
    error(function.nameRange, "kernel '" + function.name + "' has " +
                                  std::to_string(function.parameters.size()) + " parameters, but " +
                                  std::to_string(arguments.size()) + " arguments are specified");
    return nullptr;
  }
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Location> locations;
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
  auto declare = [&](const ArgumentSpec &spec, const ast::Parameter &parameter, std::string name) {
    if (std::string_view reason = whyNoParameter(spec.type); !reason.empty()) {
      error(parameter.range, "parameter '" + name + "' " + std::string(reason));
      return false;
    }
    types.push_back(sema.elementType(spec.type));
    locations.push_back(location(parameter.range));
    llvm::SmallVector<mlir::NamedAttribute> named;
    if (spec.type.isPointer() && spec.type.isConst)
      named.push_back(builder.getNamedAttr("tt.const", builder.getUnitAttr()));
    if (spec.divisibility > 1 && spec.divisibility <= INT32_MAX)
      named.push_back(builder.getNamedAttr(
          "tt.divisibility", builder.getI32IntegerAttr(static_cast<int32_t>(spec.divisibility))));
    named.push_back(builder.getNamedAttr("tt.name", builder.getStringAttr(name)));
    attributes.push_back(builder.getDictionaryAttr(named));
    return true;
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ast::Parameter &parameter = function.parameters[i];
    if (parameter.kind == ast::Parameter::VarArgs) {
      error(parameter.range, "a kernel cannot have a '*' parameter; name every parameter");
      return nullptr;
    }
    bool isDeclared =
        forEachPart(arguments[i], parameter.name, [&](const ArgumentSpec &spec, std::string name) {
          return spec.isConstexpr || declare(spec, parameter, std::move(name));
        });
    if (!isDeclared)
      return nullptr;
  }

  mlir::Location at = location(function.nameRange);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(at);
  builder.setInsertionPointToEnd(module->getBody());
  auto func = builder.create<tt::FuncOp>(at, function.name, builder.getFunctionType(types, {}),
                                         llvm::ArrayRef<mlir::NamedAttribute>(), attributes);
  mlir::Block *entry = builder.createBlock(&func.getBody(), {}, types, locations);
  builder.setInsertionPointToEnd(entry);
  if (!bindKernelArguments(function, arguments, *entry))
    return nullptr;
  Rest end{{}, nullptr, Rest::Function};
  if (run(function.body, &end).isFailed())
    return nullptr;
  builder.create<tt::ReturnOp>(at);

  // A kernel that passed every check above is valid IR, or this compiler has a bug.
  std::string broken;
  mlir::ScopedDiagnosticHandler handler(builder.getContext(), [&](mlir::Diagnostic &found) {
    if (broken.empty())
      broken = found.str();
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(*module))) {
    error(function.nameRange, "internal compiler error: the front end built invalid IR: " + broken,
          "InternalError");
    return nullptr;
  }
  return module;
}

void Generator::nameKernel(const FunctionSource &source) {
  auto found = parsed.find(&source);
  if (diagnostics.all().empty() || diagnostics.all().back().severity != Severity::Error ||
      found == parsed.end())
    return;
  SourceRange range{{found->second.file, 0}, {found->second.file, 0}};
  if (found->second.tree)
    range = found->second.tree->nameRange;
  std::vector<Diagnostic> last = diagnostics.rollback(diagnostics.all().size() - 1);
  Diagnostic &again =
      diagnostics.error(last.front().range, last.front().message, last.front().kind);
  again.notes = std::move(last.front().notes);
  again.notes.push_back(
      {Severity::Note, "", range, "while compiling kernel '" + source.name + "'", {}});
}

mlir::OwningOpRef<mlir::ModuleOp>
python::generate(mlir::MLIRContext &context, const FunctionSource &source,
                 const std::vector<ArgumentSpec> &arguments, SourceManager &sources,
                 DiagnosticEngine &diagnostics, const GenerateOptions &options,
                 std::string &printed) {
  Generator generator(context, sources, diagnostics, options);
  auto module = generator.kernel(source, arguments);
  if (!module)
    generator.nameKernel(source);
  printed += generator.printed();
  return module;
}
