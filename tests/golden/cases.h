#pragma once

#include <string>
#include <vector>

namespace sparsecfg::golden {

// The folder of all cases.
[[nodiscard]] const char* testdata();

// Makes outputs independent of the terminal and its user, and enters the folder of all cases.
void set_up_environment();

// Returns false, with an error message, if outputs must not be recorded: people review them, which no CI does.
[[nodiscard]] bool may_record();

// One recipe to run one command on. Paths are relative to testdata().
struct Case {
  std::string command;  // "validate"
  std::string dialect;  // the folder "validate/sparseml"
  std::string folder;   // "validate/sparseml/input", or the same as `dialect`
  std::string stem;     // "bad-duplicate-key"
  std::string path;     // "validate/sparseml/input/bad-duplicate-key.yaml"

  // "validate.sparseml.input.bad-duplicate-key"
  [[nodiscard]] std::string name() const;

  // The path of a file beside the recipe: its output for ".out", its error output for ".err",
  // further arguments for ".args".
  [[nodiscard]] std::string sidecar(const std::string& extension) const { return folder + "/" + stem + extension; }
};

// Every case, by path.
[[nodiscard]] std::vector<Case> find_cases();

// Every sidecar file that stands beside no case, and every case whose name another one has.
[[nodiscard]] std::vector<std::string> misplaced_files();

// The text of a file, empty where there is none.
[[nodiscard]] std::string read_or_empty(const std::string& path);

}  // namespace sparsecfg::golden
