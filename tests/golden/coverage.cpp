// Every diagnostic of the catalogue has a case that provokes it, and a near miss: a recipe that
// comes close and is left alone, testdata/validate/<dialect>/near-<code>-<what>.{yaml,md}.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "cases.h"
#include "diag/catalog.h"

namespace sparsecfg::golden {

enum class Need { provoked, near_miss };

// A need that no case can meet, and why. One that a case does meet has to go.
struct Exemption {
  std::string_view code;
  Need need;
  std::string_view reason;
};

static constexpr Exemption kExemptions[] = {
    {"SP014", Need::provoked,
     "takes a file of megabytes or a hundred brackets; the reader's unit tests pass each limit"},
    {"SP014", Need::near_miss, "the same, one byte or bracket less"},
};

static bool is_exempt(std::string_view code, Need need) {
  return std::ranges::any_of(kExemptions, [&](const Exemption& e) { return e.code == code && e.need == need; });
}

// The codes that stand as `[SP104]` in an output.
static std::set<std::string> codes_in(std::string_view output) {
  constexpr std::size_t kSize = 5;
  std::set<std::string> codes;
  for (std::size_t at = output.find('['); at != std::string_view::npos; at = output.find('[', at + 1)) {
    const std::string_view word = output.substr(at + 1, kSize);
    if (output.substr(at + 1 + word.size()).starts_with(']') && diag::find(word) != nullptr) {
      codes.emplace(word);
    }
  }
  return codes;
}

namespace {

class Coverage {
 public:
  void add(const Case& test) {
    const std::set<std::string> codes =
        codes_in(read_or_empty(test.sidecar(".out")) + read_or_empty(test.sidecar(".err")));
    provoked_.insert(codes.begin(), codes.end());
    if (test.command == "validate" && test.stem.starts_with("near-")) {
      add_near_miss(test, codes);
    }
  }

  void check(std::string_view code, Need need) {
    const bool met = (need == Need::provoked ? provoked_ : near_missed_).contains(std::string(code));
    const std::string_view what = need == Need::provoked ? "a case that provokes it" : "a near miss";
    if (met && is_exempt(code, need)) {
      fail(fmt::format("{}: has {}, so its exemption can go", code, what));
    } else if (!met && !is_exempt(code, need)) {
      fail(fmt::format("{}: lacks {}", code, what));
    }
  }

  void fail(const std::string& message) {
    std::cout << message << '\n';
    ++failures_;
  }

  [[nodiscard]] int failures() const { return failures_; }

 private:
  void add_near_miss(const Case& test, const std::set<std::string>& codes) {
    constexpr std::size_t kPrefix = std::string_view("near-").size();
    const std::string code = test.stem.substr(kPrefix, test.stem.find('-', kPrefix) - kPrefix);
    if (diag::find(code) == nullptr) {
      fail(fmt::format("{}: there is no diagnostic {}", test.path, code));
    } else if (codes.contains(code)) {
      fail(fmt::format("{}: no near miss, {} is reported", test.path, code));
    } else {
      near_missed_.insert(code);
    }
  }

  std::set<std::string> provoked_;
  std::set<std::string> near_missed_;
  int failures_ = 0;
};

}  // namespace

static int main() {
  std::filesystem::current_path(testdata());
  Coverage coverage;
  for (const Case& test : find_cases()) {
    coverage.add(test);
  }
  for (const diag::Info* info : diag::catalog()) {
    coverage.check(info->code, Need::provoked);
    coverage.check(info->code, Need::near_miss);
  }
  for (const std::string& path : misplaced_files()) {
    coverage.fail(path + ": belongs to no case, or to two");
  }
  std::cout << fmt::format("{} diagnostics, {} failures, {} exemptions\n", diag::catalog().size(), coverage.failures(),
                           std::size(kExemptions));
  return coverage.failures() == 0 ? 0 : 1;
}

}  // namespace sparsecfg::golden

int main() { return sparsecfg::golden::main(); }
