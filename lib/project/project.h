#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compile.h"
#include "project/settings.h"

// How each file is read, and which of its findings count: the options of the command line over those that the project
// states for the file.
namespace sparsecfg::project {

// The options of a command line.
struct Request {
  Settings settings;
  std::vector<std::string> variables;  // NAME=VALUE, the value JSON or else a string
  doc::Limits limits;
};

// The options of one file, or of all files with the same settings.
struct FileOptions {
  CompileOptions compile;
  Settings settings;
  std::string path;  // of the file of settings; empty if there is none

  // The lowest severity that makes the run fail; nullopt if no finding does.
  [[nodiscard]] std::optional<diag::Severity> fail_on() const;
};

// What can't be used: an option or a file, and why.
struct Problem {
  std::string what;
  std::string why;
};

// Returns the two parts of NAME=VALUE; nullopt if there is no `=` or nothing before it.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> split_assignment(const std::string& text);

class Project {
 public:
  explicit Project(Request request);
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;

  // What is wrong with the command line itself.
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

  // The options of a file, `-` for standard input, or why they can't be used. They live as long as the project.
  [[nodiscard]] std::variant<const FileOptions*, Problem> options_of(const std::string& path);

  // The same with the command line alone, without a file of settings.
  [[nodiscard]] std::variant<const FileOptions*, Problem> options_without_settings();

  // Returns true if the settings that hold for a path exclude it.
  [[nodiscard]] bool excludes(const std::string& path, bool is_folder);

 private:
  using Made = std::variant<FileOptions, Problem>;

  std::variant<const FileOptions*, Problem> made_for(const std::string& path, std::vector<bool> matches,
                                                     Settings settings);
  void read_variables(const std::vector<std::string>& assignments);
  void check_code(const std::string& code);
  [[nodiscard]] Made make_options(const Settings& settings, const std::string& path);
  [[nodiscard]] std::optional<Problem> add_names(FileOptions& options);

  // The names of one file, read once.
  struct Names {
    std::unique_ptr<ir::ModelNames> names;
    std::shared_ptr<const std::vector<source::Module>> modules;  // null for parameters
  };

  Request request_;
  std::vector<std::pair<std::string, source::Value>> variables_;
  std::vector<Problem> problems_;
  SettingsFinder finder_;
  std::map<std::pair<std::string, std::vector<bool>>, Made> made_;  // by file of settings and the patterns that match
  std::map<std::string, Names> parameters_;                         // by path
  std::map<std::string, Names> modules_;
};

}  // namespace sparsecfg::project
