#include "convert/convert.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "convert/parts.h"
#include "convert/resolve.h"
#include "timeline/writers.h"

namespace sparsecfg::convert {

using dialect::ActionStatus;

std::string_view to_string(Fidelity::Kind kind) {
  static constexpr std::string_view kNames[] = {"exact", "equal", "kept", "approximated", "elsewhere", "dropped"};
  return kNames[static_cast<std::size_t>(kind)];
}

// What is written may be a little larger than what was read. What goes beyond is not written, since sparsecfg would not
// read it.
static doc::Limits beyond(doc::Limits limits) {
  return {limits.bytes, limits.depth + 16, limits.nodes * 2, limits.scalar_bytes * 2};
}

// One recipe on its way.
class Converter {
 public:
  Converter(const Compilation& compilation, const Request& request)
      : assumed_(request.assume_gaussian && !is_onto_itself(*compilation.recipe, *request.to) ? compilation.recipe
                                                                                              : std::nullopt),
        recipe_(assumed_ ? *assumed_ : *compilation.recipe),
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
    from_schedule_ = from != nullptr && from->keeps_any() && from != request.to;
  }

  Conversion run() {
    attempt_both();
    if (contradiction_ && from_schedule_ && keeps_form()) {
      by_effects_ = true;
      attempt_both();
    }
    if (contradiction_) {
      give_up();
    }
    return std::move(out_);
  }

 private:
  bool onto_itself() const { return is_onto_itself(recipe_, *request_.to); }

  // Returns true if a recipe is written in its own dialect, as its origin says. A schedule that contradicts it is not.
  bool keeps_form() const { return onto_itself() && !by_effects_; }

  // What is written and never read, so that there is nothing to compare.
  bool is_program() const { return request_.to->read == nullptr; }

  void attempt_both() {
    attempt(true);
    if (rate_differs_ && !keeps_form()) {
      attempt(false);
    }
  }

  // What is wrong with what is written is then no internal error.
  void give_up() {
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
    out_.compares = has_steps(recipe_, *request_.to);
    diag::Sink sink;
    if (!onto_itself() && !request_.to->maintained) {
      sink.report(diag::unmaintained_target, {}, request_.to->title);
    }
    written_ = request_.to->write(recipe_, options(compact_rates), sink);
    note_length_taken();
    std::ranges::copy(written_.instructions, std::back_inserter(out_.notes));
    std::ranges::copy(written_.notes, std::back_inserter(out_.notes));
    const bool bare = written_.text.empty() || request_.to->keeps_any();
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
      if (each->kind < Fidelity::Kind::elsewhere) approximate(*each, recipe_, assumption.reason, sink);
    }
  }

  void note_length_taken() {
    const bool given = request_.compile.read.epochs || recipe_.length;
    if (run_ && !given && !onto_itself()) {
      out_.notes.push_back(
          fmt::format("the recipe does not say how long it trains: {} epochs are taken, its last end", run_->epochs));
    }
  }

  // How many steps an epoch has, if anybody says so.
  std::optional<std::size_t> steps_per_epoch() const {
    const auto given = request_.compile.read.steps_per_epoch;
    return given ? given : recipe_.steps_per_epoch;
  }

  dialect::WriteOptions options(bool compact_rates) const {
    dialect::WriteOptions options;
    options.read = request_.compile.read;
    options.read.steps_per_epoch = steps_per_epoch();
    options.steps_per_epoch = run_ ? run_->steps_per_epoch : kStepsPerEpoch;
    options.by_effects = by_effects_;
    options.initial_rate = request_.initial_rate;
    options.parameters = request_.compile.parameters;
    options.epochs = run_ ? std::optional(run_->epochs) : std::nullopt;
    if (run_ && recipe_.has_rates) {
      options.rates = rates_by_trainer_ ? *rates_by_trainer_ : rate_course(recipe_, *run_);
    }
    if (run_ && is_program()) {
      options.figures = timeline::figures_of(recipe_, *run_);
    }
    options.rate_is_variable = rates_by_trainer_.has_value();
    options.compact_rates = compact_rates;
    options.max_bytes = beyond(request_.compile.limits).bytes;
    options.max_nodes = beyond(request_.compile.limits).nodes;
    options.file = &file_;
    options.expressions = request_.keep_variables ? &file_ : nullptr;
    return options;
  }

  // What the writer says of each action, in the order of the document.
  void list_fidelity() {
    const Fidelity::Kind kKinds[] = {is_program() ? Fidelity::Kind::kept : Fidelity::Kind::exact,
                                     Fidelity::Kind::approximated, Fidelity::Kind::elsewhere, Fidelity::Kind::dropped};
    for (std::size_t index = 0; index < recipe_.actions.size(); ++index) {
      const ActionStatus& status = written_.statuses[index];
      out_.fidelity.push_back({index, kKinds[static_cast<std::size_t>(status.kind)], {}, status.reason, status.codes});
    }
    std::ranges::stable_sort(out_.fidelity, {},
                             [&](const Fidelity& each) { return recipe_.actions[each.action].origin.span.begin; });
  }

  // Reads what was written as its users will.
  Compilation read_back() const {
    CompileOptions options = request_.compile;
    options.from = std::string(request_.to->name);
    if (!request_.keep_variables) {
      options.read.variables.clear();
    }
    std::ranges::copy(written_.read_with, std::back_inserter(options.read.reader_options));
    options.read.steps_per_epoch = steps_per_epoch();
    options.limits = beyond(options.limits);
    return compile("converted.yaml", out_.text, options);
  }

  // What is wrong with what is written, where that is not our own fault, and what to do about it.
  struct Contradiction {
    std::string what;
    std::string help;
  };

  // Another framework may look for names that the model does not have.
  static bool is_about_model(const diag::Diagnostic& finding) { return finding.info->code.starts_with("MD"); }

  void judge(diag::Sink& sink) {
    list_fidelity();
    if (out_.text.size() > request_.compile.limits.bytes) {
      refuse(fmt::format("it has more than {} bytes", request_.compile.limits.bytes), "`--max-size` raises the limit",
             sink);
    }
    if (out_.text.empty() || is_program()) {
      out_.run = std::nullopt;
      return;
    }
    if (request_.to->keeps_any()) {
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
      if (first != back.diagnostics.end() && is_about_model(*first)) {
        contradiction_ =
            Contradiction{first->message, "pass `--params` and `--modules` with the names of the model that it is for"};
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

  // Writes nothing, because the text is too large to be read again.
  void refuse(const std::string& what, const std::string& help, diag::Sink& sink) {
    const auto losses = sink.take();  // of what is not written
    sink.report(diag::limits_exceeded, {}, "what would be written is too large: " + what).with_help(help);
    out_.text.clear();
    out_.notes.clear();
    out_.run = std::nullopt;
    for (Fidelity& each : out_.fidelity) {
      each.kind = Fidelity::Kind::dropped;
      each.reason = "what would be written is too large";
      each.codes.clear();
    }
  }

  // Compares the schedules step by step, over the same epochs.
  void compare_runs(const ir::Recipe& back, diag::Sink& sink) {
    timeline::Run written_run = *run_;
    written_run.initial_rate = written_.initial_rate ? written_.initial_rate : run_->initial_rate;
    written_run.epochs -= epochs_before();
    const auto& modules = request_.compile.read.modules;
    resolve(compare(recipe_, *run_, back, written_run, written_, modules.get()), back, sink);
    note_length(back);
  }

  // What another program wrote, and what a framework of 2020 ran, may be nothing that today's runs.
  void fail(diag::Sink& sink, const diag::Def<diag::Text>& fault, const std::string& what) {
    if (from_schedule_ || written_.renamed) {
      contradiction_ = Contradiction{what, "correct the schedule; `sparsecfg validate` says more about it"};
      return;
    }
    sink.report(fault, {}, what);
    out_.faulty = true;
  }

  // Onto itself, nothing may change but how it is written. A later form is compared by its numbers alone.
  void check_same(const ir::Recipe& back, diag::Sink& sink) {
    const auto difference = written_.renamed ? std::nullopt : first_difference(recipe_, written_.statuses, back);
    if (difference) fail(sink, diag::round_trip_mismatch, *difference);
  }

  // --- what the comparison says ---------------------------------------------------------------------------

  // What is written as it was read is known to be the same without any comparison.
  void note_stop(const Comparison& comparison) {
    if (!comparison.stopped || (onto_itself() && !written_.renamed)) {
      return;
    }
    out_.compared_steps = *comparison.stopped;
    out_.notes.push_back(
        comparison.too_many_weights
            ? "the steps were not compared: the pruners mask too many of the model's weights in too many ways; give "
              "fewer names by `--params` or `--modules` to compare them"
            : fmt::format("the comparison stopped at epoch {} of {}: the run has too many changes; --epochs gives a "
                          "shorter one",
                          run_->epoch_of(*comparison.stopped), run_->epochs));
  }

  void resolve(const Comparison& comparison, const ir::Recipe& back, diag::Sink& sink) {
    note_stop(comparison);
    const Resolution resolution = convert::resolve(comparison, {recipe_, back, *run_}, out_.fidelity, sink);
    rate_differs_ = resolution.rate_differs;
    const bool uncompared = comparison.too_many_weights && !onto_itself();
    for (Fidelity& each : out_.fidelity) {
      if (uncompared && each.kind == Fidelity::Kind::exact) each.kind = Fidelity::Kind::kept;
    }
    for (const std::string& mismatch : resolution.mismatches) {
      fail(sink, diag::round_trip_mismatch, mismatch);
    }
  }

  void note_length(const ir::Recipe& back) {
    const double wanted = run_->epochs - epochs_before();
    if (back.length && back.length->epochs != wanted && !keeps_form()) {
      out_.notes.push_back(fmt::format("what is written asks for {} epochs of training, and {} were compared",
                                       back.length->epochs, wanted));
    }
  }

  // Of training, before what is written begins.
  double epochs_before() const {
    return static_cast<double>(written_.begin) / static_cast<double>(run_->steps_per_epoch);
  }

  std::optional<ir::Recipe> assumed_;  // the recipe with levels in place of thresholds; nullopt: as it was read
  const ir::Recipe& recipe_;
  const source::SourceFile& file_;
  Request request_;
  std::optional<timeline::Run> run_;
  dialect::Written written_;
  Conversion out_;
  bool rate_differs_ = false;
  std::vector<Assumption> assumptions_;
  std::optional<dialect::RateSchedule>
      rates_by_trainer_;        // of a trainer whose rate is not known and becomes a variable
  bool from_schedule_ = false;  // true if it is read from a schedule as JSON
  bool by_effects_ = false;     // true if it is written anew, whatever its origin says
  std::optional<Contradiction> contradiction_;
};

Conversion convert(const Compilation& compilation, const Request& request) {
  return Converter(compilation, request).run();
}

}  // namespace sparsecfg::convert
