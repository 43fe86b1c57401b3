#include "commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "cmd/cli.h"

namespace sparsecfg::truth {

Answer run(const Strings& arguments, const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  const int status = cmd::run(arguments, in, out, err);
  return {status, out.str(), err.str()};
}

static std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

static void append(Strings& words, const Strings& more) { words.insert(words.end(), more.begin(), more.end()); }

// "steps_per_epoch": 4 -> "--steps-per-epoch 4"
static Strings option(std::string name, const Json& value) {
  std::ranges::replace(name, '_', '-');
  if (name != "set") return {"--" + name, text_of(value)};
  Strings words;
  for (const auto& [variable, each] : value.items()) append(words, {"--set", variable + "=" + text_of(each)});
  return words;
}

Strings reading_options(const Case& test, Reader reader) {
  const Json options = test.data.value("options", Json::object());
  Strings words;
  if (reader == Reader::told) words = {"--from", options.value("from", test.framework)};
  for (const auto& [name, value] : options.items()) {
    if (name != "from" && name != "initial_lr") append(words, option(name, value));
  }
  for (const char* names : {"params", "modules"}) {
    if (test.has(names)) append(words, option(names, "names/" + test.data[names].get<std::string>()));
  }
  return words;
}

Answer run_on_recipe(const std::string& command, const Case& test, const Strings& more) {
  Strings words{command, test.recipe()};
  append(words, reading_options(test));
  append(words, more);
  return run(words);
}

Json parse(const Answer& answer) {
  Json json = Json::parse(answer.out, nullptr, false);
  if (json.is_discarded()) throw std::runtime_error(fmt::format("exit status {}: {}", answer.status, answer.err));
  return json;
}

Findings validate(const Case& test, Reader reader) {
  Strings words{"validate", test.recipe(), "--format", "json"};
  append(words, reading_options(test, reader));
  const Answer answer = run(words);
  Findings findings{answer.status, "", {}};
  const Json report = parse(answer);
  for (const Json& file : report.at("files")) {
    const bool first = findings.dialect.empty();  // a QAT policy may follow
    if (first && file["dialect"].is_string()) findings.dialect = file["dialect"];
    for (const Json& each : file["diagnostics"]) {
      if (each["severity"] == "error") findings.codes.insert(each["code"].get<std::string>());
    }
  }
  if (findings.codes.empty() != (answer.status == 0)) {
    throw std::runtime_error(fmt::format("exit status {} with {} errors", answer.status, findings.codes.size()));
  }
  return findings;
}

}  // namespace sparsecfg::truth
