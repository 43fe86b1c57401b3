#include "regex/substitution.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <utility>
#include <variant>

#include "base/text.h"
#include "regex/pattern.h"

namespace sparsecfg::regex {

struct Substitution::Impl {
  std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code;
  std::string replacement;  // in the syntax of PCRE2
};

static PCRE2_SPTR units(const std::string& text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

// `\1` becomes `${1}`, and `$` becomes `$$`.
static std::string pcre2_replacement(std::string_view python) {
  std::string out;
  for (std::size_t at = 0; at < python.size(); ++at) {
    if (python[at] == '\\' && at + 1 < python.size() && base::is_digit(python[at + 1])) {
      out += {'$', '{', python[++at], '}'};
    } else {
      out.append(python[at] == '$' ? 2 : 1, python[at]);
    }
  }
  return out;
}

std::optional<Substitution> Substitution::compile(std::string_view python_pattern, std::string_view replacement) {
  const auto translation = translate(python_pattern);
  const auto* text = std::get_if<std::string>(&translation);
  if (text == nullptr) return std::nullopt;
  int error = 0;
  std::size_t offset = 0;
  auto* code = pcre2_compile(units(*text), text->size(), PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr);
  if (code == nullptr) return std::nullopt;
  return Substitution(std::make_unique<Impl>(Impl{{code, &pcre2_code_free}, pcre2_replacement(replacement)}));
}

Substitution::Substitution(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Substitution::Substitution(Substitution&&) noexcept = default;
Substitution& Substitution::operator=(Substitution&&) noexcept = default;
Substitution::~Substitution() = default;

// A group without a match is empty, as in Python. The first call returns the size if the text grows by more than its
// own length.
std::string Substitution::apply(const std::string& text) const {
  constexpr std::uint32_t kOptions =
      PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_UNSET_EMPTY | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH;
  std::string out(2 * text.size() + 1, '\0');
  for (int round = 0; round < 2; ++round) {
    std::size_t size = out.size();
    const int count = pcre2_substitute(impl_->code.get(), units(text), text.size(), 0, kOptions, nullptr, nullptr,
                                       units(impl_->replacement), impl_->replacement.size(),
                                       reinterpret_cast<PCRE2_UCHAR*>(out.data()), &size);
    if (count != PCRE2_ERROR_NOMEMORY) {
      out.resize(count < 0 ? 0 : size);
      return count < 0 ? text : out;
    }
    out.resize(size);
  }
  return text;
}

}  // namespace sparsecfg::regex
