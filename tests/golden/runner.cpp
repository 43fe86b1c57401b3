// Runs commands on the recipes in testdata and compares what they print with what is recorded.
//
//   golden [--update] [PATTERN]     PATTERN is the name of a case or a part of it
//   golden --shard K/N              every N-th case, from the K-th on, counted from 0
//   golden --until-failure CASE...  the cases of these names, until one fails
//   golden --list
//
// A case is testdata/<command>/<dialect>/<case>.{yaml,yml,md,json,py}, or in a folder below. Beside it stand <case>.out
// and <case>.err, the two outputs, absent where there is none, and <case>.args, one line of further
// arguments parted by spaces, in which {dir} is the folder of the dialect. Its name begins with `bad-`
// if and only if the command exits with 1, and with `refused-` if it exits with 2; all others exit with 0. What
// `validate --fix` would change stands in <case>.diff, and what it would with --unsafe-fixes in <case>.unsafe-diff,
// where that is more.

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cases.h"
#include "cmd/cli.h"
#include "difference.h"
#include "source/load.h"
#include "source/save.h"

namespace sparsecfg::golden {

struct Result {
  int status;
  std::string out;
  std::string err;
};

static std::vector<std::string> arguments_of(const Case& test, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{test.command, test.path};
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::istringstream line(read_or_empty(test.sidecar(".args")));
  for (std::string word; line >> word;) {
    if (const std::size_t at = word.find("{dir}"); at != std::string::npos) {
      word.replace(at, std::string_view("{dir}").size(), test.dialect);
    }
    arguments.push_back(word);
  }
  return arguments;
}

static Result run(const Case& test, const std::vector<std::string>& more = {}) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const int status = cmd::run(arguments_of(test, more), in, out, err);
  return {status, out.str(), err.str()};
}

static int expected_status(const Case& test) {
  if (test.stem.starts_with("refused-")) return 2;
  return test.stem.starts_with("bad-") ? 1 : 0;
}

// The prefix of the name and the exit status say the same.
static bool status_fits(const Case& test, const Result& result) {
  const int expected = expected_status(test);
  if (result.status == expected) {
    return true;
  }
  std::cout << fmt::format("{}: exit status {}, but the name says {}\n{}", test.path, result.status, expected,
                           result.status > 1 ? result.err : "");
  return false;
}

static bool compare(const std::string& path, const std::string& got) {
  const std::string text = difference(path, read_or_empty(path), got);
  std::cout << text;
  return text.empty();
}

static bool update(const std::string& path, const std::string& got) {
  if (got == read_or_empty(path)) {
    return true;
  }
  if (got.empty()) {
    std::filesystem::remove(path);
    std::cout << "removed " << path << '\n';
    return true;
  }
  const auto failure = source::write_file(path, got);
  std::cout << (failure ? "can't write " : "updated ") << path << (failure ? ": " + *failure : "") << '\n';
  return !failure;
}

// What would be fixed.
static bool handle_fixes(const Case& test, bool (*sidecar)(const std::string&, const std::string&)) {
  const std::string safe = run(test, {"--diff", "--verbose"}).out;
  const std::string all = run(test, {"--diff", "--verbose", "--unsafe-fixes"}).out;
  const bool fits = sidecar(test.sidecar(".diff"), safe);
  return sidecar(test.sidecar(".unsafe-diff"), all == safe ? "" : all) && fits;
}

static bool handle(const Case& test, bool updating) {
  const Result result = run(test);
  const auto sidecar = updating ? update : compare;
  const bool fixes = test.command != "validate" || handle_fixes(test, sidecar);
  const bool fits = status_fits(test, result);
  const bool out = sidecar(test.sidecar(".out"), result.out);
  const bool err = sidecar(test.sidecar(".err"), result.err);
  return fits && out && err && fixes;
}

// The case of exactly this name, else all whose names hold the pattern.
static std::vector<Case> select(const std::string& pattern) {
  std::vector<Case> out;
  for (const Case& test : find_cases()) {
    if (test.name() == pattern) return {test};
    if (test.name().find(pattern) != std::string::npos) {
      out.push_back(test);
    }
  }
  return out;
}

static int run_until_failure(const std::vector<std::string>& names) {
  std::map<std::string, Case> cases;
  for (const Case& test : find_cases()) cases.emplace(test.name(), test);
  for (const std::string& name : names) {
    if (!handle(cases.at(name), false)) return 1;
  }
  return 0;
}

static int list() {
  for (const Case& test : find_cases()) {
    std::cout << test.name() << '\n';
  }
  return 0;
}

// The cases of one shard, "2/8" for the third of eight; none if that is not how the shard is written.
static std::vector<Case> cases_of_shard(const std::string& shard) {
  std::size_t first = 0;
  std::size_t count = 0;
  char slash = 0;
  std::istringstream(shard) >> first >> slash >> count;
  std::vector<Case> out;
  const std::vector<Case> all = find_cases();
  for (std::size_t at = first; slash == '/' && count > 0 && at < all.size(); at += count) out.push_back(all[at]);
  return out;
}

static int run_all(const std::vector<Case>& cases, bool updating) {
  if (updating && !may_record()) return 2;
  std::size_t failed = 0;
  for (const Case& test : cases) {
    failed += handle(test, updating) ? 0 : 1;
  }
  std::cout << fmt::format("{} of {} cases failed\n", failed, cases.size());
  return failed == 0 && !cases.empty() ? 0 : 1;
}

static int main(std::vector<std::string> arguments) {
  set_up_environment();
  if (arguments == std::vector<std::string>{"--list"}) {
    return list();
  }
  if (arguments.size() == 2 && arguments[0] == "--shard") {
    return run_all(cases_of_shard(arguments[1]), false);
  }
  if (!arguments.empty() && arguments[0] == "--until-failure") {
    return run_until_failure({arguments.begin() + 1, arguments.end()});
  }
  const bool updating = !arguments.empty() && arguments[0] == "--update";
  if (updating) {
    arguments.erase(arguments.begin());
  }
  if (arguments.size() > 1 || (arguments.size() == 1 && arguments[0].starts_with('-'))) {
    std::cerr
        << "usage: golden [--update] [PATTERN] | golden --shard K/N | golden --until-failure CASE... | golden --list\n";
    return 2;
  }
  return run_all(select(arguments.empty() ? "" : arguments[0]), updating);
}

}  // namespace sparsecfg::golden

int main(int count, char** arguments) {
  try {
    return sparsecfg::golden::main({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 70;
  }
}
