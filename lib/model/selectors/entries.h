#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/selectors/reader.h"
#include "source/span.h"
#include "source/value.h"

namespace sparsecfg::selectors {

// The format that an entry assigns, as a number that the caller chooses. Equal formats must have equal numbers.
using Format = std::uint32_t;
inline constexpr Format kUnquantized = 0;
inline constexpr Format kDefaultFormat = 1;  // the format of modules that no entry matches
inline constexpr Format kFirstFormat = 2;    // least number of another format

// One comparison of an entry.
struct Term {
  How how = How::exact;
  Space space = Space::name;
  std::string text;

  friend bool operator==(const Term&, const Term&) = default;
};

// An element of a list, or a key of a mapping.
struct Entry {
  std::string text;  // as written
  Format format = kDefaultFormat;
  std::uint32_t place = 0;  // in the list
  source::Span span{};
  std::vector<Term> terms{};  // one match is sufficient
  bool excludes = false;      // modules stay unquantized
  std::uint32_t level = 0;    // entries of a lower level decide first
  std::int64_t order = 0;     // within a level of ranked(), lower decides first
};

// Why a system rejects a list.
struct Rejection {
  enum class Reason : std::uint8_t {
    string_for_list,
    not_a_string,  // an entry
    bad_pattern,   // `detail` is the message of the regex compiler
    parts_differ,  // of the module `detail`
    matches_nothing,
    cannot_be_quantized,  // the module `detail`
    nothing_left,
  };
  Reason reason;
  std::optional<std::uint32_t> place{};  // of the entry
  source::Span span{};
  std::string detail{};
};

template <class T>
using OrRejection = std::variant<T, Rejection>;

// Prefixes of checkpoint names and the prefixes that the runtime uses instead. The first that fits is used. Text that
// starts with a period is replaced anywhere in a name.
using PrefixMap = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] std::string mapped(std::string_view text, const PrefixMap& prefixes);

// Returns the format of the value of an entry. Called for each entry of a mapping.
class Formats {
 public:
  virtual ~Formats() = default;
  [[nodiscard]] virtual Format of(const source::Value& value) = 0;
};

// Returns Python's bool() of a value.
[[nodiscard]] bool python_bool(const source::Value& value);

// Returns the value of the field that the reader uses; null if there is none.
[[nodiscard]] const source::Value* list_of(const Reader& reader, const source::Value& config);

// Returns the entries that a reader finds in a config, with those of the readers that follow it; nullopt if no field
// is present. Values of mappings become formats by `formats`; without it all get the default format.
[[nodiscard]] OrRejection<std::optional<std::vector<Entry>>> read(const Reader& reader, const source::Value& config,
                                                                  Formats* formats = nullptr,
                                                                  const PrefixMap& prefixes = {});

// Returns the entries of a list of strings or of a mapping.
[[nodiscard]] OrRejection<std::vector<Entry>> entries_of(const Reader& reader, const source::Value& list,
                                                         Formats* formats = nullptr, const PrefixMap& prefixes = {});

// Sets the terms of an entry from its text: applies marks and rewriting.
[[nodiscard]] std::optional<Rejection> prepare(const Reader& reader, Entry& entry, const PrefixMap& prefixes = {});

// Returns the entries of all ranks. `kinds` has the kind of each entry. The level of an entry is its rank.
[[nodiscard]] OrRejection<std::vector<Entry>> ranked(const Reader& reader, std::span<const Rank> ranks,
                                                     std::span<const Entry> entries,
                                                     std::span<const std::uint8_t> kinds);

}  // namespace sparsecfg::selectors
