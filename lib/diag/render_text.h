#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "diag/diagnostic.h"
#include "source/source_file.h"

namespace sparsecfg::diag {

struct TextOptions {
  bool color = false;
  std::size_t columns = 80;  // width of the terminal; at least 40 is used
  std::size_t limit = 20;    // maximum number of diagnostics shown per severity and file
  bool terminal = false;     // true if headlines are also wrapped; false keeps them parseable by programs
  bool infos = true;         // false if info findings are omitted
  bool fixes = false;        // true if the changes of fixes are shown below their findings
  std::string docs{};        // address of the documentation, to which codes link (OSC 8); empty for no links
};

// Renders the diagnostics of one file for people, in the given order, with an empty line after each:
//
//   error[SP202]: `final_sparsity` 0.8 is never applied
//     --> recipe.yaml:14:22
//      |
//    4 |     end_epoch: 10.0
//      |                ---- training stops here
//   ...
//   14 |     final_sparsity: 0.8
//      |                     ^^^ the last update before epoch 10 applies 0.725
//      |
//      = help: train at least one step longer, or end this modifier earlier
//      = explain: sparsecfg explain SP202
//
// The `explain` line is printed once per code. Control characters in the file or its name are escaped.
[[nodiscard]] std::string render_text(const source::SourceFile& file, std::span<const Diagnostic> diagnostics,
                                      const TextOptions& options);

}  // namespace sparsecfg::diag
