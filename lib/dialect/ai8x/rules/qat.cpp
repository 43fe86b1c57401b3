#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/ai8x/codes.h"
#include "dialect/ai8x/rules/rules.h"

// Checks the settings of QAT policies (docs/semantics/ai8x.md#c1).
namespace sparsecfg::dialect::ai8x {

DIAGNOSTIC(AX202, bits_not_supported, error, (Text, Text), "`{}` must be 1, 2, 4 or 8, but this is {}",
           "ai8x.py checks the bit width only when quantization starts, after all epochs before `start_epoch`, and "
           "then stops the training with an AssertionError.",
           "write 1, 2, 4 or 8")

std::optional<std::int64_t> bits_of(const Field& field) {
  const auto bits = field.value.number();
  const bool known = bits && std::ranges::find(kBits, *bits) != std::end(kBits);
  return known ? std::optional(static_cast<std::int64_t>(*bits)) : std::nullopt;
}

// Offers the next smaller width, which needs no more memory than the one that is written.
static void offer_smaller(const Field& field, double bits, std::span<const source::Span> others,
                          diag::Diagnostic& report) {
  if (!(bits > 1 && bits < 8)) return;
  const int smaller = bits < 2 ? 1 : bits < 4 ? 2 : 4;
  diag::Fix fix = diag::Fix::unsafe().replace(field.value.span, std::to_string(smaller));
  for (const source::Span other : others) fix.replace(other, std::to_string(smaller));
  report
      .with_help(fmt::format("write `{}: {}`{}, or {} if the memory suffices", field.name, smaller,
                             others.empty() ? "" : " in each place", 2 * smaller))
      .with_fix(std::move(fix));
}

std::optional<std::int64_t> check_bits(const Context& context, const Field& field,
                                       std::span<const source::Span> others) {
  if (const auto known = bits_of(field)) return known;
  const auto bits = field.value.number();
  const auto* text = field.value.get<std::string>();
  const auto meant = text == nullptr ? std::nullopt : base::parse_double(*text);
  const bool quoted = meant && std::ranges::find(kBits, *meant) != std::end(kBits);
  auto& report =
      context.sink.report(diag::bits_not_supported, field.value.span, field.name, source::describe(field.value));
  constexpr std::size_t kMaxLabels = 3;
  for (const source::Span other : others.first(std::min(others.size(), kMaxLabels))) {
    report.with_label(other, "the same width");
  }
  if (bits) offer_smaller(field, *bits, others, report);
  const std::size_t digits = text == nullptr ? std::string::npos : text->find_first_of("0123456789");
  const auto width =
      digits == std::string::npos ? std::nullopt : base::parse_double(std::string_view(*text).substr(digits));
  if (!quoted && width && std::ranges::find(kBits, *width) != std::end(kBits)) {  // such as `int8`
    const std::string number = text->substr(digits);
    report.with_help(fmt::format("write `{}`", number)).with_fix(diag::Fix::unsafe().replace(field.value.span, number));
  }
  if (bits && *bits > 8) {  // such as 16 or 32, which mean no quantization elsewhere
    report.with_help(fmt::format("write `{}: 8`, the largest width of the hardware", field.name))
        .with_fix(diag::Fix::unsafe().replace(field.value.span, "8"));
  }
  if (quoted) {
    report.with_help("remove the quotes").with_fix(diag::Fix::safe().replace(field.value.span, *text));
  }
  return std::nullopt;
}

bool check_quantile(const Context& context, const Record& record, const Field& field) {
  const auto* list = field.value.get<source::List>();
  Field one = field;
  if (list != nullptr && list->size() == 1) one.value = list->front();
  const auto number = one.value.number();
  if (number && std::isnan(*number) && context.release() != Release::y2024) {
    context.sink.report(diag::number_out_of_range, field.value.span, field.name, "nan", "0 to 1", "ai8x.py");
    return false;
  }
  // Before 2025 the quantile was an index, which is not checked.
  FieldSpec unchecked = *field.spec;
  unchecked.bounds = {};
  if (context.release() == Release::y2024) one.spec = &unchecked;
  return check_row(context, record, one);
}

DIAGNOSTIC(AX201, qat_never_starts, silent_error, (Text), "`start_epoch` is {}, so QAT never starts",
           "train.py starts quantization in the epoch that is equal to `start_epoch`, but not in epoch 0. A string, a "
           "fraction, a negative number or any other value never matches, and the whole run trains without "
           "quantization. Only a resumed run compares with `>=`, and fails on values that are not numbers.",
           "write an int above 0 without quotes")

// Returns the value as written, with quotes; "null" for nothing.
static std::string written(const Context& context, const Field& field) {
  const std::string text = base::printable(context.file.text(field.value.span));
  return text.empty() ? source::python_str(field.value) : text;
}

static void report_not_a_number(const Context& context, const Field& field) {
  auto& report = context.sink.report(diag::qat_never_starts, field.value.span, written(context, field));
  const auto* text = field.value.get<std::string>();
  const auto meant = text == nullptr ? std::nullopt : base::python_float(*text);
  if (meant && *meant > 0 && *meant == std::floor(*meant) && *meant < 1e9) {
    report.with_help(fmt::format("write `start_epoch: {}`", base::whole_part(*meant)))
        .with_fix(diag::Fix::safe().replace(field.value.span, std::to_string(base::whole_part(*meant))));
  }
}

// A start of 0 works for runs that resume a checkpoint.
static void report_never(const Context& context, const Field& field, double number) {
  auto& report = context.sink.report(diag::qat_never_starts, field.value.span, source::python_str(field.value));
  if (number == 0) {
    report.with_severity(diag::Severity::warning)
        .with_help("write `start_epoch: 1`: only a run that is resumed with `--resume-from` starts QAT at 0");
  }
}

// Advises a start in the last fifth of the training, or after the last drop of the learning rate if that is later.
static void report_too_late(const Context& context, const Field& field, double number, double epochs) {
  const double fifth = std::floor(epochs * 0.8);
  const double drop = context.options.last_drop.value_or(0);
  const bool after_drop = drop >= fifth && drop + 1 < epochs;
  const std::string start = fmt::format("{}", after_drop ? drop + 1 : fifth);
  const std::string why = after_drop ? fmt::format("after the last drop of the learning rate at epoch {}", drop)
                                     : std::string("so that QAT runs in the last fifth of the training");
  context.sink.report(diag::starts_after_training, field.value.span, number, epochs)
      .with_help(fmt::format("write `start_epoch: {}`, {}", start, why))
      .with_fix(diag::Fix::unsafe().replace(field.value.span, start));
}

// Quantization starts when an epoch above 0 is equal to the value. Anything else is never reached.
double check_start(const Context& context, const Record& policy) {
  const Field* field = policy.find("start_epoch");
  const auto number = field == nullptr ? std::nullopt : field->value.number();
  if (field == nullptr) {
    return 0;
  }
  if (!number) {
    report_not_a_number(context, *field);
  } else if (*number <= 0 || *number != std::floor(*number) || std::isinf(*number)) {
    report_never(context, *field, *number);
  } else if (context.options.epochs && *number >= *context.options.epochs) {
    report_too_late(context, *field, *number, *context.options.epochs);
  } else {
    return *number;
  }
  return ir::Cadence::kEndless;
}

DIAGNOSTIC(AX207, score_removes_many, warning, (Text, double),
           "a z-score of {} removes about {:.0f} % of the values of each activation",
           "Values that are further from the mean than this number of standard deviations are removed before the shift "
           "is computed. Quantiles such as 0.99 belong in `shift_quantile`.",
           "write `8.0`, the default")

// Reports a score that is probably a quantile: of normally distributed values, it removes a tenth or more.
static void check_score(const Context& context, const Field& score) {
  constexpr double kFew = 1.645;
  const auto number = score.value.number();
  if (!number || !(*number > 0) || *number > kFew) return;
  const double removed = 100 * std::erfc(*number / std::sqrt(2.0));
  context.sink.report(diag::score_removes_many, score.value.span, source::python_str(score.value), removed)
      .with_help(fmt::format("write `{}: 8.0`, the default", score.name))
      .with_fix(diag::Fix::unsafe().replace(score.value.span, "8.0"));
}

bool check_activations(const Context& context, const Record& policy) {
  const Field* quantile = policy.find("shift_quantile");
  const bool valid = quantile == nullptr || check_quantile(context, policy, *quantile);
  const Field* score = policy.find("outlier_removal_z_score");
  if (score == nullptr) {
    return valid;
  }
  if (context.release() == Release::y2024) {
    context.sink.report(diag::key_not_read, score->key, score->name, "releases before 2025")
        .with_severity(diag::Severity::warning);
    return valid;
  }
  const bool read =
      check_row(context, policy, *score) && check_unsupported(*score->spec, policy.spec->name, *score, context.sink);
  if (read) check_score(context, *score);
  return read && valid;
}

}  // namespace sparsecfg::dialect::ai8x
