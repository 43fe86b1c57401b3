// Runs every command on every recipe of the cases that has errors. No command may go on with a recipe that it could not
// read: the exit status is 0, 1 or 2, and neither 70 nor a crash.
//
//   every_command K/N     every N-th recipe, from the K-th on, counted from 0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ask.h"
#include "cases.h"
#include "cmd/cli.h"

namespace sparsecfg::golden {
namespace {

using Json = nlohmann::json;

constexpr const char* kModules = "match/nni/models/net.tsv";

// `{}` is the recipe. Commands that write can't write where no `--output` is given.
constexpr std::array<std::string_view, 17> kCommands = {
    "validate --format json {}",
    "validate --diff --unsafe-fixes {}",
    "timeline --steps-per-epoch 3 --format jsonl {}",
    "timeline --steps-per-epoch 3 --summary --format json {}",
    "convert --to ir --allow-loss {}",
    "convert --to sparseml --allow-loss {}",
    "convert --to distiller --allow-loss {}",
    "convert --to nni --allow-loss --steps-per-epoch 3 {}",
    "convert --to llm-compressor --allow-loss {}",
    "convert --to pytorch --allow-loss --steps-per-epoch 3 --report json {}",
    "match --params {modules} {}",
    "match --modules {modules} --format json {}",
    "inspect {}",
    "diff {} {}",
    "rescale --factor 2 {}",
    "compose {} {}",
    "normalize {}",
};

std::string frame(const Json& message) {
  const std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

bool run_command(const Arguments& arguments, const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  std::string outcome;
  try {
    const int status = cmd::run(arguments, in, out, err);
    if (status < 0 || status > 2) outcome = fmt::format("exit status {}", status);
  } catch (const std::exception& error) {
    outcome = error.what();
  }
  if (outcome.empty()) {
    return true;
  }
  std::cout << fmt::format("{}: {}\n{}", fmt::join(arguments, " "), outcome, err.str());
  return false;
}

class RecipeRun {
 public:
  explicit RecipeRun(const Case& test) : test_(test), reading_(reading_arguments(test)) {}

  [[nodiscard]] bool run() {
    for (const std::string_view command : kCommands) passed_ = run_command(words_of(command), "") && passed_;
    return passed_;
  }

  // Opens the recipe in the server and requests everything that an editor shows. `id` is that of the last request.
  [[nodiscard]] std::string dialogue(int& id) const {
    const Json uri = {{"uri", "file:///nowhere/" + test_.path}};
    const Json place = {{"line", 3}, {"character", 2}};
    const Json range = {{"start", {{"line", 0}, {"character", 0}}}, {"end", place}};
    const Json document = {
        {"uri", uri["uri"]}, {"languageId", "yaml"}, {"version", 1}, {"text", read_or_empty(test_.path)}};
    std::string out =
        frame({{"jsonrpc", "2.0"}, {"method", "textDocument/didOpen"}, {"params", {{"textDocument", document}}}});
    for (const char* method : {"documentSymbol", "hover", "completion", "definition", "references", "inlayHint",
                               "codeAction", "formatting", "prepareRename"}) {
      const Json params = {{"textDocument", uri}, {"position", place}, {"range", range}};
      out += frame(
          {{"jsonrpc", "2.0"}, {"id", ++id}, {"method", std::string("textDocument/") + method}, {"params", params}});
    }
    return out;
  }

 private:
  Arguments words_of(std::string_view command) const {
    Arguments words;
    std::istringstream line{std::string(command)};
    for (std::string word; line >> word;) {
      words.push_back(word == "{}" ? test_.path : word == "{modules}" ? kModules : word);
    }
    const bool reads = words.front() != "normalize";
    const bool own_length = words.front() == "rescale" || words.front() == "match";
    return reads && !own_length ? with(words, reading_) : words;
  }

  const Case& test_;
  Arguments reading_;
  bool passed_ = true;
};

// The first recipe of each path whose name says that it has errors.
std::vector<Case> bad_recipes() {
  std::vector<Case> out;
  std::set<std::string> seen;
  for (Case& test : find_cases()) {
    const bool is_bad = test.stem.starts_with("bad-") && test.command != "create" && test.command != "compose";
    if (is_bad && seen.insert(test.path).second) out.push_back(std::move(test));
  }
  return out;
}

int main(const std::string& shard) {
  std::size_t first = 0;
  std::size_t count = 0;
  char slash = 0;
  std::istringstream(shard) >> first >> slash >> count;
  std::filesystem::current_path(testdata());
  const std::vector<Case> recipes = bad_recipes();
  std::size_t runs = 0;
  std::size_t failed = 0;
  int id = 0;
  std::string session = frame({{"jsonrpc", "2.0"}, {"id", 0}, {"method", "initialize"}, {"params", Json::object()}});
  for (std::size_t at = first; slash == '/' && count > 0 && at < recipes.size(); at += count, ++runs) {
    RecipeRun recipe(recipes[at]);
    failed += recipe.run() ? 0 : 1;
    session += recipe.dialogue(id);
  }
  session += frame({{"jsonrpc", "2.0"}, {"id", ++id}, {"method", "shutdown"}});
  failed += run_command({"lsp"}, session + frame({{"jsonrpc", "2.0"}, {"method", "exit"}})) ? 0 : 1;
  std::cout << fmt::format("{} of {} recipes failed\n", failed, runs);
  return failed == 0 && runs > 0 ? 0 : 1;
}

}  // namespace
}  // namespace sparsecfg::golden

int main(int count, char** arguments) { return sparsecfg::golden::main(count == 2 ? arguments[1] : ""); }
