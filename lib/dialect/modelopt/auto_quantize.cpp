#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "dialect/modelopt/export.h"
#include "dialect/modelopt/exported.h"
#include "dialect/modelopt/read.h"
#include "dialect/quantizers/selection.h"
#include "model/selectors/assign.h"
#include "model/selectors/entries.h"

// The section `auto_quantize`, and calls of `mtq.auto_quantize` (docs/semantics/modelopt.md#d4).
namespace sparsecfg::dialect::modelopt {

using source::Value;

DIAGNOSTIC(MO340, no_candidates, error, (Text), "{}",
           "The search needs formats to choose from: `candidate_formats`, or `module_search_spaces` with at least one "
           "pattern and one format each. A fixed part `quantize` excludes `candidate_formats`.",
           "add `candidate_formats: [{{$import: fp8}}]`")
DIAGNOSTIC(MO341, quantizer_as_layer, silent_warning, (Text, Text), "`{}` in `{}` matches no module",
           "These patterns are compared with names of modules, not of quantizers. A pattern that matches nothing is "
           "silently ignored.",
           "write a glob over modules, such as `*lm_head*`")
DIAGNOSTIC(MO342, layer_leaves_its_group, warning, (Text, Text, Text), "`{}` also turns off `{}`, because of `{}`",
           "The search gives one format to layers that runtimes fuse, such as `q_proj`, `k_proj` and `v_proj`, or the "
           "experts of a block. If `disabled_layers` matches one of them, all stay unquantized.",
           "write a pattern for the whole group, or delete the pattern")

DIAGNOSTIC(MO343, search_without_solution, error, (Text, Text),
           "no candidate reaches `effective_bits: {}`: the smallest has {} bits",
           "The search chooses a candidate or 16 bits for each layer. The average cannot be below the bits of the "
           "smallest candidate, which include its scales. The search stops before the calibration.",
           "write a larger number of bits, or add a smaller candidate")

DIAGNOSTIC(MO344, layer_in_a_candidate, silent_warning, (Text),
           "`{}` has no effect in a candidate, because it names layers",
           "The search applies a candidate to each layer by itself, so its quantizers have no names of layers: "
           "`weight_quantizer`, `input_quantizer`.",
           "name the layers in `disabled_layers`, or in `module_search_spaces`")

DIAGNOSTIC(MO346, algorithm_not_searched, error, (Text), "the search does not support the algorithm {}",
           "Candidates may use `max`, `mse`, `local_hessian`, `smoothquant`, `awq_lite`, `awq_clip` and `awq_full`, or "
           "none. The search stops with ValueError.",
           "use a candidate with `algorithm: max`")

DIAGNOSTIC(MO347, candidate_keeps_integers, silent_warning, (Text), "{} keep 8-bit integers in this candidate",
           "The search gives each candidate fresh quantizers. Weights and inputs are on with 8-bit integers until an "
           "entry turns them off.",
           "put `{{\"quantizer_name\": \"*\", \"enable\": False}}` first")

DIAGNOSTIC(MO348, cache_in_a_candidate, silent_warning, (),
           "the entries for the attention cache have no effect in a candidate",
           "The search applies a candidate only to linear layers, and turns off all other quantizers. The bits of the "
           "cache still count as the bits of the candidate if they are the smallest.",
           "delete them. After the search, apply them with `mtq.set_quantizer_by_cfg` and calibrate again")

DIAGNOSTIC(MO349, head_is_searched, silent_warning, (Text), "the search also quantizes the head `{}`",
           "The search applies a candidate to each layer by itself, so the entries of presets for heads do not apply. "
           "Runtimes expect heads in 16 bits.",
           "add `disabled_layers=[\"*lm_head*\"]`")

// Layers that share a format: they have the same name before the part, or before a number and the part
// (docs/semantics/modelopt.md#d4-3).
struct GroupRow {
  std::string_view owner_end;  // with which the name before the part must end
  bool numbered;               // true if a number is before the part
  std::array<std::string_view, 3> parts;
};

constexpr GroupRow kGroups[] = {{"", false, {"q_proj", "k_proj", "v_proj"}},
                                {".mlp.experts", true, {"gate_proj", "up_proj", "down_proj"}},
                                {".mixer.experts", true, {"up_proj", "down_proj"}},
                                {".mlp.experts.local_experts", true, {"linear_fc1", "linear_fc2"}},
                                {"", false, {"gate_proj", "up_proj"}},
                                {"", true, {"w1", "w2", "w3"}},
                                {".linear_attn", false, {"in_proj_qkv", "in_proj_z"}},
                                {".linear_attn", false, {"in_proj_a", "in_proj_b"}}};

static std::string_view parent_of(std::string_view name) {
  return name.substr(0, name.size() - std::min(name.size(), base::last_part(name).size() + 1));
}

// Returns a text that the layers of a group share; empty for layers without a group.
static std::string group_of(std::string_view name) {
  const std::string_view part = base::last_part(name);
  const std::string_view parent = parent_of(name);
  const bool number = std::ranges::all_of(base::last_part(parent), base::is_digit) && !parent.empty();
  for (const GroupRow& row : kGroups) {
    const std::string_view owner = row.numbered ? parent_of(parent) : parent;
    const bool fits = !owner.empty() && owner.ends_with(row.owner_end) && (!row.numbered || number);
    if (fits && base::contains(row.parts, part)) return fmt::format("{} {}", owner, row.parts.front());
  }
  return {};
}

namespace {

class SearchChecks {
 public:
  SearchChecks(const Context& context, const Value& section, bool has_fixed_part)
      : context_(context), section_(section), fixed_(has_fixed_part) {}

  bool run() {
    const auto* map = section_.get<source::Map>();
    if (map == nullptr && context_.is_unknown(section_)) return true;
    if (map == nullptr) {
      context_.sink
          .report(diag::wrong_type, section_.span, "auto_quantize", "a mapping with `constraints`",
                  source::describe(section_))
          .with_help("write `auto_quantize: {constraints: {effective_bits: 4.8}, candidate_formats: [...]}`");
      return false;
    }
    const Record record = read_record(context_, kAutoQuantize, *map, section_.span);
    valid_ = std::ranges::all_of(record.fields, [](const Field& each) { return each.valid || each.unknown; }) &&
             record.valid;
    const bool candidates = check_formats_of(section_);
    const bool spaces = check_spaces();
    if (!candidates && !spaces) reject(section_.span, "the search has no `candidate_formats`");
    if (candidates && fixed_)
      reject(section_.find("candidate_formats")->span, "`candidate_formats` and `quantize` exclude each other");
    check_budget();
    report_named_layers();
    check_layers("disabled_layers");
    check_layers("cost_excluded_layers");
    check_groups();
    check_head();
    return valid_;
  }

 private:
  void reject(source::Span span, const std::string& message) {
    valid_ = false;
    context_.sink.report(diag::no_candidates, span, message);
  }

  // Returns true if a mapping has candidates.
  bool check_formats_of(const Value& owner) {
    const Value* formats = owner.given("candidate_formats");
    const auto* list = formats == nullptr ? nullptr : formats->get<source::List>();
    if (list == nullptr) return formats != nullptr && context_.is_unknown(*formats);
    for (const Value& format : *list) {
      if (format.get<source::Map>() == nullptr) {
        unread_ = true;
        continue;
      }
      const Config config = read_config(context_, format);
      valid_ = config.valid && valid_;
      if (format.given("effective_bits") != nullptr) unread_ = true;
      add_bits(config);
      add_named_layers(config);
      if (config.valid) {
        check_candidate_algorithm(config);
        check_rest(format, config);
        check_cache_entries(config);
      }
    }
    return !list->empty();
  }

  // Notes the smallest number of bits of the quantizers of a candidate.
  void add_bits(const Config& config) {
    if (config.open || !config.has_list) unread_ = true;
    for (const Entry& entry : config.entries) {
      if (entry.unknown) unread_ = true;
      if (!entry.enable || !entry.cfg) continue;
      for (const Attributes& each : *entry.cfg) {
        if (each.unknown || each.custom) unread_ = true;
        const double plain = each.floating ? static_cast<double>(1 + each.floating->exponent + each.floating->mantissa)
                                           : static_cast<double>(each.bits);
        const double bits = each.effective_bits.value_or(plain);
        smallest_ = std::min(smallest_.value_or(bits), bits);
      }
    }
  }

  // Returns true if a pattern matches a quantizer by its name within a layer.
  static bool matches_in_layer(const Entry& entry) {
    constexpr std::string_view kNames[] = {"weight_quantizer", "input_quantizer", "output_quantizer",
                                           "gate_up_proj_weight_quantizers.0", "down_proj_input_quantizer"};
    const auto pattern = compiled_glob(entry.pattern);
    return !pattern || std::ranges::any_of(
                           kNames, [&](std::string_view name) { return pattern->match(name) == regex::Match::yes; });
  }

  void check_candidate_algorithm(const Config& config) {
    constexpr std::string_view kSearched[] = {"max",      "mse",      "local_hessian", "smoothquant",
                                              "awq_lite", "awq_full", "awq_clip"};
    const Value& algorithm = config.algorithm;
    if (context_.is_unknown(algorithm) || algorithm.is_null()) return;
    const bool list = algorithm.get<source::List>() != nullptr;
    const std::string_view method = method_of(algorithm);
    if (!list && (method.empty() || base::contains(kSearched, method) || find_algorithm(method) == nullptr)) return;
    valid_ = false;
    context_.sink
        .report(diag::algorithm_not_searched, algorithm.span, list ? std::string("list") : fmt::format("`{}`", method))
        .with_help(context_.is_script()
                       ? fmt::format("use a preset with the algorithm `max`, such as {}",
                                     shown_code(python::imported_names(context_.file), "mtq.NVFP4_DEFAULT_CFG"))
                       : "write `algorithm: max`");
  }

  // Returns true if an entry of a candidate matches a quantizer of a layer.
  static bool matches(const Entry& entry, std::string_view name) {
    const auto pattern = compiled_glob(entry.pattern);
    return !pattern || pattern->match(name) != regex::Match::no;
  }

  // Reports weights or inputs of which no entry of a candidate says anything.
  void check_rest(const Value& format, const Config& config) {
    if (config.open || !config.has_list || config.entries.empty()) return;
    if (std::ranges::any_of(config.entries, &Entry::unknown)) return;
    const auto is_left = [&](std::string_view name) {
      return std::ranges::none_of(config.entries, [&](const Entry& each) { return matches(each, name); });
    };
    const bool weights = is_left("weight_quantizer");
    const bool inputs = is_left("input_quantizer");
    if (!weights && !inputs) return;
    context_.sink
        .report(diag::candidate_keeps_integers, format.span,
                weights && inputs ? "weights and inputs"
                : weights         ? "the weights"
                                  : "the inputs")
        .with_help(context_.is_script() ? "put `{\"quantizer_name\": \"*\", \"enable\": False},` first"
                                        : "put `- {quantizer_name: \"*\", enable: false}` first");
  }

  // Reports entries of a candidate for the attention cache. The search of a cache has them on purpose.
  void check_cache_entries(const Config& config) {
    const Value* constraints = section_.given("constraints");
    const Value* model = constraints == nullptr ? nullptr : constraints->given("cost_model");
    if (model != nullptr) return;
    for (const Entry& entry : config.entries) {
      if (!is_for_cache(entry) || !entry.enable || !entry.cfg || entry.unknown || entry.span.empty()) continue;
      context_.sink.report(diag::cache_in_a_candidate, entry.span)
          .with_help(context_.is_script() ? fmt::format("delete them. After the search, call {}, and calibrate again",
                                                        shown_code(python::imported_names(context_.file),
                                                                   "mtq.set_quantizer_by_cfg(model, "
                                                                   "mtq.FP8_KV_CFG[\"quant_cfg\"])"))
                                          : "delete them, and write the format below `kv_cache`");
      return;
    }
  }

  // Reports the head of the model if the search includes it.
  void check_head() {
    if (context_.options.modules == nullptr || fixed_ || section_.given("module_search_spaces") != nullptr) return;
    const Value* disabled = section_.given("disabled_layers");
    if (disabled != nullptr && context_.is_unknown(*disabled)) return;
    std::vector<const Value*> patterns;
    const auto* list = disabled == nullptr ? nullptr : disabled->get<source::List>();
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) patterns.push_back(&(*list)[at]);
    const std::vector<const Value*> deciding = first_matches(patterns);
    for (std::size_t at = 0; at < deciding.size(); ++at) {
      const model::Module& module = (*context_.options.modules)[at];
      if (module.name != "lm_head" || module.type != "Linear" || deciding[at] != nullptr) continue;
      const source::Span place = disabled != nullptr ? disabled->span : section_.span;
      context_.sink.report(diag::head_is_searched, place, module.name)
          .with_help(disabled != nullptr    ? "add `\"*lm_head*\"` to `disabled_layers`"
                     : context_.is_script() ? "add `disabled_layers=[\"*lm_head*\"]`"
                                            : "add `disabled_layers: [\"*lm_head*\"]`");
    }
  }

  // Notes the entries of a candidate that name layers. Those of presets do so as well, but for other calls.
  void add_named_layers(const Config& config) {
    for (const Entry& entry : config.entries) {
      const bool preset = entry.imported || std::ranges::count(config.entries, entry.span, &Entry::span) > 1;
      if (preset || is_for_cache(entry) || entry.unknown || entry.span.empty() || matches_in_layer(entry)) continue;
      named_.emplace(entry.span, std::pair(entry.pattern, entry.enable));
    }
  }

  void report_named_layers() {
    if (named_.empty()) return;
    const auto& [place, first] = *named_.begin();
    auto& report = context_.sink.report(diag::layer_in_a_candidate, place, first.first);
    std::vector<std::string> disabled;
    for (const auto& [span, entry] : named_) {
      if (span != place) report.with_label(span, "no effect either");
      const std::string module = module_in(entry.first);
      if (!entry.second) disabled.push_back(fmt::format("\"{}\"", module.empty() ? entry.first : module));
    }
    if (disabled.size() < named_.size()) return;
    const std::string_view entries = named_.size() == 1 ? "it" : "these entries";
    if (section_.given("disabled_layers") != nullptr) {
      report.with_help(
          fmt::format("delete {}, and add `{}` to `disabled_layers`", entries, fmt::join(disabled, "`, `")));
      return;
    }
    report.with_help(fmt::format("delete {}, and add `disabled_layers{}[{}]` to the search", entries,
                                 context_.is_script() ? "=" : ": ", fmt::join(disabled, ", ")));
  }

  // Reports a limit that is below the bits of all candidates.
  void check_budget() {
    const Value* constraints = section_.given("constraints");
    const Value* limit = constraints == nullptr ? nullptr : constraints->given("effective_bits");
    const auto number = limit == nullptr ? std::nullopt : limit->number();
    if (!number || !smallest_ || unread_ || fixed_ || !valid_ || *number >= *smallest_) return;
    constexpr double kMargin = 0.3;  // so that some layers can have more bits
    constexpr double kNvfp4 = 4.5;
    const bool script = context_.is_script();
    const std::string candidate =
        script && *number >= kNvfp4
            ? fmt::format("add a candidate with {} bits to `quantization_formats`, such as {}", kNvfp4,
                          shown_code(python::imported_names(context_.file), "mtq.NVFP4_DEFAULT_CFG"))
            : std::string("add a smaller candidate");
    const std::string_view key = script ? "\"effective_bits\"" : "effective_bits";
    context_.sink
        .report(diag::search_without_solution, limit->span, base::python_repr(*number), fmt::format("{}", *smallest_))
        .with_help(fmt::format("{}, or write `{}: {}`, so that some layers can have more than {} bits", candidate, key,
                               *smallest_ + kMargin, *smallest_));
  }

  bool check_spaces() {
    const Value* spaces = section_.given("module_search_spaces");
    const auto* list = spaces == nullptr ? nullptr : spaces->get<source::List>();
    if (list == nullptr) return false;
    for (const Value& space : *list) {
      if (space.get<source::Map>() == nullptr) continue;
      const Value* patterns = space.given("module_name_patterns");
      const auto* names = patterns == nullptr ? nullptr : patterns->get<source::List>();
      if (names != nullptr && names->empty()) reject(patterns->span, "a search space has no patterns");
      if (!check_formats_of(space) && space.find("candidate_formats") != nullptr) {
        reject(space.find("candidate_formats")->span, "a search space has no formats");
      }
      if (patterns != nullptr) check_patterns_of(*patterns, "module_name_patterns");
    }
    return !list->empty();
  }

  void check_layers(std::string_view key) {
    if (const Value* patterns = section_.given(key)) check_patterns_of(*patterns, key);
  }

  void check_patterns_of(const Value& patterns, std::string_view key) {
    const auto* list = patterns.get<source::List>();
    if (list == nullptr) return;
    for (const Value& each : *list) {
      const auto* pattern = each.get<std::string>();
      if (pattern == nullptr || pattern->find("_quantizer") == std::string::npos) continue;
      auto& report = context_.sink.report(diag::quantizer_as_layer, each.span, *pattern, std::string(key));
      const std::string module = module_in(*pattern);
      if (module.empty() || module == "*") continue;
      report.with_help(fmt::format("write `{}`: these are names of modules, not of quantizers", module))
          .with_fix(diag::Fix::unsafe().content(each.span, module));
    }
  }

  // Returns the pattern for the module of a quantizer: `*o_proj` for `*o_proj.weight_quantizer`, and `*layers.0.*` for
  // `*layers.0.*_quantizer`.
  static std::string module_in(std::string_view pattern) {
    const std::size_t dot = pattern.rfind('.');
    if (dot != pattern.npos && pattern.find("_quantizer", dot) != pattern.npos) {
      return std::string(pattern.substr(0, dot)) + (pattern.substr(dot).starts_with(".*") ? ".*" : "");
    }
    for (const std::string_view kind : {"weight_quantizer", "input_quantizer", "output_quantizer", "_quantizer"}) {
      const std::size_t at = pattern.find(kind);
      if (at != pattern.npos) return std::string(pattern.substr(0, at));
    }
    return {};
  }

  // Reports patterns that match only a part of a group. A string is one pattern.
  void check_groups() {
    const Value* value = section_.given("disabled_layers");
    const auto* list = value == nullptr ? nullptr : value->get<source::List>();
    if (value == nullptr || context_.options.modules == nullptr || context_.is_unknown(*value)) return;
    std::vector<const Value*> patterns;
    if (list == nullptr) patterns.push_back(value);
    for (std::size_t at = 0; list != nullptr && at < list->size(); ++at) patterns.push_back(&(*list)[at]);
    const std::vector<const Value*> deciding = first_matches(patterns);
    std::map<std::string, Group> groups;
    for (std::size_t at = 0; at < deciding.size(); ++at) {
      const model::Module& module = (*context_.options.modules)[at];
      const std::string key = module.type == "Linear" ? group_of(module.name) : std::string();
      if (key.empty()) continue;
      Group& group = groups[key];
      (deciding[at] == nullptr ? group.kept : group.disabled) = &module;
      if (deciding[at] != nullptr) group.pattern = deciding[at];
    }
    report_groups(groups);
  }

  struct Group {
    const model::Module* kept = nullptr;  // a layer that no pattern matches
    const model::Module* disabled = nullptr;
    const Value* pattern = nullptr;
  };

  // Returns for each module the pattern that matches it; null: none.
  [[nodiscard]] std::vector<const Value*> first_matches(const std::vector<const Value*>& patterns) const {
    static constexpr selectors::Reader kReader{.name{"ModelOpt, names of modules"}, .how = {selectors::How::glob}};
    std::vector<selectors::Entry> entries;
    for (std::uint32_t at = 0; at < patterns.size(); ++at) {
      const auto* text = patterns[at]->get<std::string>();
      selectors::Entry entry{text == nullptr ? std::string() : *text, selectors::kUnquantized, at, {}};
      if (text != nullptr && !selectors::prepare(kReader, entry)) entries.push_back(std::move(entry));
    }
    const std::vector<selectors::Module> modules = quantizers::plain_modules(*context_.options.modules);
    const auto assigned = selectors::assign(kReader, &entries, modules);
    std::vector<const Value*> out(modules.size(), nullptr);
    const auto* assignment = std::get_if<selectors::Assignment>(&assigned);
    for (std::size_t at = 0; assignment != nullptr && at < out.size(); ++at) {
      const selectors::Decision& decision = assignment->decisions[at];
      if (decision.has_entry()) out[at] = patterns[entries[decision.by].place];
    }
    return out;
  }

  void report_groups(const std::map<std::string, Group>& groups) const {
    std::set<const Value*> reported;
    for (const auto& [key, group] : groups) {
      if (group.kept == nullptr || group.pattern == nullptr || !reported.insert(group.pattern).second) continue;
      context_.sink.report(diag::layer_leaves_its_group, group.pattern->span, *group.pattern->get<std::string>(),
                           group.kept->name, group.disabled->name);
    }
  }

  const Context& context_;
  const Value& section_;
  bool fixed_;
  bool valid_ = true;
  std::optional<double> smallest_;                              // bits of the smallest candidate
  std::map<source::Span, std::pair<std::string, bool>> named_;  // entries that name layers, and whether they enable
  bool unread_ = false;                                         // a candidate or a part of it is not known
};

}  // namespace

bool check_auto_quantize(const Context& context, const Value& section, bool has_fixed_part) {
  return SearchChecks(context, section, has_fixed_part).run();
}

}  // namespace sparsecfg::dialect::modelopt
