#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "python/tree.h"
#include "script/interpreter.h"

// Imports, functions and classes.
namespace sparsecfg::script {

using Kind = Value::Kind;

static Ref name_of(std::string path, source::Span span) {
  auto value = std::make_shared<Value>();
  value->kind = Kind::name;
  value->span = span;
  value->path = std::move(path);
  value->imported = true;
  return value;
}

// An imported name that a framework defines as a dictionary becomes a dictionary, which the script may change.
Ref Interpreter::imported(const std::string& path, Span span) {
  if (is_patched(path)) return opaque(span, fmt::format("the script changes `{}`", path));
  const Ref known = constant(path, span);
  return known != nullptr ? known : name_of(path, span);
}

// Returns a dictionary that a framework defines, or null. All imports refer to the same object, which is older than
// every branch.
Ref Interpreter::constant(const std::string& path, Span span) {
  const Ref found = library_.constant(path, span);
  return found == nullptr ? nullptr : constants_.try_emplace(found->path, found).first->second;
}

// Returns true if the script assigns a name of a module, or of an object in it.
bool Interpreter::is_patched(std::string_view path) const {
  return std::ranges::any_of(patched_, [&](std::string_view name) {
    return name.starts_with(path) && (name.size() == path.size() || name[path.size()] == '.');
  });
}

void Interpreter::import(const Statement& statement) {
  const bool from = statement.kind == Statement::Kind::import_from;
  ++risks_;
  for (const python::Name& imported : statement.names) {
    if (attempts_.empty() && uncertain_ == 0 && !silent_) {
      trace_.imports.push_back({from ? statement.text : imported.text, from ? imported.text : std::string(),
                                imported.span, statement.names.size() == 1 ? statement.span : Span()});
    }
    const std::shared_ptr<Scope> module = sibling(from ? statement.text : imported.text, statement.span);
    if (from && imported.text == "*") {
      // The names of a module that is not known can replace values of the script.
      if (module == nullptr) {
        if (!library_.keeps_arguments(statement.text + ".")) havoc_values(statement.span, "an import can replace it");
        continue;
      }
      const auto names = module->names;
      for (const auto& [name, value] : names) {
        if (!name.starts_with('_')) assign_name(name, value);
      }
      continue;
    }
    const std::string known = !imported.alias.empty() ? imported.alias
                              : from                  ? imported.text
                                                      : imported.text.substr(0, imported.text.find('.'));
    if (module == nullptr) {
      const std::string path = from                     ? statement.text + "." + imported.text
                               : imported.alias.empty() ? known
                                                        : imported.text;
      assign_name(known, this->imported(path, imported.span));
    } else if (from) {
      const auto found = module->names.find(imported.text);
      assign_name(known, found != module->names.end() ? found->second
                                                      : unknown(imported.span, "it is not found in the module"));
    } else {
      auto value = std::make_shared<Value>();
      value->kind = Kind::type;
      value->span = imported.span;
      value->text = imported.text;
      value->path = "module";
      value->scope = module;
      const bool nested = imported.text.find('.') != std::string::npos && imported.alias.empty();
      assign_name(known, nested ? unknown(imported.span, "it is a package") : made(value));
    }
  }
}

static void move_spans(python::Node& node, source::Span span);

static void move_spans(python::Statement& statement, source::Span span) {
  statement.span = span;
  statement.offset = span.begin;
  move_spans(statement.value, span);
  for (auto* nodes : {&statement.values, &statement.targets, &statement.decorators}) {
    for (python::Node& node : *nodes) move_spans(node, span);
  }
  for (python::Name& name : statement.names) name.span = span;
  for (python::Parameter& parameter : statement.parameters) {
    parameter.span = span;
    for (python::Node& node : parameter.fallback) move_spans(node, span);
  }
  for (auto* more : {&statement.body, &statement.clauses, &statement.otherwise, &statement.last}) {
    for (python::Statement& inner : *more) move_spans(inner, span);
  }
}

static void move_spans(python::Node& node, source::Span span) {
  const bool absent = python::is_absent(node);
  node.span = absent ? source::Span() : span;
  node.offset = span.begin;
  node.content = {};
  for (source::Span& keyword : node.keyword_spans) keyword = span;
  for (python::Node& part : node.parts) move_spans(part, span);
  if (node.function != nullptr) {
    auto function = std::make_shared<python::Statement>(*node.function);
    move_spans(*function, span);
    node.function = std::move(function);
  }
}

// Follows a module next to the script. All its places are those of the import. Returns null if it is not found.
std::shared_ptr<Scope> Interpreter::sibling(const std::string& module, Span span) {
  const std::size_t begin = module.find_first_not_of('.');
  if (begin == std::string::npos || begin > 1) {
    return nullptr;
  }
  const auto known = siblings_.find(module);
  if (known != siblings_.end()) {
    return known->second;
  }
  siblings_[module] = nullptr;
  std::string path = module.substr(begin);
  std::ranges::replace(path, '.', '/');
  auto text = modules_.size() < limits::kMaxScriptModules ? library_.read_file(path + ".py") : std::nullopt;
  if (!text && modules_.size() < limits::kMaxScriptModules) text = library_.read_file(path + "/__init__.py");
  if (!text || !budget_.allocate(text->size() * 4)) {
    return nullptr;
  }
  modules_.push_back(std::make_unique<std::pair<std::string, python::Script>>(std::move(*text), python::Script()));
  auto& [kept, script] = *modules_.back();
  script = python::parse_script(kept);
  if (!script.too_long.empty()) {
    return nullptr;
  }
  for (python::Statement& statement : script.statements) move_spans(statement, span);
  auto scope = heap_.new_scope();
  scope->names["__name__"] = scalar(span, module.substr(begin));
  const std::shared_ptr<Scope> outer = std::exchange(module_, scope);
  const bool silent = std::exchange(silent_, true);
  const std::string_view outer_text = std::exchange(text_, std::string_view());
  Flow flow = Flow::normal;
  {
    const Entered entered(*this, scope);
    flow = block(script.statements);
  }
  text_ = outer_text;
  silent_ = silent;
  module_ = outer;
  siblings_[module] = flow == Flow::normal ? scope : nullptr;
  return siblings_[module];
}

// Follows a text that `exec` or `eval` runs here. Returns nullopt if it is not known what it does.
std::optional<Ref> Interpreter::run_text(const std::string& text, bool expression, Span span) {
  if (scope_->kind != Scope::Kind::module || text.size() > limits::kMaxScriptCode ||
      !budget_.allocate(text.size() * 100)) {
    return std::nullopt;
  }
  modules_.push_back(std::make_unique<std::pair<std::string, python::Script>>(text, python::Script()));
  auto& [kept, script] = *modules_.back();
  script = python::parse_script(kept);
  const auto skipped = [](const python::Statement& each) { return each.kind == Statement::Kind::skipped; };
  if (!script.too_deep.empty() || !script.too_long.empty() || std::ranges::any_of(script.statements, skipped) ||
      (expression && (script.statements.size() != 1 || script.statements[0].kind != Statement::Kind::expression))) {
    return std::nullopt;
  }
  for (python::Statement& statement : script.statements) move_spans(statement, span);
  const std::string_view outer = std::exchange(text_, std::string_view());
  Ref result = scalar(span, std::monostate());
  if (expression) {
    result = evaluate(script.statements.front().value);
  } else {
    raised_ = block(script.statements) != Flow::normal;
  }
  text_ = outer;
  return result;
}

const Binding& Interpreter::binding(const Statement& definition) {
  auto& found = bindings_[&definition];
  if (found == nullptr) found = std::make_unique<Binding>(binding_of(definition));
  return *found;
}

Ref Interpreter::function_of(const Statement& statement) {
  auto function = std::make_shared<Value>();
  function->kind = Kind::function;
  function->span = statement.span;
  function->path = statement.text;
  function->function = &statement;
  function->scope = scope_;
  for (const python::Parameter& parameter : statement.parameters) {
    function->items.push_back(parameter.fallback.empty() ? nullptr : evaluate(parameter.fallback.front()));
    if (function->items.back() != nullptr) keep(function->items.back());
  }
  return made(function);
}

void Interpreter::define(const Statement& statement) {
  for (const Node& annotation : statement.values) {
    if (has_effects(annotation)) evaluate(annotation);
  }
  const Ref function = function_of(statement);
  if (!silent_) functions_.push_back(function);
  assign_name(statement.text, decorated(statement, function));
}

// Returns the mark of a decorator that does not change the function itself.
static std::string_view mark_of(const Value& decorator) {
  static constexpr std::pair<std::string_view, std::string_view> kMarks[] = {
      {"staticmethod", "static"},          {"classmethod", "class"},   {"property", "property"},
      {"functools.wraps", "plain"},        {"torch.no_grad", "plain"}, {"torch.inference_mode", "plain"},
      {"typing.override", "plain"},        {"typing.final", "plain"},  {"typing.overload", "plain"},
      {"pytest.mark.parametrize", "plain"}};
  for (const auto& [path, mark] : kMarks) {
    if ((decorator.kind == Kind::name || decorator.kind == Kind::object) && decorator.path == path) return mark;
  }
  return {};
}

Ref Interpreter::decorated(const Statement& statement, Ref function) {
  std::vector<Ref> decorators;
  for (const Node& decorator : statement.decorators) decorators.push_back(evaluate(decorator));
  for (std::size_t at = decorators.size(); at-- > 0;) {
    const std::string_view mark = mark_of(*decorators[at]);
    if (mark.empty() || function->kind != Kind::function) {
      Arguments arguments;
      arguments.positional.push_back(function);
      function = call_value(decorators[at], arguments, statement.decorators[at]);
      if (function->kind == Kind::object) {
        function = unknown(statement.decorators[at].span, fmt::format("a decorator changes `{}`", statement.text));
      }
    } else if (mark != "plain") {
      function = std::make_shared<Value>(*function);
      function->text = mark;
    }
  }
  return function;
}

// Returns true for a base class of a library that does not change classes that are derived from it.
static bool is_plain_base(const Value& base) {
  static constexpr std::string_view kModules[] = {"torch.", "abc.", "typing.", "enum.", "unittest.", "argparse."};
  return base.kind == Kind::name &&
         (base.imported
              ? std::ranges::any_of(kModules, [&](std::string_view module) { return base.path.starts_with(module); })
              : is_builtin(base.path));
}

// Returns true for a class of the script with `__init_subclass__`.
bool Interpreter::has_hook(const Value& type) const {
  return type.kind == Kind::type && type.path != "module" &&
         (type.scope->names.contains("__init_subclass__") ||
          std::ranges::any_of(type.items, [&](const Ref& base) { return has_hook(*base); }));
}

// Returns true if a class has too many bases to follow. A base that several bases share counts for each of them, as it
// is visited by each.
static bool has_many_bases(const Value& type) {
  std::vector<const Value*> waiting{&type};
  for (std::size_t count = 0; !waiting.empty(); ++count) {
    if (count > limits::kMaxScriptBases) return true;
    const Value* next = waiting.back();
    waiting.pop_back();
    for (const Ref& base : next->items) waiting.push_back(base.get());
  }
  return false;
}

static bool mentions(const python::Node& node, std::string_view name) {
  return node.text == name || std::ranges::any_of(node.parts, [&](const auto& part) { return mentions(part, name); });
}

void Interpreter::define_class(const Statement& statement) {
  if (!silent_) trace_.classes.push_back(statement.text);
  auto type = std::make_shared<Value>();
  type->kind = Kind::type;
  type->span = statement.span;
  type->text = statement.text;
  std::size_t bases = 0;
  bool hooked = !statement.values.empty();  // true if other code can change the class when it is created
  bool named_tuple = false;
  for (const Node& node : statement.targets) {
    const Ref base = evaluate(node);
    const bool object = base->kind == Kind::name && !base->imported && base->path == "object";
    const bool enumeration = base->kind == Kind::name && (base->path == "enum.Enum" || base->path == "enum.StrEnum" ||
                                                          base->path == "enum.IntEnum");
    const bool text = base->kind == Kind::name && base->path == "str";
    const bool tuple = base->kind == Kind::name && base->path == "typing.NamedTuple";
    named_tuple = named_tuple || tuple;
    const bool plain = object || (base->kind == Kind::type && base->path != "module");
    if (enumeration) type->path = "enum";
    hooked = hooked || (!plain && !enumeration && !text && !tuple && !is_plain_base(*base)) || has_hook(*base);
    bases += base->kind == Kind::type ? 1 : 0;
    type->open = type->open || (!plain && !enumeration && !text && !tuple) || bases > 1;
    if (base->kind == Kind::type) type->items.push_back(base);
  }
  for (const Node& keyword : statement.values) {
    evaluate(keyword);
    type->open = true;
  }
  if (has_many_bases(*type)) {
    type->items.clear();
    type->open = true;
    hooked = true;
  }
  type->scope = heap_.new_scope();
  type->scope->kind = Scope::Kind::type;
  type->scope->type = statement.text;
  type->scope->outer = scope_;
  type->scope->binding = &binding(statement);
  type->scope->born = heap_.tick();
  Flow flow = Flow::normal;
  {
    const Entered entered(*this, type->scope);
    flow = block(statement.body);
  }
  raised_ = raised_ || flow == Flow::dead;
  for (const auto& [name, value] : type->scope->names) {
    if (value->kind == Kind::function && value->owner == nullptr) value->owner = type;
  }
  Ref value = made(type);
  special_ = special_ || is_special(*type);
  hooked =
      hooked || std::ranges::any_of(type->scope->names, [&](const auto& name) {
        return name.second->kind == Kind::instance && type_attribute(name.second->owner, "__set_name__") != nullptr;
      });
  if (hooked) {
    escape(type, statement.span, "the class can be changed when it is created");
    run_escaped(statement.span);
  }
  if (!type->items.empty() && type->items.front()->path == "dataclass") {
    type->path = "dataclass";
    type->names = type->items.front()->names;
    type->variants = type->items.front()->variants;
  }
  if (named_tuple) add_dataclass(value, statement);
  for (std::size_t at = statement.decorators.size(); at-- > 0;) {
    const Ref decorator = evaluate(statement.decorators[at]);
    if (decorator->path == "dataclasses.dataclass" && value->kind == Kind::type) {
      add_dataclass(value, statement);
    } else {
      Arguments arguments;
      arguments.positional.push_back(value);
      value = call_value(decorator, arguments, statement.decorators[at]);
    }
  }
  assign_name(statement.text, value);
}

// Records the fields of a dataclass, in order: its names, and as variants their defaults or null.
void Interpreter::add_dataclass(const Ref& type, const Statement& statement) {
  type->path = "dataclass";
  type->open = type->open || !type->items.empty();
  if (type->open) return;
  for (const Statement& field : statement.body) {
    const bool plain = field.kind == Statement::Kind::annotation ||
                       (field.kind == Statement::Kind::assignment && !field.values.empty());
    if (!plain || field.targets.front().kind != Form::name) continue;
    const bool special =
        !field.values.empty() &&
        (field.values.front().text == "ClassVar" ||
         (!field.values.front().parts.empty() && field.values.front().parts.front().text == "ClassVar"));
    if (special) continue;
    const auto fallback = type->scope->names.find(field.targets.front().text);
    const Ref plain_default = fallback == type->scope->names.end() ? nullptr : fallback->second;
    const bool moved = plain_default != nullptr && plain_default->path == "dataclasses.field" &&
                       (plain_default->argument("init") != nullptr || plain_default->argument("kw_only") != nullptr);
    type->open = type->open || moved || (!field.values.empty() && mentions(field.values.front(), "InitVar"));
    type->names.push_back({field.targets.front().text, field.span});
    type->variants.push_back(plain_default);
  }
}

// Follows functions that are never called. They may define others, which are appended to the list. What they change is
// undone, because they may also never run.
void Interpreter::follow_uncalled() {
  for (std::size_t at = 0; at < functions_.size() && budget_.spend(); ++at) {
    const Ref function = functions_[at];
    if (!called_.insert(function->function).second) continue;
    const Statement& definition = *function->function;
    const std::size_t first = heap_.exits();
    const std::size_t mark = heap_.mark();
    auto scope = heap_.new_scope();
    scope->kind = Scope::Kind::function;
    scope->outer = function->scope;
    scope->binding = &binding(definition);
    scope->born = heap_.tick();
    // Unknown code can call the function before the last changes of its names.
    const auto late = escape_times_.find(function->function);
    late_since_ = late == escape_times_.end() ? 0 : late->second;
    late_begin_ = scope->born;
    stale_.clear();
    // A function that nothing calls does not change the recipes of other code.
    std::vector<Ref> outer = late_since_ == 0 ? std::exchange(kept_, {}) : kept_;
    for (const python::Parameter& parameter : definition.parameters) {
      scope->names[parameter.name] =
          unknown(parameter.span, fmt::format("it depends on the parameter `{}`", parameter.name));
    }
    {
      const Entered entered(*this, scope);
      block(definition.body);
    }
    raised_ = false;
    late_since_ = 0;
    kept_ = std::move(outer);
    heap_.drop_exits(first);
    heap_.rollback(mark);
    heap_.release();
  }
}

}  // namespace sparsecfg::script
