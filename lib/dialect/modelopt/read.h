#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/modelopt/config.h"
#include "dialect/modelopt/export.h"
#include "dialect/modelopt/imports.h"
#include "dialect/modelopt/quantizers.h"
#include "dialect/modelopt/table.h"
#include "dialect/record/record.h"

// Reads recipes, snippets, dictionaries and checkpoints of ModelOpt.
namespace sparsecfg::dialect::modelopt {

// Inputs shared by the functions that read a file.
struct Context {
  const source::SourceFile& file;
  const doc::Document& document;
  const ReadOptions& options;
  diag::Sink& sink;
  std::set<source::Span> unknown{};     // places of values that are not known without running a script
  std::set<source::Span> unresolved{};  // places of mappings that lack an import

  [[nodiscard]] Release release() const { return release_of(options); }

  // Returns true if the values are those of a Python script, whose syntax differs from that of recipes.
  [[nodiscard]] bool is_script() const { return file.name().ends_with(".py"); }

  // Returns true if a value or a part of it is not known.
  [[nodiscard]] bool is_unknown(const source::Value& value) const;
};

// Returns true if a document is a recipe, a snippet, a dictionary or a checkpoint of ModelOpt.
[[nodiscard]] bool claims(const doc::Document& document);

[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Returns the fields of a mapping, checked against the rows of their class.
[[nodiscard]] Record read_record(const Context& context, const ClassSpec& spec, const source::Map& map,
                                 source::Span place);

// Reads a section `quantize`, a preset, or the dictionary that a script passes. Reports what ModelOpt rejects.
[[nodiscard]] Config read_config(const Context& context, const source::Value& section);

// Reads the attributes of a quantizer. Returns nullopt after reporting attributes that ModelOpt rejects.
[[nodiscard]] std::optional<Attributes> read_attributes(const Context& context, const source::Value& value);

// Reports a section `auto_quantize` that ModelOpt rejects, or whose patterns match nothing. Returns false if it is
// rejected.
bool check_auto_quantize(const Context& context, const source::Value& section, bool has_fixed_part);

// --- rules --------------------------------------------------------------------------------------------

// The quantizers of a model after all entries.
struct Applied {
  std::vector<model::Module> modules;  // with the projections of experts
  std::vector<QuantizedModule> quantized;
};

// Returns the quantizers of the model of the options; nullopt if the model is unknown or the patterns are too slow.
[[nodiscard]] std::optional<Applied> apply_to_model(const Context& context, const Config& config);

// Returns the constant with the formats of a list that quantizes weights of the model: of several, the one that
// quantizes the fewest modules, and then the one whose name begins most like `name`. Empty if there is none.
[[nodiscard]] std::string_view sibling_for_model(const Config& config, const Applied& applied, std::string_view name);

// Returns the first constant that gives weights and inputs the bits that a list gives them and whose export a runtime
// loads. Empty if there is none.
[[nodiscard]] std::string_view sibling_for_runtime(const Config& config, const Applied& applied,
                                                   const Runtime& runtime);

// Returns a constant as the file names its preset: as code of a script, or as an option of a command. Empty for a
// recipe, which lists the entries, or without a name.
[[nodiscard]] std::string shown_preset(const Context& context, std::string_view constant);

// Returns for each entry that turns quantizers off the entry that turns all of them on again; nullopt for others.
[[nodiscard]] std::vector<std::optional<std::uint32_t>> undone_entries(const Config& config, const Applied& applied);

// Each reports findings of one topic.
void check_patterns(const Context& context, const Config& config, const std::optional<Applied>& applied);
void check_order(const Context& context, const Config& config, const std::optional<Applied>& applied);
void check_formats(const Context& context, const Config& config);
// Reports a format of weights that the export can't write (MO404). `place`: of the entry; `problem`: as a clause.
diag::Diagnostic& report_unsupported(diag::Sink& sink, const Attributes& weight, source::Span place,
                                     const std::string& problem);
void check_algorithm(const Context& context, const source::Value& algorithm);
// Reports an algorithm that has no effect on the formats of a list.
void check_algorithm_formats(const Context& context, const Config& config);
// Reports a calibrator whose ranges the algorithm can't compute.
void check_histogram(const Context& context, const Config& config);
void check_effect(const Context& context, const Config& config, const Applied& applied);
// Returns false if ModelOpt rejects a class that an entry names.
bool check_classes(const Context& context, const Config& config, const std::optional<Applied>& applied);

// Checks a list of entries against the model of the options, and adds its action to a recipe. `at_once`: false if calls
// apply the entries at different times, so that a later one may undo an earlier one on purpose.
void add_list(const Context& context, const Config& config, ir::Recipe& out, bool at_once = true);

// --- lowering -----------------------------------------------------------------------------------------

// Returns the action of a list of entries.
[[nodiscard]] ir::Action lower(const Config& config, const std::optional<Applied>& applied);

}  // namespace sparsecfg::dialect::modelopt
