#include "diff/diff.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/git.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "diff/report.h"
#include "picture/picture.h"
#include "picture/terminal.h"

namespace sparsecfg::cmd {

struct DiffOptions {
  ReadingOptions reading;
  std::string before;  // a file, or a git revision of `after`
  std::string after;
  std::string format = "text";
  std::string plot = "auto";
  Output output;
};

static bool is_file(const std::string& path) {
  std::error_code ignored;
  return path == "-" || std::filesystem::exists(path, ignored);
}

using Show = std::function<std::variant<std::string, GitFailure>(const std::string& revision, const std::string& path,
                                                                 std::size_t max_bytes)>;
using Shown = std::variant<std::string, GitFailure>;

// Returns the path in a revision of a file that the recipe at `path` uses, if the recipe has the name `name` now.
static std::string path_of_other(const std::string& other, const std::string& name, const std::string& path) {
  if (name == path) return other;
  const std::filesystem::path folder = std::filesystem::path(name).parent_path();
  const std::filesystem::path file(other);
  const std::filesystem::path relative = folder.empty() ? file : file.lexically_relative(folder);
  return (std::filesystem::path(path).parent_path() / relative).lexically_normal().native();
}

// Reads a file of a git revision, and the files that it uses, with `show`. The settings are those of the second recipe.
static std::optional<ReadRecipe> read_shown(Shown shown, const std::string& revision, const std::string& path,
                                            const Show& show, const DiffOptions& options, const Streams& streams) {
  if (const auto* failure = std::get_if<GitFailure>(&shown)) {
    complain(streams.err, options.before, failure->reason);
    return std::nullopt;
  }
  const bool same_form = base::ending_of(path) == base::ending_of(options.after);
  const std::string& name = same_form ? options.after : path;
  const auto read = [revision, show, name, path](const std::string& other, std::size_t max_bytes) {
    auto found = show(revision, path_of_other(other, name, path), max_bytes);
    auto* text = std::get_if<std::string>(&found);
    return text == nullptr ? std::nullopt : std::optional(std::move(*text));
  };
  auto view = std::make_shared<const source::View>(source::View{revision + ":" + path, read});
  return read_revision(name, std::get<std::string>(std::move(shown)), std::move(view), options.reading, streams);
}

// Returns a function that reads paths of the repository that contains a folder.
static Show shows_paths_in(const std::string& folder) {
  return [folder](const std::string& revision, const std::string& path, std::size_t max_bytes) {
    return show_path(folder, revision, path, max_bytes);
  };
}

// Reads the second recipe at a git revision, under its old name if it has been renamed since.
static std::optional<ReadRecipe> read_older(const DiffOptions& options, const Streams& streams) {
  const std::string& revision = options.before;
  const std::size_t max_bytes = options.reading.request.limits.bytes;
  Shown shown = show_revision(revision, options.after, max_bytes);
  auto* failure = std::get_if<GitFailure>(&shown);
  if (failure == nullptr) return read_shown(std::move(shown), revision, options.after, show_revision, options, streams);
  if (const auto old = old_path(revision, options.after)) {
    const std::string folder = std::filesystem::path(options.after).parent_path().native();
    const Show show = shows_paths_in(folder.empty() ? "." : folder);
    return read_shown(show(revision, *old, max_bytes), revision, *old, show, options, streams);
  }
  if (failure->is_missing) {
    failure->reason += fmt::format("; if it had another name there, write `{}:NAME`", base::printable(revision));
  }
  return read_shown(std::move(shown), revision, options.after, show_revision, options, streams);
}

// Reads the first recipe: a file, REVISION:PATH, or the second recipe at a git revision.
static std::optional<ReadRecipe> read_before(const DiffOptions& options, const Streams& streams) {
  if (is_file(options.before)) {
    return read_recipe(options.before, options.reading, streams, Findings::errors);
  }
  const std::size_t colon = options.before.find(':');
  if (options.before.starts_with('-') || colon == 0) {
    complain(streams.err, options.before, "no such file");
    return std::nullopt;
  }
  if (colon != std::string::npos && colon + 1 < options.before.size()) {
    const std::string revision = options.before.substr(0, colon);
    const std::string path = options.before.substr(colon + 1);
    const Show show = shows_paths_in(".");
    return read_shown(show(revision, path, options.reading.request.limits.bytes), revision, path, show, options,
                      streams);
  }
  if (!is_file(options.after) || options.after == "-") {
    complain(streams.err, options.before, "no such file");
    return std::nullopt;
  }
  return read_older(options, streams);
}

// Returns true for a script without a recipe. It may be a module of other scripts.
static bool is_module(const Compilation& compilation) {
  const bool has_none = compilation.recipes.empty() && compilation.references.empty() && compilation.unread.empty();
  return has_none && !compilation.recipe && base::to_lower(base::ending_of(compilation.file->name())) == "py";
}

// Returns true if the framework accepts the recipe. A rejected recipe has no schedule to compare.
static bool is_comparable(const ReadRecipe& read, const Streams& streams) {
  const Compilation& compilation = read.compilation;
  if (compilation.runs()) {
    return true;
  }
  if (is_module(compilation)) {
    complain(streams.err, compilation.file->title(),
             "this script has no recipe; if other scripts use it as a module, compare the scripts that import it");
    return false;
  }
  show_findings(compilation, errors_of(compilation), streams);
  show_obstacle(read, streams);
  if (compilation.count(diag::Severity::error) > 0) {
    complain(streams.err, compilation.file->title(),
             "the recipe has errors; nothing was compared. Fix them, or compare with another version: `sparsecfg diff "
             "REVISION:PATH FILE`");
  }
  return false;
}

static diff::Request request_of(const ReadRecipe& read) {
  const project::Settings& settings = read.options->settings;
  const CompileOptions& compile = read.options->compile;
  return {settings.steps_per_epoch, settings.epochs, settings.initial_rate,
          compile.parameters,       compile.modules, compile.read.modules.get()};
}

// Returns the plot above the report. By default, only terminals have a plot.
static std::string plot_of(const DiffOptions& options, const diff::Difference& difference, const Compilation& before,
                           const Compilation& after, const Streams& streams) {
  const bool wanted = options.plot == "always" || (options.plot == "auto" && streams.terminal);
  if (!wanted || options.format != "text" || !difference.run || difference.changes.empty()) {
    return {};
  }
  const std::string plot = picture::plot_of_two(*before.recipe, *difference.run, *after.recipe, *difference.other_run,
                                                {streams.columns, streams.utf8});
  return plot.empty() ? plot : plot + "\n";
}

static std::string render(const DiffOptions& options, const diff::Difference& difference, const Compilation& before,
                          const Compilation& after) {
  const diff::Names names{before.file->title(), after.file->title()};
  if (options.format == "json") return diff::report_json(difference, before, after, names);
  if (options.format == "markdown") return diff::report_markdown(difference, before, after, names);
  if (options.format == "svg") {
    return picture::draw_svg_of_two(*before.recipe, *difference.run, *after.recipe, *difference.other_run,
                                    names.before + " (dotted) and " + names.after);
  }
  return diff::report_text(difference, before, after, names);
}

static int diff(DiffOptions& options, const std::vector<std::string>& files, const Streams& streams) {
  options.before = files.front();
  options.after = files.back();
  const auto before = read_before(options, streams);
  const auto after = before ? read_recipe(options.after, options.reading, streams, Findings::errors) : std::nullopt;
  if (!before || !after || !is_comparable(*before, streams) || !is_comparable(*after, streams)) {
    return kUsage;
  }
  const diff::Difference difference = diff::compare(before->compilation, after->compilation, request_of(*after));
  if (options.format == "svg" && !difference.run) {
    complain(streams.err, options.after, "the recipes have no steps to draw");
    return kUsage;
  }
  const std::string report = render(options, difference, before->compilation, after->compilation);
  const std::string text = plot_of(options, difference, before->compilation, after->compilation, streams) +
                           (options.format == "text" ? page(report, options.output, streams) : report);
  const int written = write_output(options.output, {options.before, options.after}, text, streams);
  return written != kClean ? written : difference.same() ? kClean : difference.changes.empty() ? kUsage : kErrors;
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
  return recipes_command<DiffOptions>(
      {"diff", "Compare the effective schedules of two recipes", "BEFORE AFTER",
       "Two recipes of any dialects; BEFORE may be a git revision of AFTER (HEAD~1) or REVISION:PATH", 2, 2},
      options_of, diff);
}

}  // namespace sparsecfg::cmd
