#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/autoround/codes.h"
#include "dialect/autoround/config.h"

// Schemes that AutoRound selects for each layer (docs/semantics/autoround.md#a5-1).
namespace sparsecfg::dialect::autoround {

using source::Value;

DIAGNOSTIC(
    AR126, autoround_bits_out_of_reach, error, (Text, Text, Text),
    "{} bits are fewer than the {} of the smallest option `{}`",
    "AutoRound counts scales and zero points: `W4A16` takes 4 bits and 20 bits for each group of 128. It stops with "
    "ValueError if the target is below the option with the fewest bits.",
    "write more bits, or add an option with fewer bits")

DIAGNOSTIC(AR127, autoround_options_not_read, silent_warning, (Text, Text),
           "without `--avg_bits`, AutoRound quantizes all layers as {1} and ignores `{0}`",
           "The options are read only for the automatic selection, which `--avg_bits` requests.", "add `--avg_bits 5`")

DIAGNOSTIC(AR128, autoround_bits_without_options, error, (), "`--avg_bits` needs `--options`",
           "AutoRound selects the scheme of each layer among the options. Without them, it stops with ValueError.",
           "add `--options W4A16,W8A16`")

DIAGNOSTIC(AR129, autoround_scheme_not_read, silent_warning, (Text), "`--scheme {}` has no effect beside `--avg_bits`",
           "With `--avg_bits`, each layer gets one of the `--options`. AutoRound does not report the other scheme.",
           "delete `--scheme {0}`, or add `{0}` to `--options`")

DIAGNOSTIC(
    AR130, autoround_scheme_needs_name, error, (), "an automatic scheme needs the name of a data set, not a list",
    "AutoRound measures the loss of each option with a data set that it loads by name. It stops with TypeError at a "
    "list.",
    "write `dataset=\"NeelNanda/pile-10k\"`, or the path of a JSON file with texts")

namespace {

constexpr double kTolerance = 1e-3;

// Returns the names of options: a list, or a string with commas. Empty if one of them is not the name of a preset.
std::vector<std::string> names_of(const Value& options) {
  std::vector<std::string> out;
  if (const auto* text = options.get<std::string>()) {
    for (const std::string_view part : base::parts_of(*text, ',')) out.emplace_back(base::trim(part));
    std::erase(out, std::string());
  }
  const auto* list = options.get<source::List>();
  for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) {
    const auto* name = (*list)[at].get<std::string>();
    if (name == nullptr) return {};
    out.push_back(*name);
  }
  const bool known = std::ranges::all_of(out, [](const std::string& name) { return preset(name).has_value(); });
  return known ? out : std::vector<std::string>();
}

// Returns the least number of bits of a weight in a scheme, with those of its scale and zero point.
double bits_of(const Fields& fields, bool only_weights) {
  const std::string type = fields.data_type.value_or("int");
  const auto bits = static_cast<double>(fields.bits.value_or(16));
  const std::int64_t group = fields.group_size.value_or(Group()).size;
  const bool two_levels = type.ends_with("_dq");
  if (only_weights || bits >= 16 || group <= 0 || two_levels) return bits;
  const bool short_scale = type.starts_with("mx_fp") || type.starts_with("nv_fp") || type.find("fp4") != type.npos;
  const bool zero = type.find("int") != type.npos || !fields.sym.value_or(true);
  return bits + ((short_scale ? 8 : 16) + (zero ? bits : 0)) / static_cast<double>(group);
}

// Formats bits with at most three decimals: 4.156.
std::string text_of(double bits) {
  std::string out = fmt::format("{:.3f}", bits);
  while (out.ends_with('0')) out.pop_back();
  if (out.ends_with('.')) out.pop_back();
  return out;
}

class AutoSchemeCheck {
 public:
  AutoSchemeCheck(const Context& context, const Value& call, const Form& form, Arguments& arguments)
      : context_(context), call_(call), form_(form), arguments_(arguments) {}

  // `settings` has the target and the options: an AutoScheme, or the options of a command.
  void run(const Value& settings) {
    const Value* target = settings.given("avg_bits");
    const Value* options = settings.given("options");
    if (target == nullptr || options == nullptr) return;
    check_data();
    if (context_.is_unknown(*target) || context_.is_unknown(*options) || overrides()) return;
    const Value* plain = settings.given("ignore_scale_zp_bits");
    if (plain != nullptr && context_.is_unknown(*plain)) return;
    check_bits(*target, names_of(*options), plain != nullptr && plain->number().value_or(0) != 0);
  }

  // Checks the options of a command without a target.
  void check_command() {
    const Value* target = call_.given("avg_bits");
    const Value* options = call_.given("options");
    const Value* scheme = call_.given("scheme");
    if (target != nullptr && options == nullptr) {
      arguments_.stops = true;
      context_.sink.report(diag::autoround_bits_without_options, target->span);
    } else if (target == nullptr && options != nullptr) {
      context_.sink.report(diag::autoround_options_not_read, options->span, "--options",
                           scheme == nullptr ? "W4A16" : source::python_str(*scheme));
    } else if (target != nullptr && scheme != nullptr && !context_.is_unknown(*scheme)) {
      const std::string name = source::python_str(*scheme);
      auto& report = context_.sink.report(diag::autoround_scheme_not_read, scheme->span, name);
      const auto names = names_of(*options);
      const bool listed = std::ranges::find(names, name) != names.end();
      if (listed) report.with_help(fmt::format("delete `--scheme {}`", base::printable(name)));
    }
  }

 private:
  void check_data() {
    const Value* data = call_.given("dataset");
    if (data == nullptr || data->get<source::List>() == nullptr || context_.is_unknown(*data)) return;
    arguments_.stops = true;
    context_.sink.report(diag::autoround_scheme_needs_name, data->span);
  }

  // Returns true if single arguments change the options.
  [[nodiscard]] bool overrides() const {
    constexpr std::string_view kNames[] = {"bits", "group_size", "sym", "data_type", "act_bits", "super_bits"};
    return call_.find("**") != nullptr ||
           std::ranges::any_of(kNames, [&](std::string_view name) { return call_.given(name) != nullptr; });
  }

  void check_bits(const Value& target, const std::vector<std::string>& names, bool only_weights) {
    const auto wanted = number_in(target);
    if (!wanted || names.empty()) return;
    const auto bits = [&](const std::string& name) { return bits_of(*preset(name), only_weights); };
    const std::string smallest = *std::ranges::min_element(names, {}, bits);
    const double least = bits(smallest);
    if (*wanted >= least - kTolerance) return;
    arguments_.stops = true;
    auto& report = context_.sink.report(diag::autoround_bits_out_of_reach, target.span, source::python_str(target),
                                        text_of(least), smallest);
    const double next = std::min(std::ceil(2 * least + 0.1) / 2, 8.0);
    const bool counts_scales = *wanted >= bits_of(*preset(smallest), true) - kTolerance;
    const std::string more =
        form_.command ? fmt::format("--avg_bits {:.1f}", next) : fmt::format("avg_bits={:.1f}", next);
    const std::string_view ignore = form_.command ? "--ignore_scale_zp_bits" : "ignore_scale_zp_bits=True";
    report.with_help(counts_scales ? fmt::format("write `{}`, or add `{}`", more, ignore)
                                   : fmt::format("write `{}`, or add an option with fewer bits", more));
  }

  const Context& context_;
  const Value& call_;
  const Form& form_;
  Arguments& arguments_;
};

}  // namespace

void check_auto_scheme(const Context& context, const Value& call, const Form& form, Arguments& arguments) {
  AutoSchemeCheck check(context, call, form, arguments);
  if (form.command) {
    check.check_command();
    if (!arguments.stops) check.run(call);
    return;
  }
  const Value* scheme = call.given("scheme");
  const Value* settings = scheme == nullptr ? nullptr : scheme->find(kAutoScheme);
  if (settings != nullptr) check.run(*settings);
}

}  // namespace sparsecfg::dialect::autoround
