#pragma once

#include <optional>
#include <set>

#include "dialect/objects.h"
#include "source/value.h"

// Configurations that a script constructs with classes of transformers: `BitsAndBytesConfig(load_in_4bit=True)`.
namespace sparsecfg::dialect::checkpoint {

extern const Objects kObjects;

// Returns true for the document of such a call.
[[nodiscard]] bool is_call(const doc::Document& document);

struct CallConfig {
  source::Value config;  // as `config.json` has it
  source::Span name;     // of the class
  bool unknown = false;  // true if the bits, or an argument that decides the outcome, are not known
};

// Returns the configuration of a call; nullopt for other values. `unknown`: places of unknown values.
[[nodiscard]] std::optional<CallConfig> config_of_call(const source::Value& root,
                                                       const std::set<source::Span>& unknown);

}  // namespace sparsecfg::dialect::checkpoint
