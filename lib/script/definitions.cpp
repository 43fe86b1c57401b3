#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/edit_distance.h"
#include "base/limits.h"
#include "python/tree.h"
#include "script/interpreter.h"
#include "script/library/paths.h"
#include "script/network.h"

// Imports, functions and classes.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

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
  constexpr std::string_view kEnvironment = "os.environ";
  if (path == kEnvironment) return environment_;
  const Ref found = library_.constant(path, span);
  return found == nullptr ? nullptr : constants_.try_emplace(found->path, found).first->second;
}

// Returns true if the script assigns a name of a module, or of an object in it.
bool Interpreter::is_patched(std::string_view path) const {
  return std::ranges::any_of(patched_, [&](std::string_view name) {
    return name.starts_with(path) && (name.size() == path.size() || name[path.size()] == '.');
  });
}

// `from module import *`.
void Interpreter::import_all(const std::shared_ptr<Scope>& module, const std::string& name, Span span) {
  scope_->open = scope_->open || module == nullptr || module->open;
  if (module == nullptr) {
    // The names of a module that is not known can replace values of the script.
    if (!library_.keeps_arguments(name + ".")) havoc_values(span, "an import can replace it");
    return;
  }
  const auto names = module->names;
  const auto exported = names.find("__all__");
  if (exported == names.end()) {
    for (const auto& [each, value] : names) {
      if (!each.starts_with('_')) assign_name(each, value);
    }
    return;
  }
  const auto listed = elements(exported->second, span);
  const auto is_text = [](const Ref& value) { return types_of(*value) == types::text; };
  if (!listed || !std::ranges::all_of(*listed, is_text)) return havoc_values(span, "an import can replace it");
  for (const Ref& each : *listed) {
    const auto found = names.find(*each->string());
    assign_name(*each->string(), found != names.end() ? found->second : unknown(span, "it is not found in the module"));
  }
}

// Returns a module next to the script as a value.
Ref Interpreter::module_value(const python::Name& imported, const std::shared_ptr<Scope>& scope) {
  const bool nested = imported.text.find('.') != std::string::npos && imported.alias.empty();
  if (nested) return unknown(imported.span, "it is a package");
  auto value = std::make_shared<Value>();
  value->kind = Kind::type;
  value->role = Role::module;
  value->span = imported.span;
  value->text = imported.text;
  value->scope = scope;
  return made(value);
}

void Interpreter::import_name(const Statement& statement, const python::Name& name) {
  const bool from = statement.kind == Statement::Kind::import_from;
  const std::shared_ptr<Scope> module = sibling(from ? statement.text : name.text, statement.span);
  constexpr std::string_view kAll = "*";
  if (from && name.text == kAll) return import_all(module, statement.text, statement.span);
  const std::string known = !name.alias.empty() ? name.alias
                            : from              ? name.text
                                                : name.text.substr(0, name.text.find('.'));
  const bool is_package = module != nullptr ? module->names.contains("__path__") && !module->names.contains(name.text)
                                            : from && statement.text.starts_with('.');
  if (from && is_package) {
    const std::string inner = statement.text + (statement.text.ends_with('.') ? "" : ".") + name.text;
    if (const auto found = sibling(inner, statement.span)) {
      return assign_name(known, module_value({name.text, known, name.span}, found));
    }
  }
  if (module == nullptr) {
    if (from) note_missing_module(statement.text, name);
    const std::string path = from ? statement.text + "." + name.text : name.alias.empty() ? known : name.text;
    return assign_name(known, imported(path, name.span));
  }
  if (!from) return assign_name(known, module_value(name, module));
  const auto found = module->names.find(name.text);
  if (found != module->names.end()) return assign_name(known, found->second);
  note_missing(module, statement.text, name);
  assign_name(known, unknown(name.span, "it is not found in the module"));
}

// Notes a name that a module does not define. A package may have modules with more names.
void Interpreter::note_missing(const std::shared_ptr<Scope>& module, const std::string& path,
                               const python::Name& name) {
  const bool defines = module->open || module->names.contains("__getattr__") || module->names.contains("__path__");
  if (defines || !is_certain()) return;
  trace_.failures.push_back(
      {Failure::Kind::missing, name.span, fmt::format("{}.{}", path, name.text), near_name(name.text, *module)});
}

// Notes a module that a package next to the script lacks. Private modules may be generated by an installation, and a
// folder without `__init__.py` is a package as well.
void Interpreter::note_missing_module(const std::string& path, const python::Name& name) {
  const std::size_t dot = path.rfind('.');
  const bool plain = dot != std::string::npos && dot > 0 && !path.starts_with('.') && path[dot + 1] != '_';
  const auto is_unknown = [](const auto& folder) { return !folder; };
  const bool sure = is_certain() && !searches_more_ && !is_patched("sys.path") &&
                    std::ranges::none_of(module_folders_, is_unknown) &&
                    std::ranges::none_of(more_module_folders_, is_unknown);
  if (!plain || !sure) return;
  const std::shared_ptr<Scope> package = sibling(path.substr(0, dot), name.span);
  const bool has = package == nullptr || package->open || !package->names.contains("__path__") ||
                   package->names.contains("__getattr__") || package->names.contains(path.substr(dot + 1));
  if (has || sibling(path + "." + name.text, name.span) != nullptr) return;
  trace_.failures.push_back({Failure::Kind::absent, name.span, path, {}});
}

// Returns a name of a scope that is spelled like another one; empty if there is none.
std::string Interpreter::near_name(const std::string& name, const Scope& scope) {
  std::vector<std::string_view> names;
  for (const auto& [each, value] : scope.names) names.push_back(each);
  return std::string(base::nearest(name, names).value_or(""));
}

void Interpreter::import(const Statement& statement) {
  const bool from = statement.kind == Statement::Kind::import_from;
  ++risks_;
  for (const python::Name& name : statement.names) {
    if (is_certain()) {
      trace_.imports.push_back({from ? statement.text : name.text, from ? name.text : std::string(), name.span,
                                statement.names.size() == 1 ? statement.span : Span()});
    }
    import_name(statement, name);
  }
}

// Gives all nodes of a tree another place.
class Mover {
 public:
  // `place` returns the new place of one that is not empty.
  explicit Mover(std::function<source::Span(source::Span)> place) : place_(std::move(place)) {}

  void move(python::Statement& statement) const {
    statement.span = place_(statement.span);
    statement.offset = statement.span.begin;
    move(statement.value);
    for (auto* nodes : {&statement.values, &statement.targets, &statement.decorators}) {
      for (python::Node& node : *nodes) move(node);
    }
    for (python::Name& name : statement.names) name.span = place_(name.span);
    for (python::Parameter& parameter : statement.parameters) {
      parameter.span = place_(parameter.span);
      for (python::Node& node : parameter.fallback) move(node);
    }
    for (auto* more : {&statement.body, &statement.clauses, &statement.otherwise, &statement.last}) {
      for (python::Statement& inner : *more) move(inner);
    }
  }

 private:
  void move(python::Node& node) const {
    node.span = python::is_absent(node) ? source::Span() : place_(node.span);
    node.offset = node.span.begin;
    node.content = {};
    for (source::Span& keyword : node.keyword_spans) keyword = place_(keyword);
    for (python::Node& part : node.parts) move(part);
    if (node.function != nullptr) {
      auto function = std::make_shared<python::Statement>(*node.function);
      move(*function);
      node.function = std::move(function);
    }
  }

  std::function<source::Span(source::Span)> place_;
};

// Gives the text of a file offsets. Returns its place, or nullopt if it is too large.
std::optional<source::Span> Interpreter::add_file(const std::string& path, std::string_view text, Span use) {
  const auto begin = builds(text.size()) ? module_places_.add(path, text, use) : std::nullopt;
  return begin ? std::optional(Span{*begin, *begin + static_cast<std::uint32_t>(text.size())}) : std::nullopt;
}

void Interpreter::add_module_folder(const Ref& path, bool first) {
  auto folder = path_of(*this, *path);
  // Folders outside of the project are not read.
  const bool outside = !folder || folder->text.starts_with('/') || folder->text.find("..") != std::string::npos;
  if (outside) folder = std::nullopt;
  if (first) {
    module_folders_.insert(module_folders_.begin(), std::move(folder));
  } else {
    more_module_folders_.push_back(std::move(folder));
  }
}

// Returns a package or module in a folder.
std::optional<Interpreter::ModuleText> Interpreter::module_in(const PathText& folder, const std::string& path,
                                                              bool& unclear) {
  const std::string begin = folder.text.empty() ? folder.text : folder.text + "/";
  for (const char* end : {"/__init__.py", ".py"}) {
    auto text = library_.find_file(begin + path + end, folder.here, unclear);
    if (text) return ModuleText{begin + path + end, *std::move(text)};
    if (unclear) return std::nullopt;
  }
  return std::nullopt;
}

// Python searches the folders of `sys.path` in order; that of the script is the first at the beginning.
std::optional<Interpreter::ModuleText> Interpreter::module_text(const std::string& path, bool relative) {
  std::vector<std::optional<PathText>> folders;
  if (!relative) folders = module_folders_;
  folders.emplace_back(PathText{true, ""});
  if (!relative) folders.insert(folders.end(), more_module_folders_.begin(), more_module_folders_.end());
  const bool known = relative || (!searches_more_ && !is_patched("sys.path"));
  for (const auto& folder : folders) {
    bool unclear = !known || !folder;
    auto text = unclear ? std::nullopt : module_in(*folder, path, unclear);
    if (text || unclear) return unclear ? std::nullopt : text;
  }
  // Notebooks run in the current folder.
  bool unclear = false;
  return module_in({false, ""}, path, unclear);
}

// Returns the path of a module without its ending: `a/b` for `a.b`, and for `.b` in the folder of the module that
// imports it. Each further point is a folder above. Nullopt if it is outside of the folder of the script.
std::optional<std::string> Interpreter::path_of_module(const std::string& module, std::size_t points) const {
  std::string path = module.substr(points);
  std::ranges::replace(path, '.', '/');
  std::string folder = points > 0 ? package_ : std::string();
  for (std::size_t level = 1; level < points; ++level) {
    if (folder.empty()) return std::nullopt;
    const std::size_t slash = folder.rfind('/');
    folder.resize(slash == std::string::npos ? 0 : slash);
  }
  return folder.empty() ? path : folder + "/" + path;
}

// Follows a module next to the script. Returns null if it is not found.
std::shared_ptr<Scope> Interpreter::sibling(const std::string& module, Span span) {
  const std::size_t begin = module.find_first_not_of('.');
  const auto path = begin == std::string::npos ? std::nullopt : path_of_module(module, begin);
  if (!path) return nullptr;
  const std::string key = (begin > 0 ? "./" : "") + *path;
  const auto known = siblings_.find(key);
  if (known != siblings_.end()) {
    return known->second;
  }
  siblings_[key] = nullptr;
  auto found = modules_.size() < limits::kMaxScriptModules ? module_text(*path, begin > 0) : std::nullopt;
  if (!found || !builds(found->text.size() * 4)) {
    return nullptr;
  }
  modules_.push_back(
      std::make_unique<std::pair<std::string, python::Script>>(std::move(found->text), python::Script()));
  auto& [kept, script] = *modules_.back();
  const bool is_package = found->path.ends_with("__init__.py");
  const std::size_t slash = found->path.rfind('/');
  const std::string folder = found->path.substr(0, slash == std::string::npos ? 0 : slash);
  const auto offset = module_places_.add(std::move(found->path), kept, span);
  if (!offset) {
    return nullptr;
  }
  script = python::parse_script(kept);
  if (script.fault && is_certain()) {
    const std::uint32_t place = *offset + script.fault->offset;
    trace_.failures.push_back({Failure::Kind::module, {place, place + 1}, script.fault->message, {}});
  }
  if (!script.too_long.empty() || script.fault) {
    return nullptr;
  }
  const Mover mover([&](Span place) { return Span{place.begin + *offset, place.end + *offset}; });
  for (python::Statement& statement : script.statements) mover.move(statement);
  auto scope = heap_.new_scope();
  scope->names["__name__"] = scalar(span, module.substr(begin));
  if (is_package) scope->names["__path__"] = unknown(span, "it depends on the installation");
  const std::string outer = std::exchange(package_, folder);
  const Flow flow = run_module(script, scope);
  package_ = outer;
  siblings_[key] = flow == Flow::normal ? scope : nullptr;
  return siblings_[key];
}

// Follows a tree whose names are in another scope, and whose recipes belong to another file.
Flow Interpreter::run_module(const python::Script& script, const std::shared_ptr<Scope>& scope) {
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
  return flow;
}

// Parses the text that `exec` or `eval` runs. Returns null if a part is not read.
python::Script* Interpreter::parse_code(const std::string& text, bool expression, Span span) {
  if (text.size() > limits::kMaxScriptCode || !builds(text.size() * 100)) return nullptr;
  modules_.push_back(std::make_unique<std::pair<std::string, python::Script>>(text, python::Script()));
  auto& [kept, script] = *modules_.back();
  script = python::parse_script(kept);
  const auto skipped = [](const python::Statement& each) { return each.kind == Statement::Kind::skipped; };
  if (!script.too_deep.empty() || !script.too_long.empty() || std::ranges::any_of(script.statements, skipped) ||
      (expression && (script.statements.size() != 1 || script.statements[0].kind != Statement::Kind::expression))) {
    return nullptr;
  }
  const Mover mover([&](Span) { return span; });
  for (python::Statement& statement : script.statements) mover.move(statement);
  return &script;
}

// The names of functions in the text are the entries of the dictionary, also when it changes later. That is not
// modeled.
Ref Interpreter::run_text_in(const std::string& text, const Ref& names, Span span) {
  const Names words = words_of(text);
  const bool defines = words.contains("def") || words.contains("lambda") || words.contains("class");
  const bool known = !names->open && !names->escaped && names->role == Role::plain && !defines;
  const python::Script* const script = known ? parse_code(text, false, span) : nullptr;
  if (script == nullptr) return nullptr;
  auto scope = heap_.new_scope();
  for (std::size_t at = 0; at + 1 < names->items.size(); at += 2) {
    if (types_of(*names->items[at]) != types::text) return nullptr;
    scope->names[*names->items[at]->string()] = names->items[at + 1];
  }
  if (run_module(*script, scope) != Flow::normal || !heap_.change(names)) return nullptr;
  for (const auto& [name, value] : scope->names) put(*names, scalar(span, name), value);
  // Python adds `__builtins__`.
  put(*names, scalar(span, "__builtins__"), unknown(span, "it is set by `exec`"));
  return scalar(span, std::monostate());
}

// Follows a text that `exec` or `eval` runs here. Returns nullopt if it is not known what it does.
std::optional<Ref> Interpreter::run_text(const std::string& text, bool expression, Span span) {
  const python::Script* const script = is_in_module() ? parse_code(text, expression, span) : nullptr;
  if (script == nullptr) return std::nullopt;
  const std::string_view outer = std::exchange(text_, std::string_view());
  Ref result = scalar(span, std::monostate());
  if (expression) {
    result = evaluate(script->statements.front().value);
  } else {
    raised_ = block(script->statements) != Flow::normal;
  }
  text_ = outer;
  return result;
}

// Returns the mapping of all names of the module. In a function, `vars()` and `locals()` are not modeled.
Ref Interpreter::all_names(const Node& node) {
  const Ref out = made(std::make_shared<Value>());
  out->kind = Kind::object;
  out->role = Role::all_names;
  out->span = node.span;
  return out;
}

void Interpreter::set_names(const Arguments& arguments) {
  for (std::size_t at = 0; at < arguments.named.size(); ++at)
    heap_.bind(module_, arguments.names[at].value, arguments.named[at]);
}

// Returns the value of `super()` or `super(C, self)`.
Ref Interpreter::super_of(const Arguments& arguments, const Node& node) {
  const std::vector<Ref> all = arguments.all();
  std::shared_ptr<Scope> scope = all.empty() && !arguments.is_open() ? scope_ : nullptr;
  while (scope != nullptr && scope->kind != Scope::Kind::function) scope = scope->outer;
  const bool names_class =
      all.size() == 2 && arguments.positional.size() == 2 && !arguments.is_open() && all[0]->kind == Kind::type;
  const Ref owner = scope != nullptr ? scope->owner : names_class ? all[0] : nullptr;
  const Ref self = scope != nullptr ? scope->self : names_class ? all[1] : nullptr;
  if (owner == nullptr || self == nullptr) {
    for (const Ref& argument : all) escape(argument, node.span, "a method of a base class can change it");
    return opaque(node.span, "it depends on `super()`");
  }
  const Ref out = made(std::make_shared<Value>());
  out->kind = Kind::object;
  out->role = Role::super;
  out->span = node.span;
  out->owner = owner;
  out->items.push_back(self);
  return out;
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
  ++uncertain_;  // Python may evaluate annotations later or never
  for (const Node& annotation : statement.values) {
    if (has_effects(annotation)) evaluate(annotation);
  }
  --uncertain_;
  const Ref function = function_of(statement);
  if (!silent_) functions_.push_back(function);
  assign_name(statement.text, decorated(statement, function));
}

// Returns the role that a decorator gives to a function; nullopt for a decorator that is not known.
static std::optional<Role> role_of_decorator(const Value& decorator) {
  static constexpr std::pair<std::string_view, Role> kRoles[] = {{"staticmethod", Role::static_method},
                                                                 {"classmethod", Role::class_method},
                                                                 {"property", Role::property},
                                                                 {"functools.wraps", Role::plain},
                                                                 {"contextlib.contextmanager", Role::manager},
                                                                 {"torch.no_grad", Role::plain},
                                                                 {"torch.inference_mode", Role::plain},
                                                                 {"typing.override", Role::plain},
                                                                 {"typing.final", Role::plain},
                                                                 {"typing.overload", Role::plain},
                                                                 {"pytest.mark.parametrize", Role::plain}};
  if (decorator.kind != Kind::name && decorator.kind != Kind::object) return std::nullopt;
  const auto* found = std::ranges::find(kRoles, decorator.path, &std::pair<std::string_view, Role>::first);
  return found == std::end(kRoles) ? std::nullopt : std::optional(found->second);
}

Ref Interpreter::decorated(const Statement& statement, Ref function) {
  std::vector<Ref> decorators;
  for (const Node& decorator : statement.decorators) decorators.push_back(evaluate(decorator));
  for (std::size_t at = decorators.size(); at-- > 0;) {
    const auto role = role_of_decorator(*decorators[at]);
    if (!role || function->kind != Kind::function) {
      Arguments arguments;
      arguments.positional.push_back(function);
      function = call_value(decorators[at], arguments, statement.decorators[at]);
      if (function->kind == Kind::object) {
        function = unknown(statement.decorators[at].span, fmt::format("a decorator changes `{}`", statement.text));
      }
    } else if (*role != Role::plain) {
      function = std::make_shared<Value>(*function);
      function->role = *role;
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
  return type.kind == Kind::type && type.role != Role::module &&
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

// What the bases of a class make of it.
struct Interpreter::Bases {
  std::size_t own = 0;       // classes of the script
  std::size_t networks = 0;  // `torch.nn.Module`, and classes of the script with this base
  bool hooked = false;       // true if other code can change the class when it is created
  bool named_tuple = false;
};

// The bases of the standard library whose effect on a class is known.
enum class KnownBase : std::uint8_t { none, plain, enumeration, named_tuple };

static KnownBase known_base(const Value& base) {
  static constexpr std::pair<std::string_view, KnownBase> kBases[] = {{"object", KnownBase::plain},
                                                                      {"str", KnownBase::plain},
                                                                      {"enum.Enum", KnownBase::enumeration},
                                                                      {"enum.StrEnum", KnownBase::enumeration},
                                                                      {"enum.IntEnum", KnownBase::enumeration},
                                                                      {"typing.NamedTuple", KnownBase::named_tuple}};
  if (base.kind == Kind::type) return base.role == Role::module ? KnownBase::none : KnownBase::plain;
  if (base.kind != Kind::name) return KnownBase::none;
  const auto* found = std::ranges::find(kBases, base.path, &std::pair<std::string_view, KnownBase>::first);
  return found == std::end(kBases) ? KnownBase::none : found->second;
}

void Interpreter::add_base(const Ref& type, const Ref& base, Bases& bases) {
  const KnownBase known = known_base(*base);
  if (known == KnownBase::enumeration) type->role = Role::enumeration;
  bases.named_tuple = bases.named_tuple || known == KnownBase::named_tuple;
  bases.hooked = bases.hooked || (known == KnownBase::none && !is_plain_base(*base)) || has_hook(*base);
  bases.own += base->kind == Kind::type ? 1 : 0;
  bases.networks += is_module_class(*base) || base->role == Role::network ? 1 : 0;
  type->open = type->open || known == KnownBase::none || bases.own > 1;
  if (base->kind == Kind::type) type->items.push_back(base);
}

Interpreter::Bases Interpreter::add_bases(const Ref& type, const Statement& statement) {
  Bases out;
  out.hooked = !statement.values.empty();
  for (const Node& node : statement.targets) add_base(type, evaluate(node), out);
  for (const Node& keyword : statement.values) {
    evaluate(keyword);
    type->open = true;
  }
  const bool network = out.networks == 1 && statement.targets.size() == 1 && statement.values.empty();
  if (network) type->role = Role::network;
  if (has_many_bases(*type)) {
    type->items.clear();
    type->role = Role::plain;
    type->open = true;
    out.hooked = true;
  }
  return out;
}

// Follows the body of a class.
void Interpreter::run_class_body(const Ref& type, const Statement& statement) {
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
}

Ref Interpreter::decorated_class(Ref type, const Statement& statement) {
  constexpr std::string_view kDataclass = "dataclasses.dataclass";
  for (std::size_t at = statement.decorators.size(); at-- > 0;) {
    const Ref decorator = evaluate(statement.decorators[at]);
    if (decorator->path == kDataclass && type->kind == Kind::type) {
      add_dataclass(type, statement);
      continue;
    }
    Arguments arguments;
    arguments.positional.push_back(type);
    type = call_value(decorator, arguments, statement.decorators[at]);
  }
  return type;
}

void Interpreter::define_class(const Statement& statement) {
  if (!silent_) trace_.classes.push_back(statement.text);
  auto type = std::make_shared<Value>();
  type->kind = Kind::type;
  type->span = statement.span;
  type->text = statement.text;
  const Bases bases = add_bases(type, statement);
  run_class_body(type, statement);
  const Ref value = made(type);
  special_ = special_ || is_special(*type);
  const bool hooked =
      bases.hooked || std::ranges::any_of(type->scope->names, [&](const auto& name) {
        return name.second->kind == Kind::instance && type_attribute(name.second->owner, "__set_name__") != nullptr;
      });
  if (hooked) {
    escape(type, statement.span, "the class can be changed when it is created");
    run_escaped(statement.span);
  }
  if (!type->items.empty() && type->items.front()->role == Role::dataclass) {
    type->role = Role::dataclass;
    type->names = type->items.front()->names;
    type->variants = type->items.front()->variants;
  }
  if (bases.named_tuple) add_dataclass(value, statement);
  assign_name(statement.text, decorated_class(value, statement));
}

bool is_dataclass_field(const Value& value) {
  constexpr std::string_view kField = "dataclasses.field";
  return value.kind == Kind::object && value.path == kField;
}

static bool is_class_variable(const python::Node& annotation) {
  constexpr std::string_view kClassVar = "ClassVar";
  return annotation.text == kClassVar || (!annotation.parts.empty() && annotation.parts.front().text == kClassVar);
}

// Records the fields of a dataclass, in order: its names, and as variants their defaults or null.
void Interpreter::add_dataclass(const Ref& type, const Statement& statement) {
  type->role = Role::dataclass;
  type->open = type->open || !type->items.empty();
  if (type->open) return;
  for (const Statement& field : statement.body) {
    const bool plain = field.kind == Statement::Kind::annotation ||
                       (field.kind == Statement::Kind::assignment && !field.values.empty());
    if (!plain || field.targets.front().kind != Form::name) continue;
    const bool special = !field.values.empty() && is_class_variable(field.values.front());
    if (special) continue;
    const auto fallback = type->scope->names.find(field.targets.front().text);
    const Ref plain_default = fallback == type->scope->names.end() ? nullptr : fallback->second;
    const bool moved = plain_default != nullptr && is_dataclass_field(*plain_default) &&
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
