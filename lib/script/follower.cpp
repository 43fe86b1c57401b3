#include "script/follower.h"

#include <fmt/format.h>

#include <algorithm>

namespace sparsecfg::script {

using Kind = Value::Kind;

Trace follow(std::string_view text, std::span<const python::Script> scripts, const Constant& constant) {
  return Follower(text, constant).run(scripts);
}

Trace Follower::run(std::span<const python::Script> scripts) {
  for (const python::Script& script : scripts) {
    returned_ = false;
    follow(script.statements);
  }
  follow_uncalled();
  return std::move(trace_);
}

// Follows functions that are never called. They may define others, which are appended to the list.
void Follower::follow_uncalled() {
  for (std::size_t at = 0; at < functions_.size() && spend(functions_[at]->span); ++at) {
    const Ref function = functions_[at];
    if (called_.insert(function->function).second) {
      const Entered entered(*this, function->scope);
      for (const Statement::Name& parameter : function->function->names) {
        scope_->names[parameter.text] = unknown(parameter.span, fmt::format("`{}` is a parameter", parameter.text));
      }
      follow(function->function->body);
    }
  }
}

void Follower::follow(const std::vector<Statement>& statements) {
  for (std::size_t at = 0; at < statements.size(); ++at) {
    if (returned_ || left_ != Left::no || !spend(statements[at].span)) {
      return;
    }
    if (statements[at].kind == Statement::Kind::skipped) {
      follow_skipped(statements, at);
    } else {
      follow(statements[at]);
    }
  }
}

// Follows the deeper lines after a line that was not read, such as those of `match`. Which of them run is unknown.
void Follower::follow_skipped(const std::vector<Statement>& statements, std::size_t& at) {
  const std::int32_t indent = statements[at].indent;
  const std::size_t mark = begin_changes();
  ++unsure_;
  while (at + 1 < statements.size() && statements[at + 1].indent > indent) follow(statements[++at]);
  --unsure_;
  for (const auto& [name, before] : changed_since(mark)) {
    const Ref now = scope_->names[name];
    if (now != before) write(*scope_, name, unknown(now->span, "it depends on a line that is not read"));
  }
  end_changes();
}

void Follower::follow(const Statement& statement) {
  switch (statement.kind) {
    case Statement::Kind::expression: value_of(statement.value); break;
    case Statement::Kind::assignment: {
      const Ref value = value_of(statement.value);
      for (const Node& target : statement.targets) assign(target, value);
      break;
    }
    case Statement::Kind::augmented: augment(statement); break;
    case Statement::Kind::import:
    case Statement::Kind::import_from: import(statement); break;
    case Statement::Kind::conditional: branch(statement); break;
    case Statement::Kind::loop: loop(statement); break;
    case Statement::Kind::function:
    case Statement::Kind::type: define(statement); break;
    case Statement::Kind::block:
      tries_ += statement.otherwise.empty() ? 0 : 1;
      with(statement);
      if (!statement.otherwise.empty()) uncertain(statement.otherwise, {}, "an exception may change it");
      tries_ -= statement.otherwise.empty() ? 0 : 1;
      break;
    case Statement::Kind::result: give_back(statement); break;
    case Statement::Kind::deletion:
      for (const Node& target : statement.targets) remove(target);
      break;
    case Statement::Kind::other:
      if (statement.text == "break" || statement.text == "continue") leave(statement.text == "break");
      for (const Statement::Name& name : statement.names) scope_->outside.insert(name.text);
      break;
    case Statement::Kind::skipped: break;
  }
}

// `return`. Another `return` may have run before; the result is known only if both are equal.
void Follower::give_back(const Statement& statement) {
  const bool empty = statement.value.kind == Node::Kind::other && statement.value.text.empty();
  const Ref value = empty ? scalar(statement.span, std::monostate()) : value_of(statement.value);
  const bool same = result_ != nullptr && result_->kind == Kind::scalar && value->kind == Kind::scalar &&
                    result_->data == value->data && result_->is_whole() && value->is_whole();
  if (result_ != nullptr && !same) {
    result_ = unknown(statement.span, "the result depends on a condition");
  } else if (result_ == nullptr) {
    result_ = value;
  }
  returned_ = unsure_ == 0;
}

// Objects that are constructed where an exception is expected are wrong on purpose.
void Follower::with(const Statement& statement) {
  const Ref context = value_of(statement.value);
  for (const Node& target : statement.targets) assign(target, unknown(target.span, "it is set by `with`"));
  const std::size_t objects = trace_.objects.size();
  const std::size_t lists = trace_.lists.size();
  follow(statement.body);
  if (context->path == "pytest.raises") {
    trace_.objects.resize(objects);
    trace_.lists.resize(lists);
  }
}

// An imported name that a framework defines as a dictionary becomes a dictionary, which the script may change.
void Follower::import(const Statement& statement) {
  for (const Statement::Name& imported : statement.names) {
    const bool from = statement.kind == Statement::Kind::import_from;
    if (unsure_ == 0 && tries_ == 0) {
      trace_.imports.push_back({from ? statement.text : imported.text, from ? imported.text : std::string(),
                                imported.span, statement.names.size() == 1 ? statement.span : source::Span()});
    }
    std::string path = from ? statement.text + "." + imported.text : imported.text;
    std::string known = imported.alias;
    if (known.empty()) {
      known = from ? imported.text : imported.text.substr(0, imported.text.find('.'));
      path = from ? path : known;
    }
    Ref value = constant_(path, imported.span);
    if (value == nullptr) {
      value = std::make_shared<Value>();
      value->kind = Kind::name;
      value->span = imported.span;
      value->path = std::move(path);
      value->imported = true;
    }
    write(*scope_, known, value);
  }
}

void Follower::bind_name(const std::string& name, const Ref& value) {
  Scope* scope = scope_.get();
  if (scope->outside.contains(name)) {
    do {
      scope = scope->outer == nullptr ? scope : scope->outer.get();
    } while (scope->outer != nullptr && !scope->names.contains(name));
  }
  write(*scope, name, value);
}

void Follower::remove(const Node& target) {
  if (target.kind == Node::Kind::tuple || target.kind == Node::Kind::list) {
    for (const Node& part : target.parts) remove(part);
  } else if (target.kind == Node::Kind::name) {
    bind_name(target.text, unknown(target.span, "it is deleted"));
  } else if (target.kind == Node::Kind::subscript && target.parts.size() == 2) {
    const Ref object = value_of(target.parts.front());
    const Ref key = value_of(target.parts[1]);
    const std::size_t place = object->kind == Kind::dictionary ? place_of(*object, *key) : object->items.size();
    const auto* index = key->kind == Kind::scalar ? std::get_if<std::int64_t>(&key->data) : nullptr;
    const auto size = static_cast<std::int64_t>(object->items.size());
    const std::int64_t at = index == nullptr ? size : *index < 0 ? *index + size : *index;
    if (unsure_ == 0 && object->kind == Kind::dictionary && place < object->items.size()) {
      const auto begin = object->items.begin() + static_cast<std::ptrdiff_t>(place);
      object->items.erase(begin, begin + 2);
      indexes_.erase(object.get());
    } else if (unsure_ == 0 && object->kind == Kind::list && at >= 0 && at < size) {
      object->items.erase(object->items.begin() + at);
    } else {
      lose(object);
    }
  } else if (target.kind == Node::Kind::attribute) {
    set_attribute(value_of(target.parts.front()), "**", target.span, unknown(target.span, "it is deleted"));
  }
}

void Follower::assign(const Node& target, const Ref& value) {
  if (target.kind == Node::Kind::name) {
    if (value->string() != nullptr) trace_.strings.push_back(value);
    bind_name(target.text, value);
  } else if (target.kind == Node::Kind::tuple || target.kind == Node::Kind::list) {
    const bool known =
        (value->kind == Kind::tuple || value->kind == Kind::list) && value->items.size() == target.parts.size();
    for (std::size_t at = 0; at < target.parts.size(); ++at) {
      assign(target.parts[at], known ? value->items[at] : unknown(target.span, "its value is not known"));
    }
  } else if (target.kind == Node::Kind::subscript) {
    assign_item(target, value);
  } else if (target.kind == Node::Kind::attribute) {
    assign_attribute(target, value);
  }
}

// Adds an attribute of an object as an argument. An attribute of an attribute makes the arguments of the object
// unknown.
void Follower::assign_attribute(const Node& target, const Ref& value) {
  const Node* owner = &target.parts.front();
  const bool direct = owner->kind != Node::Kind::attribute && owner->kind != Node::Kind::subscript;
  while (owner->kind == Node::Kind::attribute || owner->kind == Node::Kind::subscript) {
    owner = &owner->parts.front();
  }
  const Ref object = value_of(*owner);
  if (direct) {
    set_attribute(object, target.text, target.span, value);
  } else if (object->kind == Kind::object) {
    set_attribute(object, "**", target.span, value);
  } else {
    lose(object);
  }
}

void Follower::set_attribute(const Ref& object, const std::string& name, source::Span span, const Ref& value) {
  if (object->kind != Kind::object || name.starts_with('_') || name.ends_with('_')) {
    return;
  }
  const bool known = name != "**" && unsure_ == 0;
  const std::size_t positional = object->items.size() - object->names.size();
  for (std::size_t at = 0; known && at < object->names.size(); ++at) {
    if (object->names[at].value == name) {
      object->items[positional + at] = value;
      return;
    }
  }
  object->items.push_back(known ? value : unknown(span, "it is changed later"));
  object->names.push_back({known ? name : "**", span});
}

void Follower::assign_item(const Node& target, const Ref& value) {
  const Ref object = value_of(target.parts.front());
  const Ref key = target.parts.size() == 2 ? value_of(target.parts[1]) : nullptr;
  keep_change(*object, key, target.span);
  if (key == nullptr || key->kind != Kind::scalar || unsure_ > 0) {
    return change(object);
  }
  if (object->kind == Kind::dictionary) {
    put(object, key, value);
  } else if (const auto* at = std::get_if<std::int64_t>(&key->data); at != nullptr && object->kind == Kind::list) {
    const auto size = static_cast<std::int64_t>(object->items.size());
    const std::int64_t place = *at < 0 ? *at + size : *at;
    if (place >= 0 && place < size) object->items[static_cast<std::size_t>(place)] = value;
  }
}

// Records a change of a dictionary that a framework defines.
void Follower::keep_change(const Value& object, const Ref& key, source::Span span) {
  if (object.kind == Kind::dictionary && !object.path.empty() && key != nullptr && key->string() != nullptr) {
    trace_.changes.push_back({object.path, *key->string(), span});
  }
}

// Marks the content of a container as unknown. A list keeps the elements that it has.
void Follower::change(const Ref& container) {
  if (container->kind == Kind::dictionary) {
    lose(container);
  } else if (container->kind == Kind::list || container->kind == Kind::set) {
    container->items.push_back(unknown(container->span, "it is changed under a condition"));
  }
}

// Makes all elements of a container unknown.
void Follower::lose(const Ref& container) {
  if (container->kind != Kind::list && container->kind != Kind::dictionary && container->kind != Kind::set) {
    return;
  }
  container->items.clear();
  indexes_.erase(container.get());
  if (container->kind == Kind::dictionary) container->items.push_back(unknown(container->span, "a key"));
  container->items.push_back(unknown(container->span, "it is changed in a way that is not known"));
}

// Returns the place of a key in the items, or their number. Builds an index of a large dictionary.
std::size_t Follower::place_of(const Value& dictionary, const Value& key) {
  constexpr std::size_t kMinIndexed = 32;
  const auto same = [&](const Ref& other) { return other->kind == Kind::scalar && other->data == key.data; };
  const std::vector<Ref>& items = dictionary.items;
  if (key.kind != Kind::scalar) {
    return items.size();
  }
  if (items.size() < kMinIndexed) {
    std::size_t at = 0;
    while (at < items.size() && !same(items[at])) at += 2;
    return std::min(at, items.size());
  }
  Index& index = indexes_[&dictionary];
  if (index.read > items.size()) index = {};
  const auto text = [](const Value& value) {
    return std::to_string(value.data.index()) + source::python_str({value.data, {}});
  };
  for (; index.read + 1 < items.size(); index.read += 2) {
    if (items[index.read]->kind == Kind::scalar) index.places.emplace(text(*items[index.read]), index.read);
  }
  const auto found = index.places.find(text(key));
  return found != index.places.end() && found->second < items.size() && same(items[found->second]) ? found->second
                                                                                                   : items.size();
}

// Adds or replaces an entry.
void Follower::put(const Ref& dictionary, const Ref& key, const Ref& value) {
  const std::size_t place = place_of(*dictionary, *key);
  if (place < dictionary->items.size()) {
    dictionary->items[place + 1] = value;
  } else if (budget_.allocate(2 * sizeof(Ref))) {
    dictionary->items.insert(dictionary->items.end(), {key, value});
  } else {
    lose(dictionary);
  }
}

// Returns true if the strings or elements of two values may be joined.
bool Follower::fits(const Value& one, const Value& other) {
  const auto size = [](const Value& value) {
    return (value.string() == nullptr ? 0 : value.string()->size()) + value.pieces.size() * sizeof(Piece) +
           value.items.size() * sizeof(Ref);
  };
  return budget_.allocate(size(one) + size(other));
}

void Follower::augment(const Statement& statement) {
  const Node& target = statement.targets.front();
  const Ref left = value_of(target);
  const Ref right = value_of(statement.value);
  const bool extends =
      statement.text == "+=" && left->kind == Kind::list && (right->kind == Kind::list || right->kind == Kind::tuple);
  if (extends && unsure_ == 0 && left->items.size() + right->items.size() <= kMaxItems && fits(*left, *right)) {
    const std::vector<Ref> more = right->items;
    left->items.insert(left->items.end(), more.begin(), more.end());
  } else if (extends) {
    change(left);
  } else if (statement.text == "+=" && left->string() != nullptr && right->string() != nullptr && fits(*left, *right)) {
    const Ref joined = copy(left);
    append(*joined, *right);
    assign(target, joined);
  } else {
    assign(target, unknown(statement.span, "its value is not known"));
  }
}

void Follower::branch(const Statement& statement) {
  const std::optional<bool> condition = truth(value_of(statement.value));
  if (condition) {
    follow(*condition ? statement.body : statement.otherwise);
  } else {
    uncertain(statement.body, statement.otherwise, "it depends on a condition");
  }
}

// Follows two branches, one of which runs. A name with different values after them becomes unknown.
void Follower::uncertain(const std::vector<Statement>& one, const std::vector<Statement>& other,
                         const std::string& why) {
  const std::size_t mark = begin_changes();
  ++unsure_;
  follow(one);
  std::map<std::string, Ref> after = changed_since(mark);
  for (auto& [name, value] : after) value = scope_->names[name];
  revert(mark);
  follow(other);
  --unsure_;
  const std::map<std::string, Ref> changed = changed_since(mark);
  for (const auto& [name, before] : changed) {
    const Ref now = scope_->names[name];
    if (before != nullptr && before != now && !after.contains(name)) write(*scope_, name, unknown(now->span, why));
  }
  for (const auto& [name, value] : after) {
    const auto found = scope_->names.find(name);
    const bool same = found == scope_->names.end() || found->second == value;
    write(*scope_, name, same ? value : unknown(value->span, why));
  }
  end_changes();
}

void Follower::write(Scope& scope, const std::string& name, const Ref& value) {
  Ref& place = scope.names[name];
  if (tracked_ > 0) changes_.push_back({&scope, name, place});
  place = value;
}

// Begins to record the names that are assigned.
std::size_t Follower::begin_changes() {
  ++tracked_;
  return changes_.size();
}

void Follower::end_changes() {
  if (--tracked_ == 0) changes_.clear();
}

// Returns the names of the current scope that were assigned since `mark`, with their values before.
std::map<std::string, Ref> Follower::changed_since(std::size_t mark) const {
  std::map<std::string, Ref> out;
  for (std::size_t at = mark; at < changes_.size(); ++at) {
    if (changes_[at].scope == scope_.get()) out.emplace(changes_[at].name, changes_[at].before);
  }
  return out;
}

// Restores the names of the current scope. Changes of other scopes stay recorded.
void Follower::revert(std::size_t mark) {
  for (std::size_t at = changes_.size(); at-- > mark;) {
    const Written& change = changes_[at];
    if (change.scope != scope_.get()) continue;
    if (change.before == nullptr) {
      scope_->names.erase(change.name);
    } else {
      scope_->names[change.name] = change.before;
    }
  }
  const auto begin = changes_.begin() + static_cast<std::ptrdiff_t>(mark);
  changes_.erase(
      std::remove_if(begin, changes_.end(), [&](const Written& change) { return change.scope == scope_.get(); }),
      changes_.end());
}

void Follower::loop(const Statement& statement) {
  constexpr std::size_t kMaxRounds = 64;
  const Ref values = value_of(statement.value);
  const bool known = !statement.targets.empty() && (values->kind == Kind::list || values->kind == Kind::tuple) &&
                     values->items.size() <= kMaxRounds;
  if (known) {
    return known_loop(statement, values->items);
  }
  for (const Node& target : statement.targets) assign(target, unknown(target.span, "it is set by a loop"));
  const std::size_t outer = std::exchange(loop_unsure_, kNoLoop);
  uncertain(statement.body, statement.otherwise, "it is changed in a loop");
  loop_unsure_ = outer;
}

// Follows the rounds one by one. Where a round may have ended early, everything that changes afterwards is unknown.
void Follower::known_loop(const Statement& statement, const std::vector<Ref>& values) {
  const std::vector<Ref> items = values;
  const std::size_t mark = begin_changes();
  const std::size_t outer = std::exchange(loop_unsure_, unsure_);
  const bool outer_leave = std::exchange(unsure_leave_, false);
  const std::size_t unsure = unsure_;
  bool broke = false;
  for (const Ref& item : items) {
    if (broke || returned_) break;
    assign(statement.targets.front(), item);
    follow(statement.body);
    broke = std::exchange(left_, Left::no) == Left::by_break;
  }
  if (!broke && !returned_) follow(statement.otherwise);
  for (const auto& [name, before] : changed_since(mark)) {
    const Ref now = scope_->names[name];
    if (unsure_leave_ && now != before) write(*scope_, name, unknown(now->span, "a loop may end before"));
  }
  end_changes();
  unsure_ = unsure;
  loop_unsure_ = outer;
  unsure_leave_ = outer_leave;
}

// `break` or `continue`. If it is not certain that it runs, the rest of the loop may not run.
void Follower::leave(bool by_break) {
  if (unsure_ == loop_unsure_) {
    left_ = by_break ? Left::by_break : Left::by_continue;
  } else if (loop_unsure_ != kNoLoop) {
    unsure_leave_ = true;
    ++unsure_;
  }
}

// Returns true for a decorator that does not change the function.
static bool is_transparent(const Value& decorator) {
  return decorator.path == "torch.no_grad" || decorator.path == "torch.inference_mode" ||
         decorator.path == "typing.override" || decorator.path.starts_with("pytest.");
}

void Follower::define(const Statement& statement) {
  bool transparent = true;
  for (const Node& decorator : statement.decorators) transparent = is_transparent(*value_of(decorator)) && transparent;
  if (statement.kind == Statement::Kind::type) {
    trace_.classes.push_back(statement.text);
    if (depth_ < kMaxDepth) {
      const Entered entered(*this, scope_);
      follow(statement.body);
    }
    write(*scope_, statement.text,
          unknown(statement.span, fmt::format("`{}` is a class of the script", statement.text)));
    return;
  }
  auto function = std::make_shared<Value>();
  function->kind = Kind::function;
  function->span = statement.span;
  function->function = &statement;
  function->scope = scope_;
  bind_name(statement.text, transparent
                                ? Ref(function)
                                : unknown(statement.span, fmt::format("a decorator changes `{}`", statement.text)));
  functions_.push_back(std::move(function));
}

}  // namespace sparsecfg::script
