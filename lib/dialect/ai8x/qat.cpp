#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/ai8x/codes.h"
#include "dialect/ai8x/read.h"

// QAT policies (docs/semantics/ai8x.md#c1).
namespace sparsecfg::dialect::ai8x {

DIAGNOSTIC(AX202, bits_not_supported, error, (Text, Text), "`{}` must be 1, 2, 4 or 8, but this is {}",
           "ai8x.py checks the bit width only when quantization starts, after all epochs before `start_epoch`, and "
           "then stops the training with an AssertionError.",
           "write 1, 2, 4 or 8")

std::optional<std::int64_t> check_bits(const Reading& reading, const Field& field) {
  const auto bits = field.value.number();
  if (bits && std::ranges::find(kBits, *bits) != std::end(kBits)) {
    return static_cast<std::int64_t>(*bits);
  }
  const auto* text = field.value.get<std::string>();
  const auto meant = text == nullptr ? std::nullopt : base::parse_double(*text);
  const bool quoted = meant && std::ranges::find(kBits, *meant) != std::end(kBits);
  auto& report =
      reading.sink.report(diag::bits_not_supported, field.value.span, field.name, source::describe(field.value));
  if (quoted) {
    report.with_help("remove the quotes").with_fix(diag::Fix::safe().replace(field.value.span, *text));
  }
  return std::nullopt;
}

bool check_quantile(const Reading& reading, const Record& record, const Field& field) {
  const auto* list = field.value.get<source::List>();
  Field one = field;
  if (list != nullptr && list->size() == 1) one.value = list->front();
  const auto number = one.value.number();
  if (number && std::isnan(*number) && reading.release() != Release::y2024) {
    reading.sink.report(diag::number_out_of_range, field.value.span, field.name, "nan", "0 to 1", "ai8x.py");
    return false;
  }
  // Before 2025 the quantile was an index, which is not checked.
  FieldSpec unchecked = *field.spec;
  unchecked.bounds = {};
  if (reading.release() == Release::y2024) one.spec = &unchecked;
  return check_row(reading, record, one);
}

DIAGNOSTIC(AX201, qat_never_starts, silent_error, (Text), "`start_epoch` is {}, so QAT never starts",
           "train.py starts quantization in the epoch that is equal to `start_epoch`, but not in epoch 0. A string, a "
           "fraction, a negative number or any other value never matches, and the whole run trains without "
           "quantization. Only a resumed run compares with `>=`, and fails on values that are not numbers.",
           "write an int above 0 without quotes")

DIAGNOSTIC(AX205, all_outliers, error, (Text), "a z-score of {} removes all activations as outliers",
           "When quantization starts, ai8x.py drops activations that are further from the mean than this many "
           "deviations. If none is left, it stops with a RuntimeError.",
           "write a score such as 8.0, or `.inf` to keep all activations")

class QatReader {
 public:
  QatReader(const Reading& reading, const source::Map& policy)
      : reading_(reading), record_(read_record(reading, kQatPolicy, policy, place_of(policy), diag::Severity::error)) {}

  std::vector<ir::Action> read() {
    if (record_.fields.empty()) {
      return {};
    }
    valid_ = record_.valid;
    const double start = read_start();
    const Field* bits_field = record_.find("weight_bits");
    const auto bits = bits_field == nullptr ? std::nullopt : check_bits(reading_, *bits_field);
    check_numbers();
    ir::Quantize effect = quantize(bits.value_or(8));
    ir::Cadence cadence;
    cadence.start = {start, record_.place("start_epoch")};
    return {{std::move(effect), cadence, origin_of(kQatPolicy.name, record_, 1), valid_ && bits.has_value()}};
  }

 private:
  static source::Span place_of(const source::Map& policy) {
    return policy.empty() ? source::Span() : policy.front().first.span;
  }

  // Quantization starts when an epoch above 0 is equal to the value. Anything else is never reached.
  double read_start() {
    const Field* field = record_.find("start_epoch");
    const auto number = field == nullptr ? std::nullopt : field->value.number();
    if (field == nullptr) {
      return 0;
    }
    if (!number) {
      report_not_a_number(*field);
    } else if (*number <= 0 || *number != std::floor(*number) || std::isinf(*number)) {
      report_never(*field, *number);
    } else if (reading_.options.epochs && *number >= *reading_.options.epochs) {
      reading_.sink.report(diag::starts_after_training, field->value.span, *number, *reading_.options.epochs)
          .with_help(fmt::format("start before epoch {}, or pass a larger `--epochs`", *reading_.options.epochs));
    } else {
      return *number;
    }
    return ir::Cadence::kEndless;
  }

  // Returns the value as written, with quotes; "null" for nothing.
  std::string written(const Field& field) const {
    const std::string text = base::printable(reading_.file.text(field.value.span));
    return text.empty() ? source::python_str(field.value) : text;
  }

  void report_not_a_number(const Field& field) const {
    auto& report = reading_.sink.report(diag::qat_never_starts, field.value.span, written(field));
    const auto* text = field.value.get<std::string>();
    const auto meant = text == nullptr ? std::nullopt : base::python_float(*text);
    if (meant && *meant > 0 && *meant == std::floor(*meant) && *meant < 1e9) {
      report.with_help(fmt::format("write `start_epoch: {}`", base::whole_part(*meant)))
          .with_fix(diag::Fix::safe().replace(field.value.span, std::to_string(base::whole_part(*meant))));
    }
  }

  // A start of 0 works for runs that load or resume a checkpoint.
  void report_never(const Field& field, double number) const {
    auto& report = reading_.sink.report(diag::qat_never_starts, field.value.span, source::python_str(field.value));
    if (number == 0) {
      report.with_severity(diag::Severity::warning)
          .with_help("write `start_epoch: 1` to train; 0 only works with a loaded or resumed checkpoint");
    }
  }

  void check_numbers() {
    if (const Field* field = record_.find("shift_quantile")) {
      valid_ = check_quantile(reading_, record_, *field) && valid_;
    }
    const Field* field = record_.find("outlier_removal_z_score");
    if (field == nullptr) {
      return;
    }
    if (reading_.release() == Release::y2024) {
      reading_.sink.report(diag::key_not_read, field->key, field->name, "releases before 2025")
          .with_severity(diag::Severity::warning);
      return;
    }
    valid_ = check_row(reading_, record_, *field) && check_z_score(*field) && valid_;
  }

  // Almost no activation is that close to the mean, so that none is left.
  bool check_z_score(const Field& field) {
    constexpr double kLeast = 0.1;
    const double score = field.value.number().value_or(kLeast);
    const bool keeps = !(score < kLeast);
    if (!keeps) {
      reading_.sink.report(diag::all_outliers, field.value.span, source::python_str(field.value));
    }
    return keeps;
  }

  ir::Quantize quantize(std::int64_t bits) {
    ir::Quantize effect;
    effect.by_scheme = false;
    effect.grids = {weights_of(bits)};
    if (const Field* overrides = record_.find("overrides")) {
      effect.overrides = overrides->value;
      for (const Override& each : read_overrides(reading_, overrides->value, bits, valid_)) {
        effect.layers.push_back(selector_of({{model::Term::Kind::exact, each.layer, each.span}}));
        effect.layer_grids.push_back({weights_of(each.bits)});
      }
    }
    if (reading_.options.modules != nullptr) {
      std::vector<model::Term> rest;
      for (const std::string& name : quantized_layers(*reading_.options.modules)) {
        const auto names_layer = [&](const model::Selector& each) { return each.terms.front().text == name; };
        if (std::ranges::any_of(effect.layers, names_layer)) continue;
        rest.push_back({model::Term::Kind::exact, name, record_.place("weight_bits")});
      }
      effect.layers.push_back(selector_of(std::move(rest)));
      effect.layer_grids.push_back(effect.grids);
    }
    return effect;
  }

  static ir::Grid weights_of(std::int64_t bits) { return {"weights", bits, true, false}; }

  static model::Selector selector_of(std::vector<model::Term> terms) {
    model::Selector selector;
    selector.terms = std::move(terms);
    selector.over = model::Selector::Over::modules;
    selector.strict = false;
    selector.drops = true;
    return selector;
  }

  const Reading& reading_;
  Record record_;
  bool valid_ = true;
};

std::vector<ir::Action> read_qat(const Reading& reading, const source::Map& policy) {
  return QatReader(reading, policy).read();
}

}  // namespace sparsecfg::dialect::ai8x
