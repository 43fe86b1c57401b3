#include "convert/convert.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "convert/parts.h"
#include "convert/resolve.h"
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
    const dialect::Dialect* from = compilation.dialect ? dialect::find_dialect(*compilation.dialect) : nullptr;
    from_schedule_ = from != nullptr && from->is_lossless() && from != request.to;
  }

  Conversion run() {
    attempt_both();
    if (contradiction_ && from_schedule_ && keeps_form()) {
      by_effects_ = true;
      attempt_both();
    }
    if (contradiction_) {
      report_contradiction();
    }
    return std::move(out_);
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

  void attempt_both() {
    attempt(true);
    if (rate_differs_ && !keeps_form()) {
      attempt(false);
    }
  }

  // Reports an error in the output that the input caused, not sparsecfg.
  void report_contradiction() {
    diag::Sink sink;
    sink.report(diag::schedule_contradicts, {}, request_.to->title, contradiction_->what)
        .with_help(contradiction_->help);
    out_.diagnostics = sink.take();
    out_.text.clear();
    out_.drops = true;
  }

  void attempt(bool compact_rates) {
    rate_differs_ = false;
    contradiction_.reset();
    out_ = {};
    out_.run = run_;
    diag::Sink sink;
    if (!onto_itself() && !request_.to->maintained) {
      sink.report(diag::unmaintained_target, {}, request_.to->title);
    }
    written_ = request_.to->write(recipe_, options(compact_rates), sink);
    note_assumed_length();
    std::ranges::copy(written_.instructions, std::back_inserter(out_.notes));
    std::ranges::copy(written_.notes, std::back_inserter(out_.notes));
    note_other_reader();
    const bool bare = written_.text.empty() || request_.to->is_lossless() || written_.text.starts_with('{');  // JSON
    out_.text = std::move(written_.text);
    if (!bare) out_.text.insert(0, header_of(file_, !onto_itself()) + instructions_of(written_, recipe_));
    judge(sink);
    state_assumptions(sink);
    out_.diagnostics = sink.take();
    out_.drops =
        std::ranges::any_of(out_.fidelity, [](const Fidelity& each) { return each.kind == Fidelity::Kind::dropped; });
  }

  void state_assumptions(diag::Sink& sink) {
    for (const Assumption& assumption : assumptions_) {
      const auto each = std::ranges::find(out_.fidelity, assumption.action, &Fidelity::action);
      if (each->kind < Fidelity::Kind::not_converted) approximate(*each, recipe_, assumption.reason, sink);
    }
  }

  // Reader options apply to the input. Notes if the output needs other ones.
  void note_other_reader() {
    for (const auto& [name, value] : written_.read_with) {
      const auto given = request_.compile.read.given({name, {}});
      if (given && *given != value) {
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

  dialect::WriteOptions options(bool compact_rates) const {
    dialect::WriteOptions options;
    options.read = request_.compile.read;
    options.read.steps_per_epoch = steps_per_epoch();
    options.steps_per_epoch = run_ ? static_cast<std::size_t>(run_->steps_per_epoch) : kStepsPerEpoch;
    options.own = onto_itself();
    options.by_effects = by_effects_;
    options.plan = dialect::plan_of(recipe_);
    options.initial_rate = request_.initial_rate;
    options.parameters = request_.compile.parameters;
    options.epochs = run_ ? std::optional(run_->epochs) : std::nullopt;
    if (run_ && recipe_.has_rates) {
      options.rates = rates_by_trainer_ ? *rates_by_trainer_ : rate_schedule_of(recipe_, *run_);
    }
    if (run_ && is_program()) {
      options.figures = timeline::figures_of(recipe_, *run_);
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
    return compile("converted.yaml", out_.text, options);
  }

  // An error in the output that the input caused, and the help for it.
  struct Contradiction {
    std::string what;
    std::string help;
  };

  // Returns true for findings about the model: another framework may require names that the model does not have.
  static bool is_about_model(const diag::Diagnostic& finding) { return finding.info->code.starts_with("MD"); }

  // A field that one framework ignores can be an error in another framework.
  bool is_about_recipe(const diag::Diagnostic& finding) const {
    return std::ranges::find(findings_, finding.info, &diag::Diagnostic::info) != findings_.end();
  }

  void judge(diag::Sink& sink) {
    list_fidelity();
    if (out_.text.size() > request_.compile.limits.bytes) {
      refuse(fmt::format("it has more than {} bytes", request_.compile.limits.bytes),
             "raise the limit with `--max-size`", sink);
    }
    if (out_.text.empty() || is_program()) {
      out_.run = std::nullopt;
      return;
    }
    if (request_.to->is_lossless()) {
      if (!request_.to->reads_back(recipe_)) fail(sink, diag::round_trip_mismatch, "the schedule");
      return;
    }
    const Compilation back = read_back();
    const auto excess = std::ranges::find(back.diagnostics, &diag::limits_exceeded.info, &diag::Diagnostic::info);
    if (excess != back.diagnostics.end()) {
      refuse(excess->message, excess->help, sink);
      return;
    }
    if (!back.recipe || back.count(diag::Severity::error) > 0) {
      const auto first = std::ranges::find(back.diagnostics, diag::Severity::error, &diag::Diagnostic::severity);
      if (first != back.diagnostics.end() && is_about_recipe(*first)) {
        contradiction_ = Contradiction{first->message, first->help};
      } else if (first != back.diagnostics.end() && is_about_model(*first)) {
        contradiction_ =
            Contradiction{first->message, "pass the names of the target model with `--params` and `--modules`"};
      } else {
        fail(sink, diag::type_unsafe_emission, first == back.diagnostics.end() ? "nothing" : first->message);
      }
      return;
    }
    if (keeps_form()) {
      check_same(*back.recipe, sink);
    }
    if (run_ && back.recipe->has_timeline()) {
      compare_runs(*back.recipe, sink);
    }
  }

  // Writes nothing, because the output is too large to be read back.
  void refuse(const std::string& what, const std::string& help, diag::Sink& sink) {
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

  // Reports a failed check of the output. Schedules from other programs and recipes for old releases may describe
  // something that current frameworks reject, so those are not internal errors.
  void fail(diag::Sink& sink, const diag::Def<diag::Text>& fault, const std::string& what) {
    if (from_schedule_ || written_.renamed) {
      contradiction_ = Contradiction{what, "correct the schedule; run `sparsecfg validate` for details"};
      return;
    }
    sink.report(fault, {}, what);
    out_.faulty = true;
  }

  // Within one dialect only the spelling may change. A newer form of the recipe is compared only by its numbers.
  void check_same(const ir::Recipe& back, diag::Sink& sink) {
    const auto difference = written_.renamed ? std::nullopt : first_difference(recipe_, written_.statuses, back);
    if (difference) fail(sink, diag::round_trip_mismatch, *difference);
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
    for (const std::string& mismatch : resolution.mismatches) {
      fail(sink, diag::round_trip_mismatch, mismatch);
    }
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
  const source::SourceFile& file_;
  Request request_;
  std::optional<timeline::Run> run_;
  dialect::Written written_;
  Conversion out_;
  bool rate_differs_ = false;
  std::vector<Assumption> assumptions_;
  std::optional<dialect::RateSchedule> rates_by_trainer_;  // if the initial rate is unknown and becomes a variable
  bool from_schedule_ = false;                             // true if the input is a JSON schedule
  bool by_effects_ = false;  // true if the output is built from the effects, not from the origin
  std::optional<Contradiction> contradiction_;
};

Conversion convert(const Compilation& compilation, const Request& request) {
  return Converter(compilation, request).run();
}

}  // namespace sparsecfg::convert
