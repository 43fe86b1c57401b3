#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/ai8x/alternatives.h"
#include "dialect/ai8x/codes.h"
#include "dialect/ai8x/rules/rules.h"
#include "dialect/record/suggest.h"
#include "model/matcher.h"
#include "model/selector.h"

// Overrides of single layers in a QAT policy (docs/semantics/ai8x.md#c1-11). ai8x.py looks up each layer of the model
// by its full name, so an entry for any other name is never read.
namespace sparsecfg::dialect::ai8x {

DIAGNOSTIC(AX203, override_without_layer, silent_error, (Text), "override `{}` matches no layer",
           "ai8x.py looks up each layer of the model by its full name, such as `conv1` or `stage.1.conv2`. Patterns, "
           "containers, the inner module `.op`, parameters and names that are not strings never match. The override "
           "is silently ignored.",
           "write the full name of a layer; one entry for each layer")

class OverridesReader {
 public:
  OverridesReader(const Context& context, std::int64_t default_bits, bool& valid)
      : context_(context), default_bits_(default_bits), valid_(valid) {
    if (context.options.modules == nullptr) return;
    layers_ = quantized_layers(*context.options.modules);
    index_.emplace(*context.options.modules);
  }

  std::vector<Override> read(const Value& overrides) {
    if (const auto* map = overrides.get<source::Map>()) {
      for (const source::Entry& entry : *map) written_.insert(source::python_str(entry.first));
      for (const source::Entry& entry : *map) read_entry(entry);
      report_plain();
      report_bits();
    } else {
      report_no_mapping(overrides);
    }
    return std::move(out_);
  }

 private:
  bool modules_known() const { return context_.options.modules != nullptr; }

  // `name in overrides` fails on a null, a number or a boolean. A list or a string is only subscripted if it contains
  // the name of a layer.
  void report_no_mapping(const Value& overrides) {
    const auto* list = overrides.get<source::List>();
    const auto* text = overrides.get<std::string>();
    const auto is_layer = [&](const Value& item) {
      const auto* name = item.get<std::string>();
      return name != nullptr && (!modules_known() || std::ranges::find(layers_, *name) != layers_.end());
    };
    const auto is_part = [&](const std::string& layer) { return text->find(layer) != std::string::npos; };
    const bool ignored = list != nullptr   ? std::ranges::none_of(*list, is_layer)
                         : text != nullptr ? modules_known() && std::ranges::none_of(layers_, is_part)
                                           : false;
    valid_ = valid_ && ignored;
    context_.sink
        .report(diag::wrong_type, overrides.span, "overrides", "a mapping of layers", source::describe(overrides))
        .with_severity(ignored ? diag::Severity::warning : diag::Severity::error)
        .with_help("write `overrides: {conv1: {weight_bits: 4}}`");
  }

  void read_entry(const source::Entry& entry) {
    const auto* name = entry.first.get<std::string>();
    const Fit fit = name == nullptr        ? Fit::no
                    : modules_known()      ? fit_of(*name, *index_)
                    : fits_no_model(*name) ? Fit::no
                                           : Fit::unknown;
    if (fit == Fit::no) {
      report_no_layer(entry, name);
      return;
    }
    if (const auto* fields = entry.second.get<source::Map>()) {
      read_fields(*name, entry, *fields, fit);
    } else if (!is_harmless(entry.second)) {
      valid_ = false;
      plain_.push_back(&entry);
    }
  }

  // Reports values that are not mappings, once for all layers. A whole number is the number of bits.
  void report_plain() {
    if (plain_.empty()) return;
    const source::Entry& first = *plain_.front();
    auto& report = context_.sink.report(diag::wrong_type, first.second.span, source::python_str(first.first),
                                        "a mapping with `weight_bits`", source::describe(first.second));
    std::vector<std::string> texts;
    diag::Fix fix = diag::Fix::unsafe();
    for (const source::Entry* entry : plain_) {
      const auto* bits = entry->second.get<std::int64_t>();
      const std::string text = fmt::format("{{weight_bits: {}}}", bits == nullptr ? 4 : *bits);
      if (entry != &first) report.with_label(entry->second.span, "no mapping either");
      texts.push_back(fmt::format("`{}: {}`", source::python_str(entry->first), text));
      fix.replace(entry->second.span, text);
    }
    const bool whole =
        std::ranges::all_of(plain_, [](const auto* entry) { return entry->second.template get<std::int64_t>(); });
    report.with_help(fmt::format("write {}", base::join_and(texts))).with_fix(whole ? std::move(fix) : diag::Fix());
  }

  // Reports numbers of bits that the hardware lacks, each width once for all layers.
  void report_bits() {
    for (const auto& [width, fields] : wrong_bits_) {
      std::vector<source::Span> others;
      for (std::size_t at = 1; at < fields.size(); ++at) others.push_back(fields[at].value.span);
      (void)check_bits(context_, fields.front(), others);
    }
  }

  // Lists and strings are searched for the names of the settings.
  static bool is_harmless(const Value& value) {
    const auto contains = [](const Value& each, std::string_view word) {
      const auto* text = each.get<std::string>();
      return text != nullptr && text->find(word) != std::string::npos;
    };
    const auto* list = value.get<source::List>();
    const auto names_setting = [&](const Value& each) {
      return contains(each, "weight_bits") || contains(each, "shift_quantile");
    };
    return list != nullptr ? std::ranges::none_of(*list, names_setting)
                           : value.get<std::string>() != nullptr && !names_setting(value);
  }

  // Names of inner modules and of parameters, and patterns.
  static bool fits_no_model(const std::string& name) {
    return name.ends_with(".op") || name.ends_with(".weight") || name.ends_with(".bias") ||
           model::looks_like_pattern(name);
  }

  void report_no_layer(const source::Entry& entry, const std::string* name) {
    const std::string text = name != nullptr ? *name : source::python_str(entry.first);
    const auto* settings = entry.second.get<source::Map>();
    const bool loses = settings != nullptr && !settings->empty();
    auto& report = context_.sink.report(diag::override_without_layer, entry.first.span, text);
    report.with_severity(loses ? diag::Severity::error : diag::Severity::warning);
    if (name == nullptr) {
      report.with_help(fmt::format("put the name in quotes: `\"{}\"`", text));
    } else if (model::looks_like_pattern(text)) {
      offer_entries(report, entry, text);
    } else if (const auto guess = guess_of(text)) {
      report.with_help(fmt::format("did you mean `{}`?", *guess))
          .with_fix(offered_.insert(*guess).second ? diag::Fix::unsafe().content(entry.first.span, *guess)
                                                   : diag::Fix());
    }
  }

  // Writes an entry for each layer that a pattern was meant to select, without those that have one.
  void offer_entries(diag::Diagnostic& report, const source::Entry& entry, const std::string& pattern) {
    report.with_caret("names are compared exactly, not as regular expressions");
    std::vector<std::string> layers = layers_of_pattern(pattern);
    std::erase_if(layers,
                  [&](const std::string& layer) { return written_.contains(layer) || !offered_.insert(layer).second; });
    if (layers.empty()) {
      report.with_help("write one entry for each layer by its full name, such as `conv1`, in place of this entry");
      return;
    }
    const std::string settings = flow_text(entry.second);
    std::vector<std::string> texts;
    for (const std::string& layer : layers) texts.push_back(fmt::format("`{}: {}`", layer, settings));
    diag::Fix fix = diag::Fix::unsafe().content(entry.first.span, layers.front());
    for (std::size_t at = 1; at < layers.size(); ++at) {
      fix.add_entry(entry.first.span, fmt::format("{}: {}", layers[at], settings));
    }
    report.with_help(fmt::format("write {}", base::join_and(texts))).with_fix(std::move(fix));
  }

  // Returns the layers that a pattern or a glob was meant to name: those of the model, or of the text if it is unknown.
  // Empty for other names, and for many layers.
  [[nodiscard]] std::vector<std::string> layers_of_pattern(const std::string& name) const {
    constexpr std::size_t kMost = 24;
    if (!modules_known()) return alternatives_of(name, kMost);
    for (const std::string& pattern : {name, base::pattern_meant_by(name)}) {
      const model::Matcher matcher(pattern);
      std::vector<std::string> out;
      for (const std::string& layer : layers_) {
        if (matcher.match(layer) == regex::Match::yes) out.push_back(layer);
      }
      if (!out.empty()) return out.size() > kMost ? std::vector<std::string>() : out;
    }
    return {};
  }

  // Returns the layer of a parameter, of an inner module or of a parameter of it: `conv1` for `conv1.op.weight`.
  static std::string layer_of(std::string_view name) {
    for (const std::string_view parameter : {".weight", ".bias"}) {
      if (name.ends_with(parameter)) name.remove_suffix(parameter.size());
    }
    if (name.ends_with(".op")) name.remove_suffix(3);
    return std::string(name);
  }

  // Returns the layer that was probably meant: that of a part of it, or the most similar name.
  std::optional<std::string> guess_of(const std::string& name) {
    std::string outer = layer_of(name);
    const bool part = outer != name && !outer.empty() && !model::looks_like_pattern(outer);
    if (part && (!modules_known() || fit_of(outer, *index_) == Fit::yes)) {
      return outer;
    }
    if (!guesses_) guesses_.emplace(layers_);
    const auto guess = guesses_->nearest(name);
    return guess ? std::optional(std::string(*guess)) : std::nullopt;
  }

  void read_fields(const std::string& name, const source::Entry& entry, const source::Map& fields, Fit fit) {
    const Record record = read_record(context_, kOverride, fields, entry.first.span, diag::Severity::error);
    Override out{name, entry.first.span, default_bits_};
    const Field* bits = record.find("weight_bits");
    if (bits != nullptr) {
      const auto known = bits_of(*bits);
      valid_ = valid_ && known;
      out.bits = known.value_or(default_bits_);
      const auto number = bits->value.number();
      if (!known && number && !std::isnan(*number)) {  // a NaN has no place in an order
        wrong_bits_[*number].push_back(*bits);
      } else if (!known) {
        (void)check_bits(context_, *bits);
      }
    } else if (context_.release() == Release::y2024) {
      valid_ = false;
      context_.sink.report(diag::missing_required, entry.first.span, name, "weight_bits")
          .with_help("add `weight_bits`; releases before 2025 require it in every override");
    }
    if (const Field* quantile = record.find("shift_quantile")) check_quantile_of(record, *quantile);
    if (fit == Fit::yes || !modules_known()) out_.push_back(std::move(out));
  }

  void check_quantile_of(const Record& record, const Field& quantile) {
    if (context_.release() == Release::y2024) {
      context_.sink.report(diag::key_not_read, quantile.key, quantile.name, "releases before 2025")
          .with_severity(diag::Severity::warning);
    } else {
      valid_ = check_quantile(context_, record, quantile) && valid_;
    }
  }

  const Context& context_;
  std::int64_t default_bits_;
  bool& valid_;
  std::set<std::string> written_;  // the keys of the overrides
  std::set<std::string> offered_;  // layers with an entry in a help line
  std::vector<std::string> layers_;
  std::optional<model::ModuleIndex> index_;  // of the modules; nullopt if they are unknown
  std::optional<base::Guesses> guesses_;     // of the layers, built on first use
  std::vector<Override> out_;
  std::map<double, std::vector<Field>> wrong_bits_;  // by number, in the order of the file
  std::vector<const source::Entry*> plain_;          // layers whose value is not a mapping
};

std::vector<Override> read_overrides(const Context& context, const Value& overrides, std::int64_t default_bits,
                                     bool& valid) {
  return OverridesReader(context, default_bits, valid).read(overrides);
}

}  // namespace sparsecfg::dialect::ai8x
