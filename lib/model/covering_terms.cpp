#include "model/covering_terms.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "regex/literal.h"

namespace sparsecfg::model {

namespace {

// A name as texts with a number between each two of them.
struct Numbered {
  std::size_t index = 0;
  std::vector<std::string_view> texts;
  std::vector<std::string_view> numbers;
};

Numbered numbered(std::string_view name, std::size_t index) {
  Numbered out{index, {}, {}};
  std::size_t at = 0;
  while (true) {
    const std::size_t digit = std::min(name.find_first_of("0123456789", at), name.size());
    out.texts.push_back(name.substr(at, digit - at));
    if (digit == name.size()) return out;
    at = std::min(name.find_first_not_of("0123456789", digit), name.size());
    out.numbers.push_back(name.substr(digit, at - digit));
  }
}

// Names that differ only in their numbers.
using Family = std::vector<Numbered>;

class Covering {
 public:
  Covering(const std::vector<std::string>& names, const std::vector<bool>& wanted) : names_(names), wanted_(wanted) {}

  std::vector<Term> run() {
    std::map<std::vector<std::string_view>, std::size_t> places;
    std::vector<Family> families;
    for (std::size_t at = 0; at < names_.size(); ++at) {
      Numbered name = numbered(names_[at], at);
      const auto [place, is_new] = places.emplace(name.texts, families.size());
      if (is_new) families.emplace_back();
      families[place->second].push_back(std::move(name));
    }
    for (const Family& family : families) add(family);
    return std::move(out_);
  }

 private:
  bool all(const Family& family, bool value) const {
    return std::ranges::all_of(family, [&](const Numbered& name) { return wanted_[name.index] == value; });
  }

  void add(const Family& family) {
    if (all(family, false)) return;
    if (all(family, true)) return add_all(family);
    const auto parts = pure_parts(family);
    for (const Family& part : parts) {
      if (all(part, true)) add_all(part);
    }
    for (const Numbered& name : parts.empty() ? family : Family()) {
      if (wanted_[name.index]) add_name(name);
    }
  }

  // Splits a family by the number at one place, so that each part is wanted as a whole or not at all.
  std::vector<Family> pure_parts(const Family& family) const {
    for (std::size_t place = family.front().numbers.size(); place-- > 0;) {
      std::map<std::string_view, Family> parts;
      for (const Numbered& name : family) parts[name.numbers[place]].push_back(name);
      std::vector<Family> out;
      for (auto& [number, part] : parts) out.push_back(std::move(part));
      const bool pure =
          std::ranges::all_of(out, [&](const Family& part) { return all(part, true) || all(part, false); });
      if (pure) return out;
    }
    return {};
  }

  void add_name(const Numbered& name) { out_.push_back({Term::Kind::exact, names_[name.index], {}}); }

  void add_all(const Family& family) {
    if (family.size() == 1) return add_name(family.front());
    const Numbered& first = family.front();
    std::string pattern;
    for (std::size_t at = 0; at < first.texts.size(); ++at) {
      pattern += regex::literal(first.texts[at]);
      if (at == first.numbers.size()) break;
      const bool same =
          std::ranges::all_of(family, [&](const Numbered& name) { return name.numbers[at] == first.numbers[at]; });
      pattern += same ? std::string(first.numbers[at]) : "\\d+";
    }
    out_.push_back({Term::Kind::pattern, pattern + "$", {}});
  }

  const std::vector<std::string>& names_;
  const std::vector<bool>& wanted_;
  std::vector<Term> out_;
};

}  // namespace

std::vector<Term> covering_terms(const std::vector<std::string>& names, const std::vector<bool>& wanted) {
  return Covering(names, wanted).run();
}

std::vector<std::string> prunable_beside(const ModelNames& names, std::span<const Selector* const> others,
                                         std::size_t most) {
  std::vector<bool> wanted = matched_names({{{Term::Kind::all_prunable, {}, {}}}}, names);
  for (const Selector* other : others) {
    const std::vector<bool> matched = matched_names(*other, names);
    for (std::size_t at = 0; at < wanted.size(); ++at) wanted[at] = wanted[at] && !matched[at];
  }
  std::vector<std::string> out;
  for (const Term& term : covering_terms(names.list(), wanted)) {
    out.push_back((term.kind == Term::Kind::pattern ? "re:" : "") + term.text);
  }
  return out.size() > most ? std::vector<std::string>() : out;
}

}  // namespace sparsecfg::model
