#include "ask.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string_view>

#include "cmd/cli.h"

namespace sparsecfg::golden {

Answer ask(const std::string& command, const Case& test, const std::string& text, const Arguments& arguments) {
  std::istringstream in(text);
  std::ostringstream out;
  std::ostringstream err;
  const int status = cmd::run(with({command, "-", "--stdin-filename", test.path}, arguments), in, out, err);
  return {status, out.str()};
}

nlohmann::json findings_of(const Case& test, const std::string& text, const Arguments& arguments) {
  using Json = nlohmann::json;
  const Answer answer = ask("validate", test, text, with({"--format", "json"}, arguments));
  Json all = Json::array();
  const Json report = Json::parse(answer.out, nullptr, false);
  for (const Json& file : report.value("files", Json::array())) {
    for (const Json& each : file["diagnostics"]) all.push_back(each);
  }
  return all;
}

Arguments reading_arguments(const Case& test) {
  constexpr std::array<std::string_view, 9> kRead = {
      "--from",    "--framework",       "--nni",    "--set",     "--params",
      "--modules", "--steps-per-epoch", "--epochs", "--max-size"};
  Arguments arguments;
  std::istringstream line(read_or_empty(test.sidecar(".args")));
  for (std::string word, value; line >> word;) {
    if (std::ranges::find(kRead, word) == kRead.end() || !(line >> value)) continue;
    if (value.find(':') != std::string::npos) continue;  // what `rescale` takes under the same name
    if (const std::size_t at = value.find("{dir}"); at != std::string::npos) {
      value.replace(at, std::string_view("{dir}").size(), test.dialect);
    }
    arguments.insert(arguments.end(), {word, value});
  }
  return arguments;
}

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string timeline_of(const Case& test, const std::string& text, const Arguments& arguments) {
  const bool counted = std::ranges::find(arguments, "--steps-per-epoch") != arguments.end();
  const Arguments steps = counted ? Arguments{} : Arguments{"--steps-per-epoch", "7"};
  const Answer answer = ask("timeline", test, text, with(with({"--format", "csv"}, steps), arguments));
  return answer.status == 0 ? answer.out : "";
}

void RecipeTest::fail(const std::string& what) {
  std::cout << fmt::format("{}: {}\n", test_.path, what);
  valid_ = false;
}

int test_recipes(const std::function<std::optional<bool>(const Case&)>& test) {
  std::filesystem::current_path(testdata());
  std::size_t failed = 0;
  std::size_t all = 0;
  for (const Case& each : find_cases()) {
    const auto passed = each.command == "validate" ? test(each) : std::nullopt;
    all += passed ? 1 : 0;
    failed += passed == false ? 1 : 0;
  }
  std::cout << fmt::format("{} of {} recipes failed\n", failed, all);
  return failed == 0 && all > 0 ? 0 : 1;
}

}  // namespace sparsecfg::golden
