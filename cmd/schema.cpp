#include <fmt/format.h>

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
    streams.out << report::report_schema();
  } else if (subject == "settings") {
    streams.out << project::settings_schema();
  } else if (dialect != nullptr && dialect->schema != nullptr) {
    streams.out << dialect->schema(read);
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
