// Every finding that a case prints says what to do.
// Every diagnostic of the catalogue has a case that provokes it, and a near miss: a recipe that
// comes close and is left alone, near-<code>-<what>.{yaml,md} in testdata/{validate,convert}/<dialect>.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cases.h"
#include "diag/catalog.h"

namespace sparsecfg::golden {

// The codes in the brackets of an output: `error[SP104]`, `approximated[PT001, PT005]`.
static std::set<std::string> codes_in(std::string_view output) {
  constexpr std::size_t kSize = 5;
  std::set<std::string> codes;
  for (std::size_t at = output.find('['); at != std::string_view::npos; at = output.find('[', at + 1)) {
    std::string_view rest = output.substr(at + 1);
    while (rest.size() > kSize && diag::find(rest.substr(0, kSize)) != nullptr &&
           (rest[kSize] == ']' || rest[kSize] == ',')) {
      codes.emplace(rest.substr(0, kSize));
      if (!rest.substr(kSize).starts_with(", ")) break;
      rest.remove_prefix(kSize + 2);
    }
  }
  return codes;
}

// Findings that are printed without a line that says what to do: "error[SP104]: ..." for each.
static std::vector<std::string> findings_without_help(std::string_view output) {
  std::vector<std::string> found;
  std::string heading;
  for (std::size_t at = 0; at <= output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    const std::string_view line = output.substr(at, end - at);
    const bool begins = line.starts_with("error[") || line.starts_with("warning[") || line.starts_with("info[");
    if (begins) heading = line;
    if (line.find("= help: ") != std::string_view::npos) heading.clear();
    if (line.empty() && !heading.empty()) found.push_back(std::exchange(heading, {}));
    at = end + 1;
  }
  return found;
}

// What tells of a fault of the program itself: no recipe provokes it.
static constexpr const diag::Info* kInternal[] = {&diag::type_unsafe_emission.info, &diag::round_trip_mismatch.info};

namespace {

class Coverage {
 public:
  void add(const Case& test) {
    const std::set<std::string> codes =
        codes_in(read_or_empty(test.sidecar(".out")) + read_or_empty(test.sidecar(".err")));
    provoked_.insert(codes.begin(), codes.end());
    for (const char* output : {".out", ".err"}) {
      for (const std::string& heading : findings_without_help(read_or_empty(test.sidecar(output)))) {
        fail(fmt::format("{}: no help: {}", test.path, heading));
      }
    }
    if ((test.command == "validate" || test.command == "convert") && test.stem.starts_with("near-")) {
      add_near_miss(test, codes);
    }
  }

  void check(std::string_view code) {
    if (!provoked_.contains(code)) {
      fail(fmt::format("{}: lacks a case that provokes it", code));
    }
    if (!near_missed_.contains(code)) {
      fail(fmt::format("{}: lacks a near miss", code));
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

  std::set<std::string, std::less<>> provoked_;
  std::set<std::string, std::less<>> near_missed_;
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
    if (std::ranges::find(kInternal, info) == std::end(kInternal)) coverage.check(info->code);
  }
  for (const std::string& path : misplaced_files()) {
    coverage.fail(path + ": belongs to no case, or to two");
  }
  std::cout << fmt::format("{} diagnostics, {} failures\n", diag::catalog().size(), coverage.failures());
  return coverage.failures() == 0 ? 0 : 1;
}

}  // namespace sparsecfg::golden

int main() { return sparsecfg::golden::main(); }
