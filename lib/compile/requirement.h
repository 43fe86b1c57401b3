#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The releases of packages that a project requires.
namespace sparsecfg {

// A requirement such as `llmcompressor==0.10.1`.
struct Requirement {
  std::string package;    // "llmcompressor", "transformers"
  std::string specifier;  // "==0.10.1", ">=4.55,<5"; empty for every release
  std::string file;       // where it is written
  std::uint32_t line = 0;

  // Returns true if exactly one release fits.
  [[nodiscard]] bool is_exact() const;

  // Returns true if a release fits, such as "0.10.1". A release with fewer parts fits if one of its patches does.
  [[nodiscard]] bool allows(std::string_view release) const;

  // Returns the text of messages: "`llmcompressor==0.10.1` in pyproject.toml:7".
  [[nodiscard]] std::string text() const;
};

// The requirements that decide what a recipe means.
struct Requirements {
  std::optional<Requirement> llmcompressor;
  std::optional<Requirement> transformers;

  // Adds requirements that are missing here.
  void add(const Requirements& other);
};

// Returns the requirements in a file of a project: requirements*.txt, pyproject.toml, setup.cfg, or a lock file. An
// exact requirement has precedence over others of the same file.
[[nodiscard]] Requirements requirements_in(std::string_view text, const std::string& file);

// Returns the requirements of `pip install` in a script or notebook.
[[nodiscard]] Requirements installed_by(std::string_view text, const std::string& file);

// Returns the newest of the known releases, in descending order, that a requirement allows; nullopt if there is none.
// An exact release that is not known is like the newest older one.
[[nodiscard]] std::optional<std::string_view> newest_allowed(const Requirement& requirement,
                                                             std::span<const std::string_view> known);

}  // namespace sparsecfg
