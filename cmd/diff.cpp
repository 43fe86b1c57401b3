#include <filesystem>

#include "cmd/commands.h"
#include "cmd/compare.h"

namespace sparsecfg::cmd {

static int diff(DiffOptions& options, const std::vector<std::string>& files, const Streams& streams) {
  options.before = files.front();
  options.after = files.back();
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(options.after, ignored);
  const Report report = is_folder ? compare_folder(options, streams) : compare_files(options, streams);
  if (report.text.empty()) return report.status;
  const int written = write_output(options.output, {options.before, options.after}, report.text, streams);
  return written != kClean ? written : report.status;
}

static std::vector<Option> options_of(DiffOptions& own) {
  std::vector<Option> out = {
      choice(
          "--format", "FORMAT", {"text", "json", "markdown", "svg"},
          [&own](const std::string& format) { own.format = format; }, "Output format (default: text)"),
      output(own.output),
      force(own.output),
      choice(
          "--plot", "WHEN", {"auto", "always", "never"}, [&own](const std::string& when) { own.plot = when; },
          "Draw curves above the report; auto: on a terminal of at least 60 columns (default: auto)"),
      initial_rate(own.reading),
  };
  append(out, reading_options(own.reading));
  out.push_back(recipe_number(own.reading));
  return out;
}

Command diff_command() {
  return recipes_command<DiffOptions>({"diff", "Compare the effective schedules of two recipes", "BEFORE AFTER",
                                       "Two recipes of any dialects; BEFORE may be a git revision of AFTER (HEAD~1) or "
                                       "REVISION:PATH, and AFTER a folder "
                                       "beside a revision",
                                       2, 2},
                                      options_of, diff);
}

}  // namespace sparsecfg::cmd
