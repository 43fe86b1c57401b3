#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/limits.h"
#include "base/text.h"
#include "python/numbers.h"
#include "script/interpreter.h"
#include "script/reach.h"

// Branches, loops, `with`, `try` and `match`.
namespace sparsecfg::script {

using Kind = Value::Kind;

constexpr std::string_view kCondition = "it depends on a condition";
constexpr std::string_view kLoop = "it is changed in a loop";

// Follows several paths, one of which runs, from the same state. Returns `dead` if none of them goes on.
Flow Interpreter::choose(const std::vector<Path>& paths, Span why, std::string_view reason) {
  return choose(paths, why, reason, std::nullopt);
}

// The same for two paths between which the default of an option decides.
Flow Interpreter::choose(const std::vector<Path>& paths, Span why, std::string_view reason,
                         std::optional<Default> by_default) {
  const std::size_t mark = heap_.mark();
  std::vector<State> ends;
  const Branch paths_of_choice(*this);
  trace_.branches.set_exclusive(branch_);
  for (std::size_t at = 0; at < paths.size(); ++at) {
    const std::size_t exits = heap_.exits();
    raised_ = false;
    ++uncertain_;
    Flow flow = [&] {
      const Branch branch(*this);
      return paths[at]();
    }();
    --uncertain_;
    if (std::exchange(raised_, false)) flow = Flow::dead;
    State changed = heap_.since(mark);
    for (State* attempt : attempts_) add_cells(*attempt, changed);
    if (flow == Flow::normal) {
      ends.push_back(Heap::now(changed));
    } else if (flow != Flow::dead) {
      heap_.leave(mark, flow, result_);
    }
    heap_.rollback(mark);
    if (by_default) decide_exits(exits, flow, *by_default, by_default->path == at, why);
  }
  heap_.release();
  if (ends.empty()) {
    return Flow::dead;
  }
  if (ends.size() == 1) {
    heap_.apply(ends.front());
  } else {
    heap_.join(ends, why, reason, std::move(by_default));
  }
  return Flow::normal;
}

// Notes for the paths that left a branch whether the default of an option takes the branch. If it does, this decides
// only about a branch that always ends there.
void Interpreter::decide_exits(std::size_t first, Flow flow, const Default& by_default, bool taken, Span condition) {
  std::vector<Exit>& exits = heap_.all_exits();
  const bool only = exits.size() == first + 1 && flow != Flow::normal && flow != Flow::dead;
  if (taken && !only) return;
  for (std::size_t at = first; at < exits.size(); ++at) {
    exits[at].option = by_default.option;
    exits[at].by_default = taken;
    exits[at].condition = condition;
  }
}

// Returns the truth of a condition. `__bool__` can run code of the script.
std::optional<bool> Interpreter::test(const Ref& value, Span span) {
  const auto known = truth(value);
  if (!known) {
    ++risks_;
    if (value->kind == Kind::instance) escape(value, span, "its truth is tested");
    run_escaped(span);
  }
  return known;
}

Flow Interpreter::conditional(const Statement& statement) {
  const Ref value = evaluate(statement.value);
  if (std::exchange(raised_, false)) {
    return Flow::dead;
  }
  if (const auto condition = test(value, statement.value.span)) {
    return block(*condition ? statement.body : statement.otherwise);
  }
  const auto by_default = default_of(value);
  return choose({[&] { return block(statement.body); }, [&] { return block(statement.otherwise); }},
                statement.value.span, by_default ? option_reason(by_default->option) : std::string(kCondition),
                by_default);
}

// Returns the decision by the default of an option, on which a condition depends: 0 if it holds, else 1.
std::optional<Default> Interpreter::default_of(const Ref& condition) {
  const bool known = !condition->assumed.empty() && condition->kind == Kind::scalar && condition->is_whole();
  if (!known) return std::nullopt;
  return Default{condition->assumed, python::is_true({condition->data, {}}) ? std::size_t{0} : std::size_t{1}};
}

// Joins the current path of a block with those that left it by `joins`. Returns true if any path goes on.
bool Interpreter::settle(Flow flow, Flow joins, std::size_t first, std::size_t mark) {
  const bool alive = flow == Flow::normal || flow == joins;
  if (!alive && flow != Flow::dead) heap_.leave(mark, flow, result_);
  Ref unused;
  return heap_.rejoin(first, joins, alive, unused, {});
}

Flow Interpreter::loop(const Statement& statement) {
  const Looping looping(*this);
  const std::size_t first = heap_.exits();
  if (statement.targets.empty()) {
    const std::size_t mark = heap_.mark();
    const Flow flow = while_loop(statement, first, mark);
    heap_.release();
    return flow;
  }
  const Ref values = evaluate(statement.value);
  if (std::exchange(raised_, false)) {
    return Flow::dead;
  }
  const std::size_t mark = heap_.mark();
  const Flow flow = loop_over(statement, values, first, mark);
  heap_.release();
  return flow;
}

// A generator of the script runs between the rounds. It is not modeled that it may not run to its end.
Flow Interpreter::loop_over(const Statement& statement, const Ref& values, std::size_t first, std::size_t mark) {
  if (!statement.is_async && is_pending(*values) && values->role == Value::Role::generator) {
    if (!leaves(statement.body, true)) return generated_loop(statement, values, first, mark);
    escape(values, statement.value.span, "a loop may end before the generator");
    run_escaped(statement.value.span);
  }
  const auto items = statement.is_async ? std::nullopt : elements(values, statement.value.span);
  return items ? known_loop(statement, values, *items, first, mark) : unknown_loop(statement, values, first, mark);
}

// Spends a step for a round. Returns false if the loop has used up its part of the budget.
bool Interpreter::begin_round() {
  const base::Budget::Limits left = budget_.left();
  return left.steps > reserve_.steps && left.bytes > reserve_.bytes && budget_.spend();
}

// Follows the rounds one by one. A list can grow while the loop runs. An iterator or a view is not followed any more
// after its source has changed.
Flow Interpreter::known_loop(const Statement& statement, const Ref& values, const std::vector<Ref>& items,
                             std::size_t first, std::size_t mark) {
  const bool live = values->kind == Kind::list && values->role == Value::Role::plain;
  const std::size_t changes = values->changes;
  const std::size_t start = heap_.tick();
  bool alive = true;
  bool broke = false;
  for (std::size_t at = 0; alive && !broke; ++at) {
    const bool follows = live ? !values->open : values->changes == changes;
    if (follows && at >= (live ? values->items.size() : items.size())) break;
    const bool recomputed = at > 0 && may_recompute(values, start, mark);
    if (at >= limits::kMaxScriptRounds || !follows || recomputed || !begin_round()) {
      if (budget_.exceeded() != base::Budget::Limit::none) return Flow::dead;
      return unknown_loop(statement, values, first, mark);
    }
    const std::size_t inner = heap_.exits();
    assign(statement.targets.front(), live ? values->items[at] : items[at]);
    const Flow flow = std::exchange(raised_, false) ? Flow::dead : block(statement.body);
    broke = flow == Flow::broke && heap_.exits() == inner;
    alive = broke || settle(flow, Flow::continued, inner, mark);
  }
  if (broke) {
    return settle(Flow::normal, Flow::broke, first, mark) ? Flow::normal : Flow::dead;
  }
  return end_loop(statement, alive, first, mark);
}

// Follows `else`, and joins the paths that left the loop.
Flow Interpreter::end_loop(const Statement& statement, bool alive, std::size_t first, std::size_t mark) {
  const std::size_t inner = heap_.exits();
  const Flow flow = alive ? block(statement.otherwise) : Flow::dead;
  const bool leaves_outer = flow == Flow::broke || flow == Flow::continued || heap_.exits() > inner;
  if (!leaves_outer) {
    return settle(flow, Flow::broke, first, mark) ? Flow::normal : Flow::dead;
  }
  // A `break` in `else` leaves the outer loop.
  if (flow != Flow::normal && flow != Flow::dead) heap_.leave(mark, flow, result_);
  std::vector<std::pair<std::size_t, Flow>> outer;
  for (std::size_t at = inner; at < heap_.all_exits().size(); ++at) {
    outer.emplace_back(at, heap_.all_exits()[at].flow);
    heap_.all_exits()[at].flow = Flow::returned;
  }
  const std::size_t kept = heap_.all_exits().size() - inner;
  Ref unused;
  const bool goes_on = heap_.rejoin(first, Flow::broke, flow == Flow::normal, unused, {});
  const std::size_t begin = heap_.all_exits().size() - kept;
  for (std::size_t at = 0; at < kept; ++at) heap_.all_exits()[begin + at].flow = outer[at].second;
  return goes_on ? Flow::normal : Flow::dead;
}

Flow Interpreter::while_loop(const Statement& statement, std::size_t first, std::size_t mark) {
  for (std::size_t round = 0;; ++round) {
    const Ref value = evaluate(statement.value);
    if (std::exchange(raised_, false)) {
      return end_loop(statement, false, first, mark);
    }
    const auto condition = test(value, statement.value.span);
    if (!condition || round >= limits::kMaxScriptRounds || !begin_round()) {
      if (budget_.exceeded() != base::Budget::Limit::none) return Flow::dead;
      return unknown_loop(statement, nullptr, first, mark);
    }
    if (!*condition) {
      return end_loop(statement, true, first, mark);
    }
    const std::size_t inner = heap_.exits();
    const Flow flow = block(statement.body);
    if (flow == Flow::broke && heap_.exits() == inner) {
      return settle(Flow::normal, Flow::broke, first, mark) ? Flow::normal : Flow::dead;
    }
    if (!settle(flow, Flow::continued, inner, mark)) {
      return end_loop(statement, false, first, mark);
    }
  }
}

// Follows the body with unknown targets.
Flow Interpreter::one_round(const Statement& statement, const Ref& values) {
  if (statement.targets.empty()) {
    evaluate(statement.value);
  } else {
    const Ref element = unknown(statement.value.span, "it is set by a loop");
    element->items = values->items;
    assign(statement.targets.front(), element);
  }
  return std::exchange(raised_, false) ? Flow::dead : block(statement.body);
}

// Adds the objects that a value may be, without those that a loop makes in each round.
static void add_older(const Ref& value, std::size_t start, std::vector<Ref>& out, int depth = 0) {
  constexpr int kMaxDepth = 4;
  if (value == nullptr || value->kind == Kind::scalar || value->kind == Kind::name || depth > kMaxDepth) return;
  if (value->kind != Kind::unknown) {
    if (value->born < start && std::ranges::find(out, value) == out.end()) out.push_back(value);
    return;
  }
  for (const auto* parts : {&value->items, &value->aliases}) {
    for (const Ref& part : *parts) add_older(part, start, out, depth + 1);
  }
}

// Adds a cell that a round of a loop changes. Returns true if the next round can reach more objects through it.
static bool add_touched(State& touched, const State::key_type& key, const Saved& saved, std::size_t start) {
  std::vector<Ref> others;
  for (const Ref& other : saved.others) add_older(other, start, others);
  const auto [place, is_new] = touched.try_emplace(key, saved);
  if (is_new) {
    place->second.others = std::move(others);
    return true;
  }
  std::vector<Ref>& known = place->second.others;
  const std::size_t before = known.size();
  for (const Ref& other : others) {
    if (std::ranges::find(known, other) == known.end()) known.push_back(other);
  }
  return known.size() > before;
}

// Follows one round of a loop until it changes nothing that is still known. Everything that it can change is unknown
// afterwards. Paths that left the last round are kept. Returns false if a limit is reached.
bool Interpreter::repeat(const Round& round, Span why) {
  const std::size_t start = heap_.tick();
  const std::size_t changes = outdated_.size();
  const auto is_older = [&](const Saved& saved) {
    return (saved.cell.scope == nullptr ? saved.cell.object->born : saved.cell.scope->born) < start;
  };
  State touched;
  for (std::size_t tries = 0;; ++tries) {
    const std::size_t inner = heap_.exits();
    const auto sizes =
        std::tuple(trace_.objects.size(), trace_.lists.size(), trace_.strings.size(), trace_.assigned.size());
    const std::size_t mark = heap_.mark();
    heap_.forget(touched, why, kLoop);
    run_escaped(why);
    ++uncertain_;
    {
      const Branch branch(*this);
      round(inner, mark);
    }
    --uncertain_;
    State changed = heap_.since(mark);
    for (std::size_t at = inner; at < heap_.exits(); ++at) add_cells(changed, heap_.all_exits()[at].after);
    for (State* attempt : attempts_) add_cells(*attempt, changed);
    bool settled = true;
    for (const auto& [key, saved] : changed) {
      if (is_older(saved)) settled = !add_touched(touched, key, saved, start) && settled;
    }
    heap_.rollback(mark);
    heap_.release();
    if (budget_.exceeded() != base::Budget::Limit::none || tries > limits::kMaxScriptRepeats) {
      limit(why);
      return false;
    }
    if (settled) break;
    heap_.drop_exits(inner);
    trace_.objects.resize(std::get<0>(sizes));
    trace_.lists.resize(std::get<1>(sizes));
    trace_.strings.resize(std::get<2>(sizes));
    trace_.assigned.resize(std::get<3>(sizes));
  }
  // A change can also follow in the next round.
  const std::vector<std::pair<Ref, std::string>> outdated(outdated_.begin() + static_cast<std::ptrdiff_t>(changes),
                                                          outdated_.end());
  for (const auto& [object, attribute] : outdated) outdate(object, attribute, why);
  heap_.forget(touched, why, kLoop);
  ++risks_;
  return true;
}

// Follows the body with unknown targets.
Flow Interpreter::unknown_loop(const Statement& statement, const Ref& values, std::size_t first, std::size_t mark) {
  if (values != nullptr) touch(values, statement.value.span);
  const bool followed = repeat(
      [&](std::size_t inner, std::size_t begin) {
        const Flow flow = one_round(statement, values);
        settle(flow, Flow::continued, inner, begin);
      },
      statement.value.span);
  return followed ? end_loop(statement, true, first, mark) : Flow::dead;
}

// Returns true for an instance of a class of the script whose methods run where `with` begins and ends.
bool Interpreter::is_entered(const Value& context) {
  if (context.kind != Kind::instance || context.open || context.escaped) return false;
  return std::ranges::all_of(std::to_array<std::string>({"__enter__", "__exit__"}), [&](const std::string& name) {
    const Ref method = type_attribute(context.owner, name);
    return method != nullptr && method->kind == Kind::function && method->role == Value::Role::plain;
  });
}

// It is not modeled that the body leaves the code around `with`.
Flow Interpreter::with(const Statement& statement) {
  const bool single = statement.values.size() == 1 && !statement.is_async && !leaves(statement.body, false);
  if (!single) return with_unknown(statement, {});
  const Ref context = evaluate(statement.values.front());
  if (std::exchange(raised_, false)) return Flow::dead;
  if (is_pending(*context) && context->role == Value::Role::context) return enter(statement, context);
  return is_entered(*context) ? enter_instance(statement, context) : with_unknown(statement, {context});
}

// Objects that are constructed where an exception is expected are wrong on purpose. `contexts`: the values of the first
// items.
Flow Interpreter::with_unknown(const Statement& statement, const std::vector<Ref>& contexts) {
  static constexpr std::string_view kTransparent[] = {
      "open",      "torch.",    "transformers.", "accelerate.", "llmcompressor.",         "compressed_tensors.",
      "modelopt.", "tempfile.", "warnings.",     "time.",       "contextlib.nullcontext", "contextlib.redirect",
      "threading."};
  bool swallows = false;
  bool expects = false;
  for (std::size_t at = 0; at < statement.values.size(); ++at) {
    const Ref context = at < contexts.size() ? contexts[at] : evaluate(statement.values[at]);
    const bool known =
        (context->kind == Kind::object || context->kind == Kind::name) &&
        std::ranges::any_of(kTransparent, [&](std::string_view start) { return context->path.starts_with(start); });
    swallows = swallows || !known;
    expects = expects || context->path == "pytest.raises";
    if (!known) {
      escape(context, statement.values[at].span, "it is entered by `with`");
      run_escaped(statement.values[at].span);
    }
    ++risks_;
    const Node& target = statement.targets[at];
    const bool file = known && context->role == Value::Role::file;
    if (!is_absent(target)) assign(target, file ? context : unknown(target.span, "it is set by `with`"));
  }
  const std::size_t objects = trace_.objects.size();
  const std::size_t lists = trace_.lists.size();
  const std::size_t start = heap_.tick();
  const Path body = [&] { return block(statement.body); };
  const Path nothing = [] { return Flow::normal; };
  const Flow flow = std::exchange(raised_, false) ? Flow::dead
                    : swallows                    ? guarded(body, {nothing}, nothing, statement.values.front().span)
                                                  : body();
  run_escaped(statement.span);
  if (expects) {
    trace_.objects.resize(objects);
    const auto is_new = [&](const Ref& list) { return list->origin == nullptr || list->born >= start; };
    trace_.lists.erase(
        std::remove_if(trace_.lists.begin() + static_cast<std::ptrdiff_t>(lists), trace_.lists.end(), is_new),
        trace_.lists.end());
  }
  return flow;
}

// Follows a body that may end at any place, and then one of its handlers.
Flow Interpreter::guarded(const Path& body, const std::vector<Path>& handlers, const Path& otherwise, Span why) {
  const std::size_t mark = heap_.mark();
  const std::size_t risks = risks_;
  State touched;
  attempts_.push_back(&touched);
  const Flow flow = [&] {
    const Branch branch(*this);
    return body();
  }();
  attempts_.pop_back();
  if (risks_ == risks) {
    heap_.release();
    return flow == Flow::normal ? otherwise() : flow;
  }
  const State changed = heap_.since(mark);
  add_cells(touched, changed);
  for (State* attempt : attempts_) add_cells(*attempt, touched);
  const State end = Heap::now(changed);
  const Ref result = result_;
  heap_.rollback(mark);
  std::vector<Path> paths;
  paths.emplace_back([&] {
    if (flow == Flow::dead) return flow;
    heap_.apply(end);
    result_ = result;
    return flow == Flow::normal ? otherwise() : flow;
  });
  for (const Path& handler : handlers) {
    paths.emplace_back([&] {
      heap_.forget(touched, why, "an exception may be raised before");
      return handler();
    });
  }
  const Flow out = choose(paths, why, "it depends on an exception");
  heap_.release();
  return out;
}

Flow Interpreter::attempt(const Statement& statement) {
  const std::size_t first = heap_.exits();
  const Path body = [&] { return block(statement.body); };
  const Path otherwise = [&] { return block(statement.otherwise); };
  std::vector<Path> handlers;
  for (const Statement& clause : statement.clauses) {
    handlers.emplace_back([&] {
      if (!clause.text.empty()) assign_name(clause.text, unknown(clause.span, "it is an exception"));
      const Flow flow = block(clause.body);
      if (!clause.text.empty()) assign_name(clause.text, nullptr);
      return flow;
    });
  }
  const Flow flow =
      handlers.empty() && statement.last.empty() ? body() : guarded(body, handlers, otherwise, statement.span);
  return statement.last.empty() ? flow : finally(flow, statement, first);
}

// `finally` also runs on paths that left the statement.
Flow Interpreter::finally(Flow flow, const Statement& statement, std::size_t first) {
  const Ref result = result_;
  const std::size_t mark = heap_.mark();
  const std::size_t count = heap_.exits();
  const Flow last = block(statement.last);
  const State changed = heap_.since(mark);
  for (std::size_t at = first; at < count; ++at) {
    Exit& exit = heap_.all_exits()[at];
    for (const auto& [key, saved] : changed) {
      Saved lost = saved;
      lost.value = unknown(statement.span, "it is changed in `finally`");
      lost.content.open = true;
      lost.content.escaped = true;
      exit.after.insert_or_assign(key, std::move(lost));
    }
    if (last != Flow::normal && exit.value != nullptr)
      exit.value = unknown(statement.span, "`finally` leaves the block");
  }
  heap_.release();
  if (last != Flow::normal) {
    return last;
  }
  result_ = result;
  return flow;
}

Flow Interpreter::match(const Statement& statement) {
  const Ref value = evaluate(statement.value);
  return std::exchange(raised_, false) ? Flow::dead : match_cases(statement, value, 0);
}

// Returns the decision by the default of an option, which a pattern is compared with: 0 if it matches, else 1.
std::optional<Default> Interpreter::default_match(const Node& pattern, const Ref& value) {
  if (value->assumed.empty() || value->kind != Kind::scalar) return std::nullopt;
  const Ref plain = std::make_shared<Value>(*value);
  plain->assumed.clear();
  const auto matched = matches(pattern, plain);
  return matched ? std::optional(Default{value->assumed, *matched ? std::size_t{0} : std::size_t{1}}) : std::nullopt;
}

Flow Interpreter::match_cases(const Statement& statement, const Ref& value, std::size_t at) {
  const base::Budget::Level level(budget_);
  if (at == statement.clauses.size()) {
    return Flow::normal;
  }
  if (!level) {
    limit(statement.span);
    skip(statement);
    return Flow::normal;
  }
  const Statement& clause = statement.clauses[at];
  const auto matched = matches(clause.targets.front(), value);
  const auto by_default =
      matched || !is_absent(clause.value) ? std::nullopt : default_match(clause.targets.front(), value);
  const Path next = [&] { return match_cases(statement, value, at + 1); };
  if (matched && !*matched) {
    return next();
  }
  const Path body = [&] {
    bind_pattern(clause.targets.front(), value, matched.has_value());
    if (is_absent(clause.value)) return block(clause.body);
    const auto guard = test(evaluate(clause.value), clause.value.span);
    if (std::exchange(raised_, false)) return Flow::dead;
    return guard ? *guard ? block(clause.body) : next()
                 : choose({[&] { return block(clause.body); }, next}, clause.value.span, kCondition);
  };
  const std::string reason = by_default ? option_reason(by_default->option) : std::string(kCondition);
  return matched ? body() : choose({body, next}, clause.targets.front().span, reason, by_default);
}

// The parts of a sequence pattern, and the elements that they match.
class SequencePattern {
 public:
  SequencePattern(const python::Node& pattern, std::size_t size) : pattern_(pattern), size_(size) {
    const auto star = std::ranges::find(pattern.parts, Form::spread, &python::Node::kind);
    star_ = static_cast<std::size_t>(star - pattern.parts.begin());
  }

  [[nodiscard]] bool has_star() const { return star_ < pattern_.parts.size(); }

  [[nodiscard]] bool fits() const {
    return has_star() ? size_ + 1 >= pattern_.parts.size() : size_ == pattern_.parts.size();
  }

  [[nodiscard]] bool is_star(std::size_t part) const { return part == star_; }

  // The first element of a part.
  [[nodiscard]] std::size_t element(std::size_t part) const {
    return part <= star_ ? part : part + size_ - pattern_.parts.size();
  }

  // The number of elements of the starred part.
  [[nodiscard]] std::size_t starred() const { return size_ + 1 - pattern_.parts.size(); }

 private:
  const python::Node& pattern_;
  std::size_t size_;
  std::size_t star_;
};

// A part that does not match decides, also if others are not known.
static std::optional<bool> both(std::optional<bool> one, std::optional<bool> other) {
  if ((one && !*one) || (other && !*other)) return false;
  return one && other ? std::optional(true) : std::nullopt;
}

static bool is_plain_sequence(const Value& value) {
  return (value.kind == Kind::list || value.kind == Kind::tuple) && !value.open && value.role == Value::Role::plain;
}

// Strings and mappings do not match a sequence pattern.
std::optional<bool> Interpreter::matches_sequence(const Node& pattern, const Ref& value) {
  if (value->kind == Kind::scalar || (value->kind == Kind::dictionary && !value->constructed)) return false;
  if (!is_plain_sequence(*value)) return std::nullopt;
  const SequencePattern parts(pattern, value->items.size());
  if (!parts.fits()) return false;
  std::optional<bool> out = true;
  for (std::size_t at = 0; at < pattern.parts.size(); ++at) {
    if (!parts.is_star(at)) out = both(out, matches(pattern.parts[at], value->items[parts.element(at)]));
  }
  return out;
}

// Returns the value of a literal key of a mapping pattern, or null.
Ref Interpreter::value_of_key(const Node& key, const Value& mapping) {
  const auto text = key.kind == Form::spread ? std::nullopt : key_of(*evaluate(key));
  const std::size_t place = text ? place_of(mapping, *text) : mapping.items.size();
  return place < mapping.items.size() ? mapping.items[place + 1] : nullptr;
}

std::optional<bool> Interpreter::matches_mapping(const Node& pattern, const Ref& value) {
  if (value->kind == Kind::scalar || is_plain_sequence(*value)) return false;
  if (!is_closed_mapping(*value) || value->constructed) return std::nullopt;
  std::optional<bool> out = true;
  for (std::size_t at = 0; at + 1 < pattern.parts.size(); at += 2) {
    if (pattern.parts[at].kind == Form::spread) continue;
    const Ref item = value_of_key(pattern.parts[at], *value);
    out = both(out, item == nullptr ? std::optional(false) : matches(pattern.parts[at + 1], item));
  }
  return out;
}

// Only patterns of builtin types, such as `int(n)`, are modeled. The part of such a pattern is the whole value.
std::optional<bool> Interpreter::matches_class(const Node& pattern, const Ref& value) {
  static constexpr std::string_view kWhole[] = {"bool", "dict", "float", "int", "list", "set", "str", "tuple"};
  if (pattern.parts.size() > 1 || !pattern.keywords.empty()) return std::nullopt;
  const Ref type = lookup(pattern.text, pattern.span);
  if (type->kind != Kind::name || type->imported || !base::contains(kWhole, type->path)) return std::nullopt;
  Arguments arguments;
  arguments.positional = {value, type};
  const Ref fits = builtin("isinstance", arguments, pattern);
  const auto known = fits == nullptr || types_of(*fits) != types::boolean || !value->assumed.empty()
                         ? std::nullopt
                         : std::optional(std::get<bool>(fits->data));
  return pattern.parts.empty() || !known || !*known ? known : matches(pattern.parts.front(), value);
}

// Returns nullopt if it is not known whether a pattern matches.
std::optional<bool> Interpreter::matches(const Node& pattern, const Ref& value) {
  const base::Budget::Level level(budget_);
  if (!level || !budget_.spend()) return std::nullopt;
  const auto known = matches_known(pattern, value);
  if (!known) {
    ++risks_;
    touch(value, pattern.span);
  }
  return known;
}

std::optional<bool> Interpreter::matches_known(const Node& pattern, const Ref& value) {
  switch (pattern.kind) {
    case Form::name: return true;
    case Form::named: return matches(pattern.parts[1], value);
    case Form::constant: return identical(value, evaluate(pattern));
    case Form::number:
    case Form::string:
    case Form::unary:
    case Form::attribute: return value->assumed.empty() ? equal(*value, *evaluate(pattern)) : std::nullopt;
    case Form::logical: {
      for (const Node& part : pattern.parts) {
        const auto one = matches(part, value);
        if (!one || *one) return one;
      }
      return false;
    }
    case Form::tuple:
    case Form::list: return matches_sequence(pattern, value);
    case Form::dictionary: return matches_mapping(pattern, value);
    case Form::call: return matches_class(pattern, value);
    default: return std::nullopt;
  }
}

// Binds the names of a sequence pattern that matches.
void Interpreter::bind_sequence(const Node& pattern, const Ref& value) {
  const SequencePattern parts(pattern, value->items.size());
  for (std::size_t at = 0; at < pattern.parts.size(); ++at) {
    const auto first = value->items.begin() + static_cast<std::ptrdiff_t>(parts.element(at));
    if (!parts.is_star(at)) {
      bind_pattern(pattern.parts[at], *first, true);
      continue;
    }
    std::vector<Ref> items(first, first + static_cast<std::ptrdiff_t>(parts.starred()));
    bind_pattern(pattern.parts[at].parts.front(), made(container(Kind::list, pattern.span, std::move(items))), true);
  }
}

// Returns true if the parts of a pattern that matches are bound one by one.
bool Interpreter::bind_parts(const Node& pattern, const Ref& value) {
  if ((pattern.kind == Form::tuple || pattern.kind == Form::list) && is_plain_sequence(*value)) {
    bind_sequence(pattern, value);
    return true;
  }
  if (pattern.kind == Form::call && pattern.parts.size() == 1 && pattern.keywords.empty()) {
    bind_pattern(pattern.parts.front(), value, true);
    return true;
  }
  const bool spreads = std::ranges::any_of(pattern.parts, [](const Node& part) { return part.kind == Form::spread; });
  if (pattern.kind != Form::dictionary || !is_closed_mapping(*value) || spreads) return false;
  for (std::size_t at = 0; at + 1 < pattern.parts.size(); at += 2) {
    if (const Ref item = value_of_key(pattern.parts[at], *value)) bind_pattern(pattern.parts[at + 1], item, true);
  }
  return true;
}

void Interpreter::bind_pattern(const Node& pattern, const Ref& value, bool known) {
  if (pattern.kind == Form::name) {
    if (pattern.text != "_") assign_name(pattern.text, value);
  } else if (pattern.kind == Form::named) {
    bind_pattern(pattern.parts[1], value, known);
    assign_name(pattern.parts[0].text, value);
  } else if (!known || !bind_parts(pattern, value)) {
    Names names;
    add_targets(pattern, names);
    if (!names.empty()) escape(value, pattern.span, "its parts are matched");
    for (const std::string& name : names) assign_name(name, depends(pattern.span, {value}, "it is set by `match`"));
  }
}

}  // namespace sparsecfg::script
