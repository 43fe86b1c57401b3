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
  for (std::size_t at = 0; at < functions_.size() && spend(); ++at) {
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
  for (const Statement& statement : statements) {
    if (returned_ || !spend()) {
      return;
    }
    follow(statement);
  }
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
    case Statement::Kind::result:
      result_ = unsure_ > 0 ? unknown(statement.span, "the result depends on a condition") : value_of(statement.value);
      if (unsure_ > 0) value_of(statement.value);
      returned_ = unsure_ == 0;
      break;
    case Statement::Kind::deletion:
    case Statement::Kind::other:
    case Statement::Kind::skipped: break;
  }
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
    scope_->names[known] = std::move(value);
  }
}

void Follower::assign(const Node& target, const Ref& value) {
  if (target.kind == Node::Kind::name) {
    if (value->string() != nullptr) trace_.strings.push_back(value);
    scope_->names[target.text] = value;
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
  if (object->kind == Kind::object && !target.text.starts_with('_') && !target.text.ends_with('_')) {
    const bool known = direct && unsure_ == 0;
    object->items.push_back(known ? value : unknown(target.span, "it is changed later"));
    object->names.push_back({known ? target.text : "**", target.span});
  }
}

void Follower::assign_item(const Node& target, const Ref& value) {
  const Ref object = value_of(target.parts.front());
  const Ref key = target.parts.size() == 2 ? value_of(target.parts[1]) : nullptr;
  keep_change(*object, key, target.span);
  if (key == nullptr || key->kind != Kind::scalar || unsure_ > 0) {
    return change(object);
  }
  if (object->kind == Kind::dictionary) {
    for (std::size_t at = 0; at + 1 < object->items.size(); at += 2) {
      if (object->items[at]->kind == Kind::scalar && object->items[at]->data == key->data) {
        object->items[at + 1] = value;
        return;
      }
    }
    object->items.push_back(key);
    object->items.push_back(value);
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

// Marks the content of a container as unknown.
void Follower::change(const Ref& container) {
  if (container->kind == Kind::list || container->kind == Kind::dictionary || container->kind == Kind::set) {
    if (container->kind == Kind::dictionary) container->items.push_back(unknown(container->span, "a key"));
    container->items.push_back(unknown(container->span, "it is changed under a condition"));
  }
}

void Follower::augment(const Statement& statement) {
  const Node& target = statement.targets.front();
  const Ref left = value_of(target);
  const Ref right = value_of(statement.value);
  const bool extends =
      statement.text == "+=" && left->kind == Kind::list && (right->kind == Kind::list || right->kind == Kind::tuple);
  if (extends && unsure_ == 0 && left->items.size() + right->items.size() <= kMaxItems) {
    const std::vector<Ref> more = right->items;
    left->items.insert(left->items.end(), more.begin(), more.end());
  } else if (extends) {
    change(left);
  } else if (statement.text == "+=" && left->string() != nullptr && right->string() != nullptr) {
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
  const auto before = scope_->names;
  ++unsure_;
  follow(one);
  auto after = std::exchange(scope_->names, before);
  follow(other);
  --unsure_;
  for (auto& [name, value] : after) {
    const auto found = scope_->names.find(name);
    if (found == scope_->names.end()) {
      scope_->names[name] = value;
    } else if (found->second != value) {
      found->second = unknown(value->span, why);
    }
  }
}

void Follower::loop(const Statement& statement) {
  constexpr std::size_t kMaxRounds = 64;
  const Ref values = value_of(statement.value);
  const bool known = !statement.targets.empty() && (values->kind == Kind::list || values->kind == Kind::tuple) &&
                     values->items.size() <= kMaxRounds;
  if (known) {
    const std::vector<Ref> items = values->items;
    for (const Ref& item : items) {
      assign(statement.targets.front(), item);
      follow(statement.body);
    }
    return;
  }
  for (const Node& target : statement.targets) assign(target, unknown(target.span, "it is set by a loop"));
  uncertain(statement.body, statement.otherwise, "it is changed in a loop");
}

void Follower::define(const Statement& statement) {
  for (const Node& decorator : statement.decorators) value_of(decorator);
  if (statement.kind == Statement::Kind::type) {
    trace_.classes.push_back(statement.text);
    if (depth_ < kMaxDepth) {
      const Entered entered(*this, scope_);
      follow(statement.body);
    }
    scope_->names[statement.text] =
        unknown(statement.span, fmt::format("`{}` is a class of the script", statement.text));
    return;
  }
  auto function = std::make_shared<Value>();
  function->kind = Kind::function;
  function->span = statement.span;
  function->function = &statement;
  function->scope = scope_;
  scope_->names[statement.text] = function;
  functions_.push_back(std::move(function));
}

}  // namespace sparsecfg::script
