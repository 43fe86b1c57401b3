#include "diff/report.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "ir/describe.h"

namespace sparsecfg::diff {

static std::size_t weights_concerned(const Difference& difference) {
  std::set<std::string> names;
  for (const Change& change : difference.changes) names.insert(change.weights.begin(), change.weights.end());
  return names.size();
}

std::string verdict(const Difference& difference) {
  if (difference.same_text && difference.changes.empty()) {
    return "the same text";
  }
  if (difference.same()) {
    return difference.outcomes ? "the same outcome, written differently" : "the same schedule, written differently";
  }
  if (difference.changes.empty()) {
    return "not compared: " + difference.not_compared.front();
  }
  const std::size_t weights = weights_concerned(difference);
  const bool count = difference.model && weights > 0;
  return base::counted(difference.changes.size(), "change") +
         (count
              ? fmt::format(", in {} of {} {}", weights, difference.weights, difference.outcomes ? "layers" : "weights")
              : "");
}

static std::string at_step(std::uint64_t step, const timeline::Run& run) {
  return fmt::format("step {} (epoch {})", step, base::python_repr(run.epoch_of(step)));
}

static std::string value_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "no number";
}

// "0.8 -> 0.75 at step 300 (epoch 30.0)"
static std::string largest_text(const Divergence& divergence, const timeline::Run& run) {
  return fmt::format("{} -> {} at {}", value_text(divergence.before), value_text(divergence.after),
                     at_step(divergence.at, run));
}

// Returns the notes and the number of compared steps.
static std::vector<std::string> comparison_lines(const Difference& difference) {
  std::vector<std::string> out = difference.notes;
  const std::size_t stated = difference.changes.empty() ? 1 : 0;  // the verdict states the first reason
  for (std::size_t at = stated; at < difference.not_compared.size(); ++at)
    out.push_back("not compared: " + difference.not_compared[at]);
  if (difference.run) {
    const std::uint64_t all = std::max(difference.run->steps(), difference.other_run->steps());
    const std::string part = difference.stopped ? fmt::format("{} of ", *difference.stopped) : "";
    out.push_back(fmt::format("compared: {}{} steps, {} per epoch", part, all, difference.run->steps_per_epoch));
  }
  return out;
}

// --- text -------------------------------------------------------------------------------------------

// "GMPruningModifier#2 (line 8): epochs 0.0 to 30.0, every 0.5: sparsity to 0.85, cubic (fast at first); filters"
static std::string line_of(const ir::Action& action, const source::SourceFile& file) {
  return fmt::format("{} (line {}): {}", ir::printable_name(action.origin),
                     file.position(action.origin.span.begin).line, ir::describe(action));
}

static void add_actions(std::string& out, std::string_view side, const std::vector<std::size_t>& actions,
                        const Compilation& compilation) {
  constexpr std::size_t kMaxShown = 5;
  for (std::size_t at = 0; at < std::min(actions.size(), kMaxShown); ++at) {
    out += fmt::format("  {} {}\n", side, line_of(compilation.recipe->actions[actions[at]], *compilation.file));
  }
  if (actions.size() > kMaxShown) {
    out += fmt::format("  {} {} more\n", side, actions.size() - kMaxShown);
  }
}

// Returns true if a change concerns one action whose description is the same in both recipes, so that only the details
// tell them apart.
static bool has_equal_actions(const Change& change, const Compilation& before, const Compilation& after) {
  return change.kind == Change::Kind::action && change.before.size() == 1 && change.after.size() == 1 &&
         !change.details.empty() && change.what.find(' ') == std::string::npos &&
         ir::describe(before.recipe->actions[change.before.front()]) ==
             ir::describe(after.recipe->actions[change.after.front()]);
}

// Returns " (line 4)", or " (line 4 -> 7)" if the lines differ.
static std::string lines_text(const Change& change, const Compilation& before, const Compilation& after) {
  const auto line = [](std::size_t action, const Compilation& compilation) {
    return compilation.file->position(compilation.recipe->actions[action].origin.span.begin).line;
  };
  const auto one = line(change.before.front(), before);
  const auto other = line(change.after.front(), after);
  return one == other ? fmt::format(" (line {})", one) : fmt::format(" (line {} -> {})", one, other);
}

// Returns true if the descriptions of the actions are the same in both recipes, so that the change shows elsewhere.
static bool have_equal_lines(const Change& change, const Compilation& before, const Compilation& after) {
  const auto text = [](const Compilation& compilation) {
    return [&](std::size_t at) {
      const ir::Action& action = compilation.recipe->actions[at];
      return ir::printable_name(action.origin) + ir::describe(action);
    };
  };
  const auto one = text(before);
  const auto other = text(after);
  return !change.before.empty() && std::ranges::equal(change.before, change.after, {}, one, other);
}

// Adds the actions that a change concerns: once if their descriptions are equal.
static void add_sides(std::string& out, const Change& change, const Compilation& before, const Compilation& after) {
  if (have_equal_lines(change, before, after)) return add_actions(out, "by", change.after, after);
  add_actions(out, "-", change.before, before);
  add_actions(out, "+", change.after, after);
}

std::string report_text(const Difference& difference, const Compilation& before, const Compilation& after,
                        const Names& names) {
  std::string out;
  if (!difference.changes.empty()) {
    out += fmt::format("--- {}\n+++ {}\n\n", base::printable(names.before), base::printable(names.after));
  }
  for (const Change& change : difference.changes) {
    const bool equal = has_equal_actions(change, before, after);
    out += change.what + (equal ? lines_text(change, before, after) : "") + "\n";
    if (!equal) add_sides(out, change, before, after);
    if (change.divergence) {
      out += fmt::format("  first difference at {}\n  largest difference: {}\n",
                         at_step(change.divergence->first, *difference.run),
                         largest_text(*change.divergence, *difference.run));
    }
    for (const std::string& detail : change.details) {
      out += "  " + detail + "\n";
    }
    out += "\n";
  }
  for (const std::string& line : comparison_lines(difference)) {
    out += line + "\n";
  }
  return out + verdict(difference) + "\n";
}

// --- Markdown ---------------------------------------------------------------------------------------

// Escapes text for a cell of a Markdown table. Names in a recipe and of files must not become links.
static std::string cell(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
      {"|", "\\|"}, {"<", "&lt;"}, {"](", "]&#40;"}, {"][", "]&#91;"}, {"://", "&#58;//"}, {"www.", "www&#46;"}};
  std::string out;
  while (!text.empty()) {
    const auto* escape = std::ranges::find_if(kEscapes, [&](const auto& each) { return text.starts_with(each.first); });
    const bool plain = escape == std::end(kEscapes);
    out += plain ? text.substr(0, 1) : escape->second;
    text.remove_prefix(plain ? 1 : escape->first.size());
  }
  return out;
}

static std::string actions_cell(const std::vector<std::size_t>& actions, const Compilation& compilation) {
  std::string out;
  for (const std::size_t action : actions) {
    out += (out.empty() ? "" : "<br>") + cell(line_of(compilation.recipe->actions[action], *compilation.file));
  }
  return out;
}

static std::string change_cell(const Change& change, const Difference& difference) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "<br>") + cell(text); };
  if (change.divergence) {
    add("first difference at " + at_step(change.divergence->first, *difference.run));
    add("largest difference: " + largest_text(*change.divergence, *difference.run));
  }
  for (const std::string& detail : change.details) add(detail);
  return out;
}

std::string report_markdown(const Difference& difference, const Compilation& before, const Compilation& after,
                            const Names& names) {
  std::string out = fmt::format("**{}**: {}\n", cell(base::printable(names.after)), verdict(difference));
  if (!difference.changes.empty()) {
    out += fmt::format("\n| what | {} | {} | change |\n| --- | --- | --- | --- |\n",
                       cell(base::printable(names.before)), cell(base::printable(names.after)));
  }
  for (const Change& change : difference.changes) {
    out += fmt::format("| {} | {} | {} | {} |\n", cell(change.what), actions_cell(change.before, before),
                       actions_cell(change.after, after), change_cell(change, difference));
  }
  for (const std::string& line : comparison_lines(difference)) {
    out += fmt::format("\n{}\n", cell(line));
  }
  return out;
}

}  // namespace sparsecfg::diff
