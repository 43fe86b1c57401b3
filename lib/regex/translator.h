#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "regex/escape.h"
#include "regex/flags.h"
#include "regex/scanner.h"
#include "regex/width.h"

namespace sparsecfg::regex {

// Translates a pattern in one pass; see translate().
class Translator {
 public:
  explicit Translator(std::string_view pattern) : scanner_(pattern) {}

  [[nodiscard]] std::variant<std::string, SyntaxError> run();

 private:
  // An item that a repeat would apply to.
  struct Item {
    enum class Kind : std::uint8_t { none, unit, position, repeat };
    Kind kind = Kind::none;
    std::size_t begin = 0;        // offset in the translation
    std::size_t first_group = 0;  // number of its first group, if it has any
    Width width;
  };

  // The items between two of `(`, `|` and `)`.
  struct Sequence {
    Flags& flags;
    bool may_set_flags;  // Python accepts global flags only at the very start
    Width before;        // of the items except the last
    Item last;
  };

  struct Group {
    bool closed = false;
    Width width;
  };

  // translator.cpp: sequences, single characters and repeats
  Width alternatives(Flags flags, bool top_level);
  Width sequence(Flags& flags, bool may_set_flags);
  void item(Sequence& sequence);
  static void start(Sequence& sequence, const Item& item);
  void append(Sequence& sequence, Item::Kind kind, std::string_view text);
  void append_character(Sequence& sequence, char32_t character);
  void escape(Sequence& sequence, std::string_view token);
  void character_set(Sequence& sequence);
  void repeat(Sequence& sequence, std::string_view token);
  void write_repeat(const Item& item, Width count, std::string_view mode);
  void write_never(const Item& item);
  void write_empty_repeat(const Item& item, Width count, std::string_view mode);

  // translator_group.cpp: constructs that start with `(`, and references
  void group(Sequence& sequence);
  void extension(Sequence& sequence, std::size_t open);
  void python_extension(Sequence& sequence, std::size_t open);
  void capture(Sequence& sequence, std::size_t open, std::string_view name);
  void enclosed(Sequence& sequence, std::size_t open, std::string_view opening, const Flags& flags);
  void finish(Sequence& sequence, std::size_t open, const Flags& flags);
  void look_around(Sequence& sequence, std::size_t open, std::string_view opening);
  void look_behind(Sequence& sequence, std::size_t open);
  void conditional(Sequence& sequence, std::size_t open);
  void comment(std::size_t open);
  void change_flags(Sequence& sequence, std::size_t open, std::string_view first);
  void set_global_flags(Sequence& sequence, std::size_t open, const FlagChange& change);
  void reference(Sequence& sequence, std::size_t number, std::size_t offset);
  void unknown_extension(std::size_t open);
  void check_look_behind(std::size_t number, std::size_t offset);
  std::size_t group_called(std::string_view name, std::size_t offset);
  std::size_t condition_group(std::string_view name, std::size_t offset);
  void close(std::size_t open);

  Scanner scanner_;
  std::string out_;
  std::size_t depth_ = 0;
  std::vector<Group> groups_{1};  // the first is the whole match
  std::map<std::string, std::size_t, std::less<>> names_;
  std::vector<std::pair<std::size_t, std::size_t>> conditions_;  // group number, offset
  std::optional<std::size_t> groups_before_look_behind_;
  std::string global_types_;  // `a` and `u` as set for the whole pattern
};

}  // namespace sparsecfg::regex
