#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Help lines and edits are written once, in YAML, and converted to the language of the file.
namespace sparsecfg::doc {

enum class Language : std::uint8_t {
  yaml,
  json,
  python,  // literals, and keyword arguments of calls
};

// How the keys of a mapping are written in a script.
enum class Keys : std::uint8_t {
  quoted,    // of a dictionary: `"group_size": 128`
  keywords,  // of a call: `group_size=128`
};

// Converts a YAML value on one line, in flow style: `[lm_head]` is `["lm_head"]` in JSON and Python. Returns nullopt
// if it is not one whole value.
[[nodiscard]] std::optional<std::string> value_in(Language language, std::string_view yaml);

// Converts an entry of a mapping, such as `ignore: [lm_head]`. With keywords, the mapping of a class becomes a call:
// `GPTQModifier: {scheme: W4A16}` is `GPTQModifier(scheme="W4A16")`. Returns nullopt if the text is not one whole
// entry.
[[nodiscard]] std::optional<std::string> entry_in(Language language, Keys keys, std::string_view yaml);

// Converts the values and entries in backticks of a help line. Other text in backticks stays as it is.
[[nodiscard]] std::string help_in(Language language, Keys keys, std::string_view help);

}  // namespace sparsecfg::doc
