//===- ParseModule.cpp - directives of a PTX module -----------------------===//

#include "Parser.h"

using namespace tritium::sim::ptx;

void Parser::advance() {
  if (failed()) {
    token = Token{Token::End, false, {}, 0, token.at};
    return;
  }
  if (hasAhead) {
    token = ahead;
    hasAhead = false;
  } else {
    token = lexer.next();
  }
  if (token.kind == Token::Bad)
    fail(token, std::string(token.text));
}

void Parser::fail(const Token &at, std::string message) {
  if (!failed())
    errors.push_back({std::move(message), at.at});
  hasAhead = false;
  token = Token{Token::End, false, {}, 0, at.at};
}

std::string Parser::spelled(const Token &token) const {
  if (token.kind == Token::End)
    return "the end of the file";
  std::string text = "'";
  if (token.kind == Token::Dotted)
    text += '.';
  return text.append(token.text) + "'";
}

bool Parser::accept(char c) {
  if (!token.is(c))
    return false;
  advance();
  return true;
}

bool Parser::acceptDotted(std::string_view name) {
  if (!token.isDotted(name))
    return false;
  advance();
  return true;
}

void Parser::expect(char c, std::string_view where) {
  if (!accept(c))
    failHere(std::string("expected '") + c + "' " + std::string(where) + ", found " +
             spelled(token));
}

std::string_view Parser::identifier(std::string_view what) {
  std::string_view text = token.text;
  if (token.kind != Token::Identifier)
    failHere("expected " + std::string(what) + ", found " + spelled(token));
  advance();
  return text;
}

uint64_t Parser::unsignedNumber(std::string_view what) {
  uint64_t value = token.value;
  if (token.kind != Token::Integer) {
    failHere("expected " + std::string(what) + ", found " + spelled(token));
    return 0;
  }
  advance();
  return value;
}

int64_t Parser::signedNumber(std::string_view what) {
  bool negative = accept('-');
  uint64_t value = unsignedNumber(what);
  return int64_t(negative ? 0 - value : value);
}

void Parser::versionDirective() {
  // 8.5 is one token: a number with a fraction.
  std::string text(token.text);
  Token at = token;
  if (token.kind != Token::Float && token.kind != Token::Integer)
    return failHere("expected the PTX version, found " + spelled(token));
  size_t dot = text.find('.');
  unsigned major = unsigned(std::strtoul(text.c_str(), nullptr, 10));
  unsigned minor =
      dot == std::string::npos ? 0 : unsigned(std::strtoul(text.c_str() + dot + 1, nullptr, 10));
  if (major > 99 || minor > 9)
    return fail(at, "no PTX version is called " + text);
  module.version = major * 10 + minor;
  if (module.version > newestVersion)
    return fail(at, "PTX " + text + " is newer than " + std::to_string(newestVersion / 10) + "." +
                        std::to_string(newestVersion % 10) + ", the newest that is known here");
  advance();
}

void Parser::targetDirective() {
  module.target = identifier("the target, such as sm_80");
  if (module.target.substr(0, 3) == "sm_")
    module.capability =
        unsigned(std::strtoul(std::string(module.target.substr(3)).c_str(), nullptr, 10));
  else if (!failed())
    fail(token, "expected a target such as sm_80, found '" + std::string(module.target) + "'");
  while (accept(','))
    identifier("an option of the target");
}

void Parser::fileDirective() {
  Token at = token;
  uint64_t number = unsignedNumber("the file's number");
  std::string name(token.text);
  if (token.kind != Token::String)
    return failHere("expected the file's name in quotes, found " + spelled(token));
  advance();
  while (accept(','))
    unsignedNumber("the file's time or size");
  if (number > 65535)
    return fail(at, "a file's number is at most 65535");
  if (module.files.size() <= number)
    module.files.resize(number + 1);
  module.files[number] = name;
}

void Parser::locDirective() {
  source.file = uint32_t(unsignedNumber("the file's number"));
  source.line = uint32_t(unsignedNumber("the line"));
  source.column = uint32_t(unsignedNumber("the column"));
  // , function_name LABEL [+ N], inlined_at FILE LINE COLUMN
  while (accept(',')) {
    std::string_view what = identifier("function_name or inlined_at");
    if (what == "function_name") {
      identifier("the function's label");
      if (accept('+'))
        unsignedNumber("an offset");
    } else if (what == "inlined_at") {
      for (const char *part : {"the file's number", "the line", "the column"})
        unsignedNumber(part);
    } else {
      return failHere("expected function_name or inlined_at after .loc");
    }
  }
}

void Parser::skipSection() {
  // .section .debug_str { .b8 ... } holds labels and data for debuggers only.
  if (token.kind != Token::Dotted && token.kind != Token::Identifier)
    return failHere("expected the section's name, found " + spelled(token));
  advance();
  expect('{', "after the section's name");
  while (token.kind != Token::End && !token.is('}'))
    advance();
  expect('}', "at the end of the section");
}

bool Parser::linkage(bool &isExternal) {
  bool found = false;
  while (true) {
    if (acceptDotted("extern"))
      isExternal = true;
    else if (!acceptDotted("visible") && !acceptDotted("weak") && !acceptDotted("common"))
      return found;
    found = true;
  }
}

void Parser::parseModule() {
  while (!failed() && token.kind != Token::End) {
    Token first = token;
    bool isExternal = false;
    linkage(isExternal);
    if (acceptDotted("version"))
      versionDirective();
    else if (acceptDotted("target"))
      targetDirective();
    else if (acceptDotted("address_size")) {
      if (unsignedNumber("the size of addresses") != 64 && !failed())
        fail(first, "only .address_size 64 can be run");
    } else if (acceptDotted("file"))
      fileDirective();
    else if (acceptDotted("loc"))
      locDirective();
    else if (acceptDotted("section"))
      skipSection();
    else if (acceptDotted("pragma")) {
      while (token.kind == Token::String || token.is(','))
        advance();
      expect(';', "after .pragma");
    } else if (acceptDotted("entry"))
      function(true, isExternal);
    else if (acceptDotted("func"))
      function(false, isExternal);
    else if (acceptDotted("global"))
      variables(Space::Global, isExternal, module.variables);
    else if (acceptDotted("const"))
      variables(Space::Const, isExternal, module.variables);
    else if (acceptDotted("shared"))
      variables(Space::Shared, isExternal, module.variables);
    else
      failHere("expected a directive of the module (.version, .target, .global, .entry, "
               ".func, ...), found " +
               spelled(token));
    if (!failed() && !module.version)
      fail(first, "a PTX file begins with .version");
  }
  if (failed())
    return;
  if (!module.version)
    return failHere("the file has no .version: it is no PTX");
  if (module.target.empty())
    return failHere("the file has no .target");
}

void Parser::extents(uint32_t (&extent)[3]) {
  extent[0] = extent[1] = extent[2] = 1;
  for (unsigned i = 0; i < 3; ++i) {
    extent[i] = uint32_t(unsignedNumber("a number of threads"));
    if (!accept(','))
      return;
  }
}

void Parser::performanceDirectives(Function &function) {
  while (token.kind == Token::Dotted) {
    if (acceptDotted("maxntid"))
      extents(function.maximum);
    else if (acceptDotted("reqntid"))
      extents(function.required);
    else if (acceptDotted("minnctapersm") || acceptDotted("maxnctapersm"))
      unsignedNumber("a number of CTAs");
    else if (acceptDotted("maxnreg"))
      function.maxRegisters = uint32_t(unsignedNumber("a number of registers"));
    else if (acceptDotted("maxclusterrank"))
      unsignedNumber("a number of CTAs");
    else if (acceptDotted("reqnctapercluster"))
      extents(function.cluster);
    else if (acceptDotted("pragma")) {
      while (token.kind == Token::String || token.is(','))
        advance();
      expect(';', "after .pragma");
    } else if (!acceptDotted("noreturn") && !acceptDotted("explicitcluster") &&
               !acceptDotted("unique") && !acceptDotted("blocksareclusters"))
      return failHere("unknown directive " + spelled(token) + " of a function");
  }
}

void Parser::parameterList(std::vector<Variable> &list, bool isEntry) {
  expect('(', "before the parameters");
  while (!failed() && !token.is(')')) {
    Variable parameter;
    parameter.at = token.at;
    if (acceptDotted("param"))
      parameter.space = Space::Param;
    else if (!isEntry && acceptDotted("reg"))
      parameter.space = Space::Register;
    else
      return failHere("expected .param, found " + spelled(token));
    attributes(parameter);
    declarator(parameter);
    if (!parameter.size && !failed())
      return failHere("a parameter needs an extent");
    list.push_back(std::move(parameter));
    if (!accept(','))
      break;
  }
  expect(')', "after the parameters");
}

void Parser::function(bool isEntry, bool isExternal) {
  Function made;
  made.isEntry = isEntry;
  if (!isEntry && token.is('('))
    parameterList(made.returns, false);
  made.at = token.at;
  Token nameToken = token;
  made.name = identifier("the function's name");
  if (token.is('('))
    parameterList(made.parameters, isEntry);
  performanceDirectives(made);
  if (failed())
    return;
  auto [known, isNew] = moduleFunctions.try_emplace(made.name, uint32_t(module.functions.size()));
  if (isNew)
    module.functions.push_back(made);
  Function &place = module.functions[known->second];
  if (accept(';')) // a declaration
    return;
  if (!token.is('{')) {
    // ptxas accepts a declaration without a semicolon.
    return;
  }
  if (place.isDefined)
    return fail(nameToken, "function '" + std::string(made.name) + "' is defined twice");
  made.isDefined = true;
  place = std::move(made);
  body(place);
}

std::unique_ptr<Module> tritium::sim::ptx::parse(std::string text, std::vector<Error> &errors) {
  errors.clear();
  auto module = std::make_unique<Module>();
  module->text = std::move(text);
  Parser(*module, errors).parseModule();
  return errors.empty() ? std::move(module) : nullptr;
}
