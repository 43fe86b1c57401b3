#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "model/selectors/anchored_texts.h"
#include "model/selectors/comparison.h"
#include "model/selectors/entries.h"
#include "model/selectors/literal_index.h"
#include "model/selectors/pieces.h"
#include "model/selectors/reader.h"
#include "regex/pattern.h"

namespace sparsecfg::selectors {

// Finds the entries whose terms match a name. A term is only compared with the names that contain a text which it
// requires, if possible at the start or the end. Patterns with few constructs are never compiled, others once. Not
// thread-safe.
class TermIndex {
 public:
  // The texts must outlive the index.
  void add(How how, std::string_view text, std::uint32_t entry);
  // Completes the index. `names` are the names that find() may receive; used for name_inside_entry.
  void finish(std::span<const std::string_view> names, base::Budget& budget);

  [[nodiscard]] bool compares_names_inside() const { return !inside_.empty(); }

  // Adds the entries that match a name to `out`, possibly repeatedly. Returns false if a match is unknown.
  bool find(std::string_view name, base::Budget& budget, std::vector<std::uint32_t>& out) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kFewInside = 16;  // texts that are searched without an index

  // A text of a literal comparison, or a pattern.
  struct Use {
    How how;
    std::uint32_t entry;
    std::string_view text;
    std::uint32_t pieces = kNone;   // index into `pieces_`
    std::uint32_t pattern = kNone;  // index into `patterns_`, if it has no pieces or was compiled
  };

  // A pattern that is compiled when it is first run.
  struct LazyPattern {
    AnchoredPattern text;
    std::uint32_t runs = 0;
    std::optional<regex::Pattern> compiled{};
  };

  void add_literal(const Use& use, std::uint32_t number);
  void add_pieces(const Pieces& pieces, std::uint32_t number);
  void add_required(std::string_view text, std::uint32_t number);
  bool find_terms(std::string_view name, base::Budget& budget, std::vector<std::uint32_t>& out) const;
  bool compare(std::uint32_t number, std::string_view name, base::Budget& budget,
               std::vector<std::uint32_t>& out) const;
  bool run(Use& use, std::string_view name, base::Budget& budget, std::vector<std::uint32_t>& out) const;

  mutable std::vector<Use> uses_;
  std::vector<Pieces> pieces_;
  mutable std::vector<LazyPattern> patterns_;
  AnchoredTexts wholes_{AnchoredTexts::Side::whole};
  AnchoredTexts starts_{AnchoredTexts::Side::start};
  AnchoredTexts ends_{AnchoredTexts::Side::end};
  std::vector<std::string> required_;        // texts that names must contain
  std::vector<std::uint32_t> requires_;      // uses, by required text
  std::vector<std::uint32_t> always_;        // entries
  std::vector<std::uint32_t> unlimited_;     // uses without a required text
  std::vector<std::uint32_t> all_patterns_;  // uses that are patterns
  std::vector<std::pair<std::string_view, std::uint32_t>> inside_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> containing_;  // entries whose text contains a name
  std::optional<LiteralIndex> literals_;
};

// Finds the entries of a reader that match a module.
class EntryIndex {
 public:
  // Entries and modules must outlive the index. Entries with equal terms and formats are found as their first.
  EntryIndex(const Reader& reader, std::span<const Entry> entries, std::span<const Module> modules,
             base::Budget& budget);

  // Replaces `out` by the entries that match a module, or the part `part` of a fused module if it is not empty, in
  // ascending order. Returns false if a match is unknown.
  bool find(const Module& module, std::string_view part, base::Budget& budget, std::vector<std::uint32_t>& out) const;

  // Returns the later entries with the same terms and format as an entry that find() returns.
  [[nodiscard]] const std::vector<std::uint32_t>& repetitions_of(std::uint32_t entry) const;

  // Sets the flags of all entries with the same terms and format if one of them is set.
  void share_with_repetitions(std::vector<bool>& flags) const;

 private:
  // Terms of entries that contain the word of a Special.
  struct Channel {
    Special special;
    TermIndex terms;
  };

  void add_entry(const Entry& entry, std::uint32_t number);
  void add_channels(std::vector<Channel>& channels, const base::Few<Special, 2>& specials);
  void finish(std::span<const Module> modules, base::Budget& budget);
  [[nodiscard]] bool find_in_spaces(const Module& module, std::string_view part, base::Budget& budget,
                                    std::vector<std::uint32_t>& out) const;

  std::vector<std::pair<Space, TermIndex>> spaces_;
  std::vector<Channel> special_;
  std::vector<Channel> also_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> repetitions_;
};

// Returns the names that a reader examines for a module: its parts, or an empty string for the module itself.
[[nodiscard]] std::vector<std::string_view> examined_names(const Reader& reader, const Module& module);

}  // namespace sparsecfg::selectors
