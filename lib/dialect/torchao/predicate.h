#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/names.h"
#include "python/tree.h"

// Functions of a script that decide about one module, such as `filter_fn`.
namespace sparsecfg::dialect::torchao {

// A value in such a function. Everything that only a run can tell is unknown.
struct Known {
  struct Unknown {};

  struct None {};

  struct Module {};

  struct Weight {};

  // A class of a module, by its last name.
  struct Class {
    std::string name;
  };

  struct Regex {
    std::string pattern;
  };

  std::variant<Unknown, None, bool, std::int64_t, std::string, Module, Weight, Class, Regex, std::vector<Known>> value;

  template <class T>
  [[nodiscard]] const T* get() const {
    return std::get_if<T>(&value);
  }

  // Returns what `bool()` returns; nullopt if it is unknown.
  [[nodiscard]] std::optional<bool> truth() const;
  // Returns the result of `==`; nullopt if it is unknown.
  [[nodiscard]] std::optional<bool> equals(const Known& other) const;
};

// Names of a script with their values. Functions of a script can call each other.
class Definitions {
 public:
  Definitions() = default;
  explicit Definitions(const std::vector<python::Statement>& script);

  // Returns the function of a name, also if another function defines it; null if there is none or several.
  [[nodiscard]] const python::Statement* function(std::string_view name) const;
  // Returns the expression that the script assigns to a name, if it does so once; null if not.
  [[nodiscard]] const python::Node* constant(std::string_view name) const;

 private:
  void add(const std::vector<python::Statement>& statements);
  void add(const python::Statement& statement);
  void define(const std::string& name, const python::Node* value);

  std::map<std::string, const python::Statement*, std::less<>> functions_;  // null: defined twice
  std::map<std::string, const python::Node*, std::less<>> constants_;       // null: assigned twice, or changed
};

// State of the evaluations of one function for all modules.
struct Evaluations {
  std::size_t steps_left = 20'000'000;
  // Texts that a function compares with names of modules; true: at least one comparison was true.
  std::map<std::string, bool, std::less<>> compared{};
};

// Evaluates functions for one module.
class Predicate {
 public:
  Predicate(const Definitions& definitions, const model::Module& module, Evaluations& shared)
      : definitions_(definitions), module_(module), shared_(shared) {}

  // Returns the truth of what a function of a module and its name returns; nullopt if only a run can tell.
  // `name_first`: the function gets them in the other order.
  [[nodiscard]] std::optional<bool> operator()(const python::Statement& function, bool name_first = false);

 private:
  using Node = python::Node;
  using Names = std::map<std::string, Known, std::less<>>;

  // How a block of statements ends.
  enum class End : std::uint8_t { falls, returns, breaks, continues, unknown };

  struct Frame {
    Names names;
    Known result;
  };

  Known call(const python::Statement& function, const std::vector<Known>& arguments);
  End block(const std::vector<python::Statement>& statements, Frame& frame);
  End run(const python::Statement& statement, Frame& frame);
  End loop(const python::Statement& statement, Frame& frame);

  Known evaluate(const Node& node, Frame& frame);
  Known lookup(const std::string& name, Frame& frame);
  Known logical(const Node& node, Frame& frame);
  Known binary(const Node& node, Frame& frame);
  Known comparison(const Node& node, Frame& frame);
  Known attribute(const Node& node, Frame& frame);
  Known attribute_of(const Known& object, const std::string& name);
  Known item(const Node& node, Frame& frame);
  Known list(const Node& node, Frame& frame);
  bool comprehend(const Node& node, std::size_t clause, Frame& frame, std::vector<Known>& out);
  Known call_name(const Node& node, Frame& frame);
  Known call_of(const Node& node, Frame& frame);
  Known method_of(const std::string& text, std::string_view name, const std::vector<Known>& given);
  std::optional<bool> compared(const std::string& name, const Known& left, const Known& right);
  void note(const std::string& name, const Known& text, std::optional<bool> result);
  std::optional<std::vector<Known>> arguments(const Node& node, std::size_t first, Frame& frame);
  [[nodiscard]] Known is_instance(const Known& object, const Known& type) const;

  const Definitions& definitions_;
  const model::Module& module_;
  Evaluations& shared_;
  int depth_ = 0;
};

}  // namespace sparsecfg::dialect::torchao
