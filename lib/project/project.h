#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "architecture/user_model.h"
#include "base/budget.h"
#include "base/limit_table.h"
#include "compile/compile.h"
#include "model/folder_weights.h"
#include "project/model_finder.h"
#include "project/requirements_finder.h"
#include "project/settings.h"
#include "report/baseline.h"

// Determines for each file how it is read and which findings are reported. Command-line options override the settings
// of the project.
namespace sparsecfg::project {

// The options of a command line.
struct Request {
  Settings settings;
  std::vector<std::string> variables;  // NAME=VALUE; the value is JSON or otherwise a string
  doc::Limits limits;
  // Of all models that are found: modules as steps, and bytes of files. A server, whose run does not end, has no
  // limits.
  base::Budget::Limits models{.steps = limits::kMaxFoundModules, .bytes = limits::kMaxFoundBytes};
  std::size_t weights = limits::kMaxFoundWeights;  // bytes of all weights beside a `config.json`
  bool find_models = true;                         // uses a `config.json` next to a recipe
  bool no_baseline = false;                        // reads no baselines, because they are about to be written
  std::shared_ptr<model::WorkLimit> limit{};  // of the work for the patterns of all recipes; null: each has its own
};

// Options of one file, shared by all files with the same settings.
struct FileOptions {
  CompileOptions compile;
  Settings settings;
  std::string path;                              // path of the config file; empty without one
  std::shared_ptr<report::Baseline> baseline{};  // known findings; null without a baseline

  // Removes the findings that the baseline contains or the settings exclude, and sets severities. Returns the number of
  // findings in the baseline.
  std::size_t filter(const source::SourceFile& file, std::vector<diag::Diagnostic>& findings) const;

  // Returns the minimum severity that makes the run fail, or nullopt if no finding does.
  [[nodiscard]] std::optional<diag::Severity> fail_on() const;
};

// An option or file that cannot be used, and the reason.
struct Problem {
  std::string what;
  std::string why;
  std::string excerpt{};  // the errors of a config file, with its lines; replaces the other members if not empty
};

// Returns the epoch at which a QAT policy starts QAT; nullopt if it starts none, or cannot be read.
[[nodiscard]] std::optional<double> start_of_qat(const std::string& path);

// Returns the last milestone of a schedule before an epoch; nullopt if it has none, or cannot be read.
[[nodiscard]] std::optional<double> last_milestone(const std::string& path, double before);

// Returns why settings must not name a baseline for writing, or nullopt if they may. `settings` is the path of the
// config file, or empty if the user names the baseline.
[[nodiscard]] std::optional<std::string> refuse_baseline(const std::string& settings, const std::string& path);

// Returns the two parts of NAME=VALUE; nullopt if `=` is missing or comes first.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> split_assignment(const std::string& text);

class Project {
 public:
  explicit Project(Request request);
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;

  // Returns the problems of the command line.
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

  // Returns the options of a file (`-` for standard input), or a problem. The pointer is valid as long as the project.
  [[nodiscard]] std::variant<const FileOptions*, Problem> options_of(const std::string& path);

  // Returns the options of the command line, without a config file.
  [[nodiscard]] std::variant<const FileOptions*, Problem> options_without_settings();

  // Returns true if the config file for a path excludes it.
  [[nodiscard]] bool excludes(const std::string& path, bool is_folder);

  // Returns the patterns of `per-file` that match none of the files whose options were asked for, each with its config
  // file. Only those of config files in or below `folders`, all files of which were asked for.
  [[nodiscard]] std::vector<Problem> unused_patterns(const std::vector<std::string>& folders) const;

  // Returns the number of entries of all baselines that matched no finding.
  [[nodiscard]] std::size_t count_unused_baseline() const;

 private:
  using Made = std::variant<FileOptions, Problem>;

  std::variant<const FileOptions*, Problem> made_for(const std::string& path, std::vector<bool> matches,
                                                     Settings settings, const Requirements& requirements = {});
  void read_variables(const std::vector<std::string>& assignments);
  void check_code(const std::string& code);
  [[nodiscard]] Made make_options(const Settings& settings, const std::string& path);
  [[nodiscard]] std::optional<Problem> use_model(FileOptions& options, const std::string& project,
                                                 const std::string& path);
  // Counts the modules of a model that settings name. Returns a problem if all such models exceed the limit.
  [[nodiscard]] std::optional<Problem> count_named(const std::string& project, const std::string& path,
                                                   std::size_t modules);
  [[nodiscard]] std::optional<Problem> add_parameters(FileOptions& options);
  [[nodiscard]] std::optional<Problem> add_modules(FileOptions& options);
  [[nodiscard]] std::optional<Problem> add_model(FileOptions& options);
  [[nodiscard]] std::optional<Problem> add_baseline(FileOptions& options);
  [[nodiscard]] std::optional<Problem> add_policy(FileOptions& options);
  [[nodiscard]] bool is_below_marker(const std::string& path, const std::string& marker);
  void note_patterns(const ProjectSettings& project, const std::vector<bool>& matches);

  // Names from one file, which is read only once.
  struct Names {
    model::ModelNames names;
    std::shared_ptr<const std::vector<model::Module>> modules;  // null for parameters
    std::shared_ptr<const architecture::UserModel> model;       // the same names
  };

  Request request_;
  std::vector<std::pair<std::string, source::Value>> variables_;
  std::vector<Problem> problems_;
  SettingsFinder finder_;
  std::map<std::pair<std::string, std::string>, bool> markers_;  // by folder and name: true if a parent has it
  // By config file, matching patterns and requirements.
  std::map<std::tuple<std::string, std::vector<bool>, std::string>, Made> made_;
  // By the project whose config file names the file (empty for the command line) and by path.
  std::map<std::pair<std::string, std::string>, Names> parameters_;
  std::map<std::pair<std::string, std::string>, Names> modules_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const architecture::UserModel>> models_;
  std::map<std::string, std::shared_ptr<report::Baseline>> baselines_;  // by path
  base::Budget named_{{.steps = limits::kMaxNamedModules}};             // modules of the models that settings name
  ModelFinder found_models_{request_.models};
  // The patterns of `per-file` by config file, and whether they match a file.
  std::map<std::string, std::vector<std::pair<std::string, bool>>> patterns_;
  RequirementsFinder requirements_;
  std::shared_ptr<model::FolderWeights> folder_weights_ = std::make_shared<model::FolderWeights>(request_.weights);
};

}  // namespace sparsecfg::project
