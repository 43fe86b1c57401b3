#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/read.h"
#include "dialect/record/types.h"

// The mapping `cfg` of an entry (docs/semantics/modelopt.md#d2).
namespace sparsecfg::dialect::modelopt {

using source::Value;

DIAGNOSTIC(MO206, invalid_num_bits, error, (Text), "`num_bits` {}",
           "ModelOpt accepts a positive integer, the floats e4m3 and e2m1, and with dynamic `block_sizes` also e5m2, "
           "e3m2 and e2m3.",
           "write `num_bits: e4m3`, in Python `(4, 3)`")
DIAGNOSTIC(MO207, axis_and_block_sizes, error, (), "`axis` and `block_sizes` exclude each other",
           "ModelOpt rejects attributes with both: scales belong either to an axis or to blocks.", "delete `axis`")
DIAGNOSTIC(
    MO208, invalid_block_sizes, error, (Text), "`block_sizes` {}",
    "The keys are axes as integers, `type`, `scale_bits`, `scale_block_sizes` and `four_over_six`. The values of "
    "axes are integers or null. ModelOpt rejects anything else, for a quoted axis with an empty message.",
    "write `block_sizes: {{-1: 16, type: dynamic, scale_bits: e4m3}}`")
DIAGNOSTIC(MO209, only_enable, error, (Text), "`{}` has only `enable: true`",
           "ModelOpt rejects attributes that only turn a quantizer on.", "write `enable: true` beside `quantizer_name`")
DIAGNOSTIC(MO210, invalid_attribute, error, (Text, Text), "`{}` {}",
           "ModelOpt rejects the value when it reads the attributes.", "delete `{0}`")
DIAGNOSTIC(MO211, text_num_bits, error, (Text), "the export does not support `num_bits: {}`",
           "A string is accepted for custom backends. Without one, the calibration runs, and the export stops with "
           "NotImplementedError. Only recipes in YAML convert names such as `e4m3`; Python needs a tuple.",
           "write `e4m3` or `e2m1`, in Python `(4, 3)` or `(2, 1)`")
DIAGNOSTIC(MO212, misspelled_block_type, silent_warning, (Text), "the block type `{}` is read as static",
           "Only the exact word `dynamic` selects dynamic blocks. Every other value means static blocks, and other "
           "checks are skipped.",
           "write `type: dynamic`")
DIAGNOSTIC(MO213, invalid_block_size, error, (Text), "the block size {} is not positive",
           "ModelOpt accepts any integer, and fails when it divides the weights into blocks.",
           "write a size that divides the inputs of the layers, such as 16, 32 or 128")

static std::optional<std::int64_t> integer(const Value& value) {
  if (const auto* flag = value.get<bool>()) return *flag ? 1 : 0;
  const auto number = as_real(value);
  const bool whole = number && *number == static_cast<double>(static_cast<std::int64_t>(*number));
  return whole ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

static std::optional<FloatBits> pair_of(const Value& value) {
  const auto* list = value.get<source::List>();
  if (list == nullptr || list->size() != 2) return std::nullopt;
  const auto exponent = integer(list->front());
  const auto mantissa = integer(list->back());
  return exponent && mantissa ? std::optional(FloatBits{*exponent, *mantissa}) : std::nullopt;
}

namespace {

class AttributesReader {
 public:
  AttributesReader(const Context& context, const Value& value, const source::Map& map)
      : context_(context), value_(value), record_(read_record(context, kAttributesClass, map, value.span)) {
    out_.span = value.span;
    valid_ = record_.valid;
  }

  std::optional<Attributes> read() {
    if (context_.is_unknown(value_)) {
      out_.unknown = true;
      return out_;
    }
    check_only_enable(value_, "cfg");
    read_blocks();
    read_bits();
    read_axis();
    read_flags();
    check_bias();
    return valid_ ? std::optional(out_) : std::nullopt;
  }

 private:
  [[nodiscard]] const Value* given(std::string_view name) const {
    const Field* field = record_.fields.find(FieldName(name));
    return field == nullptr || !field->valid || field->value.is_null() ? nullptr : &field->value;
  }

  diag::Diagnostic& reject(diag::Diagnostic& report) {
    valid_ = false;
    return report;
  }

  // Also rejected inside of the attributes, such as in `bias`.
  void check_only_enable(const Value& value, std::string_view name) {
    const auto* map = value.get<source::Map>();
    if (map == nullptr || name == "rotate") return;
    const Value* enable = value.find("enable");
    const auto* on = enable == nullptr ? nullptr : enable->get<bool>();
    if (map->size() == 1 && on != nullptr && *on) {
      reject(context_.sink.report(diag::only_enable, enable->span, std::string(name)));
      return;
    }
    for (const source::Entry& entry : *map) {
      const auto* key = entry.first.get<std::string>();
      check_only_enable(entry.second, key == nullptr ? std::string_view() : std::string_view(*key));
    }
  }

  void read_bits() {
    if (const Value* effective = given("effective_bits")) out_.effective_bits = effective->number();
    const Field* field = record_.fields.find(FieldName(std::string_view("num_bits")));
    if (field == nullptr) return;
    out_.bits_span = field->value.span;
    const auto* text = field->value.get<std::string>();
    const auto pair = pair_of(field->value);
    const auto whole = text != nullptr ? std::nullopt : integer(field->value);
    out_.custom = given("backend") != nullptr;
    if (text != nullptr) {
      read_text_bits(*text);
    } else if (pair) {
      out_.floating = pair;
      if (!out_.custom) check_pair(*pair);
    } else if (!whole) {
      bad_bits(fmt::format("can't be {}", source::describe(field->value)));
    } else {
      out_.bits = *whole;
      if (*whole < 1 && !out_.custom) bad_bits(fmt::format("is {}, which is not positive", *whole));
    }
  }

  void read_text_bits(const std::string& text) {
    out_.text_bits = text.empty() ? " " : text;
    if (out_.custom) return;
    const auto meant = float_name(base::trim(text));
    auto& report = context_.sink.report(diag::text_num_bits, out_.bits_span, text);
    if (meant) report.with_help(fmt::format("write `({}, {})`", meant->first, meant->second));
    valid_text_ = false;
  }

  void check_pair(FloatBits bits) {
    static constexpr FloatBits kFloats[] = {kE4M3, {5, 2}, kE2M1, {1, 2}, {0, 3}, {3, 0}, {3, 2}, {2, 3}};
    const bool dynamic = out_.blocks && out_.blocks->dynamic;
    const std::string name = fmt::format("e{}m{}", bits.exponent, bits.mantissa);
    if (bits.exponent < 1 || bits.mantissa < 1 || std::ranges::find(kFloats, bits) == std::end(kFloats)) {
      bad_bits(fmt::format("`{}` is not a supported float", name));
    } else if (bits != kE4M3 && bits != kE2M1 && !dynamic) {
      bad_bits(fmt::format("`{}` requires dynamic `block_sizes`", name))
          .with_help("add `block_sizes: {-1: 32, type: dynamic, scale_bits: e8m0}`");
    }
  }

  diag::Diagnostic& bad_bits(const std::string& problem) {
    return reject(context_.sink.report(diag::invalid_num_bits, out_.bits_span, problem));
  }

  void read_axis() {
    const Value* axis = given("axis");
    if (axis == nullptr) return;
    out_.axis_span = axis->span;
    const auto* list = axis->get<source::List>();
    const bool axes =
        list != nullptr && std::ranges::all_of(*list, [](const Value& v) { return integer(v).has_value(); });
    if (const auto one = list == nullptr ? integer(*axis) : std::nullopt) {
      out_.axis = one;
    } else if (axes) {
      out_.several_axes = true;
    } else {
      reject(context_.sink.report(diag::invalid_attribute, axis->span, "axis",
                                  fmt::format("must be an integer, not {}", source::describe(*axis))))
          .with_help("write `axis: 0` for one scale per output channel");
    }
    if (out_.blocks) {
      reject(context_.sink.report(diag::axis_and_block_sizes, axis->span)).with_label(out_.blocks->span, "blocks");
    }
  }

  void read_blocks() {
    const Value* sizes = given("block_sizes");
    if (sizes == nullptr) return;
    const auto* map = sizes->get<source::Map>();
    if (map == nullptr || map->empty()) return;
    out_.blocks = Blocks{};
    out_.blocks->span = sizes->span;
    for (const source::Entry& entry : *map) read_block(entry);
    if (out_.blocks->dynamic && out_.blocks->sizes.size() != 1) {
      bad_blocks(sizes->span, "with `type: dynamic` must have exactly one axis");
    }
  }

  void read_block(const source::Entry& entry) {
    const auto* key = entry.first.get<std::string>();
    if (key == nullptr) {
      read_size(entry);
    } else if (*key == "type") {
      read_block_type(entry.second);
    } else if (*key == "scale_bits") {
      out_.blocks->scale = pair_of(entry.second);
      out_.blocks->text_scale = entry.second.get<std::string>() != nullptr;
    } else if (*key == "four_over_six") {
      add_other(as_boolean(entry.second).value_or(true), "four over six");
    } else if (*key != "scale_block_sizes") {
      const bool quoted = as_real(entry.first).has_value();
      auto& report = bad_blocks(entry.first.span, quoted ? fmt::format("has the string `{}` as an axis", *key)
                                                         : fmt::format("has the unknown key `{}`", *key));
      if (quoted) {
        report.with_help(fmt::format("write {} without quotes", *key))
            .with_fix(diag::Fix::unsafe().replace(entry.first.span, *key));
      }
    }
  }

  void read_size(const source::Entry& entry) {
    const auto axis = integer(entry.first);
    const bool text = entry.second.get<std::string>() != nullptr;
    const auto size = entry.second.is_null() || text ? std::nullopt : integer(entry.second);
    if (!axis || (!size && !entry.second.is_null())) {
      bad_blocks(entry.second.span, fmt::format("must have integers as sizes, not {}", source::describe(entry.second)));
      return;
    }
    out_.blocks->sizes.emplace_back(*axis, size);
    if (size && *size < 1) {
      context_.sink.report(diag::invalid_block_size, entry.second.span, fmt::format("{}", *size));
    }
  }

  void read_block_type(const Value& value) {
    const auto* word = value.get<std::string>();
    out_.blocks->dynamic = word != nullptr && *word == "dynamic";
    if (word == nullptr || *word == "dynamic" || *word == "static") return;
    context_.sink.report(diag::misspelled_block_type, value.span, *word)
        .with_fix(diag::Fix::unsafe().content(value.span, "dynamic"));
  }

  diag::Diagnostic& bad_blocks(source::Span span, const std::string& problem) {
    return reject(context_.sink.report(diag::invalid_block_sizes, span, problem));
  }

  void add_other(bool has, std::string_view text) {
    if (has) out_.others += (out_.others.empty() ? "" : ", ") + std::string(text);
  }

  void read_flags() {
    const auto flag = [&](std::string_view name, bool otherwise = false) {
      const Value* value = given(name);
      return value == nullptr ? otherwise : as_boolean(*value).value_or(otherwise);
    };
    const Value* type = given("type");
    const auto* word = type == nullptr ? nullptr : type->get<std::string>();
    out_.dynamic = word != nullptr && *word == "dynamic";
    out_.real = !flag("fake_quant", true);
    out_.constant = flag("use_constant_amax") || given("constant_amax") != nullptr;
    out_.shifted = given("bias") != nullptr;
    const Value* rotate = given("rotate");
    const Value* turned = rotate == nullptr ? nullptr : rotate->find("enable");
    out_.rotated = rotate != nullptr && (flag("rotate") || (turned != nullptr && as_boolean(*turned).value_or(false)));
    if (flag("learn_amax")) {
      reject(context_.sink.report(diag::invalid_attribute, given("learn_amax")->span, "learn_amax", "was removed"));
    }
    if (flag("use_constant_amax") && given("constant_amax") != nullptr) {
      reject(context_.sink.report(diag::invalid_attribute, given("use_constant_amax")->span, "use_constant_amax",
                                  "can't be combined with `constant_amax`"));
    }
    add_other(flag("unsigned"), "unsigned");
    add_other(flag("narrow_range"), "narrow range");
    const Value* calibrator = given("calibrator");
    const auto* name = calibrator == nullptr ? nullptr : calibrator->get<std::string>();
    add_other(calibrator != nullptr && (name == nullptr || *name != "max"), "calibrator");
    if (name != nullptr && *name == "histogram") out_.histogram = calibrator->span;
    if (name != nullptr && *name != "max" && *name != "histogram") {
      reject(context_.sink.report(diag::invalid_attribute, calibrator->span, "calibrator",
                                  fmt::format("can't be `{}`", *name)))
          .with_help("write `calibrator: max` or `calibrator: histogram`");
    }
  }

  void check_bias() {
    const Value* bias = given("bias");
    const auto* map = bias == nullptr ? nullptr : bias->get<source::Map>();
    if (map == nullptr) return;
    bool axis = false;
    for (const source::Entry& entry : *map) {
      const auto* key = entry.first.get<std::string>();
      const auto* word = entry.second.get<std::string>();
      axis = axis || key == nullptr;
      const bool known = key == nullptr ||
                         (*key == "type" && word != nullptr && (*word == "static" || *word == "dynamic")) ||
                         (*key == "method" && word != nullptr && (*word == "mean" || *word == "max_min"));
      if (!known) bad_bias(entry.second.span, fmt::format("has an invalid `{}`", *key));
    }
    if (!axis && !map->empty()) bad_bias(bias->span, "has no axis");
  }

  void bad_bias(source::Span span, const std::string& problem) {
    if (!valid_) return;
    reject(context_.sink.report(diag::invalid_attribute, span, "bias", problem))
        .with_help("write `bias: {-1: null, type: static, method: mean}`");
  }

  const Context& context_;
  const Value& value_;
  Record record_;
  Attributes out_;
  bool valid_ = true;
  bool valid_text_ = true;
};

}  // namespace

std::optional<Attributes> read_attributes(const Context& context, const Value& value) {
  if (context.is_unknown(value)) {
    Attributes out;
    out.unknown = true;
    out.span = value.span;
    return out;
  }
  const auto* map = value.get<source::Map>();
  if (map == nullptr) {
    context.sink.report(diag::wrong_type, value.span, "cfg", "a mapping of attributes", source::describe(value))
        .with_help("write `cfg: {num_bits: e4m3}`");
    return std::nullopt;
  }
  return AttributesReader(context, value, *map).read();
}

}  // namespace sparsecfg::dialect::modelopt
