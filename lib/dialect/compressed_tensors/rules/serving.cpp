#include "dialect/compressed_tensors/serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/compressed_tensors/codes.h"
#include "dialect/compressed_tensors/fitting_edit.h"
#include "dialect/compressed_tensors/layer_shapes.h"
#include "dialect/compressed_tensors/runtime_targets.h"
#include "dialect/llmcompressor/codes.h"
#include "dialect/record/types.h"
#include "dialect/runtime_option.h"
#include "dialect/schemes/emit.h"
#include "dialect/schemes/joined_parts.h"
#include "dialect/schemes/meant.h"
#include "dialect/schemes/operations.h"
#include "dialect/schemes/presets.h"
#include "dialect/schemes/records.h"
#include "dialect/words.h"
#include "emit/literal.h"
#include "model/pattern_text.h"
#include "regex/literal.h"

// Checks for errors and differences in the runtimes.
namespace sparsecfg::dialect::compressed_tensors {

using source::Value;

// What the library does with a module.
struct InLibrary {
  std::optional<std::size_t> group;
  bool takes_scheme = false;
};

// The values that all checks of a file use.
struct Serving {
  Serving(const Context& given_context, const Config& given_config)
      : context(given_context),
        config(given_config),
        runtime(given_context.choice.serving()),
        title(title_of(given_context.choice)),
        targets(given_config, given_context.choice) {}

  const Context& context;
  const Config& config;
  Runtime runtime;  // vLLM if the user selects the library
  std::string title;
  RuntimeTargets targets;
  std::vector<Layer> layers;                                 // of the model; empty without a model
  std::map<std::string, InLibrary, std::less<>> in_library;  // by name of module
  std::set<std::string> reported;                            // keys of is_new()
};

// Finds the groups of modules by the rules of the library.
static void find_groups(Serving& serving, const Modules& modules) {
  const std::vector<std::optional<std::size_t>> taken = groups_in(modules, serving.config);
  for (std::size_t at = 0; at < modules.size(); ++at) {
    serving.in_library.emplace(modules[at].name, InLibrary{taken[at], schemes::takes_scheme(modules[at])});
  }
}

// Returns true for the first finding with this key.
static bool is_new(Serving& serving, std::string key) { return serving.reported.insert(std::move(key)).second; }

static bool same(const Serving& serving, std::optional<std::size_t> a, std::optional<std::size_t> b) {
  if (!a || !b || a == b) return a == b;
  const ConfigGroup& one = serving.config.groups[*a];
  const ConfigGroup& other = serving.config.groups[*b];
  return one.weights.args == other.weights.args && one.inputs.args == other.inputs.args &&
         serving.config.format_of(one) == serving.config.format_of(other);
}

static source::Span place_of(const Serving& serving, std::optional<std::size_t> group,
                             std::optional<std::size_t> other) {
  const auto at = other ? other : group;
  return serving.config.groups[*at].span;
}

static std::string name_of(const Serving& serving, std::optional<std::size_t> group) {
  return group ? fmt::format("with group `{}`", base::printable(serving.config.groups[*group].name)) : "unquantized";
}

DIAGNOSTIC(CT204, other_scheme, warning, (Text, Text, Text, Text), "{} loads `{}` {}, compressed-tensors {}",
           "The library uses the first match of the sorted targets: names, then patterns, then classes. It compares "
           "class names exactly. vLLM uses the first match in the order of the file. It compares a part of the class "
           "name, ignores case, and uses the target of the first part for a fused layer. In vLLM, `lm_head` and "
           "experts belong to special classes. The stored tensors then do not fit the layer.",
           "name the layer in `ignore` or in the targets of one group")

// Returns the part whose group differs from that of the two others; null if there is none.
static const std::string* odd_part(const std::vector<std::string>& parts, const auto& same_group) {
  if (parts.size() != 3) return nullptr;
  for (std::size_t at = 0; at < 3; ++at) {
    const std::string& next = parts[(at + 1) % 3];
    const std::string& last = parts[(at + 2) % 3];
    if (same_group(next, last) && !same_group(parts[at], next)) return &parts[at];
  }
  return nullptr;
}

// Returns the target of a group that matches a module; null if none does.
static const Entry* target_for(const ConfigGroup& group, const std::string& module) {
  const model::Module named{module, "Linear", std::nullopt};
  const auto found = std::ranges::find_if(
      group.targets, [&](const Entry& entry) { return schemes::matcher_of(entry.text).takes(named); });
  return found == group.targets.end() ? nullptr : &*found;
}

// Returns the regular expression of a pattern or of a full name; empty for a class.
static std::string regex_of_target(const std::string& target) {
  if (schemes::is_pattern(target)) return std::string(schemes::pattern_of(target));
  return target.find('.') == std::string::npos ? std::string() : regex::literal(target) + "$";
}

// Returns one pattern for the layers of two targets; empty if it would select other layers.
static std::string joined_target(const Serving& serving, const Entry& one, const Entry& other) {
  const std::string first = regex_of_target(one.text);
  const std::string second = regex_of_target(other.text);
  if (first.empty() || second.empty() || serving.context.modules == nullptr) return {};
  const std::string text = "re:" + model::joined_patterns(first, second);
  const model::Matcher joined = schemes::matcher_of(text);
  const model::Matcher either = schemes::matcher_of(std::vector<Entry>{one, other});
  const auto is_same = [&](const model::Module& each) { return joined.takes(each) == either.takes(each); };
  return std::ranges::all_of(*serving.context.modules, is_same) ? text : std::string();
}

// Returns the edit that moves a target to another group, in which another target selects `other`.
static std::string edit_to_move(const Serving& serving, const ConfigGroup& from, const Entry& target,
                                const ConfigGroup& to, const std::string& other) {
  const Entry* near = target_for(to, other);
  const std::string joined = near == nullptr ? std::string() : joined_target(serving, *near, target);
  if (joined.empty())
    return fmt::format("move `{}` to `{}`, and quantize the model again", base::printable(target.text),
                       base::printable(to.name));
  const std::string rest = from.targets.size() == 1
                               ? fmt::format("the group `{}`", base::printable(from.name))
                               : fmt::format("`{}` in `{}`", base::printable(target.text), base::printable(from.name));
  return fmt::format("write `{}` in `{}`{} delete {}{}", base::printable(joined), base::printable(to.name),
                     serving.context.of_recipe ? " and" : ",", rest,
                     serving.context.of_recipe ? "" : ", and quantize the model again");
}

// Advises to move the target of the part whose group differs to the group of the others. The weights must then be
// quantized again. `own`: returns the group of a part.
static void advise_to_move(const Serving& serving, diag::Diagnostic& report, const std::vector<std::string>& parts,
                           const auto& own) {
  const auto same_group = [&](const std::string& a, const std::string& b) { return same(serving, own(a), own(b)); };
  const std::string* odd = odd_part(parts, same_group);
  if (odd == nullptr || !own(*odd)) return;
  const std::string& other = odd == &parts.front() ? parts.back() : parts.front();
  const ConfigGroup& from = serving.config.groups[*own(*odd)];
  const Entry* target = target_for(from, *odd);
  if (!own(other) || target == nullptr || target->span.empty()) return;
  const ConfigGroup& to = serving.config.groups[*own(other)];
  report.with_label(to.span, fmt::format("the group of `{}`", base::last_part(other)));
  report.span = target->span;
  report.with_help(fmt::format("{}: {} joins `{}` with layers of `{}`", edit_to_move(serving, from, *target, to, other),
                               serving.title, base::last_part(*odd), base::printable(to.name)));
}

// Reports a layer that the runtime joins, but whose parts have different schemes, once for all layers with these parts.
// Returns false for other layers.
static bool report_split(Serving& serving, std::optional<std::size_t> group, const std::vector<std::string>& parts) {
  constexpr std::size_t kMostParts = 3;  // more are experts
  const auto own = [&](const std::string& part) {
    const auto found = serving.in_library.find(part);
    return found == serving.in_library.end() ? std::nullopt : found->second.group;
  };
  const auto differs = std::ranges::find_if(
      parts, [&](const std::string& part) { return !same(serving, own(part), own(parts.front())); });
  if (parts.size() > kMostParts || differs == parts.end()) return false;
  std::vector<std::string> names;
  for (const std::string& part : parts) names.push_back(fmt::format("`{}`", base::last_part(part)));
  if (!is_new(serving, fmt::format("split {}", fmt::join(names, " ")))) return true;
  const std::string& part = same(serving, own(*differs), group) ? parts.front() : *differs;
  const auto place = own(part) ? own(part) : group ? group : own(*differs);
  auto& report = serving.context.sink.report(diag::other_scheme, serving.config.groups[*place].span, serving.title,
                                             part, name_of(serving, group), name_of(serving, own(part)));
  report.with_cause(unread_ignore(serving.config.record, part).value_or(source::Span()))
      .with_help(fmt::format("{} are one layer: write the same scheme for all of them, or add all to `ignore`",
                             base::join_and(names)))
      .not_beside(diag::fused_shards_differ);
  advise_to_move(serving, report, parts, own);
  return true;
}

// Returns the entries of `ignore` as the file contains them.
static const std::vector<Entry>& written_ignore(const Serving& serving) {
  return serving.context.of_recipe ? serving.context.written_ignore : serving.config.ignore;
}

// Returns the place of an entry of `ignore` that was meant for a module, and is reported itself; empty: none.
static source::Span meant_to_ignore(const Serving& serving, std::string_view module) {
  if (serving.context.modules == nullptr) return {};
  return schemes::entry_meant_for(written_ignore(serving), *serving.context.modules, module).value_or(source::Span());
}

// Returns the place of an entry for `ignore` that only the runtime matches: of an unknown key, or for the joined layer.
static source::Span cause_in_ignore(const Serving& serving, std::string_view layer, std::string_view part) {
  if (const auto unread = unread_ignore(serving.config.record, part)) return *unread;
  const auto& ignore = serving.config.ignore;
  const auto entry = std::ranges::find(ignore, layer, &Entry::text);
  return entry == ignore.end() || layer == part ? source::Span() : entry->span;
}

// Adds the entry of `ignore` that a difference follows from. `only_library`: only the library quantizes the part.
static void add_cause(const Serving& serving, diag::Diagnostic& report, std::string_view layer, const std::string& part,
                      bool only_library) {
  const source::Span cause = cause_in_ignore(serving, layer, part);
  const source::Span meant = only_library && cause.empty() ? meant_to_ignore(serving, part) : source::Span();
  const std::string result =
      fmt::format("so `{}` is quantized, but {} loads it unquantized", base::printable(part), serving.title);
  meant.empty() ? report.with_cause(cause) : report.with_cause(meant, result);
}

// Returns true if the runtime uses a group for a layer as soon as it is the first one of the file.
static bool decides_if_first(const Serving& serving, std::string_view layer, std::size_t group) {
  const auto found = std::ranges::find(serving.layers, layer, &Layer::name);
  if (found == serving.layers.end()) return false;
  Config moved = serving.config;
  std::rotate(moved.groups.begin(), moved.groups.begin() + static_cast<std::ptrdiff_t>(group),
              moved.groups.begin() + static_cast<std::ptrdiff_t>(group) + 1);
  const RuntimeTargets targets(moved, serving.context.choice);
  const auto used = targets.group_of(*found);
  return used && moved.groups[*used].name == serving.config.groups[group].name;
}

// Advises to leave the layers of one group out of the pattern of another one. Groups of a recipe are saved in the order
// of their first modules, so that moving them has no effect.
static void advise_to_exclude(diag::Diagnostic& report, const ConfigGroup& wide, const ConfigGroup& narrow) {
  const bool one = wide.targets.size() == 1 && narrow.targets.size() == 1;
  const std::string inner = one ? regex_of_target(narrow.targets[0].text) : std::string();
  if (inner.empty() || !schemes::is_pattern(wide.targets[0].text)) return;
  const Entry& entry = wide.targets[0];
  const std::string text = fmt::format("re:(?!{}){}", inner, schemes::pattern_of(entry.text));
  report.with_help(fmt::format("write `{}` in place of `{}`", text, entry.text));
  if (entry.span.empty()) return;
  report.span = entry.span;
  report.with_fix(diag::Fix::unsafe().content(entry.span, text));
}

// Returns a pattern for all experts in place of an entry for one of them: `re:.*experts\..*` for `re:.*experts\.3\..*`.
// Empty for other entries.
static std::string with_all_experts(const std::string& entry) {
  constexpr std::string_view kWord = "experts";
  const bool pattern = schemes::is_pattern(entry);
  std::string text = pattern ? std::string(schemes::pattern_of(entry)) : regex::literal(entry);
  const std::size_t begin = text.find(kWord);
  const std::size_t number = begin == text.npos ? begin : text.find_first_not_of("\\.", begin + kWord.size());
  const std::size_t end = number == text.npos ? number : text.find_first_not_of("0123456789", number);
  if (number == text.npos || end == number) return {};
  return fmt::format("re:{}\\..*", text.substr(0, begin + kWord.size()));
}

// Returns an entry for `ignore` as the file must contain it, and the step that follows the edit.
static std::string edit_of_ignore(const Serving& serving, const std::string& entry) {
  return serving.context.of_recipe
             ? fmt::format("write `{}`", entry)
             : fmt::format("quantize the model again with `{}`", emit::literal(emit::Syntax::json, entry));
}

static std::string deciding_expert(const Serving& serving) {
  return fmt::format("{} decides all experts of a layer by those with the number 0", serving.title);
}

// Returns the entries of `ignore` that match the first expert of a layer.
static std::vector<const Entry*> entries_for_first_expert(const Serving& serving, std::string_view layer,
                                                          const std::vector<std::string>& parts) {
  std::vector<std::string_view> first;
  std::ranges::copy_if(parts, std::back_inserter(first),
                       [start = fmt::format("{}.0.", layer)](const auto& part) { return part.starts_with(start); });
  std::vector<const Entry*> out;
  if (first.empty()) return out;
  for (const Entry& entry : written_ignore(serving)) {
    const model::Matcher matcher = schemes::matcher_of(entry.text);
    if (std::ranges::any_of(first, [&](std::string_view part) { return matcher.takes(part); })) out.push_back(&entry);
  }
  return out;
}

// Reports entries of `ignore` for the first expert of a layer, which make the runtime load all experts unquantized.
// `part`: a part of another expert, which the group quantizes. Returns false if there are no such entries.
static bool report_first_expert(Serving& serving, std::string_view layer, const std::vector<const Entry*>& entries,
                                const std::string& part, std::optional<std::size_t> own) {
  if (entries.empty() || entries.front()->span.empty() || part.starts_with(fmt::format("{}.0.", layer))) return false;
  const std::string wide = with_all_experts(entries.front()->text);
  const std::string meant = wide.empty() ? fmt::format("re:{}\\..*", regex::literal(std::string(layer))) : wide;
  if (!is_new(serving, fmt::format("first expert {}", meant))) return true;
  auto& report = serving.context.sink.report(diag::other_scheme, entries.front()->span, serving.title, part,
                                             "unquantized", name_of(serving, own));
  report.with_caret(deciding_expert(serving))
      .with_help(fmt::format("{}{} to keep all experts of the layer in 16 bits", edit_of_ignore(serving, meant),
                             entries.size() > 1 ? fmt::format(" in place of these {} entries", entries.size())
                                                : fmt::format(" in place of `{}`", entries.front()->text)));
  for (const Entry* entry : std::span(entries).subspan(1)) report.with_label(entry->span, "also here");
  return true;
}

// Reports an entry of `ignore` for some experts of a layer, which the runtime decides by its first expert.
static bool report_one_expert(Serving& serving, std::string_view layer, const std::string& part) {
  const auto ignores = [&](const Entry& entry) { return schemes::matcher_of(entry.text).takes(part); };
  const auto entry = std::ranges::find_if(serving.config.ignore, ignores);
  const std::string meant = entry == serving.config.ignore.end() ? std::string() : with_all_experts(entry->text);
  if (meant.empty() || serving.runtime != Runtime::vllm) return false;
  if (!is_new(serving, fmt::format("expert {} {}", entry->text, layer))) return true;
  serving.context.sink.report(diag::other_scheme, entry->span, serving.title, part, "quantized", "unquantized")
      .with_caret(deciding_expert(serving))
      .with_help(fmt::format("{} for all experts of the layer", edit_of_ignore(serving, meant)));
  return true;
}

// Reports a module that the library quantizes differently, so that its stored tensors do not fit the runtime.
static void check_difference(Serving& serving, std::optional<std::size_t> group, const std::vector<std::string>& parts,
                             std::string_view layer) {
  if (report_split(serving, group, parts)) return;
  if (group && !serving.config.groups[*group].text_targets.empty()) return;  // CT219 reports the cause
  std::optional<std::vector<const Entry*>> first_expert;
  for (const std::string& part : parts) {
    const auto found = serving.in_library.find(part);
    if (found == serving.in_library.end() || same(serving, found->second.group, group)) continue;
    const std::optional<std::size_t> own = found->second.group;
    if (group && !own && report_one_expert(serving, layer, part)) continue;
    if (!group && own && !first_expert) first_expert = entries_for_first_expert(serving, layer, parts);
    if (!group && own && report_first_expert(serving, layer, *first_expert, part, own)) continue;
    const std::string_view suffix = base::last_part(part);
    const std::size_t from = own.value_or(serving.config.groups.size());
    if (!is_new(serving, fmt::format("other {} {} {}", suffix, from, group.value_or(serving.config.groups.size()))))
      continue;
    auto& report = serving.context.sink.report(diag::other_scheme, place_of(serving, group, own), serving.title, part,
                                               name_of(serving, group), name_of(serving, own));
    if (group && own && serving.context.of_recipe) {
      advise_to_exclude(report, serving.config.groups[*group], serving.config.groups[*own]);
    } else if (group && own && decides_if_first(serving, layer, *own)) {
      report.with_help(fmt::format("move `{}` before `{}`: {} uses the first group that matches",
                                   serving.config.groups[*own].name, serving.config.groups[*group].name,
                                   serving.title));
    }
    report.not_beside(diag::lm_head_quantized);
    add_cause(serving, report, layer, part, !group && own);
  }
}

// Without a model, checks the layers that targets name. Layers that split their columns are never joined with others.
static void check_named(Serving& serving) {
  Modules named;
  for (const ConfigGroup& group : serving.config.groups) {
    for (const Entry& entry : group.targets) {
      const bool name = !schemes::is_pattern(entry.text) && entry.text.find('.') != std::string::npos;
      if (name) named.push_back({entry.text, "Linear", std::nullopt});
    }
  }
  find_groups(serving, named);
  for (const Layer& layer : layers_of(named)) {
    const bool plain = layer.kind == Layer::Kind::linear && layer.split == Layer::Split::columns;
    if (plain && serving.targets.ignores(layer) == false)
      check_difference(serving, serving.targets.group_of(layer), layer.parts, layer.name);
  }
}

static Choice chosen(const Serving& serving, const ConfigGroup& group) {
  return choose(group, serving.config.format_of(group), serving.context.choice);
}

// Returns true if groups use the format of the file, but it is not the name of one. These groups are not checked.
static bool has_unknown_format(const Serving& serving) {
  static constexpr std::string_view kOthers[] = {"fakequant", "mixed-precision"};
  const auto uses_format = [](const ConfigGroup& group) { return group.format.empty(); };
  return !serving.config.format.empty() && !base::contains(kOthers, serving.config.format) &&
         !base::contains(schemes::kFormats, serving.config.format) &&
         std::ranges::any_of(serving.config.groups, uses_format);
}

// Returns true if the runtime reads the scheme of the group before it fails.
static bool is_read(const Serving& serving, const ConfigGroup& group) {
  const bool known = !group.format.empty() || !has_unknown_format(serving);
  return known && group.valid && !group.preset && group.weights.args.present && !serving.targets.skips(group);
}

static diag::Severity severity(const Serving& serving) { return serving.context.in(serving.runtime); }

static void check_format(const Serving& serving) {
  if (!has_unknown_format(serving)) {
    return;
  }
  const Value& format = serving.config.record.find("format")->value;
  const Meant meant = meant_by(Word::Place::value, "format", serving.config.format, schemes::kFormats,
                               fmt::format("use one of `{}`", fmt::join(schemes::kFormats, "`, `")));
  serving.context.sink.report(diag::unknown_choice, format.span, serving.config.format, "format")
      .with_severity(severity(serving))
      .with_help(meant.help)
      .with_fix(meant.fix(format.span));
}

static std::string quoted(std::string_view title, std::string_view words) {
  return fmt::format("{}: \"{}\"", title, words);
}

DIAGNOSTIC(CT208, sparsity_unsupported, error, (Text), "{} rejects the sparsity in `sparsity_config`",
           "vLLM no longer supports sparse weights. Since 0.22, it rejects a `sparsity_config` with targets, even if "
           "the format is `dense`, and it always requires a format. The library ignores the key.",
           "save the model without sparsity, and delete `sparsity_config`")

static void check_sparsity(const Serving& serving) {
  const Value* sparsity = serving.config.record.given("sparsity_config");
  const auto* map = sparsity == nullptr ? nullptr : sparsity->get<source::Map>();
  if (map == nullptr || map->empty()) {
    return;
  }
  const Value* targets = sparsity->find("targets");
  const auto* list = targets == nullptr ? nullptr : targets->get<source::List>();
  const Value* format = sparsity->find("format");
  const auto* name = format == nullptr ? nullptr : format->get<std::string>();
  const bool of_24 = name != nullptr && (*name == "sparse-24-bitmask" || *name == "marlin-24");
  const Fact& fact = format == nullptr ? facts::kAlways : of_24 ? facts::kNoSparseKernels : facts::kSparsityRejected;
  const auto severity = serving.context.severity_of(fact);
  if (severity && (format == nullptr || (list != nullptr && !list->empty()))) {
    auto& report =
        serving.context.sink.report(diag::sparsity_unsupported, serving.config.record.find("sparsity_config")->key,
                                    title_of(serving.context.choice, fact));
    report.with_severity(*severity).with_caret(
        quoted(serving.title, format == nullptr ? "format: Field required" : "Sparsity support has been removed"));
    if (of_24) {
      report.with_help(
          "decompress the weights, which keeps their zeros, save them again, and write `sparsity_config: {}`; without "
          "this, the stored bitmasks fit no layer");
    }
  }
}

DIAGNOSTIC(CT207, cache_unsupported, error, (Text, Text), "{} does not support this cache scheme: {}",
           "vLLM supports a cache of 8-bit floats with symmetric scales per tensor or per head. It does not apply "
           "defaults, so the file must contain each value. SGLang ignores other schemes with a warning.",
           "write `kv_cache_scheme: {{num_bits: 8, type: float, strategy: tensor, symmetric: true, dynamic: false}}`")

// Points at the value of the key that a fault names, if the file contains it and the others may stay.
static void advise_on_cache_value(diag::Diagnostic& report, const Value& cache, std::string_view fault,
                                  bool is_symmetric, bool is_dynamic) {
  struct Row {
    std::string_view name;
    std::string_view value;
  };

  static constexpr Row kRows[] = {
      {"type", "float"}, {"num_bits", "8"}, {"strategy", "tensor"}, {"symmetric", "true"}, {"dynamic", "false"}};
  const auto* row =
      std::ranges::find_if(kRows, [&](const Row& each) { return fault.starts_with(fmt::format("`{}`", each.name)); });
  const Value* value = row == std::end(kRows) ? nullptr : cache.find(row->name);
  const Value* bits = cache.find("num_bits");
  const bool only = (is_symmetric || row->name == "symmetric") && (!is_dynamic || row->name == "dynamic");
  if (value == nullptr || value->span.empty() || !only || bits == nullptr || (bits->number() != 8.0 && bits != value)) {
    return;
  }
  report.span = value->span;
  report.with_help(fmt::format("write `{}: {}`", row->name, row->value))
      .with_fix(diag::Fix::unsafe().replace(value->span, std::string(row->value)));
}

// vLLM compares the written values and does not apply defaults.
static void check_cache(const Serving& serving, const Value& cache) {
  const auto is = [&](std::string_view name, std::string_view wanted) {
    const Value* value = cache.find(name);
    const auto* text = value == nullptr ? nullptr : value->get<std::string>();
    return text != nullptr && *text == wanted;
  };
  const Value* bits = cache.find("num_bits");
  const Value* symmetric = cache.find("symmetric");
  const Value* dynamic = cache.find("dynamic");
  const bool vllm = serving.runtime == Runtime::vllm;
  const bool strategy = is("strategy", "tensor") || (vllm && is("strategy", "attn_head"));
  const bool is_symmetric = symmetric != nullptr && !symmetric->is_null() && symmetric->number() != 0.0;
  const bool is_dynamic = dynamic != nullptr && dynamic->number() != 0.0;
  const std::string_view fault = !is("type", "float")                       ? "`type` must be written as `float`"
                                 : bits == nullptr || bits->number() != 8.0 ? "`num_bits` must be written as 8"
                                 : !strategy && vllm  ? "`strategy` must be written as `tensor` or `attn_head`"
                                 : !strategy          ? "`strategy` must be written as `tensor`"
                                 : !is_symmetric      ? "`symmetric` must be written as true"
                                 : is_dynamic && vllm ? "`dynamic` stores no scales, so that all are 1"
                                 : is_dynamic         ? "`dynamic` must be false"
                                                      : std::string_view();
  if (fault.empty()) return;
  const std::string fitting = fmt::format("{{num_bits: 8, type: float, strategy: {}, symmetric: true, dynamic: false}}",
                                          strategy && is("strategy", "attn_head") ? "attn_head" : "tensor");
  const bool rejects = vllm && !fault.starts_with("`dynamic`");
  auto& report = serving.context.sink.report(diag::cache_unsupported, cache.span, serving.title, fault);
  report
      .with_severity(rejects ? serving.context.severity_of(facts::kCacheRejected).value_or(diag::Severity::warning)
                             : diag::Severity::warning)
      .with_help(fmt::format("write `kv_cache_scheme: {}`", fitting))
      .with_fix(diag::Fix::unsafe().replace(cache.span, fitting));
  advise_on_cache_value(report, cache, fault, is_symmetric, is_dynamic);
}

DIAGNOSTIC(CT211, ignore_null, error, (Text), "{} requires a list as `ignore`",
           "The library accepts null as an empty list, but the runtimes iterate over the value.", "write `[]`")

static void check_file(const Serving& serving) {
  const Field* ignore = serving.config.record.find("ignore");
  if (ignore != nullptr && ignore->value.is_null()) {
    serving.context.sink.report(diag::ignore_null, ignore->value.span, serving.title)
        .with_severity(severity(serving))
        .with_fix(diag::Fix::safe().replace(ignore->value.span, "[]"));
  }
  check_format(serving);
  if (serving.runtime == Runtime::vllm) check_sparsity(serving);
  if (serving.config.cache != nullptr) check_cache(serving, *serving.config.cache);
}

DIAGNOSTIC(CT219, targets_are_letters, warning, (Text, Text), "{} reads the targets `{}` letter by letter",
           "The runtimes iterate over `targets`. Each letter of a string is then a target, which matches every class "
           "whose name contains the letter, also the output head. compressed-tensors requires a list.",
           "write a list")

static void report_letters(const Serving& serving, const ConfigGroup& group) {
  serving.context.sink
      .report(diag::targets_are_letters, group.value->find("targets")->span, serving.title, group.text_targets)
      .with_help(fmt::format("write `[\"{}\"]`", group.text_targets));
}

DIAGNOSTIC(CT216, order_rejected, error, (Text, Text, Text), "{0} rejects `actorder: {1}` in group `{2}`",
           "vLLM 0.30 no longer reads weights whose groups are reordered (`group`, `dynamic`). The compressed-tensors "
           "that vLLM pins up to 0.21 accepts an activation order only with groups. GPTQModifier of llm-compressor "
           "writes `static` for every strategy by default.",
           "write `actorder: null`")

// The runtime validates the arguments with the release of compressed-tensors that it pins.
static void check_order(const Serving& serving, const ConfigGroup& group) {
  const Value* order = group.weights.value == nullptr ? nullptr : group.weights.value->find("actorder");
  if (order == nullptr || order->is_null()) {
    return;
  }
  const auto* text = order->get<std::string>();
  const std::string name = text != nullptr ? base::to_lower(*text) : as_boolean(*order).value_or(false) ? "group" : "";
  const bool by_group = name == "group" || name == "dynamic";
  const Strategy strategy = group.weights.args.strategy;
  const bool grouped = strategy == Strategy::group || strategy == Strategy::tensor_group;
  const Fact& fact = grouped ? facts::kGroupOrderRejected : facts::kOrderNeedsGroups;
  const auto severity = serving.context.severity_of(fact);
  if (name.empty() || grouped != by_group || !severity) {
    return;  // the library rejects the other combinations, or all accept them
  }
  serving.context.sink
      .report(diag::order_rejected, order->span.empty() ? group.span : order->span,
              title_of(serving.context.choice, fact), name, group.name)
      .with_severity(*severity)
      .with_caret(quoted("vLLM", grouped ? "group/dynamic activation ordering is no longer supported"
                                         : "Must use group or tensor_group quantization strategy"))
      .with_help(grouped ? "write `actorder: static`" : "write `actorder: null`");
}

// Such a group is rejected even if no layer uses it.
static bool asserts_floats(const Serving& serving, const ConfigGroup& group) {
  return quantizes_inputs(serving.config.format_of(group)) && !group.inputs.args.present &&
         !group.weights.args.is_float;
}

DIAGNOSTIC(CT201, no_runtime_scheme, error, (Text, Text, Text), "{} does not support the scheme of group `{}`{}",
           "A runtime selects an implementation by the number types, strategies, inputs and the format of a group. If "
           "no implementation fits, the runtime stops when it builds the layer. The format of a group is the `format` "
           "of the group or, if it is absent, the `format` of the file. Only the library infers a missing format. For "
           "vLLM, sparsecfg assumes a GPU of compute capability 9.0.",
           "use a preset of compressed-tensors, and write the format in which the weights are stored")

// Schemes that exist only for linear layers.
constexpr std::string_view kNotForExperts[] = {"W8A8Int8 (static)", "W8A16Fp8", "WNA8O8"};

// Returns true for experts that SGLang runs only on an NPU: docs/semantics/compressed-tensors.md#e1-6.
static bool needs_npu(const ConfigGroup& group) {
  const QuantizationArgs& weights = group.weights.args;
  const QuantizationArgs& inputs = group.inputs.args;
  return inputs.present && !weights.is_float && !inputs.is_float && inputs.bits == 8 &&
         (weights.bits == 8 || weights.bits == 4);
}

// Returns how the runtime loads experts in a group. Its fault says why the runtime does not.
static Choice with_fault_of_experts(const Serving& serving, const ConfigGroup& group, Choice choice) {
  if (base::contains(kNotForExperts, choice.scheme)) choice.fault = "Unsupported FusedMoe scheme";
  if (serving.runtime == Runtime::sglang && needs_npu(group)) choice.fault = "NotImplementedError, except on an NPU";
  const bool asymmetric = choice.scheme == "WNA16" && !group.weights.args.symmetric;
  if (serving.runtime == Runtime::vllm && asymmetric && serving.context.choice.has(facts::kSymmetricExperts))
    choice.fault = "Only symmetric quantization is supported for MoE";
  return choice;
}

// Returns true if the runtime loads a group in a format. `experts`: for the experts of a block.
static bool loads_group(const Serving& serving, const ConfigGroup& group, std::string_view format, bool experts) {
  Choice choice = choose(group, format, serving.context.choice);
  if (experts) choice = with_fault_of_experts(serving, group, std::move(choice));
  return choice.fault.empty() && has_kernel(choice, format);
}

// Returns how far a preset is from the formats of a group; nullopt for another type of weights. Fewer bits are farther
// than more bits, and these than other inputs and other scales.
static std::optional<int> distance(const ir::Scheme& wanted, const ir::Scheme& preset) {
  constexpr int kMoreBits = 16;
  constexpr int kFewerBits = 48;
  constexpr int kNoInputs = 9;
  constexpr int kOtherInputs = 6;
  if (wanted.weights.empty() || preset.weights.empty()) return std::nullopt;
  const ir::TensorFormat& one = wanted.weights.front();
  const ir::TensorFormat& other = preset.weights.front();
  if (one.type != other.type) return std::nullopt;
  const auto bits = static_cast<int>(other.bits - one.bits);
  int out = bits == 0 ? 0 : bits > 0 ? kMoreBits + bits : kFewerBits - bits;
  for (const bool differs : {one.symmetric != other.symmetric, one.granularity != other.granularity,
                             one.group_size != other.group_size, one.tensor_scale != other.tensor_scale}) {
    out += differs ? 1 : 0;
  }
  if (wanted.inputs.size() != preset.inputs.size()) return out + kNoInputs;
  if (wanted.inputs.empty()) return out;
  const ir::TensorFormat& in = wanted.inputs.front();
  const ir::TensorFormat& of_preset = preset.inputs.front();
  out += in.type != of_preset.type || in.bits != of_preset.bits ? kOtherInputs : 0;
  return out + (in.granularity != of_preset.granularity ? 1 : 0) + (in.scales != of_preset.scales ? 1 : 0);
}

// Returns true if SGLang rejects the inputs of a preset on the GPU of the option:
// docs/semantics/compressed-tensors.md#e1-8.
static bool lacks_kernel(const Serving& serving, const schemes::Preset& preset) {
  constexpr int kBlackwell = 100;
  const auto is_float4 = [](const QuantizationArgs& args) { return args.present && args.is_float && args.bits == 4; };
  const bool is_older = serving.context.choice.gpu != nullptr && serving.context.choice.capability() < kBlackwell;
  return serving.runtime == Runtime::sglang && is_older && is_float4(preset.weights) && is_float4(preset.inputs);
}

// The preset that users know as `W8A8`.
constexpr std::string_view kOtherNameOfW8A8 = "INT8";

// Returns the preset with the nearest format that the runtime loads; empty if none has weights of this type and width.
// `with_inputs`: only presets that quantize inputs.
static std::string nearest_preset(const Serving& serving, const ConfigGroup& group, const Layer* layer,
                                  bool with_inputs = false) {
  const bool experts = layer != nullptr && layer->kind == Layer::Kind::experts;
  const ir::Scheme wanted = schemes::scheme_of(*group.value);
  std::string best;
  int least = std::numeric_limits<int>::max();
  for (const schemes::Preset& preset : schemes::presets()) {
    const auto far = distance(wanted, schemes::preset_scheme(std::string(preset.name)));
    if (!far || *far >= least || preset.name == kOtherNameOfW8A8) continue;
    const Value no_targets{source::List{}, {}};
    ConfigGroup other;
    other.name = preset.name;
    other.weights = {preset.weights};
    other.inputs = {preset.inputs};
    other.value = &no_targets;
    other.preset = true;
    if (lacks_kernel(serving, preset) || !loads_group(serving, other, inferred_format(other), experts)) continue;
    if (with_inputs && !preset.inputs.present) continue;
    best = preset.name;
    least = *far;
  }
  return best;
}

// Returns true if the runtime loads the group in the format that the library infers.
static bool can_be_stored(const Serving& serving, const ConfigGroup& group) {
  const std::string_view stored = inferred_format(group);
  return stored != serving.config.format_of(group) && choose(group, stored, serving.context.choice).fault.empty();
}

DIAGNOSTIC(CT226, group_without_format, error, (Text),
           "{} requires a `format` in each group of a `mixed-precision` file",
           "The format `mixed-precision` states only that the groups differ, and no implementation accepts it. The "
           "runtimes read "
           "the `format` of each group. Only compressed-tensors infers a missing one from the types.",
           "add the format in which the weights are stored to each group")

// Returns the groups that the runtime would load if the file named their format.
static std::vector<const ConfigGroup*> groups_without_format(const Serving& serving) {
  std::vector<const ConfigGroup*> out;
  for (const ConfigGroup& group : serving.config.groups) {
    const bool absent = group.format.empty() && is_read(serving, group) && group.value->get<source::Map>() != nullptr;
    if (absent && !chosen(serving, group).fault.empty() && can_be_stored(serving, group)) out.push_back(&group);
  }
  return out;
}

// Reports the groups of a file whose common format is no format of a group.
static void check_group_formats(Serving& serving) {
  const Field* of_file = serving.config.record.find("format");
  const bool mixed = of_file != nullptr && serving.config.format == "mixed-precision" && !serving.context.of_recipe;
  const auto groups = mixed ? groups_without_format(serving) : std::vector<const ConfigGroup*>();
  if (groups.empty()) return;
  auto& report = serving.context.sink.report(diag::group_without_format, of_file->value.span, serving.title);
  std::vector<std::string> edits;
  diag::Fix fix = diag::Fix::unsafe();
  for (const ConfigGroup* group : groups) {
    const std::string format(inferred_format(*group));
    const Value* null = group->value->find("format");
    edits.push_back(fmt::format("`\"format\": \"{}\"` to `{}`", format, base::printable(group->name)));
    report.with_label(group->span, fmt::format("stored as `{}`", format));
    if (null != nullptr) {
      fix.replace(null->span, format);
    } else {
      fix.add_entry(group->value->get<source::Map>()->back().first.span, "format: " + format);
    }
    is_new(serving, "group " + group->name);
  }
  report.with_severity(severity(serving))
      .with_caret(quoted(serving.title, chosen(serving, *groups.front()).fault))
      .with_help(fmt::format("add {}", base::join_and(edits)))
      .with_fix(std::move(fix));
}

// Returns the nearest preset that quantizes inputs, if the nearest one, `preset`, drops those of the group.
static std::string preset_of_inputs(const Serving& serving, const ConfigGroup& group, const Layer* layer,
                                    std::string_view preset) {
  const schemes::Preset* found = schemes::find_preset(preset);
  const bool drops = group.inputs.args.present && found != nullptr && !found->inputs.present;
  return drops ? nearest_preset(serving, group, layer, true) : std::string();
}

static std::string help_for_presets(const Serving& serving, std::string_view weights, std::string_view inputs) {
  return serving.context.of_recipe
             ? fmt::format("write `scheme: {}`, which keeps the inputs in 16 bits, or `scheme: {}`", weights, inputs)
             : fmt::format("quantize the model again with the preset `{}`, which keeps the inputs in 16 bits, or `{}`",
                           weights, inputs);
}

// Returns the help for a group without an implementation: the format of the file, or the preset to quantize with.
static std::string remedy_for_scheme(const Serving& serving, const ConfigGroup& group, const Layer* layer) {
  if (layer != nullptr && layer->kind == Layer::Kind::embedding) {
    return fmt::format("add `{}` to `ignore`{}", layer->parts.front(),
                       serving.context.of_recipe ? "" : ", and quantize the model again");
  }
  if (can_be_stored(serving, group)) {
    return fmt::format("write `format: {}` if the weights are stored in this format", inferred_format(group));
  }
  const std::string preset = nearest_preset(serving, group, layer);
  if (preset.empty()) return {};
  const std::string other = preset_of_inputs(serving, group, layer, preset);
  if (!other.empty()) return help_for_presets(serving, preset, other);
  return serving.context.of_recipe
             ? fmt::format("write `scheme: {}`, the nearest preset that {} loads", preset, serving.title)
             : fmt::format(
                   "quantize the model again with the preset `{}`, the nearest one that {} "
                   "loads",
                   preset, serving.title);
}

// Returns true for floats of 4 bits in groups of 16, which only NVFP4 has.
static bool has_groups_of_nvfp4(const ConfigGroup& group) {
  constexpr std::int64_t kGroup = 16;
  const QuantizationArgs& weights = group.weights.args;
  return weights.is_float && weights.bits == 4 && weights.strategy == Strategy::group && weights.group_size == kGroup;
}

static std::string edit_for_nvfp4(const ConfigGroup& group) {
  const bool inputs = group.inputs.args.present;
  return fmt::format("write `strategy: tensor_group` in `weights`{}: groups of 16 are those of NVFP4",
                     inputs ? " and `input_activations`, and `dynamic: local` in the latter" : "");
}

// Returns the edit of the inputs of a finished checkpoint that keeps its tensors.
static std::optional<FittingEdit> edit_of_inputs(const Serving& serving, const ConfigGroup& group) {
  if (serving.context.of_recipe) return std::nullopt;
  return fitting_inputs(group, serving.config.format_of(group), serving.context.choice);
}

// Advises on an edit after which the stored tensors fit, and on the preset for inputs of fewer bits.
static void advise_on_inputs(const Serving& serving, diag::Diagnostic& report, const ConfigGroup& group,
                             const FittingEdit& edit) {
  const std::string preset = edit.name.empty() ? nearest_preset(serving, group, nullptr) : std::string();
  const schemes::Preset* found = schemes::find_preset(preset);
  const bool other = found != nullptr && found->inputs.present;
  if (!edit.key.empty()) report.span = edit.key;
  report
      .with_help(fmt::format("write {}, which fits the stored weights{}", edit.text(),
                             other ? fmt::format(", or quantize the model again with the preset `{}`", preset) : ""))
      .with_fix(diag::Fix::unsafe().replace(edit.place, edit.value));
}

// Returns the edits of inputs with which the runtime loads the group for a layer; empty if others are needed.
static std::vector<FittingEdit> edits_of_inputs(const Serving& serving, const ConfigGroup& group, const Layer* layer) {
  if (layer != nullptr && layer->kind == Layer::Kind::embedding) return {};
  const bool experts = layer != nullptr && layer->kind == Layer::Kind::experts;
  return fitting_edits_of_inputs(group, [&](const ConfigGroup& edited, std::string_view format) {
    return loads_group(serving, edited, format, experts);
  });
}

// Labels further values, and writes all of them.
static void advise_on_edits(const Serving& serving, diag::Diagnostic& report, const std::vector<FittingEdit>& edits) {
  std::vector<std::string> texts;
  diag::Fix fix = diag::Fix::unsafe();
  bool whole = serving.context.of_recipe;
  for (const FittingEdit& edit : edits) {
    texts.push_back(fmt::format("`{}: {}`", edit.name, edit.value));
    whole = whole && !edit.place.empty();
    fix.replace(edit.place, edit.value);
    if (!edit.place.empty() && edit.place != report.span) report.with_label(edit.place, "must also change");
  }
  report.with_help(fmt::format("{} {} in `{}`", serving.context.of_recipe ? "write" : "quantize the model again with",
                               base::join_and(texts), edits.front().tensor));
  if (whole) report.with_fix(std::move(fix));
}

// Returns the place of the bits of the inputs that a group states; without them, that of the group.
static source::Span place_of_inputs(const ConfigGroup& group) {
  const source::Span bits =
      group.inputs.args.present ? written_value(group, "input_activations", "num_bits") : source::Span();
  return bits.empty() ? group.span : bits;
}

// Points at the one value of the group that must change, if there is one. The weights of a finished checkpoint must be
// quantized again with it.
static void report_choice(const Serving& serving, const ConfigGroup& group, const Layer* layer,
                          std::string_view fault) {
  const bool usual = layer == nullptr || layer->kind == Layer::Kind::linear;
  const bool embedding = layer != nullptr && layer->kind == Layer::Kind::embedding;
  const bool format = usual && can_be_stored(serving, group);
  const bool nvfp4 = usual && has_groups_of_nvfp4(group);
  const auto inputs = usual && !format && !nvfp4 ? edit_of_inputs(serving, group) : std::nullopt;
  const auto edit = usual && !format && !nvfp4 && !inputs ? fitting_edit(group, serving.context.choice) : inputs;
  const auto edits = !format && !nvfp4 && !edit ? edits_of_inputs(serving, group, layer) : std::vector<FittingEdit>();
  const Field* of_file = group.format.empty() ? serving.config.record.find("format") : nullptr;
  const source::Span strategy = nvfp4 ? written_value(group, "weights", "strategy") : source::Span();
  const Value* of_group = group.value->find("format");
  const Value* stored = of_file != nullptr ? &of_file->value : of_group;
  const source::Span own = !strategy.empty()                                      ? strategy
                           : format && stored != nullptr && !stored->span.empty() ? stored->span
                           : !edits.empty()                                       ? edits.front().place
                           : edit || format || embedding                          ? group.span
                                                                                  : place_of_inputs(group);
  auto& report = serving.context.sink.report(diag::no_runtime_scheme, edit ? edit->place : own, serving.title,
                                             group.name, layer == nullptr ? "" : fmt::format(" for `{}`", layer->name));
  report.with_severity(severity(serving)).with_caret(quoted(serving.title, fault));
  const Field* repeated = format && of_file == nullptr ? serving.config.record.find("format") : nullptr;
  if (repeated != nullptr && !repeated->value.span.empty()) report.with_label(repeated->value.span, "the same format");
  if (inputs) {
    advise_on_inputs(serving, report, group, *inputs);
  } else if (nvfp4) {
    report.with_help(edit_for_nvfp4(group));
  } else if (!edits.empty()) {
    advise_on_edits(serving, report, edits);
  } else if (!edit) {
    report.with_help(remedy_for_scheme(serving, group, layer));
  } else if (serving.context.of_recipe) {
    report.with_help(fmt::format("write {}", edit->text()))
        .with_fix(diag::Fix::unsafe().replace(edit->place, edit->value));
  } else {
    report.with_help(fmt::format("quantize the model again with {}", edit->text()));
  }
}

DIAGNOSTIC(CT205, preset_as_group, error, (Text, Text), "{} does not support the preset `{}` as a group",
           "compressed-tensors accepts a group whose name is a preset and whose value is a list of targets. The "
           "runtimes expect a mapping, and the library never writes the short form.",
           "write a mapping with `targets` and `weights`")

DIAGNOSTIC(CT206, weights_required, error, (Text, Text), "{} requires `weights` in group `{}`",
           "The library accepts groups that quantize only inputs. vLLM accepts them only for a single target that "
           "ends in `Attention`, and SGLang never does.",
           "add `weights`, or add the layers to `ignore`")

static void check_group(Serving& serving, const ConfigGroup& group) {
  if (group.preset) {
    serving.context.sink.report(diag::preset_as_group, group.span, serving.title, group.name)
        .with_severity(severity(serving))
        .with_caret(quoted(serving.title, serving.runtime == Runtime::vllm
                                              ? "list indices must be integers or slices, not str"
                                              : "'list' object has no attribute 'get'"));
    return;
  }
  if (!group.text_targets.empty()) report_letters(serving, group);
  if (!group.valid || (group.targets.empty() && group.text_targets.empty()) || serving.targets.skips(group)) {
    return;
  }
  if (serving.runtime == Runtime::vllm) check_order(serving, group);
  const Value* weights = group.value->find("weights");
  if (weights == nullptr || weights->is_null()) {
    serving.context.sink.report(diag::weights_required, group.span, serving.title, group.name)
        .with_severity(severity(serving))
        .with_caret(quoted(serving.title, "Input should be a valid dictionary or instance of QuantizationArgs"));
  } else if (is_read(serving, group) && asserts_floats(serving, group) && is_new(serving, "group " + group.name)) {
    report_choice(serving, group, nullptr, chosen(serving, group).fault);
  }
}

DIAGNOSTIC(CT212, packed_names_expected, warning, (Text, Text, Text),
           "{} expects packed weights in group `{}`, but the format is `{}`",
           "For 4-bit weights with 8-bit inputs vLLM registers `weight_packed` and `weight_shape`. In the format "
           "`int-quantized`, which the library infers for such a group, a layer has the tensor `weight`, so the "
           "weights cannot be loaded.",
           "store the group as `pack-quantized`")

DIAGNOSTIC(CT220, release_unknown, info, (Text, Text, Text),
           "it is unknown whether {0} has the scheme {1} of group `{2}`",
           "The scheme exists in newer releases of vLLM. In which release it was added is unknown.",
           "try to load a small model, or use a newer release")

DIAGNOSTIC(
    CT222, gpu_fallback, warning, (Text, Text, Text), "on {1}, {0} runs group `{2}` with 16-bit inputs",
    "Kernels for 8-bit floats need compute capability 8.9, those for NVFP4 10.0. On an older GPU, vLLM keeps the "
    "weights quantized and multiplies in 16 bits. The model loads, but it is slower than on a newer GPU.",
    "use a scheme with a kernel on this GPU, such as `W8A8` or `W4A16`")

DIAGNOSTIC(
    CT223, gpu_without_kernel, warning, (Text, Text, Text, Text), "{0} has no kernel for group `{1}` on {2}{3}",
    "vLLM selects the kernel of a scheme by the compute capability of the GPU. Integer weights of 4 bits with "
    "8-bit integer inputs have a kernel only on Arm CPUs, those with 8-bit float inputs only on Hopper, and 8-bit "
    "integers none on Blackwell.",
    "use a scheme with a kernel on this GPU")

// The GPUs that have kernels for a scheme.
struct Kernels {
  std::string_view scheme;
  int since;                   // compute capability
  int last;                    // the highest one
  int fallback = 1000;         // from this capability on, vLLM computes with 16-bit inputs instead
  std::string_view words{};    // of vLLM
  std::string_view instead{};  // a scheme that fits
};

constexpr int kNewest = 999;
constexpr std::string_view kNoInt8 = "Use FP8 quantization instead, or run on older arch (SM < 100)";

// docs/semantics/compressed-tensors.md#d3-14
constexpr Kernels kKernels[] = {
    {.scheme = "W8A8Fp8", .since = 89, .last = kNewest, .fallback = 75, .instead = "W8A8"},
    {.scheme = "W4A4Fp4", .since = 100, .last = kNewest, .fallback = 75, .instead = "W4A16"},
    {.scheme = "W4A8Int",
     .since = kNewest,
     .last = kNewest,
     .words = "Failed to find a kernel that can implement the WNA16 linear layer",
     .instead = "W4A16"},
    {.scheme = "W4A8Fp8", .since = 90, .last = 90, .instead = "W4A16"},
    {.scheme = "W8A8Int8", .since = 75, .last = 99, .words = kNoInt8, .instead = "FP8_DYNAMIC"},
    {.scheme = "W8A8Int8 (static)", .since = 75, .last = 99, .words = kNoInt8, .instead = "FP8_DYNAMIC"},
};

// Reports a group without a kernel on the GPU. Without a named GPU, only a group that no GPU has a kernel for.
static void check_kernel(Serving& serving, const ConfigGroup& group, const Choice& choice) {
  const Gpu* gpu = serving.context.choice.gpu;
  const auto* row = std::ranges::find(kKernels, choice.scheme, &Kernels::scheme);
  const bool never = row != std::end(kKernels) && row->since == kNewest;
  if (row == std::end(kKernels) || serving.runtime != Runtime::vllm || (gpu == nullptr && !never)) return;
  const int capability = serving.context.choice.capability();
  if ((row->since <= capability && capability <= row->last) || !is_new(serving, "kernel " + group.name)) return;
  const std::string write = serving.context.of_recipe ? fmt::format("write `scheme: {}`", row->instead)
                                                      : fmt::format("quantize again with `{}`", row->instead);
  if (capability >= row->fallback) {
    serving.context.sink.report(diag::gpu_fallback, group.span, serving.title, gpu->title, group.name)
        .with_help(fmt::format("{}, for which this GPU has kernels, or use a GPU of capability {} or newer", write,
                               capability_text(row->since)));
    return;
  }
  auto& report = serving.context.sink.report(
      diag::gpu_without_kernel, group.span, serving.title, group.name, gpu == nullptr ? "a GPU" : gpu->title,
      gpu == nullptr ? "" : fmt::format(" (capability {})", capability_text(capability)));
  if (gpu != nullptr) report.with_severity(severity(serving));  // without a GPU, the runtime may use an Arm CPU
  if (!row->words.empty()) report.with_caret(quoted(serving.title, row->words));
  if (row->fallback <= kNewest) {  // an older GPU than those that compute with 16-bit inputs
    report.with_help(fmt::format("use a GPU of capability {} or newer", capability_text(row->fallback)));
    return;
  }
  const bool hopper = never && group.inputs.args.is_float;  // W4A8Fp8
  report.with_help(write + (hopper ? ", or use a Hopper GPU" : ""));
}

DIAGNOSTIC(CT225, inputs_not_quantized, silent_warning, (Text, Text, Text),
           "{} does not quantize the inputs of group `{}`: {}",
           "vLLM runs 8-bit float weights with 8-bit inputs only if these are floats that are dynamic, or static, "
           "symmetric and per tensor. For other inputs, it uses the kernel with 16-bit inputs, without a message.",
           "quantize the model again with the preset `FP8` or `FP8_DYNAMIC`")

// Reports inputs of 8-bit float weights that vLLM leaves in 16 bits.
static void check_inputs(const Serving& serving, const ConfigGroup& group) {
  const QuantizationArgs& inputs = group.inputs.args;
  const bool asymmetric = inputs.is_float && !inputs.symmetric;
  const source::Span place = written_value(group, "input_activations", asymmetric ? "symmetric" : "type");
  auto& report = serving.context.sink.report(diag::inputs_not_quantized, place.empty() ? group.span : place,
                                             serving.title, group.name,
                                             !inputs.is_float ? "they are integers"
                                             : asymmetric     ? "they are asymmetric"
                                                              : "they are not per tensor");
  if (asymmetric) report.with_help("write `symmetric: true` in `input_activations`");
}

static void check_choice(Serving& serving, const ConfigGroup& group, const Layer* layer, const Choice& choice) {
  if (!choice.fault.empty()) {
    if (is_new(serving, "group " + group.name)) report_choice(serving, group, layer, choice.fault);
    return;
  }
  const bool unknown =
      serving.context.choice.named && *serving.context.choice.named < kReadRelease && is_recent(choice.scheme);
  if (serving.runtime == Runtime::vllm && unknown && is_new(serving, "unknown " + group.name)) {
    serving.context.sink.report(diag::release_unknown, group.span, serving.title, choice.scheme, group.name);
  }
  check_kernel(serving, group, choice);
  const bool drops = choice.scheme == "W8A16Fp8" && group.inputs.args.present && serving.runtime == Runtime::vllm;
  if (drops && is_new(serving, "inputs " + group.name)) check_inputs(serving, group);
  const std::string& format = serving.config.format_of(group);
  if (choice.scheme == "W4A8Fp8" && format != "pack-quantized" && is_new(serving, "names " + group.name)) {
    serving.context.sink.report(diag::packed_names_expected, group.span, serving.title, group.name, format)
        .with_severity(diag::Severity::warning);
  }
}

DIAGNOSTIC(CT202, fused_partly_ignored, error, (Text, Text, Text), "{} rejects `{}`, because only `{}` is ignored",
           "Runtimes fuse the query, key and value layers, and the gate and up layers. They ignore only whole fused "
           "layers, so `ignore` must match all parts of a fused layer or none of them.",
           "ignore all parts of the fused layer")

static void report_part(Serving& serving, const Layer& layer) {
  const std::string_view suffix = base::last_part(layer.name);
  if (!is_new(serving, fmt::format("part {}", suffix))) {
    return;
  }
  std::string part;
  const Entry* entry = serving.targets.entry_for_part(layer, part);
  auto& report = serving.context.sink.report(diag::fused_partly_ignored,
                                             entry == nullptr ? serving.config.record.place("ignore") : entry->span,
                                             serving.title, layer.name, part);
  report.with_severity(severity(serving))
      .with_caret(quoted(serving.title, fmt::format("Found a different quantization schemes for {}", suffix)))
      .with_help(fmt::format("ignore all of `{}`, or none", fmt::join(layer.suffixes, "`, `")));
  if (entry == nullptr) return;
  if (serving.context.of_recipe) {
    report.with_cause(entry->span);  // LC805 knows the pattern
    return;
  }
  const Field* list = serving.config.record.find("ignore");
  const bool extends = list != nullptr && list->value.get<source::List>() != nullptr && !list->value.span.empty();
  const std::span<const model::Module> modules =
      serving.context.modules == nullptr ? std::span<const model::Module>() : *serving.context.modules;
  schemes::advise_whole_layer(report, *entry, part, layer.parts, modules,
                              extends ? std::optional(list->value.span) : std::nullopt);
  report.with_help(fmt::format("{}. If the other layers are stored quantized, quantize the model again", report.help))
      .with_fix({});
}

DIAGNOSTIC(CT203, no_matching_target, error, (Text, Text), "{} finds no target for `{}`",
           "SGLang requires that each linear layer is ignored or matches a target by name, class or fused parts. vLLM "
           "and the library leave such layers unquantized.",
           "add the layer to `ignore`")

// Returns true for a layer for which SGLang stops, because it is neither ignored nor has a group.
static bool lacks_target(const Serving& serving, const Layer& layer) {
  return serving.runtime == Runtime::sglang && layer.kind == Layer::Kind::linear &&
         serving.targets.ignores(layer) == false && !serving.targets.group_of(layer);
}

// Reports all layers without a target as one finding, with a pattern for each last part of their names.
static void report_targets(Serving& serving) {
  std::set<std::string> last;
  const Layer* first = nullptr;
  std::size_t count = 0;
  for (const Layer& layer : serving.layers) {
    if (!lacks_target(serving, layer)) continue;
    if (count++ == 0) first = &layer;
    for (const std::string& part : layer.parts) last.insert(fmt::format("re:.*{}$", base::last_part(part)));
  }
  if (first == nullptr) return;
  const Field* ignore = serving.config.record.find("ignore");
  diag::Fix fix = diag::Fix::unsafe();
  for (const std::string& entry : last) {
    if (ignore != nullptr) fix.append(ignore->value.span, entry);
  }
  serving.context.sink
      .report(diag::no_matching_target, serving.config.record.place("config_groups"), serving.title, first->name)
      .with_severity(severity(serving))
      .with_caret(
          fmt::format("{}: {}", base::counted(count, "layer"), quoted(serving.title, "Unable to find matching target")))
      .with_help(fmt::format("add `{}` to `ignore`", fmt::join(last, "`, `")))
      .with_fix(ignore != nullptr && ignore->value.get<source::List>() != nullptr ? std::move(fix) : diag::Fix());
}

DIAGNOSTIC(CT224, embedding_not_read, warning, (Text, Text),
           "{} reads the quantized embedding `{}` only for some models",
           "Many models of vLLM build their embedding without the quantization config, so the packed tensors have no "
           "parameter and loading fails. SGLang drops the tensors without an error.",
           "leave the embedding unquantized")

static void check_embedding(Serving& serving, const Layer& layer, const ConfigGroup& group) {
  const QuantizationArgs& weights = group.weights.args;
  const bool fits = !weights.is_float && weights.dynamic == schemes::Dynamic::no &&
                    (weights.strategy == Strategy::group || weights.strategy == Strategy::channel);
  const bool letters = !group.text_targets.empty();  // CT219 reports the cause
  if (letters || !is_new(serving, "embedding " + group.name)) return;
  if (serving.runtime == Runtime::vllm && !fits) {
    report_choice(serving, group, &layer, "compressed-tensors embeddings only support weight-only INT group/channel");
    return;
  }
  serving.context.sink.report(diag::embedding_not_read, group.span, serving.title, layer.name);
}

// Some models allow blocks that end within a layer that is not split. Blackwell has other kernels for experts, but none
// is known to multiply these sizes.
static std::optional<diag::Severity> severity_of(const Serving& serving, const Layer& layer, const ShapeFault& fault) {
  const bool kernel = fault.kind == ShapeFault::Kind::kernel;
  const bool others = layer.kind == Layer::Kind::experts && serving.context.choice.capability() >= 100;
  if (kernel && others && serving.context.choice.may_have(facts::kFixedTiles)) return diag::Severity::warning;
  if (kernel) return serving.runtime == Runtime::vllm ? serving.context.severity_of(facts::kFixedTiles) : std::nullopt;
  return fault.kind == ShapeFault::Kind::block && fault.gpus == 1 ? diag::Severity::warning : severity(serving);
}

// Returns the message of the runtime.
static std::string words_of(const ShapeFault& fault, bool experts) {
  switch (fault.kind) {
    case ShapeFault::Kind::split: return fmt::format("{} is not divisible by {}", fault.size, fault.by);
    case ShapeFault::Kind::group:
      return experts ? "Scale groups would otherwise cross TP shard boundaries"
                     : fmt::format("Weight input_size_per_partition={} is not divisible", fault.part());
    case ShapeFault::Kind::block:
      return fmt::format("Weight {}_size{} = {} is not divisible", fault.rows ? "output_partition" : "input",
                         fault.rows ? "" : "_per_partition", fault.part());
    case ShapeFault::Kind::kernel:
      if (experts) return {};
      return fmt::format("Weight {}_size_per_partition = {} is not divisible by min_thread_{} = {}",
                         fault.rows ? "output" : "input", fault.part(), fault.rows ? 'n' : 'k', fault.by);
  }
  return {};
}

DIAGNOSTIC(CT210, runtime_columns, error, (Text, Text, Text, std::uint64_t),
           "{0} cannot divide the {2} columns of {1} by {3}",
           "The number of input columns must be a multiple of the group size, also after the columns of `o_proj`, "
           "`down_proj` and the experts are divided by the number of tensor parallel GPUs. Expert parallelism does not "
           "divide the experts.",
           "use fewer GPUs, or a smaller group size")

DIAGNOSTIC(CT213, split_not_whole, error, (Text, Text, Text, Text, std::uint64_t),
           "{0} cannot split the {1} {2} of {3} across {4} GPUs",
           "Tensor parallelism gives each GPU an equal part of a layer. `q_proj`, `gate_proj` and `up_proj` are split "
           "by their rows, `o_proj` and `down_proj` by their columns.",
           "use a number of GPUs that divides the size")

DIAGNOSTIC(CT214, split_in_block, error, (Text, Text, Text, Text, std::uint64_t),
           "{0} cannot divide the {1} {2} of {3} into blocks of {4}",
           "With scales per block, the part of a layer on each GPU must consist of whole blocks. Without tensor "
           "parallelism, this also holds for all parts of a fused layer except the last.",
           "add the layer to `ignore`, or use fewer GPUs")

DIAGNOSTIC(CT215, no_kernel, error, (Text, Text, Text, Text), "{0} has no kernel for the {1} {2} of {3}",
           "The Marlin kernels for packed weights multiply tiles of 64 rows and 128 columns, those for NVFP4 experts "
           "tiles of 64 columns on each GPU. vLLM 0.24 and later pad other sizes. Before, loading the model fails, "
           "unless the GPU has another kernel: Machete on Hopper needs "
           "128 rows and 64 columns, and Exllama needs float16.",
           "use vLLM 0.24 or later, or add the layer to `ignore`")

// Returns the name, and how many more layers have the same sizes.
static std::string name_with_others(const Serving& serving, const Layer& layer) {
  const auto same = [&](const Layer& each) {
    return each.kind == layer.kind && each.columns == layer.columns && each.rows == layer.rows &&
           base::last_part(each.name) == base::last_part(layer.name);
  };
  const auto others = std::ranges::count_if(serving.layers, same) - 1;
  const std::string name = fmt::format("`{}`", base::printable(layer.name));
  return others > 0 ? fmt::format("{} and of {} more {}", name, others, others > 1 ? "layers" : "layer") : name;
}

// Returns the place of the group size that a recipe states for the weights; empty for a preset or a finished model.
static source::Span place_of_group_size(const Serving& serving, const ConfigGroup* group) {
  const bool stated = group != nullptr && group->value != nullptr && !group->preset && serving.context.of_recipe;
  return stated ? written_value(*group, "weights", "group_size") : source::Span();
}

// Returns how to get groups of another size: the entry of the recipe, or another quantization of a finished model.
static std::string with_groups_of(const Serving& serving, const ConfigGroup& group, std::uint64_t size) {
  if (!serving.context.of_recipe) return fmt::format("groups of {}, for which the model must be quantized again", size);
  ir::Scheme scheme = schemes::scheme_of(*group.value);
  schemes::set_argument(scheme, "group_size", {static_cast<std::int64_t>(size), {}});
  const bool preset = schemes::find_preset(group.name) != nullptr;
  if (preset) scheme.weights.front().order.clear();  // the default of the modifier
  std::vector<std::string> targets;
  for (const Entry& target : group.targets) targets.push_back(target.text);
  const std::string entry =
      fmt::format("{}: {}", preset ? "group_0" : group.name, schemes::group_text(scheme, targets));
  return serving.config.groups.size() > 1
             ? fmt::format("groups of {}: `{}`", size, entry)
             : fmt::format("groups of {}: `config_groups: {{{}}}` instead of `scheme`", size, entry);
}

// Returns the preset with one scale per row that has the same numbers as a group; empty if there is none.
static std::string_view preset_per_row(const ConfigGroup& group) {
  const QuantizationArgs& wanted = group.weights.args;
  for (const schemes::Preset& preset : schemes::presets()) {
    const bool same = preset.weights.strategy == Strategy::channel && preset.weights.bits == wanted.bits &&
                      preset.weights.is_float == wanted.is_float && preset.inputs.present == group.inputs.args.present;
    if (same) return preset.name;
  }
  return {};
}

// Returns a smaller number of GPUs on which the parts of a layer are whole; 0 if there is none.
static std::uint64_t fewer_gpus_for(const ShapeFault& fault) {
  return fewer_gpus(fault.gpus,
                    [&](std::uint64_t gpus) { return fault.size % gpus == 0 && fault.size / gpus % fault.by == 0; });
}

// Returns the preset without blocks, and the number of GPUs that the blocks of a layer fit.
static std::string remedy_for_blocks(const Serving& serving, const ConfigGroup* group, const ShapeFault& fault) {
  std::vector<std::string> ways;
  const std::string_view preset = group == nullptr ? std::string_view() : preset_per_row(*group);
  if (!preset.empty()) {
    ways.push_back(serving.context.of_recipe
                       ? fmt::format("write `scheme: {}`, which has one scale per row", preset)
                       : fmt::format("quantize the model again with `{}`, which has one scale per row", preset));
  }
  const std::uint64_t gpus = fewer_gpus_for(fault);
  if (gpus > 0) ways.push_back(fmt::format("use `--tensor-parallel {}`", gpus));
  return fmt::format("{}", fmt::join(ways, ", or "));
}

// Returns the numbers of GPUs and columns with which the groups of a layer or the tiles of experts fit; empty for other
// faults.
static std::string remedy_of(const Serving& serving, const Layer& layer, const ConfigGroup* group,
                             const ShapeFault& fault) {
  static constexpr std::uint64_t kGroups[] = {128, 64, 32, 16};
  const bool tiles = fault.kind == ShapeFault::Kind::kernel && layer.kind == Layer::Kind::experts;
  if (fault.kind == ShapeFault::Kind::block) return remedy_for_blocks(serving, group, fault);
  if (fault.kind == ShapeFault::Kind::split) {
    const auto divides = [&](std::uint64_t gpus) { return fault.size % gpus == 0; };
    return fmt::format("use `--tensor-parallel {}`", power_of_two_gpus(fault.gpus, divides));
  }
  if (fault.kind != ShapeFault::Kind::group && !tiles) return {};
  std::vector<std::string> ways;
  const auto* size = std::ranges::find_if(kGroups, [&](std::uint64_t each) { return fault.part() % each == 0; });
  const bool smaller = size != std::end(kGroups) && !tiles && group != nullptr;
  const bool stated = smaller && !place_of_group_size(serving, group).empty();
  if (tiles) ways.emplace_back("vLLM 0.24 or later");
  if (stated) ways.push_back(fmt::format("`group_size: {}`", *size));
  const std::uint64_t gpus = fewer_gpus_for(fault);
  if (gpus > 0) ways.push_back(fmt::format("`--tensor-parallel {}`", gpus));
  const bool whole = layer.kind == Layer::Kind::experts && fault.size % fault.by == 0;
  if (whole) ways.push_back(fmt::format("expert parallelism (`--expert-parallel {}`)", fault.gpus));
  if (smaller && !stated) ways.push_back(with_groups_of(serving, *group, *size));
  if (ways.empty()) return "add the layers to `ignore`, or quantize per channel";
  return fmt::format("use {}", fmt::join(ways, ", or "));
}

static void report_shape(const Serving& serving, const Layer& layer, const ConfigGroup* group, const ShapeFault& fault,
                         diag::Severity severity) {
  const std::string name = name_with_others(serving, layer);
  const std::string_view what = fault.rows ? "rows" : "columns";
  const std::string size = fault.gpus > 1 ? fmt::format("{} / {}", fault.size, fault.gpus) : std::to_string(fault.size);
  const bool group_size = fault.kind == ShapeFault::Kind::group && !place_of_group_size(serving, group).empty();
  const source::Span place = group == nullptr ? serving.config.record.place("config_groups")
                             : group_size     ? place_of_group_size(serving, group)
                                              : group->span;
  diag::Diagnostic& report =
      fault.kind == ShapeFault::Kind::split
          ? serving.context.sink.report(diag::split_not_whole, place, serving.title, size, what, name, fault.by)
      : fault.kind == ShapeFault::Kind::group
          ? serving.context.sink.report(diag::runtime_columns, place, serving.title, name, size, fault.by)
      : fault.kind == ShapeFault::Kind::block
          ? serving.context.sink.report(diag::split_in_block, place, serving.title, size, what, name, fault.by)
          : serving.context.sink.report(diag::no_kernel, place, title_of(serving.context.choice, facts::kFixedTiles),
                                        size, what, name);
  report.with_severity(severity).with_cause(layer.parts.empty() ? source::Span()
                                                                : meant_to_ignore(serving, layer.parts.front()));
  if (const std::string remedy = remedy_of(serving, layer, group, fault); !remedy.empty()) report.with_help(remedy);
  const std::string caret = words_of(fault, layer.kind == Layer::Kind::experts);
  if (!caret.empty()) report.with_caret(quoted(serving.title, caret));
}

static void check_shapes(Serving& serving, const Layer& layer, const ConfigGroup* group, const Choice& choice) {
  for (const ShapeFault& fault : shape_faults(layer, group, choice, serving.context.choice)) {
    const auto severity = severity_of(serving, layer, fault);
    // The number of GPUs is one fault, however many layers it does not divide.
    const bool split = fault.kind == ShapeFault::Kind::split;
    const auto key = fmt::format("size {} {} {} {}", static_cast<int>(fault.kind), fault.rows, fault.size, fault.by);
    const bool block = fault.kind == ShapeFault::Kind::block && fault.gpus > 1;
    const bool fresh = is_new(serving, split              ? "split"
                                       : group == nullptr ? key
                                       : block            ? fmt::format("block {} {}", fault.gpus, group->name)
                                                          : key + group->name);
    if (severity && fresh) report_shape(serving, layer, group, fault, *severity);
  }
}

static void check_scheme(Serving& serving, const Layer& layer, const ConfigGroup& group) {
  if (layer.kind == Layer::Kind::embedding) {
    check_embedding(serving, layer, group);
    return;
  }
  Choice choice = chosen(serving, group);
  const bool value_error =
      !choice.fault.starts_with("No compressed") && choice.fault.find("Error:") == std::string::npos;
  if (layer.kind == Layer::Kind::head && value_error) choice.fault.clear();
  check_choice(serving, group, &layer, choice);
  check_shapes(serving, layer, &group, choice);
}

static std::vector<std::string> experts_in(const Serving& serving, const Layer& layer) {
  std::vector<std::string> out;
  const std::string begin = layer.name + ".";
  for (auto at = serving.in_library.lower_bound(begin); at != serving.in_library.end() && at->first.starts_with(begin);
       ++at) {
    if (at->second.takes_scheme) out.emplace_back(at->first);
  }
  return out;
}

DIAGNOSTIC(CT209, experts_differ, error, (Text, Text), "{} requires one scheme for all parts of `{}`",
           "vLLM fuses the experts of a block. It looks up `gate_proj`, `up_proj` and `down_proj` of the first "
           "expert, which must have equal schemes or all be ignored.",
           "select or ignore all parts of the experts with one pattern")

// Returns the entry of `ignore` that matches only a part of the experts in a recipe, which LC805 reports; empty: none.
static source::Span cause_of_parts(const Serving& serving, const Layer& layer) {
  std::string part;
  const Entry* entry = serving.context.of_recipe ? serving.targets.entry_for_part(layer, part) : nullptr;
  return entry == nullptr ? source::Span() : entry->span;
}

static void check_experts(Serving& serving, const Layer& layer) {
  std::vector<std::optional<std::size_t>> groups;
  for (const std::string& part : layer.parts) groups.push_back(serving.targets.group_of_expert(part));
  const auto differs =
      std::ranges::find_if(groups, [&](const auto& each) { return !same(serving, each, groups.front()); });
  if (differs != groups.end()) {
    if (serving.runtime == Runtime::vllm && is_new(serving, "experts")) {
      auto& report = serving.context.sink.report(diag::experts_differ, serving.config.record.place("config_groups"),
                                                 serving.title, layer.name);
      report.with_severity(severity(serving))
          .with_cause(cause_of_parts(serving, layer))
          .with_caret(quoted(serving.title, "All MoE projections need to have same quantization scheme"));
      advise_to_move(serving, report, layer.parts,
                     [&](const std::string& part) { return serving.targets.group_of_expert(part); });
    }
    return;
  }
  check_difference(serving, groups.front(), experts_in(serving, layer), layer.name);
  if (!groups.front() || !is_read(serving, serving.config.groups[*groups.front()])) {
    return;
  }
  const ConfigGroup& group = serving.config.groups[*groups.front()];
  const Choice choice = with_fault_of_experts(serving, group, chosen(serving, group));
  check_choice(serving, group, &layer, choice);
  check_shapes(serving, layer, &group, choice);
}

static void check_layer(Serving& serving, const Layer& layer) {
  if (layer.kind == Layer::Kind::experts) {
    check_experts(serving, layer);
    return;
  }
  const auto ignored = serving.targets.ignores(layer);
  if (!ignored) {
    report_part(serving, layer);
    return;
  }
  const std::optional<std::size_t> group = *ignored ? std::nullopt : serving.targets.group_of(layer);
  if (lacks_target(serving, layer)) return;  // report_targets() reports it
  check_difference(serving, group, layer.parts, layer.name);
  if (group && is_read(serving, serving.config.groups[*group])) {
    check_scheme(serving, layer, serving.config.groups[*group]);
  } else {
    check_shapes(serving, layer, nullptr, {});
  }
}

void check_serving(const Context& context, const Config& config) {
  Serving serving(context, config);
  check_file(serving);
  check_group_formats(serving);
  for (const ConfigGroup& group : serving.config.groups) check_group(serving, group);
  const bool unquantized = serving.runtime == Runtime::sglang && serving.config.groups.empty();
  if (unquantized || std::ranges::any_of(serving.config.groups, &ConfigGroup::preset)) {
    return;  // SGLang loads a file without groups unquantized; the runtimes reject presets
  }
  if (serving.context.modules == nullptr) {
    for (const ConfigGroup& group : serving.config.groups) {
      if (is_read(serving, group) && !group.targets.empty())
        check_choice(serving, group, nullptr, chosen(serving, group));
    }
    check_named(serving);
    return;
  }
  find_groups(serving, *serving.context.modules);
  serving.layers = layers_of(*serving.context.modules);
  for (const Layer& layer : serving.layers) check_layer(serving, layer);
  report_targets(serving);
}

}  // namespace sparsecfg::dialect::compressed_tensors
