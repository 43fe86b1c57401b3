#include "report/parts.h"

namespace sparsecfg::report {

static Json object_schema(Json properties, std::initializer_list<const char*> optional = {}) {
  Json required = Json::array();
  for (const auto& [name, value] : properties.items()) {
    const bool is_optional = std::ranges::find(optional, name) != optional.end();
    if (!is_optional) required.push_back(name);
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

static Json described(const char* type, const char* text) { return {{"type", type}, {"description", text}}; }

static Json counted(const char* text) { return {{"type", "integer"}, {"minimum", 0}, {"description", text}}; }

static Json list_of(Json item) { return {{"type", "array"}, {"items", std::move(item)}}; }

static Json reference(const char* name) { return {{"$ref", std::string("#/definitions/") + name}}; }

static Json model_schema() {
  return {{"type", {"string", "null"}},
          {"description", "the model that was used; null if a script passes an unknown one"}};
}

static Json definitions() {
  Json out;
  out["place"] = object_schema({{"line", counted("starting at 1")},
                                {"column", counted("in code points, starting at 1")},
                                {"byte", counted("offset in bytes from the start of the file")}});
  out["span"] = object_schema({{"start", reference("place")}, {"end", reference("place")}});
  out["cell"] = object_schema({{"index", counted("index among all cells of a notebook, starting at 0")},
                               {"line", counted("in the cell, starting at 1")}});
  out["label"] = object_schema({{"span", reference("span")}, {"text", {{"type", "string"}}}});
  out["edit"] = object_schema({{"span", reference("span")}, {"text", described("string", "replacement for the span")}});
  out["fix"] =
      object_schema({{"applicability", {{"enum", {"safe", "unsafe"}}}}, {"edits", list_of(reference("edit"))}});
  out["finding"] =
      object_schema({{"code", {{"type", "string"}, {"pattern", "^[A-Z]{2}[0-9]{3}$"}}},
                     {"name", described("string", "name of the rule, such as unknown-field")},
                     {"severity", {{"enum", {"error", "warning", "info"}}}},
                     {"message", described("string", "description of the problem")},
                     {"help", described("string", "instruction for a fix")},
                     {"page", described("string", "path of the rule in the documentation")},
                     {"url", described("string", "address of the rule in the documentation, if the build knows it")},
                     {"span", reference("span")},
                     {"cell", reference("cell")},
                     {"labels", list_of(reference("label"))},
                     {"note", described("string", "label for the marked span")},
                     {"fix", reference("fix")}},
                    {"url", "cell", "note", "fix"});
  const Json uri = described("string", "percent-encoded path, present if the path is not UTF-8");
  out["file"] = object_schema(
      {{"path", described("string", "path as passed to the command")},
       {"path_uri", uri},
       {"dialect", {{"type", {"string", "null"}}}},
       {"release", described("string", "the release that the project requires, and where")},
       {"model", model_schema()},
       {"model_unknown", described("string", "why the model is unknown")},
       {"effect", described("string", "what the recipe does to the model")},
       {"models", list_of(reference("model"))},
       {"runtime", described("string", "the runtime for which the recipes were checked")},
       {"assumed", described("array", "options of the script whose defaults the recipes have")},
       {"not_checked", list_of(reference("not_checked"))},
       {"diagnostics", list_of(reference("finding"))}},
      {"path_uri", "release", "model", "model_unknown", "effect", "models", "runtime", "assumed", "not_checked"});
  out["not_checked"] = object_schema({{"line", counted("line of a recipe that is unknown, starting at 1")},
                                      {"reason", described("string", "why the recipe is unknown")}});
  out["model"] = object_schema({{"recipes", list_of({{"type", "integer"}})},
                                {"model", model_schema()},
                                {"model_unknown", described("string", "why the model is unknown")},
                                {"effect", described("string", "what the recipes do to the model")}},
                               {"model_unknown", "effect"});
  out["failure"] = object_schema({{"path", described("string", "a file that could not be read or written")},
                                  {"path_uri", uri},
                                  {"reason", {{"type", "string"}}}},
                                 {"path_uri"});
  out["skipped"] = object_schema({{"path", described("string", "a file, or a folder with `/` at the end")},
                                  {"path_uri", uri},
                                  {"reason", {{"type", "string"}}}},
                                 {"path_uri"});
  out["fixed"] = object_schema({{"path", {{"type", "string"}}},
                                {"path_uri", uri},
                                {"line", counted("line of the finding when it was fixed")},
                                {"code", {{"type", "string"}}},
                                {"name", {{"type", "string"}}}},
                               {"path_uri"});
  return out;
}

std::string report_schema() {
  Json out{{"$schema", "http://json-schema.org/draft-07/schema#"},
           {"title", "Report of sparsecfg validate --format json"}};
  out.update(object_schema(
      {{"format", {{"const", 1}}},
       {"tool",
        object_schema({{"name", {{"const", "sparsecfg"}}}, {"version", described("string", "version of sparsecfg")}})},
       {"summary", object_schema({{"files", counted("number of checked recipes")},
                                  {"errors", counted("number of errors")},
                                  {"warnings", counted("number of warnings")},
                                  {"infos", counted("number of info findings")},
                                  {"fixed", counted("number of findings fixed by --fix")},
                                  {"skipped", counted("number of files that were not checked")},
                                  {"baseline", counted("number of findings that the baseline contains")},
                                  {"passed_over", counted("number of scripts without a readable configuration")}},
                                 {"fixed", "skipped", "baseline", "passed_over"})},
       {"files", list_of(reference("file"))},
       {"failures", list_of(reference("failure"))},
       {"skipped", list_of(reference("skipped"))},
       {"fixed", list_of(reference("fixed"))}},
      {"skipped", "fixed"}));
  out["definitions"] = definitions();
  return json_text(out);
}

}  // namespace sparsecfg::report
