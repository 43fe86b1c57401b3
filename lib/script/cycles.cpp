#include "script/cycles.h"

#include <iterator>
#include <map>
#include <utility>

namespace sparsecfg::script {

namespace {

// Visits all values of a result depth first, without recursion.
class Visit {
 public:
  void run(const std::vector<Ref>& roots) {
    for (const Ref& root : roots) {
      enter(root);
      while (!path_.empty()) step();
    }
  }

  [[nodiscard]] bool has_seen(const Ref& value) const { return seen_.contains(value.get()); }

 private:
  enum class State : std::uint8_t { open, done };

  struct Step {
    Ref value;
    std::size_t next = 0;  // reference to follow
  };

  void enter(const Ref& value) {
    if (value != nullptr && seen_.emplace(value.get(), State::open).second) path_.push_back({value});
  }

  // Returns a reference of a value; null after the last one.
  static Ref* reference(Value& value, std::size_t at) {
    for (auto* part : {&value.items, &value.variants, &value.aliases}) {
      if (at < part->size()) return &(*part)[at];
      at -= part->size();
    }
    return at == 0 ? &value.owner : nullptr;
  }

  void step() {
    Step& last = path_.back();
    Ref* const next = reference(*last.value, last.next++);
    if (next == nullptr) {
      seen_[last.value.get()] = State::done;
      path_.pop_back();
      return;
    }
    const auto known = seen_.find(next->get());
    const bool contains_itself = known != seen_.end() && known->second == State::open;
    if (contains_itself) {
      *next = unknown((*next)->span, "it contains itself");
    } else {
      enter(Ref(*next));
    }
  }

  std::map<const Value*, State> seen_;
  std::vector<Step> path_;
};

}  // namespace

static void move_all(std::vector<Ref>& from, std::vector<Ref>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from.clear();
}

void break_cycles(const std::vector<std::shared_ptr<Scope>>& scopes, const std::vector<Ref>& changed,
                  const Trace& result) {
  Visit visit;
  for (const auto* roots : {&result.objects, &result.lists, &result.strings}) visit.run(*roots);
  for (const Assigned& assigned : result.assigned) visit.run({assigned.value});
  std::vector<Ref> unused;  // freed at the end, so that nothing is freed while it is visited
  std::vector<std::shared_ptr<Scope>> outer;
  for (const std::shared_ptr<Scope>& scope : scopes) {
    for (auto& [name, value] : scope->names) unused.push_back(std::move(value));
    scope->names.clear();
    unused.push_back(std::move(scope->self));
    unused.push_back(std::move(scope->owner));
    outer.push_back(std::move(scope->outer));
  }
  for (const Ref& value : changed) {
    if (visit.has_seen(value)) continue;
    for (auto* part : {&value->items, &value->variants, &value->aliases}) move_all(*part, unused);
  }
}

}  // namespace sparsecfg::script
