#include "dialect/schemes/lower.h"

#include <algorithm>

#include "dialect/schemes/targets.h"

namespace sparsecfg::dialect::schemes {

// Class names begin with a capital letter and have no dots.
static model::Term term_of(const Entry& entry) {
  const bool is_class = !entry.text.empty() && entry.text.front() >= 'A' && entry.text.front() <= 'Z' &&
                        entry.text.find('.') == std::string::npos;
  if (is_pattern(entry.text)) return {model::Term::Kind::pattern, std::string(pattern_of(entry.text)), entry.span};
  return {is_class ? model::Term::Kind::module_type : model::Term::Kind::exact, entry.text, entry.span};
}

// Returns true for a pattern that Python can't compile, and for a list in one string, which no name equals.
static bool selects_nothing(const Entry& entry) { return fault_of(entry.text) || is_joined_list(entry.text); }

std::vector<model::Term> terms_of(const std::vector<Entry>& entries) {
  std::vector<model::Term> out;
  for (const Entry& entry : entries) {
    if (!selects_nothing(entry)) out.push_back(term_of(entry));
  }
  return out;
}

// Returns the ignored entries. With a model it adds modules that the targets match by name but that can't have a
// scheme.
static std::vector<model::Term> excluded(const std::vector<Entry>& ignore, const std::vector<Target>& targets,
                                         source::Span place, const std::vector<model::Module>* modules) {
  std::vector<model::Term> out = terms_of(ignore);
  std::vector<Entry> entries;
  for (const Target& target : targets) entries.push_back(target.entry);
  const model::Matcher taking = matcher_of(entries);
  for (std::size_t at = 0; modules != nullptr && at < modules->size(); ++at) {
    const model::Module& module = (*modules)[at];
    if (!takes_scheme(module) && taking.takes(module)) {
      out.push_back({model::Term::Kind::exact, module.name, place});
    }
  }
  return out;
}

// Returns the targets by priority, names first, each with its scheme.
ir::Effect quantize(const std::vector<Group>& groups, const std::vector<Entry>& ignore, source::Span place,
                    const std::vector<model::Module>* modules) {
  std::vector<Target> targets = targets_of(groups);
  std::stable_partition(targets.begin(), targets.end(),
                        [](const Target& target) { return term_of(target.entry).kind == model::Term::Kind::exact; });
  ir::Quantize out;
  source::Map schemes;
  const base::SharedList<model::Term> without = excluded(ignore, targets, place, modules);
  for (const auto& [entry, group] : targets) {
    if (selects_nothing(entry)) continue;
    out.layers.push_back({{term_of(entry)}, model::Selector::Over::modules, false, false, false, without, {}});
    schemes.emplace_back(source::Value{entry.text, {}}, source::Value{groups[group].name, {}});
  }
  out.overrides = {std::move(schemes), {}};
  out.replaces = true;
  return out;
}

}  // namespace sparsecfg::dialect::schemes
