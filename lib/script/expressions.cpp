#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "python/numbers.h"
#include "python/token.h"
#include "script/interpreter.h"
#include "script/library/files.h"
#include "script/library/paths.h"
#include "script/limits.h"
#include "script/model.h"
#include "script/reach.h"

// Names, literals, attributes, elements and comprehensions.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

// A value that cannot be determined here. Computing it can raise an exception.
Ref Interpreter::opaque(Span span, std::string why) {
  ++risks_;
  return unknown(span, std::move(why));
}

Ref Interpreter::depends(Span span, std::initializer_list<Ref> on, std::string_view why) {
  return depends(span, std::vector<Ref>(on), why);
}

// An unknown value with the reason of the first unknown operand.
Ref Interpreter::depends(Span span, const std::vector<Ref>& on, std::string_view why) {
  for (const Ref& value : on) {
    if (value != nullptr) touch(value, span);
  }
  run_escaped(span);
  for (const Ref& value : on) {
    if (value != nullptr && value->role == Role::environment) return opaque(span, value->text);
    if (value == nullptr || value->text.empty() || value->why.empty()) continue;
    if (value->kind == Kind::unknown || value->open || value->kind == Kind::object) {
      Ref out = opaque(value->why, value->text);
      out->span = span;
      return out;
    }
  }
  for (const Ref& value : on) {
    if (value == nullptr) continue;
    for (const Piece& piece : value->pieces) {
      if (piece.hole) return opaque(piece.span, "a part of the string is unknown");
    }
    if (value->kind == Kind::name && value->imported)
      return opaque(value->span, fmt::format("it depends on `{}`", value->path));
  }
  return opaque(span, why.empty() ? std::string("it is not a constant") : std::string(why));
}

Ref Interpreter::selects(Span span, const std::vector<Ref>& on, std::string_view why) {
  Ref out = depends(span, on, why);
  for (const Ref& value : on) {
    if (value != nullptr && value->kind != Kind::scalar && value->kind != Kind::name) out->aliases.push_back(value);
  }
  return out;
}

// Marks a value that was computed from the default of an option.
Ref Interpreter::inherit(Ref out, std::initializer_list<Ref> from) {
  for (const Ref& value : from) {
    if (value == nullptr || value->assumed.empty() || !out->assumed.empty()) continue;
    if (out->kind == Kind::scalar) {
      out->assumed = value->assumed;
    }
  }
  return out;
}

// The statements that are not followed can change every object, but not the recipe that a call has already received.
void Interpreter::give_up() {
  for (const Ref& object : trace_.objects) {
    if (!place_of_recipe(*object)) heap_.open(object, trace_.limited, kTooLong);
  }
  for (const Ref& list : trace_.lists) {
    list->items.clear();
    list->names.clear();
    list->open = true;
    list->why = trace_.limited;
    list->text = kTooLong;
  }
  for (const Assigned& list : trace_.assigned) heap_.open(list.value, trace_.limited, kTooLong);
}

// Returns the text of a span. It is empty in code that `exec` runs.
std::string_view Interpreter::text_at(Span span) const {
  if (const auto text = module_places_.text_at(span)) return *text;
  const auto size = static_cast<std::uint32_t>(text_.size());
  const std::uint32_t begin = std::min(span.begin, size);
  return text_.substr(begin, std::max(std::min(span.end, size), begin) - begin);
}

Ref Interpreter::evaluate(const Node& node) {
  const base::Budget::Level level(budget_);
  if (!level || !budget_.spend()) {
    limit(node.span);
    const std::string_view text = text_at(node.span);
    if (budget_.exceeded() == base::Budget::Limit::none && !text.empty()) {
      havoc(words_of(text), node.span, "it is nested too deeply");
    }
    return unknown(node.span, std::string(kTooLong));
  }
  return evaluate_kind(node);
}

Ref Interpreter::evaluate_kind(const Node& node) {
  switch (node.kind) {
    case Form::number: return number(node);
    case Form::name: return lookup(node.text, node.span);
    case Form::constant:
      return node.text == "..."    ? unknown(node.span, "`...` is a placeholder")
             : node.text == "None" ? scalar(node.span, std::monostate())
                                   : scalar(node.span, node.text == "True");
    case Form::string: return text_of(node);
    case Form::bytes: return unknown(node.span, "bytes are not read");
    case Form::format: return format(node);
    case Form::binary:
    case Form::bitwise: return binary(node);
    case Form::unary: return unary(node);
    case Form::comparison:
    case Form::membership: return comparison(node);
    case Form::logical: return logical(node);
    case Form::conditional: return conditional(node);
    case Form::attribute: return attribute(node);
    case Form::subscript: return subscript(node);
    case Form::call:
    case Form::call_of: return call(node);
    case Form::tuple: return sequence(Kind::tuple, node);
    case Form::list: return sequence(Kind::list, node);
    case Form::set: return sequence(Kind::set, node);
    case Form::generator: return generator(node);
    case Form::dictionary: return dictionary(node);
    case Form::named: {
      const Ref value = evaluate(node.parts[1]);
      assign_name(node.parts[0].text, value);
      return value;
    }
    case Form::lambda: {
      const Ref function = function_of(*node.function);
      if (!silent_) functions_.push_back(function);
      return function;
    }
    case Form::yield:
      if (const auto value = yielded(node)) return *value;
      [[fallthrough]];
    case Form::await: {
      std::vector<Ref> values;
      for (const Node& part : node.parts) values.push_back(evaluate(part));
      for (const Ref& value : values) escape(value, node.span, fmt::format("{} passes it on", node.text));
      return depends(node.span, values, fmt::format("it depends on {}", node.text));
    }
    case Form::other: {
      if (!is_absent(node)) havoc(words_of(text_at(node.span)), node.span, "this is not read");
      return opaque(node.span, "it is not read");
    }
    case Form::spread:
    case Form::hole:
    case Form::slice:
    case Form::comprehension:
      for (const Node& part : node.parts) evaluate(part);
      return opaque(node.span, "it is not a constant");
  }
  return opaque(node.span, "it is not a constant");
}

// Evaluates an expression that may not be reached.
Ref Interpreter::maybe(const Node& node, Span why) {
  Ref value = unknown(node.span, "it depends on a condition");
  const Flow flow = choose({[&] {
                              value = evaluate(node);
                              return Flow::normal;
                            },
                            [] { return Flow::normal; }},
                           why, "it depends on a condition");
  raised_ = raised_ || flow == Flow::dead;
  return value;
}

Ref Interpreter::number(const Node& node) {
  if (node.text.find_first_of("jJ") != std::string::npos) {
    return unknown(node.span, "complex numbers are not read");
  }
  const python::Outcome outcome = python::number_value(node.text);
  const auto* number = std::get_if<python::Number>(&outcome);
  return number == nullptr ? opaque(node.span, "the number is too large")
                           : std::visit([&](auto value) { return scalar(node.span, value); }, *number);
}

// Returns the places of the parts of a literal between its escapes; empty if the parts do not form its text, or if
// there are too many.
static std::vector<Piece> pieces_of(std::string_view written, const python::Node& literal) {
  std::vector<Piece> out;
  if (std::ranges::count(written, '\\') > static_cast<std::ptrdiff_t>(limits::kMaxScriptEscapes)) return out;
  std::string text;
  const std::uint32_t first = literal.content.begin;
  for (std::size_t at = 0; at < written.size();) {
    const bool escape = written[at] == '\\';
    const std::size_t end =
        escape ? at + python::escape_width(written.substr(at)) : std::min(written.find('\\', at), written.size());
    const source::Span span{first + static_cast<std::uint32_t>(at), first + static_cast<std::uint32_t>(end)};
    out.push_back({static_cast<std::uint32_t>(text.size()), span, !escape, false});
    const std::string_view part = written.substr(at, end - at);
    text += escape ? python::unescaped(part) : std::string(part);
    at = end;
  }
  return text == literal.text ? out : std::vector<Piece>();
}

// Returns a string with the places of its literals, without quotes. A decoded character has the place of its escape.
Ref Interpreter::text_of(const Node& node) {
  Ref out = scalar(node.span, node.text);
  if (!budget_.allocate(node.text.size())) {
    limit(node.span);
    return unknown(node.span, "the strings are too long");
  }
  std::uint32_t begin = 0;
  const auto add = [&](const Node& literal) {
    const auto width = static_cast<std::uint32_t>(literal.text.size());
    const bool exact = !literal.content.empty() && literal.content.end - literal.content.begin == width;
    std::vector<Piece> pieces;
    if (!exact && !literal.content.empty() && literal.content.end <= text_.size()) {
      pieces = pieces_of(text_.substr(literal.content.begin, literal.content.end - literal.content.begin), literal);
    }
    if (pieces.empty()) pieces = {{0, literal.content.empty() ? literal.span : literal.content, exact, false}};
    for (Piece piece : pieces) {
      piece.begin += begin;
      out->pieces.push_back(piece);
    }
    begin += width;
  };
  if (node.parts.empty()) {
    add(node);
  }
  for (const Node& part : node.parts) add(part);
  return out;
}

// In a class, names such as `__x` get the name of the class.
std::string Interpreter::mangled(const std::string& name) const {
  if (!name.starts_with("__") || name.ends_with("__")) {
    return name;
  }
  const Scope* scope = scope_.get();
  while (scope != nullptr && scope->kind != Scope::Kind::type) scope = scope->outer.get();
  if (scope == nullptr) {
    return name;
  }
  return "_" + scope->type.substr(std::min(scope->type.find_first_not_of('_'), scope->type.size())) + name;
}

// Returns true if a value changed after unknown code could call the function that is followed.
bool Interpreter::is_stale(const Ref& value) {
  const auto [known, is_new] = stale_.try_emplace(value.get(), false);
  if (!is_new) {
    return known->second;
  }
  const auto is_late = [&](std::size_t time) { return time > late_since_ && time < late_begin_; };
  const bool out = any_reached(value, budget_, [&](const Value& next, std::vector<const Value*>& waiting) {
    add_parts(next.items, waiting);
    waiting.push_back(next.owner.get());
    if (next.kind != Kind::type) return is_late(next.changed);
    bool rebound = false;
    for (const auto& [name, attribute] : next.scope->names) {
      rebound = rebound || next.scope->is_rebound(name, late_since_, late_begin_);
      waiting.push_back(attribute.get());
    }
    return rebound || is_late(next.changed);
  });
  return stale_[value.get()] = out;
}

Ref Interpreter::lookup(const std::string& name, Span span) {
  std::shared_ptr<Scope> scope = scope_;
  for (bool own = true; scope != nullptr; scope = scope->outer) {
    if (scope->kind == Scope::Kind::type && !own) continue;
    const bool global = scope->binding != nullptr && scope->binding->globals.contains(name);
    while (global && scope->outer != nullptr) scope = scope->outer;
    const std::string& key = scope->kind == Scope::Kind::type ? mangled(name) : name;
    if (const auto found = scope->names.find(key); found != scope->names.end()) {
      risks_ += scope->doubtful.contains(name) ? 1 : 0;
      const bool late = late_since_ > 0 && scope->born < late_begin_ &&
                        (scope->is_rebound(key, late_since_, late_begin_) || is_stale(found->second));
      const bool unstable = scope->unstable.contains(key);
      if (!lost_ && !late && !unstable) return found->second;
      Ref out = opaque(span, lost_  ? "unknown code can change all names"
                             : late ? "it changes after the function can be called"
                                    : "a generator may change it");
      // Earlier values of the name are not known, so a call of it calls none of the known classes for certain.
      (found->second->kind == Kind::name ? out->aliases : out->items).push_back(found->second);
      return out;
    }
    if (scope->kind == Scope::Kind::function && !global && scope->binding->locals.contains(name)) {
      return opaque(span, fmt::format("`{}` is not set", name));
    }
    own = false;
  }
  if (name == "__name__") {
    return scalar(span, "__main__");
  }
  if (name == "__file__") {
    Ref out = scalar(span, std::string(kFileName));
    out->role = Role::here;
    out->pieces = {{0, span, false, true}};
    return out;
  }
  risks_ += is_builtin(name) ? 0 : 1;
  auto out = std::make_shared<Value>();
  out->kind = Kind::name;
  out->span = span;
  out->path = name;
  if (!is_builtin(name)) {
    note_undefined(name, span);
    out->text = fmt::format("`{}` is not defined here", name);
    out->why = span;
  }
  return out;
}

// Notes a name that nothing defines, unless code that is not known may define it.
void Interpreter::note_undefined(const std::string& name, Span span) {
  constexpr std::size_t kMaxFailures = 16;
  const bool many = trace_.failures.size() >= kMaxFailures;
  if (lost_ || module_->open || many || !is_certain()) return;
  trace_.failures.push_back({Failure::Kind::undefined, span, name, near_name(name, *module_)});
}

// Storing a generator delays its evaluation, so its elements are not known. That of a function of the script has not
// begun.
void Interpreter::keep(const Ref& value) {
  if (value->role == Role::generator && !is_pending(*value))
    heap_.open(value, value->span, "the elements are computed later");
}

Ref Interpreter::attribute(const Node& node) {
  const Ref object = evaluate(node.parts.front());
  return attribute_of(object, mangled(node.text), node);
}

// Returns an attribute of a class or its bases, or null.
Ref Interpreter::type_attribute(const Ref& type, const std::string& name) {
  const auto found = type->scope->names.find(name);
  if (found != type->scope->names.end()) {
    return found->second;
  }
  if (type->role == Role::module) {
    return nullptr;
  }
  if (type->open && type->role != Role::network) {
    return unknown(type->span, fmt::format("`{}` has bases that are not known", type->text));
  }
  return type->items.empty() || !budget_.spend() ? nullptr : type_attribute(type->items.front(), name);
}

// Returns a function of a class as an attribute of an object or class.
Ref Interpreter::bound(const Ref& function, const Ref& self, const Ref& type, const std::string& name,
                       const Node& node) {
  if (function->kind != Kind::function || function->role == Role::static_method) {
    return function;
  }
  if (function->role == Role::property && self != nullptr) {
    Arguments arguments;
    arguments.positional.push_back(self);
    return call_function(function, arguments, node);
  }
  const bool of_class = function->role == Role::class_method;
  if (self == nullptr && !of_class) {
    return function;
  }
  auto out = std::make_shared<Value>();
  out->kind = Kind::method;
  out->span = node.span;
  out->text = name;
  out->items = {of_class ? type : self, function};
  return out;
}

// An unknown part of a container or instance: an object that it had before it became unknown, or another one.
Ref Interpreter::unknown_part(const Ref& object, std::string_view why, const Node& node) {
  Ref out = depends(node.span, {object}, why);
  out->aliases = object->aliases;
  return out;
}

Ref Interpreter::attribute_of_name(const Ref& object, const std::string& name, const Node& node) {
  static constexpr std::string_view kFrames[] = {"sys.modules", "sys._getframe", "inspect.currentframe"};
  const std::string path = object->path + "." + name;
  if (is_patched(path)) return opaque(node.span, fmt::format("the script changes `{}`", path));
  lost_ = lost_ || base::contains(kFrames, path);
  if (Ref known = object->imported ? constant(path, node.span) : nullptr) return known;
  ++risks_;
  Ref out = std::make_shared<Value>(*object);
  out->span = node.span;
  out->path = path;
  return out;
}

// Returns an attribute of `super()`.
Ref Interpreter::attribute_of_base(const Ref& object, const std::string& name, const Node& node) {
  const Ref base = object->owner->items.empty() ? nullptr : object->owner->items.front();
  const bool known = !object->owner->open || object->owner->role == Role::network;
  const Ref found = !known || base == nullptr ? nullptr : type_attribute(base, name);
  if (found != nullptr && found->kind == Kind::function)
    return bound(found, object->items.front(), object->owner, name, node);
  const bool plain = known && found == nullptr && name == "__init__";
  if (!plain) {
    escape(object->items.front(), node.span, "a method of a base class is called");
    return opaque(node.span, "a method of a base class is not known");
  }
  auto nothing = std::make_shared<Value>();
  nothing->kind = Kind::name;
  nothing->path = "object.__init__";
  nothing->span = node.span;
  return nothing;
}

// Returns the value of a field, which a validator may have made of the argument. The object then has this value, so
// that the script can change it. Returns null if it is not known.
Ref Interpreter::read_field(const Ref& object, const std::string& name, const Ref& argument) {
  const Ref value = library_.field_value(object->path, name, argument);
  if (value == nullptr || value == argument) return value;
  if (object->reassigned) return nullptr;  // validators do not run for assignments
  if (!builds(sizeof(Value) + value->items.size() * sizeof(Ref))) return nullptr;
  for (const Ref& item : value->items) {
    if (item->born == 0) made(item);
  }
  script::set_argument(*object, name, argument->span, made(value));
  return value;
}

// An attribute that is not listed is a part of the object: a change of it changes the object.
Ref Interpreter::attribute_of_object(const Ref& object, const std::string& name, const Node& node) {
  if (object->role == Role::super) return attribute_of_base(object, name, node);
  if (is_model_or_config(*object)) return model_attribute(object, name, node.span);
  if (object->role == Role::path) {
    if (Ref part = path_attribute(*this, *object, name, node)) return part;
  }
  const bool keeps = object->imported ? library_.keeps_arguments(object->path) : object->role == Role::name_space;
  const Ref argument = keeps && !object->escaped ? object->argument(name) : nullptr;
  const Ref found = argument == nullptr || !object->imported ? argument : read_field(object, name, argument);
  if (found != nullptr) return found;
  Ref out = depends(node.span, {object}, fmt::format("the attribute `.{}` is unknown", name));
  if (keeps) out->aliases.push_back(object);
  return out;
}

// Returns a method of a value.
static Ref method_of(const Ref& object, const std::string& name, source::Span span) {
  auto out = std::make_shared<Value>();
  out->kind = Kind::method;
  out->span = span;
  out->text = name;
  out->items = {object};
  return out;
}

// An attribute of a network that is under construction, and that neither its class nor the script defines.
Ref Interpreter::attribute_of_network(const Ref& object, const std::string& name, const Node& node) {
  if (is_method_of_network(name)) return method_of(object, name, node.span);
  if (name != "training") escape(object, node.span, fmt::format("the attribute `.{}` is unknown", name));
  return opaque(node.span, fmt::format("the attribute `.{}` is unknown", name));
}

Ref Interpreter::attribute_of_instance(const Ref& object, const std::string& name, const Node& node) {
  if (type_attribute(object->owner, "__getattribute__") != nullptr) {
    return selects(node.span, {object}, fmt::format("the attribute `.{}` is unknown", name));
  }
  const Ref shared = type_attribute(object->owner, name);
  if (shared != nullptr && shared->kind == Kind::instance && is_special(*shared->owner)) {
    touch(object, node.span);
    return selects(node.span, {shared, object}, fmt::format("the attribute `.{}` is unknown", name));
  }
  if (shared != nullptr && shared->kind == Kind::function && shared->role == Role::property) {
    return bound(shared, object, object->owner, name, node);
  }
  if (Ref own = object->argument(name); own != nullptr && !object->escaped) return own;
  if (object->open || object->escaped) return unknown_part(object, "an attribute is not known", node);
  if (name == "__class__") return object->owner;
  if (shared != nullptr) return bound(shared, object, object->owner, name, node);
  if (object->owner->role == Role::network) return attribute_of_network(object, name, node);
  const Ref getter = type_attribute(object->owner, "__getattr__");
  if (getter != nullptr || name.starts_with("__")) escape(object, node.span, "its attributes can change");
  run_escaped(node.span);
  return opaque(node.span, fmt::format("the attribute `.{}` is unknown", name));
}

// Returns the first name with the value of a member, which is the name of the member; empty if it is not known.
std::string Interpreter::name_of_member(const Value& type, const std::string& name, const Value& value) {
  std::string out = name;
  for (const auto& [other, each] : type.scope->names) {
    if (other == name || other.starts_with('_') || each->kind == Kind::function) continue;
    const auto same = equal(*each, value);
    if (!same) return {};
    if (*same && type.scope->bound[other].first < type.scope->bound[out].first) out = other;
  }
  return out;
}

// Returns a member of an enumeration, or null if its class changes what its members are.
Ref Interpreter::enumeration_member(const Ref& type, const std::string& name, const Ref& value, const Node& node) {
  static constexpr std::string_view kSpecial[] = {"value",    "name",      "__new__",
                                                  "__init__", "_missing_", "__getattribute__"};
  const bool special =
      std::ranges::any_of(kSpecial, [&](std::string_view own) { return type->scope->names.contains(own); });
  if (special) return opaque(node.span, "the enumeration is not modeled");
  if (name.starts_with('_') || value->kind == Kind::function) return nullptr;
  const Ref member = made(std::make_shared<Value>());
  member->kind = Kind::instance;
  member->span = node.span;
  member->owner = type;
  script::set_argument(*member, "value", node.span, value);
  const std::string first = name_of_member(*type, name, *value);
  if (!first.empty()) script::set_argument(*member, "name", node.span, new_text(node.span, first));
  member->open = true;
  member->text = "it is a member of an enumeration";
  member->why = node.span;
  return member;
}

// Returns the member of an enumeration that has a value; null if there is none, or several.
Ref Interpreter::member_with_value(const Ref& type, const Value& value, const Node& node) {
  Ref out;
  for (const auto& [name, each] : type->scope->names) {
    if (name.starts_with('_') || each->kind == Kind::function) continue;
    const auto same = equal(*each, value);
    if (!same || (*same && out != nullptr)) return nullptr;
    if (*same) out = enumeration_member(type, name, each, node);
  }
  return out;
}

Ref Interpreter::attribute_of_type(const Ref& object, const std::string& name, const Node& node) {
  const bool module = object->role == Role::module;
  if (name == "__name__" && !module) return scalar(node.span, object->text);
  const Ref found = type_attribute(object, name);
  if (found != nullptr && found->kind == Kind::instance && is_special(*found->owner)) {
    return selects(node.span, {found, object}, fmt::format("the attribute `.{}` is unknown", name));
  }
  if (found == nullptr) {
    if (name.starts_with("__")) escape(object, node.span, "its attributes can change");
    return opaque(node.span, fmt::format("the attribute `.{}` is unknown", name));
  }
  if (object->role == Role::enumeration) {
    if (Ref member = enumeration_member(object, name, found, node)) return member;
  }
  return module ? found : bound(found, nullptr, object, name, node);
}

Ref Interpreter::attribute_of(const Ref& object, const std::string& name, const Node& node) {
  switch (object->kind) {
    case Kind::name: return attribute_of_name(object, name, node);
    case Kind::object: return attribute_of_object(object, name, node);
    case Kind::instance: return attribute_of_instance(object, name, node);
    case Kind::type: return attribute_of_type(object, name, node);
    case Kind::dictionary:
      if (object->constructed) {
        const Ref field = find(*object, name);
        if (field != nullptr) return field;
        // A default value, which is a part of the object.
        Ref part = unknown_part(object, "an attribute is not known", node);
        part->aliases.push_back(object);
        return part;
      }
      [[fallthrough]];
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
    case Kind::scalar: ++risks_; return method_of(object, name, node.span);
    case Kind::function:
      if (name == "__name__" && object->function->text == object->path) return scalar(node.span, object->path);
      lost_ = lost_ || name == "__globals__" || name == "__builtins__";
      if (name.starts_with("__")) heap_.open(object, node.span, "its special attributes can change");
      return depends(node.span, {object}, fmt::format("the attribute `.{}` is unknown", name));
    case Kind::unknown:
    case Kind::method:
    case Kind::partial: {
      Ref out = depends(node.span, {object}, fmt::format("the attribute `.{}` is unknown", name));
      const bool plain = is_plain_attribute(name) || name == "data";  // of a parameter
      if (is_part_of_model(*object) && plain) return out;
      out->items = object->items;
      if (object->kind == Kind::unknown) out->aliases.push_back(object);
      return out;
    }
  }
  return opaque(node.span, "it is not a constant");
}

Ref Interpreter::subscript(const Node& node) {
  const Ref object = evaluate(node.parts.front());
  if (node.parts.size() == 2 && node.parts[1].kind == Form::slice) {
    return slice(object, node.parts[1], node);
  }
  std::vector<Ref> keys;
  for (std::size_t at = 1; at < node.parts.size(); ++at) keys.push_back(evaluate(node.parts[at]));
  const Ref key = keys.size() == 1 ? keys.front() : container(Kind::tuple, node.span, keys);
  return item_of(object, key, node);
}

// Returns the place that an index selects of a number of elements, or nullopt.
static std::optional<std::size_t> place_of_index(std::int64_t index, std::size_t size) {
  const auto count = static_cast<std::int64_t>(size);
  const std::int64_t place = index < 0 ? index + count : index;
  return place >= 0 && place < count ? std::optional(static_cast<std::size_t>(place)) : std::nullopt;
}

static bool has_only_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

static const std::int64_t* index_in(const Value& key) {
  return key.kind == Kind::scalar ? std::get_if<std::int64_t>(&key.data) : nullptr;
}

Ref Interpreter::item_of_names(const Ref& key, const Node& node) {
  const auto found = types_of(*key) == types::text ? module_->names.find(*key->string()) : module_->names.end();
  return !lost_ && found != module_->names.end() ? found->second : opaque(node.span, "the name is not known");
}

// Returns the value of a key that can be known, or null.
Ref Interpreter::item_of_mapping(const Ref& object, const Ref& key, const Node& node) {
  const auto text = key_of(*key);
  if (!text) return nullptr;
  const std::size_t place = place_of(*object, *text);
  if (place < object->items.size()) return object->items[place + 1];
  return object->open ? unknown_part(object, "the dictionary does not have this key", node)
                      : depends(node.span, {object}, "the dictionary does not have this key");
}

// Returns an element of a list or a character of a string, or null.
Ref Interpreter::item_at(const Ref& object, std::int64_t index, const Node& node) {
  const bool listed = (object->kind == Kind::list || object->kind == Kind::tuple) && !object->open &&
                      object->role != Role::iterator && object->role != Role::view;
  if (listed) {
    const auto place = place_of_index(index, object->items.size());
    return place ? object->items[*place] : opaque(node.span, "the index is out of range");
  }
  if (const auto parts = parts_of_result(object)) {
    const auto place = place_of_index(index, parts->size());
    return place ? (*parts)[*place] : nullptr;
  }
  if (types_of(*object) != types::text || !reads(*object) || !has_only_ascii(*object->string())) return nullptr;
  const auto place = place_of_index(index, object->string()->size());
  return place ? new_text(node.span, object->string()->substr(*place, 1)) : nullptr;
}

Ref Interpreter::item_of(const Ref& object, const Ref& key, const Node& node) {
  if (object->role == Role::all_names) return item_of_names(key, node);
  const bool member = object->role == Role::enumeration && types_of(*key) == types::text;
  if (member && object->scope->names.contains(*key->string())) return attribute_of_type(object, *key->string(), node);
  Ref found = object->kind == Kind::dictionary ? item_of_mapping(object, key, node) : nullptr;
  if (found != nullptr) return found;
  const auto* index = index_in(*key);
  if (index != nullptr) found = item_at(object, *index, node);
  if (found != nullptr) return object->kind == Kind::scalar ? inherit(found, {object, key}) : found;
  if (object->kind == Kind::instance || object->kind == Kind::type)
    escape(object, node.span, "`__getitem__` is called");
  Ref out = selects(node.span, {object, key}, "the element that `[...]` selects is unknown");
  const bool holds = object->kind != Kind::instance && object->kind != Kind::type && object->kind != Kind::function &&
                     object->kind != Kind::object;
  if (holds) out->items = object->items;
  return out;
}

// Python's slice.indices().
static std::vector<std::size_t> indices_of(std::optional<std::int64_t> begin, std::optional<std::int64_t> end,
                                           std::int64_t step, std::int64_t size) {
  const auto limited = [&](std::int64_t at) {
    const std::int64_t low = step < 0 ? -1 : 0;
    const std::int64_t high = step < 0 ? size - 1 : size;
    return std::clamp(at < 0 ? at + size : at, low, high);
  };
  const std::int64_t first = begin ? limited(*begin) : step < 0 ? size - 1 : 0;
  const std::int64_t last = end ? limited(*end) : step < 0 ? -1 : size;
  std::vector<std::size_t> out;
  for (std::int64_t at = first; step > 0 ? at < last : at > last; at += step)
    out.push_back(static_cast<std::size_t>(at));
  return out;
}

// Evaluates the bounds of a slice. Returns false if they are not known.
bool Interpreter::slice_bounds(const Node& slice, std::optional<std::int64_t> (&bounds)[3], std::vector<Ref>& values) {
  bool known = true;
  std::size_t at = 0;
  for (const Node& part : slice.parts) {
    const std::size_t place = slice.places[at++];
    const Ref value = evaluate(part);
    values.push_back(value);
    if (const auto* integer = index_in(*value)) bounds[place] = *integer;
    known = known && (types_of(*value) & (types::integer | types::none)) != 0;
  }
  constexpr std::int64_t kMaxStep = 1'000'000'000;
  const std::int64_t step = bounds[2].value_or(1);
  return known && step != 0 && step > -kMaxStep && step < kMaxStep;
}

// Returns the selected elements or characters, or null.
Ref Interpreter::sliced(const Ref& object, const std::optional<std::int64_t> (&bounds)[3], const Node& node) {
  const bool listed =
      (object->kind == Kind::list || object->kind == Kind::tuple) && !object->open && object->role == Role::plain;
  const bool text = types_of(*object) == types::text && reads(*object) && has_only_ascii(*object->string());
  const std::size_t size = listed ? object->items.size() : text ? object->string()->size() : 0;
  if ((!listed && !text) || !builds(size * (listed ? sizeof(Ref) : sizeof(std::size_t)))) return nullptr;
  const std::vector<std::size_t> places =
      indices_of(bounds[0], bounds[1], bounds[2].value_or(1), static_cast<std::int64_t>(size));
  if (text) {
    std::string out;
    for (const std::size_t place : places) out += (*object->string())[place];
    return inherit(new_text(node.span, std::move(out)), {object});
  }
  std::vector<Ref> items;
  for (const std::size_t place : places) items.push_back(object->items[place]);
  return made(container(object->kind, node.span, std::move(items)));
}

Ref Interpreter::slice(const Ref& object, const Node& slice, const Node& node) {
  std::optional<std::int64_t> bounds[3];
  std::vector<Ref> values{object};
  const bool known = slice_bounds(slice, bounds, values);
  if (Ref out = known ? sliced(object, bounds, node) : nullptr) return out;
  Ref out = depends(node.span, values, "the elements that `[...]` selects are unknown");
  out->items = object->kind == Kind::instance ? std::vector<Ref>{object} : object->items;
  return out;
}

// Keys that are not known can replace the values of known keys, but they remove no key.
void Interpreter::add_unknown_keys(Value& out, Span why, const std::string& reason) {
  if (!budget_.allocate(out.items.size() / 2 * sizeof(Value))) out.items.clear();
  for (std::size_t at = 1; at < out.items.size(); at += 2) {
    const Ref before = std::exchange(out.items[at], unknown(why, reason));
    out.items[at]->aliases.push_back(before);
    out.items[at]->span = out.span;  // one place for all of them
  }
  if (out.items.empty()) out.index.clear();
  out.open = true;
  out.why = why;
  out.text = reason;
}

// Adds the entries of a mapping. Returns false if they are not known.
bool Interpreter::merge(Value& out, const Ref& value, Span span) {
  const bool listed = value->kind == Kind::dictionary;
  const bool fails = value->kind == Kind::list || value->kind == Kind::tuple;
  if (fails && !silent_) trace_.list_keys.push_back({std::string(kSpread), span, {}, {}});
  if (!listed || !budget_.allocate(value->items.size() * sizeof(Ref))) {
    const bool reason = !value->text.empty() && !value->why.empty();
    add_unknown_keys(out, reason ? value->why : span, reason ? value->text : "the keys of `**` are unknown");
    escape(value, span, "its keys are added to another object");
    run_escaped(span);
    ++risks_;
    return false;
  }
  if (value->open) add_unknown_keys(out, value->why, value->text);
  const std::vector<Ref> items = value->items;
  for (std::size_t pair = 0; pair + 1 < items.size(); pair += 2) put(out, items[pair], items[pair + 1]);
  return true;
}

// Later keys replace earlier ones, also keys from `**`.
Ref Interpreter::dictionary(const Node& node) {
  if (node.parts.size() == 1) {
    return comprehension(Kind::dictionary, node);
  }
  const Ref out = made(container(Kind::dictionary, node.span));
  for (std::size_t at = 0; at + 1 < node.parts.size(); at += 2) {
    const bool spread = node.parts[at].kind == Form::spread;
    const Ref key = spread ? nullptr : evaluate(node.parts[at]);
    const Ref value = evaluate(node.parts[at + 1]);
    keep(value);
    if (spread) {
      merge(*out, value, node.parts[at + 1].span);
    } else if (key_of(*key)) {
      put(*out, key, value);
    } else {
      ++risks_;
      const Ref reason = depends(key->span, {key});
      add_unknown_keys(*out, reason->why, reason->text);
      escape(value, node.span, "it is the value of an unknown key");
    }
  }
  if (!budget_.allocate(out->items.size() * sizeof(Ref))) limit(node.span);
  return out;
}

// Adds the elements of `*value`. Returns false if they are not known.
bool Interpreter::spread(Value& out, const Ref& value) {
  const auto items = elements(value, value->span);
  if (items && budget_.allocate(items->size() * sizeof(Ref))) {
    out.items.insert(out.items.end(), items->begin(), items->end());
    return true;
  }
  const Ref reason = depends(value->span, {value}, "the elements that `*` adds are unknown");
  out.open = true;
  out.why = reason->why;
  out.text = reason->text;
  if (value->kind == Kind::list || value->kind == Kind::tuple || value->kind == Kind::unknown)
    out.items.insert(out.items.end(), value->items.begin(), value->items.end());
  return false;
}

Ref Interpreter::sequence(Kind kind, const Node& node) {
  if (node.parts.size() == 1 && node.parts.front().kind == Form::comprehension) {
    return comprehension(kind, node);
  }
  const Ref out = made(container(kind, node.span));
  for (const Node& part : node.parts) {
    if (part.kind == Form::spread) {
      spread(*out, evaluate(part.parts.front()));
      continue;
    }
    const Ref value = evaluate(part);
    keep(value);
    out->items.push_back(value);
    if (value->string() != nullptr && !silent_) trace_.strings.push_back(value);
  }
  if (kind == Kind::set) make_unique(*out);
  if (kind == Kind::set && out->open) ++risks_, touch(out, node.span);
  if (!budget_.allocate(sizeof(Value) + out->items.size() * sizeof(Ref))) limit(node.span);
  const bool list = kind == Kind::list || kind == Kind::tuple;
  if (list && !out->items.empty() && !silent_) trace_.lists.push_back(out);
  return out;
}

// Follows code that may run later, partly, or never. What it can change is unknown from here on. Returns true if it can
// change anything.
bool Interpreter::lazily(const std::function<void()>& code, Span why) {
  constexpr std::string_view kReason = "a generator may change it";
  const std::size_t start = heap_.tick();
  const std::size_t mark = heap_.mark();
  code();
  const State changed = heap_.since(mark, start);
  heap_.forget(changed, why, kReason);
  heap_.release();
  for (const auto& [key, saved] : changed) {
    if (saved.cell.scope == nullptr) {
      escape(saved.cell.object, why, kReason);
    } else {
      saved.cell.scope->unstable.insert(saved.cell.name);
    }
  }
  return !changed.empty();
}

// `node` is the brackets of a comprehension or a generator. The parts of a comprehension are the element (of a
// dictionary the key and the value), and for each `for` a clause: the target, the values and the conditions. The first
// values are evaluated outside.
Ref Interpreter::comprehension(Kind kind, const Node& node) {
  const Ref out = made(container(kind, node.span));
  auto scope = heap_.new_scope();
  scope->kind = Scope::Kind::comprehension;
  scope->outer = scope_;
  scope->born = heap_.tick();
  bool known = false;
  const auto rounds = [&] {
    const Entered entered(*this, scope);
    known = comprehend(node.parts.front(), 0, kind, *out);
  };
  if (node.kind == Form::generator) {
    lazily(rounds, node.span);
  } else {
    rounds();
  }
  if (!known) {
    Ref lost = unknown(out->why.empty() ? node.span : out->why,
                       out->text.empty() ? "the values of the comprehension are unknown" : out->text);
    lost->span = node.span;
    lost->aliases = out->items;
    return lost;
  }
  if (kind == Kind::set) make_unique(*out);
  if (kind == Kind::set && out->open) ++risks_, touch(out, node.span);
  return out;
}

static std::vector<const python::Node*> clause_of(const python::Node& node, std::size_t clause) {
  std::vector<const python::Node*> out;
  if (clause >= node.places.size()) {
    return out;
  }
  const std::size_t end = clause + 1 < node.places.size() ? node.places[clause + 1] : node.parts.size();
  for (std::size_t at = node.places[clause]; at < end; ++at) out.push_back(&node.parts[at]);
  return out;
}

// Returns the names that a generator uses, apart from those that it binds itself.
static std::string names_read_by(const python::Node& node) {
  const Names names = names_of(node);
  const python::Node& comprehension = node.parts.front();
  Names own;
  for (const std::size_t place : comprehension.places) add_targets(comprehension.parts[place], own);
  std::string out;
  for (const std::string& name : names) {
    if (!own.contains(name)) out += name + ' ';
  }
  return out;
}

Ref Interpreter::generator(const Node& node) {
  const Ref out = comprehension(Kind::list, node);
  if (out->kind != Kind::list) return out;
  out->role = Role::generator;
  out->path = names_read_by(node);
  out->scope = scope_;
  return out;
}

// Adds one element. Returns false if its key is not known.
bool Interpreter::add_element(const Node& node, Kind kind, Value& out) {
  const bool pairs = kind == Kind::dictionary;
  if (!builds(sizeof(Ref) * (pairs ? 2 : 1))) {
    limit(node.span);
    return false;
  }
  const Ref first = evaluate(node.parts[0]);
  if (!pairs) {
    out.items.push_back(first);
    return true;
  }
  const Ref value = evaluate(node.parts[1]);
  if (key_of(*first)) {
    put(out, first, value);
    return true;
  }
  const Ref reason = depends(node.span, {first});
  out.why = reason->why;
  out.text = reason->text;
  return false;
}

// The first values of a comprehension are evaluated where it is. In a class, the other parts do not see its names.
Ref Interpreter::evaluate_outside(const Node& node) {
  const Entered entered(*this, scope_->outer);
  return evaluate(node);
}

// Follows the rounds of one `for`. Returns false if they are not known.
bool Interpreter::comprehend(const Node& node, std::size_t clause, Kind kind, Value& out) {
  const base::Budget::Level level(budget_);
  if (!level) {
    limit(node.span);
    return false;
  }
  const auto parts = clause_of(node, clause);
  if (parts.empty()) return add_element(node, kind, out);
  const Looping looping(*this);
  const Ref values = clause == 0 ? evaluate_outside(*parts[1]) : evaluate(*parts[1]);
  const auto items = elements(values, parts[1]->span);
  bool known = items.has_value();
  const std::size_t changes = values->changes;
  const std::size_t start = heap_.tick();
  const std::size_t mark = heap_.mark();
  for (std::size_t at = 0; known && at < items->size(); ++at) {
    known = (at == 0 || !may_recompute(values, start, mark)) && begin_round();
    if (!known) break;
    assign(*parts[0], (*items)[at]);
    known = comprehend_conditions(node, clause, kind, out) && values->changes == changes;
  }
  heap_.release();
  if (!known) comprehend_unknown(node, clause, kind, values, out);
  return known;
}

// Follows the other rounds of one `for`: everything that they can change becomes unknown.
void Interpreter::comprehend_unknown(const Node& node, std::size_t clause, Kind kind, const Ref& values, Value& out) {
  const auto parts = clause_of(node, clause);
  const bool told = !out.why.empty() && !out.text.empty();
  const Ref reason = depends(node.span, {values}, "the values of the comprehension are unknown");
  if (!told) {
    out.why = reason->why;
    out.text = reason->text;
  }
  constexpr std::size_t kMaxAliases = 1'000;
  touch(values, parts[1]->span);
  const Ref element = unknown(parts[1]->span, out.text);
  element->items = values->items;
  element->aliases = values->aliases;
  repeat(
      [&](std::size_t, std::size_t) {
        assign(*parts[0], element);
        for (std::size_t part = 2; part < parts.size(); ++part) evaluate(*parts[part]);
        Value round;
        round.kind = kind;
        comprehend(node, clause + 1, kind, round);
        if (out.items.size() < kMaxAliases) out.items.insert(out.items.end(), round.items.begin(), round.items.end());
        raised_ = false;
      },
      node.span);
}

bool Interpreter::comprehend_conditions(const Node& node, std::size_t clause, Kind kind, Value& out) {
  const auto parts = clause_of(node, clause);
  for (std::size_t at = 2; at < parts.size(); ++at) {
    const Ref value = evaluate(*parts[at]);
    const auto condition = test(value, parts[at]->span);
    if (!condition) {
      const Ref reason = depends(parts[at]->span, {value}, "it depends on a condition");
      out.why = reason->why;
      out.text = reason->text;
      return false;
    }
    if (!*condition) return true;
  }
  return comprehend(node, clause + 1, kind, out);
}

}  // namespace sparsecfg::script
