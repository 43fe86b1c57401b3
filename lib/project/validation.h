#pragma once

#include <istream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "project/model_facts.h"
#include "project/project.h"
#include "report/report.h"

namespace sparsecfg::project {

struct ValidationOptions {
  std::vector<std::string> paths;  // files, folders, or `-` for standard input
  std::string stdin_name = "-";    // file name assumed for standard input; its extension selects the format
  bool skip_unknown = false;       // skips named files that are not recipes
  bool no_ignore = false;          // also searches files that git ignores
  bool fix = false;                // writes the fixed files
  bool diff = false;               // only collects the changes as a diff
  bool unsafe_fixes = false;
  bool fix_infos = false;  // also fixes info findings, which are not shown without --verbose
};

struct Validation {
  report::Report report;                        // points at the files of `compilations`
  std::vector<Compilation> compilations;        // without their schedules and models
  std::vector<const FileOptions*> options;      // options of each compilation
  std::vector<std::set<MissingInput>> missing;  // of each compilation
  std::vector<Problem> problems;                // invalid options or settings
  std::vector<Problem> warnings;                // settings without an effect
  std::string text;                             // the diff, or the fixed standard input
  std::vector<report::FixedFinding> fixed;      // findings that were fixed (with `diff`: would be fixed)
  std::size_t inputs = 0;                       // number of files that were read
  std::map<std::string, std::size_t> removed;   // number of ignored findings by config file
  bool failed = false;                          // true if a finding makes the run fail
};

// Validates recipes in parallel. The report has the order of the paths and, within folders, of the file names.
[[nodiscard]] Validation validate_paths(const ValidationOptions& options, Project& project, std::istream& in);

// Returns the checks that were skipped because an option is missing, "a (--x), b (--y)", or an empty string.
[[nodiscard]] std::string not_checked(const Validation& validation);

}  // namespace sparsecfg::project
