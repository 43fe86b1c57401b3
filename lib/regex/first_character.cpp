#include "regex/first_character.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>
#include <string>
#include <variant>

#include "regex/pattern.h"

namespace sparsecfg::regex {

std::optional<char> first_character(std::string_view python_pattern) {
  const auto translation = translate(python_pattern);
  const auto* text = std::get_if<std::string>(&translation);
  if (text == nullptr) return std::nullopt;
  int error = 0;
  std::size_t offset = 0;
  const std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text->data()), text->size(), PCRE2_UTF | PCRE2_UCP, &error, &offset,
                    nullptr),
      &pcre2_code_free);
  std::uint32_t type = 0;
  std::uint32_t unit = 0;
  const bool known = code && pcre2_pattern_info(code.get(), PCRE2_INFO_FIRSTCODETYPE, &type) == 0 && type == 1 &&
                     pcre2_pattern_info(code.get(), PCRE2_INFO_FIRSTCODEUNIT, &unit) == 0;
  return known ? std::optional(static_cast<char>(unit)) : std::nullopt;
}

}  // namespace sparsecfg::regex
