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
#include "python/value.h"
#include "script/heap.h"
#include "script/names.h"
#include "script/trace.h"

namespace sparsecfg::script {

// Returns the value of a bool, int or float.
[[nodiscard]] std::optional<python::Number> number_in(const Value& value);

// Returns true for a class with methods that operators, builtin functions or statements call, or with unknown bases.
[[nodiscard]] bool is_special(const Value& type);

// The arguments of a call.
struct Arguments {
  std::vector<Ref> positional;
  std::vector<Ref> named;
  std::vector<source::Located<std::string>> names;
  bool open_positional = false;  // more positional arguments are possible
  bool open_named = false;
  std::vector<Ref> rest;  // values that an unknown `*` or `**` may pass

  [[nodiscard]] Ref named_argument(std::string_view name) const;

  [[nodiscard]] bool is_open() const { return open_positional || open_named; }

  [[nodiscard]] std::vector<Ref> all() const;
};

// An abstract interpreter: follows all paths that a script can take. A value is known only if it is the same on every
// path; a construct that is not modeled makes everything that it can change unknown.
class Interpreter {
 public:
  Interpreter(std::string_view text, const Library& library);

  [[nodiscard]] Trace run(std::span<const python::Script> scripts);

 private:
  using Node = python::Node;
  using Statement = python::Statement;
  using Span = source::Span;

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
  void keep_list(const Node& name, const Ref& value);
  void assign(const Node& target, const Ref& value);
  void assign_name(const std::string& name, Ref value);
  void assign_parts(const Node& target, const Ref& value);
  void assign_attribute(const Node& target, const Ref& value);
  void assign_item(const Node& target, const Ref& value);
  void set_item(const Ref& object, const Ref& key, const Ref& value, Span span);
  void set_slice(const Ref& object, const Ref& value, Span span);
  void set_attribute(const Ref& object, const std::string& name, const Ref& value, Span span);
  void augment(const Statement& statement);
  void remove(const Node& target);
  void remove_item(const Ref& object, const Ref& key, Span span);
  void keep(const Ref& value);
  std::optional<bool> test(const Ref& value, Span span);
  void havoc(const Names& names, Span why, std::string_view reason);
  void havoc_values(Span why, std::string_view reason);
  void skip(const Statement& statement);

  // control.cpp: statements with a body
  Flow choose(const std::vector<Path>& paths, Span why, std::string_view reason);
  Flow conditional(const Statement& statement);
  Flow loop(const Statement& statement);
  Flow known_loop(const Statement& statement, const Ref& values, const std::vector<Ref>& items, std::size_t first,
                  std::size_t mark);
  Flow while_loop(const Statement& statement, std::size_t first, std::size_t mark);
  Flow unknown_loop(const Statement& statement, const Ref& values, std::size_t first, std::size_t mark);
  bool repeat(const Round& round, Span why);
  [[nodiscard]] bool begin_round();
  Flow one_round(const Statement& statement, const Ref& values);
  Flow end_loop(const Statement& statement, bool alive, std::size_t first, std::size_t mark);
  bool settle(Flow flow, Flow joins, std::size_t first, std::size_t mark);
  Flow with(const Statement& statement);
  Flow attempt(const Statement& statement);
  Flow guarded(const Path& body, const std::vector<Path>& handlers, const Path& otherwise, Span why);
  Flow finally(Flow flow, const Statement& statement, std::size_t first);
  Flow match(const Statement& statement);
  Flow match_cases(const Statement& statement, const Ref& value, std::size_t at);
  std::optional<bool> matches(const Node& pattern, const Ref& value);
  void bind_pattern(const Node& pattern, const Ref& value, bool known);

  // definitions.cpp: imports, functions and classes
  void import(const Statement& statement);
  Ref imported(const std::string& path, Span span);
  Ref constant(const std::string& path, Span span);
  [[nodiscard]] bool is_patched(std::string_view path) const;
  std::shared_ptr<Scope> sibling(const std::string& module, Span span);
  void define(const Statement& statement);
  void define_class(const Statement& statement);
  void add_dataclass(const Ref& type, const Statement& statement);
  [[nodiscard]] bool has_hook(const Value& type) const;
  std::optional<Ref> run_text(const std::string& text, bool expression, Span span);
  Ref function_of(const Statement& statement);
  Ref decorated(const Statement& statement, Ref function);
  const Binding& binding(const Statement& definition);
  void follow_uncalled();

  // calls.cpp
  Ref call(const Node& node);
  Arguments arguments_of(const Node& node);
  Ref call_value(const Ref& callee, const Arguments& arguments, const Node& node);
  [[nodiscard]] bool keeps_arguments_on_all_paths(const Value& callee) const;
  Ref call_alternatives(const std::vector<Ref>& callees, const Arguments& arguments, const Node& node);
  Ref call_unknown(const Ref& callee, const Arguments& arguments, const Node& node);
  Ref call_name(const Ref& callee, const Arguments& arguments, const Node& node);
  Ref call_function(const Ref& function, const Arguments& arguments, const Node& node);
  Ref call_type(const Ref& type, const Arguments& arguments, const Node& node);
  Ref call_partial(const Ref& partial, Arguments arguments, const Node& node);
  Ref object_of(const Ref& callee, const Arguments& arguments, const Node& node);
  void record(const Ref& object);
  void bind_parameters(const Value& function, const Arguments& arguments, const std::shared_ptr<Scope>& scope);
  void escape(const Ref& value, Span why, std::string_view reason);
  [[nodiscard]] bool is_record(const Value& value) const;
  void keep_records(const Ref& value, std::set<const Value*>& seen, int depth);
  void outdate(const Ref& object, const std::string& attribute, Span why);
  [[nodiscard]] bool runs_code(const Ref& value);
  [[nodiscard]] bool constructs(const Value& object) const;
  void touch(const Ref& value, Span span);
  [[nodiscard]] bool is_stale(const Ref& value);
  void escape_callable(const Ref& callable);
  void expose(const Ref& function, const std::string& name, bool elements, Span why);
  Ref freeze(const Ref& value, int depth = 0);
  Ref bound(const Ref& function, const Ref& self, const Ref& type, const std::string& name, const Node& node);
  void run_escaped(Span why);
  Ref field_default(const Ref& value, const Node& node);

  // model.cpp: objects that `from_pretrained` returns
  void keep_model(Value& call);
  Ref model_attribute(const Ref& model, const std::string& name, Span span);
  void set_model_attribute(const Ref& model, const std::string& name, const Ref& value, Span span);
  Ref model_method(const Ref& model, const std::string& name, const Arguments& arguments, Span span);

  // expressions.cpp
  Ref evaluate(const Node& node);
  [[nodiscard]] std::string_view text_at(Span span) const;
  Ref evaluate_kind(const Node& node);
  Ref maybe(const Node& node, Span why);
  Ref number(const Node& node);
  Ref text_of(const Node& node);
  Ref format(const Node& node);
  Ref lookup(const std::string& name, Span span);
  [[nodiscard]] std::string mangled(const std::string& name) const;
  Ref attribute(const Node& node);
  Ref attribute_of(const Ref& object, const std::string& name, const Node& node);
  Ref type_attribute(const Ref& type, const std::string& name);
  Ref subscript(const Node& node);
  Ref item_of(const Ref& object, const Ref& key, const Node& node);
  Ref slice(const Ref& object, const Node& slice, const Node& node);
  Ref dictionary(const Node& node);
  Ref sequence(Value::Kind kind, const Node& node);
  Ref comprehension(Value::Kind kind, const Node& node);
  Ref generator(const Node& node);
  void lazily(const std::function<void()>& code, Span why);
  bool comprehend(const Node& node, std::size_t clause, Value::Kind kind, Value& out);
  bool comprehend_conditions(const Node& node, std::size_t clause, Value::Kind kind, Value& out);
  bool spread(Value& out, const Ref& value);
  bool merge(Value& out, const Ref& value, Span span);
  void add_unknown_keys(Value& out, Span why, const std::string& reason);

  // operators.cpp
  Ref unary(const Node& node);
  Ref binary(const Node& node);
  Ref operate(const std::string& operation, const Ref& left, const Ref& right, const Node& node);
  Ref repeat(const Ref& value, const Ref& count, const Node& node);
  Ref comparison(const Node& node);
  std::optional<bool> compare(const std::string& operation, const Ref& left, const Ref& right);
  Ref logical(const Node& node);
  Ref conditional(const Node& node);
  [[nodiscard]] std::optional<bool> truth(const Ref& value) const;
  [[nodiscard]] std::optional<bool> equal(const Value& left, const Value& right, int depth = 0);

  [[nodiscard]] std::optional<bool> identical(const Ref& left, const Ref& right) const;
  [[nodiscard]] std::optional<bool> contains(const Ref& container, const Ref& item);

  // builtins.cpp: functions of Python. They return null if they do not know the call.
  Ref builtin(const std::string& name, const Arguments& arguments, const Node& node);
  Ref super_of(const Arguments& arguments, const Node& node);
  Ref conversion(const std::string& name, const Arguments& arguments, const Node& node);
  Ref iteration(const std::string& name, const Arguments& arguments, const Node& node);
  Ref reduction(const std::string& name, const Arguments& arguments, const Node& node);
  Ref next(const std::vector<Ref>& arguments, const Node& node);
  Ref extreme_by_key(const std::string& name, const Arguments& arguments, const Node& node);
  Ref inspection(const std::string& name, const Arguments& arguments, const Node& node);
  Ref dictionary_of(const Arguments& arguments, const Node& node);
  Ref range(const Arguments& arguments, const Node& node);
  Ref sorted(const Arguments& arguments, const Node& node);
  std::optional<std::vector<Ref>> elements(const Ref& value, Span span);
  Ref list_like(Value::Kind kind, std::vector<Ref> items, const Node& node, std::string_view path = {});

  // methods.cpp: methods of lists, dictionaries, sets and objects
  Ref method(const Ref& object, const std::string& name, const Arguments& arguments, const Node& node);
  Ref list_method(const Ref& list, const std::string& name, const Arguments& arguments, const Node& node);
  Ref set_method(const Ref& set, const std::string& name, const Arguments& arguments, const Node& node);
  Ref dictionary_method(const Ref& object, const std::string& name, const Arguments& arguments, const Node& node);
  bool add_item(const Ref& list, const Ref& item);
  void update(const Ref& object, const Arguments& arguments, const Node& node);

  // strings.cpp: methods and formats of strings
  Ref string_method(const Ref& object, const std::string& name, const Arguments& arguments, const Node& node);
  Ref plain_string_method(const std::string& text, const std::string& name, const std::vector<Ref>& arguments,
                          const Node& node);
  Ref join_strings(const Ref& separator, const Ref& parts, const Node& node);
  Ref formatted(const Ref& object, const Arguments& arguments, const Node& node);
  Ref percent(const Ref& object, const Ref& values, const Node& node);
  bool append(Value& text, const Ref& value, Span span);
  void append_hole(Value& text, Span span);
  bool append_text(Value& text, const Value& more);
  Ref new_text(Span span, std::string text);

  // modules.cpp: functions of the standard library
  Ref library_call(const std::string& path, const Arguments& arguments, const Node& node);
  Ref names_method(const Ref& names, const std::string& name, const Arguments& arguments, const Node& node);
  Ref json_dumps(const Arguments& arguments, const Node& node);
  Ref json_loads(const Ref& text, const Node& node);
  Ref path_call(const std::string& path, const Arguments& arguments, const Node& node);
  Ref read_file(const Ref& path, const Node& node);
  Ref parsed_options(const Ref& parser, const Node& node);
  Ref file_method(const Ref& object, const std::string& name, const Arguments& arguments, const Node& node);

  Ref duplicate(const Ref& value);
  Ref read_yaml(const Ref& text, const Node& node);
  Ref converted(const source::Value& value, Span span);
  std::optional<std::pair<bool, std::string>> path_of(const Value& value) const;
  Ref path_object(bool here, std::string text, const Node& node);
  Ref path_string(bool here, std::string text, const Node& node);
  Ref path_attribute(const Value& object, const std::string& name, const Node& node);
  Ref add_option(const Ref& parser, const Arguments& arguments, const Node& node);
  Ref substring(const Value& text, std::size_t begin, std::size_t end);
  Ref dedent(const Ref& text, const Node& node);

  // Values that are unknown.
  Ref opaque(Span span, std::string why);
  Ref depends(Span span, std::initializer_list<Ref> on, std::string_view why = {});
  Ref depends(Span span, const std::vector<Ref>& on, std::string_view why = {});
  // The result may also be one of the operands, or a part of one.
  Ref selects(Span span, const std::vector<Ref>& on, std::string_view why = {});

  Ref made(Ref object) { return heap_.added(std::move(object)); }

  Ref inherit(Ref out, std::initializer_list<Ref> from);
  void limit(Span span, std::string_view what = "the script is nested too deeply to follow");
  void give_up();

  std::string_view text_;
  const Library& library_;
  base::Budget budget_;
  Heap heap_;
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
  std::vector<State*> attempts_;  // changes on paths that may have raised an exception, by `try`
  std::map<std::string, std::shared_ptr<Scope>, std::less<>> siblings_;           // null: not found or in progress
  std::vector<std::unique_ptr<std::pair<std::string, python::Script>>> modules_;  // their texts and trees
  std::map<std::string, Ref, std::less<>> constants_;  // dictionaries of frameworks, by their names
  Names patched_;                                      // names of modules that the script has assigned
  std::size_t risks_ = 0;                              // operations that can raise an exception
  std::size_t uncertain_ = 0;                          // branches and loops around the statement that may not run
  std::size_t loops_ = 0;                              // nested loops and comprehensions
  base::Budget::Limits reserve_;                       // the budget that they leave for other code
  std::size_t calls_ = 0;                              // nested calls of functions of the script
  bool raised_ = false;                                // true if the current expression raises an exception
  bool lost_ = false;                                  // true if unknown code can change all names
  bool special_ = false;                               // true if a class has methods that operators call
  bool writes_ = false;                                // true if the script has written a file
  bool silent_ = false;  // true in a module next to the script, whose recipes belong to another file
  Ref result_;           // of `return`
};

}  // namespace sparsecfg::script
