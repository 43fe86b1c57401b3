#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "diag/sink.h"
#include "dialect/autoround/schemes.h"
#include "dialect/options.h"
#include "model/names.h"
#include "source/source_file.h"
#include "source/value.h"

// Arguments of AutoRound and its saved configuration (docs/semantics/autoround.md#a1-1).
namespace sparsecfg::dialect::autoround {

// An entry of `layer_config`, or an item of `ignore_layers`.
struct LayerSetting {
  std::string key;  // an item that ends in a digit has a period after it
  source::Span span;
  Fields fields;         // without those of the base
  bool ignored = false;  // true if the layers stay in 16 bits because `ignore_layers` names them
  bool item = false;     // true for an item of `ignore_layers` that is no key of `layer_config`
  bool unknown = false;
};

// A name or pattern of blocks.
struct Block {
  std::string text;
  source::Span span;
  bool exact = false;  // true for a full name in a list of lists
};

// A call of a method, or the command, that saves the quantized model.
struct Save {
  std::string method;       // empty: a method that is not known
  source::Span place;       // of its name
  source::Value format;     // null: not stated
  bool is_unknown = false;  // true if the format is stated and not known
};

// How a configuration is written.
struct Form {
  source::Span name;        // of the call, or of the command
  bool command = false;     // true for a command, false for a call
  std::vector<Save> saves;  // calls of methods in their order, also those that only quantize
};

// An argument that is switched on.
struct Switch {
  std::string text;    // as the user writes it: `--disable_opt_rtn`
  source::Span place;  // of its value
};

struct Arguments {
  Fields base;
  std::vector<LayerSetting> entries;  // in the order in which AutoRound applies them
  std::vector<Block> blocks;          // empty: all blocks of the text model
  bool quantizes_head = false;        // quant_lm_head
  source::Span head;                  // of its value
  bool nontext = false;               // quant_nontext_module
  bool unknown = false;               // true if the base, or the list of entries, is not known
  bool model_free = false;            // true if AutoRound selects the path without a model
  bool asks_for_model_free = false;   // model_free
  bool names_model = false;           // true if the model is certainly a name or folder, not an object
  std::vector<Switch> free_switches;  // that select the path without a model
  bool tied_head = false;             // true if `lm_head` shares its weight with the embedding
  bool gguf = false;                  // true if the scheme is a type of GGUF
  bool exported = false;              // true if the export to GGUF selects the type of each layer
  bool stops = false;                 // true after a report of something that stops AutoRound
  source::Span span;                  // of the call
  source::Span layer_config;
};

struct Context {
  const source::SourceFile& file;
  const std::set<source::Span>& unknown;      // places of unknown values
  const std::vector<model::Module>* modules;  // null: unknown
  diag::Sink& sink;
  const ReadOptions& options;

  [[nodiscard]] bool is_unknown(const source::Value& value) const;
  // Returns true if the name is that of a layer that AutoRound can quantize.
  [[nodiscard]] bool is_layer(std::string_view name) const;
};

// Returns the arguments of a call. Reports what AutoRound rejects; returns nullopt if it stops.
[[nodiscard]] std::optional<Arguments> read_arguments(const Context& context, const source::Value& call,
                                                      const Form& form);

// Returns a number, which is a word in a command.
[[nodiscard]] std::optional<double> number_in(const source::Value& value);

// Returns a switched-on argument as the user writes it: `model_free=True`, or `--model_free` in a command.
[[nodiscard]] std::string switched_on(const Form& form, std::string_view name);

// Returns an argument as the user writes it: `format="auto_gptq"`, or `--format auto_gptq` in a command.
[[nodiscard]] std::string setting(const Form& form, std::string_view name, std::string_view text);

// The key of the mapping that stands for an object of this class.
inline constexpr std::string_view kAutoScheme = "AutoScheme";

// Options of a command for an automatic scheme that are no arguments of a call.
inline constexpr std::string_view kAutomaticOptions[] = {"avg_bits", "options"};

// Checks calibration data (data.cpp).
void check_data(const Context& context, const source::Value& call, const Form& form, Arguments& arguments);

// Checks an automatic scheme, and the options of a command for it (auto_scheme.cpp).
void check_auto_scheme(const Context& context, const source::Value& call, const Form& form, Arguments& arguments);

// Checks the names of algorithms, and arguments of others (ignored.cpp).
void check_algorithm(const Context& context, const source::Value& call, const Form& form, Arguments& arguments);

// Checks the formats in which the model is saved, and changes the arguments to what is saved (saving.cpp).
void check_saving(const Context& context, const source::Value& call, const Form& form, Arguments& arguments);

// Returns the regular expression that AutoRound builds from a key (docs/semantics/autoround.md#b1-2).
[[nodiscard]] std::string rewritten(std::string_view key);

// The saved configuration.
struct Saved {
  Fields base;
  std::optional<std::vector<Block>> blocks;  // prefixes; nullopt: all blocks
  bool nested_blocks = false;                // true if the file has lists of lists
  std::vector<LayerSetting> entries;         // of `extra_config`
  std::vector<std::string> parts;            // `modules_in_block_to_quantize`
  std::string packing_format;                // empty: not stated
  std::string backend;
  source::Span span;
};

// Returns the configuration in a file. Reports what the loader of AutoRound or transformers rejects, unless `by_vllm`.
[[nodiscard]] std::optional<Saved> read_saved(const Context& context, const source::Value& config, bool by_vllm);

}  // namespace sparsecfg::dialect::autoround
