#include "script/heap.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "script/limits.h"
#include "script/model.h"
#include "script/names.h"

namespace sparsecfg::script {

using Kind = Value::Kind;

void link(const Ref& one, const Ref& other) {
  one->linked.push_back(other);
  other->linked.push_back(one);
}

void derive(const Ref& source, const Ref& view) { source->linked.push_back(view); }

// Before a name is bound, code that uses it fails.
bool Scope::is_rebound(const std::string& name, std::size_t begin, std::size_t end) const {
  const auto times = bound.find(name);
  if (times == bound.end()) {
    return false;
  }
  const auto [first, last] = times->second;
  const bool is_only = first == last && first > begin && !is_builtin(name);
  return last > begin && last < end && !is_only;
}

void Heap::set_content(Value& object, const Content& content) {
  static_cast<Content&>(object) = content;
  object.index.clear();
}

void Heap::drop_exits(std::size_t first) {
  for (; exits_.size() > first; exits_.pop_back()) end_period();
}

void Heap::restore(const Saved& saved) {
  if (saved.cell.scope == nullptr) {
    set_content(*saved.cell.object, saved.content);
  } else if (saved.value == nullptr) {
    saved.cell.scope->names.erase(saved.cell.name);
  } else {
    saved.cell.scope->names[saved.cell.name] = saved.value;
  }
}

void Heap::bind(const std::shared_ptr<Scope>& scope, const std::string& name, Ref value) {
  const auto known = scope->names.find(name);
  scope->bound.try_emplace(name, clock_ + 1, 0).first->second.second = clock_ + 1;
  ++clock_;
  if (periods_ > 0) {
    journal_.push_back({{scope, name, nullptr}, known == scope->names.end() ? nullptr : known->second, {}});
  }
  if (value == nullptr) {
    if (known != scope->names.end()) scope->names.erase(known);
  } else if (known != scope->names.end()) {
    known->second = std::move(value);
  } else {
    scope->names.emplace(name, std::move(value));
  }
}

Ref Heap::added(Ref object) {
  object->born = ++clock_;
  return object;
}

void Heap::save(const Ref& object) {
  if (periods_ == 0 || object->logged == period_) {
    return;
  }
  object->logged = period_;
  budget_.allocate(sizeof(Saved) + object->items.size() * sizeof(Ref));
  journal_.push_back({{nullptr, {}, object}, nullptr, *object, {}});
}

void Heap::count_change(const Ref& object) {
  if (!std::exchange(object->counted.is_set, true)) changed_.add(object);
  ++object->changes;
  object->changed = ++clock_;
}

bool Heap::change(const Ref& object) {
  if (object->escaped) {
    return false;
  }
  save(object);
  object->variants.clear();
  count_change(object);
  std::vector<Ref> waiting{object};
  std::set<const Value*> seen{object.get()};
  while (!waiting.empty()) {
    const Ref next = std::move(waiting.back());
    waiting.pop_back();
    std::erase_if(next->linked, [](const std::weak_ptr<Value>& each) { return each.expired(); });
    for (const std::weak_ptr<Value>& each : next->linked) {
      const Ref other = each.lock();
      if (!seen.insert(other.get()).second || !budget_.spend()) continue;
      set_open(other, other->span, "an equal object is changed");
      waiting.push_back(other);
    }
  }
  return true;
}

void Heap::open(const Ref& object, source::Span why, std::string_view reason) {
  if (change(object)) set_open(object, why, reason);
}

// Makes the content of one object unknown.
void Heap::set_open(const Ref& object, source::Span why, std::string_view reason) {
  if (object->escaped) {
    return;
  }
  save(object);
  object->variants.clear();
  count_change(object);
  // What is read of the object later may be one of these values.
  const bool listed = object->kind == Kind::dictionary || object->kind == Kind::instance;
  const std::size_t kept = listed                         ? 0
                           : object->kind == Kind::object ? object->items.size() - object->names.size()
                                                          : object->items.size();
  for (std::size_t at = kept; at < object->items.size(); ++at) {
    if (object->items[at]->kind != Kind::scalar) object->aliases.push_back(object->items[at]);
  }
  object->items.resize(kept);
  if (listed || object->kind == Kind::object) object->names.clear();
  object->index.clear();
  object->open = true;
  object->why = why;
  object->text = reason;
}

// Makes the attributes of a class or module unknown that unknown code can set: all but functions, and the classes and
// imports of a module. The attributes of a class are reached, too.
void Heap::escape_names(const Value& type, source::Span why, std::string_view reason, std::vector<Ref>& reached) {
  const bool module = type.role == Value::Role::module;
  if (!budget_.spend_search(type.scope->names.size())) return;
  std::vector<std::string> lost;
  for (const auto& [name, attribute] : type.scope->names) {
    const bool kept = attribute->kind == Kind::function ||
                      (module && (attribute->kind == Kind::name || attribute->kind == Kind::type));
    if (!module || !kept) reached.push_back(attribute);
    if (!kept && (attribute->kind != Kind::unknown || !attribute->items.empty() || !attribute->aliases.empty()))
      lost.push_back(name);
  }
  for (const std::string& name : lost) bind(type.scope, name, unknown(why, std::string(reason)));
}

std::vector<Ref> Heap::escape(const Ref& value, source::Span why, std::string_view reason) {
  std::vector<Ref> callables;
  std::vector<Ref> waiting{value};
  std::set<const Value*> seen;
  while (!waiting.empty()) {
    const Ref next = std::move(waiting.back());
    waiting.pop_back();
    if (next == nullptr || !seen.insert(next.get()).second || next->escaped || !budget_.spend()) {
      continue;
    }
    waiting.insert(waiting.end(), next->items.begin(), next->items.end());
    waiting.insert(waiting.end(), next->variants.begin(), next->variants.end());
    waiting.insert(waiting.end(), next->aliases.begin(), next->aliases.end());
    for (const std::weak_ptr<Value>& each : next->linked) waiting.push_back(each.lock());
    waiting.push_back(next->owner);
    const bool names = next->role == Value::Role::all_names;
    if (next->kind == Kind::function || next->kind == Kind::type || names) callables.push_back(next);
    if (next->kind == Kind::type) escape_names(*next, why, reason, waiting);
    if (is_mutable(*next) && next->kind != Kind::type) {
      open(next, why, reason);
      next->escaped = true;
    }
  }
  return callables;
}

std::size_t Heap::mark() {
  ++periods_;
  ++period_;
  marks_.emplace_back(journal_.size(), clock_);
  return journal_.size();
}

void Heap::release() {
  marks_.pop_back();
  end_period();
}

void Heap::end_period() {
  --periods_;
  ++period_;
  if (periods_ == 0) journal_.clear();
}

static void add_other(Saved& saved, const Ref& value) {
  const bool is_object = value != nullptr && value->kind != Kind::scalar && value->kind != Kind::name;
  if (is_object && value != saved.value && (saved.others.empty() || saved.others.back() != value))
    saved.others.push_back(value);
}

void add_cells(State& state, const State& more) {
  for (const auto& [key, saved] : more) {
    const auto [place, is_new] = state.try_emplace(key, saved);
    if (is_new) continue;
    for (const Ref& other : saved.others) add_other(place->second, other);
    add_other(place->second, saved.value);
  }
}

// Adds the objects that a cell refers to now.
void Heap::add_current(Saved& saved) const {
  if (saved.cell.scope != nullptr) {
    const auto found = saved.cell.scope->names.find(saved.cell.name);
    return add_other(saved, found == saved.cell.scope->names.end() ? nullptr : found->second);
  }
  if (!budget_.spend_search(saved.cell.object->items.size())) return;
  for (const Ref& item : saved.cell.object->items) add_other(saved, item);
}

State Heap::since(std::size_t mark) const {
  State out;
  for (std::size_t at = mark; at < journal_.size(); ++at) {
    const auto [place, is_new] = out.try_emplace(journal_[at].cell.key(), journal_[at]);
    if (!is_new) add_other(place->second, journal_[at].value);
  }
  for (auto& [key, saved] : out) add_current(saved);
  budget_.spend(journal_.size() - std::min(mark, journal_.size()));
  return out;
}

State Heap::since(std::size_t mark, std::size_t time) const {
  State out = since(mark);
  std::erase_if(out, [&](const auto& cell) {
    const Cell& what = cell.second.cell;
    return (what.scope == nullptr ? what.object->born : what.scope->born) >= time;
  });
  return out;
}

State Heap::now(const State& cells) {
  State out;
  for (const auto& [key, saved] : cells) {
    Saved current{saved.cell, nullptr, {}};
    if (saved.cell.scope == nullptr) {
      current.content = *saved.cell.object;
    } else {
      const auto found = saved.cell.scope->names.find(saved.cell.name);
      current.value = found == saved.cell.scope->names.end() ? nullptr : found->second;
    }
    out.emplace(key, std::move(current));
  }
  return out;
}

void Heap::apply(const State& state) {
  for (const auto& [key, saved] : state) {
    if (saved.cell.scope != nullptr) {
      bind(saved.cell.scope, saved.cell.name, saved.value);
    } else {
      save(saved.cell.object);
      set_content(*saved.cell.object, saved.content);
    }
  }
}

void Heap::rollback(std::size_t mark) {
  budget_.spend_search(exits_.size());
  std::vector<Exit*> later;
  for (Exit& exit : exits_) {
    if (exit.mark > mark) later.push_back(&exit);
  }
  std::ranges::stable_sort(later, std::ranges::greater(), &Exit::mark);
  // Objects that are younger than the mark cannot be reached after a rollback. They keep their content.
  const auto mark_time =
      std::ranges::find(marks_.rbegin(), marks_.rend(), mark, &std::pair<std::size_t, std::size_t>::first);
  const std::size_t time =
      later.empty() && mark_time != marks_.rend() ? mark_time->second : static_cast<std::size_t>(-1);
  const auto undo = [&](std::size_t to) {
    for (; journal_.size() > to; journal_.pop_back()) {
      const Saved& saved = journal_.back();
      if (saved.cell.scope != nullptr || saved.cell.object->born <= time) restore(saved);
    }
  };
  for (Exit* exit : later) {
    undo(exit->mark);
    State before = now(since(mark));
    for (auto& [key, saved] : exit->after) before.insert_or_assign(key, saved);
    exit->after = std::move(before);
    exit->mark = mark;
  }
  undo(mark);
  ++period_;
}

void Heap::forget(const State& cells, source::Span why, std::string_view reason) {
  for (const auto& [key, saved] : cells) {
    if (saved.cell.scope == nullptr) {
      open(saved.cell.object, why, reason);
      std::vector<Ref>& aliases = saved.cell.object->aliases;
      aliases.insert(aliases.end(), saved.others.begin(), saved.others.end());
      continue;
    }
    const auto found = saved.cell.scope->names.find(saved.cell.name);
    const Ref current = found == saved.cell.scope->names.end() ? nullptr : found->second;
    const Ref lost = unknown(why, std::string(reason));
    if (current == nullptr || saved.value == nullptr) saved.cell.scope->doubtful.insert(saved.cell.name);
    for (const Ref& value : {current, saved.value}) {
      if (value != nullptr && value->kind != Kind::scalar) lost->items.push_back(value);
    }
    for (const Ref& other : saved.others) {
      if (std::ranges::find(lost->items, other) == lost->items.end()) lost->aliases.push_back(other);
    }
    bind(saved.cell.scope, saved.cell.name, lost);
  }
}

std::string option_reason(std::string_view option) { return fmt::format("it depends on the option `{}`", option); }

namespace {

// Sets the decision about two paths while it exists.
class Deciding {
 public:
  Deciding(std::optional<Default>& current, std::optional<Default> next)
      : current_(current), before_(std::exchange(current, std::move(next))) {}

  ~Deciding() { current_ = std::move(before_); }

  Deciding(const Deciding&) = delete;
  Deciding& operator=(const Deciding&) = delete;

 private:
  std::optional<Default>& current_;
  std::optional<Default> before_;
};

}  // namespace

void Heap::leave(std::size_t mark, Flow flow, Ref value) {
  exits_.push_back({mark, now(since(mark)), flow, std::move(value)});
  ++periods_;
}

// Joins the current path with those that left by `joins` by forgetting all that any of them changed.
void Heap::give_up(std::size_t first, Flow joins, bool alive, source::Span why) {
  const auto begin = exits_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto left = std::stable_partition(begin, exits_.end(), [&](const Exit& exit) { return exit.flow != joins; });
  std::size_t mark = journal_.size();
  State touched;
  for (auto exit = left; exit != exits_.end(); ++exit) {
    mark = std::min(mark, exit->mark);
    touched.merge(exit->after);
  }
  const auto count = exits_.end() - left;
  exits_.erase(left, exits_.end());
  touched.merge(since(mark));
  if (!alive) rollback(mark);
  forget(touched, why, kTooLong);
  for (std::ptrdiff_t at = 0; at < count; ++at) end_period();
}

bool Heap::rejoin(std::size_t first, Flow joins, bool alive, Ref& value, source::Span why) {
  constexpr std::string_view kReason = "it depends on a condition";
  for (std::size_t at = exits_.size(); at-- > first;) {
    if (exits_[at].flow != joins) continue;
    if (budget_.exceeded() != base::Budget::Limit::none) {
      give_up(first, joins, alive, why);
      value = unknown(why, std::string(kTooLong));
      return true;
    }
    const Exit exit = std::move(exits_[at]);
    exits_.erase(exits_.begin() + static_cast<std::ptrdiff_t>(at));
    if (!alive) {
      rollback(exit.mark);
      apply(exit.after);
      value = exit.value;
    } else {
      State here = since(exit.mark);
      const std::string reason = exit.option.empty() ? std::string(kReason) : option_reason(exit.option);
      const source::Span cause = exit.option.empty() ? why : exit.condition;
      const auto by_default = exit.option.empty()
                                  ? std::nullopt
                                  : std::optional(Default{exit.option, static_cast<std::size_t>(exit.by_default)});
      State there = here;
      for (const auto& [key, saved] : exit.after) {
        here.try_emplace(key, saved);
        there.insert_or_assign(key, saved);
      }
      join({now(here), std::move(there)}, cause, reason, by_default);
      const bool both = value != nullptr && exit.value != nullptr;
      const Deciding deciding(default_, by_default);
      value = both ? join(value, exit.value, cause, reason) : value == nullptr ? exit.value : value;
    }
    alive = true;
    end_period();
  }
  return alive;
}

void Heap::join(const std::vector<State>& ends, source::Span why, std::string_view reason,
                std::optional<Default> by_default) {
  const Deciding deciding(default_, std::move(by_default));
  join(ends, why, reason);
}

void Heap::join(const std::vector<State>& ends, source::Span why, std::string_view reason) {
  State cells;
  for (const State& end : ends) cells.insert(end.begin(), end.end());
  budget_.spend(cells.size());
  for (const auto& [key, saved] : now(cells)) {
    std::vector<const Content*> contents;
    Ref joined;
    bool bound = true;
    bool first = true;
    for (const State& end : ends) {
      const auto found = end.find(key);
      const Saved& path = found == end.end() ? saved : found->second;
      contents.push_back(&path.content);
      bound = bound && path.value != nullptr;
      joined = first || joined == nullptr ? path.value
               : path.value == nullptr    ? joined
                                          : join(joined, path.value, why, reason);
      first = false;
    }
    if (saved.cell.scope == nullptr) {
      join_content(saved.cell.object, contents, why, reason);
    } else {
      // Where a name is not bound, the name of an outer scope or of a builtin counts. In a function, it is an error.
      const Scope& scope = *saved.cell.scope;
      const bool falls_back =
          scope.kind == Scope::Kind::module ? is_builtin(saved.cell.name) : scope.kind != Scope::Kind::function;
      const bool certain = bound || joined == nullptr || !falls_back;
      if (!bound && joined != nullptr) saved.cell.scope->doubtful.insert(saved.cell.name);
      bind(saved.cell.scope, saved.cell.name, certain ? joined : unknown(why, std::string(reason)));
    }
  }
}

static bool is_same(const Value& a, const Value& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::scalar: return a.data == b.data && a.data.index() == b.data.index() && a.is_whole() && b.is_whole();
    case Kind::name: return a.path == b.path && a.imported == b.imported;
    case Kind::function: return a.function == b.function && a.scope == b.scope && a.items == b.items;
    default: return false;
  }
}

constexpr std::size_t kMaxAlternatives = 8;

// If all alternatives are models, they are complete, so that the model is known if they are equal.
static void add_models(Value& joined, const Ref& one, const Ref& other) {
  std::vector<Ref> models;
  for (const Ref& each : {one, other}) {
    if (each->kind == Kind::unknown && !each->variants.empty()) {
      models.insert(models.end(), each->variants.begin(), each->variants.end());
    } else if (is_model(*each)) {
      models.push_back(each);
    } else {
      return;
    }
  }
  if (models.size() <= kMaxAlternatives) joined.variants = std::move(models);
}

// Returns the number or string that the default of an option selects, or null.
Ref Heap::join_by_default(const Ref& one, const Ref& other) const {
  const bool known = one->kind == Kind::scalar && other->kind == Kind::scalar && one->is_whole() && other->is_whole();
  if (!default_ || !known) return nullptr;
  Ref out = std::make_shared<Value>(default_->path == 0 ? *one : *other);
  if (out->assumed.empty()) out->assumed = default_->option;
  return out;
}

Ref Heap::join(const Ref& one, const Ref& other, source::Span why, std::string_view reason, int depth) {
  constexpr int kMaxDepth = 8;
  if (one == other) {
    return one;
  }
  if (is_same(*one, *other)) {
    return one->assumed.empty() ? other : one;
  }
  if (depth <= kMaxDepth && budget_.spend()) {
    if (Ref both = join_containers(one, other, why, reason, depth)) return both;
  }
  if (Ref assumed = join_by_default(one, other)) return assumed;
  const bool reversed = default_ && default_->path == 1;
  const Ref& first = reversed ? other : one;
  Ref out = unknown(why, std::string(reason));
  if (default_ && (first->kind != Kind::unknown || !first->option.empty())) out->option = default_->option;
  for (const Ref& each : {first, reversed ? one : other}) {
    const bool several = each->kind == Kind::unknown;
    const std::vector<Ref> values = several ? each->items : std::vector<Ref>{each};
    for (const Ref& value : values) {
      if (std::ranges::find(out->items, value) == out->items.end()) out->items.push_back(value);
    }
  }
  add_models(*out, one, other);
  if (out->items.size() > kMaxAlternatives) {
    for (const Ref& each : out->items) escape(each, why, reason);
    out->items.clear();
  }
  return out;
}

Ref Heap::join(const Ref& one, const Ref& other, source::Span why, std::string_view reason,
               std::optional<Default> by_default) {
  const Deciding deciding(default_, std::move(by_default));
  return join(one, other, why, reason);
}

// Containers of the same shape keep the elements that are equal.
Ref Heap::join_containers(const Ref& one, const Ref& other, source::Span why, std::string_view reason, int depth) {
  const bool plain = one->kind == other->kind && !one->open && !other->open && one->path == other->path &&
                     one->constructed == other->constructed;
  const bool sequence = plain && (one->kind == Kind::list || one->kind == Kind::tuple);
  if (!plain || (!sequence && one->kind != Kind::dictionary) || one->items.size() != other->items.size() ||
      !budget_.allocate(one->items.size() * sizeof(Ref))) {
    return nullptr;
  }
  const bool objects = std::ranges::any_of(one->items, [](const Ref& item) { return item->kind == Kind::object; });
  if (objects) {
    return nullptr;
  }
  std::vector<Ref> items;
  for (std::size_t at = 0; at < one->items.size(); ++at) {
    const bool key = one->kind == Kind::dictionary && at % 2 == 0;
    const auto text = key ? key_text(*one->items[at]) : std::nullopt;
    if (key && (!text || !has_key(*other->items[at], *text))) {
      return nullptr;
    }
    items.push_back(key ? one->items[at] : join(one->items[at], other->items[at], why, reason, depth + 1));
  }
  const Ref out = added(container(one->kind, one->span, std::move(items)));
  if (out->kind != Kind::tuple) {
    link(out, one);
    link(out, other);
  }
  for (const Ref& each : out->kind == Kind::list ? std::vector{one, other} : std::vector<Ref>()) {
    const std::vector<Ref> values = each->variants.empty() ? std::vector{each} : each->variants;
    out->variants.insert(out->variants.end(), values.begin(), values.end());
  }
  if (out->variants.size() > kMaxAlternatives) out->variants.clear();
  return out;
}

// Returns true if two contents have the same elements.
static bool is_same(const Content& a, const Content& b) {
  const auto same_name = [](const auto& x, const auto& y) { return x.value == y.value; };
  return a.items == b.items && a.open == b.open && a.escaped == b.escaped && a.variants == b.variants &&
         std::ranges::equal(a.names, b.names, same_name);
}

// The lists that a list is on the paths; empty if one of them is not known.
static std::vector<Ref> lists_on_paths(const Value& object, const std::vector<const Content*>& ends) {
  constexpr std::size_t kMaxVariants = 8;
  // Of a list that was already one of several, not all combinations are possible.
  if (object.kind != Kind::list || !object.variants.empty()) return {};
  std::vector<Ref> out;
  for (const Content* end : ends) {
    if (end->escaped || (end->open && end->variants.empty())) return {};
    if (end->variants.empty()) out.push_back(container(object.kind, object.span, end->items));
    out.insert(out.end(), end->variants.begin(), end->variants.end());
  }
  return out.size() <= kMaxVariants ? out : std::vector<Ref>();
}

// The value of one entry or attribute on all paths; null if a path does not have it.
Ref Heap::join_values(Ref first, const std::vector<Value>& others, const std::function<Ref(const Value&)>& value_in,
                      source::Span why, std::string_view reason) {
  for (std::size_t end = 1; end < others.size() && first != nullptr; ++end) {
    const Ref there = value_in(others[end]);
    first = there == nullptr ? nullptr : join(first, there, why, reason);
  }
  return first;
}

// The entries that all paths have.
void Heap::join_entries(const std::vector<Value>& paths, source::Span why, std::string_view reason, Content& out) {
  const std::vector<Ref>& items = paths.front().items;
  for (std::size_t at = 0; at + 1 < items.size(); at += 2) {
    const auto key = key_text(*items[at]);
    if (!key) continue;
    const auto value_in = [&](const Value& path) {
      const std::size_t place = place_of(path, *key);
      return place < path.items.size() ? path.items[place + 1] : nullptr;
    };
    const Ref value = join_values(items[at + 1], paths, value_in, why, reason);
    if (value != nullptr) out.items.insert(out.items.end(), {items[at], value});
  }
}

// The attributes or arguments that all paths have.
void Heap::join_attributes(const std::vector<Value>& paths, source::Span why, std::string_view reason, Content& out) {
  const Value& first = paths.front();
  const std::size_t positional = first.items.size() - first.names.size();
  out.items.assign(first.items.begin(), first.items.begin() + static_cast<std::ptrdiff_t>(positional));
  for (std::size_t at = 0; at < first.names.size(); ++at) {
    const auto value_in = [&](const Value& path) { return path.argument(first.names[at].value); };
    const Ref value = join_values(first.items[positional + at], paths, value_in, why, reason);
    if (value == nullptr) continue;
    out.items.push_back(value);
    out.names.push_back(first.names[at]);
  }
}

// Joins a dictionary, object or instance. It is open if a path has more keys than the others.
Content Heap::join_keyed(const Value& object, const std::vector<const Content*>& ends, source::Span why,
                         std::string_view reason) {
  const bool pairs = object.kind == Kind::dictionary;
  std::vector<Value> paths(ends.size());  // built once, because a large dictionary gets an index
  for (std::size_t at = 0; at < paths.size(); ++at) {
    paths[at].kind = object.kind;
    set_content(paths[at], *ends[at]);
  }
  Content out;
  if (pairs) {
    join_entries(paths, why, reason, out);
  } else {
    join_attributes(paths, why, reason, out);
  }
  const auto keys = [&](const Content& content) { return pairs ? content.items.size() / 2 : content.names.size(); };
  out.open = std::ranges::any_of(ends, [&](const Content* end) { return end->open || keys(*end) != keys(out); });
  return out;
}

// Joins a list, set or class, whose elements are then only possible ones.
static Content join_elements(const std::vector<const Content*>& ends) {
  Content out;
  out.open = true;
  for (const Content* end : ends) {
    for (const Ref& item : end->items) {
      if (out.items.size() < limits::kMaxScriptItems) out.items.push_back(item);
    }
  }
  return out;
}

// Gives a list the elements that it has with the default of an option. The first variant is the same.
bool Heap::join_list_by_default(const Ref& object, const std::vector<const Content*>& ends) {
  if (!default_ || ends.size() != 2) return false;
  const Content chosen = *ends[default_->path];
  std::vector<const Content*> paths = ends;
  if (default_->path == 1) std::ranges::reverse(paths);
  std::vector<Ref> variants = lists_on_paths(*object, paths);
  if (variants.empty() || chosen.open) return false;
  if (!change(object)) return true;
  set_content(*object, chosen);
  object->variants = std::move(variants);
  object->option = default_->option;
  if (object->assumed.empty()) object->assumed = default_->option;
  return true;
}

void Heap::join_content(const Ref& object, const std::vector<const Content*>& ends, source::Span why,
                        std::string_view reason) {
  const Content first = *ends.front();
  if (std::ranges::all_of(ends, [&](const Content* end) { return is_same(*end, first); })) {
    save(object);
    set_content(*object, first);
    return;
  }
  if (join_list_by_default(object, ends)) return;
  std::vector<Ref> variants = lists_on_paths(*object, ends);
  const bool keyed = object->kind == Kind::dictionary || object->kind == Kind::object || object->kind == Kind::instance;
  Content joined = keyed ? join_keyed(*object, ends, why, reason) : join_elements(ends);
  const bool escaped = std::ranges::any_of(ends, &Content::escaped);
  change(object);
  object->items = std::move(joined.items);
  object->names = std::move(joined.names);
  object->index.clear();
  object->open = joined.open;
  object->escaped = escaped;
  if (object->open) {
    object->why = why;
    object->text = reason;
  }
  object->variants = std::move(variants);
}

}  // namespace sparsecfg::script
