#include "dialect/llmcompressor/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "dialect/llmcompressor/mappings.h"
#include "dialect/llmcompressor/masks.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules.h"
#include "dialect/stages/coercion.h"

namespace sparsecfg::dialect::llmcompressor {

using source::Module;
using source::Value;

// "`a`, `b` and 3 more"
static std::string list_names(const std::vector<const Module*>& modules) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> shown;
  for (std::size_t at = 0; at < modules.size() && at < kMost; ++at) {
    shown.push_back(fmt::format("`{}`", base::printable(modules[at]->name)));
  }
  if (modules.size() > kMost) shown.push_back(fmt::format("{} more", modules.size() - kMost));
  return base::join_and(shown);
}

static std::vector<const Module*> taken_by(const Modules& modules, const std::string& entry) {
  const Matcher matcher(entry);
  std::vector<const Module*> out;
  for (const Module& module : modules) {
    if (matcher.takes(module)) out.push_back(&module);
  }
  return out;
}

// What would match if it were looked for anywhere in the names.
static std::optional<std::string> anywhere(const Modules& modules, const std::string& entry) {
  const std::string meant = is_pattern(entry) ? "re:.*" + entry.substr(3) : "re:.*" + entry + "$";
  const bool tried = is_pattern(entry) && entry.substr(3).starts_with(".*");
  return tried || taken_by(modules, meant).empty() ? std::nullopt : std::optional(meant);
}

static void check_ignored(const Reading& reading, const Modifier& modifier, const Modules& modules) {
  for (const Entry& entry : entries_of(modifier, "ignore")) {
    if (modifier.find("ignore") == nullptr || fault_of(entry.text) || !taken_by(modules, entry.text).empty()) {
      continue;
    }
    if (const auto meant = anywhere(modules, entry.text)) {
      reading.sink.report(diag::ignore_prefix, entry.span, base::printable(entry.text), base::printable(*meant))
          .with_help("a pattern is matched from the start of the name")
          .with_fix(diag::Fix::unsafe().content(entry.span, *meant));
    }
  }
}

// --- schemes ------------------------------------------------------------------------------------------------------

class SchemeCheck {
 public:
  SchemeCheck(const Reading& reading, const Modifier& modifier, const Modules& modules)
      : reading_(reading),
        modifier_(modifier),
        modules_(modules),
        groups_(groups_of(modifier)),
        schemes_(schemes_in(modules, groups_, entries_of(modifier, "ignore"))) {}

  void run() {
    if (groups_.empty() || std::ranges::all_of(groups_, &Group::is_empty)) {
      return;
    }
    check_targets();
    check_attention();
    check_columns();
    check_routers();
    check_shards();
  }

 private:
  [[nodiscard]] const Group* scheme_of(std::size_t at) const { return schemes_[at] ? &groups_[*schemes_[at]] : nullptr; }

  [[nodiscard]] bool quantizes_any() const {
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Group* group = scheme_of(at);
      if (group != nullptr && (takes_scheme(modules_[at]) ? !group->is_empty() : group->inputs.numbers.present)) return true;
    }
    return false;
  }

  void check_targets() {
    const bool any = quantizes_any();
    for (const Group& group : groups_) {
      for (const Entry& target : group.targets) {
        check_target(target, any);
      }
    }
  }

  void check_target(const Entry& target, bool any) {
    const std::vector<const Module*> taken = taken_by(modules_, target.text);
    const auto usable = [](const Module* module) { return takes_scheme(*module) || is_attention(*module); };
    const bool layers = std::ranges::any_of(taken, usable);
    if (fault_of(target.text) || (layers && any)) {
      return;
    }
    if (taken.empty() && any) {
      reading_.sink
          .report(diag::unused_selector, target.span, base::printable(target.text), "module", modules_.size())
          .with_help(advice(target.text));
      return;
    }
    const std::string what = layers          ? "takes layers that are all ignored: nothing is quantized"
                             : taken.empty() ? fmt::format("matches none of the {} modules: nothing is quantized", modules_.size())
                                             : fmt::format("matches {} modules such as {}, none of which is quantized", taken.size(),
                                                           list_names({taken.front()}));
    reading_.sink.report(diag::target_takes_no_linear, target.span, base::printable(target.text), what)
        .with_help(layers ? "take the layers out of `ignore`" : advice(target.text));
  }

  [[nodiscard]] std::string advice(const std::string& text) const {
    if (const auto meant = anywhere(modules_, text)) {
      return fmt::format("did you mean `{}`?", base::printable(*meant));
    }
    const std::vector<const Module*> taken = taken_by(modules_, text);
    return taken.empty() ? "`sparsecfg match --modules FILE` shows what there is"
                         : "a pattern such as `re:.*mlp\\..*` takes the layers in a module";
  }

  void check_attention() {
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Group* group = scheme_of(at);
      if (group == nullptr || !is_attention(modules_[at])) continue;
      const std::string_view fault = group->weights.numbers.present   ? "which has no weights to quantize"
                                     : group->outputs.numbers.present ? "whose outputs can't be quantized"
                                     : !group->inputs.numbers.present ? "whose inputs have to be quantized"
                                                                      : std::string_view();
      if (!fault.empty()) {
        report_stop(reading_, group->span,
                    fmt::format("`{}` is a module of attention, {}", base::printable(modules_[at].name), fault))
            .with_help("name the layers in it: `re:.*self_attn\\..*_proj$`");
        return;
      }
    }
  }

  // Each layer whose rows can't be cut into groups.
  void check_columns() {
    for (const Group& group : groups_) {
      std::vector<const Module*> bad;
      const std::int64_t size = group.weights.numbers.group_size;
      for (std::size_t at = 0; at < modules_.size(); ++at) {
        const Module& module = modules_[at];
        const bool known = scheme_of(at) == &group && module.shape && module.shape->size() == 2 && size > 0;
        if (known && module.shape->back() % static_cast<std::uint64_t>(size) != 0) bad.push_back(&module);
      }
      if (!bad.empty()) report_columns(group, bad);
    }
  }

  void report_columns(const Group& group, const std::vector<const Module*>& bad) {
    const auto columns = bad.front()->shape->back();
    const Field* bypass = modifier_.find("bypass_divisibility_checks");
    const bool late = columns < static_cast<std::uint64_t>(group.weights.numbers.group_size) ||
                      (bypass != nullptr && modifier_.flag("bypass_divisibility_checks"));
    auto& report = reading_.sink.report(diag::columns_not_in_groups, group.span,
                                        fmt::format("{}", group.weights.numbers.group_size), list_names(bad));
    report.with_caret(fmt::format("`{}` has {}{}", base::printable(bad.front()->name), columns,
                                  late ? ", which is found in calibration" : ""));
    std::vector<std::string> names;
    for (const Module* module : bad) names.push_back(base::printable(module->name));
    constexpr std::size_t kMost = 12;
    const bool many = names.size() > kMost;
    names.resize(std::min(names.size(), kMost));
    report.with_help(fmt::format("add them to `ignore`: [{}{}]", fmt::join(names, ", "), many ? ", ..." : ""));
  }

  // A layer beside the experts that chooses among them.
  [[nodiscard]] bool is_router(const Module& module) const {
    const std::size_t dot = module.name.rfind('.');
    const std::string_view last = std::string_view(module.name).substr(dot == std::string::npos ? 0 : dot + 1);
    const std::string beside = dot == std::string::npos ? "experts" : module.name.substr(0, dot) + ".experts";
    return (last == "gate" || last == "router" || last == "shared_expert_gate") &&
           std::ranges::any_of(modules_, [&](const Module& other) { return other.name == beside; });
  }

  void check_routers() {
    std::vector<const Module*> routers;
    const Group* group = nullptr;
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Group* mine = scheme_of(at);
      if (mine != nullptr && !mine->is_empty() && takes_scheme(modules_[at]) && is_router(modules_[at])) {
        routers.push_back(&modules_[at]);
        group = mine;
      }
    }
    if (!routers.empty() && !group->targets.empty()) {
      reading_.sink
          .report(diag::router_quantized, group->targets.front().span, base::printable(group->targets.front().text),
                  list_names(routers))
          .with_help("add `re:.*gate$` or the like to `ignore`");
    }
  }

  // Layers that are joined when the model is loaded.
  void check_shards() {
    static constexpr std::string_view kQkv[] = {"q_proj", "k_proj", "v_proj"};
    static constexpr std::string_view kGateUp[] = {"gate_proj", "up_proj"};
    for (const std::span<const std::string_view> shards : {std::span<const std::string_view>(kQkv), {kGateUp}}) {
      std::map<std::string, std::vector<std::size_t>> parents;
      for (std::size_t at = 0; at < modules_.size(); ++at) {
        const std::size_t dot = modules_[at].name.rfind('.');
        if (dot != std::string::npos && takes_scheme(modules_[at]) &&
            base::contains(shards, std::string_view(modules_[at].name).substr(dot + 1))) {
          parents[modules_[at].name.substr(0, dot)].push_back(at);
        }
      }
      if (report_shards(parents, shards)) return;
    }
  }

  bool report_shards(const std::map<std::string, std::vector<std::size_t>>& parents,
                     std::span<const std::string_view> shards) {
    for (const auto& [parent, places] : parents) {
      const auto differs = std::ranges::find_if(places, [&](std::size_t at) { return !same(at, places.front()); });
      if (differs != places.end()) {
        const Group* one = scheme_of(places.front());
        const Group* other = scheme_of(*differs);
        reading_.sink
            .report(diag::fused_shards_differ, (one == nullptr ? other : one)->span,
                    fmt::format("{}` of `{}", fmt::join(shards, "`, `"), base::printable(parent)),
                    fmt::format("{} and {}", one == nullptr ? "none" : describe(*one),
                                other == nullptr ? "none" : describe(*other)))
            .with_help("give all of them one scheme, or ignore all of them");
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool same(std::size_t a, std::size_t b) const {
    const Group* one = scheme_of(a);
    const Group* other = scheme_of(b);
    if (one == nullptr || other == nullptr) return one == other;
    return one->weights.numbers == other->weights.numbers && one->inputs.numbers == other->inputs.numbers;
  }

  const Reading& reading_;
  const Modifier& modifier_;
  const Modules& modules_;
  std::vector<Group> groups_;
  std::vector<std::optional<std::size_t>> schemes_;
};

// --- pruners ------------------------------------------------------------------------------------------------------

static bool is_within(const Module& module, const Module& target) {
  return target.name.empty() || module.name == target.name || module.name.starts_with(target.name + ".");
}

static bool is_prunable(const Module& module) { return module.type == "Linear" || module.type.starts_with("Conv"); }

class PruningCheck {
 public:
  PruningCheck(const Reading& reading, const Modifier& modifier, const Modules& modules)
      : reading_(reading), modifier_(modifier), modules_(modules) {
    const Value* targets = modifier.given("targets");
    if (targets == nullptr || targets->get<std::string>() == nullptr) {
      const std::vector<Matcher> matchers = matchers_of(entries_of(modifier, "targets"));
      for (const Module& module : modules) {
        if (any_takes(matchers, module)) targets_.push_back(&module);
      }
    }
  }

  void run() {
    check_count();
    check_targets();
    check_layers();
  }

 private:
  void check_count() {
    const Value* sparsity = modifier_.given("sparsity");
    const auto* list = sparsity == nullptr ? nullptr : sparsity->get<source::List>();
    if (list != nullptr && list->size() != targets_.size()) {
      report_stop(reading_, sparsity->span,
                  fmt::format("`sparsity` has {} numbers, and `targets` take {} modules", list->size(), targets_.size()))
          .with_help("give one number, or as many as there are modules");
    }
  }

  void check_targets() {
    const Value* targets = modifier_.given("targets");
    if (targets != nullptr && targets->get<std::string>() != nullptr) {
      return;
    }
    for (const Entry& entry : entries_of(modifier_, "targets")) {
      const bool word = entry.text.starts_with("__ALL");
      if (!word && !fault_of(entry.text) && taken_by(modules_, entry.text).empty()) {
        reading_.sink.report(diag::unused_selector, entry.span, base::printable(entry.text), "module", modules_.size())
            .with_help("`sparsecfg match --modules FILE` shows what there is");
      }
    }
  }

  void check_layers() {
    const NOfM mask = mask_of(modifier_);
    const std::vector<Matcher> ignored = matchers_of(entries_of(modifier_, "ignore"));
    for (const Module& module : modules_) {
      const auto target = std::ranges::find_if(targets_, [&](const Module* each) { return is_within(module, *each); });
      Module named = module;
      if (target != targets_.end() && (*target)->name == module.name) named.name += '.';
      if (target == targets_.end() || !is_prunable(module) || !module.shape || any_takes(ignored, named)) {
        continue;
      }
      if (module.type == "Conv2d" || (module.type.starts_with("Conv") && module.shape->size() > 2)) {
        report_stop(reading_, modifier_.key,
                    fmt::format("`{}` stops at `{}`: convolutions can't be pruned in one shot", modifier_.spec->name,
                                base::printable(module.name)))
            .with_help("name the Linear layers as targets");
        return;
      }
      if (report_rest(module, mask)) return;
    }
  }

  // The columns behind the last full M are fewer than N.
  bool report_rest(const Module& module, NOfM mask) {
    const auto rest = mask.m > 0 && mask.n > 0 ? static_cast<std::int64_t>(module.shape->back()) % mask.m : 0;
    if (rest == 0 || rest >= mask.n) {
      return false;
    }
    report_stop(reading_, modifier_.place("mask_structure"),
                fmt::format("{}:{} leaves {} of the {} columns of `{}`, too few to remove {}", mask.n, mask.m, rest,
                            module.shape->back(), base::printable(module.name), mask.n))
        .with_help("take an M that divides the columns");
    return true;
  }

  const Reading& reading_;
  const Modifier& modifier_;
  const Modules& modules_;
  std::vector<const Module*> targets_;
};

// Blocks of experts that were made linear, without those that `ignore` finds anywhere in the name.
static void check_experts(const Reading& reading, const Modifier& modifier, const Modules& modules) {
  const auto is_block = [](const Module& module) { return module.type == "LinearExperts2D"; };
  const auto ignored = [&](const Module& module) {
    return std::ranges::any_of(entries_of(modifier, "ignore"), [&](const Entry& entry) {
      return !fault_of("re:" + entry.text) && takes_name("re:.*(?:" + entry.text + ")", module.name);
    });
  };
  if (std::ranges::none_of(modules, [&](const Module& module) { return is_block(module) && !ignored(module); })) {
    report_stop(reading, modifier.key, "no block of experts is left to be pruned")
        .with_help("the model needs experts as linear layers, of the class LinearExperts2D");
  }
}

// --- rotations ----------------------------------------------------------------------------------------------------

static bool is_power_of_two(std::uint64_t number) { return number != 0 && (number & (number - 1)) == 0; }

static void report_width(const Reading& reading, const Modifier& modifier, const Module& module, std::uint64_t block) {
  const std::uint64_t width = module.shape->back();
  const bool divides = block == 0 || width % block == 0;
  report_stop(reading, modifier.place(divides ? "transform_type" : "transform_block_size"),
              divides ? fmt::format("`{}` has {} columns, and a Hadamard rotation needs a power of two",
                                    base::printable(module.name), width)
                      : fmt::format("blocks of {} do not divide the {} columns of `{}`", block, width,
                                    base::printable(module.name)))
      .with_help("write a `transform_block_size` that divides all widths");
}

static bool by_rotation(const Modifier& modifier, std::string_view rotation) {
  return std::ranges::any_of(entries_of(modifier, "rotations"),
                             [&](const Entry& entry) { return base::to_upper(entry.text) == rotation; });
}

static bool only_last(const Modifier& modifier) {
  return modifier.find("rotations") != nullptr && !by_rotation(modifier, "R1") && !by_rotation(modifier, "R2");
}

// Of SpinQuant's rotations the first two are as wide as the embedding, and the last one as the layers behind the
// feed-forward part.
static void check_rotated(const Reading& reading, const Modifier& modifier, const Modules& modules) {
  const auto given = modifier.given("transform_block_size") == nullptr ? std::nullopt : modifier.number("transform_block_size");
  const std::uint64_t block = given && *given > 0 ? static_cast<std::uint64_t>(*given) : 0;
  const bool quip = meaning_of(modifier) == Meaning::quip;
  const std::vector<Matcher> targets = matchers_of(entries_of(modifier, quip ? "targets" : "none"));
  const std::vector<Matcher> ignored = matchers_of(entries_of(modifier, quip ? "ignore" : "none"));
  const bool plain = modifier.text("transform_type") == "hadamard";
  for (const Module& module : modules) {
    const bool mine = quip ? takes_scheme(module) && any_takes(targets, module) && !any_takes(ignored, module)
                           : (module.type == "Embedding" && !only_last(modifier)) || (by_rotation(modifier, "R4") && module.name.ends_with(".down_proj"));
    const bool known = mine && module.shape && module.shape->size() == 2;
    if (known && ((block != 0 && module.shape->back() % block != 0) ||
                  (block == 0 && plain && !is_power_of_two(module.shape->back())))) {
      report_width(reading, modifier, module, block);
      return;
    }
  }
}

void check_names(const Reading& reading, const std::vector<Modifier>& modifiers, const Modules& modules) {
  for (const Modifier& modifier : modifiers) {
    const Meaning meaning = meaning_of(modifier);
    if (quantizes(meaning)) SchemeCheck(reading, modifier, modules).run();
    if (prunes_layers(meaning)) PruningCheck(reading, modifier, modules).run();
    if (meaning == Meaning::reap) check_experts(reading, modifier, modules);
    if ((meaning == Meaning::quip || meaning == Meaning::spin_quant) && modifier.given("transform_config") == nullptr) {
      check_rotated(reading, modifier, modules);
    }
    if (meaning == Meaning::smoothing || meaning == Meaning::awq) check_mappings(reading, modifier, modules);
    if (quantizes(meaning) || meaning == Meaning::smoothing || meaning == Meaning::quip) {
      check_ignored(reading, modifier, modules);
    }
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
