#include "convert/convert.h"
#include "compile/model.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/limits.h"
#include "compile/model.h"
#include "convert/outcomes.h"
#include "convert/parts.h"
#include "convert/refusals.h"
#include "convert/resolve.h"
#include "dialect/back_ends.h"
#include "outcome/difference.h"
#include "timeline/writers.h"

namespace sparsecfg::convert {

using dialect::ActionStatus;

// Converts one recipe.
class Converter {
 public:
  Converter(const Compilation& compilation, const Request& request)
      : assumed_(request.assume_gaussian && !is_onto_itself(*compilation.recipe, *request.to) ? compilation.recipe
                                                                                              : std::nullopt),
        recipe_(assumed_ ? *assumed_ : *compilation.recipe),
        findings_(compilation.diagnostics),
        kept_(recipe_.actions.size(), true),
        file_(*compilation.file),
        request_(request),
        run_(run_of(recipe_, request)) {
    if (assumed_) {
      assumptions_ = convert::assume_gaussian(*assumed_);
    }
    if (request.to->variables && run_ && !is_onto_itself(recipe_, *request.to)) {
      rates_by_trainer_ = rates_by_trainer(recipe_, *run_);
    }
    if (rates_by_trainer_) {
      request_.initial_rate = kStandInRate;
      run_->initial_rate = kStandInRate;
    }
    if (writes_outcome(recipe_, *request.to)) target_ = with_names_of(request.compile, *request.to);
    if (request.compile.build.parallel && !is_onto_itself(recipe_, *request.to)) forget_model();
    const dialect::Dialect* from = compilation.dialect ? dialect::find_dialect(*compilation.dialect) : nullptr;
    from_schedule_ = from != nullptr && from->is_lossless() && from != request.to;
  }

  Conversion run() {
    attempt_both();
    if (fault_ && from_schedule_ && keeps_form()) {
      by_effects_ = true;
      attempt_both();
    }
    prove();
    return std::move(out_);
  }

  // Other frameworks do not wrap the model, so the names of the recipe are compared without those of the model.
  void forget_model() {
    forget_names(request_.compile);
    request_.compile.model = nullptr;
    if (run_) run_->parameters = run_->modules = nullptr;
  }

  // Does not convert these actions.
  void refuse(const Refusals& refusals) {
    for (const auto& [action, refusal] : refusals) refuse(action, refusal);
  }

  // Returns the actions that the reader of the target rejects.
  Refusals rejected() {
    for (fault_ = fault_of_output(); fault_ && refusals_.size() < kept_.size(); fault_ = fault_of_output()) {
      refuse_culprit();
    }
    return std::move(refusals_);
  }

 private:
  bool onto_itself() const { return is_onto_itself(recipe_, *request_.to); }

  // Returns true if the recipe is written in its own dialect from its origin. False for a schedule that contradicts its
  // origin.
  bool keeps_form() const { return onto_itself() && !by_effects_; }

  // Returns true if actions that the writer keeps can be checked: step by step, or field by field within one dialect.
  bool is_comparable() const {
    return !is_program() && (has_steps(recipe_, *request_.to) || (keeps_form() && !written_.renamed));
  }

  // Returns true if the output is a program, which can't be read back and compared.
  bool is_program() const { return request_.to->read == nullptr; }

  BothNames names() const { return {request_.compile.read.modules.get(), target_->read.modules.get()}; }

  // --- refused actions -------------------------------------------------------------------------------------

  // Refuses actions until the output of the others passes all checks.
  void prove() {
    while (fault_ && refusals_.size() < kept_.size()) {
      refuse_culprit();
      attempt_both();
    }
    if (fault_) give_up();
  }

  void refuse(std::size_t action, const Refusal& refusal) {
    refusals_.emplace(action, refusal);
    kept_[action] = false;
  }

  // Refuses the action that causes the fault, or all actions if it is unknown.
  void refuse_culprit() {
    const auto culprit = find_culprit();
    const Refusal refusal{fault_->kind, fault_->why, std::string(request_.to->title)};
    for (std::size_t action = 0; action < kept_.size(); ++action) {
      if (kept_[action] && (!culprit || *culprit == action)) refuse(action, refusal);
    }
  }

  std::optional<std::size_t> find_culprit() {
    if (refusals_.size() >= limits::kMaxRefusals) {
      return std::nullopt;
    }
    return fault_->kind == Fault::Kind::differs ? fault_->action : find_rejected_action();
  }

  // Returns the action with which the reader begins to reject the output, in document order.
  std::optional<std::size_t> find_rejected_action() {
    std::vector<std::size_t> order = in_document_order(recipe_);
    std::erase_if(order, [&](std::size_t action) { return !kept_[action]; });
    std::size_t rejected = order.size();
    while (rejected > accepted_ + 1) {
      const std::size_t middle = accepted_ + (rejected - accepted_) / 2;
      if (++reads_ > limits::kMaxReads || read_bytes_ > limits::kMaxReadBytes) return std::nullopt;
      if (auto fault = fault_of_first(middle, order)) {
        fault_ = std::move(fault);
        rejected = middle;
      } else {
        accepted_ = middle;
      }
    }
    return order[rejected - 1];
  }

  // Returns why the reader rejects the output of the first `count` actions.
  std::optional<Fault> fault_of_first(std::size_t count, const std::vector<std::size_t>& order) {
    const std::vector<bool> kept = kept_;
    for (std::size_t at = count; at < order.size(); ++at) kept_[order[at]] = false;
    auto fault = fault_of_output();
    kept_ = kept;
    return fault;
  }

  // Writes the kept actions, and returns why the reader rejects the output.
  std::optional<Fault> fault_of_output() {
    diag::Sink unused;
    write(true, unused);
    if (out_.text.empty() || out_.text.size() > request_.compile.limits.bytes) {
      return std::nullopt;
    }
    read_bytes_ += out_.text.size();
    const Compilation back = read_back();
    return exceeds_limits(back) ? std::nullopt : fault_of(back, findings_);
  }

  // Reports a fault of a recipe without actions.
  void give_up() {
    diag::Sink sink;
    sink.report(diag::type_unsafe_emission, {}, fault_->why);
    out_.diagnostics = sink.take();
    out_.text.clear();
    out_.drops = true;
  }

  // --- writing ---------------------------------------------------------------------------------------------

  void attempt_both() {
    attempt(true);
    if (rate_differs_ && !keeps_form()) {
      attempt(false);
    }
  }

  void attempt(bool compact_rates) {
    rate_differs_ = false;
    fault_.reset();
    diag::Sink sink;
    write(compact_rates, sink);
    judge(sink);
    state_assumptions(sink);
    report(refusals_, recipe_, out_.fidelity, sink);
    out_.diagnostics = sink.take();
    out_.drops = !refusals_.empty() || std::ranges::any_of(out_.fidelity, [](const Fidelity& each) {
      return each.kind == Fidelity::Kind::dropped;
    });
    out_.initial_rate = written_.initial_rate;
    out_.faulty =
        std::ranges::any_of(refusals_, [](const auto& refusal) { return refusal.second.kind == Fault::Kind::differs; });
  }

  // Writes the kept actions.
  void write(bool compact_rates, diag::Sink& sink) {
    out_ = {};
    out_.run = run_;
    if (!onto_itself() && !request_.to->maintained) {
      sink.report(diag::unmaintained_target, {}, request_.to->title);
    }
    written_ = write_part(compact_rates, sink);
    note_assumed_length();
    std::ranges::copy(written_.instructions, std::back_inserter(out_.notes));
    std::ranges::copy(written_.notes, std::back_inserter(out_.notes));
    note_other_reader();
    const bool bare = written_.text.empty() || request_.to->is_lossless() || written_.text.starts_with('{');  // JSON
    out_.text = std::move(written_.text);
    if (!bare) out_.text.insert(0, header_of(file_, !onto_itself()) + instructions_of(written_, recipe_));
  }

  dialect::WriteResult write_part(bool compact_rates, diag::Sink& sink) const {
    if (std::ranges::find(kept_, false) == kept_.end()) {
      return write_actions(recipe_, compact_rates, sink);
    }
    dialect::WriteResult written;
    if (std::ranges::find(kept_, true) != kept_.end()) {
      const ir::Recipe part = part_of(recipe_, kept_);
      written = write_actions(part, compact_rates, sink);
    }
    restore_statuses(written.statuses, kept_);
    return written;
  }

  dialect::WriteResult write_actions(const ir::Recipe& recipe, bool compact_rates, diag::Sink& sink) const {
    return target_ ? write_outcome(recipe, *request_.to, names(), sink)
                   : request_.to->write(recipe, options(recipe, compact_rates), sink);
  }

  void state_assumptions(diag::Sink& sink) {
    for (const Assumption& assumption : assumptions_) {
      const auto each = std::ranges::find(out_.fidelity, assumption.action, &Fidelity::action);
      if (each->kind < Fidelity::Kind::not_converted) approximate(*each, recipe_, assumption.reason, sink);
    }
  }

  // Reader options apply to the input. Notes if the output needs other ones, or one that the input implies.
  void note_other_reader() {
    for (const auto& [name, value] : written_.read_with) {
      const auto given = request_.compile.read.given({name, {}});
      const auto option = std::ranges::find(request_.to->options, name, &dialect::ReaderOption::name);
      const bool is_default = option != request_.to->options.end() && option->values.front() == value;
      if (!given && !is_default) {
        out_.notes.push_back(fmt::format("the output must be read with `--{} {}`", name, value));
      } else if (given && *given != value) {
        out_.notes.push_back(
            fmt::format("the output must be read with `--{0} {1}`, not with `--{0} {2}`", name, value, *given));
      }
    }
  }

  void note_assumed_length() {
    const bool given = request_.compile.read.epochs || recipe_.length;
    if (run_ && !given && !onto_itself()) {
      out_.notes.push_back(fmt::format(
          "the recipe has no training length; {} epochs are assumed, the end of its last action", run_->epochs));
    }
  }

  // Returns the steps per epoch of the command line or of the recipe.
  std::optional<std::size_t> steps_per_epoch() const {
    const auto given = request_.compile.read.steps_per_epoch;
    return given ? given : recipe_.steps_per_epoch;
  }

  dialect::WriteOptions options(const ir::Recipe& recipe, bool compact_rates) const {
    dialect::WriteOptions options;
    options.read = request_.compile.read;
    options.read.steps_per_epoch = steps_per_epoch();
    options.steps_per_epoch = run_ ? static_cast<std::size_t>(run_->steps_per_epoch) : timeline::kAssumedStepsPerEpoch;
    options.own = onto_itself();
    options.by_effects = by_effects_;
    options.plan = dialect::plan_of(recipe);
    options.initial_rate = request_.initial_rate;
    options.parameters = request_.compile.parameters;
    options.epochs = run_ ? std::optional(run_->epochs) : std::nullopt;
    if (run_ && recipe.has_rates) {
      options.rates = rates_by_trainer_ ? *rates_by_trainer_ : rate_schedule_of(recipe, *run_);
    }
    if (run_ && is_program()) {
      options.figures = timeline::figures_of(recipe, *run_);
    }
    options.rate_is_variable = rates_by_trainer_.has_value();
    options.compact_rates = compact_rates;
    options.max_bytes = output_limits(request_.compile.limits).bytes;
    options.max_nodes = output_limits(request_.compile.limits).nodes;
    options.file = &file_;
    options.expressions = request_.keep_variables ? &file_ : nullptr;
    return options;
  }

  // Lists the result that the writer reported for each action, in document order.
  void list_fidelity() {
    const Fidelity::Kind kKinds[] = {is_comparable() ? Fidelity::Kind::exact : Fidelity::Kind::not_compared,
                                     Fidelity::Kind::approximated, Fidelity::Kind::not_converted,
                                     Fidelity::Kind::dropped};
    for (std::size_t index = 0; index < recipe_.actions.size(); ++index) {
      const ActionStatus& status = written_.statuses[index];
      out_.fidelity.push_back({index, kKinds[static_cast<std::size_t>(status.kind)], {}, status.reason, status.codes});
    }
    std::ranges::stable_sort(out_.fidelity, {},
                             [&](const Fidelity& each) { return recipe_.actions[each.action].origin.span.begin; });
  }

  Compilation read_back() const {
    CompileOptions options = options_of_output(request_, recipe_, written_);
    options.read.steps_per_epoch = steps_per_epoch();
    if (target_) options = with_names_of(std::move(options), *request_.to);
    return compile(target_ ? std::string(dialect::back_end_of(*request_.to)->file) : "converted.yaml", out_.text,
                   options);
  }

  static const diag::Diagnostic* exceeds_limits(const Compilation& back) {
    const auto found = std::ranges::find(back.diagnostics, &diag::limits_exceeded.info, &diag::Diagnostic::info);
    return found == back.diagnostics.end() ? nullptr : &*found;
  }

  void judge(diag::Sink& sink) {
    list_fidelity();
    if (out_.text.size() > request_.compile.limits.bytes) {
      discard(fmt::format("it has more than {} bytes", request_.compile.limits.bytes),
              "raise the limit with `--max-size`", sink);
    }
    if (out_.text.empty() || is_program()) {
      out_.run = std::nullopt;
      return;
    }
    if (request_.to->is_lossless()) {
      if (!request_.to->reads_back(recipe_)) fault_ = Fault{Fault::Kind::differs, "the schedule"};
      return;
    }
    const Compilation back = read_back();
    if (const diag::Diagnostic* excess = exceeds_limits(back)) {
      discard(excess->message, excess->help, sink);
      return;
    }
    fault_ = fault_of(back, findings_);
    if (fault_) {
      return;
    }
    if (keeps_form() && !target_) {
      check_same(*back.recipe);
    }
    if (run_ && back.recipe->has_timeline()) {
      compare_runs(*back.recipe, sink);
    }
    if (target_) {
      prove_outcome(*back.recipe);
    } else {
      compare_outcomes(*back.recipe);
    }
  }

  // Only what is proved to be equal is exact.
  void prove_outcome(const ir::Recipe& back) {
    fault_ = outcome_fault(recipe_, back, names());
    for (Fidelity& each : out_.fidelity) {
      if (!fault_ && each.kind == Fidelity::Kind::not_compared) each.kind = Fidelity::Kind::exact;
    }
  }

  // Proves that the output does the same to each module, if every action is written as it is.
  void compare_outcomes(const ir::Recipe& back) {
    const auto is_whole = [](const Fidelity& each) {
      return each.kind == Fidelity::Kind::exact || each.kind == Fidelity::Kind::not_compared;
    };
    if (fault_ || recipe_.trains || !outcome::has_outcome(recipe_) || !outcome::has_outcome(back) ||
        !std::ranges::all_of(out_.fidelity, is_whole)) {
      return;
    }
    const auto& modules = request_.compile.read.modules;
    const outcome::Difference found =
        modules == nullptr
            ? outcome::symbolic_difference(recipe_, back)
            : outcome::difference(outcome::evaluate(recipe_, *modules), outcome::evaluate(back, *modules), *modules);
    if (!found.changes.empty()) fault_ = Fault{Fault::Kind::differs, found.changes.front().what};
  }

  // Writes nothing, because the output is too large to be read back.
  void discard(const std::string& what, const std::string& help, diag::Sink& sink) {
    const auto losses = sink.take();  // discards diagnostics of output that is not written
    sink.report(diag::limits_exceeded, {}, "the output is too large: " + what).with_help(help);
    out_.text.clear();
    out_.notes.clear();
    out_.run = std::nullopt;
    for (Fidelity& each : out_.fidelity) {
      each.kind = Fidelity::Kind::dropped;
      each.reason = "the output is too large";
      each.codes.clear();
    }
  }

  // Compares the schedules step by step over the same epochs.
  void compare_runs(const ir::Recipe& back, diag::Sink& sink) {
    timeline::Run written_run = *run_;
    written_run.initial_rate = written_.initial_rate ? written_.initial_rate : run_->initial_rate;
    written_run.epochs -= epochs_before();
    const auto& modules = request_.compile.read.modules;
    resolve(compare(recipe_, *run_, back, written_run, written_, modules.get()), back, sink);
    note_length(back);
  }

  // Within one dialect only the spelling may change. A newer form of the recipe is compared only by its numbers.
  void check_same(const ir::Recipe& back) {
    if (!written_.renamed) fault_ = first_difference(recipe_, written_.statuses, back);
  }

  // --- results of the comparison ---------------------------------------------------------------------------

  // Output in the recipe's own form needs no comparison of steps.
  void note_stop(const Comparison& comparison) {
    if (!comparison.stopped || (onto_itself() && !written_.renamed)) {
      return;
    }
    out_.compared_steps = *comparison.stopped;
    out_.notes.push_back(
        comparison.too_many_weights
            ? "steps were not compared, because too many weights are masked in too many ways; pass fewer names with "
              "`--params` or `--modules` to compare them"
            : fmt::format("the comparison stopped at epoch {} of {} after too many changes; pass a shorter run with "
                          "`--epochs`",
                          run_->epoch_of(*comparison.stopped), run_->epochs));
  }

  void resolve(const Comparison& comparison, const ir::Recipe& back, diag::Sink& sink) {
    note_stop(comparison);
    const Resolution resolution = convert::resolve(comparison, {recipe_, back, *run_}, out_.fidelity, sink);
    rate_differs_ = resolution.rate_differs;
    const bool uncompared = comparison.too_many_weights && !onto_itself();
    for (Fidelity& each : out_.fidelity) {
      if (uncompared && each.kind == Fidelity::Kind::exact) each.kind = Fidelity::Kind::not_compared;
    }
    if (!fault_ && !resolution.mismatches.empty()) fault_ = resolution.mismatches.front();
  }

  void note_length(const ir::Recipe& back) {
    const double wanted = run_->epochs - epochs_before();
    if (back.length && back.length->epochs != wanted && !keeps_form()) {
      out_.notes.push_back(
          fmt::format("the output trains for {} epochs, and {} epochs were compared", back.length->epochs, wanted));
    }
  }

  // Returns the epochs of training before the output begins.
  double epochs_before() const {
    return static_cast<double>(written_.begin) / static_cast<double>(run_->steps_per_epoch);
  }

  std::optional<ir::Recipe> assumed_;  // recipe with levels instead of thresholds; nullopt: unchanged
  const ir::Recipe& recipe_;
  const std::vector<diag::Diagnostic>& findings_;  // on the recipe that was read
  std::vector<bool> kept_;                         // by action: true if it is written
  const source::SourceFile& file_;
  Request request_;
  std::optional<timeline::Run> run_;
  std::optional<CompileOptions> target_;  // with the names of the target, if the recipe is written by its outcome
  dialect::WriteResult written_;
  Conversion out_;
  bool rate_differs_ = false;
  std::vector<Assumption> assumptions_;
  std::optional<dialect::RateSchedule> rates_by_trainer_;  // if the initial rate is unknown and becomes a variable
  bool from_schedule_ = false;                             // true if the input is a JSON schedule
  bool by_effects_ = false;  // true if the output is built from the effects, not from the origin
  std::optional<Fault> fault_;
  Refusals refusals_;
  std::size_t accepted_ = 0;  // number of kept actions, in document order, whose output the reader accepts
  std::size_t reads_ = 0;
  std::size_t read_bytes_ = 0;
};

// Returns the conversion of a recipe that is not written, because one of its values is unknown.
static Conversion not_converted(const ir::Recipe& recipe, const dialect::Dialect& to, const UnknownValue& unknown) {
  Conversion out;
  diag::Sink sink;
  for (const std::size_t action : in_document_order(recipe)) {
    const ir::Origin& origin = recipe.actions[action].origin;
    const source::Span span = unknown.span == source::Span{} ? origin.span : unknown.span;
    const std::string reason = reason_for(origin, unknown);
    sink.report(diag::not_expressible, span, origin.class_name, to.title, reason);
    out.fidelity.push_back({action, Fidelity::Kind::not_converted, {}, reason, {diag::not_expressible.info.code}});
  }
  out.diagnostics = sink.take();
  out.drops = true;
  return out;
}

// Returns the actions that the reader of the recipe's own dialect rejects. Empty for a recipe that is a whole file,
// because `validate` reports all of its errors. In other files, it omits errors that other parts of a program may
// avoid.
static Refusals rejected_by_own_reader(const Compilation& compilation, const Request& request) {
  const dialect::Dialect* own = dialect::find_dialect(compilation.recipe->dialect);
  const auto is_file = [](const ir::FoundRecipe& found) {
    return found.form == "file" || found.form == "front matter";
  };
  const bool whole = std::ranges::all_of(compilation.recipes, is_file);
  if (whole || own == nullptr || own == request.to || own->write == nullptr || own->read == nullptr) {
    return {};
  }
  Request onto_itself = request;
  onto_itself.to = own;
  return Converter(compilation, onto_itself).rejected();
}

Conversion convert(const Compilation& compilation, const Request& request) {
  const auto unknown = unknown_value(compilation, request.compile);
  const bool ignored =
      unknown && writes_outcome(*compilation.recipe, *request.to) && ignores_unknown(*compilation.recipe, *unknown);
  if (unknown && !ignored) {
    return not_converted(*compilation.recipe, *request.to, *unknown);
  }
  Converter converter(compilation, request);
  converter.refuse(rejected_by_own_reader(compilation, request));
  return converter.run();
}

}  // namespace sparsecfg::convert
