#include "cmd/reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "architecture/user_model.h"
#include "base/edit_distance.h"
#include "base/text.h"
#include "compile/model.h"
#include "diag/page.h"
#include "diag/render_text.h"
#include "dialect/dialect.h"
#include "ir/describe.h"
#include "source/load.h"

namespace sparsecfg::cmd {

std::string printable_lines(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    out += base::printable(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

// Returns the name in the folder of a missing file that the user probably meant, with the folder; empty if there is
// none.
static std::string near_file(const std::string& path) {
  constexpr std::size_t kMaxEntries = 4096;
  const std::filesystem::path file(path);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::directory_iterator at(folder, error);
  for (const std::filesystem::directory_iterator end; !error && at != end && names.size() < kMaxEntries;
       at.increment(error)) {
    names.push_back(at->path().filename().native());
  }
  std::ranges::sort(names);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto name = base::nearest(file.filename().native(), views);
  return name ? (file.has_parent_path() ? (folder / *name).native() : std::string(*name)) : std::string();
}

// Returns what the user can do about a path that can't be read, as a clause behind the reason.
static std::string next_step(const std::string& path, std::string_view why) {
  if (why == source::reason_of(EISDIR)) return "; name a file, or check a folder with `sparsecfg validate`";
  const std::string near = why == source::reason_of(ENOENT) ? near_file(path) : std::string();
  return near.empty() ? near : fmt::format("; did you mean `{}`?", near);
}

void complain(std::ostream& err, const std::string& what, const std::string& why) {
  err << "sparsecfg: " << base::printable(what) << ": " << printable_lines(why + next_step(what, why)) << '\n';
}

void complain(std::ostream& err, const project::Problem& problem) {
  if (problem.excerpt.empty()) {
    complain(err, problem.what, problem.why);
  } else {
    err << problem.excerpt;
  }
}

void note(const Streams& streams, const std::string& line) {
  if (!streams.verbose) return;
  spdlog::logger logger("sparsecfg", std::make_shared<spdlog::sinks::ostream_sink_st>(streams.err));
  logger.set_pattern("%n: %v");
  logger.info(base::printable(line));
}

static bool sets(const auto& options, std::string_view name) {
  return std::ranges::any_of(options, [&](const auto& option) { return option.first == name; });
}

void warn_of_useless_options(const ReadingOptions& reading, std::span<const project::FileOptions* const> files,
                             const Streams& streams) {
  const auto& given = reading.request.settings.reader_options;
  for (const dialect::ReaderOption& option : dialect::reader_options()) {
    const auto has_needed = [&](const project::FileOptions* file) {
      return sets(file->compile.read.reader_options, option.needs);
    };
    const bool needed = sets(given, option.needs) || std::ranges::any_of(files, has_needed);
    if (option.needs.empty() || !sets(given, option.name) || needed) continue;
    complain(streams.err, fmt::format("--{}", option.name), fmt::format("has no effect without --{}", option.needs));
  }
}

// Returns true for a recipe whose text a loader reads. The others are objects or arguments.
static bool is_text(const ir::FoundRecipe& recipe) {
  static constexpr std::string_view kOfCode[] = {"objects", "script", "command"};
  return !base::contains(kOfCode, recipe.form);
}

bool accepts_variables(const ReadingOptions& reading, std::span<const Compilation* const> compilations,
                       const Streams& streams) {
  if (reading.request.variables.empty()) return true;
  bool has_code = false;
  for (const Compilation* compilation : compilations) {
    if (std::ranges::any_of(compilation->recipes, is_text)) return true;
    has_code = has_code || !compilation->recipes.empty() || !compilation->unread.empty();
  }
  if (has_code) {
    streams.err
        << "sparsecfg: error: `--set` sets variables of recipe files, but a script constructs this recipe; change "
           "the value in the script\n";
  }
  return !has_code;
}

static source::Loaded load(const std::string& path, std::size_t max_bytes, std::istream& in) {
  return path == "-" ? source::read_stdin(in, max_bytes) : source::read_file(path, max_bytes);
}

// Complains about a file with several recipes, none of them chosen, or without the chosen one.
static bool is_chosen(const Compilation& compilation, const CompileOptions& options, const std::string& path,
                      Several several, const Streams& streams) {
  const std::size_t count = compilation.recipes.size();
  const bool chooses = options.line || options.recipe;
  const bool missing = chooses && !compilation.recipe && (compilation.several || count > 0);
  if (!missing && !(compilation.several && several == Several::refused)) {
    return true;
  }
  std::vector<std::string> starts;
  for (const ir::FoundRecipe& found : compilation.recipes) {
    starts.push_back((found.lines.cell ? fmt::format("cell {} line ", *found.lines.cell + 1) : std::string()) +
                     std::to_string(found.lines.first));
  }
  complain(streams.err, path,
           fmt::format("{} recipe{} in this file, at line{} {}; {}", count, count == 1 ? "" : "s",
                       count == 1 ? "" : "s", fmt::join(starts, ", "),
                       missing ? "none of them is the chosen one" : "choose one with `--recipe N` or `FILE:LINE`"));
  return false;
}

// Returns the path without `:LINE` and that line, unless a file with the whole name exists.
static std::pair<std::string, std::optional<std::uint32_t>> split_line(const std::string& path) {
  const std::size_t colon = path.rfind(':');
  const std::string digits = colon == std::string::npos ? std::string() : path.substr(colon + 1);
  constexpr std::size_t kMaxDigits = 9;
  std::error_code ignored;
  if (digits.empty() || digits.size() > kMaxDigits || !std::ranges::all_of(digits, base::is_digit) ||
      std::filesystem::exists(path, ignored)) {
    return {path, std::nullopt};
  }
  return {path.substr(0, colon), static_cast<std::uint32_t>(std::stoul(digits))};
}

// Adds the names of the model with which a recipe was compiled. Reports a model that was found or rejected.
static void add_model(CompileOptions& options, const Compilation& compilation, const Streams& streams) {
  const architecture::UserModel* model = compilation.model.get();
  if (model == nullptr) {
    return;
  }
  if (!model->rejection().empty()) {
    complain(streams.err, model->title(), model->rejection() + "; continuing without a model");
  }
  const bool found = options.model == nullptr && model->rejection().empty();
  use_model_of(compilation, options);
  const dialect::Dialect* dialect = compilation.dialect ? dialect::find_dialect(*compilation.dialect) : nullptr;
  if (found) {
    streams.err << "model: " << (dialect == nullptr ? model->title() : title_of(options, *dialect)) << '\n';
  }
}

namespace {

// A file, or a revision of it, to read.
struct Input {
  std::string name;  // the file whose settings apply
  std::string path;  // names the input in read errors
  std::optional<std::uint32_t> line{};
  std::shared_ptr<const source::View> view{};
  std::optional<ir::CallModel> passed{};  // the model that a script passes with the recipe
  std::string script{};                   // that script
};

}  // namespace

// Reads and compiles a recipe. `get` returns the contents and receives the maximum size in bytes.
static std::optional<ReadRecipe> read_with(const Input& input, auto get, const ReadingOptions& reading,
                                           const Streams& streams, Findings findings,
                                           Several several = Several::refused) {
  const auto& [name, path, line, view, passed, script] = input;
  auto project = std::make_unique<project::Project>(reading.request);
  const auto options = project->options_of(name);
  const auto* problem = std::get_if<project::Problem>(&options);
  if (!project->problems().empty()) {
    problem = &project->problems().front();
  }
  if (problem != nullptr) {
    complain(streams.err, *problem);
    return std::nullopt;
  }
  const auto* mine = std::get<const project::FileOptions*>(options);
  source::Loaded text = get(mine->compile.limits.bytes);
  const auto* failure = std::get_if<source::LoadError>(&text);
  if (failure != nullptr && !failure->too_large) {
    complain(streams.err, path, failure->reason);
    return std::nullopt;
  }
  CompileOptions compile_options = mine->compile;
  compile_options.errors_only = findings == Findings::errors;
  compile_options.skip_unknown = reading.skip_unknown;
  compile_options.line = line;
  compile_options.view = view;
  compile_options.recipe = reading.recipe;
  compile_options.passed = passed;
  compile_options.passed_in = script;
  warn_of_useless_options(reading, std::array{mine}, streams);
  ReadRecipe out{std::move(project), std::make_unique<project::FileOptions>(*mine),
                 compile(name, std::move(text), compile_options)};
  out.options->compile.view = view;
  if (!accepts_variables(reading, std::array{static_cast<const Compilation*>(&out.compilation)}, streams)) {
    return std::nullopt;
  }
  add_model(out.options->compile, out.compilation, streams);
  if (!is_chosen(out.compilation, compile_options, path, several, streams)) {
    return std::nullopt;
  }
  if (!mine->path.empty()) {
    note(streams, fmt::format("{}: using settings from {}", name, mine->path));
  }
  return out;
}

std::optional<ReadRecipe> read_recipe(const std::string& named, const ReadingOptions& reading, const Streams& streams,
                                      Findings findings, Several several) {
  const auto [path, line] = split_line(named);
  const auto get = [&, &file = path](std::size_t max_bytes) { return load(file, max_bytes, streams.in); };
  return read_with({path == "-" ? reading.stdin_filename : path, path, line}, get, reading, streams, findings, several);
}

std::optional<ReadRecipe> read_revision(const std::string& path, std::string text,
                                        std::shared_ptr<const source::View> view, const ReadingOptions& reading,
                                        const Streams& streams, Several several) {
  const auto get = [&](std::size_t) { return source::Loaded(std::move(text)); };
  return read_with({path, path, {}, std::move(view)}, get, reading, streams, Findings::errors, several);
}

// Returns the view of another file in the same revision; null for files on the disk.
static std::shared_ptr<const source::View> view_of(const std::string& path, const source::SourceFile& script) {
  const source::View* view = script.view().get();
  if (view == nullptr) return nullptr;
  const std::string revision = view->title.substr(0, view->title.find(':'));
  return std::make_shared<const source::View>(source::View{revision + ":" + path, view->read});
}

std::optional<ReadRecipe> read_reference(const ReadRecipe& script, const ReadingOptions& reading,
                                         const Streams& streams) {
  const Compilation& compilation = script.compilation;
  const bool is_only = !compilation.recipe && compilation.recipes.empty() && compilation.references.size() == 1;
  if (!is_only || compilation.count(diag::Severity::error) > 0) return std::nullopt;
  const RecipeReference& reference = compilation.references.front();
  const source::SourceFile& file = *compilation.file;
  const std::string& name = file.name();
  for (const std::string& folder : source::folders_near(name)) {
    const std::size_t limit = script.options->compile.limits.bytes;
    auto text = source::read_below(file.view().get(), folder, reference.path, limit);
    if (!text) continue;
    const std::string path = (std::filesystem::path(folder) / reference.path).lexically_normal().native();
    const auto get = [&](std::size_t) { return source::Loaded(*std::move(text)); };
    return read_with({path, path, {}, view_of(path, file), reference.model, name}, get, reading, streams,
                     Findings::errors);
  }
  return std::nullopt;
}

std::vector<diag::Diagnostic> errors_of(const Compilation& compilation) {
  std::vector<diag::Diagnostic> out = compilation.diagnostics;
  std::erase_if(out, [](const diag::Diagnostic& each) { return each.severity != diag::Severity::error; });
  return out;
}

void show_findings(const Compilation& compilation, std::span<const diag::Diagnostic> findings, const Streams& streams) {
  streams.err << diag::render_text(*compilation.file, findings,
                                   {.color = streams.color,
                                    .columns = streams.columns,
                                    .terminal = streams.terminal || streams.wraps,
                                    .infos = streams.verbose});
}

// Returns the first part of the recipe that has no effect in the schedule because its values are unknown.
static std::string unread_part(const source::SourceFile& file, const Compilation& compilation) {
  if (!compilation.recipe) {
    return "a part of the recipe";
  }
  const auto& actions = compilation.recipe->actions;
  const auto found = std::ranges::find(actions, false, &ir::Action::valid);
  return found == actions.end() ? "a part of the recipe"
                                : fmt::format("`{}` (line {})", base::printable(ir::numbered_name(found->origin)),
                                              file.position(found->origin.span.begin).line);
}

const ir::FoundRecipe* recipe_without_schedule(const Compilation& compilation) {
  const ir::FoundRecipe* found = compilation.chosen ? &compilation.recipes[*compilation.chosen] : nullptr;
  const bool unknown = found != nullptr && !found->unknown.empty() && compilation.count(diag::Severity::error) == 0;
  return unknown ? found : nullptr;
}

// Returns the reason why a recipe has no schedule, as a clause.
static std::string obstacle_of(const Compilation& compilation) {
  const ir::FoundRecipe* found = recipe_without_schedule(compilation);
  if (!compilation.recipe && !compilation.references.empty()) {
    return fmt::format("it is in `{}`; pass that file", base::printable(compilation.references.front().path));
  }
  if (found == nullptr && compilation.only_serves) return "its commands name no recipe";
  if (found == nullptr) {
    return unread_part(*compilation.file, compilation) + " cannot be read";
  }
  const std::vector<ir::UnknownField> unknown = ir::unknown_fields(*found);
  return unknown.empty() ? "a part of it is unknown: " + found->unknown.front()
                         : fmt::format("{} is unknown: {}", unknown.front().name, unknown.front().reason);
}

void show_obstacle(const ReadRecipe& read, const Streams& streams) {
  const Compilation& compilation = read.compilation;
  if (compilation.count(diag::Severity::error) > 0) {
    return;
  }
  const source::SourceFile& file = *compilation.file;
  const Compilation full = compile(file.name(), std::string(file.text()), read.options->compile);
  std::vector<diag::Diagnostic> notes = full.diagnostics;
  std::erase_if(notes, [](const diag::Diagnostic& each) { return each.severity == diag::Severity::warning; });
  if (!streams.verbose) {
    streams.err << diag::render_text(
        *full.file, notes,
        {.color = streams.color, .columns = streams.columns, .terminal = streams.terminal || streams.wraps});
  }
  complain(streams.err, file.title(), "the recipe has no schedule, because " + obstacle_of(compilation));
}

static std::string page(const std::string& text, bool terminal, const Streams& streams) {
  return diag::as_page(text, {streams.color, terminal || streams.wraps ? streams.columns : 0});
}

void show_text(const std::string& text, const Streams& streams) {
  streams.out << page(text, streams.terminal, streams);
}

void show_report(const std::string& text, const Streams& streams) {
  streams.err << page(text, streams.progress, streams);
}

static bool is_standard_output(const std::string& path) { return path.empty() || path == "-" || path == "/dev/stdout"; }

std::string page(const std::string& text, const Output& output, const Streams& streams) {
  return is_standard_output(output.path) ? page(text, streams.terminal, streams) : text;
}

int write_output(const Output& output, const std::vector<std::string>& inputs, const source::Produce& produce,
                 const Streams& streams) {
  const std::string& path = output.path;
  if (is_standard_output(path)) {
    produce([&](std::string_view piece) {
      return static_cast<bool>(streams.out.write(piece.data(), static_cast<std::streamsize>(piece.size())));
    });
    return kClean;
  }
  const auto existing = output.force ? source::Existing::replace : source::Existing::refuse;
  const auto is_output = [&](const std::string& input) { return source::is_same_file(input, path); };
  const auto failure = std::ranges::any_of(inputs, is_output)
                           ? std::optional<std::string>("the output file is also the input; choose another file")
                           : source::write_file(path, produce, existing);
  if (failure) {
    complain(streams.err, path, *failure);
    return kUsage;
  }
  note(streams, "wrote " + path);
  return kClean;
}

int write_output(const Output& output, const std::vector<std::string>& inputs, const std::string& text,
                 const Streams& streams) {
  return write_output(
      output, inputs, [&](const source::Write& write) { return write(text); }, streams);
}

int write_and_name(const Output& output, const std::vector<std::string>& inputs, const std::string& text,
                   const Streams& streams) {
  const int status = write_output(output, inputs, text, streams);
  const bool is_named = streams.verbose || streams.quiet;  // by write_output(), or not at all
  if (status == kClean && !is_standard_output(output.path) && !is_named) {
    streams.err << "written to " << base::printable(output.path) << '\n';
  }
  return status;
}

}  // namespace sparsecfg::cmd
