#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "script/names.h"
#include "script/value.h"

namespace sparsecfg::script {

// The names of a module, function, class or comprehension.
struct Scope {
  enum class Kind : std::uint8_t { module, function, type, comprehension };
  Kind kind = Kind::module;
  std::map<std::string, Ref, std::less<>> names;
  std::shared_ptr<Scope> outer;      // null for the module
  const Binding* binding = nullptr;  // of a function or class
  Ref self;                          // of a method: its object
  Ref owner;                         // of a method: its class
  std::size_t born = 0;
  Names doubtful{};                                           // names that are not bound on every path
  Names unstable{};                                           // names that code can set that runs later
  bool open = false;                                          // of a module: it may have more names
  std::string type;                                           // of a class: its name
  const std::function<void(const Ref&)>* consumer = nullptr;  // of a generator that runs: accepts its elements
  // The times at which names were bound first and last.
  std::map<std::string, std::pair<std::size_t, std::size_t>, std::less<>> bound{};

  // Returns true if the value of a name in a period is not its only value since the begin of the period.
  [[nodiscard]] bool is_rebound(const std::string& name, std::size_t begin, std::size_t end) const;
};

// The reason for the elements of a generator of the script that has not begun. Its alias is the call, as a partial
// function.
inline constexpr std::string_view kNotBegun = "the generator has not begun";

// Returns true for a generator or context manager of the script that has not begun.
[[nodiscard]] inline bool is_pending(const Value& value) {
  return value.kind == Value::Kind::list && value.open && !value.escaped && !value.aliases.empty() &&
         (value.role == Value::Role::generator || value.role == Value::Role::context) && value.text == kNotBegun;
}

// The reason for values after the limit of steps.
inline constexpr std::string_view kTooLong = "the script is too long to follow";

// A name or an object that a statement can change.
struct Cell {
  std::shared_ptr<Scope> scope;  // null for an object
  std::string name;
  Ref object;

  [[nodiscard]] std::pair<const void*, std::string> key() const {
    return {scope == nullptr ? static_cast<const void*>(object.get()) : scope.get(), name};
  }
};

// A saved value of a cell.
struct Saved {
  Cell cell;
  Ref value;  // of a name; null if it is not bound
  Content content;
  std::vector<Ref> others{};  // objects that the name or object refers to later
};

using State = std::map<std::pair<const void*, std::string>, Saved>;

// Returns the reason for a value that depends on an option of the command line.
[[nodiscard]] std::string option_reason(std::string_view option);

// Adds cells to a state. Of cells that it has, only the other objects are added.
void add_cells(State& state, const State& more);

enum class Flow : std::uint8_t {
  normal,
  returned,
  broke,
  continued,
  dead,  // raised an exception, or all paths left the block
};

// A decision by the default of an option of the command line.
struct Default {
  std::string option;
  std::size_t path = 0;  // of the joined paths: the one that runs with the default
};

// A path that has left its block while another one continues.
struct Exit {
  std::size_t mark;  // the time up to which both paths are the same
  State after;       // the changes of the path since then
  Flow flow;
  Ref value;                 // of a `return`
  std::string option{};      // an option whose default decides whether the path is taken
  bool by_default = false;   // true if the default takes it
  source::Span condition{};  // of the option
};

// Remembers objects as long as they are alive.
template <class T>
class Living {
 public:
  std::shared_ptr<T> add(std::shared_ptr<T> object) {
    if (all_.size() >= purge_at_) {
      std::erase_if(all_, [](const std::weak_ptr<T>& each) { return each.expired(); });
      purge_at_ = 2 * all_.size() + kLeast;
    }
    all_.push_back(object);
    return object;
  }

  [[nodiscard]] std::vector<std::shared_ptr<T>> alive() const {
    std::vector<std::shared_ptr<T>> out;
    for (const std::weak_ptr<T>& each : all_) {
      if (auto object = each.lock()) out.push_back(std::move(object));
    }
    return out;
  }

 private:
  static constexpr std::size_t kLeast = 1'000;
  std::vector<std::weak_ptr<T>> all_;
  std::size_t purge_at_ = kLeast;
};

// The names and objects of a script. Records changes, so that the branches of a script can be followed one after the
// other from the same state and then be joined.
class Heap {
 public:
  explicit Heap(base::Budget& budget) : budget_(budget) {}

  // Sets a name; null unbinds it.
  void bind(const std::shared_ptr<Scope>& scope, const std::string& name, Ref value);
  // Must be called before the content of an object changes. Values that were equal to it may differ from now on.
  // Returns false if the change must not be made: the object is shared with unknown code, so that its content stays
  // unknown.
  bool change(const Ref& object);
  // Makes the content of an object unknown.
  void open(const Ref& object, source::Span why, std::string_view reason);
  // Makes the content of all objects that can be reached from a value unknown for good.
  // Returns the functions, classes and mappings of all names among them.
  std::vector<Ref> escape(const Ref& value, source::Span why, std::string_view reason);

  // Registers a new object.
  Ref added(Ref object);

  [[nodiscard]] std::shared_ptr<Scope> new_scope() { return scopes_.add(std::make_shared<Scope>()); }

  // Returns all scopes that are alive, and all such objects that changed after their construction.
  [[nodiscard]] std::vector<std::shared_ptr<Scope>> scopes() const { return scopes_.alive(); }

  [[nodiscard]] std::vector<Ref> changed() const { return changed_.alive(); }

  // Begins a period that can be undone.
  [[nodiscard]] std::size_t mark();
  // Ends a period without undoing it.
  void release();
  // Undoes all changes since a mark. Paths that left keep their changes.
  void rollback(std::size_t mark);
  // Returns the cells that changed since a mark, with their values at that time, and the objects that they refer to
  // since then.
  [[nodiscard]] State since(std::size_t mark) const;
  // The same without the cells of scopes and objects that are not older than a time.
  [[nodiscard]] State since(std::size_t mark, std::size_t time) const;
  // Returns the current values of cells.
  [[nodiscard]] static State now(const State& cells);
  void apply(const State& state);

  // Joins the states of several paths that begin at the current state.
  void join(const std::vector<State>& ends, source::Span why, std::string_view reason);
  // The same for two paths, of which one runs with the default of an option: its values are assumed.
  void join(const std::vector<State>& ends, source::Span why, std::string_view reason,
            std::optional<Default> by_default);
  // Returns a value that is known only if both are equal.
  [[nodiscard]] Ref join(const Ref& one, const Ref& other, source::Span why, std::string_view reason, int depth = 0);
  // Returns the value with the default of an option as far as that is known.
  [[nodiscard]] Ref join(const Ref& one, const Ref& other, source::Span why, std::string_view reason,
                         std::optional<Default> by_default);

  // Makes all cells unknown.
  void forget(const State& cells, source::Span why, std::string_view reason);

  // Records that the current path left its block.
  void leave(std::size_t mark, Flow flow, Ref value);
  // Joins the current path, if it is alive, with the paths that left by `joins` since `first`. Returns true if any
  // path is alive. `value` is the result of the current path, and becomes the joined one.
  bool rejoin(std::size_t first, Flow joins, bool alive, Ref& value, source::Span why);

  [[nodiscard]] std::size_t exits() const { return exits_.size(); }

  // Forgets the paths that left since `first`.
  void drop_exits(std::size_t first);

  // Advances the time, which counts objects, scopes and changes, and returns it.
  std::size_t tick() { return ++clock_; }

  [[nodiscard]] std::vector<Exit>& all_exits() { return exits_; }

 private:
  static void set_content(Value& object, const Content& content);
  void give_up(std::size_t first, Flow joins, bool alive, source::Span why);
  static void restore(const Saved& saved);
  void save(const Ref& object);
  void set_open(const Ref& object, source::Span why, std::string_view reason);
  void end_period();
  void escape_names(const Value& type, source::Span why, std::string_view reason, std::vector<Ref>& reached);
  void join_content(const Ref& object, const std::vector<const Content*>& ends, source::Span why,
                    std::string_view reason);
  Content join_keyed(const Value& object, const std::vector<const Content*>& ends, source::Span why,
                     std::string_view reason);
  void join_entries(const std::vector<Value>& paths, source::Span why, std::string_view reason, Content& out);
  void join_attributes(const std::vector<Value>& paths, source::Span why, std::string_view reason, Content& out);
  Ref join_values(Ref first, const std::vector<Value>& others, const std::function<Ref(const Value&)>& value_in,
                  source::Span why, std::string_view reason);
  [[nodiscard]] Ref join_by_default(const Ref& one, const Ref& other) const;
  [[nodiscard]] bool join_list_by_default(const Ref& object, const std::vector<const Content*>& ends);
  Ref join_containers(const Ref& one, const Ref& other, source::Span why, std::string_view reason, int depth);

  void count_change(const Ref& object);
  void add_current(Saved& saved) const;

  base::Budget& budget_;
  Living<Scope> scopes_;
  Living<Value> changed_;
  std::vector<Saved> journal_;
  std::vector<Exit> exits_;
  std::optional<Default> default_;                          // of the two paths that are joined
  std::vector<std::pair<std::size_t, std::size_t>> marks_;  // of open periods: the offset in the journal, and the time
  std::size_t periods_ = 0;                                 // marks that are not released
  std::size_t period_ = 1;                                  // number of the current period
  std::size_t clock_ = 1;                                   // the time
};

// Links two values that are equal until one of them changes.
void link(const Ref& one, const Ref& other);

// Makes an iterator or a view unknown when its source changes.
void derive(const Ref& source, const Ref& view);

}  // namespace sparsecfg::script
