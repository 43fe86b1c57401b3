#include "dialect/class_of_numbers.h"
#include "dialect/nni/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/edit_distance.h"
#include "base/limits.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/nni/codes.h"
#include "dialect/nni/selectors.h"
#include "dialect/nni/table.h"
#include "dialect/record/suggest.h"
#include "dialect/selected/selected.h"
#include "model/matcher.h"
#include "model/renamings.h"
#include "model/roles.h"
#include "model/typical_names.h"
#include "regex/literal.h"

namespace sparsecfg::dialect::nni {

using model::Module;
using source::Located;
using Texts = Selectors::Texts;
using Words = std::unordered_set<std::string_view>;

std::string Selected::shown() const { return name.empty() && !type.empty() ? type : base::printable(name); }

static Words words_in(const Texts& texts) {
  Words words;
  for (const auto& text : texts) {
    words.insert(text.value);
  }
  return words;
}

// Returns true if a pattern contains only characters of names, so it is probably meant as a name.
static bool is_plain(std::string_view pattern) {
  return !pattern.empty() && std::ranges::all_of(pattern, [](char c) { return base::is_name_letter(c) || c == '.'; });
}

DIAGNOSTIC(MD912, selects_no_module, warning, (Text, std::size_t), "{} matches no module ({} in the model)",
           "NNI silently ignores a type or a pattern without a match. A type is the class name without its module, "
           "case-sensitive (`Linear`, not `torch.nn.Linear`). A pattern must match at the start of the full name. "
           "`default` selects all layers with weights up to NNI 2.x and matches nothing in 3.0.",
           "use types and names of the model; `sparsecfg match FILE` lists them")

DIAGNOSTIC(SP609, op_names_and_types_intersect, fact, (),
           "the entry selects only modules that match both names and types",
           "`op_types` together with `op_names` or `op_names_re` narrows the selection. An additional entry extends "
           "it.",
           "add another entry to select modules by either criterion")

class Selection {
 public:
  Selection(Entry& entry, std::span<const Entry> all, const Context& context)
      : entry_(entry), all_(all), context_(context), sink_(context.sink) {}

  std::vector<Selected> run(std::size_t& cost) {
    compile_all();
    if (is_too_much(cost) || unknown_) {
      return {};
    }
    if (selected_.by_name() && !selected_.types.empty()) {
      const source::Entry& place = *find_entry(entry_.fields, "op_types");
      sink_.report(diag::op_names_and_types_intersect, place.first.span.empty() ? entry_.span : place.first.span);
    }
    return context_.model.known() ? of_model() : placeholders();
  }

 private:
  // Limits the matches of patterns with names over all entries. Reports the first entry that exceeds the limit.
  bool is_too_much(std::size_t& cost) {
    const std::size_t before = std::exchange(cost, cost + cost_);
    if (cost_ == 0 || cost * count() <= limits::kMaxMatchesOfNni) {
      return false;
    }
    if (before * count() <= limits::kMaxMatchesOfNni) {
      sink_
          .report(diag::limits_exceeded, entry_.span,
                  fmt::format("matching all patterns with {} names exceeds the limit of {} matches", count(),
                              limits::kMaxMatchesOfNni))
          .with_help("write fewer patterns, or list fewer modules in `--modules`");
    }
    entry_.valid = false;
    return true;
  }

  struct Compiled {
    Located<std::string> text;
    model::Matcher pattern;
  };

  void compile_all() {
    compile("op_names_re", selected_.patterns, patterns_);
    compile("exclude_op_names_re", excluded_.patterns, excluded_patterns_);
  }

  void compile(std::string_view key, const Texts& texts, std::vector<Compiled>& out) {
    for (const auto& text : texts) {
      model::Matcher pattern(text.value);
      cost_ += regex::match_cost(text.value);
      const auto& error = pattern.error();
      if (error && error->unsupported) {
        sink_.report(diag::python_only_regex, text.span, text.value, error->message)
            .with_help("rewrite the pattern without this feature; its matches are unknown");
        unknown_ = true;
        entry_.valid = false;
      } else if (error) {
        auto& report = sink_.report(diag::regex_syntax, entry_.place(find_value(entry_.fields, key)), error->message);
        report.with_label(text.span, text.value);
        advise_on_class(report, text.value, text.span);
        entry_.valid = false;
      } else {
        out.push_back({text, std::move(pattern)});
      }
    }
  }

  bool matches(const Compiled& compiled, std::string_view name) {
    const regex::Match match = compiled.pattern.match(name);
    if (match == regex::Match::gave_up) {
      sink_.report(diag::catastrophic_regex, compiled.text.span, compiled.text.value);
    }
    return match != regex::Match::no;
  }

  // --- without a model -------------------------------------------------------------------------------

  std::vector<Selected> placeholders() {
    check_exclusions(entry_, all_, sink_);
    report_patterns_in_names();
    std::vector<Selected> out;
    const bool one_type = selected_.types.size() == 1;
    for (const auto& name : selected_.names) {
      if (!is_excluded({name.value, ""})) {
        out.push_back({name.value, one_type ? selected_.types.front().value : "", false});
      }
    }
    const bool by_pattern = !patterns_.empty() && selected_.types.empty();
    if (by_pattern) {
      out.push_back({"", "", false});
    }
    for (const auto& type : selected_.names.empty() ? selected_.types : Texts()) {
      if (!excluded_types_.contains(type.value)) {
        out.push_back({"", type.value, false});
      }
    }
    return out;
  }

  // Reports patterns in `op_names`, which NNI compares as names.
  void report_patterns_in_names() {
    const source::Entry* list = find_entry(entry_.fields, "op_names");
    const auto is_regex = [](const auto& name) { return model::looks_like_pattern(name.value); };
    const auto first = std::ranges::find_if(selected_.names, is_regex);
    if (list == nullptr || first == selected_.names.end()) return;
    std::vector<std::string> patterns;
    for (const auto& name : selected_.names) patterns.push_back(bare_pattern(name.value));
    auto& report = sink_.report(diag::regex_in_literal_field, first->span, first->value);
    report.with_help(fmt::format("write `op_names_re: ['{}']` instead of `op_names`", fmt::join(patterns, "', '")));
    entry_.valid = false;
    if (list->first.span.empty() || has(*entry_.written, "op_names_re")) return;
    diag::Fix fix = diag::Fix::unsafe().content(list->first.span, "op_names_re");
    for (std::size_t at = 0; const auto& name : selected_.names) {
      if (name.value != patterns[at]) fix.content(name.span, patterns[at]);
      ++at;
    }
    report.with_fix(std::move(fix));
  }

  // Returns a pattern as NNI reads it: without the `re:` of other systems, and with `.*` for the `*` of a glob.
  static std::string bare_pattern(std::string_view name) {
    constexpr std::string_view kPrefix = "re:";
    if (name.starts_with(kPrefix)) return std::string(name.substr(kPrefix.size()));
    const std::string glob = base::regex_of_glob(name);
    return glob.empty() ? std::string(name) : glob;
  }

  // --- with a model --------------------------------------------------------------------------------------

  std::vector<Selected> of_model() {
    report_idle_terms();
    if (!selected_.types.empty()) report_patterns_in_names();
    report_unknown_names();
    std::vector<Selected> out;
    std::vector<const Module*> named;
    for (const Module* module : candidates()) {
      if (is_selected(*module)) named.push_back(module);
    }
    for (const Module* module : named) {
      if (!is_excluded(*module)) out.push_back({module->name, module->type});
    }
    if (out.empty() && !named.empty() && has_exclusions(entry_) && entry_.valid) {
      sink_.report(diag::exclude_with_sparsity, entry_.span).with_help("delete the exclusion, or narrow it");
    } else if (out.empty() && !reported_ && !excludes_all() && entry_.valid) {
      auto& report = sink_.report(diag::selects_no_module, entry_.span, "this entry", count());
      if (!named.empty()) report.not_beside(diag::exclude_is_global);  // which excludes all that it selects
      if (named.empty()) advise_two_entries(report);
    }
    if (!out.empty()) report_idle_exclusions(named);
    report_prefixes(out);
    report_starts();
    return out;
  }

  // Offers one entry for the names and one for the types if each selects modules, but no module has both.
  void advise_two_entries(diag::Diagnostic& report) const {
    const model::Matcher names(selected_.named());
    const auto is_named = [&](const Module& module) { return names.takes(module.name); };
    if (selected_.types.empty() || std::ranges::none_of(context_.model.modules(), is_named)) return;
    const auto by_types = without({"op_names", "op_names_re"});
    const auto by_names = without({"op_types", "exclude_op_types"});
    report.with_caret("no module has both one of these types and one of these names")
        .with_help(fmt::format("write two entries, `{}` and `{}`: names and types in one entry must both match",
                               flow_text(by_types), flow_text(by_names)));
  }

  // Returns the entry without some of its fields.
  source::Value without(std::initializer_list<std::string_view> keys) const {
    source::Map out;
    std::ranges::copy_if(*entry_.written, std::back_inserter(out), [&](const source::Entry& field) {
      return std::ranges::find(keys, name_of(field)) == keys.end();
    });
    return {std::move(out), {}};
  }

  // Reports exclusions of this entry that remove nothing from its selection.
  void report_idle_exclusions(const std::vector<const Module*>& named) {
    if (excludes_all()) {
      return;
    }
    Misplaced names("exclude_op_names");
    Misplaced patterns("exclude_op_names_re");
    const auto check = [&](std::string_view key, const Located<std::string>& term, auto is_match) {
      const bool unlisted = key == "exclude_op_types" && may_be_unlisted(term.value);
      if (!has(*entry_.written, key) || unlisted || std::ranges::any_of(named, is_match)) {
        return;
      }
      const auto match =
          std::ranges::find_if(context_.model.modules(), [&](const Module& one) { return is_match(&one); });
      const bool anywhere = match != context_.model.modules().end();
      if (!anywhere && model::is_head_of_task(term.value)) return;  // of another class for the same model
      const bool by_name = key != "exclude_op_types";
      if (const Entry* other =
              anywhere && by_name ? entry_that_selects(all_, entry_, match->name, match->type) : nullptr) {
        (key == "exclude_op_names" ? names : patterns).add(*other, term);
        return;
      }
      auto& report = sink_.report(diag::exclude_without_effect, term.span, term.value,
                                  anywhere ? "the entry does not select its matches" : "the model lacks such a module");
      const std::string inner = fmt::format("{}\\..*", regex::literal(term.value));
      if (key == "exclude_op_names" && contains_selected(term.value, named)) {
        report.with_caret("a container, whose layers the entry selects")
            .with_help(fmt::format("write `exclude_op_names_re: ['{}']`", inner));
        const source::Entry* list = find_entry(*entry_.written, key);
        const bool only =
            list != nullptr && excluded_.names.size() == 1 && !has(*entry_.written, "exclude_op_names_re");
        if (only) {
          report.with_fix(diag::Fix::unsafe()
                              .content(list->first.span, "exclude_op_names_re")
                              .replace(list->second.span, fmt::format("['{}']", inner)));
        }
      } else {
        report
            .with_help(anywhere ? "delete it: the entry selects none of its matches"
                                : "delete it, or write a name of the model")
            .with_fix(diag::Fix::unsafe().remove(term.span));
      }
    };
    for (const auto& name : excluded_.names) {
      if (name_words_.contains(name.value))
        continue;  // names in the entry need not exist in the model if they are excluded
      check("exclude_op_names", name, [&](const Module* module) { return module->name == name.value; });
    }
    names.report(sink_, "the entry does not select its matches");
    for (const auto& type : excluded_.types) {
      check("exclude_op_types", type, [&](const Module* module) { return module->type == type.value; });
    }
    for (const Compiled& pattern : excluded_patterns_) {
      check("exclude_op_names_re", pattern.text, [&](const Module* module) { return matches(pattern, module->name); });
    }
    patterns.report(sink_, "the entry does not select its matches");
  }

  // Returns true if a name is that of a module around selected layers.
  static bool contains_selected(const std::string& name, const std::vector<const Module*>& named) {
    return std::ranges::any_of(named, [&](const Module* module) { return module->name.starts_with(name + "."); });
  }

  std::size_t count() const { return context_.model.modules().size(); }

  // Returns modules that names or types may select, each once, in the order of the model.
  std::vector<const Module*> candidates() const {
    std::vector<const Module*> out;
    if (!patterns_.empty()) {
      for (const Module& module : context_.model.modules()) {
        out.push_back(&module);
      }
      return out;
    }
    for (const auto& name : selected_.names) {
      if (const Module* module = context_.model.find(name.value)) {
        out.push_back(module);
      }
    }
    for (const auto& type : selected_.by_name() ? Texts() : selected_.types) {
      std::ranges::copy(context_.model.of_type(type.value), std::back_inserter(out));
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  // A module must match a name or pattern, if there are any, and a type, if there are any.
  bool is_selected(const Module& module) {
    const bool of_type = type_words_.contains(module.type);
    if (!selected_.by_name()) {
      return of_type;
    }
    const bool named =
        name_words_.contains(module.name) ||
        std::ranges::any_of(patterns_, [&](const Compiled& pattern) { return matches(pattern, module.name); });
    return named && (selected_.types.empty() || of_type);
  }

  bool is_excluded(const Module& module) {
    return excluded_names_.contains(module.name) || excluded_types_.contains(module.type) ||
           std::ranges::any_of(excluded_patterns_,
                               [&](const Compiled& pattern) { return matches(pattern, module.name); });
  }

  // An entry with `exclude` is expected to select nothing.
  bool excludes_all() const { return has(*entry_.written, "exclude"); }

  // NNI applies types and excluded names before it looks up a name, so those names need not exist. Excluding patterns
  // are matched only with names of the model.
  void report_unknown_names() {
    std::vector<const Located<std::string>*> unknown;
    for (const auto& name : selected_.names) {
      const bool known = context_.model.find(name.value) != nullptr;
      if (!known && selected_.types.empty() && !excluded_names_.contains(name.value)) unknown.push_back(&name);
    }
    if (unknown.size() > 1) report_other_model(unknown);
    for (const Located<std::string>* unknown_name : unknown) {
      const Located<std::string>& name = *unknown_name;
      auto& report = sink_.report(diag::unknown_module, name.span, name.value, count());
      auto guess = context_.names.nearest(name.value);
      if (!guess) guess = other_path(name.value);
      if (guess) {
        const bool given = name_words_.contains(*guess);
        report.with_help(base::did_you_mean(guess))
            .with_fix(given ? diag::Fix() : diag::Fix::unsafe().content(name.span, std::string(*guess)));
      } else {
        report.with_help(siblings_of(name.value));
      }
      entry_.valid = false;
    }
  }

  // Reports names that differ from those of the model only in their beginning once, and removes them from the list.
  void report_other_model(std::vector<const Located<std::string>*>& unknown) {
    std::vector<std::string_view> names;
    for (const Module& module : context_.model.modules()) names.push_back(module.name);
    model::Renamings renamings(std::move(names));
    std::map<model::Renaming, std::vector<const Located<std::string>*>> groups;
    for (const auto* name : unknown) {
      if (const auto renaming = renamings.of(name->value)) groups[*renaming].push_back(name);
    }
    std::erase_if(groups, [](const auto& group) { return group.second.size() == 1; });
    for (const auto& [renaming, group] : groups) report_renamed(renaming, group);
    std::erase_if(unknown, [&](const auto* name) {
      const auto renaming = renamings.of(name->value);
      return renaming && groups.contains(*renaming);
    });
  }

  void report_renamed(const model::Renaming& renaming, const std::vector<const Located<std::string>*>& group) {
    constexpr std::size_t kMaxLabels = 3;
    auto& report = sink_.report(diag::unknown_module, group.front()->span, group.front()->value, count());
    diag::Fix fix = diag::Fix::unsafe();
    for (std::size_t at = 0; at < group.size(); ++at) {
      if (at > 0 && at <= kMaxLabels) report.with_label(group[at]->span, "unknown for the same reason");
      fix.content(group[at]->span, renaming.applied_to(group[at]->value));
    }
    if (group.size() > kMaxLabels + 1) report.with_caret(fmt::format("{} more names like this", group.size() - 1));
    report.with_help(renaming.help()).with_fix(std::move(fix));
    entry_.valid = false;
  }

  // Returns the only module with the same last part, if the model has no module beside the name.
  std::optional<std::string_view> other_path(std::string_view name) const {
    const std::string_view last = base::last_part(name);
    const std::string_view parent = name.substr(0, name.size() - last.size());
    std::optional<std::string_view> found;
    for (const Module& module : context_.model.modules()) {
      const bool beside = !parent.empty() && module.name.starts_with(parent);
      const bool same = base::last_part(module.name) == last;
      if (beside || (same && found)) return std::nullopt;
      if (same) found = module.name;
    }
    return found;
  }

  // Lists the modules beside a name, at most five.
  std::string siblings_of(std::string_view name) const {
    constexpr std::size_t kMaxListed = 5;
    const std::string_view parent = name.substr(0, name.rfind('.') == std::string_view::npos ? 0 : name.rfind('.'));
    std::vector<std::string_view> found;
    for (const Module& module : context_.model.modules()) {
      const bool below = !parent.empty() && module.name.size() > parent.size() && module.name.starts_with(parent) &&
                         module.name[parent.size()] == '.';
      const bool direct = below && module.name.find('.', parent.size() + 1) == std::string::npos;
      if (direct && found.size() < kMaxListed) found.push_back(module.name);
    }
    return found.empty() ? "run `sparsecfg match FILE` to list the modules"
                         : fmt::format("the modules in `{}` include `{}`", parent, fmt::join(found, "`, `"));
  }

  // Returns true if the model lists no activations and the like, and a type is one of them: the list was then made of
  // parameters, and the model can have such modules.
  bool may_be_unlisted(std::string_view type) const {
    return has_no_parameters(type) && std::ranges::none_of(context_.model.types(), has_no_parameters);
  }

  void report_idle_terms() {
    for (const auto& type : selected_.types) {
      if (may_be_unlisted(type.value)) {
        reported_ = true;  // nothing is known about its modules
      } else if (context_.model.of_type(type.value).empty()) {
        report_idle_type(type);
      }
    }
    std::vector<const Located<std::string>*> idle;
    for (const Compiled& pattern : patterns_) {
      if (std::ranges::none_of(context_.model.modules(),
                               [&](const Module& module) { return matches(pattern, module.name); })) {
        idle.push_back(&pattern.text);
      }
    }
    if (!idle.empty()) report_idle_patterns(idle);
  }

  // Returns the number of modules that a pattern matches anywhere in their names.
  std::size_t count_anywhere(const std::string& pattern) const { return count_matches(".*" + pattern); }

  // Returns the number of modules that a pattern matches from the start of their names.
  std::size_t count_matches(const std::string& pattern) const {
    const model::Matcher matcher(pattern);
    if (matcher.error()) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(context_.model.modules(), [&](const Module& module) {
      return matcher.match(module.name) == regex::Match::yes;
    }));
  }

  // Reports patterns that were probably meant to match anywhere in a name.
  void report_starts() const {
    for (const Compiled& pattern : patterns_) {
      const auto count = [&](const std::string& text) { return count_matches(text); };
      selected::check_start(pattern.text.value, pattern.text.span, "", count, sink_);
    }
  }

  // Patterns of one entry without a match have one cause: they are compared with the start of the full name.
  void report_idle_patterns(const std::vector<const Located<std::string>*>& idle) {
    std::vector<std::string> meant;
    std::size_t modules = 0;
    diag::Fix fix = diag::Fix::unsafe();
    for (const Located<std::string>* text : idle) {
      const std::size_t found = count_anywhere(text->value);
      modules += found;
      if (found == 0) continue;
      meant.push_back(fmt::format("`.*{}`", text->value));
      fix.content(text->span, ".*" + text->value);
    }
    reported_ = true;
    if (excludes_all()) return;
    auto& report =
        sink_.report(diag::selects_no_module, idle.front()->span, fmt::format("`{}`", idle.front()->value), count());
    for (std::size_t at = 1; at < idle.size(); ++at) report.with_label(idle[at]->span, "no match either");
    if (meant.empty()) return advise_names(report, *idle.front(), idle.size() == 1);
    report.with_help("patterns are matched at the start of the full name; begin with `.*` to match anywhere");
    if (meant.size() < idle.size()) return;
    report
        .with_help(fmt::format("write {}, which {} {}", base::join_and(meant), meant.size() == 1 ? "matches" : "match",
                               base::counted(modules, "module")))
        .with_fix(std::move(fix));
  }

  // Offers the names of this model for a pattern whose text occurs in none of them.
  void advise_names(diag::Diagnostic& report, const Located<std::string>& pattern, bool only) const {
    std::vector<std::string_view> names;
    for (const Module& module : context_.model.modules()) names.push_back(module.name);
    const model::Counterpart other = model::counterpart_of(pattern.value, names);
    if (!other.ends.empty()) {
      report.with_help(
          fmt::format("write `{}`: the pattern names a layer of another family of models", other.pattern()));
      if (only) report.with_fix(diag::Fix::unsafe().content(pattern.span, other.pattern()));
      return;
    }
    const std::size_t last = names.empty() ? 0 : names.size() - 1;
    report.with_help(fmt::format("no name contains this text; names of the model are such as `{}` and `{}`",
                                 names.empty() ? "" : names[last / 2], names.empty() ? "" : names[last]));
  }

  void report_idle(const Located<std::string>& term, const std::string& help, const diag::Fix& fix = {}) {
    if (!excludes_all()) {
      sink_.report(diag::selects_no_module, term.span, fmt::format("`{}`", term.value), count())
          .with_help(help)
          .with_fix(fix);
    }
    reported_ = true;
  }

  void report_idle_type(const Located<std::string>& type) {
    const std::string_view bare = base::last_part(type.value);
    const auto guess = type.value == "default" ? std::nullopt : context_.types.nearest(bare);
    if (guess) {
      report_idle(type, base::did_you_mean(guess), diag::Fix::unsafe().content(type.span, std::string(*guess)));
    } else {
      report_idle(type, type.value == "default"
                            ? "list the types: `default` means all layers with weights only up to NNI 2.x"
                            : "");
    }
  }

  // `fc1` as a pattern also matches `fc10` in a model that has both.
  void report_prefixes(const std::vector<Selected>& selected) {
    for (const Compiled& pattern : patterns_) {
      const auto whole = std::ranges::find(selected, pattern.text.value, &Selected::name);
      if (!is_plain(pattern.text.value) || whole == selected.end()) {
        continue;
      }
      const auto longer = std::ranges::find_if(selected, [&](const Selected& one) {
        return one.name.size() > pattern.text.value.size() && one.name.starts_with(pattern.text.value) &&
               one.name[pattern.text.value.size()] != '.';
      });
      if (longer != selected.end()) {
        sink_.report(diag::regex_start_anchored, pattern.text.span, pattern.text.value, longer->name)
            .with_help(fmt::format("write `{}$`, or move the name to `op_names`", pattern.text.value))
            .with_fix(diag::Fix::unsafe().content(pattern.text.span, pattern.text.value + "$"));
      }
    }
  }

  Entry& entry_;
  std::span<const Entry> all_;
  const Context& context_;
  diag::Sink& sink_;
  Selectors selected_ = selectors_of(entry_.fields);
  Selectors excluded_ = exclusions_of(entry_.fields);
  Words name_words_ = words_in(selected_.names);
  Words type_words_ = words_in(selected_.types);
  Words excluded_names_ = words_in(excluded_.names);
  Words excluded_types_ = words_in(excluded_.types);
  std::vector<Compiled> patterns_;
  std::vector<Compiled> excluded_patterns_;
  std::size_t cost_ = 0;  // of matching all patterns with a name
  bool reported_ = false;
  bool unknown_ = false;  // true if a pattern could not be compiled here, although Python may accept it
};

std::vector<Selected> select(Entry& entry, std::span<const Entry> all, const Context& context, std::size_t& cost) {
  return Selection(entry, all, context).run(cost);
}

}  // namespace sparsecfg::dialect::nni
