// A sheet, testdata/sheets/<topic>.txt, contains many small recipes in groups:
//
//   # Comments about the sheet.
//
//   ## an end that is not after the start
//   why: The constructor compares the two epochs and rejects the modifier.
//   cites: docs/semantics/sparseml.md#c1-3
//   expect: exit 1, SP205; may report SP505 SP506
//
//   === title
//   $ validate --steps-per-epoch 10
//   - !EpochRangeModifier {start_epoch: 3.0, end_epoch: 3.0}
//   => 1
//   (the output of the command)
//
// `expect` names the exit status and the codes that each output in the group must contain. Other codes must not occur,
// except those after `may report`. So no case can pass for a reason other than that of its group. With `expect: per
// case`, the line follows the title of each case.

#pragma once

#include <set>
#include <string>
#include <vector>

namespace sparsecfg::golden {

struct SheetCase {
  std::string title;
  std::string expect;  // empty if the group has the expectation
  std::string command;
  std::string recipe;
  std::string output;  // with the line of the exit status
};

struct SheetGroup {
  std::string name;
  std::string why;     // the behavior and its reason
  std::string cites;   // anchors in docs/, separated by spaces
  std::string expect;  // exit status and codes
  std::vector<SheetCase> cases{};
};

struct Sheet {
  std::string path;  // below the folder of all cases
  std::string introduction{};
  std::vector<SheetGroup> groups{};

  // "sheets/rates.txt: a rate that jumps"
  [[nodiscard]] std::string name(const SheetCase& test) const { return path + ": " + test.title; }
};

// Exit status and codes of an output.
struct Expectation {
  int status = 0;
  std::set<std::string> required{};
  std::set<std::string> allowed{};
};

[[nodiscard]] Sheet parse_sheet(const std::string& path);

[[nodiscard]] std::string text_of(const Sheet& sheet);

// Parses "exit 1, SP205; may report SP505 SP506" and "exit 0, no findings".
[[nodiscard]] Expectation parse_expectation(const std::string& text);

// Returns why the recorded output of a case contradicts the expectation; empty if it does not.
[[nodiscard]] std::string contradiction(const Expectation& expectation, const std::string& output);

// Returns one line for each group without a reason, each citation that does not resolve, and each case whose recorded
// output contradicts the expectation.
[[nodiscard]] std::vector<std::string> problems(const Sheet& sheet);

}  // namespace sparsecfg::golden
