#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "diag/sink.h"
#include "dialect/options.h"
#include "dialect/plan/plan.h"
#include "ir/recipe.h"
#include "model/model_names.h"
#include "source/source_file.h"

// Inputs and results of dialect writers.
namespace sparsecfg::dialect {

// A learning rate and the epoch from which it applies.
struct RateChange {
  double epoch = 0;
  double rate = 0;
  double fixed = 0;  // the part that does not depend on the initial learning rate
};

// Learning rates of the first parameter group over the whole run.
struct RateSchedule {
  bool known = false;               // true if all rates are known numbers
  bool whole_epochs = true;         // true if rates change only at the beginning of epochs
  bool complete = true;             // false if there were more than limits::kMaxRateChanges and some were dropped
  std::vector<RateChange> changes;  // by epoch; the first one may be the initial learning rate, at 0
};

struct WriteOptions {
  ReadOptions read;                               // options with which the recipe was read
  std::optional<double> initial_rate;             // --initial-lr
  const model::ModelNames* parameters = nullptr;  // all parameters of the model; null: unknown
  std::optional<double> epochs;                   // length of the run; nullopt: unknown
  std::size_t steps_per_epoch = 10;               // of the run used for the comparison
  bool own = false;                               // true if the recipe has the dialect of the writer
  bool by_effects = false;                        // true: rewrite a recipe of the same dialect from its effects
  Plan plan{};                                    // of the recipe
  RateSchedule rates;
  bool rate_is_variable = false;  // true if the initial learning rate is unknown; the rates, without their fixed
                                  // parts, are then multiples of an example
  // Longer output, or output with more nodes, is discarded, so the writer may stop early.
  std::size_t max_bytes = std::numeric_limits<std::size_t>::max();
  std::size_t max_nodes = std::numeric_limits<std::size_t>::max();
  bool compact_rates = true;                 // true if a scheduler may replace rates that it approximates
  const source::SourceFile* file = nullptr;  // the file of the recipe; null: unknown
  std::vector<std::string> figures{};        // summary lines about the run, for files that contain a description
  const source::SourceFile* expressions =
      nullptr;  // source of unevaluated expressions to keep; null: write evaluated values
};

// Maps a target of an action to the written action and target.
struct Link {
  std::size_t target = 0;
  int ordinal = 0;  // 1-based index of the written action
  std::size_t into = 0;
};

// Conversion result of an action.
struct ActionStatus {
  // not_converted: not converted, because it belongs to the training script or to a step after training
  enum class Kind { kept, approximated, not_converted, dropped };
  std::size_t action = 0;  // index in the recipe that was read
  Kind kind = Kind::kept;
  std::string reason;  // what differs or is dropped; may be empty
  std::vector<Link> links{};
  std::vector<std::string_view> codes{};  // of the diagnostics reported for the action

  // Marks the action as approximated and appends a reason.
  void approximate(std::string_view why) {
    kind = Kind::approximated;
    reason += reason.empty() ? "" : "; ";
    reason += why;
  }
};

// Reports a diagnostic for an action and records its code.
template <class... Args>
diag::Diagnostic& report(ActionStatus& status, diag::Sink& sink, const diag::Def<Args...>& def, source::Span span,
                         const std::type_identity_t<Args>&... args) {
  if (std::ranges::find(status.codes, def.info.code) == status.codes.end()) {
    status.codes.push_back(def.info.code);
  }
  return sink.report(def, span, args...);
}

struct WriteResult {
  std::string text;
  std::vector<ActionStatus> statuses;    // one per action, in order
  std::vector<std::string> notes;        // differences that the comparison of schedules does not cover
  bool renamed = false;                  // true if a recipe of the same dialect is upgraded to a newer form
  std::optional<double> initial_rate{};  // that the training script must set, if not --initial-lr
  // Reader options required to read the output (ReadOptions::reader_options).
  std::vector<std::pair<std::string_view, std::string>> read_with{};
  std::vector<std::string> instructions{};  // actions required outside the file
  std::uint64_t begin = 0;                  // training steps before the first step of the recipe
};

// Reports a difference that the comparison of values may not show, and records it in the status.
void approximate(ActionStatus& status, const ir::Action& action, std::string_view reason, diag::Sink& sink);

// Drops an action because it counts `from` ("steps"), the target counts `to` ("epochs"), and the number of steps per
// epoch is unknown.
void drop_without_steps(ActionStatus& status, const ir::Action& action, std::string_view from, std::string_view to,
                        diag::Sink& sink);

// Reports the fields of an action that `system` ("NNI") ignores.
void report_lost_fields(const ActionPlan& plan, const ir::Action& action, std::string_view system, ActionStatus& status,
                        diag::Sink& sink);

// Reports parts of a pruner that `system` does not support: bounds of ratios, dropped fields, masks of biases, and an
// update after the last step of the run.
void report_unsupported(const ActionPlan& plan, const ir::Action& action, const ir::Prune& prune,
                        const WriteOptions& options, std::string_view system, ActionStatus& status, diag::Sink& sink);

// Returns true if an action counts steps and the number of steps per epoch is unknown.
[[nodiscard]] bool counts_unknown_steps(const ir::Action& action, const WriteOptions& options);

// Returns links for an action that is written unchanged as action number `ordinal`.
[[nodiscard]] std::vector<Link> links_to(const ir::Effect& effect, int ordinal);

// Marks an action as not converted and reports `what` must be done instead.
void mark_not_converted(ActionStatus& status, const ir::Action& action, std::string_view system, std::string what,
                        diag::Sink& sink);

// Returns the number of nodes of a value, including all nested keys and values.
[[nodiscard]] std::size_t nodes_of(const source::Value& value);

// Returns the reason for dropping an action if the output exceeds `options.max_nodes` nodes.
[[nodiscard]] std::string too_many_nodes(const WriteOptions& options);

// Reports that an action can't be written for `system` ("NNI"), and marks it as dropped.
void drop(ActionStatus& status, const ir::Action& action, std::string_view system, std::string reason,
          diag::Sink& sink);

struct ComposeOptions {
  bool keep_epochs = false;  // true: do not shift the epochs of the later recipe
};

struct Composed {
  ir::Recipe recipe;                 // actions have their fields, but no computed values
  std::vector<std::string> remarks;  // changes to actions other than shifted epochs
  std::string problem;               // why the recipes can't be composed; empty on success
};

// Returns `base` followed by `next`. Precondition: both are valid, and no action ends after the length of its recipe.
using Compose = Composed (*)(ir::Recipe base, ir::Recipe next, const ComposeOptions& options);

}  // namespace sparsecfg::dialect
