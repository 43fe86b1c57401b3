#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "diag/diagnostic.h"
#include "source/source_file.h"

namespace sparsecfg::diag {

struct TextOptions {
  bool color = false;
  std::size_t columns = 80;  // of the terminal; less than 40 counts as 40
  std::size_t limit = 20;    // diagnostics of each severity that are shown for one file
  bool terminal = false;     // true if headlines are wrapped too, which would keep programs from reading them
  bool infos = true;         // false: info findings are left out
};

// The diagnostics of one file for people, in the order given, an empty line after each:
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
//      = help: end training at least one step later
//      = explain: sparsecfg explain SP202
//
// The last line is given once for each code. Nothing of what the file or its name hold reaches the
// terminal as a control character.
[[nodiscard]] std::string render_text(const source::SourceFile& file, std::span<const Diagnostic> diagnostics,
                                      const TextOptions& options);

}  // namespace sparsecfg::diag
