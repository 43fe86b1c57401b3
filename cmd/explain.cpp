#include "explain/explain.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/options.h"

namespace sparsecfg::cmd {

struct ExplainOptions {
  std::string form = "text";
  bool list = false;
};

static std::size_t width_of(const Streams& streams) { return std::clamp<std::size_t>(streams.columns, 40, 100); }

// Returns all entries that match a topic; empty if it is unknown.
static explain::Page page_of(const std::string& topic) {
  if (topic == "codes") {
    return explain::list_of_codes();
  }
  if (topic == "models") {
    return explain::list_of_models();
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
    fmt::print(streams.err, "sparsecfg: unknown topic `{}`; {}\n", base::printable(topic),
               guess ? fmt::format("did you mean `{}`?", *guess)
                     : "`sparsecfg explain --list` lists the rules, `sparsecfg explain modifiers` the classes");
    return kUsage;
  }
  streams.out << explain::render(page, form, width_of(streams), "sparsecfg-" + topic);
  return kClean;
}

static explain::Form form_of(const std::string& name) {
  return name == "markdown" ? explain::Form::markdown
         : name == "man"    ? explain::Form::man
         : name == "json"   ? explain::Form::json
                            : explain::Form::text;
}

static int run_explain(const ExplainOptions& options, const std::vector<std::string>& topics, const Streams& streams) {
  const explain::Form form = form_of(options.form);
  std::string_view error;
  if (options.list && !topics.empty()) {
    error = "`explain` accepts either a TOPIC or `--list`";
  } else if (options.list && form == explain::Form::man) {
    error = "`--list` has the formats text, markdown and json";
  } else if (!options.list && form == explain::Form::json) {
    error = "`--format json` needs `--list`";
  }
  if (!error.empty()) {
    fmt::print(streams.err, "sparsecfg: error: {}\n", error);
    return kUsage;
  }
  if (options.list) {
    streams.out << explain::list_of_rules(form);
    return kClean;
  }
  if (topics.empty()) {
    streams.out << explain::render(explain::list_of_topics(), form, width_of(streams), "sparsecfg-topics");
    return kClean;
  }
  return explain_topic(topics.front(), form, streams);
}

static std::vector<Option> explain_options(ExplainOptions& own) {
  return {
      flag("--list", own.list, "List all rules by family: code, name, severity, autofix and message"),
      choice(
          "--format", "FORMAT", {"text", "markdown", "man", "json"},
          [&own](const std::string& form) { own.form = form; }, "Output format (default: text); json needs --list")};
}

Command explain_command() {
  Command command{
      "explain",
      "Explain a rule, a modifier, a field or a key",
      "TOPIC",
      "A code or name of a rule, a class, field, key or dialect, or one of the lists codes, modifiers, models and "
      "diagnostics",
      0,
      1};
  return with_options<ExplainOptions>(std::move(command), explain_options, run_explain);
}

}  // namespace sparsecfg::cmd
