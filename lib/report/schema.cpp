#include "report/parts.h"

namespace sparsecfg::report {

static Json object_schema(Json properties, std::initializer_list<const char*> optional = {}) {
  Json required = Json::array();
  for (const auto& [name, value] : properties.items()) {
    const bool may_lack = std::ranges::find(optional, name) != optional.end();
    if (!may_lack) required.push_back(name);
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

static Json definitions() {
  Json out;
  out["place"] = object_schema({{"line", counted("counted from 1")},
                                {"column", counted("in code points, counted from 1")},
                                {"byte", counted("bytes from the start of the file")}});
  out["span"] = object_schema({{"start", reference("place")}, {"end", reference("place")}});
  out["label"] = object_schema({{"span", reference("span")}, {"text", {{"type", "string"}}}});
  out["edit"] = object_schema({{"span", reference("span")}, {"text", described("string", "replaces the span")}});
  out["fix"] =
      object_schema({{"applicability", {{"enum", {"safe", "unsafe"}}}}, {"edits", list_of(reference("edit"))}});
  out["finding"] = object_schema({{"code", {{"type", "string"}, {"pattern", "^[A-Z]{2}[0-9]{3}$"}}},
                                  {"name", described("string", "the name of the code, such as unknown-field")},
                                  {"severity", {{"enum", {"error", "warning", "info"}}}},
                                  {"message", described("string", "what is wrong")},
                                  {"help", described("string", "what to write instead")},
                                  {"page", described("string", "where the repository describes the code")},
                                  {"span", reference("span")},
                                  {"labels", list_of(reference("label"))},
                                  {"note", described("string", "what to write below the marked span")},
                                  {"fix", reference("fix")}},
                                 {"note", "fix"});
  const Json uri = described("string", "a path that is not UTF-8, percent-encoded");
  out["file"] = object_schema({{"path", described("string", "the path as it was given")},
                               {"path_uri", uri},
                               {"dialect", {{"type", {"string", "null"}}}},
                               {"diagnostics", list_of(reference("finding"))}},
                              {"path_uri"});
  out["failure"] = object_schema({{"path", described("string", "a file that could not be read or written")},
                                  {"path_uri", uri},
                                  {"reason", {{"type", "string"}}}},
                                 {"path_uri"});
  return out;
}

std::string report_schema() {
  Json out{{"$schema", "http://json-schema.org/draft-07/schema#"},
           {"title", "Report of sparsecfg validate --format json"}};
  out.update(object_schema(
      {{"format", {{"const", 1}}},
       {"tool", object_schema({{"name", {{"const", "sparsecfg"}}}, {"version", described("string", "of sparsecfg")}})},
       {"summary", object_schema({{"files", counted("recipes that were checked")},
                                  {"errors", counted("findings of that severity")},
                                  {"warnings", counted("findings of that severity")},
                                  {"infos", counted("findings of that severity")},
                                  {"fixed", counted("findings that --fix has fixed")},
                                  {"passed_over", counted("scripts without a configuration that can be read")}},
                                 {"fixed", "passed_over"})},
       {"files", list_of(reference("file"))},
       {"failures", list_of(reference("failure"))}}));
  out["definitions"] = definitions();
  return json_text(out);
}

}  // namespace sparsecfg::report
