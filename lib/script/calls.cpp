#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "script/interpreter.h"
#include "script/model.h"
#include "script/network.h"
#include "script/reach.h"

// Calls.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

Ref Arguments::named_argument(std::string_view name) const {
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (names[at].value == name) return named[at];
  }
  return nullptr;
}

std::vector<Ref> Arguments::all() const {
  std::vector<Ref> out = positional;
  out.insert(out.end(), named.begin(), named.end());
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

NameIndex::NameIndex(const Arguments& arguments) : arguments_(arguments) {
  for (std::size_t at = 0; at < arguments.names.size(); ++at) places_.try_emplace(arguments.names[at].value, at);
}

Ref NameIndex::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : arguments_.named[found->second];
}

// Returns true for a method that changes a list, set or dictionary.
static bool is_change(std::string_view name) {
  static constexpr std::string_view kTypes[] = {"list.", "set.", "dict."};
  return std::ranges::any_of(kTypes, [&](std::string_view type) {
    const Operation* const row = find_function(std::string(type) + std::string(name));
    return row != nullptr && row->has(traits::changes);
  });
}

// Adds the elements of `*value`.
void Interpreter::add_spread(const Ref& value, Span span, Arguments& out) {
  const auto items = elements(value, span);
  if (!items) touch(value, span);
  if (items && !out.open_positional && builds(items->size() * sizeof(Ref))) {
    out.positional.insert(out.positional.end(), items->begin(), items->end());
  } else {
    out.open_positional = true;
    out.rest.push_back(value);
  }
}

// Adds the entries of `**value`.
void Interpreter::add_mapping(const Ref& value, Span span, Arguments& out) {
  const std::size_t count = value->kind == Kind::dictionary ? value->items.size() / 2 : 0;
  const bool fits = builds(count * (sizeof(Ref) + sizeof(out.names[0])));
  for (std::size_t pair = 0; fits && pair < count; ++pair) {
    const Ref& key = value->items[2 * pair];
    if (types_of(*key) != types::text || !builds(key->string()->size())) {
      out.open_named = true;
      continue;
    }
    out.named.push_back(value->items[2 * pair + 1]);
    out.names.push_back({*key->string(), key->span});
  }
  if (!fits || !is_closed_mapping(*value)) {
    out.open_named = true;
    out.rest.push_back(value);
    touch(value, span);
  }
}

Arguments Interpreter::arguments_of(const Node& node) {
  Arguments out;
  const std::size_t first = node.kind == Form::call_of ? 1 : 0;
  const std::size_t named = node.parts.size() - node.keywords.size();
  // Arguments before the last one with effects, which may change them, are kept.
  const auto last = std::ranges::find_if(node.parts.rbegin(), node.parts.rend(), has_effects);
  const auto kept = static_cast<std::size_t>(node.parts.rend() - last);
  for (std::size_t at = first; at < node.parts.size(); ++at) {
    const Node& part = node.parts[at];
    const bool star = at < named && part.kind == Form::spread && !part.parts.empty();
    const Ref value = evaluate(star ? part.parts.front() : part);
    if (value->string() != nullptr && !silent_) trace_.strings.push_back(value);
    if (at + 1 < kept) keep(value);
    if (star) {
      add_spread(value, part.span, out);
    } else if (at < named) {
      (out.open_positional ? out.rest : out.positional).push_back(value);
    } else if (node.keywords[at - named] != "**") {
      out.named.push_back(value);
      out.names.push_back({node.keywords[at - named], node.keyword_spans[at - named]});
    } else {
      add_mapping(value, part.span, out);
    }
  }
  std::set<std::string_view> names;
  for (const auto& name : out.names) risks_ += names.insert(name.value).second ? 0 : 1;
  return out;
}

Ref Interpreter::call(const Node& node) {
  if (node.kind == Form::call) {
    const Span span{node.offset, node.offset + static_cast<std::uint32_t>(node.text.size())};
    Ref callee = lookup(node.text, span);
    if (callee->kind == Kind::name) {
      callee = std::make_shared<Value>(*callee);
      callee->span = span;
    }
    const Arguments arguments = arguments_of(node);
    return call_value(callee, arguments, node);
  }
  const Node& function = node.parts.front();
  if (function.kind != Form::attribute) {
    const Ref callee = evaluate(function);
    return call_value(callee, arguments_of(node), node);
  }
  const Ref object = evaluate(function.parts.front());
  switch (object->kind) {
    case Kind::scalar:
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
    case Kind::dictionary: {
      const Arguments arguments = arguments_of(node);
      return method(object, function.text, arguments, node);
    }
    case Kind::unknown: {
      // A method of an unknown object, which may accept a recipe.
      const Arguments arguments = arguments_of(node);
      escape(object, node.span, "a method of it is called");
      if (is_change(function.text)) outdate(object, {}, node.span);
      auto callee = std::make_shared<Value>(*object);
      callee->items.clear();
      callee->path = "." + function.text;
      return call_unknown(callee, arguments, node);
    }
    case Kind::object:
      if (object->role != Role::super && object->role != Role::name_space) {
        const Arguments arguments = arguments_of(node);
        return object_method(object, function.text, arguments, node);
      }
      [[fallthrough]];
    default: {
      const Ref callee = attribute_of(object, function.text, function);
      return call_value(callee, arguments_of(node), node);
    }
  }
}

Ref Interpreter::call_value(const Ref& callee, const Arguments& arguments, const Node& node) {
  const base::Budget::Level level(budget_);
  if (!level || !budget_.spend()) {
    limit(node.span);
    return call_unknown(callee, arguments, node);
  }
  switch (callee->kind) {
    case Kind::name: return call_name(callee, arguments, node);
    case Kind::function: return call_function(callee, arguments, node);
    case Kind::type: return call_type(callee, arguments, node);
    case Kind::partial: return call_partial(callee, arguments, node);
    case Kind::method: {
      if (callee->items.size() < 2) {
        return method(callee->items.front(), callee->text, arguments, node);
      }
      Arguments with_self = arguments;
      with_self.positional.insert(with_self.positional.begin(), callee->items.front());
      return call_function(callee->items[1], with_self, node);
    }
    default: break;
  }
  if (is_model(*callee)) {
    if (Ref out = model_method(callee, "forward", arguments, node.span)) return out;
  }
  return callee->kind == Kind::unknown && keeps_arguments_on_all_paths(*callee)
             ? call_alternatives(callee->items, arguments, node)
             : call_unknown(callee, arguments, node);
}

// Returns true for one of several functions of frameworks, such as the import of an old and of a new release.
bool Interpreter::keeps_arguments_on_all_paths(const Value& callee) const {
  return !callee.items.empty() && std::ranges::all_of(callee.items, [&](const Ref& item) {
    return item != nullptr && item->kind == Kind::name && item->imported && library_.keeps_arguments(item->path);
  });
}

// Calls each of several functions, one of which runs. Names in different modules are releases of one function.
Ref Interpreter::call_alternatives(const std::vector<Ref>& callees, const Arguments& arguments, const Node& node) {
  std::vector<Ref> different;
  for (const Ref& callee : callees) {
    const auto same = [&](const Ref& each) { return base::last_part(each->path) == base::last_part(callee->path); };
    if (std::ranges::none_of(different, same)) different.push_back(callee);
  }
  Ref out;
  for (const Ref& callee : different) {
    const Ref result = call_name(callee, arguments, node);
    result->possible = different.size() > 1 && result->kind == Kind::object;
    out = out == nullptr ? result : heap_.join(out, result, node.span, "it depends on a condition");
  }
  return out;
}

Ref Interpreter::call_partial(const Ref& partial, Arguments arguments, const Node& node) {
  const std::size_t positional = partial->items.size() - partial->names.size();
  if (!builds(partial->items.size() * sizeof(Ref) + partial->names.size() * sizeof(partial->names[0]))) {
    limit(node.span);
    return call_unknown(partial, arguments, node);
  }
  arguments.positional.insert(arguments.positional.begin(), partial->items.begin() + 1,
                              partial->items.begin() + static_cast<std::ptrdiff_t>(positional));
  std::set<std::string> given;
  for (const auto& name : arguments.names) given.insert(name.value);
  for (std::size_t at = 0; at < partial->names.size(); ++at) {
    if (given.contains(partial->names[at].value)) continue;
    arguments.names.push_back(partial->names[at]);
    arguments.named.push_back(partial->items[positional + at]);
  }
  return call_value(partial->items.front(), arguments, node);
}

// Returns the call as an object, with its arguments.
Ref Interpreter::object_of(const Value& callee, const Arguments& arguments, Span span) {
  Ref out = made(std::make_shared<Value>());
  const std::size_t count = arguments.positional.size() + arguments.named.size();
  if (!builds(sizeof(Value) + count * sizeof(Ref) + arguments.names.size() * sizeof(out->names[0]))) limit(span);
  const bool known = callee.kind == Kind::name;
  out->kind = Kind::object;
  out->span = span;
  out->path = known || callee.kind == Kind::unknown ? callee.path : std::string();
  out->imported = callee.imported;
  if (callee.kind == Kind::unknown) out->owner = callee.owner;
  out->name_span = callee.span;
  out->items = arguments.positional;
  if (arguments.open_positional) out->items.push_back(unknown(span, "the elements that `*` adds are unknown"));
  out->items.insert(out->items.end(), arguments.named.begin(), arguments.named.end());
  out->names = arguments.names;
  if (arguments.open_named) {
    const Ref rest = arguments.rest.empty() ? nullptr : arguments.rest.back();
    out->items.push_back(unknown(rest != nullptr && !rest->why.empty() ? rest->why : span,
                                 rest != nullptr && !rest->text.empty() ? rest->text : "the keys of `**` are unknown"));
    out->names.push_back({"**", span});
  }
  return out;
}

// Returns true for a list of dictionaries, for a value that may be one, and for the result of a call that accepts one.
static bool may_hold_dictionaries(const Value& value) {
  switch (value.kind) {
    case Kind::list: return has_dictionary(value.items);
    case Kind::object: return value.imported && place_of_recipe(value).has_value();
    case Kind::unknown:
      return std::ranges::any_of(
          value.items, [](const Ref& item) { return item->kind == Kind::list && has_dictionary(item->items); });
    default: return false;
  }
}

// Returns true for calls whose second argument is a dictionary that may change later.
static bool accepts_dictionary(const Value& call) {
  return call.imported && call.path.starts_with("modelopt.") && call.path.ends_with(".quantize");
}

// Returns true for an entry that a call of NNI gets in place of a list of entries.
static bool is_single_entry(const Value& call, const Value& value) {
  return call.path.starts_with("nni.") && value.kind == Value::Kind::dictionary;
}

std::optional<std::size_t> place_of_recipe(const Value& call) {
  const std::size_t positional = call.items.size() - call.names.size();
  for (std::size_t at = 0; at < call.names.size(); ++at) {
    if (call.names[at].value == kRecipe || call.names[at].value == "config_list") return positional + at;
    if (accepts_dictionary(call) && call.names[at].value == "config") return positional + at;
  }
  if (positional > 1 && accepts_dictionary(call)) return 1;
  const bool second = call.imported && positional > 1 &&
                      (may_hold_dictionaries(*call.items[1]) || is_single_entry(call, *call.items[1]));
  return second ? std::optional<std::size_t>(1) : std::nullopt;
}

// Returns true for an object of NNI that gets another one with a recipe. Its methods are called later, so it is copied.
static bool wraps_compressor(const Value& call) {
  return call.imported && call.path.starts_with("nni.") && std::ranges::any_of(call.items, [](const Ref& item) {
           return item->kind == Kind::object && item->imported && place_of_recipe(*item).has_value();
         });
}

// Records a call. A recipe that is passed and its model are copied, because they may change later.
void Interpreter::record(const Ref& object) {
  if (silent_) {
    return;
  }
  if (trace_.objects.size() >= limits::kMaxScriptRecords) {
    return limit(object->span, "the script has too many calls to follow it from here on");
  }
  object->branch = branch_;
  const auto recipe = place_of_recipe(*object);
  const bool builds_on =
      !recipe && std::ranges::any_of(object->items, [](const Ref& item) { return is_network(*item); });
  if (builds_on) {  // the network may grow later
    auto call = std::make_shared<Value>(*object);
    keep_model(*call);
    trace_.objects.push_back(call);
    return;
  }
  if (!recipe) {
    trace_.objects.push_back(wraps_compressor(*object) ? std::make_shared<Value>(*object) : object);
    return;
  }
  const Ref kept = copy(object->items[*recipe], budget_, limits::kMaxScriptCopied);
  if (kept == nullptr || !budget_.allocate(sizeof(Value))) {
    return limit(object->span, "the recipe is too large to follow");
  }
  auto call = std::make_shared<Value>(*object);
  call->items[*recipe] = kept;
  keep_model(*call);
  trace_.objects.push_back(call);
}

// Unknown code can change all objects that it can reach.
Ref Interpreter::call_unknown(const Ref& callee, const Arguments& arguments, const Node& node) {
  const Ref object = object_of(*callee, arguments, node.span);
  record(object);
  const std::string what = callee->path.empty() ? std::string("a call") : fmt::format("`{}(...)`", callee->path);
  for (const Ref& argument : arguments.all()) escape(argument, node.span, fmt::format("{} can change it", what));
  escape(callee, node.span, "it is called");
  run_escaped(node.span);
  ++risks_;
  if (callee->kind == Kind::name) {
    object->text = fmt::format("it depends on {}", what);
    object->why = node.span;
    return object;
  }
  return depends(node.span, {callee}, fmt::format("it depends on {}", what));
}

// Records a call that changes neither its arguments nor other values, with its arguments as they are now.
Ref Interpreter::call_keeping(const Value& callee, const Arguments& arguments, const Node& node) {
  ++risks_;
  Ref object = object_of(callee, frozen(arguments), node.span);
  record(object);
  object->text = fmt::format("it depends on `{}(...)`", callee.path);
  object->why = node.span;
  return object;
}

// Calls a builtin function, a function of the library, or a method of `str`. Returns null for other functions.
Ref Interpreter::call_known(const Ref& callee, const Arguments& arguments, const Node& node) {
  if (callee->imported) return is_patched(callee->path) ? nullptr : library_call(callee->path, arguments, node);
  constexpr std::string_view kOfStrings = "str.";
  const bool of_string = callee->path.starts_with(kOfStrings) && !arguments.positional.empty() &&
                         arguments.positional.front()->string() != nullptr;
  if (of_string) {
    Arguments rest = arguments;
    rest.positional.erase(rest.positional.begin());
    return method(arguments.positional.front(), callee->path.substr(kOfStrings.size()), rest, node);
  }
  return is_builtin(callee->path) ? builtin(callee->path, arguments, node) : nullptr;
}

// Functions that end the script, or that can change all names.
void Interpreter::note_effects(const Value& callee) {
  static constexpr std::string_view kAll[] = {"exec", "eval", "__import__"};
  static constexpr std::string_view kExits[] = {"exit", "quit"};
  static constexpr std::string_view kImportedExits[] = {"sys.exit", "os._exit"};
  lost_ = lost_ || (!callee.imported && base::contains(kAll, callee.path));
  const bool leaves = base::contains(kImportedExits, callee.path);
  raised_ = raised_ || leaves || (!callee.imported && base::contains(kExits, callee.path));
  risks_ += leaves ? 1 : 0;
}

Ref Interpreter::call_name(const Ref& callee, const Arguments& arguments, const Node& node) {
  if (Ref result = call_known(callee, arguments, node)) return result;
  note_effects(*callee);
  const bool keeps = callee->imported ? library_.keeps_arguments(callee->path)
                                      : !is_builtin(callee->path) && library_.keeps_arguments("." + callee->path);
  const bool tests = callee->imported && callee->path.starts_with("pytest.");
  const bool loads = loads_model(*callee);
  if ((!keeps && !tests && !loads && !builds_layer(*callee)) || is_patched(callee->path)) {
    return call_unknown(callee, arguments, node);
  }
  ++risks_;
  const bool shares = library_.keeps_references(callee->path);
  const Ref object = object_of(*callee, shares ? arguments : frozen(arguments), node.span);
  if (!arguments.is_open()) library_.construct(*object, builder(node.span));
  follow_model(object);
  record(object);
  if (loads) {
    object->text = fmt::format("it depends on `{}(...)`", callee->path);
    object->why = node.span;
  }
  return object;
}

Builder Interpreter::builder(Span span) {
  return {.constant = [this, span](std::string_view path) { return constant(std::string(path), span); },
          .copy =
              [this, span](const Ref& value) {
                const Ref out = deep_copy(value);
                return out != nullptr ? out : unknown(span, "the copied object is too large");
              }};
}

// Copies containers, as the validators of a framework do. An inner container and its copy may be one object or two, so
// a change of one makes the other unknown.
Ref Interpreter::freeze(const Ref& value, int depth) {
  constexpr int kMaxDepth = 8;
  const bool container = value->kind == Kind::list || value->kind == Kind::tuple || value->kind == Kind::set ||
                         value->kind == Kind::dictionary;
  if (!container || depth > kMaxDepth || !budget_.allocate(sizeof(Value) + value->items.size() * sizeof(Ref))) {
    if (container && depth <= kMaxDepth) limit(value->span);
    return value;
  }
  const Ref out = made(shallow_copy(value));
  out->origin = value->identity();
  for (Ref& item : out->items) item = freeze(item, depth + 1);
  if (value->kind != Kind::tuple && depth > 0) link(out, value);
  return out;
}

Arguments Interpreter::frozen(Arguments arguments) {
  for (Ref& value : arguments.positional) value = freeze(value);
  for (Ref& value : arguments.named) value = freeze(value);
  return arguments;
}

// Returns true for a known object of a framework.
bool Interpreter::is_record(const Value& value) const {
  return value.kind == Kind::object && !value.open && !value.escaped && value.imported &&
         library_.keeps_arguments(value.path);
}

// Keeps recipes as they are before unknown code gets them.
void Interpreter::keep_records(const Ref& value, std::set<const Value*>& seen, int depth) {
  constexpr int kMaxDepth = 6;
  constexpr std::size_t kMaxItems = 64;
  const bool new_value = value != nullptr && depth <= kMaxDepth && value->items.size() <= kMaxItems;
  if (!new_value || !seen.insert(value.get()).second) {
    return;
  }
  const bool sequence = (value->kind == Kind::list || value->kind == Kind::tuple) && !value->open;
  const auto is_one = [&](const Ref& item) { return item != nullptr && is_record(*item); };
  const bool list = sequence && std::ranges::any_of(value->items, is_one);
  if (is_one(value) || list) {
    const Ref kept = copy(value, budget_, limits::kMaxScriptReached, value->born);
    if (kept != nullptr && budget_.allocate(sizeof(Value) * 8)) {
      trace_.lists.push_back(kept);
      kept_.push_back(kept);
    }
  }
  const bool container = sequence || value->kind == Kind::dictionary || value->kind == Kind::instance ||
                         value->kind == Kind::object || value->kind == Kind::unknown;
  for (const Ref& item : container && !list ? value->items : std::vector<Ref>()) keep_records(item, seen, depth + 1);
}

static void add_all(const Ref& value, std::vector<Ref>& out, std::set<const Value*>& seen) {
  if (value == nullptr || seen.size() > limits::kMaxScriptReached || !seen.insert(value.get()).second) return;
  out.push_back(value);
  for (const Ref& item : value->items) add_all(item, out, seen);
}

// The script changes an object that is unknown, or that unknown code has. A recipe that unknown code got before may be
// this object, or contain it. `attribute`: its name; empty for a change of a container.
void Interpreter::outdate(const Ref& object, const std::string& attribute, Span why) {
  const bool any = object->kind == Kind::unknown;
  if ((!any && !object->escaped) || (!attribute.empty() && !library_.is_field(attribute))) {
    return;
  }
  outdated_.emplace_back(object, attribute);
  std::vector<Ref> values;
  std::set<const Value*> seen;
  for (const Ref& kept : kept_) add_all(kept, values, seen);
  budget_.spend(values.size());
  for (const Ref& value : values) {
    const bool same = any || value->identity() == object->identity();
    const bool container = value->kind == Kind::list || value->kind == Kind::dictionary || value->kind == Kind::set;
    if (same && value->kind == Kind::object && !attribute.empty()) {
      const std::string name = value->argument(attribute) == nullptr ? "**" : attribute;
      set_argument(*value, name, why, unknown(why, "the script can change it through an unknown reference"));
    } else if (same && container && attribute.empty()) {
      if (value->kind == Kind::dictionary) value->items.clear();
      value->index.clear();
      value->open = true;
      value->why = why;
      value->text = "the script can change it through an unknown reference";
    }
  }
}

bool is_special(const Value& type) {
  static constexpr std::string_view kPlain[] = {"__init__",       "__post_init__",   "__slots__",
                                                "__doc__",        "__annotations__", "__module__",
                                                "__match_args__", "__enter__",       "__exit__"};
  if (type.role == Role::module) return false;
  if (type.open && type.role != Role::network) return true;
  const bool own = std::ranges::any_of(type.scope->names, [](const auto& name) {
    return name.first.starts_with("__") && name.first.ends_with("__") && !base::contains(kPlain, name.first);
  });
  return own || std::ranges::any_of(type.items, [](const Ref& base) { return is_special(*base); });
}

// Returns true if an operation on a value, or on a part of it, can run code of the script.
bool Interpreter::runs_code(const Ref& value) {
  return special_ && any_reached(value, budget_, [](const Value& next, std::vector<const Value*>& waiting) {
           const Value* type = next.kind == Kind::instance ? next.owner.get()
                               : next.kind == Kind::type   ? &next
                                                           : nullptr;
           for (const auto* parts : {&next.items, &next.variants, &next.aliases}) add_parts(*parts, waiting);
           return type != nullptr && is_special(*type);
         });
}

// An operation on a value may run code of its class.
void Interpreter::touch(const Ref& value, Span span) {
  if (!runs_code(value)) {
    return;
  }
  escape(value, span, "an operation on it runs code of its class");
  run_escaped(span);
}

// Returns true for the result of a class of a framework. A function may return any value.
bool Interpreter::constructs(const Value& object) const {
  const std::string_view name = base::last_part(object.path);
  return object.kind == Kind::object && object.imported && !name.empty() && name.front() >= 'A' &&
         name.front() <= 'Z' && library_.keeps_arguments(object.path);
}

void Interpreter::escape(const Ref& value, Span why, std::string_view reason) {
  if (!silent_) {
    std::set<const Value*> seen;
    keep_records(value, seen, 0);
  }
  for (const Ref& callable : heap_.escape(value, why, reason)) escape_callable(callable);
}

void Interpreter::escape_callable(const Ref& callable) {
  if (callable->role == Role::all_names) lost_ = true;
  if (callable->kind == Kind::function) escape_times_.try_emplace(callable->function, heap_.tick());
  if (!known_escaped_.insert(callable.get()).second) {
    return;
  }
  escaped_.push_back(callable);
  if (callable->kind != Kind::type || callable->role == Role::module) return;
  for (const auto& [name, value] : callable->scope->names) {
    if (value->kind == Kind::function) escape_callable(value);
  }
}

// Applies what functions of the script can change when unknown code calls them.
void Interpreter::run_escaped(Span why) {
  for (std::size_t at = 0; at < escaped_.size() && budget_.spend(); ++at) {
    const Ref function = escaped_[at];
    if (function->kind != Kind::function) continue;
    auto& effects = effects_[function->function];
    if (effects == nullptr) effects = std::make_unique<Effects>(effects_of(*function->function));
    for (const std::string& name : effects->stored) {
      for (std::shared_ptr<Scope> scope = function->scope; scope != nullptr; scope = scope->outer) {
        const bool here = scope->names.contains(name) || scope->outer == nullptr;
        if (here) heap_.bind(scope, name, unknown(why, "a function that can be called at any time sets it"));
      }
    }
    for (const std::string& name : effects->exposed) expose(function, name, false, why);
    for (const std::string& name : effects->elements) expose(function, name, true, why);
    for (const auto& [callee, names] : effects->passed) {
      const Scope* scope = function->scope.get();
      while (scope->outer != nullptr && !scope->names.contains(callee)) scope = scope->outer.get();
      const auto found = scope->names.find(callee);
      const bool keeps = found != scope->names.end() && found->second->kind == Kind::name &&
                         library_.keeps_arguments(found->second->path);
      for (const std::string& name : names) expose(function, name, keeps, why);
    }
  }
}

// Makes an object unknown that a function uses by a name from outside.
void Interpreter::expose(const Ref& function, const std::string& name, bool elements, Span why) {
  if (binding(*function->function).locals.contains(name)) {
    return;
  }
  for (const Scope* scope = function->scope.get(); scope != nullptr; scope = scope->outer.get()) {
    const auto found = scope->names.find(name);
    if (found == scope->names.end()) continue;
    const Ref value = found->second;
    constexpr std::string_view kReason = "a function that can be called at any time can change it";
    if (!elements) {
      escape(value, why, kReason);
    } else if (value->kind != Kind::object && value->kind != Kind::instance) {
      for (const Ref& item : value->items) {
        if (item != nullptr && item->kind != Kind::object) escape(item, why, kReason);
      }
    }
    return;
  }
}

// The further positional arguments of a call, as `*name`.
Ref Interpreter::rest_arguments(const Arguments& arguments, std::size_t first, Span span) {
  const auto begin =
      arguments.positional.begin() + static_cast<std::ptrdiff_t>(std::min(first, arguments.positional.size()));
  const Ref out = made(container(Kind::tuple, span, std::vector<Ref>(begin, arguments.positional.end())));
  out->open = arguments.open_positional || !builds(out->items.size() * sizeof(Ref));
  return out;
}

// The further named arguments of a call, as `**name`.
Ref Interpreter::rest_mapping(const Arguments& arguments, const std::set<std::string, std::less<>>& used, Span span) {
  const Ref out = made(container(Kind::dictionary, span));
  const bool fits = builds(arguments.names.size() * sizeof(Value));
  out->open = arguments.open_named || !fits;
  for (std::size_t at = 0; fits && at < arguments.names.size(); ++at) {
    const auto& [name, place] = arguments.names[at];
    if (!used.contains(name)) put(*out, scalar(place, name), arguments.named[at]);
  }
  return out;
}

// The value of a parameter without an argument: its default, unless the argument is not known.
Ref Interpreter::default_argument(const Arguments& arguments, const python::Parameter& parameter, const Ref& fallback,
                                  bool by_position) {
  const bool open = arguments.open_named || (arguments.open_positional && by_position);
  if (!open && fallback != nullptr) return fallback;
  Ref out = depends(parameter.span, arguments.rest, fmt::format("it depends on the parameter `{}`", parameter.name));
  if (!open) return out;
  out->items = arguments.rest;
  if (fallback != nullptr) out->items.push_back(fallback);
  return out;
}

void Interpreter::bind_parameters(const Value& function, const Arguments& arguments,
                                  const std::shared_ptr<Scope>& scope) {
  using How = python::Parameter::Form;
  const std::vector<python::Parameter>& parameters = function.function->parameters;
  const NameIndex names(arguments);
  std::size_t next = 0;
  bool takes_any = false;
  std::set<std::string, std::less<>> used;
  for (std::size_t at = 0; at < parameters.size(); ++at) {
    const python::Parameter& parameter = parameters[at];
    const bool plain = parameter.form == How::plain;
    const bool by_position = parameter.form == How::positional || plain;
    const Ref named = parameter.form == How::positional ? nullptr : names.find(parameter.name);
    Ref value;
    if (parameter.form == How::rest) {
      value = rest_arguments(arguments, next, parameter.span);
      next = arguments.positional.size();
    } else if (parameter.form == How::mapping) {
      value = rest_mapping(arguments, used, parameter.span);
      takes_any = true;
    } else if (by_position && next < arguments.positional.size()) {
      value = arguments.positional[next++];
      risks_ += plain && named != nullptr ? 1 : 0;
    } else if (named != nullptr) {
      value = named;
    } else {
      value = default_argument(arguments, parameter, function.items[at], by_position);
      next += by_position ? 1 : 0;
    }
    used.insert(parameter.name);
    keep(value);
    if (value->open && value->why.empty()) {
      value->why = parameter.span;
      value->text = "the arguments are not known";
    }
    scope->names[parameter.name] = value;
  }
  const bool fits =
      next >= arguments.positional.size() &&
      (takes_any || std::ranges::all_of(arguments.names, [&](const auto& name) { return used.contains(name.value); }));
  risks_ += fits ? 0 : 1;
}

// Returns true if a function is known, and not nested too deeply in other calls.
bool Interpreter::can_follow(const Value& function) {
  return !function.open && calls_ < limits::kMaxScriptCalls && active_[function.function] < limits::kMaxScriptRecursion;
}

Ref Interpreter::call_function(const Ref& function, const Arguments& arguments, const Node& node) {
  const Statement& definition = *function->function;
  if (definition.yields && !definition.is_async && !function->open && !arguments.is_open())
    return new_generator(function, arguments, node);
  const bool delayed = definition.is_async || definition.yields;
  if (delayed || !can_follow(*function)) {
    if (!delayed && !function->open) limit(node.span);
    return call_unknown(function, arguments, node);
  }
  return run_function(function, arguments, node, nullptr);
}

// Follows the body of a function. `consumer` accepts the elements of a generator.
Ref Interpreter::run_function(const Ref& function, const Arguments& arguments, const Node& node,
                              const Consumer* consumer) {
  const Statement& definition = *function->function;
  auto callee = std::make_shared<Value>();
  callee->kind = Kind::name;
  callee->span = node.span;
  callee->path = definition.text;
  if (arguments.named_argument("recipe") != nullptr) {
    const Ref call = object_of(*callee, arguments, node.span);
    call->function = &definition;
    record(call);
  }
  called_.insert(&definition);
  auto scope = heap_.new_scope();
  scope->kind = Scope::Kind::function;
  scope->outer = function->scope;
  scope->binding = &binding(definition);
  scope->born = heap_.tick();
  scope->consumer = consumer;
  scope->owner = function->owner;
  scope->self = arguments.positional.empty() ? nullptr : arguments.positional.front();
  bind_parameters(*function, arguments, scope);
  const std::size_t first = heap_.exits();
  const Ref outer = std::exchange(result_, nullptr);
  ++calls_;
  ++active_[&definition];
  Flow flow = Flow::normal;
  {
    const Entered entered(*this, scope);
    flow = block(definition.body);
  }
  scope->consumer = nullptr;
  --active_[&definition];
  --calls_;
  const bool returned = flow == Flow::returned;
  Ref value = returned ? result_ : flow == Flow::normal ? scalar(node.span, std::monostate()) : nullptr;
  const bool alive = heap_.rejoin(first, Flow::returned, returned || flow == Flow::normal, value, node.span);
  result_ = outer;
  if (!alive || value == nullptr) {
    raised_ = true;
    ++risks_;
    return unknown(node.span, "the call does not return");
  }
  return value;
}

// Returns true if the arguments of a dataclass name fields that it does not have.
static bool has_unknown_fields(const Value& type, const Arguments& arguments) {
  std::set<std::string_view> fields;
  for (const auto& name : type.names) fields.insert(name.value);
  return arguments.positional.size() > type.names.size() ||
         std::ranges::any_of(arguments.names, [&](const auto& given) { return !fields.contains(given.value); });
}

// Returns true if only the interpreter of Python knows what the construction of an instance does.
bool Interpreter::is_unusual(const Ref& type, const Ref& initializer, const Arguments& arguments) {
  if ((type->open && type->role != Role::network) || type->escaped || type->role == Role::module ||
      type->role == Role::enumeration || type_attribute(type, "__new__") != nullptr) {
    return true;
  }
  if (initializer != nullptr) return initializer->kind != Kind::function;
  return type->role == Role::dataclass &&
         (has_unknown_fields(*type, arguments) || type_attribute(type, "__setattr__") != nullptr);
}

// Constructs an instance of a class of the script.
Ref Interpreter::call_type(const Ref& type, const Arguments& arguments, const Node& node) {
  const bool selects = type->role == Role::enumeration && !type->open && arguments.all().size() == 1 &&
                       arguments.positional.size() == 1 && !arguments.is_open();
  if (selects) {
    if (Ref member = member_with_value(type, *arguments.positional.front(), node)) return member;
  }
  const Ref initializer = type->role == Role::module ? nullptr : type_attribute(type, "__init__");
  if (is_unusual(type, initializer, arguments)) return call_unknown(type, arguments, node);
  const Ref self = made(std::make_shared<Value>());
  self->kind = Kind::instance;
  self->span = node.span;
  self->owner = type;
  if (const Ref finalizer = type_attribute(type, "__del__")) {
    escape(finalizer, node.span, "it is called when the object is deleted");
    run_escaped(node.span);
  }
  if (initializer != nullptr) {
    Arguments with_self = arguments;
    with_self.positional.insert(with_self.positional.begin(), self);
    call_function(initializer, with_self, node);
    if (type->role == Role::network) make_network(*self);
    return self;
  }
  if (type->role == Role::network) {
    make_network(*self);
    return self;
  }
  if (type->role == Role::dataclass) return set_fields(self, arguments, node);
  risks_ += arguments.positional.empty() ? 0 : 1;
  return self;
}

// Sets the fields of an instance of a dataclass.
Ref Interpreter::set_fields(const Ref& self, const Arguments& arguments, const Node& node) {
  const Ref type = self->owner;
  const std::size_t fields = type->names.size();
  if (!builds(fields * (sizeof(Ref) + sizeof(type->names[0]))) || !visits(fields * (fields + 16))) {
    limit(node.span);
    return call_unknown(type, arguments, node);
  }
  const NameIndex names(arguments);
  for (std::size_t at = 0; at < fields; ++at) {
    const auto& [name, span] = type->names[at];
    Ref value = at < arguments.positional.size() ? arguments.positional[at] : names.find(name);
    const Ref fallback = at < type->variants.size() ? type->variants[at] : nullptr;
    if (value == nullptr && (arguments.is_open() || fallback == nullptr)) {
      value = opaque(node.span, fmt::format("the field `{}` is not known", name));
    }
    set_argument(*self, name, span, value != nullptr ? value : field_default(fallback, node));
  }
  const Ref after = type_attribute(type, "__post_init__");
  Arguments only_self;
  only_self.positional.push_back(self);
  if (after != nullptr) call_value(after, only_self, node);
  return self;
}

// `field(default=...)` and `field(default_factory=...)`.
Ref Interpreter::field_default(const Ref& value, const Node& node) {
  if (!is_dataclass_field(*value)) return value;
  if (const Ref plain = value->argument("default")) return plain;
  if (const Ref factory = value->argument("default_factory")) return call_value(factory, {}, node);
  return opaque(node.span, "the default of a field is not known");
}

}  // namespace sparsecfg::script
