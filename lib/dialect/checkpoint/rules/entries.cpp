#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/checkpoint/check.h"
#include "dialect/checkpoint/codes.h"
#include "dialect/quantizers/selection.h"
#include "model/selectors/assign.h"
#include "model/selectors/meant.h"

// Checks of the entries of lists.
namespace sparsecfg::dialect::checkpoint {

DIAGNOSTIC(QC201, entry_matches_nothing, silent_warning, (Text, Text), "`{0}` matches no module in {1}",
           "Programs silently ignore an entry that matches no module. The modules that it should name are then "
           "quantized, or their stored tensors are not found.",
           "correct the entry, or delete it")

DIAGNOSTIC(
    QC202, entry_matches_more, warning, (Text, Text, Text), "`{0}` also matches `{1}` in {2}",
    "transformers matches an entry at the start of a name, without a boundary at its end, or as the end of a "
    "name. vLLM and SGLang compare the entries of AWQ as substrings. So `layers.1` also matches layers 10 to 19.",
    "end the entry with a dot")

DIAGNOSTIC(QC203, one_expert_listed, silent_warning, (Text, Text),
           "`{0}` leaves all experts of its layer unquantized in {1}",
           "The experts of a block are one layer. If an entry contains the name of that layer, none of its experts is "
           "quantized.",
           "list all experts of the layer, or none")

DIAGNOSTIC(QC204, entry_not_mapped, silent_warning, (Text, Text), "{1} does not map `{0}` to its own names",
           "vLLM replaces prefixes of the names in lists. The prefixes end with a dot, so an entry that names the top "
           "module itself stays unchanged and matches nothing.",
           "list the layers in the module")

// --- dead entries -----------------------------------------------------------------------------------

namespace {

// An entry of the file, and the programs that examined it.
struct EntryUse {
  const Entry* entry = nullptr;
  std::vector<const Reading*> matched;
  std::vector<const Reading*> unmatched;
  std::vector<const EntryList*> lists;  // of the programs that match nothing
};

}  // namespace

static std::vector<EntryUse> uses_of(const Context& context) {
  std::map<std::uint32_t, EntryUse> by_place;
  for (const Reading& reading : context.readings) {
    for (std::size_t list = 0; list < reading.matched.size() && !reading.refusal && reading.complete; ++list) {
      const EntryList& each = reading.lists[list];
      for (std::size_t at = 0; each.entries && !each.from_tensors && at < each.entries->size(); ++at) {
        const Entry& entry = (*each.entries)[at];
        EntryUse& use = by_place[entry.span.begin];
        use.entry = &entry;
        (reading.matched[list][at] ? use.matched : use.unmatched).push_back(&reading);
        if (!reading.matched[list][at]) use.lists.push_back(&each);
      }
    }
  }
  std::vector<EntryUse> out;
  for (auto& [place, use] : by_place) out.push_back(std::move(use));
  return out;
}

// Returns true if an entry names the replacement of a prefix without its dot.
static bool is_top_module(const Reading& reading, const Entry& entry) {
  return std::ranges::any_of(reading.units->prefixes,
                             [&](const auto& prefix) { return entry.text + "." == prefix.first; });
}

namespace {

// The names of all modules in order. An entry for a module that no program examines, such as a norm, is harmless.
class AllNames {
 public:
  explicit AllNames(const std::vector<model::Module>& modules) {
    for (const model::Module& module : modules) {
      if (!module.name.empty()) names_.push_back(module.name);
    }
    std::ranges::sort(names_);
  }

  // Returns true if an entry is the name of a module, or of a block of modules.
  [[nodiscard]] bool has(const Entry& entry) const {
    if (entry.text.ends_with(".weight")) return false;
    if (std::ranges::binary_search(names_, std::string_view(entry.text))) return true;
    const std::string below = entry.text + ".";
    const auto found = std::ranges::lower_bound(names_, std::string_view(below));
    return found != names_.end() && found->starts_with(below);
  }

 private:
  std::vector<std::string_view> names_;
};

}  // namespace

// Returns true if a program examines a unit.
static bool is_reached(const Reading& reading, std::size_t unit) {
  return unit >= reading.decisions.size() || reading.decisions[unit].why != selectors::Decision::Why::not_reached;
}

// Returns true if a program examines layers in the block that an entry names.
static bool has_layers_in(const Context& context, const Reading& reading, const Entry& entry) {
  const std::string block = entry.text + ".";
  const auto is_inside = [&](std::uint32_t member) { return (*context.input.modules)[member].name.starts_with(block); };
  for (std::size_t unit = 0; unit < reading.units->members.size(); ++unit) {
    if (is_reached(reading, unit) && std::ranges::any_of(reading.units->members[unit], is_inside)) return true;
  }
  return false;
}

// Returns true if an entry is the full name of a layer that a program quantizes nevertheless.
static bool is_quantized_layer(const Context& context, const Reading& reading, const Entry& entry) {
  for (std::size_t unit = 0; unit < reading.decisions.size(); ++unit) {
    const auto& members = reading.units->members[unit];
    const bool own = members.size() == 1 && (*context.input.modules)[members.front()].name == entry.text;
    if (own && reading.quantizes(unit)) return true;
  }
  return false;
}

std::optional<source::Span> list_with(const Context& context, source::Span entry) {
  for (const source::Entry& field : *context.input.config.get<source::Map>()) {
    const source::Span span = field.second.span;
    const bool inside = span.begin <= entry.begin && entry.end <= span.end;
    if (inside && field.second.get<source::List>() != nullptr) return span;
  }
  return std::nullopt;
}

namespace {

// The programs that a run for one program does not examine. They may read the same list, so an entry that they match
// must stay.
class OtherPrograms {
 public:
  explicit OtherPrograms(const Context& context) : context_(context) {}

  // Returns the reading of the first of these programs that matches an entry; null if there is none.
  [[nodiscard]] const Reading* matching(const Entry& entry) {
    if (!readings_) read();
    const auto found = std::ranges::find_if(*readings_, [&](const Reading& each) { return matches(each, entry); });
    return found == readings_->end() ? nullptr : &*found;
  }

 private:
  void read() {
    readings_.emplace();
    SharedUnits units(context_.input.modules, context_.input.architecture);
    for (const Program program : {Program::transformers, Program::vllm, Program::sglang}) {
      const bool examined = std::ranges::find(context_.readings, program, &Reading::program) != context_.readings.end();
      if (!examined) readings_->push_back(read_as(program, context_.input, units));
    }
  }

  static bool matches(const Reading& reading, const Entry& entry) {
    for (std::size_t list = 0; list < reading.matched.size() && !reading.refusal; ++list) {
      const auto& entries = reading.lists[list].entries;
      for (std::size_t at = 0; entries && at < entries->size(); ++at) {
        if ((*entries)[at].span == entry.span && reading.matched[list][at]) return true;
      }
    }
    return false;
  }

  const Context& context_;
  std::optional<std::vector<Reading>> readings_;
};

// Returns the modules that a program leaves unquantized for an entry.
std::set<std::uint32_t> modules_of(const Reading& reading, const Entry& entry) {
  std::set<std::uint32_t> out;
  for (std::size_t unit = 0; unit < reading.decisions.size(); ++unit) {
    const UnitDecision& decision = reading.decisions[unit];
    const auto is_entry = [&](std::uint32_t at) { return reading.all_entries[at]->span == entry.span; };
    const bool matched = (decision.by && is_entry(*decision.by)) || std::ranges::any_of(decision.overridden, is_entry);
    if (matched) out.insert(reading.units->members[unit].begin(), reading.units->members[unit].end());
  }
  return out;
}

// Returns true if a program leaves the same modules unquantized for other entries, so that this entry does no harm.
bool has_other_entries(const Reading& reading, const std::set<std::uint32_t>& modules) {
  for (std::size_t unit = 0; unit < reading.decisions.size(); ++unit) {
    const auto is_meant = [&](std::uint32_t member) { return modules.contains(member); };
    if (reading.quantizes(unit) && std::ranges::any_of(reading.units->members[unit], is_meant)) return false;
  }
  return !modules.empty();
}

// An entry without a match in some programs, and the program that needs it as it is.
struct DeadEntry {
  const EntryUse& use;
  std::vector<const Reading*> programs;
  std::optional<Program> needed_by;

  // Returns the instruction to write names: those of another program are added.
  [[nodiscard]] std::string write(const std::string& names) const {
    return needed_by ? fmt::format("add {}, and keep `{}` for {}", names, base::printable(use.entry->text),
                                   title_of(*needed_by))
                     : fmt::format("write {}", names);
  }
};

}  // namespace

// Offers entries in place of a dead one, or beside one that another program needs.
static void offer_entries(const Context& context, const DeadEntry& dead, std::span<const std::string> names,
                          diag::Diagnostic& report) {
  const auto list = list_with(context, dead.use.entry->span);
  if (!list && (names.size() > 1 || dead.needed_by)) return;
  diag::Fix fix = diag::Fix::unsafe();
  if (!dead.needed_by) fix.content(dead.use.entry->span, names.front());
  for (const std::string& name : names.subspan(dead.needed_by ? 0 : 1)) fix.append(*list, name);
  report.with_fix(std::move(fix));
}

// Offers the names of modules for an entry.
static void suggest_names(const Context& context, const DeadEntry& dead, const std::vector<std::string>& names,
                          diag::Diagnostic& report) {
  constexpr std::size_t kMaxShown = 7;  // the layers of a block
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back("`" + base::printable(name) + "`");
  const std::string all = names.size() > kMaxShown
                              ? fmt::format("{} and {} more", shown.front(), base::counted(names.size() - 1, "name"))
                              : base::join_and(shown);
  report.with_help(dead.write(all) + ": this list contains full names");
  offer_entries(context, dead, names, report);
}

// Returns the modules of the model that have a matrix, if shapes are known. Programs accept their names in lists even
// if they never quantize them.
static std::vector<selectors::Module> modules_with_weights(const std::vector<model::Module>& modules) {
  const bool known = std::ranges::any_of(modules, [](const model::Module& module) { return module.shape.has_value(); });
  std::vector<selectors::Module> out;
  for (const model::Module& module : modules) {
    if (!known || (module.shape && module.shape->size() == 2)) out.push_back({module.name, module.type});
  }
  return out;
}

// Returns the list in which a program does not match an entry.
static const EntryList* unmatched_list(const EntryUse& use, const Reading& program) {
  const auto at = std::ranges::find(use.unmatched, &program) - use.unmatched.begin();
  return use.lists[static_cast<std::size_t>(at)];
}

// Returns the tag of the layer that an entry names in full: `mlp.down_proj`. Empty if there is none, or if the program
// does not compare tags.
static std::string tag_of(const Reading& program, const EntryUse& use) {
  if (!unmatched_list(use, program)->reader.compares_with.contains(selectors::Space::tag)) return {};
  const auto module = std::ranges::find(program.units->modules, use.entry->text, &selectors::Module::name);
  if (module == program.units->modules.end()) return {};
  const auto tag = std::ranges::find(module->others, selectors::Space::tag, &selectors::OtherName::space);
  return tag == module->others.end() ? std::string() : std::string(tag->name);
}

// Returns the names of the layers in the modules that an entry of a list of layers names, as the list writes them:
// `mlp.up_proj` for `mlp`.
static std::vector<std::string> layers_in(const Context& context, const Reading& program, const Entry& entry) {
  std::vector<std::string> out;
  for (const auto& members : program.units->members) {
    for (const std::uint32_t member : members) {
      const auto& [name, type, shape] = (*context.input.modules)[member];
      const std::size_t at = shape ? name.rfind("." + entry.text + ".") : std::string::npos;
      const std::string end = at == std::string::npos ? std::string() : name.substr(at + 1);
      if (!end.empty() && std::ranges::find(out, end) == out.end()) out.push_back(end);
    }
  }
  return out;
}

// Suggests an entry that all of the programs match, or else the names of the layers.
static void suggest(const Context& context, const DeadEntry& dead, diag::Diagnostic& report, base::Budget& budget) {
  const EntryUse& use = dead.use;
  if (const std::string tag = tag_of(*dead.programs.front(), use); !tag.empty()) {
    report
        .with_help(
            fmt::format("write `{}`: names in this list have no numbers, so it keeps this layer of all blocks", tag))
        .with_fix(diag::Fix::unsafe().content(use.entry->span, tag));
    return;
  }
  const selectors::Reader& reader = unmatched_list(use, *dead.programs.front())->reader;
  const auto layers = reader.polarity == selectors::Polarity::keep
                          ? layers_in(context, *dead.programs.front(), *use.entry)
                          : std::vector<std::string>();
  if (!layers.empty() && layers.size() < 8) {
    report.with_help(fmt::format("write `{}`: an entry is the end of the name of a layer", fmt::join(layers, "`, `")));
    return;
  }
  std::optional<selectors::Meant> meant;
  for (const Reading* program : dead.programs) {
    const auto mine = selectors::meant_by(unmatched_list(use, *program)->reader, *use.entry, program->units->modules,
                                          program->units->prefixes, budget);
    if (!mine || (meant && meant->text != mine->text)) {
      meant.reset();
      break;
    }
    meant = mine;
  }
  if (meant) {
    report.with_help(
        dead.write(fmt::format("`{}`, which matches `{}`{}", meant->text, meant->name,
                               meant->matches > 1 ? fmt::format(" and {} more", meant->matches - 1) : std::string())));
    offer_entries(context, dead, std::span(&meant->text, 1), report);
    return;
  }
  base::Budget own = selectors::suggestion_budget();
  const auto names = selectors::names_meant_by(unmatched_list(use, *dead.programs.back())->reader, *use.entry,
                                               modules_with_weights(*context.input.modules), own);
  if (!names.empty()) suggest_names(context, dead, names, report);
}

// Names of layers that a program joins, with the name of the joined layer: `q_proj` and `qkv_proj`.
using JoinedNames = std::map<std::string, std::string, std::less<>>;

static JoinedNames joined_names(const Context& context, const Reading& reading) {
  JoinedNames out;
  const Units& units = *reading.units;
  for (std::size_t at = 0; at < units.modules.size(); ++at) {
    if (units.members[at].size() < 2) continue;
    const std::string& joined = units.modules[at].name;
    for (const std::uint32_t member : units.members[at]) {
      const std::string& part = (*context.input.modules)[member].name;
      const std::string_view name = base::last_part(part);
      const bool same_parent = part.size() - name.size() == joined.size() - base::last_part(joined).size();
      if (same_parent && name != base::last_part(joined)) out.emplace(name, base::last_part(joined));
    }
  }
  return out;
}

// Returns an entry with the name of the joined layer in place of that of a part.
static std::optional<Entry> of_joined_layer(const Entry& entry, const JoinedNames& joined) {
  const auto found = joined.find(base::last_part(entry.text));
  if (found == joined.end()) return std::nullopt;
  const auto replace = [&](std::string& text) {
    if (text.ends_with(found->first)) text.replace(text.size() - found->first.size(), std::string::npos, found->second);
  };
  Entry out = entry;
  replace(out.text);
  for (selectors::Term& term : out.terms) replace(term.text);
  return out;
}

// Entries for parts of layers that a program joins. Other programs need them, so the remedy keeps them.
class PartEntries {
 public:
  PartEntries(const Context& context, const std::vector<EntryUse>& uses) : context_(context) {
    for (const EntryUse& use : uses) texts_.insert(use.entry->text);
  }

  // Returns true if the program matches an entry that names the joined layer.
  bool add(const EntryUse& use, const Reading& program, base::Budget& budget) {
    if (!joined_) joined_ = joined_names(context_, program);
    const auto entry = of_joined_layer(*use.entry, *joined_);
    if (!entry) return false;
    const auto matched = selectors::matched_entries(unmatched_list(use, program)->reader, std::span(&*entry, 1),
                                                    program.units->modules, budget);
    if (matched.empty() || !matched.front()) return false;
    if (!texts_.contains(entry->text)) by_joined_[entry->text].push_back(use.entry);
    return true;
  }

  void report(std::string_view program) const {
    for (const auto& [joined, parts] : by_joined_) {
      const Entry& first = *parts.front();
      auto& report = context_.sink.report(diag::entry_matches_nothing, first.span, first.text, std::string(program));
      for (const Entry* part : std::span(parts).subspan(1)) report.with_label(part->span, "also a part of this layer");
      std::vector<std::string> added = missing_parts(joined);
      const bool whole = added.empty();
      added.insert(added.begin(), joined);
      std::vector<std::string> shown;
      for (const std::string& name : added) shown.push_back(fmt::format("`{}`", base::printable(name)));
      if (!whole && !context_.input.constructed) {
        report.with_help(
            fmt::format("quantize the model again with {} in this list, or without {}: {} joins these "
                        "layers, and the stored weights of the others are quantized",
                        base::join_and(shown), names_of(parts), program));
        continue;
      }
      report.with_help(fmt::format("add {}: {} joins these layers{}", base::join_and(shown), program,
                                   whole ? "" : ", and quantizes all of them or none"));
      const auto list = list_with(context_, first.span);
      if (!list) continue;
      diag::Fix fix = diag::Fix::unsafe();
      for (const std::string& name : added) fix.append(*list, name);
      report.with_fix(std::move(fix));
    }
  }

 private:
  static std::string names_of(const std::vector<const Entry*>& entries) {
    std::vector<std::string> out;
    for (const Entry* each : entries) out.push_back(fmt::format("`{}`", base::printable(each->text)));
    return base::join_and(out);
  }

  // Returns the entries for the parts of a joined layer that the list does not contain.
  [[nodiscard]] std::vector<std::string> missing_parts(const std::string& joined) const {
    const std::string_view last = base::last_part(joined);
    const std::string before = joined.substr(0, joined.size() - last.size());
    std::vector<std::string> out;
    for (const auto& [part, layer] : *joined_) {
      if (layer == last && !texts_.contains(before + part)) out.push_back(before + part);
    }
    return out;
  }

  const Context& context_;
  std::set<std::string, std::less<>> texts_;
  std::optional<JoinedNames> joined_;
  std::map<std::string, std::vector<const Entry*>> by_joined_;
};

// The modules of the models of programs by what a program does with them. They are sorted once for each program.
class ExaminedModules {
 public:
  explicit ExaminedModules(const Context& context) : context_(context) {}

  // Returns true if an entry is read as intended, although it matches no module that a program quantizes: it only
  // matches modules without layers that the program examines, such as attention where only experts are quantized, or
  // layers that it never quantizes, such as routers.
  bool are_missed_by(const EntryUse& use, const Reading& program, base::Budget& budget) {
    const selectors::Reader& reader = unmatched_list(use, program)->reader;
    const auto matches = [&](std::span<const selectors::Module> modules) {
      const auto matched = selectors::matched_entries(reader, std::span(use.entry, 1), modules, budget);
      return !matched.empty() && matched.front();
    };
    const Sorted& sorted = sorted_for(program);
    const std::string last = "." + use.entry->text;
    const bool is_name = std::ranges::any_of(
        sorted.others, [&](const selectors::Module& module) { return module.name.ends_with(last); });
    return (matches(program.units->modules) && !matches(sorted.around)) ||
           (matches(sorted.others) && (is_name || !matches(sorted.inside)));
  }

 private:
  struct Sorted {
    std::vector<selectors::Module> around;  // modules with layers that the program examines
    std::vector<selectors::Module> inside;  // of its units
    std::vector<selectors::Module> others;  // with a weight, but in no unit
  };

  const Sorted& sorted_for(const Reading& program) {
    const auto [known, added] = sorted_.try_emplace(&program);
    if (added) sort(program, known->second);
    return known->second;
  }

  void sort(const Reading& program, Sorted& out) const {
    const std::set<std::string_view> blocks = blocks_with_layers(program);
    std::ranges::copy_if(program.units->modules, std::back_inserter(out.around),
                         [&](const selectors::Module& module) { return blocks.contains(module.name); });
    std::set<std::uint32_t> members;
    for (const auto& unit : program.units->members) members.insert(unit.begin(), unit.end());
    std::vector<model::Module> inside;
    std::vector<model::Module> others;
    for (std::uint32_t at = 0; at < context_.input.modules->size(); ++at) {
      const model::Module& module = (*context_.input.modules)[at];
      if (members.contains(at) || module.shape) (members.contains(at) ? inside : others).push_back(module);
    }
    out.inside = quantizers::plain_modules(inside);
    out.others = quantizers::plain_modules(others);
  }

  // Returns the names of all modules around the layers that a program examines.
  [[nodiscard]] std::set<std::string_view> blocks_with_layers(const Reading& program) const {
    std::set<std::string_view> out;
    for (std::size_t unit = 0; unit < program.units->members.size(); ++unit) {
      if (!is_reached(program, unit)) continue;
      for (const std::uint32_t member : program.units->members[unit]) {
        const std::string_view name = (*context_.input.modules)[member].name;
        for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
          out.insert(name.substr(0, dot));
        }
      }
    }
    return out;
  }

  const Context& context_;
  std::map<const Reading*, Sorted> sorted_;
};

static void check_dead(const Context& context, const std::vector<EntryUse>& uses, std::set<std::uint32_t>& reported) {
  constexpr std::size_t kMost = 20;  // suggestions are slow
  base::Budget budget = selectors::suggestion_budget();
  std::optional<AllNames> names;
  std::size_t count = 0;
  PartEntries parts(context, uses);
  OtherPrograms others(context);
  ExaminedModules examined(context);
  for (const EntryUse& use : uses) {
    const auto printed = std::ranges::find(use.unmatched, &context.printed());
    if (use.entry->text.empty() || (printed == use.unmatched.end() && !use.matched.empty())) continue;
    if (!names) names.emplace(*context.input.modules);
    const std::vector<const Reading*> programs = use.matched.empty() ? use.unmatched : std::vector{&context.printed()};
    if (programs.empty()) continue;
    const bool is_mapped = !is_top_module(*programs.front(), *use.entry);  // else check_mapped() reports it
    const bool keeps_layers =
        (context.selected && is_mapped && has_layers_in(context, *programs.front(), *use.entry)) ||
        is_quantized_layer(context, *programs.front(), *use.entry);
    if (programs.size() == 1 && parts.add(use, *programs.front(), budget)) {
      reported.insert(use.entry->span.begin);
      continue;
    }
    if (names->has(*use.entry) && !keeps_layers) continue;
    if (examined.are_missed_by(use, *programs.front(), budget)) continue;
    const Reading* other = use.matched.empty() ? others.matching(*use.entry) : use.matched.front();
    const bool excludes = unmatched_list(use, *programs.front())->reader.polarity != selectors::Polarity::keep;
    if (other != nullptr && excludes && has_other_entries(*programs.front(), modules_of(*other, *use.entry))) continue;
    auto& report =
        context.sink.report(diag::entry_matches_nothing, use.entry->span, use.entry->text, titles_of(programs));
    reported.insert(use.entry->span.begin);
    if (++count > kMost) continue;
    const auto needed_by = other == nullptr ? std::nullopt : std::optional(other->program);
    suggest(context, {use, programs, needed_by}, report, budget);
  }
  parts.report(title_of(context.printed().program));
}

// Returns true if a program quantizes a layer in the top module that an entry names. It never quantizes some of them,
// such as the output head.
static bool quantizes_in(const Context& context, const Reading& reading, const Entry& entry) {
  const std::string block = entry.text + ".";
  for (std::size_t unit = 0; unit < reading.decisions.size(); ++unit) {
    const auto is_inside = [&](std::uint32_t member) {
      return ((*context.input.modules)[member].name + ".").starts_with(block);
    };
    if (reading.quantizes(unit) && std::ranges::any_of(reading.units->members[unit], is_inside)) return true;
  }
  return false;
}

// Offers the entry with a dot, whose prefix the program replaces, or else the layers in the module.
static void suggest_mapped(const Context& context, const EntryUse& use, const Reading& reading,
                           diag::Diagnostic& report) {
  const DeadEntry dead{use, {&reading}, Program::transformers};
  const EntryList* list = unmatched_list(use, reading);
  Entry below = *use.entry;
  below.text += ".";
  const auto rejected = selectors::prepare(list->reader, below, reading.units->prefixes);
  base::Budget budget = selectors::suggestion_budget();
  const auto matched =
      rejected ? std::vector<bool>()
               : selectors::matched_entries(list->reader, std::span(&below, 1), reading.units->modules, budget);
  if (!matched.empty() && matched.front()) {
    report.with_help(dead.write(fmt::format("`{}`, whose prefix {} replaces", below.text, title_of(reading.program))));
    offer_entries(context, dead, std::span(&below.text, 1), report);
    return;
  }
  const auto names =
      selectors::names_meant_by(list->reader, *use.entry, modules_with_weights(*context.input.modules), budget);
  if (!names.empty()) suggest_names(context, dead, names, report);
}

static void check_mapped(const Context& context, const std::vector<EntryUse>& uses, std::set<std::uint32_t>& reported) {
  for (const EntryUse& use : uses) {
    for (const Reading* reading : use.unmatched) {
      const bool harmless = !is_top_module(*reading, *use.entry) || !quantizes_in(context, *reading, *use.entry);
      if (harmless) continue;
      reported.insert(use.entry->span.begin);
      auto& report = context.sink.report(diag::entry_not_mapped, use.entry->span, use.entry->text,
                                         std::string(title_of(reading->program)));
      suggest_mapped(context, use, *reading, report);
    }
  }
}

// --- entries that match too much --------------------------------------------------------------------

// Returns true if a name contains the text, and the next character continues a part between dots.
static bool continues(std::string_view name, std::string_view text) {
  const std::size_t at = name.find(text);
  if (at == name.npos || text.empty()) return false;
  const std::size_t end = at + text.size();
  const bool inside = end < name.size() && base::is_name_letter(name[end]) && base::is_digit(text.back());
  return inside && base::is_digit(name[end]);
}

// Returns the entry with a boundary at its end. In a pattern, an unescaped dot matches any character.
static std::string bounded(const Reading& reading, std::string_view text) {
  if (reading.program != Program::transformers) return std::string(text) + ".";
  std::string out;
  for (const char c : text) out += c == '.' ? std::string("\\.") : std::string(1, c);
  return out + "\\.";
}

// Returns the entries that match a unit, by index.
static std::vector<std::uint32_t> matching_entries(const UnitDecision& decision) {
  std::vector<std::uint32_t> out = decision.overridden;
  if (decision.by) out.push_back(*decision.by);
  return out;
}

// Reports entries such as `layers.1` that also match another number.
static void check_boundaries(const Context& context, const Reading& reading, std::set<std::uint32_t>& seen) {
  if (std::ranges::any_of(reading.lists, &EntryList::from_tensors)) return;
  for (std::size_t unit = 0; unit < reading.decisions.size(); ++unit) {
    const std::string& name = reading.units->modules[unit].name;
    for (const std::uint32_t at : matching_entries(reading.decisions[unit])) {
      const Entry& entry = *reading.all_entries[at];
      if (!continues(name, entry.text) || !seen.insert(entry.span.begin).second) continue;
      context.sink
          .report(diag::entry_matches_more, entry.span, entry.text, name, std::string(title_of(reading.program)))
          .with_help(fmt::format("write `{}`", bounded(reading, entry.text)))
          .not_beside(diag::entry_matches_longer_numbers);
    }
  }
}

static void check_one_expert(const Context& context, const Reading& reading, std::set<std::uint32_t>& reported) {
  constexpr std::string_view kExpert = ".experts.";
  for (std::size_t unit = 0; unit < reading.decisions.size(); ++unit) {
    const UnitDecision& decision = reading.decisions[unit];
    if (!decision.by || !reading.units->modules[unit].facts.has(selectors::Fact::experts)) continue;
    const Entry& entry = *reading.all_entries[*decision.by];
    const std::size_t at = entry.text.find(kExpert);
    const std::size_t number = at + kExpert.size();
    if (at == entry.text.npos || number >= entry.text.size() || !base::is_digit(entry.text[number])) continue;
    reported.insert(entry.span.begin);
    context.sink.report(diag::one_expert_listed, entry.span, entry.text, std::string(title_of(reading.program)));
    return;
  }
}

std::set<std::uint32_t> check_entries(const Context& context) {
  std::set<std::uint32_t> reported;
  if (context.input.modules == nullptr) return reported;
  const std::vector<EntryUse> uses = uses_of(context);
  check_dead(context, uses, reported);
  check_mapped(context, uses, reported);
  std::set<std::uint32_t> matching_more;  // an entry is reported for the first program only
  for (const Reading& reading : context.readings) {
    if (reading.decisions.empty()) continue;
    check_boundaries(context, reading, matching_more);
    if (reading.program != Program::transformers && reading.program != Program::quark)
      check_one_expert(context, reading, reported);
  }
  reported.merge(matching_more);
  return reported;
}

}  // namespace sparsecfg::dialect::checkpoint
