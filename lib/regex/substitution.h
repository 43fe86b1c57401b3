#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sparsecfg::regex {

// A call `re.sub(pattern, replacement, text)` of Python, compiled once. The replacement refers to groups as `\1`.
class Substitution {
 public:
  // Returns nullopt for patterns that translate() rejects.
  [[nodiscard]] static std::optional<Substitution> compile(std::string_view python_pattern,
                                                           std::string_view replacement);

  Substitution(Substitution&&) noexcept;
  Substitution& operator=(Substitution&&) noexcept;
  ~Substitution();

  // Returns the text with all matches replaced. Returns it unchanged if a limit of PCRE2 is reached.
  [[nodiscard]] std::string apply(const std::string& text) const;

 private:
  struct Impl;
  explicit Substitution(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sparsecfg::regex
