#include "compile/fix.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "diag/levels.h"

namespace sparsecfg {

using diag::Edit;
using diag::Fix;

// Maximum number of rounds. A fix can make another one possible. The rounds also end if the same recipe occurs again,
// because then fixes undo each other.
constexpr std::size_t kMaxRounds = 1000;
// Maximum number of fixes that are tried one by one if all of them together are harmful.
constexpr std::size_t kMaxTries = 50;
// Maximum number of bytes to recompile after the first attempt. Large recipes have fewer rounds and attempts.
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

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

using Findings = std::vector<const diag::Diagnostic*>;

// Returns the findings whose fixes to apply. Of overlapping fixes only the first is chosen.
static Findings choose(std::span<const diag::Diagnostic> diagnostics, bool unsafe) {
  constexpr std::size_t kMaxCount = 1000;  // the time for comparing all pairs is quadratic
  Findings chosen;
  for (const diag::Diagnostic& diagnostic : diagnostics) {
    const auto clashes = [&](const diag::Diagnostic* other) { return clash(other->fix, diagnostic.fix); };
    if (diag::is_fixable(diagnostic, unsafe) && chosen.size() < kMaxCount && std::ranges::none_of(chosen, clashes)) {
      chosen.push_back(&diagnostic);
    }
  }
  return chosen;
}

static std::string apply(std::string_view text, std::span<const diag::Diagnostic* const> findings) {
  std::vector<const Edit*> edits;
  for (const diag::Diagnostic* finding : findings) {
    for (const Edit& edit : finding->fix.edits) edits.push_back(&edit);
  }
  // Edits of one fix at the same offset keep their order.
  std::ranges::stable_sort(edits, {}, [](const Edit* edit) { return edit->span; });
  std::string out;
  std::size_t done = 0;
  for (const Edit* edit : edits) {
    out += text.substr(done, edit->span.begin - done);
    out += edit->text;
    done = edit->span.end;
  }
  return out += text.substr(done);
}

class FixResolver {
 public:
  FixResolver(const CompileOptions& options, const FixOptions& fixes) : options_(options), fixes_(fixes) {}

  Fixed run(Compilation first) {
    Fixed fixed{std::move(first), {}};
    std::set<std::string, std::less<>> seen;
    for (std::size_t round = 0; round < kMaxRounds && !fixed.result.skipped; ++round) {
      if (!seen.emplace(fixed.result.file->text()).second) break;
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
    for (std::size_t at = 0; chosen.size() > 1 && at < std::min(chosen.size(), kMaxTries); ++at) {
      if (auto next = with(now, chosen.subspan(at, 1))) {
        return {std::move(next), chosen.subspan(at, 1)};
      }
    }
    return {};
  }

  [[nodiscard]] std::optional<Compilation> with(const Compilation& now,
                                                std::span<const diag::Diagnostic* const> findings) {
    std::string text = apply(now.file->text(), findings);
    if (text == now.file->text() || (bytes_ > 0 && bytes_ + text.size() > kMaxBytes)) {
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
