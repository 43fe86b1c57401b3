#include "dialect/nni/read.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "dialect/record/field_names.h"
#include "doc/fixes.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Map;
using source::Value;

class ValueCheck {
 public:
  ValueCheck(const KeySpec& key, const Value& value, const Context& context)
      : key_(key), value_(value), context_(context), sink_(context.sink) {}

  bool run() {
    switch (key_.form) {
      case Form::texts: return check_texts(value_);
      case Form::settings: return check_settings();
      case Form::ratio: return check_float();
      case Form::largest_ratio: return check_bounds("(0.0, 1.0]", [](double ratio) { return ratio > 0 && ratio <= 1; });
      case Form::least_ratio: return check_bounds("[0.0, 1.0)", [](double ratio) { return ratio >= 0 && ratio < 1; });
      case Form::group:
        return is<std::int64_t>() || is<source::BigInt>() || is<std::string>() || reject("an int or a string");
      case Form::whole: return is<std::int64_t>() || is<source::BigInt>() || reject("an int");
      case Form::granularity:
        return is_list() || is_choice() || reject(fmt::format("one of {}, or a list", fmt::join(key_.choices, ", ")));
      case Form::word: return is_choice() || reject(fmt::format("one of {}", fmt::join(key_.choices, ", ")));
      case Form::alignment: return check_alignment();
      case Form::bit_type: return value_.is_null() || is<std::string>() || reject("a string such as int8, or null");
      case Form::fusion: return check_fusion();
      case Form::factor: return plain_number(&value_).has_value() || reject("a float");
      case Form::link: return is<std::string>() || check_texts(value_);
    }
    return true;
  }

 private:
  template <class T>
  bool is() const {
    return value_.get<T>() != nullptr;
  }

  bool is_tuple(const Value& value) const { return context_.tuples.contains(value.span); }

  bool is_list() const { return is<List>() && !is_tuple(value_); }

  bool is_choice() const {
    const auto* text = value_.get<std::string>();
    return text != nullptr && std::ranges::find(key_.choices, *text) != key_.choices.end();
  }

  bool reject(std::string_view wanted) { return reject(value_, wanted); }

  bool reject(const Value& value, std::string_view wanted) {
    const std::string found = is_tuple(value) ? "a tuple" : source::describe(value);
    auto& report = sink_.report(diag::wrong_type, value.span, key_.name, wanted, found);
    if (value.is_null()) {
      report.with_help("delete the key");
    } else if (wanted == kTexts) {
      offer_list(report, value);
    } else if (const auto* text = value.get<std::string>(); text != nullptr && !key_.choices.empty()) {
      if (const auto guess = base::nearest(*text, key_.choices)) report.with_help(base::did_you_mean(guess));
    }
    return false;
  }

  static constexpr std::string_view kTexts = "a list of strings";

  bool check_texts(const Value& value) {
    const auto* list = value.get<List>();
    if (list == nullptr || is_tuple(value)) {
      return reject(value, kTexts);
    }
    const auto wrong =
        std::ranges::find_if(*list, [](const Value& item) { return item.get<std::string>() == nullptr; });
    return wrong == list->end() || reject(*wrong, kTexts);
  }

  bool check_settings() {
    const auto* map = value_.get<Map>();
    const bool filled = map != nullptr && !map->empty();
    const bool named = filled && std::ranges::all_of(*map, [](const source::Entry& target) {
                         return target.first.get<std::string>() != nullptr;
                       });
    if (map != nullptr && map->empty()) {
      sink_.report(diag::wrong_type, value_.span, key_.name, "a mapping with at least one target", "an empty mapping");
      return false;
    }
    return named || reject("a mapping from targets to settings");
  }

  // Formats a number that YAML and Python read as the same float.
  static std::string float_text(double number) {
    const std::string text = base::python_repr(number);
    return doc::spelled_as_float(text).value_or(text);
  }

  // NNI clamps a ratio above 1 to 1 and prunes everything. A threshold may be any number.
  bool is_percent(double number) const { return key_.name == "sparse_ratio" && number > 1 && number <= 100; }

  bool check_float() {
    if (is<double>()) {
      return true;
    }
    auto& report = sink_.report(diag::float_required, value_.span, key_.name, source::describe(value_));
    const auto* text = value_.get<std::string>();
    const auto number = text == nullptr ? value_.number() : base::python_float(*text);
    const auto meant = number || text == nullptr ? number : doc::number_meant_by(*text);
    if (value_.is_null()) {
      report.with_help("delete the key");
    } else if (meant && !is<bool>() && (!number || is_percent(*meant))) {
      const std::string fraction = float_text(is_percent(*meant) ? *meant / 100 : *meant);
      report.with_help(fmt::format("write `{}`: a ratio is a fraction (0 to 1)", fraction));
      report.with_fix(diag::Fix::unsafe().replace(value_.span, fraction));
    } else if (meant && !is<bool>()) {
      report.with_help(fmt::format("write `{}`{}", base::python_repr(*meant),
                                   text != nullptr ? " without quotes; YAML 1.1 requires a point in floats" : ""));
      report.with_fix(diag::Fix::safe().replace(value_.span, float_text(*meant)));
    }
    return false;
  }

  // Python compares booleans as 0 or 1.
  bool check_bounds(std::string_view bounds, auto fits) {
    const auto number = value_.number();
    if (!number) {
      return reject("a number");
    }
    if (fits(*number)) {
      return true;
    }
    sink_.report(diag::sparsity_out_of_range, value_.span, key_.name, base::python_repr(*number), bounds);
    return false;
  }

  bool check_alignment() {
    const auto* map = value_.get<Map>();
    if (map == nullptr) {
      return reject("a mapping with module_name, target_name and dims");
    }
    bool fits = true;
    for (const std::string_view part : {"module_name", "target_name", "dims"}) {
      const Value* given = find_value(*map, part);
      if (given == nullptr) {
        sink_.report(diag::missing_required, value_.span, "align", part)
            .with_help(part == "module_name" ? "add `module_name: null` for the same module"
                                             : fmt::format("add `{}`, which NNI's schema requires", part));
        fits = false;
      } else {
        fits = check_alignment_part(part, *given) && fits;
      }
    }
    for (const source::Entry& field : *map) {
      const std::string name = name_of(field);
      if (name != "module_name" && name != "target_name" && name != "dims") {
        FieldNames(sink_).report_unknown(
            {field.first.span, name, "`align`", {}, "write only `module_name`, `target_name` and `dims`"});
        fits = false;
      }
    }
    return fits;
  }

  bool check_alignment_part(std::string_view part, const Value& given) {
    const bool text = given.get<std::string>() != nullptr;
    const bool fits = part == "dims"          ? given.get<List>() != nullptr && !is_tuple(given)
                      : part == "module_name" ? text || given.is_null()
                                              : text;
    if (!fits) {
      sink_.report(diag::wrong_type, given.span, part, part == "dims" ? "a list" : "a string", source::describe(given));
    }
    return fits;
  }

  bool check_fusion() {
    const auto* groups = value_.get<List>();
    if (groups == nullptr || is_tuple(value_)) {
      return reject("a list of groups of names");
    }
    return std::ranges::all_of(*groups, [&](const Value& group) {
      const auto* names = group.get<List>();
      const bool texts = names != nullptr && std::ranges::all_of(*names, [](const Value& name) {
                           return name.get<std::string>() != nullptr;
                         });
      const bool fits = texts && (!context_.has_tuples || is_tuple(group));
      return fits || reject(group, context_.has_tuples ? "a tuple of names" : "a list of names");
    });
  }

  const KeySpec& key_;
  const Value& value_;
  const Context& context_;
  diag::Sink& sink_;
};

bool check_value(const KeySpec& key, const Value& value, const Context& context) {
  return ValueCheck(key, value, context).run();
}

}  // namespace sparsecfg::dialect::nni
