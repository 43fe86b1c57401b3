#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "script/value.h"

namespace sparsecfg::script {

// The names of a module, function or class.
struct Scope {
  std::map<std::string, Ref, std::less<>> names;
  std::shared_ptr<Scope> outer;     // null for the module
  std::set<std::string> outside{};  // names of outer scopes that the function assigns
};

class Follower {
 public:
  Follower(std::string_view text, const Constant& constant)
      : text_(text), constant_(constant), scope_(std::make_shared<Scope>()) {}

  [[nodiscard]] Trace run(std::span<const python::Script> scripts);

 private:
  using Node = python::Node;
  using Statement = python::Statement;

  // How the current round of a loop ends early.
  enum class Left : std::uint8_t { no, by_continue, by_break };

  // Enters the scope of a function or class during its lifetime.
  class Entered {
   public:
    Entered(Follower& follower, const std::shared_ptr<Scope>& outer)
        : follower_(follower),
          scope_(std::exchange(follower.scope_, std::make_shared<Scope>(Scope{{}, outer}))),
          result_(std::exchange(follower.result_, nullptr)),
          returned_(std::exchange(follower.returned_, false)),
          left_(std::exchange(follower.left_, Left::no)) {
      ++follower_.depth_;
    }

    ~Entered() {
      follower_.scope_ = scope_;
      follower_.result_ = result_;
      follower_.returned_ = returned_;
      follower_.left_ = left_;
      --follower_.depth_;
    }

    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    Follower& follower_;
    std::shared_ptr<Scope> scope_;
    Ref result_;
    bool returned_;
    Left left_;
  };

  // follower.cpp: statements
  void follow(const std::vector<Statement>& statements);
  void follow(const Statement& statement);
  void import(const Statement& statement);
  void assign(const Node& target, const Ref& value);
  void assign_attribute(const Node& target, const Ref& value);
  void assign_item(const Node& target, const Ref& value);
  void augment(const Statement& statement);
  void with(const Statement& statement);
  void branch(const Statement& statement);
  void loop(const Statement& statement);
  void uncertain(const std::vector<Statement>& one, const std::vector<Statement>& other, const std::string& why);
  void define(const Statement& statement);
  void follow_uncalled();
  void change(const Ref& container);
  void lose(const Ref& container);
  void remove(const Node& target);
  void leave(bool by_break);
  void give_back(const Statement& statement);
  void known_loop(const Statement& statement, const std::vector<Ref>& items);
  void follow_skipped(const std::vector<Statement>& statements, std::size_t& at);
  void bind_name(const std::string& name, const Ref& value);
  void write(Scope& scope, const std::string& name, const Ref& value);
  std::size_t begin_changes();
  void end_changes();
  [[nodiscard]] std::map<std::string, Ref> changed_since(std::size_t mark) const;
  void revert(std::size_t mark);
  void set_attribute(const Ref& object, const std::string& name, source::Span span, const Ref& value);
  std::size_t place_of(const Value& dictionary, const Value& key);
  void put(const Ref& dictionary, const Ref& key, const Ref& value);
  bool fits(const Value& one, const Value& other);
  Ref slice(const Node& node, const Ref& object);
  Ref list_method(const Node& node, const Ref& list, const std::string& name, const std::vector<Ref>& arguments);
  Ref dictionary_method(const Node& node, const Ref& object, const std::string& name,
                        const std::vector<Ref>& arguments);
  void keep_change(const Value& object, const Ref& key, source::Span span);

  // expressions.cpp
  Ref value_of(const Node& node);
  Ref text_of(const Node& node);
  Ref format(const Node& node);
  Ref name(const Node& node);
  Ref attribute(const Node& node);
  Ref subscript(const Node& node);
  Ref unary(const Node& node);
  Ref binary(const Node& node);
  Ref comparison(const Node& node);
  Ref logical(const Node& node);
  Ref conditional(const Node& node);
  Ref dictionary(const Node& node);
  Ref sequence(Value::Kind kind, const Node& node);
  Ref comprehension(Value::Kind kind, const Node& node);
  [[nodiscard]] std::optional<bool> truth(const Ref& value) const;

  // calls.cpp
  Ref call(const Node& node);
  Ref make_object(const Node& node, const Ref& callee);
  Ref builtin(const Node& node, const std::string& name);
  Ref method(const Node& node, const Ref& object, const std::string& name);
  Ref formatted(const Node& node, const Ref& object, const std::vector<Ref>& arguments);
  Ref run_function(const Node& node, const Ref& function);
  void bind_parameters(const Value& function, const Value& arguments);

  // Returns false, and records the place, if the steps are used up.
  bool spend(source::Span where) {
    if (++steps_ <= kMaxSteps) return true;
    if (!trace_.limit) trace_.limit = where;
    return false;
  }

  // An assignment of a name. The value before is null if there was none.
  struct Written {
    Scope* scope;
    std::string name;
    Ref before;
  };

  // The places of the keys of a large dictionary.
  struct Index {
    std::size_t read = 0;  // number of items in the index
    std::map<std::string, std::size_t> places;
  };

  static constexpr std::size_t kMaxSteps = 200'000;
  static constexpr std::size_t kMaxBytes = 16'000'000;
  static constexpr std::size_t kMaxDepth = 40;
  static constexpr std::size_t kMaxItems = 5'000;

  std::string_view text_;
  const Constant& constant_;
  std::shared_ptr<Scope> scope_;
  Trace trace_;
  std::vector<Ref> functions_;  // in the order of their definition
  std::set<const Statement*> called_;
  std::size_t steps_ = 0;
  std::size_t depth_ = 0;
  std::size_t unsure_ = 0;  // number of unknown conditions and loops around the current statement
  std::size_t tries_ = 0;   // number of `try` statements around the current statement
  Ref result_;              // of the current function
  bool returned_ = false;
  Left left_ = Left::no;  // of the current loop
  static constexpr std::size_t kNoLoop = static_cast<std::size_t>(-1);
  std::size_t loop_unsure_ = kNoLoop;  // `unsure_` where the current loop begins, if its rounds are followed
  bool unsure_leave_ = false;          // true if the current loop may have ended early
  base::Budget budget_{{.steps = kMaxSteps, .bytes = kMaxBytes, .depth = kMaxDepth}};
  std::map<const Value*, Index> indexes_;
  std::vector<Written> changes_;  // while `tracked_` is not 0
  std::size_t tracked_ = 0;
};

// Appends a string to another, with the places of its parts.
void append(Value& text, const Value& more);

}  // namespace sparsecfg::script
