#pragma once

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "source/span.h"

// What is fuzzed. libFuzzer runs one target (`fuzz`), and `fuzz_all` each of them for a short time.
namespace sparsecfg::fuzz {

// Tries a text; `how` says in which way. Ends the program where something does not hold.
struct Target {
  std::string_view name;
  void (*run)(std::string text, unsigned char how);
};

[[nodiscard]] std::span<const Target> targets();

inline void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

inline bool is_inside(source::Span span, std::size_t size) { return span.begin <= span.end && span.end <= size; }

// Whole recipes of any dialect, or of one.
void try_any(std::string text, unsigned char how);
void try_sparseml(std::string text, unsigned char how);
void try_distiller(std::string text, unsigned char how);
void try_nni(std::string text, unsigned char how);
void try_llm_compressor(std::string text, unsigned char how);
void try_schedule(std::string text, unsigned char how);

// A document that is open in an editor.
void try_editor(std::string text, unsigned char how);

}  // namespace sparsecfg::fuzz
