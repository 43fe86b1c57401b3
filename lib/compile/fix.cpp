#include "compile/fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "base/limits.h"
#include "base/text.h"
#include "compile/model.h"
#include "diag/levels.h"
#include "outcome/difference.h"
#include "source/edits.h"

namespace sparsecfg {

using diag::Edit;
using diag::Fix;

// Returns true if two edits conflict. Two insertions at the same offset conflict because their order is undefined.
static bool clash(const Edit& a, const Edit& b) {
  return a.span == b.span || (a.span.begin < b.span.end && b.span.begin < a.span.end);
}

// Returns true if any edits of two fixes conflict. Merges the two lists, since the edits of each fix are sorted.
static bool clash(const Fix& a, const Fix& b) {
  auto one = a.edits.begin();
  auto other = b.edits.begin();
  while (one != a.edits.end() && other != b.edits.end() && !clash(*one, *other)) {
    ++(one->span < other->span ? one : other);
  }
  return one != a.edits.end() && other != b.edits.end();
}

// Returns true for findings about text that is not read before it is fixed, so that other errors in it appear only
// then.
static bool hides_others(const diag::Diagnostic& finding) {
  static constexpr std::string_view kHiding[] = {"SP0",   "SP102", "SP106", "SP107", "SP108", "SP111", "SP116",
                                                 "SP405", "SP905", "DP911", "LC101", "LC102", "LC103"};
  return std::ranges::any_of(kHiding, [&](std::string_view code) { return finding.info->code.starts_with(code); });
}

using Findings = std::vector<const diag::Diagnostic*>;

// Returns the findings whose fixes to apply. Of overlapping fixes only the first is chosen. While a part of the recipe
// is not read, warnings may follow from that.
static Findings choose(std::span<const diag::Diagnostic> diagnostics, bool unsafe) {
  Findings chosen;
  const bool partly_read = std::ranges::any_of(diagnostics, [](const diag::Diagnostic& each) {
    return each.severity == diag::Severity::error && hides_others(each);
  });
  for (const diag::Diagnostic& diagnostic : diagnostics) {
    const auto clashes = [&](const diag::Diagnostic* other) { return clash(other->fix, diagnostic.fix); };
    const bool sure = !partly_read || hides_others(diagnostic) || diagnostic.severity == diag::Severity::error;
    if (diag::is_fixable(diagnostic, unsafe) && sure && chosen.size() < limits::kMaxFixes &&
        std::ranges::none_of(chosen, clashes)) {
      chosen.push_back(&diagnostic);
    }
  }
  return chosen;
}

static std::string apply(std::string_view text, std::span<const diag::Diagnostic* const> findings) {
  std::vector<Edit> edits;
  for (const diag::Diagnostic* finding : findings) {
    edits.insert(edits.end(), finding->fix.edits.begin(), finding->fix.edits.end());
  }
  return source::apply_edits(text, std::move(edits));
}

// Returns true for warnings about selectors, which a rewritten selector must not cause.
static bool is_about_names(const diag::Diagnostic& finding) {
  static constexpr std::string_view kNames[] = {"SP6", "MD", "LC8"};
  return std::ranges::any_of(kNames, [&](std::string_view code) { return finding.info->code.starts_with(code); });
}

// Compares the findings of a recipe before and after one fix.
class FixTest {
 public:
  explicit FixTest(const Compilation& before) : before_(before) {
    for (const diag::Diagnostic& each : before.diagnostics) ++known_[key_of(each)];
  }

  enum class Result : std::uint8_t {
    passes,
    reveals,  // the finding is gone, and errors of other lines appear that it may have hidden
    fails,
  };

  [[nodiscard]] Result result(const diag::Diagnostic& finding, const Compilation& after) const {
    const bool lost = (before_.recipe && !after.recipe) || (before_.runs() && !after.runs()) || after.skipped;
    if (lost || before_.several != after.several || leaves_syntax_error(finding, after)) {
      return Result::fails;
    }
    bool reveals = false;
    std::map<Key, std::size_t> found;
    const std::set<std::uint32_t> lines = edited_lines(finding, after);
    for (const diag::Diagnostic& each : after.diagnostics) {
      const bool is_new = ++found[key_of(each)] > known_of(key_of(each));
      const bool here = lines.contains(after.file->position(each.span.begin).line);
      if (!is_new || !is_harm(finding, each, here)) continue;
      if ((here && !continues(finding, each)) || finding.severity != diag::Severity::error) return Result::fails;
      reveals = true;
    }
    const bool gone = found[key_of(finding)] < known_of(key_of(finding));
    return !gone ? Result::fails : reveals ? Result::reveals : Result::passes;
  }

 private:
  using Key = std::pair<std::string_view, std::string_view>;  // code and message

  static Key key_of(const diag::Diagnostic& finding) { return {finding.info->code, finding.message}; }

  [[nodiscard]] std::size_t known_of(const Key& key) const {
    const auto found = known_.find(key);
    return found == known_.end() ? 0 : found->second;
  }

  // A guess about the syntax must be the last one.
  static bool leaves_syntax_error(const diag::Diagnostic& finding, const Compilation& after) {
    return finding.info == &diag::syntax_error.info && finding.fix.kind == Fix::Kind::unsafe &&
           std::ranges::find(after.diagnostics, finding.info, &diag::Diagnostic::info) != after.diagnostics.end();
  }

  static bool is_harm(const diag::Diagnostic& finding, const diag::Diagnostic& appeared, bool here) {
    if (hides_others(finding)) return here && appeared.info == finding.info;
    return appeared.severity == diag::Severity::error ||
           (here && appeared.severity == diag::Severity::warning && is_about_names(appeared));
  }

  // Returns true for a warning about a value that was not read before, if it has a fix.
  static bool continues(const diag::Diagnostic& finding, const diag::Diagnostic& appeared) {
    return finding.info == &diag::wrong_type.info && appeared.severity == diag::Severity::warning &&
           !appeared.fix.edits.empty();
  }

  // Returns the lines of the fixed text that the edits touched.
  static std::set<std::uint32_t> edited_lines(const diag::Diagnostic& finding, const Compilation& after) {
    std::set<std::uint32_t> lines;
    std::ptrdiff_t shift = 0;
    for (const Edit& edit : finding.fix.edits) {
      const auto begin = static_cast<std::uint32_t>(static_cast<std::ptrdiff_t>(edit.span.begin) + shift);
      const std::uint32_t first = after.file->position(begin).line;
      const std::uint32_t last = after.file->position(begin + static_cast<std::uint32_t>(edit.text.size())).line;
      for (std::uint32_t line = first; line <= last; ++line) lines.insert(line);
      shift +=
          static_cast<std::ptrdiff_t>(edit.text.size()) - static_cast<std::ptrdiff_t>(edit.span.end - edit.span.begin);
    }
    return lines;
  }

  const Compilation& before_;
  std::map<Key, std::size_t> known_;
};

// Returns the outcome changes that a fix causes, for recipes that the framework runs as they are.
class OutcomeTest {
 public:
  OutcomeTest(const Compilation& before, const CompileOptions& options)
      : before_(before), modules_(options.read.modules) {
    applies_ = before.recipe && before.runs() && outcome::has_outcome(*before.recipe);
    if (applies_ && modules_ != nullptr) state_ = outcome::evaluate(*before.recipe, *modules_);
  }

  // Returns the changes in words: "224 layers: int4 -> 16 bits".
  [[nodiscard]] std::vector<std::string> changes_by(const Compilation& after) const {
    std::vector<std::string> out;
    if (!applies_ || !after.recipe || (!state_ && !before_.recipe->units.empty())) return out;
    const outcome::Difference found =
        state_ ? outcome::difference(*state_, outcome::evaluate(*after.recipe, *modules_), *modules_)
               : outcome::symbolic_difference(*before_.recipe, *after.recipe);
    for (const outcome::Change& change : found.changes) out.push_back(change.what);
    return out;
  }

 private:
  const Compilation& before_;
  std::shared_ptr<const std::vector<model::Module>> modules_;  // null: unknown
  bool applies_ = false;
  std::optional<outcome::Outcome> state_;
};

// States the promise of a fix that changes the outcome. Such a fix is not safe.
static void state_changes(diag::Diagnostic& finding, const std::vector<std::string>& changes) {
  constexpr std::size_t kMaxShown = 3;
  if (changes.empty()) return;
  finding.fix.kind = Fix::Kind::unsafe;
  const std::size_t shown = std::min(changes.size(), kMaxShown);
  std::string text(changes.front());
  for (std::size_t at = 1; at < shown; ++at) text += "; " + changes[at];
  if (shown < changes.size()) text += fmt::format("; and {} more changes", changes.size() - shown);
  std::erase(text, '`');  // the names are no values to write
  const std::string promise = fmt::format(" (this changes {})", text);
  if (!finding.help.ends_with(promise)) finding.help += promise;
}

// Removes a fix that failed. A help line that names the value of the fix would fail in the same way, unless the fix
// only reveals other errors.
static void withdraw(diag::Diagnostic& finding, FixTest::Result result) {
  const auto is_named = [&](const Edit& edit) {
    std::string_view value = edit.text;
    if (value.starts_with('"') || value.starts_with('\'')) value = value.substr(1, value.size() - 2);
    return !value.empty() && finding.help.find(value) != std::string::npos;
  };
  const bool fails = result == FixTest::Result::fails;
  if (fails && std::ranges::any_of(finding.fix.edits, is_named)) finding.help = finding.usual_help;
  finding.fix = {};
}

// Returns the options with the names of the model with which a recipe was compiled.
static CompileOptions with_modules_of(const Compilation& compilation, CompileOptions options) {
  use_model_of(compilation, options);
  return options;
}

void test_fixes(Compilation& compilation, const CompileOptions& options,
                const std::function<bool(const diag::Diagnostic&)>& wanted) {
  const bool large_model = options.parameters != nullptr || options.modules != nullptr;
  std::size_t tests = large_model ? limits::kMaxFixTests / 4 : limits::kMaxFixTests;
  std::size_t bytes = limits::kMaxFixTestBytes;
  std::vector<std::pair<diag::Diagnostic*, FixTest::Result>> failed;
  CompileOptions same = options;
  if (compilation.recipes.size() < 2) {  // the fixed text has the same model, which need not be found again
    same.model = compilation.model;
    same.find_model = nullptr;
  }
  const FixTest test(compilation);
  const OutcomeTest outcomes(compilation, with_modules_of(compilation, options));
  for (diag::Diagnostic& finding : compilation.diagnostics) {
    const diag::Diagnostic* one = &finding;
    const std::size_t size = compilation.file->text().size();
    const bool tested = !compilation.skipped && !finding.fix.edits.empty() && wanted(finding);
    if (!tested || tests == 0 || size > bytes) continue;
    --tests;
    bytes -= size;
    const std::span<const diag::Diagnostic* const> single(&one, 1);
    const Compilation after = compile(compilation.file->name(), apply(compilation.file->text(), single), same);
    const FixTest::Result result = test.result(finding, after);
    if (result == FixTest::Result::passes) {
      state_changes(finding, outcomes.changes_by(after));
    } else {
      failed.emplace_back(&finding, result);
    }
  }
  for (const auto& [finding, result] : failed) withdraw(*finding, result);
}

class FixResolver {
 public:
  FixResolver(const CompileOptions& options, const FixOptions& fixes) : options_(options), fixes_(fixes) {}

  // A fix can make another one possible. The rounds end if the same recipe occurs again, because then fixes undo each
  // other.
  Fixed run(Compilation first) {
    Fixed fixed{std::move(first), {}};
    std::set<std::string, std::less<>> seen;
    for (std::size_t round = 0; round < limits::kMaxFixRounds && !fixed.result.skipped; ++round) {
      if (!seen.emplace(fixed.result.file->text()).second) break;
      test_fixes(fixed.result, options_);
      std::vector<diag::Diagnostic> counted = fixed.result.diagnostics;
      fixes_.filter(*fixed.result.file, counted);
      const Findings chosen = choose(counted, fixes_.unsafe);
      auto [next, findings] = attempt(fixed.result, chosen);
      if (!next) {
        break;
      }
      for (const diag::Diagnostic* each : findings) {
        fixed.applied.push_back({fixed.result.file->position(each->span.begin).line, each->info});
      }
      fixed.result = std::move(*next);
    }
    return fixed;
  }

 private:
  struct Attempt {
    std::optional<Compilation> next;  // nullopt if no fix can be applied
    std::span<const diag::Diagnostic* const> findings;
  };

  // Applies all fixes together. If that is harmful, applies only the first harmless one.
  [[nodiscard]] Attempt attempt(const Compilation& now, std::span<const diag::Diagnostic* const> chosen) {
    if (auto next = with(now, chosen)) {
      return {std::move(next), chosen};
    }
    for (std::size_t at = 0; chosen.size() > 1 && at < std::min(chosen.size(), limits::kMaxFixTries); ++at) {
      if (auto next = with(now, chosen.subspan(at, 1))) {
        return {std::move(next), chosen.subspan(at, 1)};
      }
    }
    return {};
  }

  [[nodiscard]] std::optional<Compilation> with(const Compilation& now,
                                                std::span<const diag::Diagnostic* const> findings) {
    std::string text = apply(now.file->text(), findings);
    if (text == now.file->text() || (bytes_ > 0 && bytes_ + text.size() > limits::kMaxFixBytes)) {
      return std::nullopt;
    }
    bytes_ += text.size();
    Compilation next = compile(now.file->name(), std::move(text), options_);
    const bool harms = (now.recipe && !next.recipe) || (now.runs() && !next.runs());
    return harms ? std::nullopt : std::optional(std::move(next));
  }

  const CompileOptions& options_;
  const FixOptions& fixes_;
  std::size_t bytes_ = 0;  // number of bytes compiled so far
};

Fixed fix(Compilation first, const CompileOptions& options, const FixOptions& fixes) {
  return FixResolver(options, fixes).run(std::move(first));
}

}  // namespace sparsecfg
