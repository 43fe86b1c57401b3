#include "dialect/nni/read.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/schedule.h"
#include "dialect/record/check.h"
#include "dialect/record/field_names.h"
#include "dialect/record/suggest.h"

namespace sparsecfg::dialect::nni {

using source::Map;
using source::Value;

constexpr std::string_view kRatios[] = {"sparsity", "sparsity_per_layer", "total_sparsity"};
constexpr std::string_view kSelectors[] = {"op_types", "op_names", "op_partial_names"};
constexpr std::string_view kQuantizationKeys[] = {"quant_types", "quant_bits", "quant_dtype", "quant_scheme",
                                                  "quant_start_step"};

static const source::Entry* first_of(const Map& fields, std::span<const std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const source::Entry* found = find_entry(fields, key)) return found;
  }
  return nullptr;
}

// Checks one list by the rules of an older release.
class OlderCheck {
 public:
  OlderCheck(Compressor& compressor, const Context& context)
      : compressor_(compressor), sink_(context.sink), epochs_(release_of(context.options) == Release::v1) {}

  void run() {
    for (Entry& entry : compressor_.entries) {
      if (!entry.valid) {
        continue;
      }
      entry_ = &entry;
      check_keys();
      check_selectors();
      if (compressor_.mode == Mode::quantization) {
        check_quantization();
      } else if (epochs_ && has(*entry.written, "final_sparsity")) {
        check_epochs();
      } else {
        check_ratio();
      }
    }
    check_kinds();
  }

 private:
  void reject() { entry_->valid = false; }

  bool is_known(std::string_view key) const {
    const bool quantizes = compressor_.mode == Mode::quantization;
    return key == "exclude" || base::contains(kSelectors, key) ||
           (quantizes ? base::contains(kQuantizationKeys, key)
                      : base::contains(kRatios, key) || key == "max_sparsity_per_layer") ||
           (epochs_ && find_key(epoch_keys(), key) != nullptr);
  }

  // NNI 1.x does not check keys, so an unknown key is only a warning.
  void check_keys() {
    for (const source::Entry& field : *entry_->written) {
      const std::string name = name_of(field);
      if (is_known(name)) {
        continue;
      }
      const bool later =
          find_key(setting_keys(compressor_.mode), name) != nullptr || find_key(selection_keys(), name) != nullptr;
      FieldNames(sink_).report_unknown(
          {.key = field.first.span,
           .name = name,
           .owner = fmt::format("an entry of NNI {}", epochs_ ? "1.x" : "2.x"),
           .help = later ? "pass `--nni 3.0`, or delete it: this is a key of NNI 3.0" : "delete it",
           .severity = epochs_ ? diag::Severity::warning : diag::Severity::error});
      if (!epochs_) reject();
    }
  }

  void check_selectors() {
    for (const std::string_view key : kSelectors) {
      const Value* value = find_value(*entry_->written, key);
      const auto* list = value == nullptr ? nullptr : value->get<source::List>();
      if (value != nullptr && (list == nullptr || texts_of(value).size() != list->size())) {
        reject();
        offer_list(sink_.report(diag::wrong_type, value->span, key, "a list of strings", source::describe(*value)),
                   *value);
      }
    }
    if (!epochs_ && first_of(*entry_->written, kSelectors) == nullptr) {
      reject();
      sink_.report(diag::selector_missing, entry_->span).with_help("add `op_types`, `op_names` or `op_partial_names`");
    }
  }

  // --- pruning -----------------------------------------------------------------------------------------

  void check_ratio() {
    const source::Entry* ratio = first_of(*entry_->written, kRatios);
    const source::Entry* exclude = find_entry(*entry_->written, "exclude");
    if (exclude != nullptr) {
      check_exclude(*exclude, ratio);
      return;
    }
    if (ratio == nullptr) {
      reject();
      sink_.report(diag::missing_required, entry_->span, entry_->path, "sparsity");
      return;
    }
    check_one_ratio(*ratio);
    check_share(*ratio, false);
    if (const source::Entry* largest = find_entry(*entry_->written, "max_sparsity_per_layer")) {
      check_share(*largest, true);
      if (!has(*entry_->written, "total_sparsity")) {
        reject();
        sink_.report(diag::missing_required, largest->first.span, "max_sparsity_per_layer", "total_sparsity");
      }
    }
  }

  void check_exclude(const source::Entry& exclude, const source::Entry* ratio) {
    if (exclude.second.get<bool>() == nullptr) {
      reject();
      sink_.report(diag::wrong_type, exclude.second.span, "exclude", "true or false", source::describe(exclude.second));
    }
    if (ratio != nullptr) {
      report_both(*ratio, exclude);
    }
  }

  void check_one_ratio(const source::Entry& first) {
    for (const source::Entry& field : *entry_->written) {
      if (&field != &first && base::contains(kRatios, name_of(field))) report_both(field, first);
    }
  }

  void report_both(const source::Entry& one, const source::Entry& other) {
    reject();
    sink_.report(diag::mutually_exclusive, one.first.span, name_of(one), name_of(other))
        .with_label(other.first.span, "also set here");
  }

  // An int may also be a percentage. A sparsity of 1 is accepted only as the largest one.
  static void suggest_share(diag::Diagnostic& report, const Value& value, bool largest) {
    const auto number = value.get<std::int64_t>() != nullptr ? value.number() : std::nullopt;
    if (number && (largest ? *number == 1 : *number == 0)) {
      const std::string written = base::python_repr(*number);
      report.with_help(fmt::format("write `{}`", written)).with_fix(diag::Fix::safe().replace(value.span, written));
    } else if (number && is_percent(*number) && *number < 100) {
      const std::string fraction = base::python_repr(fraction_of(*number));
      report.with_help(fmt::format("write `{}`: a sparsity is a fraction (0 to 1)", fraction))
          .with_fix(diag::Fix::unsafe().replace(value.span, fraction));
    } else {
      report.with_help("write a fraction with a decimal point, such as `0.8`");
    }
  }

  void check_share(const source::Entry& field, bool largest) {
    const auto* share = field.second.get<double>();
    if (share == nullptr) {
      reject();
      suggest_share(
          sink_.report(diag::float_required, field.second.span, name_of(field), source::describe(field.second)),
          field.second, largest);
    } else if (largest ? !(*share > 0 && *share <= 1) : !(*share >= 0 && *share < 1)) {
      reject();
      sink_.report(diag::sparsity_out_of_range, field.second.span, name_of(field), base::python_repr(*share),
                   largest ? "(0.0, 1.0]" : "[0.0, 1.0)");
    }
  }

  // `total_sparsity` can't be combined with sparsities of single modules in one list.
  void check_kinds() {
    const source::Entry* whole = nullptr;
    const source::Entry* single = nullptr;
    for (Entry& entry : compressor_.entries) {
      const source::Entry* ratio = entry.valid ? first_of(*entry.written, kRatios) : nullptr;
      if (ratio == nullptr) {
        continue;
      }
      (name_of(*ratio) == "total_sparsity" ? whole : single) = ratio;
      if (whole != nullptr && single != nullptr) {
        entry_ = &entry;
        report_both(*ratio, ratio == whole ? *single : *whole);
        return;
      }
    }
  }

  // --- quantization --------------------------------------------------------------------------------------

  void check_quantization() {
    if (has(*entry_->written, "exclude")) {
      return;
    }
    for (const std::string_view key : {"quant_types", "quant_bits"}) {
      if (!has(*entry_->written, key)) {
        reject();
        sink_.report(diag::missing_required, entry_->span, entry_->path, key);
      }
    }
    const Value* types = find_value(*entry_->written, "quant_types");
    const Value* bits = find_value(*entry_->written, "quant_bits");
    const auto* map = bits == nullptr ? nullptr : bits->get<Map>();
    for (const auto& type : texts_of(types)) {
      if (type.value != "weight" && type.value != "input" && type.value != "output") {
        reject();
        sink_
            .report(diag::quant_type_unsupported, type.span, fmt::format("`{}`", type.value),
                    "expected `weight`, `input` or `output`")
            .with_help("use one of `weight`, `input`, `output`");
      } else if (map != nullptr && !has(*map, type.value)) {
        reject();
        sink_.report(diag::quant_bits_missing, bits->span, type.value)
            .with_help("add this type to `quant_bits`, or write one int for all types");
      }
    }
  }

  // --- epochs --------------------------------------------------------------------------------------------

  void check_epochs() {
    for (const FieldSpec& key : epoch_keys()) {
      const Value* value = find_value(*entry_->written, key.name);
      if (value != nullptr && !plain_number(value)) {
        reject();
        sink_.report(diag::wrong_type, value->span, key.name, "a number", source::describe(*value));
      }
    }
    const Value* frequency = find_value(*entry_->written, "frequency");
    if (entry_->valid && frequency != nullptr && *frequency->number() < 1) {
      reject();
      sink_.report(diag::nni_steps_mismatch, frequency->span,
                   "`frequency` must be 1 or more, because NNI divides by it");
    } else if (entry_->valid && !epochs_of(*entry_->written)) {
      reject();
      sink_
          .report(diag::nni_steps_mismatch, entry_->place(find_value(*entry_->written, "end_epoch")),
                  "the ramp is empty: its last update would be in its first epoch")
          .with_help("set `end_epoch` above `start_epoch` + `frequency`");
    }
  }

  Compressor& compressor_;
  diag::Sink& sink_;
  bool epochs_;
  Entry* entry_ = nullptr;
};

std::vector<std::vector<Target>> read_older(Configuration& configuration, const Context& context) {
  std::vector<std::vector<Target>> out;
  for (Compressor& compressor : configuration.compressors) {
    OlderCheck(compressor, context).run();
    out.push_back(select_last(compressor, context));
  }
  return out;
}

}  // namespace sparsecfg::dialect::nni
