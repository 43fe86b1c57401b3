#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/recipe.h"

namespace sparsecfg::ir {

// Lines of a recipe, from 1. In a notebook they count within the cell.
struct Lines {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::optional<std::uint32_t> cell{};  // index among all cells
};

// Why a value of a script is unknown, and the line of the cause.
struct Reason {
  std::string why;
  std::optional<std::uint32_t> line;

  [[nodiscard]] std::string message() const { return line ? why + " (line " + std::to_string(*line) + ")" : why; }
};

// Returns the reason whose message() is the text of an unknown node.
[[nodiscard]] Reason reason_of(std::string_view message);

// Returns the reason of the first unknown value in a value; nullopt if all of it is known. `unknown_parts` are the
// places of unknown values.
[[nodiscard]] std::optional<Reason> unknown_in(const source::Value& value, const std::set<source::Span>& unknown_parts);

// The model that a call of a script passes with a recipe.
struct CallModel {
  std::string id;      // id or folder, or the class of a network; empty if it is unknown
  std::string loader;  // the class that loads it, such as "AutoModelForCausalLM"; empty if it is unknown
  Reason unknown;      // why the id is unknown
  std::vector<model::Module> modules{};  // of a network that the script builds; otherwise empty

  // Returns true if both are the same known model, or both are unknown.
  [[nodiscard]] bool is_same(const CallModel& other) const {
    return id == other.id && loader == other.loader && modules == other.modules;
  }
};

// A recipe that was found in a file.
struct FoundRecipe {
  std::string form;  // "file", "front matter", "wrapper", "fence", "string", "objects", "script"
  Lines lines;
  std::string dialect;
  std::vector<std::string> unknown;      // why parts are not known without running a script
  std::set<source::Span> unknown_parts;  // their places
  std::vector<Origin> modifiers;
  std::vector<std::string> assumed{};  // options of the command line whose defaults the recipe has
  std::vector<Lines> calls{};          // calls that accept the recipe
  std::optional<CallModel> model{};    // that the calls pass; nullopt outside code
  std::string optional{};              // why the modifiers may be missing; empty if they are not
  std::set<source::Span> evaluated{};  // places of functions whose results are known

  // Returns true if code computes parts that are unknown. A text names such a part only by an argument.
  [[nodiscard]] bool has_computed_parts() const {
    const bool text = form == "file" || form == "front matter" || form == "wrapper" || form == "fence";
    return !text && !unknown.empty();
  }
};

// A field of a recipe whose value, or a part of it, is unknown.
struct UnknownField {
  const Origin* modifier;
  std::string name;    // "`scheme` of GPTQModifier#2"
  std::string reason;  // "it depends on the command line (line 3)"
};

// Returns the fields with unknown values, in order.
[[nodiscard]] std::vector<UnknownField> unknown_fields(const FoundRecipe& found);

}  // namespace sparsecfg::ir
