#include "project/settings_rows.h"

#include <algorithm>

namespace sparsecfg::project {

constexpr SettingRow kSettingRows[] = {
    {"extends", Form::extends, "ci/base.yaml", "Config file with the defaults of this one, relative to this file"},
    {"select", Form::codes, "[SP, LC]", "Report only these rules (code, code prefix or name)"},
    {"ignore", Form::codes, "[SP506]", "Do not report these rules (code, code prefix or name)"},
    {"severity", Form::severities, "{SP202: error}", "Change the severity of rules to error, warning or info"},
    {"fail-on", Form::fail_on, "warning", "Minimum severity for exit code 1, or never"},
    {"baseline", Form::path, "sparsecfg-baseline.json",
     "File with known findings, which are not reported; `validate --write-baseline` writes it"},
    {"from", Form::dialect, "sparseml", "Dialect of the recipes (default: detected from the content)"},
    {"params", Form::path, "names/params.txt", "File with the model parameters, relative to this file"},
    {"modules", Form::path, "names/modules.txt", "File with the model modules, relative to this file"},
    {"qat-policy", Form::path, "policies/qat_policy.yaml",
     "QAT policy of ai8x-training that runs with the schedules, relative to this file"},
    {"steps-per-epoch", Form::whole_number, "500", "Optimizer steps per epoch"},
    {"epochs", Form::number, "10", "Length of the training run in epochs (default: from the recipe)"},
    {"initial-lr", Form::number, "0.1", "Initial learning rate set by the training script"},
    {"profile", Form::profile, "alto", "Known fork of the framework, with its custom classes"},
    {"custom", Form::custom, "{MyPruningModifier: {like: GMPruningModifier, fields: {pairs: int}}}",
     "Classes that the project defines"},
    {"exclude", Form::patterns, "[old/, '*.draft.yaml']", "Files and folders to skip, as .gitignore patterns"},
    {"per-file", Form::per_file, "{'bert/*.yaml': {epochs: 3}}", "Settings for files that match a .gitignore pattern"},
};

std::span<const SettingRow> setting_rows() { return kSettingRows; }

const SettingRow* find_setting(std::string_view name) {
  const auto* found = std::ranges::find(kSettingRows, name, &SettingRow::name);
  return found == std::end(kSettingRows) ? nullptr : found;
}

bool is_allowed(const SettingRow& row, bool per_file) {
  return !per_file || (row.form != Form::patterns && row.form != Form::per_file && row.form != Form::extends);
}

}  // namespace sparsecfg::project
