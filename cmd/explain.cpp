#include "explain/explain.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/options.h"

namespace sparsecfg::cmd {

static std::size_t width_of(const Streams& streams) { return std::clamp<std::size_t>(streams.columns, 40, 100); }

// Everything that a topic may mean; empty if it is unknown.
static explain::Page page_of(const std::string& topic) {
  if (topic == "codes") {
    return explain::list_of_codes();
  }
  if (topic == "modifiers") {
    return explain::list_of_classes();
  }
  if (topic == "diagnostics") {
    return explain::all_diagnostics();
  }
  const dialect::Dialect* dialect = dialect::find_dialect(topic);
  if (dialect != nullptr && dialect->pages != nullptr) {
    return explain::all_of(*dialect);
  }
  const diag::Info* info = diag::find(topic);
  return info != nullptr ? explain::page_of(*info) : explain::pages_of(topic);
}

static int explain_topic(const std::string& given, explain::Form form, const Streams& streams) {
  const std::string topic = given.starts_with('!') ? given.substr(1) : given;
  const explain::Page page = page_of(topic);
  if (page.empty()) {
    const auto guess = explain::nearest_topic(topic);
    fmt::print(streams.err, "sparsecfg: there is nothing called {}{}\n", base::printable(topic),
               guess ? fmt::format("; did you mean {}?", *guess) : "; `codes` and `modifiers` list what there is");
    return kUsage;
  }
  streams.out << explain::render(page, form, width_of(streams), "sparsecfg-" + topic);
  return kClean;
}

Command explain_command() {
  const auto form = std::make_shared<explain::Form>(explain::Form::text);
  Command command{
      "explain", "Explain a diagnostic, a modifier, a field or a key",
      "TOPIC",   "A code, its name, a class, field, key or dialect; codes, modifiers and diagnostics list them",
      1,         1};
  command.options = [form] {
    return std::vector<Option>{{"--format",
                                0,
                                "FORMAT",
                                "How to print it",
                                {"text", "markdown", "man"},
                                [form](const std::string& value) -> std::optional<std::string> {
                                  *form = value == "markdown" ? explain::Form::markdown
                                          : value == "man"    ? explain::Form::man
                                                              : explain::Form::text;
                                  return std::nullopt;
                                }}};
  };
  command.run = [form](const std::vector<std::string>& topics, const Streams& streams) {
    return explain_topic(topics.front(), *form, streams);
  };
  return command;
}

}  // namespace sparsecfg::cmd
