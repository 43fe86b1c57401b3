#include "check/outcome/idle_remedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sparsecfg::check {

namespace {

using Decision = ir::Decisions::Decision;

class Remedies {
 public:
  Remedies(const ir::Assign& assign, const IdleRule& idle, std::span<const model::Module> modules)
      : assign_(assign), idle_(idle), modules_(modules), before_(decide(assign.selection)) {}

  [[nodiscard]] std::optional<IdleRemedy> find() const {
    if (auto out = exchange()) return out;
    if (auto out = partial_name()) return out;
    if (auto out = moved_partial_name()) return out;
    return lookahead();
  }

 private:
  [[nodiscard]] ir::Decisions decide(const ir::Selection& selection) const {
    return selection.language->decide(selection, assign_.schemes, modules_);
  }

  [[nodiscard]] const ir::Rule& rule() const { return assign_.selection.rules[idle_.rule]; }

  [[nodiscard]] const ir::Rule& other() const { return assign_.selection.rules[idle_.by]; }

  // Returns true if a rule of an edited selection decides the modules, and all other modules keep their results.
  [[nodiscard]] bool works(const ir::Selection& edited, std::uint32_t rule) const {
    const ir::Decisions after = decide(edited);
    if (!after.complete || after.of_modules.size() != before_.of_modules.size() || !after.schemes.empty()) return false;
    std::size_t next = 0;  // in the sorted indexes of the modules
    for (std::size_t at = 0; at < after.of_modules.size(); ++at) {
      const Decision& one = before_.entries[before_.of_modules[at]];
      const Decision& two = after.entries[after.of_modules[at]];
      const bool meant = next < idle_.modules.size() && idle_.modules[next] == at;
      if (meant) ++next;
      if (meant ? two.rule != rule : one.kind != two.kind || one.scheme != two.scheme) return false;
    }
    return true;
  }

  // Entries of different kinds may have an order of their own, so only entries of one kind are moved.
  [[nodiscard]] std::optional<IdleRemedy> exchange() const {
    const bool in_order = (idle_.rule < idle_.by) == (rule().span.begin < other().span.begin);
    if (rule().kind != other().kind || !in_order || !assign_.selection.language->order_matters) return std::nullopt;
    ir::Selection edited = assign_.selection;
    std::swap(edited.rules[idle_.rule], edited.rules[idle_.by]);
    if (!works(edited, idle_.by)) return std::nullopt;
    const std::string_view where = idle_.rule > idle_.by ? "before" : "after";
    return IdleRemedy{fmt::format("move `{}` {} `{}`", rule().entry, where, other().entry), {}, {}};
  }

  [[nodiscard]] std::optional<IdleRemedy> rewritten(std::uint32_t number, const std::string& text) const {
    ir::Selection edited = assign_.selection;
    edited.rules[number].entry = text;
    if (!works(edited, idle_.rule)) return std::nullopt;
    return IdleRemedy{fmt::format("write `{}` in place of `{}`", text, assign_.selection.rules[number].entry),
                      assign_.selection.rules[number].span, text};
  }

  // Some systems apply full names before other entries, and parts of names in the order of the file.
  [[nodiscard]] std::optional<IdleRemedy> partial_name() const {
    const std::size_t dot = rule().entry.find('.');
    const bool name = rule().entry.find_first_of("*[]()|\\^$?+:") == std::string::npos;
    return name && dot != std::string::npos ? rewritten(idle_.rule, rule().entry.substr(dot + 1)) : std::nullopt;
  }

  // The same, if the other entry comes later and so decides.
  [[nodiscard]] std::optional<IdleRemedy> moved_partial_name() const {
    const std::size_t dot = rule().entry.find('.');
    const bool name = rule().entry.find_first_of("*[]()|\\^$?+:") == std::string::npos;
    if (!name || dot == std::string::npos || idle_.rule > idle_.by) return std::nullopt;
    ir::Selection edited = assign_.selection;
    ir::Rule moved = rule();
    moved.entry = rule().entry.substr(dot + 1);
    edited.rules.erase(edited.rules.begin() + idle_.rule);
    edited.rules.insert(edited.rules.begin() + idle_.by, moved);
    if (!works(edited, idle_.by)) return std::nullopt;
    return IdleRemedy{fmt::format("write it as `{}` after `{}`", moved.entry, other().entry), {}, {}};
  }

  static std::string_view mark_of(std::string_view entry) {
    for (const std::string_view mark : {"re:", "+:", "-:"}) {
      if (entry.starts_with(mark)) return mark;
    }
    return {};
  }

  // A pattern that is compared with the start of names leaves out the matches of another one after `(?!...)`.
  [[nodiscard]] std::optional<IdleRemedy> lookahead() const {
    const std::string_view mark = mark_of(other().entry);
    const std::string_view own = mark_of(rule().entry);
    if (mark.empty() || own.empty()) return std::nullopt;
    const std::string pattern = rule().entry.substr(own.size());
    const std::size_t dot = pattern.rfind("\\.");
    const std::string last = dot == std::string::npos ? pattern : ".*" + pattern.substr(dot + 2);
    const std::string rest = other().entry.substr(mark.size());
    for (const std::string& left_out : {pattern, last}) {  // GPTQModel also compares the last part of names
      for (const std::string_view anchor : {"", "^"}) {    // and searches in a name
        if (auto out = rewritten(idle_.by, fmt::format("{}{}(?!{}){}", mark, anchor, left_out, rest))) return out;
      }
    }
    return std::nullopt;
  }

  const ir::Assign& assign_;
  const IdleRule& idle_;
  std::span<const model::Module> modules_;
  ir::Decisions before_;
};

}  // namespace

std::optional<IdleRemedy> remedy_for_idle(const ir::Assign& assign, const IdleRule& idle,
                                          std::span<const model::Module> modules) {
  return assign.selection.language == nullptr ? std::nullopt : Remedies(assign, idle, modules).find();
}

}  // namespace sparsecfg::check
