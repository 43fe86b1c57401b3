#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "dialect/dialect.h"

namespace sparsecfg::cmd {

struct SchemaOptions {
  std::vector<std::pair<std::string, std::string>> reader_options;  // name and value
};

// Returns the names of all schemas.
static std::vector<std::string> subjects() {
  std::vector<std::string> out = {"create", "report", "settings"};
  for (const dialect::Dialect* dialect : dialect::dialects()) {
    if (dialect->schema != nullptr) out.emplace_back(dialect->name);
  }
  return out;
}

static int unknown_subject(const std::string& subject, const Streams& streams) {
  const std::vector<std::string> all = subjects();
  const std::vector<std::string_view> known(all.begin(), all.end());
  const auto guess = base::nearest(subject, known);
  complain(streams.err, subject,
           guess ? fmt::format("unknown schema; did you mean `{}`?", *guess)
                 : fmt::format("unknown schema; choose one of {}", fmt::join(known, ", ")));
  return kUsage;
}

// Joins the lines of indented JSON that are deeper than four levels, so that a field of a class is one line.
static std::string compact(std::string_view json) {
  constexpr std::size_t kLevels = 4;
  const std::size_t unit = json.find_first_not_of(' ', 2) - 2;  // blanks per level; the first line is `{`
  std::string out;
  for (std::size_t begin = 0; begin < json.size();) {
    const std::size_t end = std::min(json.find('\n', begin), json.size());
    const std::size_t text = json.find_first_not_of(' ', begin);
    const std::size_t indent = text - begin;
    const bool closes = json[text] == '}' || json[text] == ']';
    const bool opens = out.ends_with('{') || out.ends_with('[');
    if (indent > kLevels * unit || (closes && indent == kLevels * unit)) {
      out.append(closes || opens ? 0 : 1, ' ');
      out += json.substr(text, end - text);
    } else {
      out.append(out.empty() ? 0 : 1, '\n');
      out += json.substr(begin, end - begin);
    }
    begin = end + 1;
  }
  return out + '\n';
}

static int schema(const SchemaOptions& options, const std::vector<std::string>& operands, const Streams& streams) {
  const std::string& subject = operands.front();  // a dialect, `create`, `report` or `settings`
  dialect::ReadOptions read;
  for (const auto& [name, value] : options.reader_options) {
    dialect::set_reader_option(name, value, read);
  }
  const dialect::Dialect* dialect = dialect::find_dialect(subject);
  if (subject == "create") {
    streams.out << create::schema();
  } else if (subject == "report") {
    streams.out << compact(report::report_schema());
  } else if (subject == "settings") {
    streams.out << compact(project::settings_schema());
  } else if (dialect != nullptr && dialect->schema != nullptr) {
    streams.out << compact(dialect->schema(read));
  } else {
    return unknown_subject(subject, streams);
  }
  return kClean;
}

static std::vector<Option> options_of(SchemaOptions& own) { return reader_option_list(own.reader_options); }

Command schema_command() {
  Command command{
      "schema",
      "Print a JSON Schema for editors and other programs",
      "SUBJECT",
      "A dialect, create (variables of create), report (JSON output of validate), or settings (.sparsecfg.yaml)",
      1,
      1};
  command.operand_choices = subjects();
  return with_options<SchemaOptions>(std::move(command), options_of, schema);
}

}  // namespace sparsecfg::cmd
