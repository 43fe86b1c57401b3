#include "dialect/nni/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "base/edit_distance.h"
#include "base/limit_table.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/reach.h"
#include "dialect/record/suggest.h"

namespace sparsecfg::dialect::nni {

using source::List;
using source::Map;
using source::Value;

struct TargetSettings {
  std::string target;
  const Map* defaults;
  Map given;
};

// Settings in the order of targets in NNI.
using Settings = std::vector<TargetSettings>;

template <class List>
static auto* find_target(List& settings, std::string_view name) {
  const auto found = std::ranges::find(settings, name, &TargetSettings::target);
  return found == settings.end() ? nullptr : &*found;
}

DIAGNOSTIC(MD914, type_not_registered, error, (Text, Text), "layer type `{}` is not registered for {}",
           "NNI has tensors registered for only some module types and stops at any other type. Containers, the model "
           "itself and norms other than BatchNorm are not registered.",
           "narrow the selection with `op_types`, or register the type with NNI")

class Resolver {
 public:
  Resolver(Configuration& configuration, const Context& context)
      : configuration_(configuration), context_(context), sink_(context.sink) {}

  std::vector<std::vector<Target>> run() {
    std::vector<std::vector<Target>> out;
    for (Compressor& compressor : configuration_.compressors) {
      compressor_ = &compressor;
      fuses_ =
          std::ranges::any_of(compressor.entries, [](const Entry& entry) { return has(entry.fields, "fuse_names"); });
      out.emplace_back();
      for (std::size_t at = 0; at < compressor.entries.size(); ++at) {
        if (compressor.entries[at].valid) {
          resolve_entry(compressor.entries[at], at, out.back());
        }
      }
      check_local_exclusions(compressor.entries, out.back(), context_);
    }
    return out;
  }

 private:
  struct Failures {
    std::map<std::string, std::size_t, std::less<>>
        unknown;  // unknown targets and the number of modules that lack them
    std::map<std::string, std::string, std::less<>> lacking;  // the type of the first such module
    std::size_t modules = 0;
    std::vector<std::string> dropped;
    std::size_t kept = 0;
  };

  void resolve_entry(Entry& entry, std::size_t index, std::vector<Target>& out) {
    Failures failures;
    const std::size_t first = out.size();
    if (seen_ > limits::kMaxSelected) {
      entry.valid = false;
      return;
    }
    std::vector<Selected> selected = select(entry, compressor_->entries, context_, cost_of_patterns_);
    const bool without_types = report_without_types(entry, selected);
    for (Selected& module : selected) {
      if (fuses_) entry.selected.insert(module.name);
      const Settings settings = settings_of(entry, module);
      if (settings.empty()) {
        if (!without_types) report_unregistered(entry, module);
        continue;
      }
      ++failures.modules;
      if (++seen_ > limits::kMaxSelected) {
        sink_.report(diag::limits_exceeded, entry.span,
                     fmt::format("the entries select more than {} modules in total", limits::kMaxSelected));
        entry.valid = false;
        return;
      }
      for (const std::string& name : names_of(entry, settings)) {
        add(index, module, name, settings, failures, out);
      }
    }
    report_unknown(entry, failures);
    report_overlap(entry, failures);
    for (std::size_t at = first; at < out.size(); ++at) owners_.emplace(out[at].module.name, entry.span);
    if (!context_.model.known() && failures.dropped.empty() && sink_.wants(diag::overlapping_selectors)) {
      report_covered(entry);
      earlier_.push_back(
          {compressor_->script_list, compressor_->mode, entry.span, Reach::of(entry), setting_of(*entry.written)});
    }
  }

  // --- settings ------------------------------------------------------------------------------------

  Settings settings_of(const Entry& entry, const Selected& module) const {
    Settings settings = templates_of(module);
    for (TargetSettings& values : settings) {
      for (const source::Entry& value : *values.defaults) {
        if (const Value* given = find_value(entry.fields, name_of(value)))
          values.given.emplace_back(value.first, *given);
      }
    }
    const Value* own = find_value(entry.fields, "target_settings");
    const auto* targets = own == nullptr || settings.empty() ? nullptr : own->get<Map>();
    for (const source::Entry& target : targets == nullptr ? Map() : *targets) {
      TargetSettings* values = find_target(settings, name_of(target));
      if (values == nullptr) {
        values = &settings.emplace_back(TargetSettings{name_of(target), nullptr, {}});
      }
      for (const source::Entry& value : *target.second.get<Map>()) {
        put(values->given, name_of(value), value.second);
      }
    }
    return settings;
  }

  // A module of unknown type may be of any type, so all targets are allowed.
  Settings templates_of(const Selected& module) const {
    static const Map kNoDefaults;
    Settings settings;
    if (const auto own = configuration_.registered.find(module.type); own != configuration_.registered.end()) {
      for (const source::Entry& target : own->second) {
        const auto* defaults = target.second.get<Map>();
        settings.push_back({name_of(target), defaults != nullptr ? defaults : &kNoDefaults, {}});
      }
      return settings;
    }
    const bool unknown = !module.of_model && module.type.empty();
    for (const std::string_view target : default_targets(compressor_->mode, unknown ? "Linear" : module.type)) {
      settings.push_back({std::string(target), &default_settings(compressor_->mode, target), {}});
    }
    return settings;
  }

  // `_input_` and `_output_` mean the first input and output, and come last.
  static std::vector<std::string> names_of(const Entry& entry, const Settings& settings) {
    std::vector<std::string> names;
    for (const auto& name : texts_of(entry.fields, "target_names")) {
      names.push_back(name.value);
    }
    if (names.empty()) {
      std::ranges::transform(settings, std::back_inserter(names), &TargetSettings::target);
    }
    for (const std::string_view plain : {"_input_", "_output_"}) {
      if (std::erase(names, plain) > 0) names.push_back(std::string(plain) + "0");
    }
    return names;
  }

  // --- targets ---------------------------------------------------------------------------------------

  void add(std::size_t index, const Selected& module, const std::string& name, const Settings& settings,
           Failures& failures, std::vector<Target>& out) {
    const TargetSettings* values = values_of(name, settings);
    if (values == nullptr || !can_be(name, module)) {
      ++failures.unknown[name];
      failures.lacking.try_emplace(name, module.type);
      return;
    }
    const bool certain = module.of_model || !module.name.empty();
    if (certain && !matched_.insert({compressor_->script_list, compressor_->mode, module.name, name}).second) {
      failures.dropped.push_back(module.name);
      return;
    }
    ++failures.kept;
    out.push_back({index, module, name, values->given, values->defaults});
  }

  // Looks up the settings of `_input_` or `_output_`, even if there are settings of the numbered target.
  static const TargetSettings* values_of(const std::string& name, const Settings& settings) {
    for (const std::string_view plain : {"_input_", "_output_"}) {
      if (name.starts_with(plain)) {
        const TargetSettings* fallback = find_target(settings, plain);
        const TargetSettings* own = find_target(settings, name);
        return fallback == nullptr || own == nullptr ? fallback : own;
      }
    }
    return find_target(settings, name);
  }

  // A parameter must exist, and a distillation target must be an output.
  bool can_be(const std::string& name, const Selected& module) const {
    if (name.starts_with("_output_")) {
      return true;
    }
    const bool distils = compressor_->mode == Mode::distillation;
    return name.starts_with("_input_") ? !distils : !distils && !lacks_tensor(module.type, name);
  }

  // --- reports ---------------------------------------------------------------------------------------

  // Reports names that select layers together with modules of other types, such as the blocks that contain them. The
  // layers are meant. Returns true if the entry is reported.
  bool report_without_types(Entry& entry, const std::vector<Selected>& selected) {
    if (has(entry.fields, "op_types")) return false;
    const Selected* other = nullptr;
    std::set<std::string> layers;
    for (const Selected& module : selected) {
      const bool registered = !settings_of(entry, module).empty();
      if (registered && base::contains(weighted_types(), module.type))
        layers.insert(fmt::format("\"{}\"", module.type));
      if (!registered && module.of_model && other == nullptr) other = &module;
    }
    if (other == nullptr || layers.empty()) return false;
    entry.valid = false;
    sink_
        .report(diag::type_not_registered, place_of_selector(entry), std::string(other->type),
                to_string(compressor_->mode))
        .with_caret(fmt::format("also selects `{}`", other->shown()))
        .with_help(fmt::format("add `\"op_types\": [{}]` to this entry", fmt::join(layers, ", ")));
    return true;
  }

  void report_unregistered(Entry& entry, const Selected& module) {
    const std::string type = module.type;
    auto& report = sink_.report(diag::type_not_registered,
                                types_.place(entry, "op_types", module.type).value_or(place_of_selector(entry)), type,
                                to_string(compressor_->mode));
    if (module.of_model) {
      report.with_help(module.name.empty() ? "exclude the root module, which this entry selects"
                                           : fmt::format("exclude `{}`, which this entry selects, or register its type",
                                                         module.shown()));
      advise_without_type(report, entry, type);
      entry.valid = false;
    } else {
      report.with_severity(diag::Severity::warning);
      suggest_type(report, module.type);
    }
  }

  // No module of a type is registered, so a list of types is better without it.
  static void advise_without_type(diag::Diagnostic& report, const Entry& entry, const std::string& type) {
    List others;
    const auto types = texts_of(entry.fields, "op_types");
    for (const auto& each : types) {
      if (each.value != type) others.push_back({each.value, {}});
    }
    if (others.empty() || others.size() == types.size()) return;
    report
        .with_help(fmt::format("write `op_types: {}`, or register `{}` in the script",
                               flow_text({std::move(others), {}}), type))
        .with_fix(diag::Fix::unsafe().remove(report.span));
  }

  void suggest_type(diag::Diagnostic& report, std::string_view type) const {
    const auto meant = registered_type_meant_by(type, compressor_->mode);
    if (type == "default") {
      report.with_help("list the types: `default` means all layers with weights only up to NNI 2.x");
    } else if (!meant) {
      report.with_help("delete the type: NNI fails if the model has such a module, else it selects nothing");
    } else {
      const bool prefix = type.ends_with(std::string(".").append(*meant));
      report
          .with_help(prefix ? fmt::format("write `{}`: NNI uses the class name without its module", *meant)
                            : base::did_you_mean(meant))
          .with_fix(diag::Fix::unsafe().content(report.span, std::string(*meant)));
    }
  }

  // The places of the strings of one list, which are looked up one after the other.
  class PlacesOfTexts {
   public:
    // Returns the place of the first item of this text in a list of an entry.
    std::optional<source::Span> place(const Entry& entry, std::string_view key, std::string_view text) {
      if (entry_ != &entry) {
        entry_ = &entry;
        places_.clear();
        for (const auto& given : texts_of(entry.fields, key)) places_.emplace(given.value, given.span);
      }
      const auto found = places_.find(text);
      return found == places_.end() ? std::nullopt : std::optional(found->second);
    }

   private:
    const Entry* entry_ = nullptr;
    std::map<std::string, source::Span, std::less<>> places_;
  };

  static source::Span place_of_selector(const Entry& entry) {
    for (const std::string_view key : {"op_names_re", "op_names"}) {
      if (const Value* value = find_value(entry.fields, key)) return entry.place(value);
    }
    return entry.span;
  }

  // Without a model, reports targets that all selectable modules lack; with a model, targets that any module lacks.
  void report_unknown(Entry& entry, const Failures& failures) {
    for (const auto& [name, count] : failures.unknown) {
      // Without a model, it may have no module of the type that lacks a target.
      const bool possible = !context_.model.known() && count < failures.modules;
      const bool asked = failures.lacking.contains(name) && !texts_of(entry.fields, "target_names").empty();
      if (possible && !asked) continue;
      const std::string what = compressor_->mode == Mode::distillation
                                   ? "distillation, which supports only outputs"
                                   : fmt::format("{} here", to_string(compressor_->mode));
      const std::string& type = failures.lacking.find(name)->second;
      const bool some = count < failures.modules && !type.empty();
      auto& report = sink_.report(diag::unknown_target, place_of_target(entry, name), name,
                                  some ? fmt::format("`{}`, which this entry also selects", type) : what);
      if (possible) report.with_severity(diag::Severity::warning);
      if (some) {
        advise_on_type(report, entry, type, name);
      } else if (const auto meant = target_meant_by(name)) {
        const auto place = targets_.place(entry, "target_names", name);
        report.with_help(fmt::format("write `{}`", *meant))
            .with_fix(place && !place->empty() ? diag::Fix::unsafe().content(*place, std::string(*meant))
                                               : diag::Fix());
      }
      if (!possible) entry.valid = false;
    }
  }

  // Returns the target that a name with other underscores means: `weight` for `_weight_`, `_output_` for `output`.
  static std::optional<std::string_view> target_meant_by(std::string_view name) {
    static constexpr std::string_view kTargets[] = {"weight", "bias", "_input_", "_output_"};
    const auto bare = [](std::string_view text) {
      while (text.starts_with('_')) text.remove_prefix(1);
      while (!text.empty() && (text.back() == '_' || text.back() == 's')) text.remove_suffix(1);
      return text;
    };
    const auto* found =
        std::ranges::find_if(kTargets, [&](std::string_view each) { return each != name && bare(each) == bare(name); });
    return found == std::end(kTargets) ? std::nullopt : std::optional(*found);
  }

  // Advises to move a type that lacks a target to a new entry.
  static void advise_on_type(diag::Diagnostic& report, const Entry& entry, const std::string& type,
                             const std::string& lacked) {
    List others;
    for (const auto& target : texts_of(entry.fields, "target_names")) {
      if (target.value != lacked) others.push_back({target.value, {}});
    }
    if (others.empty() || !has(*entry.written, "op_types")) {
      report.with_help(fmt::format("remove `{}` from the selection: it has no `{}`", type, lacked));
      return;
    }
    Map own = *entry.written;
    put(own, "op_types", {List{{type, {}}}, {}});
    put(own, "target_names", {std::move(others), {}});
    report.with_help(fmt::format("move `{}` to an entry of its own, `{}`: it has no `{}`", type,
                                 flow_text({std::move(own), {}}), lacked));
  }

  source::Span place_of_target(const Entry& entry, std::string_view name) {
    auto given = targets_.place(entry, "target_names", name);
    if (!given && name.ends_with('0')) given = targets_.place(entry, "target_names", name.substr(0, name.size() - 1));
    if (given) return given->empty() ? entry.span : *given;
    const Value* settings = find_value(entry.fields, "target_settings");
    const auto* map = settings == nullptr ? nullptr : settings->get<Map>();
    const source::Entry* target = map == nullptr ? nullptr : find_entry(*map, name);
    return target == nullptr || target->first.span.empty() ? entry.span : target->first.span;
  }

  // Returns the setting that an entry is written for, such as "`sparse_ratio` 0.9"; empty if it has none.
  static std::string setting_of(const Map& fields) {
    for (const std::string_view key :
         {"sparse_ratio", "sparse_threshold", "sparsity", "total_sparsity", "quant_dtype", "quant_bits"}) {
      if (const Value* value = find_value(fields, key)) return fmt::format("`{}` {}", key, source::python_str(*value));
    }
    return {};
  }

  // Says that the setting of an entry is not used.
  static std::string unused_setting(const Entry& entry) {
    const std::string setting = setting_of(*entry.written);
    return setting.empty() ? std::string() : fmt::format("{} is not used", setting);
  }

  // In NNI 3.0, general entries follow specific ones, so an overlap is a warning only if the whole entry is ignored.
  void report_overlap(const Entry& entry, const Failures& failures) {
    if (failures.dropped.empty()) {
      return;
    }
    const std::set<std::string> modules(failures.dropped.begin(), failures.dropped.end());
    const std::string first = fmt::format("`{}`", *modules.begin());
    const std::string who =
        modules.size() == 1 ? first + " is" : fmt::format("{} and {} more are", first, modules.size() - 1);
    if (repeats_target(entry)) {
      return;
    }
    auto& report =
        sink_.report(diag::overlapping_selectors, entry.span, who + " configured by an earlier entry",
                     failures.kept == 0 ? "this entry has no effect" : "this entry does not apply to shared targets");
    report.with_severity(failures.kept == 0 ? diag::Severity::warning : diag::Severity::info)
        .with_caret(unused_setting(entry) +
                    (failures.kept == 0 ? "" : fmt::format(" for {} of {} modules", modules.size(), failures.modules)))
        .with_help("move specific entries before general ones: in NNI 3.0, the first matching entry applies");
    point_at_earlier(report, entry, failures);
  }

  // Returns the advice to move an entry before an earlier one.
  [[nodiscard]] std::string move_before(source::Span earlier) const {
    return fmt::format("move this entry before the one in line {}: in NNI 3.0, the first matching entry applies",
                       context_.file.position(earlier.begin).line);
  }

  // Marks the entry that configures the modules, and offers to move this entry before it.
  void point_at_earlier(diag::Diagnostic& report, const Entry& entry, const Failures& failures) const {
    if (failures.kept > 0 || failures.dropped.empty()) return;
    const auto owner = owners_.find(failures.dropped.front());
    if (owner == owners_.end() || owner->second == entry.span) return;
    report.with_label(owner->second, "configures them")
        .with_help(move_before(owner->second))
        .with_fix(diag::Fix::unsafe().swap(owner->second, entry.span));
  }

  // An entry without overlaps so far.
  struct Earlier {
    std::size_t list;
    Mode mode;
    source::Span span;
    Reach reach;
    std::string setting;
  };

  // Without a model: reports entries whose modules and targets are all selected by earlier entries.
  void report_covered(const Entry& entry) {
    if (earlier_.size() == limits::kMaxCompared) {
      sink_
          .report(diag::limits_exceeded, entry.span,
                  fmt::format("only the first {} entries are compared with each other", limits::kMaxCompared))
          .with_severity(diag::Severity::info);
    }
    if (earlier_.size() >= limits::kMaxCompared || has(*entry.written, "exclude")) {
      return;
    }
    const Reach reach = Reach::of(entry);
    std::vector<const Earlier*> entries;
    for (const Earlier& one : earlier_) {
      if (one.list == compressor_->script_list && one.mode == compressor_->mode) entries.push_back(&one);
    }
    const auto contains = [&](const Earlier* one) { return Reach::cover({&one->reach}, reach, budget_); };
    const auto covering = std::ranges::find_if(entries, contains);
    const bool covered = entry.valid && (covering != entries.end() || cover_together(entries, reach));
    if (!covered) {
      report_likely(entry, entries, reach);
    } else {
      const bool one = covering != entries.end();
      const Earlier& earlier = one ? **covering : *entries.front();
      auto& report = sink_.report(diag::overlapping_selectors, entry.span,
                                  one ? "an earlier entry selects all modules of this entry"
                                      : "earlier entries together select all modules of this entry",
                                  "this entry has no effect");
      report.with_caret(unused_setting(entry))
          .with_label(earlier.span, !one                      ? "the first of these entries"
                                    : earlier.setting.empty() ? "the earlier entry"
                                                              : fmt::format("its modules get {}", earlier.setting))
          .with_help(move_before(earlier.span));
      if (one) report.with_fix(diag::Fix::unsafe().swap(earlier.span, entry.span));
    }
  }

  // Reports named modules that an earlier entry selects if they have the type that such names usually have.
  void report_likely(const Entry& entry, const std::vector<const Earlier*>& entries, const Reach& reach) {
    for (const Earlier* earlier : entry.valid ? entries : std::vector<const Earlier*>()) {
      const std::vector<std::string> types = Reach::likely_cover(earlier->reach, reach, budget_);
      if (types.empty()) continue;
      auto& report = sink_.report(
          diag::overlapping_selectors, entry.span,
          fmt::format("an earlier entry selects these modules if their type is {}", fmt::join(types, " or ")),
          "this entry then has no effect");
      report.with_caret(unused_setting(entry))
          .with_label(earlier->span, earlier->setting.empty() ? std::string("the earlier entry")
                                                              : fmt::format("its modules get {}", earlier->setting))
          .with_help(move_before(earlier->span));
      return;
    }
  }

  bool cover_together(const std::vector<const Earlier*>& entries, const Reach& reach) {
    std::vector<const Reach*> reaches;
    std::ranges::transform(entries, std::back_inserter(reaches), [](const Earlier* one) { return &one->reach; });
    return reaches.size() > 1 && Reach::cover(reaches, reach, budget_);
  }

  // A target that is repeated in one entry has no effect on others.
  static bool repeats_target(const Entry& entry) {
    const auto names = texts_of(entry.fields, "target_names");
    std::set<std::string_view> seen;
    return std::ranges::any_of(names, [&](const auto& name) { return !seen.insert(name.value).second; });
  }

  Configuration& configuration_;
  const Context& context_;
  std::size_t cost_of_patterns_ = 0;  // of the entries so far
  diag::Sink& sink_;
  Compressor* compressor_ = nullptr;
  PlacesOfTexts types_;
  PlacesOfTexts targets_;
  bool fuses_ = false;                          // true if an entry fuses modules, which other entries must not select
  std::map<std::string, source::Span> owners_;  // the first entry that configures a module
  std::size_t seen_ = 0;                        // number of selections, counting a module once per entry
  std::set<std::tuple<std::size_t, Mode, std::string, std::string>> matched_;
  std::vector<Earlier> earlier_;
  base::Budget budget_ = regex::comparison_budget();
};

std::vector<std::vector<Target>> resolve(Configuration& configuration, const Context& context) {
  return Resolver(configuration, context).run();
}

}  // namespace sparsecfg::dialect::nni
