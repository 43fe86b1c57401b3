#include "dialect/modelopt/sparsify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/budget.h"
#include "base/text.h"
#include "diag/rule.h"
#include "dialect/modelopt/codes.h"
#include "model/selectors/assign.h"
#include "model/selectors/entry_index.h"

// Pruning with `mts.sparsify` (docs/semantics/modelopt.md#f1).
namespace sparsecfg::dialect::modelopt {

using source::Value;

DIAGNOSTIC(
    MO510, invalid_sparsify, error, (Text), "`mts.sparsify` stops: {}",
    "The modes are `sparse_magnitude` and `sparsegpt`. Rules belong to `nn.Linear` or `nn.Conv2d`, and map globs "
    "over names of modules to an empty mapping or None.",
    "write `(\"sparse_magnitude\", {{\"nn.Linear\": {{\"*\": {{}}, \"*lm_head*\": None}}}})`")
DIAGNOSTIC(MO511, rule_prunes_head, silent_warning, (Text), "the rule for `{}` also prunes `lm_head`",
           "A rule replaces the default of its class, `{{\"*\": {{}}, \"*lm_head*\": None}}`. The last pattern that "
           "matches decides.",
           "add `\"*lm_head*\": None` at the end")
DIAGNOSTIC(MO512, rule_prunes_nothing, silent_warning, (Text), "the rule for `{}` prunes nothing",
           "Modules that no pattern matches are not pruned, and None leaves the modules that match.",
           "add `\"*\": {{}}` at the start")

DIAGNOSTIC(MO513, exception_is_undone, silent_warning, (Text),
           "`{}` has no effect: `*` comes later and matches everything",
           "Of the patterns that match a module, the last one decides.", "write `\"*\": {{}}` first")

namespace {

constexpr std::string_view kModes[] = {"sparse_magnitude", "sparsegpt"};
constexpr std::string_view kClassesOfRules[] = {"nn.Linear", "nn.Conv2d"};
constexpr std::string_view kSeparator = ": ";  // between the class and the pattern of a rule

ir::Decisions decide_sparsity(const ir::Selection& selection, std::span<const ir::Scheme> /*schemes*/,
                              std::span<const model::Module> modules) {
  ir::Decisions out;
  out.of_modules.resize(modules.size());
  base::Budget budget = selectors::assignment_budget();
  selectors::TermIndex index;
  for (std::uint32_t at = 0; at < selection.rules.size(); ++at) {
    const std::string_view entry = selection.rules[at].entry;
    index.add(selectors::How::glob, entry.substr(entry.find(kSeparator) + kSeparator.size()), at);
  }
  index.finish({}, budget);
  std::vector<std::uint32_t> found;
  for (std::size_t at = 0; at < modules.size(); ++at) {
    found.clear();
    const std::string type = "nn." + modules[at].type + std::string(kSeparator);
    out.complete = index.find(modules[at].name, budget, found) && out.complete;
    std::erase_if(found, [&](std::uint32_t each) { return !selection.rules[each].entry.starts_with(type); });
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    if (found.empty()) continue;
    ir::Decisions::Decision decision;
    decision.reason = ir::Decisions::Reason::rule;
    decision.kind = selection.rules[found.back()].kind;
    decision.rule = found.back();
    decision.overridden.assign(found.begin(), found.end() - 1);
    const auto known = std::ranges::find(out.entries, decision);
    out.of_modules[at] = static_cast<std::uint32_t>(known - out.entries.begin());
    if (known == out.entries.end()) out.entries.push_back(std::move(decision));
  }
  return out;
}

constexpr ir::Language kSparsityLanguage{.name = "ModelOpt sparsity", .decide = decide_sparsity};

class SparsifyReader {
 public:
  SparsifyReader(const Context& context, const Value& arguments) : context_(context), arguments_(arguments) {}

  bool read(ir::Action& action) {
    const Value* mode = arguments_.find("mode");
    if (mode == nullptr || context_.is_unknown(*mode)) return true;
    read_mode(*mode);
    check_config();
    if (!valid_) return false;
    for (const std::string_view type : kClassesOfRules) add_defaults(type);
    prune_.selection.language = &kSparsityLanguage;
    prune_.sparsity = 0.5;
    prune_.mask = "2:4";
    action.operations.emplace_back(std::move(prune_));
    return true;
  }

 private:
  void reject(source::Span span, const std::string& why) {
    valid_ = false;
    context_.sink.report(diag::invalid_sparsify, span, why);
  }

  void read_mode(const Value& mode) {
    if (const auto* name = mode.get<std::string>()) return read_name(*name, mode.span);
    const auto* list = mode.get<source::List>();
    if (list == nullptr) return reject(mode.span, "the mode must be a name, or a list of a name and rules");
    const auto* pair = list->empty() ? nullptr : list->front().get<source::List>();
    const source::List& parts = pair == nullptr ? *list : *pair;
    if (parts.empty()) return;
    if (const auto* name = parts.front().get<std::string>()) read_name(*name, parts.front().span);
    if (parts.size() > 1) read_rules(parts[1]);
  }

  void read_name(const std::string& name, source::Span span) {
    prune_.method.name = name;
    prune_.method.title = name == "sparsegpt" ? "SparseGPT" : "magnitude";
    if (!base::contains(kModes, name)) reject(span, fmt::format("there is no mode `{}`", name));
  }

  void read_rules(const Value& rules) {
    const auto* map = rules.get<source::Map>();
    if (map == nullptr) return;
    for (const source::Entry& entry : *map) {
      const auto* type = entry.first.get<std::string>();
      if (type == nullptr || !base::contains(kClassesOfRules, *type)) {
        reject(entry.first.span,
               fmt::format("`{}` is not `nn.Linear` or `nn.Conv2d`", source::python_str(entry.first)));
        continue;
      }
      given_.push_back(*type);
      read_patterns(*type, entry.first.span, entry.second);
    }
  }

  void read_patterns(const std::string& type, source::Span span, const Value& rule) {
    if (context_.is_unknown(rule)) return;
    const auto* map = rule.get<source::Map>();
    if (rule.is_null() || (map != nullptr && map->empty())) {
      add(type, "*", span, !rule.is_null());
      if (!rule.is_null() && type == "nn.Linear") context_.sink.report(diag::rule_prunes_head, span, type);
      return;
    }
    if (map == nullptr) return reject(rule.span, "a rule must map patterns to an empty mapping or None");
    bool prunes = false;
    for (const source::Entry& entry : *map) {
      const auto* pattern = entry.first.get<std::string>();
      const auto* attributes = entry.second.get<source::Map>();
      if (pattern == nullptr || (attributes != nullptr && !attributes->empty()) ||
          (attributes == nullptr && !entry.second.is_null())) {
        reject(entry.second.span, "a rule accepts no attributes");
        return;
      }
      add(type, *pattern, entry.first.span, attributes != nullptr);
      prunes = prunes || attributes != nullptr;
    }
    check_order(*map);
    const std::string& last = source::python_str(map->back().first);
    const bool covers =
        prunes && std::ranges::none_of(*map, [](const source::Entry& entry) {
          return entry.second.is_null() && source::python_str(entry.first).find("lm_head") != std::string::npos;
        });
    const bool all = std::ranges::any_of(*map, [](const source::Entry& entry) {
      return !entry.second.is_null() && source::python_str(entry.first) == "*";
    });
    if (!prunes) context_.sink.report(diag::rule_prunes_nothing, span, type);
    if (covers && all && type == "nn.Linear" && !last.empty()) context_.sink.report(diag::rule_prunes_head, span, type);
  }

  // Reports exceptions before the pattern for everything as one mistake.
  void check_order(const source::Map& map) {
    const auto all = std::ranges::find_if(map, [](const source::Entry& entry) {
      return source::python_str(entry.first) == "*" && !entry.second.is_null();
    });
    if (all == map.end()) return;
    diag::Diagnostic* report = nullptr;
    std::vector<std::string> exceptions{"\"*\": {}"};
    for (auto entry = map.begin(); entry != map.end(); ++entry) {
      if (entry == all) continue;
      const std::string pattern = source::python_str(entry->first);
      exceptions.push_back(fmt::format("\"{}\": {}", pattern, entry->second.is_null() ? "None" : "{}"));
      if (entry > all || !entry->second.is_null()) continue;
      if (report != nullptr) {
        report->with_label(entry->first.span, "no effect either");
      } else {
        report = &context_.sink.report(diag::exception_is_undone, entry->first.span, pattern)
                      .with_label(all->first.span, "decides about every module");
      }
    }
    if (report != nullptr) report->with_help(fmt::format("write `{{{}}}`", fmt::join(exceptions, ", ")));
  }

  void add(std::string_view type, std::string_view pattern, source::Span span, bool prunes) {
    ir::Rule rule;
    rule.entry = fmt::format("{}{}{}", type, kSeparator, pattern);
    rule.span = span;
    rule.kind = prunes ? ir::Rule::Kind::assigns : ir::Rule::Kind::excludes;
    prune_.selection.rules.push_back(std::move(rule));
  }

  // A class without a rule keeps its default.
  void add_defaults(std::string_view type) {
    if (std::ranges::find(given_, type) != given_.end()) return;
    add(type, "*", arguments_.span, true);
    add(type, "*lm_head*", arguments_.span, false);
  }

  void check_config() {
    const Value* config = arguments_.given("config");
    const Value* pattern = config == nullptr ? nullptr : config->find("pattern");
    const auto* text = pattern == nullptr ? nullptr : pattern->get<std::string>();
    if (text != nullptr && *text != "2:4 sparsity") {
      reject(pattern->span, fmt::format("the pattern can't be `{}`", *text));
    }
  }

  const Context& context_;
  const Value& arguments_;
  ir::PruneOnce prune_;
  std::vector<std::string> given_;
  bool valid_ = true;
};

}  // namespace

bool read_sparsify(const Context& context, const Value& arguments, ir::Action& action) {
  return SparsifyReader(context, arguments).read(action);
}

}  // namespace sparsecfg::dialect::modelopt
