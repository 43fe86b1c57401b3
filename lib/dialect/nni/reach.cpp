#include "dialect/nni/reach.h"

#include <algorithm>

#include "ir/comparing.h"

namespace sparsecfg::dialect::nni {

using ir::Term;

static std::set<std::string> words_of(const Entry& entry, const source::Map& fields, std::string_view key) {
  std::set<std::string> words;
  for (const auto& text : texts_of(fields, key)) {
    if (entry.valid) words.insert(text.value);
  }
  return words;
}

static void add_names(ir::Selector& selector, const std::set<std::string>& texts, Term::Kind kind) {
  selector.over = ir::Selector::Over::modules;
  for (const std::string& text : texts) {
    selector.terms.push_back({kind, text, {}});
  }
}

Reach Reach::of(const Entry& entry) {
  Reach reach;
  reach.types_ = words_of(entry, entry.fields, "op_types");
  add_names(reach.names_, words_of(entry, entry.fields, "op_names"), Term::Kind::exact);
  add_names(reach.names_, words_of(entry, entry.fields, "op_names_re"), Term::Kind::pattern);
  for (const std::string key : {"exclude_op_types", "exclude_op_names", "exclude_op_names_re"}) {
    for (const std::string& word : words_of(entry, entry.fields, key)) reach.excluded_.emplace(key, word);
  }
  reach.targets_ = words_of(entry, entry.fields, "target_names");
  reach.more_targets_ = has(entry.fields, "target_settings");
  return reach;
}

Reach Reach::of_older(const Entry& entry) {
  Reach reach;
  reach.types_ = words_of(entry, entry.written, "op_types");
  if (reach.types_.contains("default")) {
    reach.types_.insert(weighted_types().begin(), weighted_types().end());
  }
  std::set<std::string> patterns;
  for (const std::string& part : words_of(entry, entry.written, "op_partial_names")) {
    patterns.insert(".*" + escaped(part));
  }
  add_names(reach.names_, words_of(entry, entry.written, "op_names"), Term::Kind::exact);
  add_names(reach.names_, patterns, Term::Kind::pattern);
  return reach;
}

bool Reach::contains(const Reach& other, regex::Budget& budget) const {
  const bool selects = !other.types_.empty() || !other.names_.terms.empty();
  const bool defaults = targets_.empty() && other.targets_.empty() && !other.more_targets_;
  const bool targets = defaults || (!other.targets_.empty() && std::ranges::includes(targets_, other.targets_));
  const bool types = types_.empty() || (!other.types_.empty() && std::ranges::includes(types_, other.types_));
  if (!selects || !targets || !types || (types_.empty() && names_.terms.empty()) ||
      !std::ranges::includes(other.excluded_, excluded_)) {
    return false;
  }
  return names_.terms.empty() || (!other.names_.terms.empty() &&
                                  ir::contains(ir::Selection(names_), ir::Selection(other.names_), budget).answer ==
                                      regex::Comparison::Answer::yes);
}

}  // namespace sparsecfg::dialect::nni
