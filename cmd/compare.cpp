#include "cmd/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <functional>

#include "base/text.h"
#include "cmd/git.h"
#include "cmd/reading.h"
#include "diff/diff.h"
#include "diff/report.h"
#include "picture/picture.h"
#include "picture/terminal.h"

namespace sparsecfg::cmd {

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
  return read_revision(name, std::get<std::string>(std::move(shown)), std::move(view), options.reading, streams,
                       Several::listed);
}

// Returns a function that reads paths of the repository that contains a folder.
static Show shows_paths_in(const std::string& folder) {
  return [folder](const std::string& revision, const std::string& path, std::size_t max_bytes) {
    return show_path(folder, revision, path, max_bytes);
  };
}

std::optional<ReadRecipe> read_older(const DiffOptions& options, const Streams& streams) {
  const std::string& revision = options.before;
  const std::size_t max_bytes = options.reading.request.limits.bytes;
  Shown shown = show_revision(revision, options.after, max_bytes);
  auto* failure = std::get_if<GitFailure>(&shown);
  if (failure == nullptr) return read_shown(std::move(shown), revision, options.after, show_revision, options, streams);
  if (const auto old = old_path(revision, options.after)) {
    const Show show = shows_paths_in(folder_of(options.after));
    return read_shown(show(revision, *old, max_bytes), revision, *old, show, options, streams);
  }
  if (failure->is_missing) {
    failure->reason += fmt::format("; if it had another name there, write `{}:NAME`", base::printable(revision));
  }
  return read_shown(std::move(shown), revision, options.after, show_revision, options, streams);
}

std::optional<ReadRecipe> read_deleted(const DiffOptions& options, const std::string& from_root,
                                       const std::string& folder, const Streams& streams) {
  const Show show = shows_paths_in(folder);
  return read_shown(show(options.before, from_root, options.reading.request.limits.bytes), options.before, from_root,
                    show, options, streams);
}

// Reads the first recipe: a file, REVISION:PATH, or the second recipe at a git revision.
static std::optional<ReadRecipe> read_before(const DiffOptions& options, const Streams& streams) {
  if (is_file(options.before)) {
    return read_recipe(options.before, options.reading, streams, Findings::errors, Several::listed);
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

bool is_module(const Compilation& compilation) {
  const bool has_none = compilation.recipes.empty() && compilation.references.empty() && compilation.unread.empty();
  return has_none && !compilation.recipe && base::to_lower(base::ending_of(compilation.file->name())) == "py";
}

// Returns why a recipe has no schedule to compare, and prints it; nullopt if the framework accepts the recipe.
static std::optional<std::string> obstacle(const ReadRecipe& read, const Streams& streams) {
  const Compilation& compilation = read.compilation;
  std::string reason = "the recipe is unknown";
  if (compilation.runs()) {
    return std::nullopt;
  }
  if (is_module(compilation)) {
    reason = "this script has no recipe";
    complain(streams.err, compilation.file->title(), reason);
    return reason;
  }
  show_findings(compilation, errors_of(compilation), streams);
  show_obstacle(read, streams);
  if (compilation.count(diag::Severity::error) > 0) {
    reason = "the recipe has errors; nothing was compared";
    complain(streams.err, compilation.file->title(),
             reason + ". Fix them, or compare with another version: `sparsecfg diff REVISION:PATH FILE`");
  }
  return reason;
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

std::string render(const DiffOptions& options, const diff::Difference& difference, const Compilation& before,
                   const Compilation& after, const diff::Names& names) {
  if (options.format == "json") return diff::report_json(difference, before, after, names);
  if (options.format == "markdown") return diff::report_markdown(difference, before, after, names);
  if (options.format == "svg") {
    return picture::draw_svg_of_two(*before.recipe, *difference.run, *after.recipe, *difference.other_run,
                                    names.before + " (dotted) and " + names.after);
  }
  return diff::report_text(difference, before, after, names);
}

static std::string render(const DiffOptions& options, const diff::Difference& difference, const Compilation& before,
                          const Compilation& after) {
  return render(options, difference, before, after, {before.file->title(), after.file->title()});
}

namespace {

// Both sides of the comparison.
struct Sides {
  ReadRecipe before;
  ReadRecipe after;
};

}  // namespace

static int status_of(const diff::Difference& difference) {
  return difference.same() ? kClean : difference.changes.empty() ? kUsage : kErrors;
}

std::optional<ReadRecipe> followed(std::optional<ReadRecipe> read, const DiffOptions& options, const Streams& streams) {
  auto reference = read ? read_reference(*read, options.reading, streams) : std::nullopt;
  return reference ? std::move(reference) : std::move(read);
}

// Reads both files, or the recipes with these numbers in them.
static std::optional<Sides> read_sides(DiffOptions options, const std::pair<std::size_t, std::size_t>& numbers,
                                       const Streams& streams) {
  const std::optional<std::size_t> chosen = options.reading.recipe;
  options.reading.recipe = numbers.first > 0 ? numbers.first : chosen;
  auto before = followed(read_before(options, streams), options, streams);
  options.reading.recipe = numbers.second > 0 ? numbers.second : chosen;
  auto after = before
                   ? followed(read_recipe(options.after, options.reading, streams, Findings::errors, Several::listed),
                              options, streams)
                   : std::nullopt;
  return after ? std::optional(Sides{*std::move(before), *std::move(after)}) : std::nullopt;
}

// Returns true if no side has a recipe, so that nothing can differ.
static bool are_modules(const Sides& sides) {
  return is_module(sides.before.compilation) && is_module(sides.after.compilation);
}

// Reports that only the second recipe can run.
static Report repaired(const DiffOptions& options, const Sides& sides) {
  diff::Difference out;
  out.changes.push_back({diff::Change::Kind::call, "recipe", {}, {}, {}, {"rejected, see the errors -> accepted"}, {}});
  return {render(options, out, sides.before.compilation, sides.after.compilation), kErrors};
}

// Returns the report that a side cannot be compared. Only programs that read JSON need it on standard output.
static Report refusal(const DiffOptions& options, const Sides& sides, const std::string& reason) {
  diff::Difference out;
  out.not_compared.push_back(reason);
  const bool json = options.format == "json";
  return {json ? render(options, out, sides.before.compilation, sides.after.compilation) : "", kUsage};
}

static Report compare(const DiffOptions& options, const Sides& sides, const Streams& streams) {
  const Compilation& before = sides.before.compilation;
  const Compilation& after = sides.after.compilation;
  if (are_modules(sides)) {
    complain(streams.err, after.file->title(),
             "no recipe; if other scripts use this script as a module, compare the scripts that import it");
    return {"", kClean};
  }
  const auto after_fails = obstacle(sides.after, streams);
  if (after_fails) return refusal(options, sides, *after_fails);
  if (const auto reason = obstacle(sides.before, streams)) {
    return before.count(diag::Severity::error) > 0 ? repaired(options, sides) : refusal(options, sides, *reason);
  }
  const diff::Difference difference = diff::compare(before, after, request_of(sides.after));
  if (options.format == "svg" && !difference.run) {
    complain(streams.err, options.after, "the recipes have no steps to draw");
    return {};
  }
  const std::string report = render(options, difference, before, after);
  return {plot_of(options, difference, before, after, streams) +
              (options.format == "text" ? page(report, options.output, streams) : report),
          status_of(difference)};
}

// Reports that the files have different numbers of recipes.
static Report different_counts(const DiffOptions& options, const Sides& sides) {
  const Compilation& before = sides.before.compilation;
  const Compilation& after = sides.after.compilation;
  diff::Difference out;
  const std::string detail =
      fmt::format("{} -> {}; compare two of them with `--recipe N`", before.recipes.size(), after.recipes.size());
  out.changes.push_back({diff::Change::Kind::call, "number of recipes", {}, {}, {}, {detail}, {}});
  return {render(options, out, before, after), kErrors};
}

// Returns the numbers of the recipes, from 1, in the order of the calls that receive them.
static std::vector<std::size_t> numbers_by_call(const Compilation& compilation) {
  std::vector<std::size_t> out;
  for (std::size_t number = 1; number <= compilation.recipes.size(); ++number) out.push_back(number);
  std::ranges::stable_sort(out, {}, [&](std::size_t number) {
    const ir::FoundRecipe& found = compilation.recipes[number - 1];
    return found.calls.empty() ? found.lines.first : found.calls.front().first;
  });
  return out;
}

// Compares the recipes of files that have several, in the order of their calls.
static Report compare_each(const DiffOptions& options, const Sides& sides, const Streams& streams) {
  const std::size_t count = sides.after.compilation.recipes.size();
  if (sides.before.compilation.recipes.size() != count) return different_counts(options, sides);
  const std::vector<std::size_t> before = numbers_by_call(sides.before.compilation);
  const std::vector<std::size_t> after = numbers_by_call(sides.after.compilation);
  std::vector<std::string> texts;
  int status = kClean;
  for (std::size_t at = 0; at < count; ++at) {
    const std::size_t number = after[at];
    const auto pair = read_sides(options, {before[at], number}, streams);
    const Report report = pair ? compare(options, *pair, streams) : Report();
    const std::uint32_t line = sides.after.compilation.recipes[number - 1].lines.first;
    const std::string head = options.format == "json" ? "" : fmt::format("recipe {} (line {}):\n", number, line);
    texts.push_back(head + report.text);
    status = std::max(status, report.status);
  }
  return {options.format == "json" ? diff::join_json(texts) : fmt::format("{}", fmt::join(texts, "\n")), status};
}

Report compare_files(const DiffOptions& options, const Streams& streams) {
  const auto sides = read_sides(options, {}, streams);
  if (!sides) return {};
  const bool several = sides->before.compilation.several || sides->after.compilation.several;
  const bool rereadable = options.before != "-" && options.after != "-" && options.format != "svg";
  if (several && !rereadable) {
    complain(streams.err, options.after, "a file has several recipes; choose one with `--recipe N`");
    return {};
  }
  return several ? compare_each(options, *sides, streams) : compare(options, *sides, streams);
}

}  // namespace sparsecfg::cmd
