#include "dialect/torchao/model_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/decided.h"
#include "dialect/quantizers/defects.h"
#include "dialect/torchao/codes.h"
#include "dialect/torchao/languages.h"
#include "dialect/torchao/short_line.h"
#include "dialect/torchao/targets.h"
#include "dialect/torchao/training.h"
#include "python/tree.h"

namespace sparsecfg::dialect::torchao {

DIAGNOSTIC(TA220, torchao_quantized_twice, error, (Text), "{} are already quantized",
           "A quantized weight has none of the operations that a transformation needs, so a second call raises a "
           "NotImplementedError. The default filter does not leave out quantized layers.",
           "leave these layers out of one of the calls")

DIAGNOSTIC(TA223, torchao_prepared_twice, silent_warning, (Text),
           "`{}` prepares these layers a second time, so they are never quantized",
           "The default of `step` is `prepare`. A layer that is already prepared is prepared again, and only the step "
           "`convert` quantizes it.",
           "write `step=\"convert\"`")

DIAGNOSTIC(
    TA224, torchao_simulation_stays, silent_warning, (Text, Text),
    "`{}` quantizes layers that `{}` has prepared, and keeps their simulation",
    "A prepared layer is a linear layer too, so its weight is quantized in place, but its simulated quantization "
    "stays around it. The step `convert` removes it first.",
    "apply the configuration with `step=\"convert\"`")

DIAGNOSTIC(TA226, torchao_not_prepared, silent_warning, (Text),
           "no layer was prepared for `{}`, so this call changes nothing",
           "The step `convert` returns layers unchanged that the step `prepare` has not replaced before. torchao does "
           "not warn.",
           "call `quantize_` with `step=\"prepare\"`, and run the model on data, before this call")

namespace {

// Returns an assignment that reaches only the units in `kept`.
ir::Assign restricted(const ir::Assign& assign, const std::vector<model::Module>& units,
                      const std::set<std::size_t>& kept) {
  const ir::Decisions decisions = assign.selection.language->decide(assign.selection, assign.schemes, units);
  std::vector<DecidedUnit> decided;
  for (std::size_t at = 0; at < units.size(); ++at) {
    const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
    DecidedUnit& out = decided.emplace_back();
    out.reached = kept.contains(at);
    if (out.reached && decision.kind == ir::Rule::Kind::assigns) out.scheme = decision.scheme;
    out.unknown = decision.unknown;
  }
  ir::Assign out = assign;
  out.selection = decided_selection(&kFiltered, decided);
  out.selection.unknown = assign.selection.unknown;
  return out;
}

}  // namespace

// Returns a construction on one line.
static std::string one_line(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    const bool blank = letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
    if (!blank)
      out += letter;
    else if (!out.empty() && out.back() != ' ' && out.back() != '(')
      out += ' ';
  }
  while (out.size() > 1 && out.ends_with(')') && (out[out.size() - 2] == ' ' || out[out.size() - 2] == ','))
    out.erase(out.size() - 2, 1);
  return out;
}

ModelState::ModelState(const Context& context, const Program& program, const std::vector<model::Module>& units,
                       source::Span place)
    : context_(context), program_(program), whole_(place), units_(units), is_known_(!units.empty()) {
  if (!is_known_) units_.push_back({"layer", "Linear", std::nullopt});
  states_.resize(units_.size());
  prepared_.resize(units_.size());
  if (program.before.empty()) return;
  const auto script = python::parse_script(context.file);
  for (const OtherCall& call : program.before) {
    if (always_before(*script, call.place, place)) {
      apply_earlier(call);
    } else {
      forget();
    }
  }
  for (std::size_t at = 0; at < states_.size(); ++at)
    prepared_[at] = states_[at].form == Form::prepared || states_[at].form == Form::unknown;
}

void ModelState::apply_earlier(const OtherCall& call) {
  diag::Sink muted;  // the call reports its own mistakes
  const Context context{context_.file, context_.unknown, muted, context_.options};
  const std::vector<model::Module> none;
  const Program program{.compiled = program_.compiled};
  CallReading reading = read_call(context, program, is_known_ ? units_ : none, prepared_, call.arguments, call.place);
  evaluated_.insert(reading.evaluated.begin(), reading.evaluated.end());
  auto operation = changed(reading, call.place, false);
  if (!operation) return;
  for (ir::Rule& rule : operation->selection.rules) rule.span = {};
  operations_.push_back(std::move(*operation));
}

std::optional<ir::Assign> ModelState::apply(CallReading& call, source::Span name) { return changed(call, name, true); }

std::optional<ir::Assign> ModelState::changed(CallReading& call, source::Span place, bool reports) {
  calls_.push_back({call.config.all.value_or(Config{}), place});
  const bool open = call.config.unknown || (call.all() != nullptr && call.all()->unknown);
  const bool readable = call.valid && call.assign && !open && (is_known_ || call.default_filter);
  if (!readable) {
    forget();
    return call.assign;
  }
  const Selected selected = selected_by(call);
  if (!selected.sure) {
    forget();
    return call.assign;
  }
  const Step step = call.all() == nullptr ? Step::none : call.all()->step;
  if (step == Step::convert) return convert(call, selected, place, reports);
  if (step == Step::none) return quantize(call, selected, place, reports);
  prepare(call, selected, place, reports);
  return unchanged(*call.assign);
}

ModelState::Selected ModelState::selected_by(const CallReading& call) const {
  const ir::Selection& selection = call.assign->selection;
  const ir::Decisions decisions = selection.language->decide(selection, call.assign->schemes, units_);
  Selected out{{}, !selection.unknown};
  for (std::size_t at = 0; at < units_.size() && at < decisions.of_modules.size(); ++at) {
    const ir::Decisions::Decision& decision = decisions.entries[decisions.of_modules[at]];
    out.sure = out.sure && !decision.unknown;
    const bool reached = decision.reason != ir::Decisions::Reason::not_reached;
    if (reached && decision.kind == ir::Rule::Kind::assigns) out.units.push_back(at);
  }
  return out;
}

std::vector<std::size_t> ModelState::with_form(const Selected& selected, Form form, const ClassSpec* wrapper) const {
  std::vector<std::size_t> out;
  for (const std::size_t at : selected.units) {
    const State& state = states_[at];
    const bool other = wrapper != nullptr && calls_[state.call].config.wrapper != wrapper;
    if (state.form == form && !(form == Form::prepared && other)) out.push_back(at);
  }
  return out;
}

void ModelState::set(const Selected& selected, Form form) {
  for (const std::size_t at : selected.units) states_[at] = {form, calls_.size() - 1};
}

void ModelState::forget() {
  for (State& state : states_) state.form = Form::unknown;
}

bool ModelState::is_sure() const {
  return std::ranges::none_of(states_, [](const State& state) { return state.form == Form::unknown; });
}

source::Span ModelState::place_in_call(source::Span config, source::Span call) const {
  return whole_.begin <= config.begin && config.end <= whole_.end ? config : call;
}

// Returns an operation that changes no layer; nullopt if the layers are not known.
std::optional<ir::Assign> ModelState::unchanged(const ir::Assign& assign) const {
  return is_known_ ? std::optional(restricted(assign, units_, {})) : std::nullopt;
}

// --- one call -------------------------------------------------------------------------------------------

std::optional<ir::Assign> ModelState::quantize(CallReading& call, const Selected& selected, source::Span place,
                                               bool reports) {
  const bool stops = quantizers::has_defect(kDefects, "TA220", kReaderOptions[0], context_.options);
  const auto again = with_form(selected, Form::quantized, nullptr);
  if (!again.empty() && stops) {
    call.valid = false;
    if (reports) report_again(call, selected, again, place);
    return std::nullopt;
  }
  const auto prepared = with_form(selected, Form::prepared, nullptr);
  if (!prepared.empty()) {
    const Earlier& earlier = calls_[states_[prepared.front()].call];
    const Config* own = call.all();
    if (reports && own != nullptr && own->spec != nullptr && earlier.config.wrapper == &kQatConfig) {
      context_.sink
          .report(diag::torchao_simulation_stays, place_in_call(own->span, place), own->spec->name,
                  earlier.config.wrapper->name)
          .with_label(earlier.place, "prepared here")
          .with_help(fmt::format("write `{}({}, step=\"convert\")` in this call", earlier.config.wrapper->name,
                                 one_line(context_.file.text(own->span))));
    }
    set(selected, Form::unknown);
    ir::Assign out = std::move(*call.assign);
    out.selection.unknown = true;
    return out;
  }
  set(selected, Form::quantized);
  return std::move(call.assign);
}

// Returns a configuration as it is written, with another step.
static std::string with_step(const Context& context, const Config& config, std::string_view step) {
  constexpr std::size_t kMost = 120;
  std::string text(context.file.text(config.span));
  if (!is_short_line(text, kMost) || !text.ends_with(')')) text = fmt::format("{}(base)", config.wrapper->name);
  const std::string_view other = step == "convert" ? "\"prepare\"" : "\"convert\"";
  const std::string argument = fmt::format("\"{}\"", step);
  if (const std::size_t at = text.find(other); at != std::string::npos) return text.replace(at, other.size(), argument);
  text.pop_back();
  return fmt::format("{}{}step={})", text, text.ends_with('(') ? "" : ", ", argument);
}

void ModelState::prepare(CallReading& call, const Selected& selected, source::Span place, bool reports) {
  const Config& config = *call.all();
  if (reports && !check_simulated(context_, config)) call.valid = false;
  const auto again = with_form(selected, Form::prepared, config.wrapper);
  if (!again.empty() && reports && call.valid && !program_.converts_later) {
    context_.sink.report(diag::torchao_prepared_twice, place_in_call(config.span, place), config.wrapper->name)
        .with_label(calls_[states_[again.front()].call].place, "prepared here")
        .with_help(fmt::format("write `{}`", with_step(context_, config, "convert")));
  }
  set(selected, Form::prepared);
}

std::optional<ir::Assign> ModelState::convert(CallReading& call, const Selected& selected, source::Span place,
                                              bool reports) {
  const Config& config = *call.all();
  const auto prepared = with_form(selected, Form::prepared, config.wrapper);
  const bool has_base = config.spec != nullptr;
  if (prepared.empty() && (!is_sure() || !program_.is_loaded)) {
    set(selected, Form::unknown);  // another program may have prepared them
    return has_base ? std::move(call.assign) : std::nullopt;
  }
  if (prepared.empty()) {
    if (reports) report_unprepared(config, place);
    return unchanged(*call.assign);
  }
  const Earlier& earlier = calls_[states_[prepared.front()].call];
  if (reports) check_trained(context_, earlier.config, earlier.place, config);
  const Selected kept{prepared};
  set(kept, has_base ? Form::quantized : Form::plain);
  if (!has_base) return unchanged(*call.assign);
  if (!is_known_) return std::move(call.assign);
  return restricted(*call.assign, units_, {prepared.begin(), prepared.end()});
}

void ModelState::report_unprepared(const Config& config, source::Span place) const {
  context_.sink.report(diag::torchao_not_prepared, place_in_call(config.span, place), config.wrapper->name)
      .with_help(fmt::format("call `quantize_` with `{}`, and run the model on data, before this call",
                             with_step(context_, config, "prepare")));
}

void ModelState::report_again(const CallReading& call, const Selected& selected, const std::vector<std::size_t>& again,
                              source::Span place) const {
  const std::string layers = is_known_ ? fmt::format("{} such as `{}`", base::counted(again.size(), "layer"),
                                                     base::printable(units_[again.front()].name))
                                       : std::string("all linear layers");
  context_.sink.report(diag::torchao_quantized_twice, place, layers)
      .with_label(calls_[states_[again.front()].call].place, "quantized here")
      .with_help(help_for(call, selected, again));
}

// Advises to leave out the layers that are already quantized, if their names tell them from the others.
std::string ModelState::help_for(const CallReading& call, const Selected& selected,
                                 const std::vector<std::size_t>& again) const {
  constexpr std::size_t kMostParts = 3;
  if (again.size() == selected.units.size()) return "delete one of the two calls";
  if (call.all() == nullptr) return {};
  const std::set<std::size_t> quantized(again.begin(), again.end());
  std::set<std::string> parts;
  for (const std::size_t at : again) parts.emplace(base::last_part(units_[at].name));
  const bool apart = std::ranges::none_of(selected.units, [&](std::size_t at) {
    return !quantized.contains(at) && std::ranges::any_of(parts, [&](const std::string& part) {
      return units_[at].name.find(part) != std::string::npos;
    });
  });
  if (!apart || parts.size() > kMostParts) return {};
  return filter_without(context_.file, {parts.begin(), parts.end()}, call.filter ? &*call.filter : nullptr);
}

}  // namespace sparsecfg::dialect::torchao
