#include "regex/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <cstddef>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "regex/plain_syntax.h"
#include "regex/syntax_tree.h"

namespace sparsecfg::regex {

// A match within the first of these limits is free. Otherwise it restarts with the next limit, which is subtracted from
// the pattern's budget. The budget thus bounds the steps of all matches together. PCRE2 reports whether a limit was
// reached, but not the number of steps.
constexpr std::array<std::uint32_t, 3> kStepLimits = {2'000, 20'000, 100'000};
constexpr std::uint32_t kBudget = 10'000'000;
constexpr std::uint32_t kMatchesBeforeMachineCode = 32;
constexpr std::uint32_t kMatchesBeforeText = 4;  // parsing the pattern is as slow as a few matches
constexpr std::uint32_t kDepthLimit = 10'000;
constexpr std::uint32_t kHeapLimit = 16 * 1024;  // KiB

struct Free {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }

  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }

  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }

  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
template <class T>
using Handle = std::unique_ptr<T, Free>;

struct Pattern::Impl {
  Handle<pcre2_code> code;
  std::uint32_t budget = kBudget;
  std::uint32_t matches = 0;  // so far
  std::string python_pattern;
  std::uint32_t looks = 0;                   // at names, until the required text is computed
  std::optional<std::string> required_text;  // by the pattern

  bool lacks_text(std::string_view subject);
  int run(std::string_view subject, std::uint32_t step_limit);
};

static Handle<pcre2_code> compile_translated(std::string_view pattern, Anchoring anchoring) {
  // For `(?=a)x*a` PCRE2 10.42 requires two a before it matches, so "a" fails.
  const bool looks_ahead = pattern.find("(?=") != std::string_view::npos;
  // In Python only \n ends a line. With the flag m, `^` matches after each one, including the last.
  const std::uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED | PCRE2_ALT_CIRCUMFLEX |
                                (anchoring == Anchoring::both ? PCRE2_ENDANCHORED : 0) |
                                (looks_ahead ? PCRE2_NO_START_OPTIMIZE : 0);
  const Handle<pcre2_compile_context> context(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_compile_extra_options(context.get(), PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
  int error = 0;
  std::size_t offset = 0;
  return Handle<pcre2_code>(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), options, &error,
                                          &offset, context.get()));
}

std::variant<Pattern, SyntaxError> Pattern::compile(std::string_view python_pattern, Anchoring anchoring) {
  const auto translation = translate(python_pattern);
  if (const auto* error = std::get_if<SyntaxError>(&translation)) {
    return *error;
  }
  auto impl = std::make_unique<Impl>();
  impl->code = compile_translated(std::get<std::string>(translation), anchoring);
  if (!impl->code) {
    return SyntaxError{"the pattern is too large or too complex for the matcher", 0, true};
  }
  impl->python_pattern = python_pattern;
  return Pattern(std::move(impl));
}

Pattern::Pattern(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

// PCRE2 needs at least 20 KiB for a match, too much for each of thousands of patterns.
struct Matching {
  Handle<pcre2_match_context> limits{pcre2_match_context_create(nullptr)};
  Handle<pcre2_match_data> data{pcre2_match_data_create(1, nullptr)};  // the match position is not needed

  Matching() {
    pcre2_set_depth_limit(limits.get(), kDepthLimit);
    pcre2_set_heap_limit(limits.get(), kHeapLimit);
  }
};

// The data that no match uses at the moment.
class IdleMatching {
 public:
  [[nodiscard]] std::unique_ptr<Matching> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Matching>();
    auto out = std::move(idle_.back());
    idle_.pop_back();
    return out;
  }

  void put_back(std::unique_ptr<Matching> matching) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(matching));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Matching>> idle_;
};

// Returns true if a name does not contain the text that each match contains, which is found out much faster than by
// matching.
bool Pattern::Impl::lacks_text(std::string_view subject) {
  if (!required_text && ++looks <= kMatchesBeforeText) return false;
  if (!required_text) required_text = regex::required_text(python_pattern);
  return subject.find(*required_text) == subject.npos && subject.find('\n') == subject.npos;
}

// JIT compilation is as slow as some dozens of interpreted matches. If the system forbids it, the interpreter is
// used.
int Pattern::Impl::run(std::string_view subject, std::uint32_t step_limit) {
  if (++matches == kMatchesBeforeMachineCode) pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  static IdleMatching idle;
  auto matching = idle.take();
  pcre2_set_match_limit(matching->limits.get(), step_limit);
  const auto match = [&](std::uint32_t options) {
    return pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(subject.data()), subject.size(), 0, options,
                       matching->data.get(), matching->limits.get());
  };
  // The JIT stack is small; the interpreter is bounded by the heap limit.
  int result = match(0);
  if (result == PCRE2_ERROR_JIT_STACKLIMIT) result = match(PCRE2_NO_JIT);
  idle.put_back(std::move(matching));
  return result;
}

Match Pattern::match(std::string_view subject) const {
  if (impl_->lacks_text(subject)) {
    return Match::no;
  }
  for (const std::uint32_t limit : kStepLimits) {
    if (limit > kStepLimits.front()) {
      if (impl_->budget < limit) {
        return Match::gave_up;
      }
      impl_->budget -= limit;
    }
    const int result = impl_->run(subject, limit);
    if (result != PCRE2_ERROR_MATCHLIMIT) {
      return result >= 0 ? Match::yes : result == PCRE2_ERROR_NOMATCH ? Match::no : Match::gave_up;
    }
  }
  return Match::gave_up;
}

std::optional<SyntaxError> syntax_error_of(std::string_view python_pattern) {
  if (is_plain_syntax(python_pattern)) {
    return std::nullopt;
  }
  auto compiled = Pattern::compile(python_pattern, Anchoring::start);
  auto* error = std::get_if<SyntaxError>(&compiled);
  return error == nullptr ? std::nullopt : std::optional(std::move(*error));
}

// Each repeat without a small upper limit can multiply the work by the length of the name.
constexpr std::size_t kHarmless = 4;
constexpr std::uint64_t kNarrow = 2;

namespace {

class Inspection {
 public:
  void visit(const Node& node, bool repeated) {
    const bool repeats =
        node.kind == Node::Kind::repeat && node.count.max >= kNarrow && node.count.max != node.count.min;
    const bool chooses = node.kind == Node::Kind::either && node.parts.size() > 1;
    choices_ += repeats ? 1 : 0;
    nested_ = nested_ || (repeated && (repeats || chooses));
    for (const Node& part : node.parts) {
      visit(part, repeated || (node.kind == Node::Kind::repeat && node.count.max >= kNarrow));
    }
  }

  [[nodiscard]] bool is_suspect() const { return nested_ || choices_ > kHarmless; }

 private:
  std::size_t choices_ = 0;
  bool nested_ = false;
};

}  // namespace

bool may_backtrack(std::string_view python_pattern) {
  const auto parsed = parse(python_pattern);
  const auto* node = std::get_if<Node>(&parsed);
  if (node == nullptr) {
    return true;
  }
  Inspection inspection;
  inspection.visit(*node, false);
  return inspection.is_suspect();
}

}  // namespace sparsecfg::regex
