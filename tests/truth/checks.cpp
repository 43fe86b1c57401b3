#include "checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <string_view>

#include "commands.h"
#include "outcomes.h"
#include "schemes.h"
#include "tests/golden/cases.h"
#include "timeline.h"

namespace sparsecfg::truth {

using Names = std::set<std::string>;

static Outcome differs(std::string detail) { return {Result::differs, std::move(detail)}; }

static Outcome equal(const std::string& difference) { return difference.empty() ? Outcome() : differs(difference); }

// ---- verdicts

// Returns true if the names of the model have shapes: parameters as JSON, or a third column for modules.
static bool has_shapes(const Case& test) {
  if (test.data.value("params", "").ends_with(".json")) return true;
  std::ifstream modules("names/" + test.data.value("modules", ""));
  for (std::string line; std::getline(modules, line);) {
    if (std::ranges::count(line, '\t') == 2) return true;
  }
  return false;
}

// A rejection with one of these needs depends on more than the recipe and the names that the case lists.
static bool is_knowable(const Case& test) {
  constexpr std::array<std::string_view, 4> kBeyond = {"types", "identity", "files", "options"};
  const std::string needs = test.data.value("needs", "");
  const bool lacks_shapes = needs == "shapes" && !has_shapes(test);
  return !lacks_shapes && std::ranges::find(kBeyond, needs) == kBeyond.end();
}

// A quantization-aware training policy of ai8x that never starts, or that has keys that nothing reads.
static bool is_policy_without_effect(const Case& test) {
  const Json policy = test.data.value("qat", Json::object());
  return policy.contains("qat_starts") && (policy["qat_starts"].is_null() || !policy.value("unread", Json()).empty());
}

static bool reports_only_silent_losses(const Case& test, const std::set<std::string>& codes) {
  static const std::set<std::string> kSilent = silent_losses();
  return is_policy_without_effect(test) || std::ranges::includes(kSilent, codes);
}

static Outcome judge(const Case& test, const Findings& found) {
  if (test.data["verdict"] == "unknown") return {Result::not_knowable};
  if (test.accepted() == (found.status == 0)) return {};
  if (test.accepted()) {
    if (reports_only_silent_losses(test, found.codes)) return {Result::silent_loss};
    return differs(fmt::format("stricter: the framework accepts, sparsecfg reports {}", fmt::join(found.codes, ", ")));
  }
  if (!is_knowable(test)) return {Result::not_knowable};
  return differs("false accept: the framework fails with " + test.data.value("error", "an error"));
}

static std::string dialect_of(const Case& test) {
  return test.data.value("options", Json::object()).value("from", test.framework);
}

// Returns the findings without --from. Two comparisons need them, and they come one after the other.
static const Findings& findings_without_dialect(const Case& test) {
  static std::string name;
  static Findings findings;
  if (name != test.name()) findings = validate(test, Reader::detects);
  name = test.name();
  return findings;
}

// A recipe of a detected dialect is read in the same way with --from.
static Outcome compare_verdict(const Case& test) {
  const Findings& found = findings_without_dialect(test);
  return judge(test, found.dialect == dialect_of(test) ? found : validate(test, Reader::told));
}

static Outcome compare_detection(const Case& test) {
  const std::string& dialect = findings_without_dialect(test).dialect;
  if (dialect == dialect_of(test)) return {};
  return differs(dialect.empty() ? "no dialect is detected" : "detected as " + dialect);
}

// ---- timelines

static Answer timeline(const Case& test) {
  const Json rate = test.data.value("options", Json::object()).value("initial_lr", Json(0.1));
  return run_on_recipe("timeline", test, {"--format", "csv", "--initial-lr", rate.dump()});
}

static Outcome compare_timeline(const Case& test) {
  const Answer answer = timeline(test);
  if (answer.status != 0) return differs("there is no timeline");
  return equal(timeline_difference(test.data["timeline"], answer.out));
}

// ---- what is selected

static Names modules_in(const std::string& path) {
  Names names;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) names.insert(line.substr(0, line.find('\t')));
  return names;
}

// Returns true if `name` is `pattern` with a number for each part `N`.
static bool fits(std::string_view pattern, std::string_view name) {
  while (!pattern.empty() || !name.empty()) {
    const std::string_view part = pattern.substr(0, pattern.find('.'));
    const std::string_view own = name.substr(0, name.find('.'));
    const bool number = !own.empty() && own.find_first_not_of("0123456789") == std::string_view::npos;
    if (part != own && !(part == "N" && number)) return false;
    pattern.remove_prefix(std::min(part.size() + 1, pattern.size()));
    name.remove_prefix(std::min(own.size() + 1, name.size()));
  }
  return true;
}

// Recorded names have `N` for a number if the modules of all layers belong to the set.
static Names expanded(const Json& patterns, const Names& modules) {
  Names names;
  for (const std::string pattern : patterns) {
    for (const std::string& name : modules) {
      if (fits(pattern, name)) names.insert(name);
    }
  }
  return names;
}

static std::string name_difference(const Names& want, const Names& got) {
  Names missing;
  Names unexpected;
  std::ranges::set_difference(want, got, std::inserter(missing, missing.end()));
  std::ranges::set_difference(got, want, std::inserter(unexpected, unexpected.end()));
  if (!missing.empty()) return fmt::format("{} and {} more are not selected", *missing.begin(), missing.size() - 1);
  if (!unexpected.empty())
    return fmt::format("{} and {} more are selected", *unexpected.begin(), unexpected.size() - 1);
  return "";
}

// Returns the modules that each action selects, by `Class#N`.
static std::map<std::string, Names> claims(const Json& match) {
  std::map<std::string, Names> by_action;
  for (const Json& module : match.value("modules", Json::array())) {
    for (const Json& claim : module.value("claims", Json::array()))
      by_action[claim["action"]].insert(module["name"].get<std::string>());
  }
  return by_action;
}

static Outcome compare_selection(const Case& test) {
  const Names modules = modules_in("names/" + test.data["modules"].get<std::string>());
  std::map<std::string, Names> claimed = claims(parse(run_on_recipe("match", test, {"--format", "json"})));
  for (const Json& each : test.data["selects"]) {
    const std::string action = each[0];
    const std::string difference = name_difference(expanded(each[1], modules), claimed[action]);
    if (!difference.empty()) return differs(action + ": " + difference);
  }
  return {};
}

// Reads the modules that have a weight. The cache of keys and values belongs to modules that have none.
static Names weighted_in(const std::string& path) {
  Names names;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (std::ranges::count(line, '\t') == 2) names.insert(line.substr(0, line.find('\t')));
  }
  return names;
}

// Returns the output of `inspect`. Several comparisons need it, and they come one after the other.
static const Json& inspection(const Case& test) {
  static std::string name;
  static Json json;
  if (name != test.name()) json = parse(run_on_recipe("inspect", test, {"--format", "json"}));
  name = test.name();
  return json;
}

// The number of layers with each scheme.
static Outcome compare_schemes(const Case& test) {
  const Names modules = weighted_in("names/" + test.data["modules"].get<std::string>());
  std::map<std::string, std::size_t> want;
  for (const auto& [recorded, patterns] : test.data["schemes"].items()) {
    const std::string words = scheme_words(recorded);
    const std::size_t layers = expanded(patterns, modules).size();
    if (!words.empty() && layers > 0) want[words] += layers;
  }
  const Json storage = inspection(test).value("storage", Json());
  if (storage.is_null()) return {Result::not_knowable};
  const std::map<std::string, std::size_t> got = layers_by_scheme(storage["schemes"]);
  return got == want ? Outcome() : differs(fmt::format("{} instead of {}", got, want));
}

// Returns a sequence of formats of `match` as "int4/128, float8", or "-" for none.
static std::string formats_text(const Json& formats) {
  if (formats.is_null()) return "-";
  std::string out;
  for (const Json& each : formats.is_array() ? formats : Json::array({formats})) {
    const Json group = each.value("group_size", Json());
    const Json block = each.value("block", Json());
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", each["type"].get<std::string>(), each["bits"].get<int>());
    if (group.is_number() && group.get<int>() > 0) out += fmt::format("/{}", group.get<int>());
    if (block.is_array()) out += fmt::format("/{}x{}", block[0].get<int>(), block[1].get<int>());
  }
  return out;
}

// ModelOpt: the formats of weights, inputs and outputs of each module. Modules that are not listed stay as they are.
static Outcome compare_formats(const Case& test) {
  std::map<std::string, std::string> want;
  for (const auto& [text, modules] : test.data["formats"].items()) {
    for (const Json& module : modules) want[module.get<std::string>()] = text;
  }
  const Json match = parse(run_on_recipe("match", test, {"--format", "json", "--all"}));
  for (const Json& module : match.value("modules", Json::array())) {
    const std::string name = module["name"];
    const Json outcome = module.value("outcome", Json());
    const std::string got = outcome.is_null()
                                ? "- | - | -"
                                : fmt::format("{} | {} | {}", formats_text(outcome.value("weights", Json())),
                                              formats_text(outcome.value("inputs", Json())),
                                              formats_text(outcome.value("outputs", Json())));
    const auto found = want.find(name);
    const std::string expected = found == want.end() ? "- | - | -" : found->second;
    if (got != expected) return differs(fmt::format("{}: {} instead of {}", name, got, expected));
    if (found != want.end()) want.erase(found);
  }
  return want.empty() ? Outcome() : differs(fmt::format("{} is missing", want.begin()->first));
}

// Reads the modules that llm-compressor can quantize.
static Names quantizable_in(const std::string& path) {
  Names names;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const std::string_view type = std::string_view(line).substr(line.find('\t') + 1);
    if (type.starts_with("Linear\t") || type.starts_with("Embedding\t")) names.insert(line.substr(0, line.find('\t')));
  }
  return names;
}

static Names common(const Names& a, const Names& b) {
  Names both;
  std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
  return both;
}

// Shows what `targets` select, in a recipe that quantizes.
static Answer match_targets(const Json& targets, const std::string& modules) {
  const std::string recipe = fmt::format(
      "s_stage:\n  m_modifiers:\n    QuantizationModifier: {{scheme: W8A16, targets: {}}}\n", targets.dump());
  return run({"match", "-", "--from", "llm-compressor", "--format", "json", "--modules", modules}, recipe);
}

static Names all_claimed(const Json& match) {
  Names names;
  for (const auto& [action, claimed] : claims(match)) names.insert(claimed.begin(), claimed.end());
  return names;
}

// One target and the modules that it matches. A recipe quantizes only those with a suitable class.
static Outcome compare_pattern(const Case& test) {
  const Json& row = test.data["match"];
  const std::string modules = "names/" + row["modules"].get<std::string>();
  const Answer answer = match_targets(Json::array({row["target"]}), modules);
  if (row.contains("error")) {
    return answer.status == 0 ? differs("the framework fails with " + row["error"].get<std::string>()) : Outcome();
  }
  const Names quantizable = quantizable_in(modules);
  const Names want = common(row["names"].get<Names>(), quantizable);
  return equal(name_difference(want, common(all_claimed(parse(answer)), quantizable)));
}

// Several targets and those that match one module, in the order of their precedence.
static Outcome compare_precedence(const Case& test) {
  const Json& row = test.data["match"];
  const std::string modules = "names/" + row["modules"].get<std::string>();
  const std::string name = row["module"];
  if (!quantizable_in(modules).contains(name)) return {Result::not_knowable};
  Strings got;
  const Json match = parse(match_targets(row["targets"], modules));
  for (const Json& module : match["modules"]) {
    if (module["name"] != name) continue;
    for (const Json& claim : module["claims"]) got.push_back(claim["term"]);
  }
  const Strings want = row["in_order"];
  return got == want ? Outcome() : differs(fmt::format("{} instead of {}", got, want));
}

// ---- what is loaded and written

static Outcome compare_modifiers(const Case& test) {
  const Json& loaded = inspection(test).at("recipes");
  Strings classes;
  for (const Json& recipe : loaded) {
    for (const Json& modifier : recipe["modifiers"]) classes.push_back(modifier["class"]);
  }
  const Strings want = test.data["loaded"];
  return classes == want ? Outcome() : differs(fmt::format("modifiers {} instead of {}", classes, want));
}

// Policies of ai8x: the epoch in which quantization starts.
static Outcome compare_start(const Case& test) {
  const Json& got = inspection(test).at("quantizes_from");
  const Json& want = test.data["qat"]["qat_starts"];
  return got == want ? Outcome()
                     : differs(fmt::format("quantization starts at epoch {} instead of {}", got.dump(), want.dump()));
}

static bool has_start(const Case& test) {
  return test.accepted() && test.has("qat") && test.data["qat"].value("qat_starts", Json()).is_number();
}

// By module, from the schedule that `convert --to ir` writes.
static Outcome compare_sparsities(const Case& test) {
  Json got = Json::object();
  const Json schedule = parse(run_on_recipe("convert", test, {"--to", "ir"}));
  for (const Json& action : schedule["actions"]) {
    for (const Json& target : action["effect"].value("targets", Json::array())) {
      for (const Json& term : target["selector"]["terms"]) got[term["text"].get<std::string>()] = target["sparsity"];
    }
  }
  const nlohmann::json unordered = got;
  const nlohmann::json want = test.data["sparsities"];
  return unordered == want ? Outcome() : differs(fmt::format("{} instead of {}", got.dump(), want.dump()));
}

// Returns the classes and fields of all modifiers of a recipe. The order of fields does not matter.
static nlohmann::json modifiers_of(const std::string& text, const std::string& dialect) {
  auto modifiers = nlohmann::json::array();
  const auto answer = nlohmann::json::parse(run({"inspect", "-", "--format", "json", "--from", dialect}, text).out);
  for (const auto& recipe : answer["recipes"]) {
    for (const auto& each : recipe["modifiers"]) modifiers.push_back(each);
  }
  return modifiers;
}

static std::string written_difference(const std::string& dialect, const std::string& got, const std::string& want) {
  const bool config = dialect == "compressed-tensors";
  const auto mine = config ? nlohmann::json::parse(got).at("quantization_config") : modifiers_of(got, dialect);
  const auto theirs = config ? nlohmann::json::parse(want).at("quantization_config") : modifiers_of(want, dialect);
  return mine == theirs ? "" : nlohmann::json::diff(theirs, mine).dump();
}

static Outcome compare_conversion(const Case& test) {
  const Json& conversion = test.data["convert"];
  const std::string dialect = conversion["to"];
  Strings options{"--to", dialect};
  if (conversion.value("grade", "") == "with loss") options.emplace_back("--allow-loss");
  const Answer answer = run_on_recipe("convert", test, options);
  if (!conversion.contains("output")) return answer.status == 1 ? Outcome() : differs("a recipe is written");
  if (answer.status != 0) return differs(fmt::format("exit status {}", answer.status));
  const std::string want = golden::read_or_empty("recipes/" + conversion["output"].get<std::string>());
  return equal(written_difference(dialect, answer.out, want));
}

// ---- the outcome

static Outcome compare_outcome(const Case& test) {
  const Answer answer = run_on_recipe("match", test, {"--format", "json", "--all"});
  const Json report = parse(answer);
  std::map<std::string, std::string> got;
  for (const char* list : {"modules", "parameters"}) {
    for (const Json& each : report.value(list, Json::array()))
      got[each["name"]] = scheme_text(each.value("outcome", Json()));
  }
  const auto want = recorded_outcome(test.data["outcome"]);
  const bool all = test.data.value("options", Json::object()).empty();
  for (const auto& [name, scheme] : want) {
    const std::string own = got.contains(name) ? got[name] : "-";
    if (!is_recorded(own, scheme)) return differs(fmt::format("{} is {}, not {}", name, own, scheme));
  }
  for (const auto& [name, scheme] : got) {
    if (all && scheme != "-" && !want.contains(name)) return differs(fmt::format("{} is {}", name, scheme));
  }
  return {};
}

// ---- the table

static auto with(const char* field) {
  return [field](const Case& test) { return test.has(field); };
}

static auto accepted_with(const char* field) {
  return [field](const Case& test) { return test.accepted() && test.has(field); };
}

// A resumed run has no option in sparsecfg.
static bool has_timeline(const Case& test) { return test.has("timeline") && test.data.value("needs", "") != "options"; }

static bool is_precedence(const Case& test) { return test.has("match") && test.data["match"].contains("module"); }

static bool is_pattern(const Case& test) { return test.has("match") && !is_precedence(test); }

const std::vector<Check>& checks() {
  static const std::vector<Check> kChecks = {
      {"verdict", "verdict", with("verdict"), compare_verdict},
      {"detection", "detected dialect", with("verdict"), compare_detection},
      {"timeline", "timeline", has_timeline, compare_timeline},
      {"modifiers", "loaded modifiers", accepted_with("loaded"), compare_modifiers},
      {"schemes", "layers of each scheme", accepted_with("schemes"), compare_schemes},
      {"formats", "format of each module", accepted_with("formats"), compare_formats},
      {"selection", "selected modules", accepted_with("selects"), compare_selection},
      {"pattern", "modules of a pattern", is_pattern, compare_pattern},
      {"precedence", "order of patterns", is_precedence, compare_precedence},
      {"start", "start of quantization", has_start, compare_start},
      {"sparsities", "sparsity of each module", with("sparsities"), compare_sparsities},
      {"conversion", "conversion", with("convert"), compare_conversion},
      {"outcome", "scheme of each module", with("outcome"), compare_outcome},
  };
  return kChecks;
}

}  // namespace sparsecfg::truth
