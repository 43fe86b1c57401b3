#include <fmt/format.h>

#include <algorithm>

#include "script/interpreter.h"
#include "script/model.h"

// Simple statements.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

Flow Interpreter::block(const std::vector<Statement>& statements) {
  for (const Statement& each : statements) {
    const Flow flow = statement(each);
    if (budget_.exceeded() != base::Budget::Limit::none) limit(each.span);
    if (flow != Flow::normal) return flow;
  }
  return Flow::normal;
}

Flow Interpreter::statement(const Statement& statement) {
  const base::Budget::Level level(budget_);
  if (!budget_.spend() || !level) {
    limit(statement.span);
    if (budget_.exceeded() == base::Budget::Limit::none) skip(statement);
    return budget_.exceeded() == base::Budget::Limit::none ? Flow::normal : Flow::dead;
  }
  switch (statement.kind) {
    case Statement::Kind::conditional: return conditional(statement);
    case Statement::Kind::loop: return loop(statement);
    case Statement::Kind::with: return with(statement);
    case Statement::Kind::attempt: return attempt(statement);
    case Statement::Kind::match: return match(statement);
    case Statement::Kind::leave: return statement.text == "break" ? Flow::broke : Flow::continued;
    case Statement::Kind::result:
      result_ = is_absent(statement.value) ? scalar(statement.span, std::monostate()) : evaluate(statement.value);
      return std::exchange(raised_, false) ? Flow::dead : Flow::returned;
    case Statement::Kind::raise:
      for (const Node& value : statement.values) evaluate(value);
      ++risks_;
      raised_ = false;
      return Flow::dead;
    default: {
      const Flow flow = simple(statement);
      return std::exchange(raised_, false) ? Flow::dead : flow;
    }
  }
}

// Evaluates annotations, which Python may evaluate later or never.
void Interpreter::annotate(const base::RareList<Node>& annotations) {
  ++uncertain_;
  for (const Node& annotation : annotations) evaluate(annotation);
  --uncertain_;
}

Flow Interpreter::simple(const Statement& statement) {
  switch (statement.kind) {
    case Statement::Kind::expression: evaluate(statement.value); break;
    case Statement::Kind::assignment: {
      annotate(statement.values);
      const Ref value = evaluate(statement.value);
      for (const Node& target : statement.targets) assign(target, value);
      break;
    }
    case Statement::Kind::annotation: annotate(statement.values); break;
    case Statement::Kind::augmented: augment(statement); break;
    case Statement::Kind::import:
    case Statement::Kind::import_from: import(statement); break;
    case Statement::Kind::function: define(statement); break;
    case Statement::Kind::type: define_class(statement); break;
    case Statement::Kind::assertion: {
      const auto holds = test(evaluate(statement.values.front()), statement.span);
      risks_ += holds.value_or(false) ? 0 : 1;
      break;
    }
    case Statement::Kind::deletion:
      for (const Node& target : statement.targets) remove(target);
      break;
    case Statement::Kind::alias: assign_name(statement.text, unknown(statement.span, "it is a type")); break;
    case Statement::Kind::skipped: skip(statement); break;
    default: break;
  }
  return Flow::normal;
}

// A line that could not be parsed can use each of its words, and may begin a block.
void Interpreter::skip(const Statement& statement) {
  havoc(words_of(text_at(statement.span)), statement.span, "this line is not read");
  if (!statement.body.empty() && budget_.exceeded() == base::Budget::Limit::none) {
    choose({[&] { return block(statement.body); }, [] { return Flow::normal; }}, statement.span,
           "it depends on a line that is not read");
  }
}

// Makes names, and all objects that they reach, unknown.
void Interpreter::havoc(const Names& names, Span why, std::string_view reason) {
  ++risks_;
  for (const std::string& name : names) {
    for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->outer.get()) {
      const auto found = scope->names.find(name);
      if (found == scope->names.end()) continue;
      const Ref value = found->second;
      escape(value, why, reason);
      const bool library = value->kind == Kind::name || value->kind == Kind::function || value->kind == Kind::type;
      if (!library)
        heap_.bind(std::const_pointer_cast<Scope>(std::shared_ptr<const Scope>(scope_, scope)), name,
                   unknown(why, std::string(reason)));
      break;
    }
  }
  run_escaped(why);
}

// Makes the values of all names in this scope and around it unknown, but not functions, classes and imports.
void Interpreter::havoc_values(Span why, std::string_view reason) {
  Names names;
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->outer.get()) {
    for (const auto& [name, value] : scope->names) names.insert(name);
  }
  havoc(names, why, reason);
}

void Interpreter::assign_name(const std::string& name, Ref value) {
  std::shared_ptr<Scope> scope = scope_;
  while (scope->kind == Scope::Kind::comprehension && scope->outer != nullptr) scope = scope->outer;
  if (scope->binding != nullptr && scope->binding->globals.contains(name)) {
    while (scope->outer != nullptr) scope = scope->outer;
  } else if (scope->binding != nullptr && scope->binding->nonlocals.contains(name)) {
    do {
      scope = scope->outer;
    } while (scope->outer != nullptr &&
             (scope->kind != Scope::Kind::function || !scope->binding->locals.contains(name)));
  }
  heap_.bind(scope, scope->kind == Scope::Kind::type ? mangled(name) : name, std::move(value));
}

// Keeps the lists that may be configurations.
void Interpreter::keep_list(const Node& name, const Ref& value) {
  const bool list = value->kind == Kind::list && visits(value->items.size()) &&
                    (value->items.empty() || has_dictionary(value->items));
  const bool unknown = value->kind == Kind::unknown && has_dictionary(value->aliases);
  const bool candidate = !silent_ && (list || unknown);
  if (candidate && builds(sizeof(Assigned))) trace_.assigned.push_back({{name.text, name.span}, value});
}

void Interpreter::assign(const Node& target, const Ref& value) {
  if (target.kind == Form::name || target.kind == Form::subscript || target.kind == Form::attribute) keep(value);
  switch (target.kind) {
    case Form::name:
      if (value->string() != nullptr && !silent_) trace_.strings.push_back(value);
      keep_list(target, value);
      if (scope_->kind == Scope::Kind::comprehension) {
        heap_.bind(scope_, target.text, value);
      } else {
        assign_name(target.text, value);
      }
      break;
    case Form::tuple:
    case Form::list: assign_parts(target, value); break;
    case Form::subscript: assign_item(target, value); break;
    case Form::attribute: assign_attribute(target, value); break;
    case Form::spread: assign(target.parts.front(), value); break;
    default: break;
  }
}

void Interpreter::assign_parts(const Node& target, const Ref& value) {
  const auto items = elements(value, target.span);
  const std::size_t count = target.parts.size();
  const auto star = std::ranges::find(target.parts, Form::spread, &Node::kind);
  const auto before = static_cast<std::size_t>(star - target.parts.begin());
  const bool starred = star != target.parts.end();
  const bool fits = items && (starred ? items->size() + 1 >= count : items->size() == count);
  const bool modules = !fits && is_part_of_model(*value);
  if (!fits) {
    ++risks_;
    if (!modules) escape(value, target.span, "its elements are assigned");
  }
  const std::size_t extra = fits && starred ? items->size() + 1 - count : 0;
  for (std::size_t at = 0; at < count; ++at) {
    Ref part;
    if (!fits) {
      part = depends(target.parts[at].span, {value});
      if (modules) part->items = value->items;
    } else if (at == before) {
      const auto begin = items->begin() + static_cast<std::ptrdiff_t>(at);
      part = made(container(Kind::list, target.parts[at].span,
                            std::vector<Ref>(begin, begin + static_cast<std::ptrdiff_t>(extra))));
    } else {
      part = (*items)[at < before ? at : at + extra - 1];
    }
    assign(target.parts[at], part);
  }
}

void Interpreter::assign_attribute(const Node& target, const Ref& value) {
  const Ref object = evaluate(target.parts.front());
  set_attribute(object, mangled(target.text), value, target.span);
}

void Interpreter::set_attribute(const Ref& object, const std::string& name, const Ref& value, Span span) {
  outdate(object, name, span);
  if (is_model_or_config(*object)) return set_model_attribute(object, name, value, span);
  const bool special = name.starts_with("__") && name.ends_with("__");
  if (special && (object->kind == Kind::instance || object->kind == Kind::function || object->kind == Kind::type)) {
    special_ = true;
    if (object->kind != Kind::type || name == "__bases__" || name == "__class__") {
      escape(object, span, "a special attribute of it is set");
      heap_.open(object, span, "a special attribute of it is set");
      escape(value, span, "it is a special attribute of an object");
      run_escaped(span);
      return;
    }
  }
  switch (object->kind) {
    case Kind::instance: return set_instance_attribute(object, name, value, span);
    case Kind::object: {
      const bool hidden = name.starts_with('_') || name.ends_with('_');
      return hidden && !object->escaped ? void() : set_listed_attribute(object, name, value, span);
    }
    case Kind::dictionary: ++risks_; return object->constructed ? set_field(object, name, value, span) : void();
    case Kind::type: return heap_.bind(object->scope, name, value);
    case Kind::scalar:
    case Kind::list:
    case Kind::tuple:
    case Kind::set: ++risks_; return;
    case Kind::name: patched_.insert(object->path + "." + name); break;
    case Kind::unknown:
    case Kind::function:
    case Kind::method:
    case Kind::partial: break;
  }
  escape(object, span, "its attribute is set");
  outdate(object, name, span);
  escape(value, span, "it is an attribute of an object that is not known");
  run_escaped(span);
  ++risks_;
}

void Interpreter::set_instance_attribute(const Ref& object, const std::string& name, const Ref& value, Span span) {
  if (type_attribute(object->owner, "__setattr__") != nullptr) {
    return escape(object, span, "its attributes are set by `__setattr__`");
  }
  const Ref descriptor = object->escaped ? nullptr : type_attribute(object->owner, name);
  const bool property =
      descriptor != nullptr && descriptor->kind == Kind::function && descriptor->role == Role::property;
  risks_ += property ? 1 : 0;
  if (descriptor != nullptr && descriptor->kind == Kind::unknown) {
    escape(object, span, "its attribute is set by unknown code");
    return escape(value, span, "it is passed to unknown code");
  }
  set_listed_attribute(object, name, value, span);
}

// Sets an attribute of an object or instance.
void Interpreter::set_listed_attribute(const Ref& object, const std::string& name, const Ref& value, Span span) {
  if (object->escaped) return escape(value, span, "it is an attribute of an object that can change");
  if (!heap_.change(object)) return;
  if (!visits(object->names.size())) limit(span);
  object->reassigned = true;
  set_argument(*object, name, span, value);
}

// Sets an attribute of an object of a framework that is known by its fields.
void Interpreter::set_field(const Ref& object, const std::string& name, const Ref& value, Span span) {
  if (object->escaped) return escape(value, span, "it is an attribute of an object that can change");
  if (!heap_.change(object)) return;
  object->reassigned = true;
  put(*object, scalar(span, name), value);
}

void Interpreter::assign_item(const Node& target, const Ref& value) {
  const Ref object = evaluate(target.parts.front());
  const bool plain = target.parts.size() == 2 && target.parts[1].kind != Form::slice;
  const Ref key = plain ? evaluate(target.parts[1]) : nullptr;
  if (plain) {
    set_item(object, key, value, target.span);
    return;
  }
  for (std::size_t at = 1; at < target.parts.size(); ++at) {
    for (const Node& part : target.parts[at].parts) evaluate(part);
  }
  set_slice(object, value, target.span);
}

void Interpreter::set_slice(const Ref& object, const Ref& value, Span span) {
  if (object->kind == Kind::name) patched_.insert(object->path);
  escape(value, span, "it is assigned to a slice");
  escape(object, span, "a slice of it is assigned");
  outdate(object, {}, span);
  run_escaped(span);
}

void Interpreter::set_entry(const Ref& object, const Ref& key, const Ref& value, Span span) {
  if (!object->path.empty() && key->string() != nullptr && !silent_) {
    trace_.changes.push_back({object->path, *key->string(), span});
  }
  if (object->escaped) return escape(value, span, "it is an element of an object that can change");
  if (!key_of(*key)) {
    ++risks_;
    touch(key, span);
    escape(value, span, "it is the value of an unknown key");
    heap_.open(object, key->kind == Kind::unknown ? key->why : span, "a key is not known");
  } else if (heap_.change(object) && builds(sizeof(Value))) {
    put(*object, key, value);
  }
}

// Returns the place that an index selects in a list; the number of elements if there is none, and nullopt if it is not
// known.
static std::optional<std::size_t> place_in_list(const Value& list, const Ref& key) {
  const bool plain = list.kind == Kind::list && !list.open && list.role == Role::plain;
  const auto* index =
      plain && key != nullptr && key->kind == Kind::scalar ? std::get_if<std::int64_t>(&key->data) : nullptr;
  if (index == nullptr) return std::nullopt;
  const auto size = static_cast<std::int64_t>(list.items.size());
  const std::int64_t place = *index < 0 ? *index + size : *index;
  return place < 0 || place >= size ? list.items.size() : static_cast<std::size_t>(place);
}

void Interpreter::set_item(const Ref& object, const Ref& key, const Ref& value, Span span) {
  outdate(object, {}, span);
  if (object->role == Role::all_names && types_of(*key) == types::text) {
    return heap_.bind(module_, *key->string(), value);
  }
  if (object->kind == Kind::dictionary) return set_entry(object, key, value, span);
  if (const auto place = place_in_list(*object, key)) {
    const bool exists = *place < object->items.size();
    risks_ += exists ? 0 : 1;
    if (exists && heap_.change(object)) object->items[*place] = value;
    return;
  }
  if (object->kind == Kind::name) patched_.insert(object->path);
  if (object->kind == Kind::list && key->string() != nullptr && !silent_) {
    const std::string_view target = text_at(span);
    trace_.list_keys.push_back(
        {*key->string(), span, std::string(target.substr(0, target.rfind('['))), std::string(text_at(value->span))});
  }
  ++risks_;
  touch(key, span);
  escape(value, span, "it is an element of an object that is not known");
  escape(object, span, "an element of it is set");
  outdate(object, {}, span);
  run_escaped(span);
}

// The parts of the target of an augmented assignment are evaluated once.
struct Interpreter::Place {
  const Node& target;
  Ref object;        // of an attribute, element or slice
  Ref key;           // of an element
  std::string name;  // of an attribute
};

Interpreter::Place Interpreter::place_of_target(const Node& target) {
  Place out{target, nullptr, nullptr, {}};
  if (target.kind != Form::name) out.object = evaluate(target.parts.front());
  const bool element =
      target.kind == Form::subscript && target.parts.size() == 2 && target.parts[1].kind != Form::slice;
  if (element) out.key = evaluate(target.parts[1]);
  if (target.kind == Form::attribute) out.name = mangled(target.text);
  return out;
}

Ref Interpreter::load(const Place& place) {
  const Node& target = place.target;
  if (place.object == nullptr) return evaluate(target);
  if (target.kind == Form::attribute) return attribute_of(place.object, place.name, target);
  if (place.key != nullptr) return item_of(place.object, place.key, target);
  return target.parts.size() == 2 ? slice(place.object, target.parts[1], target) : depends(target.span, {place.object});
}

void Interpreter::store(const Place& place, const Ref& value) {
  const Span span = place.target.span;
  keep(value);
  if (place.object == nullptr) return assign(place.target, value);
  if (place.target.kind == Form::attribute) return set_attribute(place.object, place.name, value, span);
  if (place.key != nullptr) return set_item(place.object, place.key, value, span);
  set_slice(place.object, value, span);
}

// Calls the method that changes a list or dictionary in place.
void Interpreter::update_in_place(std::string_view method, const Ref& left, const Ref& right, const Node& at) {
  Arguments arguments;
  arguments.positional.push_back(right);
  this->method(left, std::string(method), arguments, at);
}

// An unknown value may be a list that is extended in place, unless the operand is a number or a string.
void Interpreter::change_unknown(const Ref& value, const Ref& operand, Span span) {
  if (operand->kind != Kind::scalar) escape(value, span, "it may be changed in place");
  outdate(value, {}, span);
}

// In place: lists are extended, dictionaries and sets are updated. Everything else is assigned.
void Interpreter::augment(const Statement& statement) {
  const Place place = place_of_target(statement.targets.front());
  const Ref left = load(place);
  const Ref right = evaluate(statement.value);
  const std::string operation = statement.text.substr(0, statement.text.size() - 1);
  Node at;
  at.span = statement.span;
  at.offset = statement.span.begin;
  if (left->kind == Kind::list && left->role == Role::plain && operation == "+") {
    const bool may_be_recipe = right->kind != Kind::list || has_dictionary(right->items);
    update_in_place("extend", left, right, at);
    // A name keeps its list, which was recorded when the list was assigned.
    return place.object == nullptr && !may_be_recipe ? assign_name(place.target.text, left) : store(place, left);
  }
  if (left->kind == Kind::dictionary && operation == "|") {
    update_in_place("update", left, right, at);
    return store(place, left);
  }
  if (!is_mutable(*left)) {
    if (left->kind == Kind::unknown) change_unknown(left, right, statement.span);
    return store(place, operate(operation, left, right, at));
  }
  escape(right, statement.span, "it is an operand of an assignment");
  escape(left, statement.span, "it is changed in place");
  outdate(left, {}, statement.span);
  run_escaped(statement.span);
  const bool own = left->kind == Kind::instance || left->kind == Kind::object || left->kind == Kind::type;
  store(place, own ? selects(statement.span, {left, right}, "it is the result of an operator") : left);
}

void Interpreter::remove(const Node& target) {
  switch (target.kind) {
    case Form::name: {
      std::shared_ptr<Scope> scope = scope_;
      if (scope->names.contains(target.text)) {
        heap_.bind(scope, target.text, nullptr);
      } else {
        havoc({target.text}, target.span, "it is deleted");
      }
      break;
    }
    case Form::tuple:
    case Form::list:
      for (const Node& part : target.parts) remove(part);
      break;
    case Form::subscript: {
      const Ref object = evaluate(target.parts.front());
      const bool plain = target.parts.size() == 2 && target.parts[1].kind != Form::slice;
      remove_item(object, plain ? evaluate(target.parts[1]) : nullptr, target.span);
      break;
    }
    case Form::attribute: {
      const Ref object = evaluate(target.parts.front());
      ++risks_;
      escape(object, target.span, "an attribute of it is deleted");
      outdate(object, mangled(target.text), target.span);
      run_escaped(target.span);
      if (object->kind == Kind::type) heap_.bind(object->scope, target.text, unknown(target.span, "it is deleted"));
      break;
    }
    default: break;
  }
}

void Interpreter::remove_entry(const Ref& object, const std::string& key, Span span) {
  const std::size_t place = place_of(*object, key);
  const bool exists = place < object->items.size();
  risks_ += exists ? 0 : 1;
  if (!visits(object->items.size())) limit(span);
  if (heap_.change(object) && exists) erase_entry(*object, place);
}

void Interpreter::remove_item(const Ref& object, const Ref& key, Span span) {
  const auto text = key == nullptr ? std::nullopt : key_of(*key);
  outdate(object, {}, span);
  if (object->kind == Kind::dictionary && text && !object->escaped) return remove_entry(object, *text, span);
  if (const auto place = place_in_list(*object, key)) {
    const bool exists = *place < object->items.size();
    risks_ += exists ? 0 : 1;
    const bool fits = exists && visits(object->items.size() - *place);
    if (fits && heap_.change(object)) object->items.erase(object->items.begin() + static_cast<std::ptrdiff_t>(*place));
    return;
  }
  if (object->kind == Kind::name) patched_.insert(object->path);
  ++risks_;
  if (key != nullptr) touch(key, span);
  escape(object, span, "an element of it is deleted");
  outdate(object, {}, span);
  run_escaped(span);
}

}  // namespace sparsecfg::script
