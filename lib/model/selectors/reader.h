#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/few.h"
#include "model/selectors/comparison.h"

// Systems read lists of selectors ("entries") and decide which module gets which format. Each system, field and range
// of releases is a constant record (Reader). One mechanism evaluates all records: entries.h reads, assign.h decides,
// meant.h suggests and relation.h compares.
namespace sparsecfg::selectors {

// The names of a module that entries are compared with.
enum class Space : std::uint8_t {
  name,
  class_name,
  bases,      // names of its base classes
  parameter,  // full names of its parameters
  tag,        // the name without the numbers of layers
  relative,   // the name inside its block
  alias,      // names of the same module in other releases of the model
  linear,     // a name that only linear layers have
  every,      // each parameter of the module
};

// Facts about modules that records refer to.
enum class Fact : std::uint8_t {
  head,  // the layer that computes the output, such as `lm_head`
  tied,  // shares its weight with the embedding
  embedding,
  experts,  // the experts of a block as one module
  router,
  vision,       // belongs to a vision or audio tower
  in_block,     // belongs to one of the repeated blocks
  stored,       // the checkpoint contains quantized tensors of the module
  quantizable,  // the class has a quantized form
  matrix,       // has a weight of at least two dimensions that the system does not always keep
};

class Facts {
 public:
  constexpr Facts() = default;

  constexpr Facts(std::initializer_list<Fact> facts) {
    for (const Fact fact : facts) add(fact);
  }

  constexpr void add(Fact fact) { bits_ |= 1U << static_cast<unsigned>(fact); }

  [[nodiscard]] constexpr bool has(Fact fact) const { return (bits_ >> static_cast<unsigned>(fact) & 1U) != 0; }

  [[nodiscard]] constexpr bool has_any(Facts others) const { return (bits_ & others.bits_) != 0; }

  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

  friend constexpr bool operator==(Facts, Facts) = default;

 private:
  std::uint32_t bits_ = 0;
};

struct OtherName {
  Space space = Space::name;
  std::string name;
};

// A module as a reader sees it.
struct Module {
  std::string name;
  std::string type;                  // class name
  std::vector<std::string> parts{};  // names of the layers that a runtime fuses in this module
  Facts facts{};
  std::vector<OtherName> others{};
};

// A set of modules, by class or fact. The empty set of a record means "no condition".
struct Kinds {
  base::Few<std::string_view, 8> classes{};
  Facts facts{};

  [[nodiscard]] constexpr bool empty() const { return classes.empty() && facts.empty(); }

  [[nodiscard]] bool contain(const Module& module) const {
    return module.facts.has_any(facts) || classes.contains(module.type);
  }
};

// Text in an entry that selects the comparison. Only the first mark that fits is used.
struct Mark {
  std::string_view prefix{};            // such as `re:`; removed from the text
  std::string_view any_of{};            // the text must contain one of these characters, such as `*?[`
  base::Few<How, 3> how{};              // empty: as the reader compares
  base::Few<Space, 4> compares_with{};  // empty: as the reader compares
  bool excludes = false;                // modules of the entry stay unquantized
  std::uint8_t level = 0;               // entries of a lower level decide first
  bool keeps_prefix = false;
};

// A comparison for modules with a fact, for entries that contain a word.
struct Special {
  Fact fact = Fact::head;
  std::string_view word{};
  base::Few<How, 2> how{};  // empty: no entry matches
};

// Returns the texts that a system compares instead of the text of an entry.
using Rewrite = std::vector<std::string> (*)(std::string_view text);

enum class WhichField : std::uint8_t { first_not_null, first_present, first_not_empty };
enum class StringForList : std::uint8_t { letters, one_entry, reject, ignore };
enum class NotAString : std::uint8_t { reject, ignore };
enum class Polarity : std::uint8_t {
  skip,    // a module that an entry matches stays unquantized
  keep,    // only such a module is quantized
  assign,  // an entry has a value
};
enum class Flavor : std::uint8_t { python, ecmascript };
enum class BadPattern : std::uint8_t { reject, never_matches };
enum class Unit : std::uint8_t {
  layer,
  parts,     // the parts of a fused layer are examined individually and must be equal
  any_part,  // the first part that an entry matches decides
  first_part,
};
enum class Order : std::uint8_t {
  first,
  last,
  leftmost,  // the entry whose match starts first in the name
  sorted,    // by text
  longest,   // text
};
enum class Later : std::uint8_t { replaces, changes_fields };
enum class DefaultSkips : std::uint8_t { replaced_by_list, in_addition };
enum class NoMatch : std::uint8_t { silent, reject_one, reject_all };

// How a system reads one list of selectors.
struct Reader {
  std::string_view name;                    // such as "vLLM fp8"
  base::Few<std::string_view, 4> fields{};  // keys that can contain the list
  WhichField which_field = WhichField::first_not_null;
  StringForList string_for_list = StringForList::letters;
  NotAString not_a_string = NotAString::reject;  // for an entry
  bool nested = false;                           // a list of lists is read as one list
  Polarity polarity = Polarity::skip;
  base::Few<Space, 4> compares_with{Space::name};  // one match is sufficient
  base::Few<How, 3> how{How::exact};               // for entries without a mark; one match is sufficient
  base::Few<Mark, 3> marks{};
  Rewrite rewrite = nullptr;
  bool maps_entries = false;  // the runtime maps prefixes of checkpoint names in entries
  Flavor flavor = Flavor::python;
  BadPattern bad_pattern = BadPattern::reject;
  Kinds reaches{};  // modules that are examined; empty: all
  Kinds never{};    // modules that are not examined
  Unit unit = Unit::layer;
  base::Few<Special, 2> special{};  // replaces `how` for modules with the fact
  base::Few<Special, 2> also{};     // is added to `how` for modules with the fact
  bool skips_default = false;       // an entry that assigns the default is skipped
  Order order = Order::first;       // after `excludes_first` and the level of marks
  bool excludes_first = false;
  Later later = Later::replaces;
  Facts default_skips{};  // modules that stay unquantized by default
  DefaultSkips with_list = DefaultSkips::replaced_by_list;
  Kinds quantized_if{};  // only these get the default; empty: all
  Kinds without_list{};  // the same if the list is absent
  bool empty_is_absent = true;
  NoMatch no_match = NoMatch::silent;
  bool rejects_match_not_reached = false;  // an entry must not assign a format to other modules
  bool rejects_nothing_left = false;       // a module must get a format
  base::Few<std::string_view, 2> gate{};   // facts of the run that disable the list
  const Reader* and_then = nullptr;        // a further field; its entries follow
};

// A step of a lookup in which entries of one kind are compared. The first rank with a match decides.
struct Rank {
  std::uint8_t keys = 0;  // the kind of entry, as the caller numbers them
  How how = How::exact;
  base::Few<Space, 4> compares_with{Space::name};
  Order order = Order::first;  // first or last
  std::string_view prefix{};   // removed from the text
  Rewrite rewrite = nullptr;
  bool null_only_alone = false;  // an entry without a format decides only if no other entry of the rank matches
};

}  // namespace sparsecfg::selectors
