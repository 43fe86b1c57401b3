// Whole recipes: from bytes to diagnostics, and on through one of the commands. The first byte chooses how the text is
// read: its dialect, the ending of its name, what is known of the run and of the model.
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/ways.h"

namespace sparsecfg::fuzz {

static CompileOptions options_of(const char* dialect, unsigned char how) {
  static const model::ModelNames kNames(std::vector<std::string>{"seq.fc1.weight", "seq.fc1.bias", "head.weight"});
  CompileOptions options;
  const char* const dialects[] = {nullptr, "sparseml",  "distiller", "nni",     "llm-compressor", "ir",
                                  "ai8x",  "autoround", "gptqmodel", "torchao", "modelopt"};
  const char* const chosen = dialect != nullptr ? dialect : dialects[(how >> 3) % std::size(dialects)];
  if (chosen != nullptr) {
    options.from = chosen;
  }
  if ((how & 1) != 0) {
    options.parameters = &kNames;
  }
  if ((how & 2) != 0) {
    options.read.steps_per_epoch = 7;
    options.read.epochs = 3.5;
  }
  if ((how & 4) != 0) {
    options.read.modules = std::make_shared<const std::vector<model::Module>>(
        std::vector<model::Module>{{"", "Net"}, {"fc1", "Linear"}, {"conv1", "Conv2d"}});
  }
  return options;
}

static void try_recipe(const char* dialect, std::string text, unsigned char how) {
  const CompileOptions options = options_of(dialect, how);
  const char* const names[] = {"recipe.yaml", "recipe.md", "recipe.py", "recipe.json"};
  const bool notebook = text.starts_with("{") && text.find("\"cells\"") != std::string::npos;
  const std::string name = notebook ? "recipe.ipynb" : names[(how >> 5) & 3];
  Compilation result = compile(name, std::move(text), options);
  check_spans(result);
  run_one_way(std::move(result), options);
}

void try_any(std::string text, unsigned char how) { try_recipe(nullptr, std::move(text), how); }

void try_sparseml(std::string text, unsigned char how) { try_recipe("sparseml", std::move(text), how); }

void try_distiller(std::string text, unsigned char how) { try_recipe("distiller", std::move(text), how); }

void try_nni(std::string text, unsigned char how) { try_recipe("nni", std::move(text), how); }

void try_llm_compressor(std::string text, unsigned char how) { try_recipe("llm-compressor", std::move(text), how); }

void try_schedule(std::string text, unsigned char how) { try_recipe("ir", std::move(text), how); }

}  // namespace sparsecfg::fuzz
