#include "project/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "architecture/user_model.h"
#include "base/limits.h"
#include "base/text.h"
#include "dialect/dialects.h"
#include "model/names.h"
#include "source/load.h"
#include "source/search.h"
#include "source/value.h"

namespace sparsecfg::project {

std::optional<diag::Severity> FileOptions::fail_on() const {
  switch (settings.fail_on.value_or(FailOn::error)) {
    case FailOn::error: return diag::Severity::error;
    case FailOn::warning: return diag::Severity::warning;
    case FailOn::info: return diag::Severity::info;
    case FailOn::never: return std::nullopt;
  }
  return std::nullopt;
}

std::size_t FileOptions::filter(const source::SourceFile& file, std::vector<diag::Diagnostic>& findings) const {
  const std::size_t known = baseline == nullptr ? 0 : baseline->remove(file, findings);
  settings.levels.apply(findings);
  return known;
}

Project::Project(Request request) : request_(std::move(request)) {
  read_variables(request_.variables);
  const diag::Levels& levels = request_.settings.levels;
  for (const auto& codes : {levels.select, levels.ignore}) {
    for (const std::string& code : codes) check_code(code);
  }
  for (const auto& [code, severity] : levels.severities) check_code(code);
}

void Project::check_code(const std::string& code) {
  if (!diag::names_any(code)) {
    problems_.push_back({code, "unknown rule; `sparsecfg explain codes` lists all rules"});
  }
}

std::optional<std::pair<std::string, std::string>> split_assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals == std::string::npos || equals == 0
             ? std::nullopt
             : std::optional(std::pair(text.substr(0, equals), text.substr(equals + 1)));
}

// Parses values as JSON if possible, otherwise as strings: `n=3` is an int, `n=3.0` a float.
void Project::read_variables(const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) {
    const auto parts = split_assignment(assignment);
    if (!parts) {
      problems_.push_back({"--set " + assignment, "write NAME=VALUE"});
      continue;
    }
    const auto& [name, text] = *parts;
    auto read = source::read_json(text);
    if (const auto* failure = std::get_if<source::LoadError>(&read)) {
      problems_.push_back({"--set " + name, failure->reason});
      continue;
    }
    auto& value = std::get<std::optional<source::Value>>(read);
    variables_.emplace_back(name, value ? std::move(*value) : source::Value{text, {}});
  }
}

// Returns the path of a file relative to the folder of the config file, or an empty string if it is outside.
static std::string path_in_project(const std::string& settings, const std::string& path) {
  const std::string folder = std::filesystem::path(settings).parent_path().native();
  const std::string absolute = absolute_path(path).native();
  const std::size_t prefix = folder.ends_with('/') ? folder.size() : folder.size() + 1;
  return absolute.size() > prefix && absolute.starts_with(folder) ? absolute.substr(prefix) : std::string();
}

std::variant<const FileOptions*, Problem> Project::options_of(const std::string& path) {
  const ReadSettings& found = finder_.of(path);
  if (const auto* error = std::get_if<SettingsError>(&found)) {
    return Problem{error->path, error->reason, error->excerpt};
  }
  const auto& project = std::get<ProjectSettings>(found);
  Settings settings = project.settings;
  std::vector<bool> matches;
  const std::string relative = project.per_file.empty() ? "" : path_in_project(project.path, path);
  for (const auto& [pattern, more] : project.per_file) {
    matches.push_back(pattern.ignores_file(relative));
    if (matches.back()) settings.add(more);
  }
  note_patterns(project, matches);
  for (const dialect::ReaderOption& option : dialect::reader_options()) {
    if (option.marker.empty()) continue;
    matches.push_back(is_below_marker(path, std::string(option.marker)));
    if (matches.back()) {
      settings.reader_options.insert(settings.reader_options.begin(),
                                     {std::string(option.name), std::string(option.marked)});
    }
  }
  const Requirements requirements = request_.find_models ? requirements_.of(path) : Requirements();
  return made_for(project.path, std::move(matches), std::move(settings), requirements);
}

// `matches`: of all entries; those of extended files come first.
void Project::note_patterns(const ProjectSettings& project, const std::vector<bool>& matches) {
  if (project.own_patterns.empty()) return;
  auto& patterns = patterns_[project.path];
  const std::size_t first = matches.size() - project.own_patterns.size();
  for (std::size_t at = 0; at < project.own_patterns.size(); ++at) {
    if (at >= patterns.size()) patterns.emplace_back(project.own_patterns[at], false);
    patterns[at].second = patterns[at].second || matches[first + at];
  }
}

std::vector<Problem> Project::unused_patterns(const std::vector<std::string>& folders) const {
  const auto is_searched = [&](const std::filesystem::path& folder) {
    return std::ranges::any_of(folders, [&](const std::string& each) {
      const std::filesystem::path relative = folder.lexically_relative(absolute_path(each));
      return !relative.empty() && *relative.begin() != "..";
    });
  };
  std::vector<Problem> out;
  for (const auto& [path, patterns] : patterns_) {
    if (!is_searched(absolute_path(path).parent_path())) continue;
    for (const auto& [pattern, matches] : patterns) {
      if (!matches) out.push_back({path, fmt::format("the pattern `{}` of `per-file` matches no file", pattern)});
    }
  }
  return out;
}

// Returns a string that is equal for equal requirements.
static std::string key_of(const Requirements& requirements) {
  std::string out;
  for (const auto& each : {requirements.llmcompressor, requirements.transformers}) {
    out += (each ? each->text() : std::string()) + '\n';
  }
  return out;
}

// Returns true if a folder contains a file whose name matches a pattern with at most one `*`.
static bool has_file(const std::filesystem::path& folder, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  std::error_code error;
  if (star == std::string_view::npos) return std::filesystem::is_regular_file(folder / pattern, error);
  constexpr int kMaxFiles = 10'000;
  int left = kMaxFiles;
  std::filesystem::directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::directory_iterator() && left > 0; at.increment(error), --left) {
    const std::string name = at->path().filename().native();
    const bool matches = name.size() + 1 >= pattern.size() && name.starts_with(pattern.substr(0, star)) &&
                         name.ends_with(pattern.substr(star + 1));
    if (matches && at->is_regular_file(error)) return true;
  }
  return false;
}

// Returns true if a folder contains one of the files of a marker, such as "setup.py|policies/qat_policy*.yaml".
static bool has_marker(const std::filesystem::path& folder, std::string_view marker) {
  return std::ranges::any_of(base::parts_of(marker, '|'), [&](std::string_view path) {
    const std::size_t name = path.rfind('/') + 1;  // 0 without a `/`
    return has_file(folder / path.substr(0, name), path.substr(name));
  });
}

// Returns true if one of the nearest parent folders, at most up to the root of the repository, contains the file.
bool Project::is_below_marker(const std::string& path, const std::string& marker) {
  if (path == "-") {
    return false;
  }
  const std::string folder = absolute_path(path).parent_path().native();
  const auto [known, added] = markers_.try_emplace({folder, marker}, false);
  if (!added) {
    return known->second;
  }
  constexpr int kMaxParents = 3;
  bool& found = known->second;
  std::filesystem::path at = folder;
  for (int up = 0; up < kMaxParents && !found && at.has_relative_path(); ++up, at = at.parent_path()) {
    std::error_code error;
    found = has_marker(at, marker);
    if (std::filesystem::exists(at / ".git", error)) break;
  }
  return found;
}

std::variant<const FileOptions*, Problem> Project::options_without_settings() { return made_for("", {}, {}); }

std::variant<const FileOptions*, Problem> Project::made_for(const std::string& path, std::vector<bool> matches,
                                                            Settings settings, const Requirements& requirements) {
  const auto key = std::tuple(path, std::move(matches), key_of(requirements));
  auto known = made_.find(key);
  if (known == made_.end()) {
    settings.add(request_.settings);
    known = made_.emplace(key, make_options(settings, path)).first;
    if (auto* made = std::get_if<FileOptions>(&known->second)) made->compile.requirements = requirements;
  }
  if (const auto* problem = std::get_if<Problem>(&known->second)) return *problem;
  return &std::get<FileOptions>(known->second);
}

bool Project::excludes(const std::string& path, bool is_folder) {
  const auto* project = std::get_if<ProjectSettings>(&finder_.of(path));
  if (project == nullptr || project->exclude.empty()) {
    return false;
  }
  const std::string relative = path_in_project(project->path, path);
  return is_folder ? project->exclude.ignores(relative, true).value_or(false) : project->exclude.ignores_file(relative);
}

Project::Made Project::make_options(const Settings& settings, const std::string& path) {
  FileOptions out{{}, settings, path};
  out.compile.from = settings.from;
  out.compile.limits = request_.limits;
  out.compile.limit = request_.limit;
  out.compile.read.variables = variables_;
  out.compile.read.epochs = settings.epochs;
  out.compile.read.steps_per_epoch = settings.steps_per_epoch;
  out.compile.read.parameter_groups = settings.parameter_groups;
  out.compile.read.folder_weights = folder_weights_;
  for (const auto& [name, value] : settings.reader_options) {
    if (!dialect::set_reader_option(name, value, out.compile.read)) {
      return Problem{name, "unknown dialect option, or invalid value `" + value + "`"};
    }
  }
  if (!settings.classes.empty()) {
    out.compile.read.custom = std::make_shared<const dialect::CustomClasses>(settings.classes);
  }
  const dialect::Dialect* from = settings.from ? dialect::find_dialect(*settings.from) : nullptr;
  if (settings.from && (from == nullptr || from->read == nullptr)) {
    return Problem{*settings.from, "unknown dialect"};
  }
  if (auto problem = add_parameters(out)) {
    return std::move(*problem);
  }
  if (auto problem = add_modules(out)) {
    return *std::move(problem);
  }
  if (auto problem = add_model(out)) {
    return *std::move(problem);
  }
  if (auto problem = add_baseline(out)) {
    return *std::move(problem);
  }
  if (auto problem = add_policy(out)) {
    return *std::move(problem);
  }
  return out;
}

std::size_t Project::count_unused_baseline() const {
  std::size_t sum = 0;
  for (const auto& [path, baseline] : baselines_) sum += baseline->count_unused();
  return sum;
}

// A file that the command line names is the user's choice; one that settings name is the choice of whoever wrote them.
// The project is the repository of the settings, or else their folder.
static std::string project_of(const std::string& of_command_line, const std::string& settings) {
  if (!of_command_line.empty() || settings.empty()) {
    return {};
  }
  const std::string folder = std::filesystem::path(settings).parent_path().native();
  const std::string repository = source::repository_of(folder);
  return repository.empty() ? folder : repository;
}

// Returns the path of a file that settings name, or why they must not name it. An empty project means that the command
// line names the file, which may be anywhere.
static std::variant<std::string, source::LoadError> resolve(const std::string& project, const std::string& path) {
  return project.empty() ? std::variant<std::string, source::LoadError>(path) : source::resolve_below(project, path);
}

// Returns the reason why a baseline is not read, with the command that writes a missing one.
static std::string with_command(const std::string& reason) {
  return reason == source::reason_of(ENOENT) ? reason + "; write it with `sparsecfg validate --write-baseline`"
                                             : reason;
}

std::optional<Problem> Project::add_baseline(FileOptions& options) {
  const std::string& path = options.settings.baseline;
  if (path.empty() || request_.no_baseline) {
    return std::nullopt;
  }
  auto known = baselines_.find(path);
  if (known == baselines_.end()) {
    const auto file = resolve(project_of(request_.settings.baseline, options.path), path);
    if (const auto* failure = std::get_if<source::LoadError>(&file))
      return Problem{path, with_command(failure->reason)};
    auto read = report::Baseline::read(path);
    if (const auto* failure = std::get_if<source::LoadError>(&read))
      return Problem{path, with_command(failure->reason)};
    auto baseline = std::make_shared<report::Baseline>(std::get<report::Baseline>(std::move(read)));
    known = baselines_.emplace(path, std::move(baseline)).first;
  }
  options.baseline = known->second;
  return std::nullopt;
}

std::optional<std::string> refuse_baseline(const std::string& settings, const std::string& path) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(path, ignored);
  if (exists && std::holds_alternative<source::LoadError>(report::Baseline::read(path))) {
    return "already exists and is not a baseline file";
  }
  if (settings.empty()) {
    return std::nullopt;
  }
  const std::string root = project_of("", settings);
  if (exists) {
    const auto file = source::resolve_below(root, path);
    const auto* failure = std::get_if<source::LoadError>(&file);
    return failure == nullptr ? std::nullopt : std::optional(failure->reason);
  }
  const std::filesystem::path file(path);
  const auto folder = std::filesystem::weakly_canonical(file.parent_path(), ignored);
  const auto project = std::filesystem::canonical(root, ignored);
  for (const std::filesystem::path& part : (folder / file.filename()).lexically_relative(project)) {
    if (part.native().starts_with('.')) return "is hidden or outside of the project, where settings name no files";
  }
  return path.ends_with(".json") ? std::nullopt
                                 : std::optional<std::string>("must be a .json file, because settings name it");
}

std::optional<double> start_of_qat(const std::string& path) {
  auto read = source::read_file(path, limits::kMaxSettingsBytes);
  auto* const text = std::get_if<std::string>(&read);
  return text == nullptr ? std::nullopt : dialect::ai8x::start_of_qat(path, std::move(*text));
}

std::optional<double> last_milestone(const std::string& path, double before) {
  auto read = source::read_file(path, limits::kMaxSettingsBytes);
  auto* const text = std::get_if<std::string>(&read);
  return text == nullptr ? std::nullopt : dialect::distiller::last_milestone(path, std::move(*text), before);
}

// Only the start of the policy matters for a schedule. The policy is checked as a file of its own.
std::optional<Problem> Project::add_policy(FileOptions& options) {
  const std::string& path = options.settings.qat_policy;
  if (path.empty()) {
    return std::nullopt;
  }
  const auto file = resolve(project_of(request_.settings.qat_policy, options.path), path);
  if (const auto* failure = std::get_if<source::LoadError>(&file)) return Problem{path, failure->reason};
  auto read = source::read_file(path, limits::kMaxSettingsBytes);
  if (const auto* failure = std::get_if<source::LoadError>(&read)) return Problem{path, failure->reason};
  options.compile.read.qat_start = dialect::ai8x::start_of_qat(path, std::get<std::string>(std::move(read)));
  return std::nullopt;
}

std::optional<Problem> Project::count_named(const std::string& project, const std::string& path, std::size_t modules) {
  if (project.empty() || named_.spend(modules)) {
    return std::nullopt;
  }
  return Problem{
      path, fmt::format("exceeds the limit of {} modules for all models that settings name", limits::kMaxNamedModules)};
}

std::optional<Problem> Project::use_model(FileOptions& options, const std::string& project, const std::string& path) {
  const std::pair key(project, path);
  auto known = models_.find(key);
  if (known == models_.end()) {
    if (auto problem = count_named(project, path, 0)) return problem;
    auto read = architecture::UserModel::load(project, path);
    if (const auto* failure = std::get_if<source::LoadError>(&read)) return Problem{path, failure->reason};
    if (auto problem = count_named(project, path, std::get<0>(read)->size())) return problem;
    known = models_.emplace(key, std::get<0>(std::move(read))).first;
  }
  options.compile.model = known->second;
  return std::nullopt;
}

// Lists of names have precedence over the names of a model.
std::optional<Problem> Project::add_model(FileOptions& options) {
  const std::string& path = options.settings.model;
  if (!path.empty()) {
    return use_model(options, project_of(request_.settings.model, options.path), path);
  }
  const dialect::ReadOptions& read = options.compile.read;
  const bool known = options.compile.model != nullptr || read.parameters != nullptr || read.modules != nullptr;
  if (!known && request_.find_models) {
    options.compile.find_model = [this](const std::string& recipe, const std::string& reference) {
      return found_models_.find(recipe, reference);
    };
  }
  return std::nullopt;
}

std::optional<Problem> Project::add_parameters(FileOptions& options) {
  const std::string& path = options.settings.parameters;
  if (path.empty()) {
    return std::nullopt;
  }
  const std::string project = project_of(request_.settings.parameters, options.path);
  const std::pair key(project, path);
  auto known = parameters_.find(key);
  if (known == parameters_.end()) {
    if (architecture::UserModel::is_described(project, path)) return use_model(options, project, path);
    if (auto problem = count_named(project, path, 0)) return problem;
    auto read = model::load_parameters_of(project, path);
    if (const auto* failure = std::get_if<source::LoadError>(&read)) return Problem{path, failure->reason};
    auto listed = architecture::UserModel::of_tensors(std::get<model::Parameters>(std::move(read)), path);
    if (auto problem = count_named(project, path, listed->size())) return problem;
    const model::ModelNames& names = *listed->in(architecture::View::checkpoint).parameters;
    known = parameters_.emplace(key, Names{names.limited_by(request_.limit), nullptr, std::move(listed)}).first;
  }
  options.compile.parameters = &known->second.names;
  options.compile.read.parameters = options.compile.parameters;
  options.compile.model = known->second.model;
  return std::nullopt;
}

std::optional<Problem> Project::add_modules(FileOptions& options) {
  const std::string& path = options.settings.modules;
  if (path.empty()) {
    return std::nullopt;
  }
  const std::string project = project_of(request_.settings.modules, options.path);
  const std::pair key(project, path);
  auto known = modules_.find(key);
  if (known == modules_.end()) {
    if (architecture::UserModel::is_described(project, path)) return use_model(options, project, path);
    if (auto problem = count_named(project, path, 0)) return problem;
    auto read = model::load_modules_of(project, path);
    if (const auto* failure = std::get_if<source::LoadError>(&read)) return Problem{path, failure->reason};
    auto listed = architecture::UserModel::of_modules(std::get<std::vector<model::Module>>(std::move(read)), path);
    if (auto problem = count_named(project, path, listed->size())) return problem;
    const architecture::Names& names = listed->in(architecture::View::linearized);
    known = modules_.emplace(key, Names{names.module_names->limited_by(request_.limit), names.modules, listed}).first;
  }
  options.compile.modules = &known->second.names;
  options.compile.read.modules = known->second.modules;
  options.compile.model = known->second.model;
  return std::nullopt;
}

}  // namespace sparsecfg::project
