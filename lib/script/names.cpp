#include "script/names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace sparsecfg::script {

using python::Node;
using python::Statement;

bool has_effects(const Node& node) {
  return node.kind == Form::named || node.kind == Form::call || node.kind == Form::call_of ||
         std::ranges::any_of(node.parts, has_effects);
}

void add_named(const Node& node, Names& out) {
  if (node.kind == Form::named) out.insert(node.parts.front().text);
  if (node.kind == Form::lambda) return;
  for (const Node& part : node.parts) add_named(part, out);
}

void add_targets(const Node& node, Names& out) {
  if (node.kind == Form::name) {
    if (node.text != "_") out.insert(node.text);
  } else if (node.kind != Form::attribute && node.kind != Form::subscript) {
    for (const Node& part : node.parts) add_targets(part, out);
  }
}

namespace {

// Collects the names that statements bind in their own scope.
class Binder {
 public:
  explicit Binder(Binding& out) : out_(out) {}

  void read(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) read(statement);
  }

 private:
  void read(const Statement& statement) {
    using Kind = Statement::Kind;
    for (const Node& target : statement.targets) {
      if (statement.kind == Kind::type) continue;
      add_targets(target, out_.locals);
      if (target.kind == Form::name) out_.locals.insert(target.text);
    }
    for (const auto* nodes : {&statement.values, &statement.targets, &statement.decorators}) {
      for (const Node& node : *nodes) add_named(node, out_.locals);
    }
    add_named(statement.value, out_.locals);
    const bool names = statement.kind == Kind::function || statement.kind == Kind::type ||
                       statement.kind == Kind::alias || statement.kind == Kind::handler;
    if (names && !statement.text.empty()) out_.locals.insert(statement.text);
    for (const python::Name& name : statement.names) {
      if (statement.kind == Kind::global) {
        out_.globals.insert(name.text);
      } else if (statement.kind == Kind::nonlocal) {
        out_.nonlocals.insert(name.text);
      } else {
        out_.locals.insert(!name.alias.empty() ? name.alias : name.text.substr(0, name.text.find('.')));
      }
    }
    if (statement.kind == Kind::function || statement.kind == Kind::type) return;
    for (const auto* more : {&statement.body, &statement.clauses, &statement.otherwise, &statement.last}) read(*more);
  }

  Binding& out_;
};

// Collects the uses of names in a function and in those inside it.
class User {
 public:
  explicit User(Effects& out) : out_(out) {}

  void read(const Statement& statement) {
    using Kind = Statement::Kind;
    const bool stores = statement.kind == Kind::global || statement.kind == Kind::nonlocal;
    for (const python::Name& name : statement.names) {
      if (stores) out_.stored.insert(name.text);
    }
    const bool tests = statement.kind == Kind::conditional || statement.kind == Kind::match_case ||
                       (statement.kind == Kind::loop && statement.targets.empty());
    const bool iterates = statement.kind == Kind::loop && !tests;
    read(statement.value, tests ? Use::plain : iterates ? Use::elements : Use::exposed);
    for (const auto* nodes : {&statement.values, &statement.targets, &statement.decorators}) {
      for (const Node& node : *nodes) read(node, Use::exposed);
    }
    for (const python::Parameter& parameter : statement.parameters) {
      for (const Node& fallback : parameter.fallback) read(fallback, Use::exposed);
    }
    for (const auto* more : {&statement.body, &statement.clauses, &statement.otherwise, &statement.last}) {
      for (const Statement& inner : *more) read(inner);
    }
  }

 private:
  enum class Use : std::uint8_t { plain, elements, exposed };

  static bool is_pure(std::string_view name) {
    static constexpr std::array<std::string_view, 14> kPure = {"len",    "str",        "print", "int", "float",
                                                               "bool",   "isinstance", "repr",  "sum", "range",
                                                               "format", "issubclass", "type",  "hash"};
    return std::ranges::find(kPure, name) != kPure.end();
  }

  void read(const Node& node, Use use) {
    switch (node.kind) {
      case Form::name:
        if (use != Use::plain) place(use).insert(node.text);
        return;
      case Form::comparison:
      case Form::membership:
      case Form::unary:
      case Form::hole: return all(node, 0, Use::plain);
      case Form::binary: return all(node, 0, Use::elements);
      case Form::subscript: read(node.parts.front(), use); return all(node, 1, Use::plain);
      case Form::call:
        place(Use::exposed).insert(node.text);
        return arguments(node, is_pure(node.text) ? Use::plain : Use::exposed);
      case Form::call_of: return arguments(node, Use::exposed);
      case Form::lambda: return read(*node.function);
      default: return all(node, 0, Use::exposed);
    }
  }

  Names& place(Use use) {
    return use == Use::elements ? out_.elements : callee_.empty() ? out_.exposed : out_.passed[callee_];
  }

  void arguments(const Node& node, Use use) {
    const std::string outer = std::exchange(callee_, node.text);
    all(node, 0, use);
    callee_ = outer;
  }

  void all(const Node& node, std::size_t first, Use use) {
    for (std::size_t at = first; at < node.parts.size(); ++at) read(node.parts[at], use);
  }

  Effects& out_;
  std::string callee_;  // the function whose arguments are read, if it has a name
};

}  // namespace

Binding binding_of(const Statement& definition) {
  Binding out;
  for (const python::Parameter& parameter : definition.parameters) out.locals.insert(parameter.name);
  Binder(out).read(definition.body);
  for (const Names* declared : {&out.globals, &out.nonlocals}) {
    for (const std::string& name : *declared) out.locals.erase(name);
  }
  return out;
}

Effects effects_of(const Statement& function) {
  Effects out;
  User(out).read(function);
  return out;
}

static void add_names(const Statement& statement, Names& out);

static void add_names(const Node& node, Names& out) {
  if (node.kind == Form::name || node.kind == Form::call) out.insert(node.text);
  if (node.kind == Form::lambda && node.function != nullptr) add_names(*node.function, out);
  for (const Node& part : node.parts) add_names(part, out);
}

static void add_names(const Statement& statement, Names& out) {
  for (const auto* nodes : {&statement.values, &statement.targets, &statement.decorators}) {
    for (const Node& node : *nodes) add_names(node, out);
  }
  add_names(statement.value, out);
  for (const python::Name& name : statement.names) out.insert(name.text);
  for (const python::Parameter& parameter : statement.parameters) {
    for (const Node& fallback : parameter.fallback) add_names(fallback, out);
  }
  for (const auto* more : {&statement.body, &statement.clauses, &statement.otherwise, &statement.last}) {
    for (const Statement& inner : *more) add_names(inner, out);
  }
}

Names names_of(const Node& node) {
  Names out;
  add_names(node, out);
  return out;
}

Names names_of(const Statement& statement) {
  Names out;
  add_names(statement, out);
  return out;
}

static bool leaves(const Statement& statement, bool breaks, bool continues) {
  if (statement.kind == Statement::Kind::function || statement.kind == Statement::Kind::type) return false;
  if (statement.kind == Statement::Kind::result) return true;
  if (statement.kind == Statement::Kind::leave) return statement.text == "break" ? breaks : continues;
  const bool loop = statement.kind == Statement::Kind::loop;
  const auto any = [&](const auto& block, bool inner) {
    return std::ranges::any_of(
        block, [&](const Statement& each) { return leaves(each, breaks && !inner, continues && !inner); });
  };
  return any(statement.body, loop) || any(statement.clauses, false) || any(statement.otherwise, false) ||
         any(statement.last, false);
}

bool leaves(const std::vector<Statement>& block, bool loop) {
  return std::ranges::any_of(block, [&](const Statement& each) { return leaves(each, true, !loop); });
}

Names words_of(std::string_view text) {
  Names out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && (base::is_name_letter(text[at]) || static_cast<unsigned char>(text[at]) >= 0x80)) ++at;
    if (at > begin) out.emplace(text.substr(begin, at - begin));
    at += at == begin ? 1 : 0;
  }
  return out;
}

bool is_builtin(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "abs",        "aiter",     "all",          "anext",    "any",    "ascii",       "bin",       "bool",
      "breakpoint", "bytearray", "bytes",        "callable", "chr",    "classmethod", "compile",   "complex",
      "copyright",  "credits",   "delattr",      "dict",     "dir",    "divmod",      "enumerate", "eval",
      "exec",       "exit",      "filter",       "float",    "format", "frozenset",   "getattr",   "globals",
      "hasattr",    "hash",      "help",         "hex",      "id",     "input",       "int",       "isinstance",
      "issubclass", "iter",      "len",          "license",  "list",   "locals",      "map",       "max",
      "memoryview", "min",       "next",         "object",   "oct",    "open",        "ord",       "pow",
      "print",      "property",  "quit",         "range",    "repr",   "reversed",    "round",     "set",
      "setattr",    "slice",     "sorted",       "str",      "sum",    "super",       "tuple",     "type",
      "vars",       "zip",       "staticmethod", "Ellipsis"};
  static constexpr std::string_view kClasses[] = {"BaseExceptionGroup", "ExceptionGroup", "GeneratorExit",
                                                  "KeyboardInterrupt",  "NotImplemented", "StopAsyncIteration",
                                                  "StopIteration",      "SystemExit"};
  return base::contains(kNames, name) || base::contains(kClasses, name) || name.ends_with("Error") ||
         name.ends_with("Exception") || name.ends_with("Warning") || (name.starts_with("__") && name.ends_with("__"));
}

}  // namespace sparsecfg::script
