// Parser: directives of a module, variables with their initial values, functions' headers.
#include "body_parser.h"
#include "fault.h"
#include "lexer.h"
#include "variable_parser.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace ptxmachine {

namespace {

std::optional<Linkage> linkageNamed(std::string_view directive) {
  constexpr std::pair<std::string_view, Linkage> linkages[] = {{".visible", Linkage::Visible},
                                                               {".weak", Linkage::Weak},
                                                               {".common", Linkage::Common},
                                                               {".extern", Linkage::Extern}};
  for (const auto &[name, linkage] : linkages)
    if (name == directive)
      return linkage;
  return std::nullopt;
}

class ModuleParser {
public:
  explicit ModuleParser(std::string_view text) : lexer(text) {}

  Module parse() {
    while (lexer.current().kind != TokenKind::End)
      item();
    if (!module.version)
      throw LoadError(0, "no .version directive");
    if (!module.target)
      throw LoadError(0, "no .target sm_NN directive");
    return std::move(module);
  }

private:
  void item() {
    const std::string word = lexer.name();
    if (word == ".version")
      version();
    else if (word == ".target")
      target();
    else if (word == ".address_size")
      addressSize();
    else if (word == ".file")
      file();
    else if (word == ".section")
      section();
    else if (word == ".pragma" || word == ".alias")
      skipStatement();
    else if (const auto found = linkageNamed(word))
      linkage = *found;
    else if (word == ".entry" || word == ".func")
      function(word == ".entry");
    else if (const auto space = spaceNamed(word))
      variables(*space);
    else
      lexer.fail("the directive '" + word + "' is not known here");
  }

  void version() {
    const std::string text(lexer.take().text);
    const size_t dot = text.find('.');
    if (dot == text.npos)
      lexer.fail("'.version " + text + "' is no version");
    module.version = std::atoi(text.c_str()) * 10 + std::atoi(text.c_str() + dot + 1);
  }

  void target() {
    do {
      const std::string name = lexer.name();
      if (name.starts_with("sm_"))
        module.target = std::atoi(name.c_str() + 3);
      else if (name != "debug" && name != "texmode_independent")
        lexer.fail("'.target " + name + "' is not known");
    } while (lexer.accept(","));
  }

  void addressSize() {
    if (lexer.integer() != 64)
      lexer.fail("only .address_size 64 is known");
  }

  void file() {
    const auto number = static_cast<size_t>(lexer.integer());
    const std::string_view quoted = lexer.take().text;
    module.files.resize(std::max(module.files.size(), number + 1));
    module.files[number] = quoted.substr(1, quoted.size() - 2);
    while (lexer.accept(","))
      lexer.integer();
  }

  /// Debug information: names and numbers in braces.
  void section() {
    while (!lexer.accept("}")) {
      if (lexer.current().kind == TokenKind::End)
        lexer.fail("the section never ends");
      lexer.take();
    }
  }

  void skipStatement() {
    while (!lexer.accept(";"))
      lexer.take();
  }

  void variables(Space space) {
    const auto declared = declarations(lexer, space, std::exchange(linkage, Linkage::Internal));
    module.variables.insert(module.variables.end(), declared.begin(), declared.end());
  }

  std::vector<Variable> parameterList() {
    std::vector<Variable> result;
    if (!lexer.accept("("))
      return result;
    while (!lexer.accept(")")) {
      const bool isRegister = lexer.accept(".reg");
      if (!isRegister)
        lexer.expect(".param");
      result.push_back(declaration(lexer, Space::Param));
      result.back().isRegister = isRegister;
      lexer.accept(",");
    }
    return result;
  }

  std::vector<unsigned> extents() {
    std::vector<unsigned> result;
    do
      result.push_back(static_cast<unsigned>(lexer.integer()));
    while (lexer.accept(","));
    return result;
  }

  void attributes(Function &function) {
    for (;;) {
      if (lexer.accept(".maxntid"))
        function.maxThreads = extents();
      else if (lexer.accept(".reqntid"))
        function.threads = extents();
      else if (lexer.accept(".maxnreg"))
        function.maxRegisters = static_cast<unsigned>(lexer.integer());
      else if (lexer.accept(".minnctapersm") || lexer.accept(".maxclusterrank") || lexer.accept(".maxnctapersm"))
        lexer.integer();
      else if (lexer.accept(".noreturn") || lexer.accept(".explicitcluster"))
        continue;
      else if (lexer.accept(".reqnctapercluster"))
        function.cluster = extents();
      else if (lexer.accept(".pragma"))
        skipStatement();
      else
        return;
    }
  }

  void function(bool isEntry) {
    Function function;
    function.isEntry = isEntry;
    function.linkage = std::exchange(linkage, Linkage::Internal);
    function.marker = lexer.takeMarker();
    if (lexer.accept(".attribute"))
      while (!lexer.accept(")"))
        lexer.take();
    if (!isEntry)
      function.results = parameterList();
    function.name = lexer.name();
    function.parameters = parameterList();
    attributes(function);
    if (!lexer.accept(";"))
      function.body = parseBody(lexer);
    const auto same = std::find_if(module.functions.begin(), module.functions.end(),
                                   [&](const Function &other) { return other.name == function.name; });
    if (same == module.functions.end())
      module.functions.push_back(std::move(function));
    else if (!same->body)
      *same = std::move(function);
    else if (function.body)
      lexer.fail("'" + function.name + "' is defined twice");
  }

  Lexer lexer;
  Module module;
  Linkage linkage = Linkage::Internal; ///< of what is declared next
};

} // namespace

const Function *Module::function(std::string_view name) const {
  for (const Function &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

Module parse(std::string_view text) { return ModuleParser(text).parse(); }

} // namespace ptxmachine
