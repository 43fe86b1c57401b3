#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/edit_distance.h"
#include "base/number.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/reading.h"
#include "diag/render_text.h"
#include "ir/claims.h"

namespace sparsecfg::cmd {

using ir::Claim;
using ir::Selector;
using Json = nlohmann::ordered_json;

static std::string name_of_action(const ir::Action& action) { return fmt::format("{}#{}", action.origin.class_name, action.origin.ordinal); }

static std::string name_of_term(const ir::Term& term) {
  return (term.kind == ir::Term::Kind::pattern ? "re:" : "") + base::printable(term.text);
}

// The names of a model of one kind, and who claims them.
struct Names {
  std::string_view kind;  // "parameters"
  std::vector<std::string> names;
  std::vector<std::vector<Claim>> claims;
};

static Names make_names(std::string_view kind, std::vector<std::string> names, const ir::Recipe& recipe, Selector::Over over) {
  Names out{kind, std::move(names), {}};
  out.claims = ir::claims_on(recipe, out.names, over);
  return out;
}

class Matcher {
 public:
  Matcher(const ir::Recipe& recipe, std::vector<Names> all) : recipe_(recipe), all_(std::move(all)) {}

  void print(std::ostream& out) const {
    for (const Names& names : all_) {
      fmt::print(out, "selectors\n");
      each_selector(names, [&](const ir::Action& action, const Selector& selector, std::size_t at, std::size_t index) {
        fmt::print(out, "  {}{}\n", name_of_action(action), target_of(action, at));
        for (const ir::Term& term : selector.terms) {
          fmt::print(out, "    {:<40} {}\n", name_of_term(term), shown(taken(names, index, at, term)));
        }
      });
      fmt::print(out, "{}\n", names.kind);
      for (std::size_t at = 0; at < names.names.size(); ++at) {
        print_name(out, names, at);
      }
    }
  }

  [[nodiscard]] std::string json() const {
    Json out = {{"format", 1}, {"selectors", Json::array()}};
    for (const Names& names : all_) {
      each_selector(names, [&](const ir::Action& action, const Selector& selector, std::size_t at, std::size_t index) {
        for (const ir::Term& term : selector.terms) {
          out["selectors"].push_back({{"action", name_of_action(action)}, {"selector", at}, {"term", name_of_term(term)}, {"takes", taken(names, index, at, term)}});
        }
      });
      Json list = Json::array();
      for (std::size_t at = 0; at < names.names.size(); ++at) {
        Json claims = Json::array();
        for (const Claim& claim : names.claims[at]) {
          claims.push_back({{"action", name_of_action(recipe_.actions[claim.action])}, {"selector", claim.selector},
                            {"term", name_of_term(*claim.term)}, {"decides", claim.decides}});
        }
        list.push_back({{"name", names.names[at]}, {"claims", claims}});
      }
      out[std::string(names.kind)] = list;
    }
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  // Every selector and what it says of one name; false where the model has no such name.
  [[nodiscard]] bool explain(const std::string& name, std::ostream& out) const {
    for (const Names& names : all_) {
      const auto found = std::ranges::find(names.names, name);
      if (found == names.names.end()) {
        continue;
      }
      const auto place = static_cast<std::size_t>(found - names.names.begin());
      fmt::print(out, "{}\n", base::printable(name));
      each_selector(names, [&](const ir::Action& action, const Selector&, std::size_t at, std::size_t index) {
        const auto claim = std::ranges::find_if(names.claims[place], [&](const Claim& each) { return each.action == index && each.selector == at; });
        fmt::print(out, "  {}{}: {}\n", name_of_action(action), target_of(action, at),
                   claim == names.claims[place].end() ? "does not take it"
                   : claim->decides                   ? fmt::format("takes it by `{}`", name_of_term(*claim->term))
                                                      : fmt::format("would take it by `{}`, but an earlier target has it", name_of_term(*claim->term)));
      });
      return true;
    }
    return false;
  }

  [[nodiscard]] std::optional<std::string> nearest(const std::string& name) const {
    for (const Names& names : all_) {
      const std::vector<std::string_view> known(names.names.begin(), names.names.end());
      if (const auto guess = base::nearest(name, known)) return std::string(*guess);
    }
    return std::nullopt;
  }

 private:
  void each_selector(const Names& names, auto visit) const {
    for (std::size_t index = 0; index < recipe_.actions.size(); ++index) {
      const auto selectors = ir::selectors_of(recipe_.actions[index].effect);
      for (std::size_t at = 0; at < selectors.size(); ++at) {
        if ((selectors[at]->over == Selector::Over::parameters) == (names.kind == "parameters")) {
          visit(recipe_.actions[index], *selectors[at], at, index);
        }
      }
    }
  }

  static std::string target_of(const ir::Action& action, std::size_t at) {
    const auto* prune = std::get_if<ir::Prune>(&action.effect);
    return prune == nullptr || prune->targets.size() < 2 ? "" : fmt::format("[{}]", base::python_repr(prune->targets[at].sparsity.value));
  }

  std::vector<std::string> taken(const Names& names, std::size_t action, std::size_t selector, const ir::Term& term) const {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < names.names.size(); ++at) {
      const bool takes = std::ranges::any_of(names.claims[at], [&](const Claim& claim) {
        return claim.action == action && claim.selector == selector && claim.term == &term;
      });
      if (takes) out.push_back(names.names[at]);
    }
    return out;
  }

  static std::string shown(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 3;
    if (names.empty()) {
      return "nothing";
    }
    std::string text = fmt::format("{}: ", names.size());
    for (std::size_t at = 0; at < std::min(names.size(), kMost); ++at) {
      text += (at > 0 ? ", " : "") + base::printable(names[at]);
    }
    return text + (names.size() > kMost ? ", ..." : "");
  }

  void print_name(std::ostream& out, const Names& names, std::size_t at) const {
    std::vector<std::string> deciding;
    std::vector<std::string> lost;
    for (const Claim& claim : names.claims[at]) {
      const ir::Action& action = recipe_.actions[claim.action];
      (claim.decides ? deciding : lost).push_back(name_of_action(action) + target_of(action, claim.selector));
    }
    std::string line = deciding.empty() ? "-" : base::join_and(deciding);
    line += lost.empty() ? "" : "; not " + base::join_and(lost);
    fmt::print(out, "  {:<42} {}\n", base::printable(names.names[at]), line);
  }

  const ir::Recipe& recipe_;
  std::vector<Names> all_;
};

static std::vector<Names> names_of(const Prepared& prepared, const ir::Recipe& recipe) {
  std::vector<Names> all;
  if (prepared.parameters != nullptr) {
    all.push_back(make_names("parameters", *prepared.parameters, recipe, Selector::Over::parameters));
  }
  if (prepared.compile.read.modules != nullptr) {
    std::vector<std::string> names;
    for (const source::Module& module : *prepared.compile.read.modules) names.push_back(module.name);
    all.push_back(make_names("modules", std::move(names), recipe, Selector::Over::modules));
  }
  return all;
}

int match(const MatchOptions& options, const Streams& streams) {
  auto prepared = prepare(options.reading, streams.err);
  if (!prepared) {
    return kUsage;
  }
  if (prepared->parameters == nullptr && prepared->compile.read.modules == nullptr) {
    complain(streams.err, "match", "--params or --modules says which names the model has");
    return kUsage;
  }
  auto compiled = compile_file(options.path, options.reading, prepared->compile, streams);
  if (!compiled) {
    return kUsage;
  }
  Compilation& result = *compiled;
  std::erase_if(result.diagnostics, [](const diag::Diagnostic& diagnostic) { return diagnostic.severity == diag::Severity::info; });
  streams.err << diag::render_text(*result.file, result.diagnostics, {streams.color, streams.columns});
  if (!result.recipe || !std::ranges::all_of(result.recipe->actions, &ir::Action::sound)) {
    return kErrors;
  }
  const Matcher matcher(*result.recipe, names_of(*prepared, *result.recipe));
  if (options.format == Format::json) {
    streams.out << matcher.json();
  } else if (options.name.empty()) {
    matcher.print(streams.out);
  } else if (!matcher.explain(options.name, streams.out)) {
    const auto guess = matcher.nearest(options.name);
    complain(streams.err, options.name, guess ? fmt::format("no such name; did you mean {}?", *guess) : "the model has no such name");
    return kUsage;
  }
  return result.count(diag::Severity::error) > 0 ? kErrors : kClean;
}

}  // namespace sparsecfg::cmd
