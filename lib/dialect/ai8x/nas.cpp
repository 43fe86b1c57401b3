#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "diag/rule.h"
#include "dialect/ai8x/codes.h"
#include "dialect/ai8x/rules/rules.h"
#include "dialect/ai8x/stages.h"
#include "python/numbers.h"

// Reads NAS policies (docs/semantics/ai8x.md#d1).
namespace sparsecfg::dialect::ai8x {

// Parses `--nas-levels`: three ints, separated by commas.
static std::array<std::optional<std::size_t>, 3> levels_of(const ReadOptions& options) {
  std::array<std::optional<std::size_t>, 3> levels;
  std::string_view rest = options.given(kReaderOptions[1]).value_or("");
  constexpr std::size_t kMaxLevels = 1000;
  for (auto& level : levels) {
    const std::string_view part = rest.substr(0, rest.find(','));
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error == std::errc() && end == part.data() + part.size() && number <= kMaxLevels) level = number;
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return levels;
}

DIAGNOSTIC(AX307, stage_not_reached, silent_warning, (Text, double, double),
           "`{}` begins at epoch {}, but training ends at epoch {}",
           "Each stage begins when the one before it has trained for its `num_epochs`, the first one at `start_epoch`.",
           "shorten the stages before it, or train longer")

DIAGNOSTIC(AX301, levels_unknown, info, (), "the timeline of the stages needs the levels of the network",
           "With `leveling`, a stage lasts `num_epochs` for each level. The number of levels is a property of the "
           "network.",
           "pass the levels for kernel, depth and width, such as `--nas-levels 1,2,2`")

class NasReader {
 public:
  NasReader(const Context& context, const source::Map& policy)
      : context_(context),
        record_(read_record(context, kNasPolicy, policy, policy.front().first.span, diag::Severity::warning)) {}

  std::vector<ir::Action> read() {
    valid_ = record_.valid;
    const double start = read_start();
    read_stages();
    // Values that are only used from `start_epoch` on do not matter if it never comes.
    const bool comes = !context_.options.epochs || start < *context_.options.epochs;
    if (comes) valid_ = check_validation(context_, record_) && valid_;
    const Teacher teacher = comes ? read_distillation() : Teacher::none;
    if (const Field* search = record_.find("evolution_search")) check_search(context_, search->value);
    if (valid_) {
      lower(start, teacher);
    }
    return std::move(actions_);
  }

 private:
  bool check_number(const Record& record, const Field* field) {
    const bool fits = field == nullptr || check_row(context_, record, *field);
    valid_ = valid_ && fits;
    return field != nullptr && fits;
  }

  double read_start() {
    const Field* field = record_.find("start_epoch");
    if (!check_number(record_, field)) {
      return 0;
    }
    const double start = *field->value.number();
    if (context_.options.epochs && start >= *context_.options.epochs) {
      context_.sink.report(diag::starts_after_training, field->value.span, start, *context_.options.epochs)
          .with_severity(diag::Severity::warning)
          .with_help(fmt::format("start before epoch {}, or train longer", *context_.options.epochs));
    }
    return start;
  }

  // --- stages ---------------------------------------------------------------------------------------

  void read_stages() {
    const auto levels = levels_of(context_.options);
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      stages_[stage].levels = levels[stage];
      if (const Field* field = record_.find(kStages[stage])) read_stage(*field, stages_[stage]);
    }
  }

  void read_stage(const Field& field, StageSettings& out) {
    const auto* map = field.value.get<source::Map>();
    if (map == nullptr) {
      valid_ = false;
      context_.sink
          .report(diag::wrong_type, field.value.is_null() ? field.key : field.value.span, field.name,
                  "a mapping with `leveling` and `num_epochs`", source::describe(field.value))
          .with_help(fmt::format("write `{}: {{leveling: false, num_epochs: 100}}`", field.name));
      return;
    }
    stage_records_.push_back(read_record(context_, kElastic, *map, field.key, diag::Severity::warning));
    const Record& record = stage_records_.back();
    valid_ = valid_ && record.valid;
    if (const Field* leveling = record.find("leveling")) {
      out.leveling = python::is_true(leveling->value);
      check_truth(context_, *leveling);
    }
    const Field* epochs = record.find("num_epochs");
    if (check_number(record, epochs)) {
      out.epochs = *epochs->value.number();
      check_length(context_, *epochs, out.epochs);
    }
  }

  // --- distillation ---------------------------------------------------------------------------------

  Teacher read_distillation() {
    const Field* field = record_.find("kd_params");
    const auto* map = field == nullptr ? nullptr : field->value.get<source::Map>();
    if (field == nullptr || !python::is_true(field->value)) {
      return Teacher::none;
    }
    if (map == nullptr) {
      valid_ = false;
      context_.sink
          .report(diag::wrong_type, field->value.span, field->name, "a mapping", source::describe(field->value))
          .with_help("write a mapping with `teacher_model`, or delete `kd_params`");
      return Teacher::none;
    }
    const Field* teacher = nullptr;
    const Record plain{&kDistillation, field->key, fields_of(*map), true, {}, {}, 0};
    teacher = plain.find("teacher_model");
    const auto* name = teacher == nullptr ? nullptr : teacher->value.get<std::string>();
    if (teacher != nullptr && !check_teacher(context_, *teacher)) {
      return Teacher::none;
    }
    distillation_ = read_record(context_, kDistillation, *map, field->key, diag::Severity::warning);
    valid_ = valid_ && distillation_.valid;
    for (const std::string_view number : {"distill_loss", "student_loss", "temperature"}) {
      check_number(distillation_, distillation_.find(number));
    }
    check_temperature(context_, distillation_);
    return name == nullptr         ? Teacher::each_stage
           : *name == kTeachers[0] ? Teacher::full_model
                                   : Teacher::prev_stage_model;
  }

  // --- actions --------------------------------------------------------------------------------------

  void lower(double start, Teacher teacher) {
    const auto windows = windows_of(start, stages_);
    if (!windows) {
      context_.sink.report(diag::levels_unknown, place_of_levels());
      return;
    }
    check_reached(*windows);
    for (const StageWindow& window : *windows) {
      add(ir::Opaque{}, kStages[window.stage], stage_records_[window.stage], window.begin, window.end);
      if (window.level > 0) actions_.back().origin.group = fmt::format("level {}", window.level);
    }
    ir::Distill distill;
    if (const Field* field = distillation_.find("temperature")) {
      distill.temperature = {field->value.number().value_or(1), field->value.span};
    }
    for (const TeacherWindow& window : teachers_of(teacher, *windows)) {
      add(distill, kDistillation.name, distillation_, window.begin, window.end);
    }
  }

  // Reports the first stage that begins after the training. Lengths that rise are probably ends.
  void check_reached(const std::vector<StageWindow>& windows) {
    const auto& run = context_.options.epochs;
    const auto late = std::ranges::find_if(windows, [&](const StageWindow& each) { return run && each.begin >= *run; });
    if (late == windows.end() || late->stage == 0 || late->stage >= stage_records_.size()) return;
    const Field* length = stage_records_[late->stage - 1].find("num_epochs");
    if (length == nullptr) return;
    auto& report = context_.sink.report(diag::stage_not_reached, length->value.span, std::string(kStages[late->stage]),
                                        late->begin, *run);
    std::string lengths;
    double before = record_.number("start_epoch").value_or(0);
    for (const StageSettings& stage : stages_) {
      if (stage.epochs <= before) return;
      lengths += fmt::format("{}`num_epochs: {}`", lengths.empty() ? "" : ", ", stage.epochs - before);
      before = stage.epochs;
    }
    if (before <= *run) report.with_help(fmt::format("`num_epochs` is the length of a stage: write {}", lengths));
  }

  source::Span place_of_levels() const {
    for (const Record& record : stage_records_) {
      const Field* leveling = record.find("leveling");
      if (leveling != nullptr && python::is_true(leveling->value)) return leveling->value.span;
    }
    return record_.key;
  }

  void add(ir::Effect effect, std::string_view name, const Record& record, double begin, double end) {
    ir::Cadence cadence;
    cadence.start = {std::max(begin, 0.0), record.key};
    cadence.end = {end, record.key};
    const int ordinal =
        static_cast<int>(std::ranges::count(
            actions_, name, [](const ir::Action& each) { return std::string_view(each.origin.class_name); })) +
        1;
    actions_.push_back({std::move(effect), cadence, origin_of(name, record, ordinal), true});
  }

  const Context& context_;
  Record record_;
  std::array<StageSettings, 3> stages_;
  std::vector<Record> stage_records_;
  Record distillation_{};
  std::vector<ir::Action> actions_;
  bool valid_ = true;
};

std::vector<ir::Action> read_nas(const Context& context, const source::Map& policy) {
  return NasReader(context, policy).read();
}

}  // namespace sparsecfg::dialect::ai8x
