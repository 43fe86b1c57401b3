#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "architecture/build.h"
#include "architecture/family.h"
#include "base/budget.h"
#include "source/value.h"

namespace sparsecfg::architecture {

// The first reason why a configuration is rejected, and the variables that expressions have read. Shared by all scopes
// of one derivation.
struct Progress {
  std::string fault;        // empty: none so far
  bool is_unknown = false;  // true if the fault is that a build does not decide the names
  std::string raises;       // why llm-compressor cannot split the experts of the model; empty: it can
  Releases transformers{kNewestTransformers, kNewestTransformers};
  Releases llmcompressor{kNewestLlmCompressor, kNewestLlmCompressor};
  base::Budget budget{{.steps = 20'000'000}};  // of the comparisons with elements of lists
  std::set<std::string, std::less<>> read;

  bool linearized = false;  // true if llm-compressor may split experts

  void fail(std::string reason) {
    if (fault.empty()) fault = std::move(reason);
  }

  // Fails because a build does not decide the names.
  void leave_unknown(std::string reason) {
    if (fault.empty()) is_unknown = true;
    fail(std::move(reason));
  }
};

// A value that is owned, or that is part of a configuration or a table.
class Item {
 public:
  Item() = default;

  Item(source::Value::Data data) : own_{std::move(data), {}} {}

  explicit Item(const source::Value* other) : other_(other) {}

  [[nodiscard]] const source::Value& get() const { return other_ == nullptr ? own_ : *other_; }

 private:
  source::Value own_;
  const source::Value* other_ = nullptr;
};

// The fields of a configuration or a nested one, as the configuration class of transformers completes them.
class Scope {
 public:
  // `type` is a key of the table of defaults. All arguments must outlive this object.
  Scope(const source::Value& config, std::string type, Progress& progress);

  // Returns the value of a variable, a definition of the family, or a field. Fails if it is unknown.
  [[nodiscard]] Item find(std::string_view name);
  // Returns a field as the file has it; null if it is absent.
  [[nodiscard]] const source::Value* given(std::string_view name) const;
  // Returns the scope of a nested configuration. Returns this scope and fails if there is none.
  [[nodiscard]] Scope& nested(std::string_view key);

  // Adds a definition of the family.
  void define(const Row& row);

  std::map<std::string, source::Value, std::less<>> variables;

  [[nodiscard]] Progress& progress() { return progress_; }

 private:
  using Definitions = std::map<std::string, const Expression*, std::less<>>;

  [[nodiscard]] bool has_nested(std::string_view key) const;
  [[nodiscard]] std::string_view alias_of(std::string_view name) const;
  [[nodiscard]] const source::Value* fallback(std::string_view name) const;
  [[nodiscard]] Item absent_field(std::string_view name, bool& is_null);
  [[nodiscard]] Item evaluate(const Expression& value, std::string_view name);
  [[nodiscard]] Item view();
  [[nodiscard]] source::Value merged(std::string_view key) const;

  const source::Value& config_;
  std::string type_;
  Progress& progress_;
  const source::Value* class_ = nullptr;  // the row of the table of defaults
  std::map<std::string, std::string, std::less<>> aliases_;
  std::set<std::string, std::less<>> flat_;
  std::set<std::string, std::less<>> busy_;  // definitions that are being evaluated
  Definitions lets_;
  Definitions nulls_;
  Definitions missing_;
  Definitions absent_;
  std::map<std::string, std::pair<std::unique_ptr<source::Value>, std::unique_ptr<Scope>>, std::less<>> nested_;
};

// Evaluates an expression of a table. Returns None and fails for an error, such as a division by zero.
[[nodiscard]] Item evaluate(const Expression& expression, Scope& scope);

// Returns Python's bool() of a value.
[[nodiscard]] bool is_true(const source::Value& value);

// Returns the value of a JSON text, or None if it is not valid. Like Python, accepts numbers that are not finite. They
// are None, because no size depends on them.
[[nodiscard]] source::Value value_of_json(std::string_view text);

// Returns the model type that the configuration class of `type` gives to a nested configuration without one; empty if
// there is none.
[[nodiscard]] std::string default_type(std::string_view type, std::string_view key);

// Returns the string at a key of a mapping; empty if there is none.
[[nodiscard]] std::string string_at(const source::Value& map, std::string_view key);

}  // namespace sparsecfg::architecture
