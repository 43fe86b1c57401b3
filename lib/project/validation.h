#pragma once

#include <istream>
#include <map>
#include <string>
#include <vector>

#include "project/project.h"
#include "report/report.h"

namespace sparsecfg::project {

struct ValidationOptions {
  std::vector<std::string> paths;  // files, folders, or `-` for standard input
  std::string stdin_name = "-";    // the name of standard input, whose ending counts
  bool skip_unknown = false;       // skip named files that are not recipes
  bool no_ignore = false;          // search what git ignores, too
  bool fix = false;                // write the fixed files
  bool diff = false;               // only collect what that would change
  bool unsafe_fixes = false;
};

struct Validation {
  report::Report report;  // points at the files of `compilations`
  std::vector<Compilation> compilations;
  std::vector<const FileOptions*> options;     // of each of them
  std::vector<Problem> problems;               // options or settings that can't be used
  std::string text;                            // the differences, or the fixed standard input
  std::size_t fixed = 0;                       // number of findings that were, or with `diff` would be, fixed
  std::size_t inputs = 0;                      // files that were looked at
  std::map<std::string, std::size_t> removed;  // by file of settings, the number of findings that it ignores
  bool failed = false;                         // true if a finding makes the run fail
};

// Validates the recipes at some paths, on all cores of the machine. The report is in the order of the paths and, in
// folders, of the names.
[[nodiscard]] Validation validate_paths(const ValidationOptions& options, Project& project, std::istream& in);

// What was not checked because an option is missing, "a (--x), b (--y)"; empty if all was.
[[nodiscard]] std::string not_checked(const Validation& validation);

}  // namespace sparsecfg::project
