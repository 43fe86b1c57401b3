#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "architecture/derive.h"
#include "compile/compile.h"
#include "diag/sink.h"
#include "dialect/dialect.h"
#include "outcome/outcome.h"

// The model that a recipe is compiled with.
namespace sparsecfg {

// Sets the names of `options.model` as a dialect uses them, where the options do not name modules or parameters
// themselves.
// `is_source`: the recipe quantizes the model, also if files of its dialect describe quantized models.
void use_model(CompileOptions& options, const dialect::Dialect& dialect, bool is_source = false);

// Removes the names of parameters and modules from the options.
void forget_names(CompileOptions& options);

// Returns true if a recipe of Distiller names the parameters of the model of the options as DataParallel does, with
// `module.` before each. Distiller wraps models on a GPU.
[[nodiscard]] bool names_parallel_model(const CompileOptions& options, const dialect::Dialect& dialect,
                                        const doc::Document& document);

// Adds the shapes of parts of layers to the units of a recipe: a unit that is named after a tensor of a layer, such as
// a projection of fused experts, has the rows of all experts.
void add_unit_shapes(ir::Recipe& recipe, const CompileOptions& options);

// The option that sets the number of GPUs.
struct GpuOption {
  source::Span place{};
  std::string name = "--tensor-parallel";
};

// Reports numbers of GPUs that a runtime rejects for the heads (MD927), the vocabulary (MD934) or the experts (MD928)
// of the model, and removes them from the options, because the runtime does not reach the layers.
void check_gpus(CompileOptions& options, const dialect::Dialect& dialect, diag::Sink& sink,
                const GpuOption& option = {});

// Returns the requirements of a script or notebook itself, and those of its project for other packages.
[[nodiscard]] Requirements requirements_of(const source::SourceFile& file, const Requirements& project);

// Returns the releases of transformers that the requirements of the options decide; nullopt if they allow the newest
// one. Of a range, these are the releases that the release of llm-compressor allows, or else the newest one.
[[nodiscard]] std::optional<architecture::Releases> required_transformers(const CompileOptions& options);

// Returns the line that reports the model of the options, with the class that its build constructs:
// "Qwen3_5ForCausalLM (Qwen/Qwen3.5-9B)".
[[nodiscard]] std::string title_of(const CompileOptions& options, const dialect::Dialect& dialect);

// Sets the class that loads the model, and the releases of transformers, which decide the names of modules.
void use_build(CompileOptions& options, const std::optional<ir::CallModel>& passed);

// Sets the names of the model and the release with which a recipe was compiled, for commands that read them.
void use_model_of(const Compilation& compilation, CompileOptions& options);

// A model, or the reason why it is unknown.
struct FoundModel {
  std::shared_ptr<const architecture::UserModel> model;  // may be null
  std::string unknown;                                   // empty if it is known, and if the recipe names no model
};

// Returns the model of a recipe in the file `path`: that of the options, or the one that a call passes with the recipe,
// or for `nullopt` that of a `config.json` next to the recipe.
[[nodiscard]] FoundModel find_model(const CompileOptions& options, const std::string& path,
                                    const std::optional<ir::CallModel>& passed);

// Reports a call that loads the model of the options with an Auto class that has no class for it in any release of
// transformers (MD926). `call` is its place.
void check_loader(const CompileOptions& options, const dialect::Dialect& dialect, const source::SourceFile& file,
                  source::Span call, std::string_view id, diag::Sink& sink);

// Reports a model of the options that is already quantized, if the recipe cannot quantize it again (MD929). `called` is
// the class of its first element, `place` that of the model.
void check_base(const CompileOptions& options, const dialect::Dialect& dialect, std::string_view called,
                source::Span place, diag::Sink& sink);

// Checks a recipe against parts of its model that other checks do not know (MD917).
void check_model(const ir::Recipe& recipe, const outcome::Outcome& outcome, const CompileOptions& options,
                 diag::Sink& sink);

// Returns the layers of the model, in the order of the modules that a recipe was compiled with; empty if they are
// unknown.
[[nodiscard]] const std::vector<architecture::Layer>& layers_of(const ir::Recipe& recipe,
                                                                const CompileOptions& options);

// Returns true if the modules of a model may be inferred from its tensors for recipes of a dialect.
[[nodiscard]] bool infers_modules(const dialect::Dialect& dialect);

// Returns the bits of the layers of a model that are no units of the recipe: a runtime joins some layers and does not
// list others, but its model has the same size.
[[nodiscard]] double bits_outside(const ir::Recipe& recipe, const std::vector<model::Module>& modules,
                                  const CompileOptions& options);

// Returns why a run of the recipe may have other names of modules than the model, as a clause; empty if it does not.
[[nodiscard]] std::string other_names(const ir::Recipe& recipe, const CompileOptions& options);

// Returns a line about the effect of a recipe on its model, or an empty string if it is unknown. `outcome`: of the
// recipe for the modules of the options; null if it is unknown.
[[nodiscard]] std::string effect_of(const ir::Recipe& recipe, const outcome::Outcome* outcome,
                                    const CompileOptions& options);

// Returns why a recipe does not use the names of a model in the options, as a clause; empty if it does.
[[nodiscard]] std::string unused_model(const ir::Recipe& recipe, const CompileOptions& options);

}  // namespace sparsecfg
