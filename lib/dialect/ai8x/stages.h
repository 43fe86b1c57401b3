#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

// The stages of a NAS policy as windows of epochs (docs/semantics/ai8x.md#d1-3, #d1-4).
namespace sparsecfg::dialect::ai8x {

// The settings of one stage.
struct StageSettings {
  bool leveling = false;
  double epochs = 0;                  // of each level, or of the whole stage
  std::optional<std::size_t> levels;  // of the network; nullopt: unknown
};

// A level of a stage, from `begin` to `end`. The last one never ends.
struct StageWindow {
  std::size_t stage = 0;  // 0: elastic_kernel, 1: elastic_depth, 2: elastic_width
  std::size_t level = 0;  // from 1; 0: all levels at once
  double begin = 0;
  double end = 0;
};

// Returns the windows in which the network trains in a stage, in order and without empty ones. Returns nullopt if the
// number of levels decides, and is unknown.
[[nodiscard]] std::optional<std::vector<StageWindow>> windows_of(double start,
                                                                 const std::array<StageSettings, 3>& stages);

// A window in which a teacher is used.
struct TeacherWindow {
  double begin = 0;
  double end = 0;
};

enum class Teacher { full_model, prev_stage_model, each_stage, none };

// Returns the windows of distillation. An infinite end is the end of the run.
[[nodiscard]] std::vector<TeacherWindow> teachers_of(Teacher teacher, const std::vector<StageWindow>& windows);

}  // namespace sparsecfg::dialect::ai8x
