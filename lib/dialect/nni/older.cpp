#include "dialect/nni/read.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
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

// `epochs`: true for NNI 1.x, whose entries contain epochs.
static bool is_known(const Compressor& compressor, bool epochs, std::string_view key) {
  const bool quantizes = compressor.mode == Mode::quantization;
  return key == "exclude" || base::contains(kSelectors, key) ||
         (quantizes ? base::contains(kQuantizationKeys, key)
                    : base::contains(kRatios, key) || key == "max_sparsity_per_layer") ||
         (epochs && find_key(epoch_keys(), key) != nullptr);
}

// NNI 1.x does not check keys, so an unknown key is only a warning.
static void check_older_keys(const Compressor& compressor, Entry& entry, bool epochs, diag::Sink& sink) {
  for (const source::Entry& field : *entry.written) {
    const std::string name = name_of(field);
    if (is_known(compressor, epochs, name)) {
      continue;
    }
    const bool later =
        find_key(setting_keys(compressor.mode), name) != nullptr || find_key(selection_keys(), name) != nullptr;
    FieldNames(sink).report_unknown(
        {.key = field.first.span,
         .name = name,
         .owner = fmt::format("an entry of NNI {}", epochs ? "1.x" : "2.x"),
         .help = later ? "pass `--nni 3.0`, or delete it: this is a key of NNI 3.0" : "delete it",
         .severity = epochs ? diag::Severity::warning : diag::Severity::error});
    if (!epochs) entry.valid = false;
  }
}

static void check_older_selectors(Entry& entry, bool epochs, diag::Sink& sink) {
  for (const std::string_view key : kSelectors) {
    const Value* value = find_value(*entry.written, key);
    const auto* list = value == nullptr ? nullptr : value->get<source::List>();
    if (value != nullptr && (list == nullptr || texts_of(value).size() != list->size())) {
      entry.valid = false;
      offer_list(sink.report(diag::wrong_type, value->span, key, "a list of strings", source::describe(*value)),
                 *value);
    }
  }
  if (!epochs && first_of(*entry.written, kSelectors) == nullptr) {
    entry.valid = false;
    sink.report(diag::selector_missing, entry.span).with_help("add `op_types`, `op_names` or `op_partial_names`");
  }
}

static void report_both(Entry& entry, const source::Entry& one, const source::Entry& other, diag::Sink& sink) {
  entry.valid = false;
  sink.report(diag::mutually_exclusive, one.first.span, name_of(one), name_of(other))
      .with_label(other.first.span, "also set here");
}

static void check_exclude(Entry& entry, diag::Sink& sink, const source::Entry& exclude, const source::Entry* ratio) {
  if (exclude.second.get<bool>() == nullptr) {
    entry.valid = false;
    sink.report(diag::wrong_type, exclude.second.span, "exclude", "true or false", source::describe(exclude.second));
  } else if (!*exclude.second.get<bool>() && ratio == nullptr) {
    sink.report(diag::exclude_false_excludes, exclude.second.span)
        .with_help("write `exclude: true`, or a sparsity instead of `exclude`")
        .with_fix(diag::Fix::safe().replace(exclude.second.span, "true"));
  }
  for (const source::Entry* other : {ratio, find_entry(*entry.written, "max_sparsity_per_layer")}) {
    if (other != nullptr) report_both(entry, *other, exclude, sink);
  }
}

static void check_one_ratio(Entry& entry, diag::Sink& sink, const source::Entry& first) {
  for (const source::Entry& field : *entry.written) {
    if (&field != &first && base::contains(kRatios, name_of(field))) report_both(entry, field, first, sink);
  }
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

static void check_share(Entry& entry, diag::Sink& sink, const source::Entry& field, bool largest) {
  const auto* share = field.second.get<double>();
  if (share == nullptr) {
    entry.valid = false;
    suggest_share(sink.report(diag::float_required, field.second.span, name_of(field), source::describe(field.second)),
                  field.second, largest);
  } else if (largest ? !(*share > 0 && *share <= 1) : !(*share >= 0 && *share < 1)) {
    entry.valid = false;
    sink.report(diag::sparsity_out_of_range, field.second.span, name_of(field), base::python_repr(*share),
                largest ? "(0.0, 1.0]" : "[0.0, 1.0)");
  }
}

static void check_older_ratio(Entry& entry, diag::Sink& sink) {
  const source::Entry* ratio = first_of(*entry.written, kRatios);
  const source::Entry* exclude = find_entry(*entry.written, "exclude");
  if (exclude != nullptr) {
    check_exclude(entry, sink, *exclude, ratio);
    return;
  }
  if (ratio == nullptr) {
    entry.valid = false;
    sink.report(diag::missing_required, entry.span, entry.path, "sparsity");
    return;
  }
  check_one_ratio(entry, sink, *ratio);
  check_share(entry, sink, *ratio, false);
  if (const source::Entry* largest = find_entry(*entry.written, "max_sparsity_per_layer")) {
    check_share(entry, sink, *largest, true);
    if (!has(*entry.written, "total_sparsity")) {
      entry.valid = false;
      sink.report(diag::missing_required, largest->first.span, "max_sparsity_per_layer", "total_sparsity");
    }
  }
}

// `total_sparsity` can't be combined with sparsities of single modules in one list.
static void check_kinds(Compressor& compressor, diag::Sink& sink) {
  const source::Entry* whole = nullptr;
  const source::Entry* single = nullptr;
  for (Entry& entry : compressor.entries) {
    const source::Entry* ratio = entry.valid ? first_of(*entry.written, kRatios) : nullptr;
    if (ratio == nullptr) {
      continue;
    }
    (name_of(*ratio) == "total_sparsity" ? whole : single) = ratio;
    if (whole != nullptr && single != nullptr) {
      report_both(entry, *ratio, ratio == whole ? *single : *whole, sink);
      return;
    }
  }
}

static void check_older_quantization(Entry& entry, diag::Sink& sink) {
  if (has(*entry.written, "exclude")) {
    return;
  }
  for (const std::string_view key : {"quant_types", "quant_bits"}) {
    if (!has(*entry.written, key)) {
      entry.valid = false;
      sink.report(diag::missing_required, entry.span, entry.path, key);
    }
  }
  const Value* types = find_value(*entry.written, "quant_types");
  const Value* bits = find_value(*entry.written, "quant_bits");
  const auto* map = bits == nullptr ? nullptr : bits->get<Map>();
  for (const auto& type : texts_of(types)) {
    if (type.value != "weight" && type.value != "input" && type.value != "output") {
      entry.valid = false;
      sink.report(diag::quant_type_unsupported, type.span, type.value)
          .with_help("use one of `weight`, `input`, `output`");
    } else if (map != nullptr && !has(*map, type.value)) {
      entry.valid = false;
      sink.report(diag::quant_bits_missing, bits->span, type.value)
          .with_help("add this type to `quant_bits`, or write one int for all types");
    }
  }
}

DIAGNOSTIC(SP328, frequency_below_1, error, (), "`frequency` must be 1 or more, because NNI divides by it",
           "The gradual pruner of NNI 1.x divides the passed epochs and the length of the ramp by `frequency`.",
           "write `frequency: 1`")

DIAGNOSTIC(SP332, no_epochs_of_ramp, error, (), "the ramp is empty: its last update would be in its first epoch",
           "The ramp of the gradual pruner of NNI 1.x ends at its last update before `end_epoch`. NNI stops with an "
           "AssertionError if that is the first update.",
           "set `end_epoch` above `start_epoch` + `frequency`")

static void check_epochs(Entry& entry, diag::Sink& sink) {
  for (const FieldSpec& key : epoch_keys()) {
    const Value* value = find_value(*entry.written, key.name);
    if (value != nullptr && !plain_number(value)) {
      entry.valid = false;
      sink.report(diag::wrong_type, value->span, key.name, "a number", source::describe(*value));
    }
  }
  const Value* frequency = find_value(*entry.written, "frequency");
  if (entry.valid && frequency != nullptr && *frequency->number() < 1) {
    entry.valid = false;
    sink.report(diag::frequency_below_1, frequency->span);
  } else if (entry.valid && !epochs_of(*entry.written)) {
    entry.valid = false;
    sink.report(diag::no_epochs_of_ramp, entry.place(find_value(*entry.written, "end_epoch")));
  }
}

static void check_older_entry(Entry& entry, const Compressor& compressor, bool epochs, diag::Sink& sink) {
  check_older_keys(compressor, entry, epochs, sink);
  check_older_selectors(entry, epochs, sink);
  if (compressor.mode == Mode::quantization) {
    check_older_quantization(entry, sink);
  } else if (epochs && has(*entry.written, "final_sparsity")) {
    check_epochs(entry, sink);
  } else {
    check_older_ratio(entry, sink);
  }
}

std::vector<std::vector<Target>> read_older(Configuration& configuration, const Context& context) {
  const bool epochs = release_of(context.options) == Release::v1;
  std::vector<std::vector<Target>> out;
  for (Compressor& compressor : configuration.compressors) {
    for (Entry& entry : compressor.entries) {
      if (entry.valid) check_older_entry(entry, compressor, epochs, context.sink);
    }
    check_kinds(compressor, context.sink);
    out.push_back(select_last(compressor, context));
  }
  return out;
}

}  // namespace sparsecfg::dialect::nni
