#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "python/value.h"
#include "script/heap.h"
#include "script/library/paths.h"
#include "script/module_places.h"
#include "script/names.h"
#include "script/operation.h"
#include "script/printing.h"
#include "script/trace.h"

namespace sparsecfg::script {

class TextBuilder;

// Returns the value of a bool, int or float.
[[nodiscard]] std::optional<python::Number> number_in(const Value& value);

// Returns true for a class with methods that operators, builtin functions or statements call, or with unknown bases.
[[nodiscard]] bool is_special(const Value& type);

// Returns true for the result of `dataclasses.field`.
[[nodiscard]] bool is_dataclass_field(const Value& value);

// The most that the statements of a function change of modules that it gets, without the functions that it calls.
enum class ModuleChange : std::uint8_t {
  tensors,     // they set only names, and call only functions that keep all modules
  parts,       // they set no attributes
  attributes,  // they set attributes
};

// The arguments of a call.
struct Arguments {
  std::vector<Ref> positional;
  std::vector<Ref> named;
  std::vector<source::Located<std::string>> names;
  bool open_positional = false;  // more positional arguments are possible
  bool open_named = false;
  std::vector<Ref> rest;  // values that an unknown `*` or `**` may pass

  // Returns the argument of a name, or null. For many names of one call, NameIndex is faster.
  [[nodiscard]] Ref named_argument(std::string_view name) const;

  [[nodiscard]] bool is_open() const { return open_positional || open_named; }

  [[nodiscard]] std::vector<Ref> all() const;
};

// The places of the named arguments of a call. The arguments must outlive it.
class NameIndex {
 public:
  explicit NameIndex(const Arguments& arguments);

  // Returns the argument of a name, or null.
  [[nodiscard]] Ref find(std::string_view name) const;

 private:
  const Arguments& arguments_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

// An abstract interpreter: follows all paths that a script can take. A value is known only if it is the same on every
// path; a construct that is not modeled makes everything that it can change unknown.
class Interpreter {
 public:
  Interpreter(std::string_view text, const Library& library, ModulePlaces& files);

  [[nodiscard]] Trace run(std::span<const python::Script> scripts);

  using Node = python::Node;
  using Span = source::Span;

  // charges.cpp: Operations charge what they read and build before they do it. The functions return false if the
  // budget is exceeded.
  bool reads(std::size_t bytes);
  bool reads(const Value& value);  // its bytes, places and elements, without their parts
  bool visits(std::size_t elements);
  bool builds(std::size_t bytes);
  // Records the first limit that is reached. `what` names it unless it is one of the budget.
  void limit(Span span, std::string_view what = "the script is nested too deeply to follow");

  // charges.cpp: functions of values whose cost depends on the values
  std::optional<std::string> key_of(const Value& value);

  std::optional<std::string> repr_of(const Value& value) { return script::repr_of(value, budget_); }

  std::optional<std::string> str_of(const Value& value) { return script::str_of(value, budget_); }

  std::optional<std::string> format_of(const Value& value, std::string_view spec) {
    return script::format_of(value, spec, budget_);
  }

  std::optional<std::string> json_of(const Value& value, int indent) { return script::json_of(value, indent, budget_); }

  void make_unique(Value& set);
  // Returns the elements of an iterable, or nullopt if they or their order are unknown. Uses an iterator up.
  std::optional<std::vector<Ref>> elements(const Ref& value, Span span);

  // charges.cpp: new values
  Ref made(Ref object) { return heap_.added(std::move(object)); }

  Ref new_text(Span span, std::string text);
  Ref list_like(Value::Kind kind, std::vector<Ref> items, const Node& node, Value::Role role = Value::Role::plain);
  Ref duplicate(const Ref& value);
  // Returns a deep copy; null if it is too large.
  Ref deep_copy(const Ref& value);
  // Returns a shallow copy of an object, which shares the attributes that are not listed with the original.
  Ref shared_copy(const Ref& object);
  Ref substring(const Value& text, std::size_t begin, std::size_t end);
  Ref dedent(const Ref& text, const Node& node);

  // expressions.cpp: unknown values
  Ref opaque(Span span, std::string why);
  Ref depends(Span span, std::initializer_list<Ref> on, std::string_view why = {});
  Ref depends(Span span, const std::vector<Ref>& on, std::string_view why = {});
  // The result may also be one of the operands, or a part of one.
  Ref selects(Span span, const std::vector<Ref>& on, std::string_view why = {});
  Ref inherit(Ref out, std::initializer_list<Ref> from);

  // operators.cpp
  Ref operate(const std::string& operation, const Ref& left, const Ref& right, const Node& node);
  std::optional<bool> compare(const std::string& operation, const Ref& left, const Ref& right);
  [[nodiscard]] std::optional<bool> truth(const Ref& value) const;
  [[nodiscard]] std::optional<bool> equal(const Value& left, const Value& right, int depth = 0);
  [[nodiscard]] std::optional<bool> contains(const Ref& container, const Ref& item);

  // Objects and calls.
  Ref call_value(const Ref& callee, const Arguments& arguments, const Node& node);
  Ref attribute_of(const Ref& object, const std::string& name, const Node& node);
  Ref type_attribute(const Ref& type, const std::string& name);
  Ref item_of(const Ref& object, const Ref& key, const Node& node);
  void set_attribute(const Ref& object, const std::string& name, const Ref& value, Span span);
  bool merge(Value& out, const Ref& value, Span span);
  bool add_item(const Ref& list, const Ref& item);
  void keep(const Ref& value);
  bool lazily(const std::function<void()>& code, Span why);
  [[nodiscard]] bool is_record(const Value& value) const;
  Ref object_of_call(const Call& call);
  Ref opened_file(const Arguments& arguments, const Node& node);

  // What unknown code can change or run.
  void escape(const Ref& value, Span why, std::string_view reason);
  void touch(const Ref& value, Span span);
  void run_escaped(Span why);
  [[nodiscard]] bool runs_code(const Ref& value);

  // names.cpp and definitions.cpp: names, and code in strings
  Ref all_names(const Node& node);

  [[nodiscard]] bool is_in_module() const { return scope_->kind == Scope::Kind::module; }

  void lose_names() { lost_ = true; }

  void set_names(const Arguments& arguments);
  Ref super_of(const Arguments& arguments, const Node& node);
  std::optional<Ref> run_text(const std::string& text, bool expression, Span span);
  // Follows code whose names are the entries of a dictionary. Returns null if it is not known what it does.
  Ref run_text_in(const std::string& text, const Ref& names, Span span);

  // The state of the process.
  [[nodiscard]] Heap& heap() { return heap_; }

  [[nodiscard]] const Library& library() const { return library_; }

  void risk() { ++risks_; }

  void raise() { raised_ = true; }

  void write_files() { writes_ = true; }

  [[nodiscard]] bool writes_files() const { return writes_; }

  [[nodiscard]] const Ref& environment() const { return environment_; }

  // Adds a folder to `sys.path`, before or behind the others.
  void add_module_folder(const Ref& path, bool first);
  std::optional<source::Span> add_file(const std::string& path, std::string_view text, Span use);

 private:
  using Statement = python::Statement;

  // Enters a scope during its lifetime.
  class Entered {
   public:
    Entered(Interpreter& interpreter, std::shared_ptr<Scope> scope)
        : interpreter_(interpreter), scope_(std::exchange(interpreter.scope_, std::move(scope))) {}

    ~Entered() { interpreter_.scope_ = scope_; }

    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    Interpreter& interpreter_;
    std::shared_ptr<Scope> scope_;
  };

  // While it exists, loops may spend half of the budget that was left before the outermost loop. Loops that spend more
  // are followed with unknown values, so that the code after them is still read.
  class Looping {
   public:
    explicit Looping(Interpreter& interpreter) : interpreter_(interpreter) {
      const base::Budget::Limits left = interpreter.budget_.left();
      if (interpreter.loops_++ == 0) interpreter.reserve_ = {.steps = left.steps / 2, .bytes = left.bytes / 2};
    }

    ~Looping() { --interpreter_.loops_; }

    Looping(const Looping&) = delete;
    Looping& operator=(const Looping&) = delete;

   private:
    Interpreter& interpreter_;
  };

  using Path = std::function<Flow()>;
  using Round = std::function<void(std::size_t first_exit, std::size_t mark)>;

  // statements.cpp: simple statements
  Flow block(const std::vector<Statement>& statements);
  Flow statement(const Statement& statement);
  Flow simple(const Statement& statement);
  void annotate(const base::RareList<Node>& annotations);
  void keep_list(const Node& name, const Ref& value);
  void assign(const Node& target, const Ref& value);
  void assign_name(const std::string& name, Ref value);
  void assign_parts(const Node& target, const Ref& value);
  void assign_attribute(const Node& target, const Ref& value);
  void assign_item(const Node& target, const Ref& value);
  void set_item(const Ref& object, const Ref& key, const Ref& value, Span span);
  void set_slice(const Ref& object, const Ref& value, Span span);
  void set_instance_attribute(const Ref& object, const std::string& name, const Ref& value, Span span);
  void set_listed_attribute(const Ref& object, const std::string& name, const Ref& value, Span span);
  void set_field(const Ref& object, const std::string& name, const Ref& value, Span span);
  void set_entry(const Ref& object, const Ref& key, const Ref& value, Span span);
  struct Place;
  Place place_of_target(const Node& target);
  Ref load(const Place& place);
  void store(const Place& place, const Ref& value);
  void change_unknown(const Ref& value, const Ref& operand, Span span);
  void update_in_place(std::string_view method, const Ref& left, const Ref& right, const Node& at);
  void augment(const Statement& statement);
  void remove_entry(const Ref& object, const std::string& key, Span span);
  void remove(const Node& target);
  void remove_item(const Ref& object, const Ref& key, Span span);
  std::optional<bool> test(const Ref& value, Span span);
  void havoc(const Names& names, Span why, std::string_view reason);
  void havoc_values(Span why, std::string_view reason);
  void skip(const Statement& statement);

  // control.cpp: statements with a body
  Flow choose(const std::vector<Path>& paths, Span why, std::string_view reason);
  Flow choose(const std::vector<Path>& paths, Span why, std::string_view reason, std::optional<Default> by_default);
  void decide_exits(std::size_t first, Flow flow, const Default& by_default, bool taken, Span condition);
  [[nodiscard]] static std::optional<Default> default_of(const Ref& condition);
  [[nodiscard]] std::optional<Default> default_match(const Node& pattern, const Ref& value);
  Flow conditional(const Statement& statement);
  Flow loop(const Statement& statement);
  Flow loop_over(const Statement& statement, const Ref& values, std::size_t first, std::size_t mark);
  Flow known_loop(const Statement& statement, const Ref& values, const std::vector<Ref>& items, std::size_t first,
                  std::size_t mark);
  Flow while_loop(const Statement& statement, std::size_t first, std::size_t mark);
  Flow unknown_loop(const Statement& statement, const Ref& values, std::size_t first, std::size_t mark);
  bool repeat(const Round& round, Span why);
  [[nodiscard]] bool begin_round();
  Flow one_round(const Statement& statement, const Ref& values);
  Flow end_loop(const Statement& statement, bool alive, std::size_t first, std::size_t mark);
  bool settle(Flow flow, Flow joins, std::size_t first, std::size_t mark);
  [[nodiscard]] bool is_entered(const Value& context);
  Flow with(const Statement& statement);
  Flow with_unknown(const Statement& statement, const std::vector<Ref>& contexts);
  Flow attempt(const Statement& statement);
  Flow guarded(const Path& body, const std::vector<Path>& handlers, const Path& otherwise, Span why);
  Flow finally(Flow flow, const Statement& statement, std::size_t first);
  Flow match(const Statement& statement);
  Flow match_cases(const Statement& statement, const Ref& value, std::size_t at);
  bool may_recompute(const Ref& values, std::size_t start, std::size_t mark);
  std::optional<bool> matches(const Node& pattern, const Ref& value);
  std::optional<bool> matches_known(const Node& pattern, const Ref& value);
  std::optional<bool> matches_sequence(const Node& pattern, const Ref& value);
  std::optional<bool> matches_mapping(const Node& pattern, const Ref& value);
  std::optional<bool> matches_class(const Node& pattern, const Ref& value);
  Ref value_of_key(const Node& key, const Value& mapping);
  void bind_sequence(const Node& pattern, const Ref& value);
  bool bind_parts(const Node& pattern, const Ref& value);
  void bind_pattern(const Node& pattern, const Ref& value, bool known);

  // definitions.cpp: imports, functions and classes
  void import(const Statement& statement);
  void import_name(const Statement& statement, const python::Name& name);
  void note_missing(const std::shared_ptr<Scope>& module, const std::string& path, const python::Name& name);
  void note_missing_module(const std::string& path, const python::Name& name);
  void note_undefined(const std::string& name, Span span);
  [[nodiscard]] static std::string near_name(const std::string& name, const Scope& scope);

  // The branch of a condition, a round of a loop or the body of `try`.
  class Branch {
   public:
    explicit Branch(Interpreter& interpreter) : interpreter_(interpreter), outer_(interpreter.branch_) {
      interpreter.branch_ = interpreter.trace_.branches.add(outer_);
    }

    Branch(const Branch&) = delete;
    Branch& operator=(const Branch&) = delete;

    ~Branch() { interpreter_.branch_ = outer_; }

   private:
    Interpreter& interpreter_;
    std::uint32_t outer_;
  };

  // Returns true if every run of the script reaches the statement, and an error in it ends the run.
  [[nodiscard]] bool is_certain() const { return attempts_.empty() && uncertain_ == 0 && !silent_ && !uncalled_; }

  void import_all(const std::shared_ptr<Scope>& module, const std::string& name, Span span);
  Ref module_value(const python::Name& imported, const std::shared_ptr<Scope>& scope);

  struct ModuleText {
    std::string path;
    std::string text;
  };

  std::optional<ModuleText> module_in(const PathText& folder, const std::string& path, bool& unclear);
  std::optional<ModuleText> module_text(const std::string& path, bool relative);
  Flow run_module(const python::Script& script, const std::shared_ptr<Scope>& scope);
  python::Script* parse_code(const std::string& text, bool expression, Span span);
  Ref imported(const std::string& path, Span span);
  Ref constant(const std::string& path, Span span);
  [[nodiscard]] bool is_patched(std::string_view path) const;
  [[nodiscard]] std::optional<std::string> path_of_module(const std::string& module, std::size_t points) const;
  std::shared_ptr<Scope> sibling(const std::string& module, Span span);
  void define(const Statement& statement);
  void define_class(const Statement& statement);
  struct Bases;
  void add_base(const Ref& type, const Ref& base, Bases& bases);
  Bases add_bases(const Ref& type, const Statement& statement);
  void run_class_body(const Ref& type, const Statement& statement);
  Ref decorated_class(Ref type, const Statement& statement);
  void add_dataclass(const Ref& type, const Statement& statement);
  [[nodiscard]] bool has_hook(const Value& type) const;
  Ref function_of(const Statement& statement);
  Ref decorated(const Statement& statement, Ref function);
  const Binding& binding(const Statement& definition);
  void follow_uncalled();

  // generators.cpp: generators and context managers of the script
  using Consumer = std::function<void(const Ref& element)>;
  struct Reads;
  void add_reads(const Names& names, const std::shared_ptr<Scope>& scope, Reads& out);
  void add_read(const Ref& value, Reads& out);
  Ref new_generator(const Ref& function, const Arguments& arguments, const Node& node);
  bool generate(const Ref& generator, const Consumer& consume);
  std::optional<std::vector<Ref>> generated(const Ref& generator, Span span);
  std::optional<Ref> yielded(const Node& node);
  Flow generated_loop(const Statement& statement, const Ref& values, std::size_t first, std::size_t mark);
  Flow enter(const Statement& statement, const Ref& context);
  Flow enter_instance(const Statement& statement, const Ref& context);

  // calls.cpp
  [[nodiscard]] bool can_follow(const Value& function);
  Ref run_function(const Ref& function, const Arguments& arguments, const Node& node, const Consumer* consumer);
  Ref call(const Node& node);
  Arguments arguments_of(const Node& node);
  [[nodiscard]] bool keeps_arguments_on_all_paths(const Value& callee) const;
  Ref call_alternatives(const std::vector<Ref>& callees, const Arguments& arguments, const Node& node);
  Ref call_unknown(const Ref& callee, const Arguments& arguments, const Node& node);
  Ref call_keeping(const Value& callee, const Arguments& arguments, const Node& node);
  Ref call_name(const Ref& callee, const Arguments& arguments, const Node& node);
  Ref call_function(const Ref& function, const Arguments& arguments, const Node& node);
  Ref call_type(const Ref& type, const Arguments& arguments, const Node& node);
  bool is_unusual(const Ref& type, const Ref& initializer, const Arguments& arguments);
  Ref set_fields(const Ref& self, const Arguments& arguments, const Node& node);
  Ref call_known(const Ref& callee, const Arguments& arguments, const Node& node);
  void note_effects(const Value& callee);
  Builder builder(Span span);
  void add_spread(const Ref& value, Span span, Arguments& out);
  void add_mapping(const Ref& value, Span span, Arguments& out);
  Ref rest_arguments(const Arguments& arguments, std::size_t first, Span span);
  Ref rest_mapping(const Arguments& arguments, const std::set<std::string, std::less<>>& used, Span span);
  Ref default_argument(const Arguments& arguments, const python::Parameter& parameter, const Ref& fallback,
                       bool by_position);
  Ref call_partial(const Ref& partial, Arguments arguments, const Node& node);
  Ref object_of(const Value& callee, const Arguments& arguments, Span span);
  void record(const Ref& object);
  void bind_parameters(const Value& function, const Arguments& arguments, const std::shared_ptr<Scope>& scope);
  void keep_records(const Ref& value, std::set<const Value*>& seen, int depth);
  void outdate(const Ref& object, const std::string& attribute, Span why);
  [[nodiscard]] bool constructs(const Value& object) const;
  [[nodiscard]] bool is_stale(const Ref& value);
  void escape_callable(const Ref& callable);
  void expose(const Ref& function, const std::string& name, bool elements, Span why);
  Ref freeze(const Ref& value, int depth = 0);
  Arguments frozen(Arguments arguments);
  Ref bound(const Ref& function, const Ref& self, const Ref& type, const std::string& name, const Node& node);
  Ref field_default(const Ref& value, const Node& node);

  // model.cpp: objects that `from_pretrained` returns
  void keep_model(Value& call);
  void follow_model(const Ref& call);
  Ref model_attribute(const Ref& model, const std::string& name, Span span);
  void set_model_attribute(const Ref& model, const std::string& name, const Ref& value, Span span);
  void record_method(const Ref& model, const std::string& name, const Arguments& arguments, Span span);
  Ref model_method(const Ref& model, const std::string& name, const Arguments& arguments, Span span);
  [[nodiscard]] bool overrides(const Value& network, const std::string& name, int depth = 0);
  [[nodiscard]] ModuleChange change_by(const Statement& function);
  Ref apply_to_modules(const Ref& model, const Ref& function, Span span);
  Ref add_to_network(const Ref& network, const std::string& name, const std::vector<Ref>& arguments, Span span);

  // expressions.cpp
  Ref evaluate(const Node& node);
  [[nodiscard]] std::string_view text_at(Span span) const;
  Ref evaluate_kind(const Node& node);
  Ref evaluate_outside(const Node& node);
  Ref maybe(const Node& node, Span why);
  Ref number(const Node& node);
  Ref text_of(const Node& node);
  Ref format(const Node& node);
  void format_hole(const Node& part, const Ref& value, TextBuilder& out);
  Ref lookup(const std::string& name, Span span);
  [[nodiscard]] std::string mangled(const std::string& name) const;
  Ref attribute(const Node& node);
  Ref unknown_part(const Ref& object, std::string_view why, const Node& node);
  Ref attribute_of_name(const Ref& object, const std::string& name, const Node& node);
  Ref attribute_of_base(const Ref& object, const std::string& name, const Node& node);
  Ref attribute_of_object(const Ref& object, const std::string& name, const Node& node);
  Ref read_field(const Ref& object, const std::string& name, const Ref& argument);
  Ref attribute_of_network(const Ref& object, const std::string& name, const Node& node);
  Ref attribute_of_instance(const Ref& object, const std::string& name, const Node& node);
  Ref attribute_of_type(const Ref& object, const std::string& name, const Node& node);
  std::string name_of_member(const Value& type, const std::string& name, const Value& value);
  Ref enumeration_member(const Ref& type, const std::string& name, const Ref& value, const Node& node);
  Ref member_with_value(const Ref& type, const Value& value, const Node& node);
  Ref subscript(const Node& node);
  Ref item_of_names(const Ref& key, const Node& node);
  Ref item_of_mapping(const Ref& object, const Ref& key, const Node& node);
  Ref item_at(const Ref& object, std::int64_t index, const Node& node);
  bool slice_bounds(const Node& slice, std::optional<std::int64_t> (&bounds)[3], std::vector<Ref>& values);
  Ref sliced(const Ref& object, const std::optional<std::int64_t> (&bounds)[3], const Node& node);
  Ref slice(const Ref& object, const Node& slice, const Node& node);
  Ref dictionary(const Node& node);
  Ref sequence(Value::Kind kind, const Node& node);
  Ref comprehension(Value::Kind kind, const Node& node);
  Ref generator(const Node& node);
  bool comprehend(const Node& node, std::size_t clause, Value::Kind kind, Value& out);
  bool add_element(const Node& node, Value::Kind kind, Value& out);
  void comprehend_unknown(const Node& node, std::size_t clause, Value::Kind kind, const Ref& values, Value& out);
  bool comprehend_conditions(const Node& node, std::size_t clause, Value::Kind kind, Value& out);
  bool spread(Value& out, const Ref& value);
  void add_unknown_keys(Value& out, Span why, const std::string& reason);

  // operators.cpp
  Ref unary(const Node& node);
  Ref binary(const Node& node);
  Ref operate_on_numbers(const std::string& operation, const Ref& left, const Ref& right, const Node& node);
  Ref operate_on_text(const std::string& operation, const Ref& left, const Ref& right, const Node& node);
  Ref operate_on_containers(const std::string& operation, const Ref& left, const Ref& right, const Node& node);
  Ref concatenated(const Ref& left, const Ref& right, const Node& node);
  Ref repeated(const Ref& value, std::int64_t count, const Node& node);
  Ref comparison(const Node& node);
  Ref logical(const Node& node);
  Ref conditional(const Node& node);
  [[nodiscard]] std::optional<bool> identical(const Ref& left, const Ref& right) const;

  // library_calls.cpp: calls of operations in the tables
  Ref run_operation(const Operation& operation, const Ref& self, const Arguments& arguments, const Node& node);
  bool charge(const Operation& operation, const Call& call);
  Ref builtin(const std::string& name, const Arguments& arguments, const Node& node);
  Ref library_call(const std::string& path, const Arguments& arguments, const Node& node);
  Ref method(const Ref& object, const std::string& name, const Arguments& arguments, const Node& node);
  Ref object_method(const Ref& object, const std::string& name, const Arguments& arguments, const Node& node);

  void give_up();

  std::string_view text_;
  const Library& library_;
  base::Budget budget_;
  Heap heap_;
  ModulePlaces& module_places_;  // of the script and the files that it uses
  std::shared_ptr<Scope> module_;
  std::shared_ptr<Scope> scope_;
  Trace trace_;
  std::vector<Ref> functions_;  // in the order of their definition
  std::set<const Statement*> called_;
  std::map<const Statement*, std::size_t> active_;  // numbers of calls that are being followed
  std::vector<Ref> escaped_;                        // functions that unknown code can call
  std::set<const Value*> known_escaped_;
  std::map<const Statement*, std::size_t> escape_times_;  // the times from which unknown code can call functions
  // While a function is followed that may run at any time since `late_since_`: the time at which that begins.
  std::size_t late_since_ = 0;
  std::size_t late_begin_ = 0;
  std::map<const Value*, bool> stale_;  // values of names by whether they changed in that time
  // Copies of recipes that unknown code got, and changes that the script makes through unknown references.
  std::vector<Ref> kept_;
  std::vector<std::pair<Ref, std::string>> outdated_;
  std::map<const Statement*, std::unique_ptr<Binding>> bindings_;
  std::map<const Statement*, std::unique_ptr<Effects>> effects_;
  std::map<const Statement*, ModuleChange> module_changes_;
  std::map<const Value*, std::vector<Ref>> changed_models_;  // the calls that change a model in place, in order
  std::vector<State*> attempts_;  // changes on paths that may have raised an exception, by `try`
  std::map<std::string, std::shared_ptr<Scope>, std::less<>> siblings_;  // null: not found or in progress
  std::string package_;  // the folder of the module that is followed, from that of the script
  std::vector<std::unique_ptr<std::pair<std::string, python::Script>>> modules_;  // their texts and trees
  std::map<std::string, Ref, std::less<>> constants_;  // dictionaries of frameworks, by their names
  Names patched_;                                      // names of modules that the script has assigned
  std::size_t risks_ = 0;                              // operations that can raise an exception
  std::size_t uncertain_ = 0;                          // branches and loops around the statement that may not run
  std::uint32_t branch_ = 0;                           // the innermost of them, in Trace::branches
  std::size_t loops_ = 0;                              // nested loops and comprehensions
  base::Budget::Limits reserve_;                       // the budget that they leave for other code
  std::size_t calls_ = 0;                              // nested calls of functions of the script
  bool raised_ = false;                                // true if the current expression raises an exception
  bool lost_ = false;                                  // true if unknown code can change all names
  Ref environment_;                                    // `os.environ`
  // Folders of modules before and behind that of the script; nullopt: not known.
  std::vector<std::optional<PathText>> module_folders_;
  std::vector<std::optional<PathText>> more_module_folders_;
  bool searches_more_ = false;  // true if modules may also be in folders that are not known
  bool special_ = false;        // true if a class has methods that operators call
  bool writes_ = false;         // true if the script has written a file
  bool silent_ = false;         // true in a module next to the script, whose recipes belong to another file
  bool uncalled_ = false;       // true in a function that the script does not call
  Ref result_;                  // of `return`
};

}  // namespace sparsecfg::script
