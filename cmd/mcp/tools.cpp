#include "cmd/mcp/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cmd/cli.h"

namespace sparsecfg::cmd::mcp {

namespace fs = std::filesystem;

namespace {

// A command as a tool.
struct Tool {
  std::string_view name;
  std::string_view command;
  std::string_view title;
  std::string_view operand;             // the property with the operands; empty: the tool has none
  std::vector<std::string_view> fixed;  // arguments that select the form of the output, or the topic
  bool is_json = false;                 // true if the output is JSON
  bool takes_text = false;              // true if a recipe can be passed as text
};

const std::vector<Tool>& tools() {
  static const std::vector<Tool> kTools = {
      {"validate", "validate", "Check recipes", "files", {"--format", "json"}, true, true},
      {"explain", "explain", "Explain a rule, a class, a field or a preset", "topic", {}},
      {"inspect", "inspect", "Show the effect of a recipe", "files", {"--format", "json"}, true, true},
      {"match", "match", "List the modules that a recipe selects", "files", {"--format", "json"}, true, true},
      {"timeline", "timeline", "Print the schedule of a recipe", "files", {"--format", "json"}, true, true},
      {"diff", "diff", "Compare the effects of two recipes", "files", {"--format", "json"}, true},
      {"convert", "convert", "Convert a recipe to another form", "files", {}, false, true},
      {"create", "create", "Write a new recipe", "", {}},
      {"models", "explain", "List families and ids of models that need no config.json", "", {"models"}},
  };
  return kTools;
}

// Options that write, watch, change the form of the output, or concern terminals. `--stdin-filename` is `filename`.
constexpr std::string_view kHidden[] = {"--output",         "--force",      "--fix",      "--unsafe-fixes",
                                        "--watch",          "--write",      "--format",   "--write-baseline",
                                        "--stdin-filename", "--exit-zero",  "--color",    "--show-files",
                                        "--report",         "--show-fixes", "--baseline", "--diff"};

constexpr std::string_view kText = "text";
constexpr std::string_view kFileName = "filename";

const Command& command_of(const std::vector<Command>& commands, const Tool& tool) {
  return *std::ranges::find(commands, tool.command, &Command::name);
}

std::vector<Option> options_of(const Command& command) {
  std::vector<Option> out = command.options();
  std::erase_if(out, [](const Option& option) { return base::contains(kHidden, option.name); });
  return out;
}

std::string property_of(const Option& option) { return option.name.substr(2); }

// --- schemas ------------------------------------------------------------------------------------------

Json schema_of(const Option& option) {
  Json out{{"description", option.doc}};
  if (option.value.empty()) {
    out["type"] = "boolean";
  } else if (!option.choices.empty()) {
    out["enum"] = option.choices;
  } else if (option.value == "N") {
    out["type"] = "number";
  } else {
    out["type"] = {"string", "array"};
    out["items"] = {{"type", "string"}};
  }
  return out;
}

Json operand_schema(const Tool& tool, const Command& command) {
  if (tool.operand == "topic") return {{"type", "string"}, {"description", command.operand_doc}};
  Json out{{"type", "array"}, {"items", {{"type", "string"}}}, {"description", command.operand_doc}};
  if (command.max_operands > 0) out["maxItems"] = command.max_operands;
  return out;
}

Json input_schema(const Tool& tool, const Command& command) {
  Json properties = Json::object();
  Json required = Json::array();
  if (!tool.operand.empty()) properties[std::string(tool.operand)] = operand_schema(tool, command);
  if (tool.operand == "topic") required.push_back("topic");
  if (tool.takes_text) {
    properties[std::string(kText)] = {{"type", "string"}, {"description", "A recipe, instead of a file"}};
    properties[std::string(kFileName)] = {
        {"type", "string"}, {"description", "The file name to assume for `text`; its extension selects the format"}};
  }
  for (const Option& option : tool.name == "models" ? std::vector<Option>() : options_of(command)) {
    properties[property_of(option)] = schema_of(option);
    if (std::ranges::find(command.required, option.name) != command.required.end())
      required.push_back(property_of(option));
  }
  return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
}

Json output_schema(const Tool& tool) {
  Json properties{{"status", {{"type", "integer"}, {"description", "0: no errors, 1: errors, 2: not read"}}},
                  {"messages", {{"type", "string"}, {"description", "Standard error of the command"}}}};
  if (tool.is_json) {
    properties["report"] = {{"type", {"object", "array", "null"}},
                            {"description", "The JSON output of the command; null if it has none"}};
  } else {
    properties["output"] = {{"type", "string"}};
  }
  return {{"type", "object"}, {"properties", properties}, {"required", {"status", "messages"}}};
}

// --- arguments ----------------------------------------------------------------------------------------

bool is_inside(const fs::path& root, const fs::path& path) {
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end();
}

// Requires a path that stays below the current folder, also through links. Names of models are no paths.
void require_below(const std::string& text, const fs::path& root) {
  const fs::path path(text);
  const bool leaves =
      path.is_absolute() || std::ranges::any_of(path, [](const fs::path& part) { return part == ".."; });
  std::error_code error;
  const bool exists = !leaves && fs::exists(path, error);
  if (leaves || text.find('\0') != text.npos || (exists && !is_inside(root, fs::weakly_canonical(path, error)))) {
    throw InvalidArguments{fmt::format("`{}` is outside of the folder of the server", base::printable(text))};
  }
  if (!exists || !fs::is_directory(path, error)) return;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    if (at->is_symlink(error) && !is_inside(root, fs::weakly_canonical(at->path(), error))) {
      throw InvalidArguments{
          fmt::format("`{}` is a link out of the folder of the server", base::printable(at->path().native()))};
    }
  }
}

std::string word_of(const Json& value, const std::string& name) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  throw InvalidArguments{fmt::format("`{}` must be a string or a number", base::printable(name))};
}

// Appends an option, in one word so that its value is not read as an option.
void append_option(std::vector<std::string>& out, const Option& option, const Json& value, const fs::path& root) {
  const std::string name = property_of(option);
  if (option.value.empty()) {
    if (!value.is_boolean()) throw InvalidArguments{fmt::format("`{}` must be a boolean", name)};
    if (value.get<bool>()) out.push_back(option.name);
    return;
  }
  for (const Json& each : value.is_array() ? value : Json::array({value})) {
    const std::string word = word_of(each, name);
    require_below(word, root);
    out.push_back(fmt::format("{}={}", option.name, word));
  }
}

std::vector<std::string> operands_in(const Tool& tool, const Json& arguments, const fs::path& root) {
  std::vector<std::string> out;
  const Json given = tool.operand.empty() ? Json() : arguments.value(std::string(tool.operand), Json());
  for (const Json& each : given.is_array() ? given : given.is_null() ? Json::array() : Json::array({given})) {
    out.push_back(word_of(each, std::string(tool.operand)));
    if (tool.operand != "files") continue;
    require_below(out.back(), root);
    std::error_code error;
    if (out.back() == "-" || !fs::exists(out.back(), error)) {  // also revisions, which would run git
      throw InvalidArguments{fmt::format("`{}` is no file", base::printable(out.back()))};
    }
  }
  return out;
}

struct CommandLine {
  std::vector<std::string> words;
  std::string input;
};

CommandLine command_line(const Tool& tool, const Command& command, const Json& arguments) {
  std::error_code error;
  const fs::path root = fs::canonical(".", error);
  CommandLine out;
  out.words.emplace_back(tool.command);
  const std::vector<Option> options = tool.name == "models" ? std::vector<Option>() : options_of(command);
  for (const auto& [name, value] : arguments.items()) {
    const bool own = name == tool.operand || (tool.takes_text && (name == kText || name == kFileName));
    const auto option = std::ranges::find(options, name, property_of);
    if (!own && option == options.end()) {
      throw InvalidArguments{fmt::format("`{}` has no argument `{}`", tool.name, base::printable(name))};
    }
    if (!own) append_option(out.words, *option, value, root);
  }
  std::vector<std::string> operands = operands_in(tool, arguments, root);
  if (tool.takes_text && arguments.contains(kText)) {
    if (!operands.empty()) throw InvalidArguments{"pass `files` or `text`, not both"};
    out.input = word_of(arguments.at(std::string(kText)), std::string(kText));
    const std::string name = arguments.value(std::string(kFileName), "recipe.yaml");
    require_below(name, root);
    out.words.push_back(fmt::format("--stdin-filename={}", name));
    operands = {"-"};
  }
  for (const std::string_view word : tool.fixed) {
    if (word.starts_with("--") || tool.fixed.front().starts_with("--")) out.words.emplace_back(word);
  }
  out.words.emplace_back("--");
  if (tool.name == "models") operands = {"models"};
  std::ranges::move(operands, std::back_inserter(out.words));
  return out;
}

}  // namespace

Json list_tools(const std::vector<Command>& commands) {
  Json out = Json::array();
  for (const Tool& tool : tools()) {
    const Command& command = command_of(commands, tool);
    out.push_back({{"name", tool.name},
                   {"title", tool.title},
                   {"description", tool.name == "models" ? std::string(tool.title) : command.doc},
                   {"inputSchema", input_schema(tool, command)},
                   {"outputSchema", output_schema(tool)},
                   {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
  }
  return out;
}

Json call_tool(const std::vector<Command>& commands, const std::string& name, const Json& arguments,
               const Runner& run) {
  const auto tool = std::ranges::find(tools(), name, &Tool::name);
  if (tool == tools().end()) throw InvalidArguments{fmt::format("there is no tool `{}`", base::printable(name))};
  if (!arguments.is_object()) throw InvalidArguments{"`arguments` must be an object"};
  const CommandLine line = command_line(*tool, command_of(commands, *tool), arguments);
  const Ran ran = run(line.words, line.input);
  Json content{{"status", ran.status}, {"messages", ran.err}};
  if (tool->is_json) {
    const Json report = Json::parse(ran.out, nullptr, false);
    content["report"] = report.is_discarded() ? Json() : report;
  } else {
    content["output"] = ran.out;
  }
  const std::string text = ran.err.empty() ? ran.out : ran.out.empty() ? ran.err : ran.out + "\n" + ran.err;
  return {{"content", Json::array({{{"type", "text"}, {"text", text}}})},
          {"structuredContent", content},
          {"isError", ran.status >= kUsage}};
}

}  // namespace sparsecfg::cmd::mcp
