#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/options.h"
#include "ir/model_names.h"
#include "ir/recipe.h"
#include "source/source_file.h"

// What a dialect's writer is given and gives.
namespace sparsecfg::dialect {

// A learning rate and the epoch from which on it is in force.
struct RateChange {
  double epoch = 0;
  double rate = 0;
  double fixed = 0;  // the part of it that is the same whatever the trainer's rate is
};

// The rates of the first parameter group over the whole run.
struct RateSchedule {
  bool known = false;               // true if every one of them is a number
  bool whole_epochs = true;         // true if they change nowhere but at the beginning of an epoch
  std::vector<RateChange> changes;  // by epoch; the first one may be that of the trainer, at 0
};

struct WriteOptions {
  ReadOptions read;                            // what the command line says of the recipe
  std::optional<double> initial_rate;          // --initial-lr
  const ir::ModelNames* parameters = nullptr;  // of the whole model; null: unknown
  std::optional<double> epochs;                // length of the run; nullopt: unknown
  std::size_t steps_per_epoch = 10;            // of the run that is compared
  bool by_effects = false;                     // true: a recipe of the same dialect is written anew from its effects
  RateSchedule rates;
  bool rate_is_variable = false;  // true if the trainer's rate is unknown: but for their fixed parts, the rates are
                                  // multiples of an example
  // A longer text, or one with more nodes, is not used: the writer may stop early.
  std::size_t max_bytes = std::numeric_limits<std::size_t>::max();
  std::size_t max_nodes = std::numeric_limits<std::size_t>::max();
  bool compact_rates = true;                 // true if a scheduler may stand for its rates where it comes close
  const source::SourceFile* file = nullptr;  // that holds the recipe; null: unknown
  std::vector<std::string> figures{};        // of the run, in lines for people; for a file that describes what it does
  const source::SourceFile* expressions =
      nullptr;  // where values are to be written as they stand there; null: evaluated
};

// A target of an action, and the action and target of what is written that stand for it.
struct Link {
  std::size_t target = 0;
  int ordinal = 0;  // from 1, in the order of what is written
  std::size_t into = 0;
};

// What became of an action.
struct ActionStatus {
  // elsewhere: it has no place in such a file, but is done in the training script or after training
  enum class Kind { kept, approximated, elsewhere, dropped };
  std::size_t action = 0;  // of the recipe that was read
  Kind kind = Kind::kept;
  std::string reason;  // what is different or lost; empty where nothing is
  std::vector<Link> links{};
  std::vector<std::string_view> codes{};  // of the diagnostics that were reported of it

  // Says that the action is kept with a difference, on top of what is said already.
  void approximate(std::string_view why) {
    kind = Kind::approximated;
    reason += reason.empty() ? "" : "; ";
    reason += why;
  }
};

// Reports a diagnostic of an action and keeps its code.
template <class... Args>
diag::Diagnostic& report(ActionStatus& status, diag::Sink& sink, const diag::Def<Args...>& def, source::Span span,
                         const std::type_identity_t<Args>&... args) {
  if (std::ranges::find(status.codes, def.info.code) == status.codes.end()) {
    status.codes.push_back(def.info.code);
  }
  return sink.report(def, span, args...);
}

struct Written {
  std::string text;
  std::vector<ActionStatus> statuses;    // one for each action, in their order
  std::vector<std::string> notes;        // what differs beyond the schedule, whatever the numbers say
  bool renamed = false;                  // true if a recipe of the same dialect is written in a later form
  std::optional<double> initial_rate{};  // which the trainer has to set for it, if not --initial-lr
  // The options that it is to be read with (ReadOptions::reader_options).
  std::vector<std::pair<std::string_view, std::string>> read_with{};
  std::vector<std::string> instructions{};  // what has to be done outside the file
  std::uint64_t begin = 0;                  // steps of training that come before its own first one
};

// The targets of an action that is written as it was, as the action of that number.
[[nodiscard]] std::vector<Link> links_to(const ir::Effect& effect, int ordinal);

// Says that an action has no place in such a file and what to do instead.
void place_elsewhere(ActionStatus& status, const ir::Action& action, std::string_view system, std::string what,
                     diag::Sink& sink);

// Returns how many nodes a value is written with: itself, and all keys and values in it.
[[nodiscard]] std::size_t nodes_of(const source::Value& value);

// Returns the reason for not writing an action because the actions before it take more than `options.max_nodes` nodes.
[[nodiscard]] std::string too_many_nodes(const WriteOptions& options);

// Reports that an action can't be written for a system ("NNI"), and says so in its status.
void drop(ActionStatus& status, const ir::Action& action, std::string_view system, std::string reason,
          diag::Sink& sink);

}  // namespace sparsecfg::dialect
