#include <algorithm>

#include "script/interpreter.h"
#include "script/reach.h"

// Generators and context managers of the script. Their bodies run when their elements are used: between the rounds of a
// loop, or around the body of `with`. Elsewhere all elements are computed at once, which is correct if that changes
// nothing else.
namespace sparsecfg::script {

using Kind = Value::Kind;
using Role = Value::Role;

// The names and objects outside of a piece of code that it can read.
struct Interpreter::Reads {
  std::set<std::pair<const Scope*, std::string>> names;
  std::vector<Ref> roots;
  std::set<const Value*> seen;
  bool any = false;
};

// Adds what a value reads if it is code, or else the value.
void Interpreter::add_read(const Ref& value, Reads& out) {
  if (!out.seen.insert(value.get()).second || !budget_.spend()) return;
  out.any = out.any || value->kind == Kind::type;
  if (value->kind == Kind::function) add_reads(names_of(*value->function), value->scope, out);
  const bool code = value->kind == Kind::function || value->kind == Kind::partial || value->kind == Kind::method;
  const bool generator = value->kind == Kind::list && value->role == Role::generator;
  if (!code) out.roots.push_back(value);
  for (const Ref& item : code ? value->items : generator ? value->aliases : std::vector<Ref>()) {
    if (item != nullptr) add_read(item, out);
  }
  if (generator && value->scope != nullptr) add_reads(words_of(value->path), value->scope, out);
}

void Interpreter::add_reads(const Names& names, const std::shared_ptr<Scope>& scope, Reads& out) {
  for (const std::string& name : names) {
    const Scope* holder = scope.get();
    while (holder->outer != nullptr && !holder->names.contains(name)) holder = holder->outer.get();
    const bool is_new = out.names.emplace(holder, name).second;
    const auto found = holder->names.find(name);
    if (is_new && found != holder->names.end()) add_read(found->second, out);
  }
}

// Returns true if a loop over a generator has changed what the next element may depend on. A generator computes each
// element when the loop asks for it.
bool Interpreter::may_recompute(const Ref& values, std::size_t start, std::size_t mark) {
  if (values->role != Role::generator) return false;
  Reads reads;
  add_read(values, reads);
  std::set<const Value*> objects;
  for (const auto& [key, saved] : heap_.since(mark, start)) {
    const Cell& what = saved.cell;
    const bool visible = what.scope != nullptr && what.scope->kind != Scope::Kind::comprehension;
    if (visible && (reads.any || reads.names.contains({what.scope.get(), what.name}))) return true;
    if (what.scope == nullptr && what.object != values) objects.insert(what.object.get());
  }
  const auto is_changed = [&](const Value& next, std::vector<const Value*>& waiting) {
    add_parts(next.items, waiting);
    return objects.contains(&next);
  };
  return !objects.empty() && (reads.any || std::ranges::any_of(reads.roots, [&](const Ref& root) {
                                return any_reached(root, budget_, is_changed);
                              }));
}

// Returns the result of a call whose body runs later.
Ref Interpreter::new_generator(const Ref& function, const Arguments& arguments, const Node& node) {
  const Ref call = made(std::make_shared<Value>());
  const Ref out = made(container(Kind::list, node.span));
  if (!builds(sizeof(Value) * 2 + arguments.positional.size() * sizeof(Ref))) limit(node.span);
  call->kind = Kind::partial;
  call->span = node.span;
  call->items = arguments.all();
  call->items.insert(call->items.begin(), function);
  call->names = arguments.names;
  for (const Ref& value : call->items) keep(value);
  out->role = function->role == Role::manager ? Role::context : Role::generator;
  out->open = true;
  out->text = kNotBegun;
  out->why = node.span;
  out->aliases = {call};
  return out;
}

// Follows the body of a generator, and what a consumer does with each element. Returns false if the body cannot be
// followed.
bool Interpreter::generate(const Ref& generator, const Consumer& consume) {
  const Ref call = generator->aliases.front();
  const Ref function = call->items.front();
  heap_.open(generator, generator->why, "the iterator is used up");
  if (!can_follow(*function)) {
    limit(generator->why);
    escape(call, generator->why, "it is passed to a generator");
    run_escaped(generator->why);
    ++risks_;
    return false;
  }
  Arguments arguments;
  const auto named = call->items.end() - static_cast<std::ptrdiff_t>(call->names.size());
  arguments.positional.assign(call->items.begin() + 1, named);
  arguments.named.assign(named, call->items.end());
  arguments.names = call->names;
  Node node;
  node.span = call->span;
  node.offset = call->span.begin;
  const Consumer inner = [&, outer = scope_](const Ref& element) {
    const Entered entered(*this, outer);
    consume(element);
  };
  run_function(function, arguments, node, &inner);
  return true;
}

// Returns all elements of a generator; nullopt if computing them one by one, or not all of them, may have another
// result.
std::optional<std::vector<Ref>> Interpreter::generated(const Ref& generator, Span span) {
  const std::size_t start = heap_.tick();
  const std::size_t mark = heap_.mark();
  const Ref out = made(container(Kind::list, span));
  std::vector<std::pair<Ref, std::size_t>> times;
  bool known = generate(generator, [&](const Ref& element) {
    add_item(out, element);
    times.emplace_back(element, heap_.tick());
  });
  const auto is_changed = [&](const std::pair<Ref, std::size_t>& each) {
    return any_reached(each.first, budget_, [&](const Value& next, std::vector<const Value*>& waiting) {
      add_parts(next.items, waiting);
      return next.kind != Kind::scalar && next.changed > each.second;
    });
  };
  State changed = heap_.since(mark, start);
  std::erase_if(changed, [&](const auto& cell) { return cell.second.cell.object == generator; });
  known = known && !std::exchange(raised_, false) && changed.empty() && !out->open &&
          std::ranges::none_of(times, is_changed);
  if (!known) heap_.forget(changed, span, "a generator may change it");
  heap_.release();
  if (known) {
    generator->items = out->items;
    return out->items;
  }
  escape(generator, span, "a generator can change it");
  run_escaped(span);
  ++risks_;
  return std::nullopt;
}

// Passes the value of `yield` to the consumer. Returns nullopt where the function is not followed as a generator.
std::optional<Ref> Interpreter::yielded(const Node& node) {
  const Scope* scope = scope_.get();
  while (scope != nullptr && scope->kind != Scope::Kind::function) scope = scope->outer.get();
  const Consumer* const consumer = scope == nullptr ? nullptr : scope->consumer;
  if (consumer == nullptr) return std::nullopt;
  const Ref value = node.parts.empty() ? scalar(node.span, std::monostate()) : evaluate(node.parts.front());
  if (raised_) return value;
  if (node.text == "`yield`") {
    keep(value);
    (*consumer)(value);
    return scalar(node.span, std::monostate());
  }
  if (is_pending(*value) && value->role == Role::generator) {
    generate(value, *consumer);
  } else if (const auto items = elements(value, node.span)) {
    for (std::size_t at = 0; at < items->size() && !raised_ && budget_.spend(); ++at) (*consumer)((*items)[at]);
  } else {
    touch(value, node.span);
    const Round round = [&](std::size_t, std::size_t) {
      const Ref element = unknown(node.span, "it is computed by a generator");
      element->items = value->items;
      element->aliases = value->aliases;
      (*consumer)(element);
      raised_ = false;
    };
    repeat(round, node.span);
  }
  return opaque(node.span, "it is the result of `yield from`");
}

Flow Interpreter::generated_loop(const Statement& statement, const Ref& values, std::size_t first, std::size_t mark) {
  const bool followed = generate(values, [&](const Ref& element) {
    const std::size_t inner = heap_.exits();
    assign(statement.targets.front(), element);
    const Flow flow = std::exchange(raised_, false) || !budget_.spend() ? Flow::dead : block(statement.body);
    raised_ = !settle(flow, Flow::continued, inner, mark);
  });
  const bool alive = !std::exchange(raised_, false);
  return followed ? end_loop(statement, alive, first, mark) : unknown_loop(statement, values, first, mark);
}

// The body of `with` runs in the place of the `yield` of a function with `contextlib.contextmanager`.
Flow Interpreter::enter(const Statement& statement, const Ref& context) {
  const Node& target = statement.targets.front();
  const bool followed = generate(context, [&](const Ref& element) {
    if (!is_absent(target)) assign(target, element);
    const Flow flow = std::exchange(raised_, false) ? Flow::dead : block(statement.body);
    raised_ = flow != Flow::normal;
  });
  if (!followed) havoc_values(statement.span, "a context manager is not followed");
  return std::exchange(raised_, false) ? Flow::dead : Flow::normal;
}

// `__enter__` runs before the body of `with`, and `__exit__` after it, also if the body raises an exception.
Flow Interpreter::enter_instance(const Statement& statement, const Ref& context) {
  const Node& target = statement.targets.front();
  Node at;
  at.span = target.span;
  at.offset = target.span.begin;
  Arguments only_self;
  only_self.positional.push_back(context);
  const Ref begin = type_attribute(context->owner, "__enter__");
  const Ref end = type_attribute(context->owner, "__exit__");
  const Ref element = call_function(begin, only_self, at);
  if (!raised_ && !is_absent(target)) assign(target, element);
  if (std::exchange(raised_, false)) return Flow::dead;
  const auto leave = [&](const Ref& exception) {
    Arguments arguments = only_self;
    arguments.positional.insert(arguments.positional.end(), 3, exception);
    return call_function(end, arguments, at);
  };
  const Path body = [&] { return block(statement.body); };
  const Path otherwise = [&] {
    leave(scalar(at.span, std::monostate()));
    return std::exchange(raised_, false) ? Flow::dead : Flow::normal;
  };
  // The result of `__exit__` tells whether the exception ends here.
  const Path handler = [&] {
    const auto ends = test(leave(unknown(at.span, "it is an exception")), at.span);
    return std::exchange(raised_, false) || ends == std::optional(false) ? Flow::dead : Flow::normal;
  };
  return guarded(body, {handler}, otherwise, statement.span);
}

}  // namespace sparsecfg::script
