#include "rescale/rescale.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "format/format.h"
#include "ir/clock.h"

namespace sparsecfg::cmd {

struct RescaleOptions {
  ReadingOptions reading;
  std::string path;
  std::optional<double> epochs;  // of the result; one of the three is given
  std::optional<double> factor;
  std::string steps;  // "A:B"
  bool frequencies = false;
  bool report_json = false;
  Output output;
};

// "A:B", the steps of an epoch before and after.
static std::optional<rescale::Factor> read_steps(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    return std::nullopt;
  }
  const auto before = base::parse_double(text.substr(0, colon));
  const auto after = base::parse_double(text.substr(colon + 1));
  const auto is_count = [](const std::optional<double>& number) {
    return number && *number >= 1 && *number <= ir::kMaxStepsPerEpoch && *number == std::floor(*number);
  };
  return is_count(before) && is_count(after) ? std::optional(rescale::Factor{*before, *after}) : std::nullopt;
}

// Returns nullopt, after a complaint, unless one length is asked for.
static std::optional<rescale::Request> request_of(const RescaleOptions& options, std::ostream& err) {
  rescale::Request request;
  const int asked = static_cast<int>(options.epochs.has_value()) + static_cast<int>(options.factor.has_value()) +
                    static_cast<int>(!options.steps.empty());
  const auto fail = [&](const std::string& why) {
    complain(err, "rescale", why);
    return std::nullopt;
  };
  if (asked != 1) {
    return fail("say how long with one of --epochs N, --factor F and --steps-per-epoch A:B");
  }
  if (options.epochs.value_or(1) <= 0 || options.factor.value_or(1) <= 0) {
    return fail("a length has to be above 0");
  }
  request.epochs = options.epochs;
  request.frequencies = options.frequencies;
  if (options.factor) request.factor = rescale::Factor{*options.factor, 1};
  if (!options.steps.empty()) {
    request.factor = read_steps(options.steps);
    request.keeps_steps = true;
    if (!request.factor) return fail("--steps-per-epoch has to be A:B, the steps of an epoch before and after");
  }
  return request;
}

// Why the recipe can't be rescaled; nullopt if it can.
static std::optional<std::string> obstacle(const Compilation& compilation, const dialect::Dialect& dialect,
                                           const RescaleOptions& options) {
  if (dialect.keeps_any()) {
    return "this is a schedule that a program wrote; rescale the recipe that it was made of";
  }
  if (base::to_lower(base::ending_of(compilation.file->name())) == "py") {
    return "Python scripts are not changed; `convert --to nni` writes their lists as YAML";
  }
  if (dialect.times == nullptr || !compilation.recipe->trains) {
    return "it is applied to a trained model, so nothing in it lasts";
  }
  if (options.epochs && rescale::length_of(*compilation.recipe, dialect).value_or(0) <= 0) {
    return "the recipe does not say how long it trains; use --factor";
  }
  return std::nullopt;
}

static int rescale_read(const ReadRecipe& read, const RescaleOptions& options, rescale::Request request,
                        const Streams& streams) {
  const Compilation& compilation = read.compilation;
  const dialect::Dialect& dialect = *dialect::find_dialect(*compilation.dialect);
  if (const auto why = obstacle(compilation, dialect, options)) {
    complain(streams.err, options.path, *why);
    return kUsage;
  }
  request.compile = read.options->compile;
  diag::Sink ignored;
  const auto part = format::part_of(*compilation.file);
  const auto document = doc::read_yaml(*compilation.file, *part, request.compile.limits, ignored);
  const rescale::Rescaled rescaled = rescale::rescale(compilation, *document, dialect, request);
  streams.err << (options.report_json ? rescale::report_json(rescaled, compilation)
                                      : rescale::report_text(rescaled, compilation));
  if (rescaled.faults) {
    complain(streams.err, options.path, "nothing is written, because the result would have errors:");
    show_findings(*rescaled.faults, rescaled.faults->diagnostics, streams);
    return kErrors;
  }
  return write_output(options.output, {options.path}, rescaled.text, streams);
}

static int rescale(const RescaleOptions& options, const Streams& streams) {
  auto request = request_of(options, streams.err);
  if (!request) {
    return kUsage;
  }
  const auto read = read_recipe(options.path, options.reading, streams, Findings::errors);
  if (!read) {
    return kUsage;
  }
  const Compilation& compilation = read->compilation;
  const bool failed = compilation.count(diag::Severity::error) > 0 || !compilation.recipe;
  show_findings(compilation, errors_of(compilation), streams);
  return failed ? kErrors : rescale_read(*read, options, std::move(*request), streams);
}

// The length of the run is what is changed, and a variable that is set is not in the text.
static std::vector<Option> options_of(RescaleOptions& own) {
  std::vector<Option> out = {
      number("--epochs", "N", own.epochs, ir::kMaxEpochs, "How many epochs the result is to train"),
      number("--factor", "F", own.factor, ir::kMaxEpochs, "How many times as long it is to train"),
      text("--steps-per-epoch", "A:B", own.steps,
           "Keep everything at its step while an epoch of A steps becomes one of B"),
      flag("--frequencies", own.frequencies,
           "Scale the time between updates too; without it there are more updates, or fewer"),
      text_or_json("--report", own.report_json, "How to report what changed"),
      output(own.output),
      force(own.output),
  };
  const std::string_view replaced[] = {"--epochs", "--steps-per-epoch", "--set"};
  std::vector<Option> reading = reading_options(own.reading);
  std::erase_if(reading, [&](const Option& option) { return base::contains(replaced, option.name); });
  append(out, std::move(reading));
  return out;
}

Command rescale_command() {
  return recipe_command("rescale", "Write a recipe for another length", options_of, rescale);
}

}  // namespace sparsecfg::cmd
