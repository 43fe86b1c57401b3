#pragma once

#include <string>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/llmcompressor/versions.h"
#include "dialect/objects.h"
#include "dialect/options.h"
#include "doc/document.h"

// Parts of the dialect: detection, reader, schema, and objects of scripts.
namespace sparsecfg::dialect::llmcompressor {

// Returns true if a file has stages and nothing that only SparseML reads.
[[nodiscard]] bool claims(const doc::Document& document);

// Reads an llm-compressor recipe (stages, groups, modifiers and their fields). Reports everything that llm-compressor
// rejects, fails on or ignores. The result has all modifiers with a known class.
[[nodiscard]] ir::Recipe read(const Source& source, const ReadOptions& options, diag::Sink& sink);

// Returns why modules may have their names in checkpoints: releases before 0.7 also run with versions of transformers
// that use them. Empty if the names are certain.
[[nodiscard]] std::string other_names(const ReadOptions& options);

// Returns the JSON Schema of a recipe, which is the same for every release.
[[nodiscard]] std::string schema(const ReadOptions& options);

// Returns the modifiers with the values that compressed-tensors derives.
[[nodiscard]] std::vector<ir::Origin> constructed_origins(const ir::Recipe& recipe, const Constructed& constructed);

// Modifiers that a script makes, with the presets, enums and records of compressed-tensors.
extern const Objects kObjects;

// Reports elements of a recipe that are wrong because they are objects (LC111, LC601, LC602).
void check_elements(const std::vector<script::Ref>& elements, bool together, diag::Sink& sink);

// Reports names that a script imports and the release does not have (LC114).
void check_imports(const script::Trace& trace, Release release, diag::Sink& sink);

// Returns true for a call of the `oneshot` of llmcompressor.
[[nodiscard]] bool is_oneshot(const script::Value& call);

// Reports arguments that `oneshot` does not have (LC126).
void check_oneshot_arguments(const script::Trace& trace, diag::Sink& sink);

// Reports data sets that `oneshot` can't load or tokenize (LC142 to LC144).
void check_calibration_data(const script::Trace& trace, diag::Sink& sink);

// Reports texts of chats that are tokenized with a second start token (LC152).
void check_chat_texts(const script::Trace& trace, diag::Sink& sink);

// Reports calls of a tokenizer that fill the samples of the calibration with padding (LC153).
void check_padding(const script::Trace& trace, diag::Sink& sink);

// Reports a model that is saved, but that no call of `oneshot` gets (LC148).
void check_saved_model(const script::Trace& trace, diag::Sink& sink);

// Reports `sequential_targets` that match no module (LC132).
void check_sequential_targets(const std::vector<source::Located<std::string>>& targets,
                              const std::vector<model::Module>& modules, diag::Sink& sink);

// Returns true for the `pipeline` of `oneshot` that runs no calibration.
[[nodiscard]] bool skips_calibration(std::string_view pipeline);

// Reports a pipeline without calibration for a recipe that needs data (LC141). `needs_data` is the class of the first
// modifier that needs it; empty: none does. `with_data`: the call passes a dataset.
void check_pipeline(const source::Located<std::string>& pipeline, std::string_view needs_data, bool with_data,
                    diag::Sink& sink);

// Reports arguments of `oneshot` for calibration data that no modifier needs (LC149). `arguments`: the names of all
// arguments of the call. `scheme`: the preset of the recipe; empty without one.
void check_unused_data(const std::vector<source::Located<std::string>>& arguments,
                       const source::Located<std::string>& scheme, diag::Sink& sink);

// Reports a calibration in which each expert gets only its own tokens (LC150). `argument`: the value that asks for it;
// empty without one. `needs_data`: as in check_pipeline().
void check_routed_calibration(source::Span argument, std::string_view needs_data,
                              const std::vector<model::Module>& modules, diag::Sink& sink);

// Reports imports and calls of a script that fail (LC111 to LC114).
void check_script(const script::Trace& trace, const ReadOptions& options, diag::Sink& sink);

}  // namespace sparsecfg::dialect::llmcompressor
