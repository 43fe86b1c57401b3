#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

// Patterns by chance, always the same ones for the same seed.
namespace sparsecfg::regex {

struct Vocabulary {
  std::vector<std::string> items;
  std::vector<std::string> repeats;
  std::vector<std::string> groups = {"(", "(?:", "(?i:", "(?s:"};
};

inline const Vocabulary kShort = {
    {"a", "b", "1", R"(\.)", ".", "[ab]", "[^a]", "[.1]", R"(\d)", R"(\w)", R"(\W)", R"([^\W1])", "A"},
    {"", "", "", "", "*", "+", "?", "*?", "??", "{2}", "{1,2}", "{,2}", "{2,}", "{0}"},
};

// What makes automata large: long repeats, repeats of repeats, many characters.
inline const Vocabulary kNasty = {
    {"a", ".", "[ab]", "(?:a|b)*a(?:a|b)", R"([\x00-\u4e2d])", R"([^\u0431\U0001f600])", R"(\w)", R"(\b)", "(?:a?b?c?)",
     "()", "(?:conv|block|layer)", "(?i:weight)", R"((?a:\D\b))", "(?:x{0,65535})", ".*"},
    {"", "{12}", "{3,40}", "*", "+", "{0,300}", "{2,}", "?"},
};

class Author {
 public:
  Author(std::uint32_t seed, const Vocabulary& words) : random_(seed), words_(words) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string one_of(const std::vector<std::string>& texts) { return texts[below(texts.size())]; }

  std::string pattern(std::size_t depth) {
    std::string text = sequence(depth);
    while (below(4) == 0) {
      text += '|' + sequence(depth);
    }
    return text;
  }

 private:
  std::string sequence(std::size_t depth) {
    std::string text;
    for (std::size_t items = below(5); items > 0; --items) {
      text += item(depth);
    }
    return text;
  }

  std::string item(std::size_t depth) {
    if (below(10) == 0) {
      return one_of({"^", "$", R"(\A)", R"(\Z)", R"(\b)", R"(\B)", "(?a:\\b)"});
    }
    if (depth > 0 && below(3) == 0) {
      return one_of(words_.groups) + pattern(depth - 1) + ')' + one_of(words_.repeats);
    }
    return "(?:" + one_of(words_.items) + ')' + one_of(words_.repeats);
  }

  std::mt19937 random_;
  const Vocabulary& words_;
};

}  // namespace sparsecfg::regex
