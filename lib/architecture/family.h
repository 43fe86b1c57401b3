#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "architecture/build.h"
#include "python/tree.h"

// The families of the tables, as trees of rows. `tables/README.md` describes the language.
namespace sparsecfg::architecture {

// An expression over the fields of a configuration. Without a tree if it is absent.
using Expression = std::optional<python::Node>;

// Text with expressions in braces: `{P}Attention`. Each part is literal text and the expression after it.
using Template = std::vector<std::pair<std::string, Expression>>;

struct Row {
  enum class Kind : std::uint8_t {
    module,     // name, type, shape and flags
    loop,       // the same; `name` is the variable, `value` the number of children
    splice,     // `name` is a block, with its arguments
    parameter,  // name, shape
    buffer,
    condition,  // `value`, and the rows below it
    let,        // define the field `name` as `value`: always; for null; if the class lacks it; if the file lacks it
    null,
    missing,
    absent,
    refuse,   // `value`, and `name` is the reason
    raise,    // the same, if llm-compressor fails to split the experts
    old,      // `value` is true for releases whose modules have the names of checkpoints
    rename,   // name -> text, for names in checkpoints
    other,    // name -> text: some checkpoints have these names instead
    alias,    // another name of a field
    flat,     // the fields of a nested configuration may be at the top level
    pack,     // layers that vLLM packs: `qkv_proj:q_proj,k_proj,v_proj`
    ignored,  // of no use here
  };
  Kind kind = Kind::module;
  std::string name{};
  std::string text{};
  Template label{};         // of modules: the name with expressions
  Template type{};          // of modules: the class
  Expression activation{};  // of modules whose class is an activation function: the value of the field
  Expression value{};
  Expression shape{};
  Expression bias{};
  Expression weightless{};
  Expression condition{};
  std::string tie{};
  std::string scope{};  // nested configuration of the rows below
  bool tied_bias = false;
  bool single_byte = false;
  std::vector<std::pair<std::string, Expression>> arguments{};
  std::vector<Row> rows{};
};

struct Family {
  std::vector<std::string_view> types;
  std::vector<std::string_view> architectures;
  std::vector<std::pair<std::string, Expression>> prefixes;  // P and M, of class names
  bool remote = false;                                       // true if the code of the model is outside of transformers
  // By model type: the first release of transformers that has it, and the first one whose names are known. Empty: all
  // do.
  std::vector<Version> since;
  std::vector<Version> measured;
  std::vector<Row> rows;
};

// Returns true if the tables have a family of an architecture and a model type.
[[nodiscard]] bool has_family(std::string_view architecture, std::string_view type);

// Returns the family of an architecture and a model type, or nullopt if there is none.
[[nodiscard]] std::optional<Family> find_family(std::string_view architecture, std::string_view type);

// A layer of vLLM that joins several modules.
struct PackedLayer {
  std::string name;                // "qkv_proj"
  std::vector<std::string> parts;  // "q_proj", "k_proj", "v_proj"
};

// Returns the layers that vLLM joins in models of an architecture, or nullopt if the architecture is unknown. Some
// models do not have all of them.
[[nodiscard]] std::optional<std::vector<PackedLayer>> packed_layers(std::string_view architecture);

// Returns the layers that vLLM joins in most models, for models whose architecture is unknown.
[[nodiscard]] const std::vector<PackedLayer>& usual_packed_layers();

// Returns the rows of a block; empty if the block is unknown.
[[nodiscard]] std::vector<Row> find_block(std::string_view name);

// Returns all families of transformers and other model repositories in the order of the tables, without their rows.
[[nodiscard]] std::vector<Family> all_families();

// Returns all architecture names of the tables, in their order.
[[nodiscard]] std::vector<std::string_view> all_architectures();

}  // namespace sparsecfg::architecture
