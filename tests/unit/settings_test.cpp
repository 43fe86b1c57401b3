#include "project/settings.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "project/settings_rows.h"

namespace sparsecfg::project {

static std::string why(const std::string& text) {
  const ReadSettings read = read_settings("/home/p/.sparsecfg.yaml", text);
  const auto* error = std::get_if<SettingsError>(&read);
  return error == nullptr ? "" : error->reason;
}

static ProjectSettings good(const std::string& text) {
  return std::get<ProjectSettings>(read_settings("/home/p/.sparsecfg.yaml", text));
}

TEST_CASE("all settings") {
  const ProjectSettings read = good(
      "select: SP\nignore: [SP506]\nseverity: {SP202: error}\nfail-on: never\nfrom: nni\nnni: 2.x\nframework: keras\n"
      "params: names/a.txt\nmodules: ../b.tsv\nsteps-per-epoch: 100\nepochs: 2.5\ninitial-lr: 0.1\n"
      "exclude: [old/, '*.draft.yaml']\nper-file:\n  bert/*.yaml: {epochs: 3, ignore: SP202}\n");
  CHECK(read.settings.fail_on == FailOn::never);
  CHECK(read.settings.parameters == "/home/p/names/a.txt");
  CHECK(read.settings.modules == "/home/b.tsv");
  CHECK(read.settings.steps_per_epoch == 100U);
  CHECK(read.exclude.ignores_file("x/y.draft.yaml"));
  REQUIRE(read.per_file.size() == 1);
  CHECK(read.per_file[0].first.ignores_file("bert/a.yaml"));
  CHECK(read.per_file[0].second.epochs == 3.0);
}

TEST_CASE("what is wrong with settings") {
  CHECK(why("fail_on: error") == "line 1: unknown setting `fail_on`; did you mean `fail-on`?");
  CHECK(why("per-file: {a: {exclude: b}}").starts_with("line 1: unknown setting `exclude`; choose one of select"));
  CHECK(why("epochs: long") == "line 1: `epochs` must be a number from 0 to 1000000000");
  CHECK(why("steps-per-epoch: 0.5") == "line 1: `steps-per-epoch` must be a whole number from 1 to 1000000000");
  CHECK(why("nni: 4.0") == "line 1: `nni` must be one of 3.0, 2.x, 1.x");
  CHECK(why("from: latin") == "line 1: unknown dialect `latin`");
  CHECK(why("- a") == "line 1: settings must be a mapping, such as `fail-on: warning`");
  CHECK(why("ignore: SP9999") == "line 1: unknown rule `SP9999`");
  CHECK(why("a: [").starts_with("line 1: "));
  CHECK(why("params: [a]") == "line 1: `params` must be a file path");
}

TEST_CASE("all errors of a config file are reported, with their lines") {
  const ReadSettings read = read_settings("/home/p/.sparsecfg.yaml", "epochs: long\nignore: [SP506, unknwon-field]\n");
  const auto& error = std::get<SettingsError>(read);
  CHECK(error.reason ==
        "line 1: `epochs` must be a number from 0 to 1000000000\n"
        "line 2: unknown rule `unknwon-field`; did you mean `unknown-field`?");
  REQUIRE(error.findings.size() == 2);
  CHECK(error.findings[1].span == source::Span{29, 42});
  CHECK(error.excerpt ==
        "error: `epochs` must be a number from 0 to 1000000000\n"
        " --> /home/p/.sparsecfg.yaml:1:9\n"
        "  |\n"
        "1 | epochs: long\n"
        "  |         ^^^^\n\n"
        "error: unknown rule `unknwon-field`; did you mean `unknown-field`?\n"
        " --> /home/p/.sparsecfg.yaml:2:17\n"
        "  |\n"
        "2 | ignore: [SP506, unknwon-field]\n"
        "  |                 ^^^^^^^^^^^^^\n\n");
}

TEST_CASE("settings of an extended file come first") {
  ProjectSettings all = good("exclude: a.yaml\nepochs: 3\nper-file: {b.yaml: {epochs: 4}}\n");
  all.add(good("exclude: '!a.yaml'\nepochs: 5\nper-file: {b.yaml: {epochs: 6}}\n"));
  CHECK(all.settings.epochs == 5.0);
  CHECK_FALSE(all.exclude.ignores_file("a.yaml"));
  REQUIRE(all.per_file.size() == 2);
  CHECK(all.per_file[1].second.epochs == 6.0);
}

TEST_CASE("the template names every setting, with valid examples") {
  std::string text = settings_template();
  CHECK(std::holds_alternative<ProjectSettings>(read_settings("/home/p/.sparsecfg.yaml", text)));
  std::size_t count = 0;
  for (const SettingRow& row : setting_rows()) {
    const std::string commented = "\n# " + std::string(row.name) + ": ";
    const std::size_t at = text.find(commented);
    REQUIRE(at != std::string::npos);
    if (row.form != Form::extends) text.erase(at + 1, 2);
    ++count;
  }
  const ProjectSettings read = good(text);
  CHECK(read.settings.fail_on == FailOn::warning);
  CHECK(read.per_file.size() == 1);
  CHECK(count > 10);
}

TEST_CASE("settings that are added count more, codes to ignore are joined") {
  Settings settings = good("epochs: 3\nignore: SP202\nselect: SP").settings;
  settings.add(good("epochs: 4\nignore: SP305\nfail-on: warning").settings);
  CHECK(settings.epochs == 4.0);
  CHECK(settings.levels.ignore == std::vector<std::string>{"SP202", "SP305"});
  CHECK(settings.levels.select == std::vector<std::string>{"SP"});
  CHECK(settings.fail_on == FailOn::warning);
}

TEST_CASE("the schema of settings names each of them") {
  const auto schema = nlohmann::json::parse(settings_schema());
  for (const char* name : {"select", "fail-on", "params", "per-file", "nni", "framework", "initial-lr"}) {
    CHECK(schema["properties"].contains(name));
  }
  CHECK_FALSE(schema["properties"]["per-file"]["additionalProperties"]["properties"].contains("exclude"));
}

}  // namespace sparsecfg::project
