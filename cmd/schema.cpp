#include <fmt/format.h>

#include "base/edit_distance.h"
#include "cmd/commands.h"
#include "cmd/reading.h"
#include "dialect/dialect.h"

namespace sparsecfg::cmd {

static int unknown_subject(const std::string& subject, const Streams& streams) {
  std::vector<std::string_view> known = {"create", "report", "settings"};
  for (const dialect::Dialect* dialect : dialect::dialects()) {
    if (dialect->schema != nullptr) known.push_back(dialect->name);
  }
  const auto guess = base::nearest(subject, known);
  complain(streams.err, subject, guess ? fmt::format("there is no such schema; did you mean `{}`?", *guess)
                                       : fmt::format("there is no such schema; there are {}", fmt::join(known, ", ")));
  return kUsage;
}

int schema(const SchemaOptions& options, const Streams& streams) {
  const dialect::Dialect* dialect = dialect::find_dialect(options.subject);
  if (options.subject == "create") {
    streams.out << create::schema();
  } else if (options.subject == "report") {
    streams.out << report::report_schema();
  } else if (options.subject == "settings") {
    streams.out << project::settings_schema();
  } else if (dialect != nullptr && dialect->schema != nullptr) {
    streams.out << dialect->schema(options.read);
  } else {
    return unknown_subject(options.subject, streams);
  }
  return kClean;
}

}  // namespace sparsecfg::cmd
