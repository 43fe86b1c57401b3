#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/shell_words.h"

// Commands that train with schedules of Distiller: train.py of ai8x-training, and compress_classifier.py of Distiller.
namespace sparsecfg::dialect::distiller {

// The settings of a run that decide how the files of the run are checked.
struct TrainingRun {
  std::optional<double> epochs;           // nullopt: unknown
  std::optional<std::string> qat_policy;  // path; empty: the run has no QAT; nullopt: unknown
  std::optional<std::string> schedule;    // path; nullopt: unknown or none
  bool ai8x = false;                      // true if the program certainly is train.py of ai8x-training

  // Drops what another run with the same file does not have.
  void merge(const TrainingRun& other);
};

// A file of a run.
struct TrainingFile {
  std::string path;
  std::string_view dialect;  // empty: the file decides
};

struct TrainingCommand {
  TrainingRun run;
  std::vector<TrainingFile> files;  // none if the command only evaluates a network
  std::string network;              // of torchvision, if torchvision has it; empty: unknown
};

// Returns a command that trains with YAML files; nullopt for others.
[[nodiscard]] std::optional<TrainingCommand> training_command(const source::ShellCommand& command);

// Returns the programs as messages name them.
[[nodiscard]] std::vector<std::string_view> training_programs();

// Returns true if a text may have such a command. Fast, for the search in folders.
[[nodiscard]] bool may_train(std::string_view text);

}  // namespace sparsecfg::dialect::distiller
