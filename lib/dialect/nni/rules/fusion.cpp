#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/read.h"
#include "dialect/record/suggest.h"
#include "model/matcher.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Located;
using source::Value;

// Module types that NNI can fuse, in order.
constexpr std::string_view kFusible[] = {"Conv1d BatchNorm1d",
                                         "Conv1d BatchNorm1d ReLU",
                                         "Conv2d BatchNorm2d",
                                         "Conv2d BatchNorm2d ReLU",
                                         "Conv3d BatchNorm3d",
                                         "Conv3d BatchNorm3d ReLU",
                                         "Conv1d ReLU",
                                         "Conv2d ReLU",
                                         "Conv3d ReLU",
                                         "Linear BatchNorm1d",
                                         "Linear BatchNorm1d ReLU",
                                         "Linear ReLU",
                                         "BatchNorm1d ReLU",
                                         "BatchNorm2d ReLU",
                                         "BatchNorm3d ReLU"};

// --- the first module of a group ----------------------------------------------------------------------------

DIAGNOSTIC(SP819, fusion_head, error, (Text, Text), "`{}` is a {}, which can't be the first module of a fusion group",
           "The first module of a group is a linear, convolution or batch norm layer. NNI stops with a ValueError at "
           "any other module.",
           "list a linear, convolution or batch norm layer first")

DIAGNOSTIC(SP820, fusion_head_unselected, error, (Text),
           "`{}` has modules fused to it, but is not selected by this entry",
           "NNI looks up the first module of a fusion group among the modules that the entry selects, and stops if it "
           "is not one of them.",
           "select `{0}` in this entry, or move the group to the entry that selects it")

static void check_head(Entry& entry, const Located<std::string>& head, const Context& context) {
  if (!context.model.known()) {
    return;
  }
  const model::Module* module = context.model.find(head.value);
  const bool computes = module != nullptr && (module->type == "Linear" || module->type.starts_with("Conv") ||
                                              module->type.starts_with("BatchNorm"));
  const bool selected = entry.selected.contains(head.value);
  entry.valid = entry.valid && computes && selected;
  if (module == nullptr) {
    context.sink.report(diag::unknown_module, head.span, head.value, context.model.modules().size());
  } else if (!computes) {
    context.sink.report(diag::fusion_head, head.span, head.value, module->type);
  } else if (!selected) {
    context.sink.report(diag::fusion_head_unselected, head.span, head.value);
  }
}

// --- the other modules --------------------------------------------------------------------------------------

DIAGNOSTIC(SP821, fused_and_quantized, error, (Text), "`{}` is fused to another module and can't also be quantized",
           "Only the first module of a fusion group is quantized. NNI stops with a ValueError if an entry also selects "
           "one of the others.",
           "exclude `{0}` with `exclude_op_names` in the entry that selects it")

// The modules that are fused to the first one of a group.
struct Fused {
  std::vector<std::string> members{};       // each once, in the order of the file
  std::set<std::string> names{};            // the same
  std::set<const Entry*> excluding_them{};  // entries for which a finding excludes all of them
};

static Fused fused_of(const Compressor& compressor) {
  Fused out;
  for (const Entry& entry : compressor.entries) {
    const Value* groups = find_value(entry.fields, "fuse_names");
    const auto* list = groups == nullptr ? nullptr : groups->get<List>();
    for (const Value& group : list == nullptr ? List() : *list) {
      const auto names = texts_of(&group);
      for (std::size_t at = 1; at < names.size(); ++at) {
        if (out.names.insert(names[at].value).second) out.members.push_back(names[at].value);
      }
    }
  }
  return out;
}

// Returns the place of a word in a list of an entry, or an empty one.
static source::Span place_in(const Entry& entry, std::string_view key, std::string_view word) {
  for (const Located<std::string>& each : texts_of(entry.fields, key)) {
    if (each.value == word) return each.span;
  }
  return {};
}

// Returns true if every module of a type that an entry selects is fused to another one.
static bool are_all_fused(const Entry& entry, std::string_view type, const std::set<std::string>& fused,
                          const Context& context) {
  return std::ranges::all_of(entry.selected, [&](const std::string& name) {
    const model::Module* module = context.model.find(name);
    return module == nullptr || module->type != type || fused.contains(name);
  });
}

// Reports an entry for modules that are all fused to others, at the first of its names. Returns true if it is one.
static bool report_whole_entry(const Entry& selecting, const Located<std::string>& member,
                               const std::set<std::string>& fused, const Context& context) {
  const std::vector<Located<std::string>> names = texts_of(selecting.fields, "op_names");
  const bool all = !names.empty() && !has(selecting.fields, "op_types") && !has(selecting.fields, "op_names_re") &&
                   std::ranges::all_of(names, [&](const auto& each) { return fused.contains(each.value); });
  if (!all || names.front().value != member.value) return all;
  auto& report = context.sink.report(diag::fused_and_quantized, names.front().span, member.value);
  report.with_label(member.span, "fused here");
  report.with_help(names.size() == 1 ? "delete this entry: its module is already a part of the fused one"
                                     : "delete this entry: all its modules are already parts of fused ones");
  return true;
}

// Returns the fused modules that an entry selects by types or patterns, in the order of the file.
static std::vector<std::string> fused_by_pattern(const Fused& fused, const Entry& selecting) {
  std::vector<std::string> out;
  std::ranges::copy_if(fused.members, std::back_inserter(out), [&](const std::string& member) {
    return selecting.selected.contains(member) && place_in(selecting, "op_names", member).empty();
  });
  return out;
}

// Returns the place of the type or pattern by which an entry selects a module, or that of the first one.
static source::Span selector_of(const Entry& selecting, const model::Module* module) {
  const source::Span type = module == nullptr ? source::Span() : place_in(selecting, "op_types", module->type);
  if (!type.empty()) return type;
  const std::vector<Located<std::string>> patterns = texts_of(selecting.fields, "op_names_re");
  for (const Located<std::string>& pattern : patterns) {
    const model::Matcher matcher(pattern.value);
    if (module != nullptr && matcher.match(module->name) == regex::Match::yes) return pattern.span;
  }
  return patterns.empty() ? selecting.span : patterns.front().span;
}

// Writes the exclusion of fused modules in the entry that selects them, after the names that it excludes already.
static void offer_exclusion(diag::Diagnostic& report, const Entry& selecting, const std::vector<std::string>& fused) {
  List names;
  const Value* written = find_value(*selecting.written, "exclude_op_names");
  const auto* before = written == nullptr ? nullptr : written->get<List>();
  if (before != nullptr) names = *before;
  for (const std::string& name : fused) names.push_back(Value{name, {}});
  const std::string list = flow_text({std::move(names), {}});
  const std::string entry = "exclude_op_names: " + list;
  diag::Fix fix = diag::Fix::unsafe();
  if (written != nullptr) {
    fix.replace(written->span, list);
  } else {
    const source::Entry* types = find_entry(*selecting.written, "op_types");
    fix.add_entry((types == nullptr ? selecting.written->front() : *types).first.span, entry);
  }
  report
      .with_help(fmt::format("{} `{}`{}", written == nullptr ? "add" : "write", entry,
                             written == nullptr ? " to this entry" : ""))
      .with_fix(std::move(fix));
}

// Reports an entry that selects fused modules by a type or a pattern, once for all of them.
static void report_exclusion(Fused& fused, const Entry& selecting, const Located<std::string>& member,
                             const Context& context) {
  if (!fused.excluding_them.insert(&selecting).second) return;
  auto& report = context.sink.report(diag::fused_and_quantized,
                                     selector_of(selecting, context.model.find(member.value)), member.value);
  report.with_caret(fmt::format("also selects `{}`", member.value)).with_label(member.span, "fused here");
  offer_exclusion(report, selecting, fused_by_pattern(fused, selecting));
}

// Points at the name or type by which an entry selects a module, and advises to delete it.
static void report_selector(Fused& fused, const Entry& selecting, const Located<std::string>& member,
                            const Context& context) {
  const model::Module* module = context.model.find(member.value);
  const source::Span name = place_in(selecting, "op_names", member.value);
  const source::Span type = module == nullptr ? source::Span() : place_in(selecting, "op_types", module->type);
  const bool by_name = !name.empty();
  const bool by_type = !by_name && !type.empty() && are_all_fused(selecting, module->type, fused.names, context);
  if (!by_name && !by_type) {
    report_exclusion(fused, selecting, member, context);
    return;
  }
  context.sink.report(diag::fused_and_quantized, by_name ? name : type, member.value)
      .with_label(member.span, "fused here")
      .with_help(fmt::format("delete `{}` from `{}`", by_name ? member.value : module->type,
                             by_name ? "op_names" : "op_types"));
}

static void check_not_quantized(const Compressor& compressor, Entry& entry, const Located<std::string>& member,
                                Fused& fused, const Context& context) {
  const auto selects = [&](const Entry& each) { return each.selected.contains(member.value); };
  const auto selecting = std::ranges::find_if(compressor.entries, selects);
  if (selecting == compressor.entries.end()) return;
  entry.valid = false;
  if (!report_whole_entry(*selecting, member, fused.names, context))
    report_selector(fused, *selecting, member, context);
}

DIAGNOSTIC(SP822, fusion_needs_output, error, (Text), "`target_names` must include `_output_`, because `{}` is fused",
           "NNI quantizes the output of the activation instead of the output of the layer. It stops if the output is "
           "not a target.",
           "add `_output_` to `target_names`")

static void check_member(Entry& entry, const Located<std::string>& member, const Context& context) {
  const auto targets = texts_of(entry.fields, "target_names");
  const bool quantizes_output = std::ranges::find(targets, "_output_", &Located<std::string>::value) != targets.end();
  const model::Module* module = context.model.find(member.value);
  if (context.model.known() && module == nullptr) {
    entry.valid = false;
    context.sink.report(diag::unknown_module, member.span, member.value, context.model.modules().size());
  } else if (module != nullptr && module->type.starts_with("ReLU") && !quantizes_output) {
    entry.valid = false;
    context.sink.report(diag::fusion_needs_output, member.span, member.value);
  }
}

// --- groups -------------------------------------------------------------------------------------------------

DIAGNOSTIC(SP817, fusion_refused, error, (Text), "NNI can't fuse {}",
           "NNI fuses two or three modules, listed in the order in which they follow each other: a linear or "
           "convolution layer, a batch norm of its number of dimensions, and a ReLU. One of the first two can be "
           "missing.",
           "list the quantized layer first, followed by one or two modules that are not quantized")

DIAGNOSTIC(SP823, fusion_needs_weight, error, (Text),
           "the weight of `{}` must be quantized, because a batch norm is fused to it",
           "In the first forward pass, NNI folds the batch norm into the quantized weight of the first module. It "
           "stops if the weight is not a target.",
           "add `weight` to `target_names`")

static void check_types(Entry& entry, const std::vector<Target>& targets, const Value& group,
                        const std::vector<Located<std::string>>& names, const Context& context) {
  std::string types;
  for (const auto& name : names) {
    types += (types.empty() ? "" : " ") + context.model.find(name.value)->type;
  }
  const std::string& head = names.front().value;
  const bool folds = types.find(" BatchNorm") != std::string::npos;
  const bool weight = std::ranges::any_of(
      targets, [&](const Target& target) { return target.module.name == head && target.name == "weight"; });
  if (std::ranges::find(kFusible, types) == std::end(kFusible)) {
    entry.valid = false;
    context.sink.report(diag::fusion_refused, group.span, types);
  } else if (folds && !weight) {
    entry.valid = false;
    context.sink.report(diag::fusion_needs_weight, group.span, head);
  }
}

DIAGNOSTIC(SP824, fusion_size, error, (std::size_t), "a fusion group must have 2 or 3 modules, but this one has {}",
           "NNI has rules for two and three modules: a layer, its batch norm and its activation.",
           "list two or three modules that follow each other")

static void check_group(const Compressor& compressor, Entry& entry, const std::vector<Target>& targets,
                        const Value& group, Fused& fused, const Context& context) {
  const auto names = texts_of(&group);
  if (names.size() < 2 || names.size() > 3) {
    entry.valid = false;
    context.sink.report(diag::fusion_size, group.span, names.size());
    return;
  }
  check_head(entry, names.front(), context);
  for (std::size_t at = 1; at < names.size(); ++at) {
    check_not_quantized(compressor, entry, names[at], fused, context);
    check_member(entry, names[at], context);
  }
  if (entry.valid && context.model.known()) {
    check_types(entry, targets, group, names, context);
  }
}

void check_fusion(Compressor& compressor, const std::vector<Target>& targets, const Context& context) {
  Fused fused = fused_of(compressor);
  for (Entry& entry : compressor.entries) {
    const Value* groups =
        entry.valid && compressor.mode == Mode::quantization ? find_value(entry.fields, "fuse_names") : nullptr;
    const auto* list = groups == nullptr ? nullptr : groups->get<List>();
    for (const Value& group : list == nullptr ? List() : *list) {
      check_group(compressor, entry, targets, group, fused, context);
    }
  }
}

}  // namespace sparsecfg::dialect::nni
