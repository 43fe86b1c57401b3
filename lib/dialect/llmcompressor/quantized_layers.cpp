#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/text.h"
#include "dialect/llmcompressor/entries.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/reading.h"

// Checks which layers of a model get which scheme, and whether the scheme fits them.
namespace sparsecfg::dialect::llmcompressor {

using model::Module;

class SchemeCheck {
 public:
  SchemeCheck(const Reading& reading, const Modifier& modifier, const Modules& modules, ModelIndex& index)
      : reading_(reading),
        modifier_(modifier),
        modules_(modules),
        index_(index),
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
  [[nodiscard]] const Group* scheme_of(std::size_t at) const {
    return schemes_[at] ? &groups_[*schemes_[at]] : nullptr;
  }

  [[nodiscard]] bool quantizes_any() const {
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Group* group = scheme_of(at);
      if (group != nullptr && (takes_scheme(modules_[at]) ? !group->is_empty() : group->inputs.numbers.present))
        return true;
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
    const std::vector<const Module*> taken = index_.matched_names(target.text);
    const auto usable = [](const Module* module) { return takes_scheme(*module) || is_attention(*module); };
    const bool layers = std::ranges::any_of(taken, usable);
    if (fault_of(target.text) || (layers && any)) {
      return;
    }
    if (taken.empty() && any) {
      reading_.sink.report(diag::unused_selector, target.span, base::printable(target.text), "module", modules_.size())
          .with_help(advice(target.text))
          .with_fix(fix_of(target));
      return;
    }
    const std::string what =
        layers          ? "only matches ignored layers, so it quantizes nothing"
        : taken.empty() ? fmt::format("matches none of the {} modules, so it quantizes nothing", modules_.size())
                        : fmt::format("matches {} modules such as {}, none of which can be quantized", taken.size(),
                                      list_names({taken.front()}));
    reading_.sink.report(diag::target_takes_no_linear, target.span, base::printable(target.text), what)
        .with_help(layers ? "remove the layers from `ignore`" : advice(target.text))
        .with_fix(layers ? diag::Fix() : fix_of(target));
  }

  // Replaces a misspelled entry.
  [[nodiscard]] diag::Fix fix_of(const Entry& target) {
    const auto meant = is_joined_list(target.text) ? std::nullopt : meant_in(index_, target.text);
    return meant ? diag::Fix::unsafe().content(target.span, *meant) : diag::Fix();
  }

  [[nodiscard]] std::string advice(const std::string& text) {
    if (const auto meant = meant_in(index_, text)) {
      return fmt::format("write `{}`", base::printable(*meant));
    }
    return index_.has(text) ? "select the layers in a module with a pattern such as `re:.*mlp\\..*`"
                            : "list the modules with `sparsecfg match --modules FILE`";
  }

  void check_attention() {
    for (std::size_t at = 0; at < modules_.size(); ++at) {
      const Group* group = scheme_of(at);
      if (group == nullptr || !is_attention(modules_[at])) continue;
      const std::string_view fault = group->weights.numbers.present   ? "which has no weights to quantize"
                                     : group->outputs.numbers.present ? "whose outputs can't be quantized"
                                     : !group->inputs.numbers.present ? "whose inputs must be quantized"
                                                                      : std::string_view();
      if (!fault.empty()) {
        report_stop(reading_, group->span,
                    fmt::format("`{}` is an attention module, {}", base::printable(modules_[at].name), fault))
            .with_help("write `re:.*self_attn\\..*_proj$` to select its layers");
        return;
      }
    }
  }

  // Reports each layer whose rows can't be divided into groups.
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
                                  late ? ", which fails only in calibration" : ""));
    std::vector<std::string> names;
    for (const Module* module : bad) names.push_back(base::printable(module->name));
    constexpr std::size_t kMaxCount = 12;
    const bool many = names.size() > kMaxCount;
    names.resize(std::min(names.size(), kMaxCount));
    report.with_help(fmt::format("add them to `ignore`: [{}{}]", fmt::join(names, ", "), many ? ", ..." : ""));
  }

  // Returns true for a router: a layer next to the experts that chooses among them.
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
          .with_help("add a pattern such as `re:.*gate$` to `ignore`");
    }
  }

  // Reports different schemes of layers that runtimes merge when they load the model.
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
      const std::size_t first = places.front();
      const auto differs = std::ranges::find_if(places, [&](std::size_t at) { return !same(at, first); });
      if (differs != places.end()) {
        const Group* one = scheme_of(first);
        const Group* other = scheme_of(*differs);
        reading_.sink
            .report(diag::fused_shards_differ, (one == nullptr ? other : one)->span,
                    fmt::format("{}` of `{}", fmt::join(shards, "`, `"), base::printable(parent)),
                    fmt::format("{} and {}", one == nullptr ? "none" : describe(*one),
                                other == nullptr ? "none" : describe(*other)))
            .with_help("write the same scheme for all of them, or add all to `ignore`");
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
  ModelIndex& index_;
  std::vector<Group> groups_;
  std::vector<std::optional<std::size_t>> schemes_;
};

void check_quantized_layers(const Reading& reading, const Modifier& modifier, const Modules& modules,
                            ModelIndex& index) {
  SchemeCheck(reading, modifier, modules, index).run();
}

}  // namespace sparsecfg::dialect::llmcompressor
