#include "python/normalized_name.h"

#include <algorithm>

#include "base/text.h"

namespace sparsecfg::python {

// Variants of consecutive characters. Letters continue from Z to a and from z to A, digits from 9 to 0.
struct Variants {
  char32_t first = 0;
  char32_t last = 0;
  std::string_view text;  // of the first one; if longer than a character, of all
};

// From the Unicode character database: characters of names whose NFKC form consists of ASCII letters. Gaps inside the
// mathematical letters are unassigned, or listed before (Letterlike Symbols).
constexpr Variants kVariants[] = {
    {0xAA, 0xAA, "a"},      {0xBA, 0xBA, "o"},       {0x132, 0x132, "IJ"},    {0x133, 0x133, "ij"},
    {0x17F, 0x17F, "s"},    {0x2102, 0x2102, "C"},   {0x210A, 0x210A, "g"},   {0x210B, 0x210B, "H"},
    {0x210C, 0x210C, "H"},  {0x210D, 0x210D, "H"},   {0x210E, 0x210E, "h"},   {0x2110, 0x2110, "I"},
    {0x2111, 0x2111, "I"},  {0x2112, 0x2112, "L"},   {0x2113, 0x2113, "l"},   {0x2115, 0x2115, "N"},
    {0x2119, 0x211B, "P"},  {0x211C, 0x211C, "R"},   {0x211D, 0x211D, "R"},   {0x2124, 0x2124, "Z"},
    {0x2128, 0x2128, "Z"},  {0x212A, 0x212A, "K"},   {0x212C, 0x212D, "B"},   {0x212F, 0x212F, "e"},
    {0x2130, 0x2131, "E"},  {0x2133, 0x2133, "M"},   {0x2134, 0x2134, "o"},   {0xFB00, 0xFB00, "ff"},
    {0xFB01, 0xFB01, "fi"}, {0xFB02, 0xFB02, "fl"},  {0xFB03, 0xFB03, "ffi"}, {0xFB04, 0xFB04, "ffl"},
    {0xFB05, 0xFB06, "st"}, {0xFF10, 0xFF19, "0"},   {0xFF21, 0xFF3A, "A"},   {0xFF3F, 0xFF3F, "_"},
    {0xFF41, 0xFF5A, "a"},  {0x1D400, 0x1D6A3, "A"}, {0x1D7CE, 0x1D7FF, "0"},
};

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kDigits = "0123456789";

// Appends what the variant at `distance` from the first one stands for.
static void append_variant(std::string& out, const Variants& variants, std::size_t distance) {
  const std::string_view row = base::is_digit(variants.text.front()) ? kDigits : kLetters;
  const std::size_t first = row.find(variants.text);
  const bool alone = variants.text.size() == 1 && first != std::string_view::npos;
  out += alone ? row.substr((first + distance) % row.size(), 1) : variants.text;
}

std::string normalized_name(std::string_view name) {
  if (std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return std::string(name);
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t begin = at;
    const char32_t character = base::next_code_point(name, at);
    const auto* found = std::ranges::find_if(
        kVariants, [&](const Variants& each) { return each.first <= character && character <= each.last; });
    if (found == std::end(kVariants)) {
      out += name.substr(begin, at - begin);
    } else {
      append_variant(out, *found, character - found->first);
    }
  }
  return out;
}

}  // namespace sparsecfg::python
