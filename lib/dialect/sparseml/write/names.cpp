#include "dialect/sparseml/write/write.h"

#include <algorithm>

#include "dialect/sparseml/write/print.h"
#include "ir/matching.h"

namespace sparsecfg::dialect::sparseml {

class Names {
 public:
  Names(const WriteOptions& options, diag::Sink& sink) : options_(options), sink_(sink) {}

  std::optional<std::vector<source::List>> of(const ir::Action& action, const ir::Prune& prune, ActionStatus& status) {
    using Kind = model::Term::Kind;
    std::vector<source::List> out;
    const bool named = std::ranges::all_of(prune.targets, [](const ir::Target& target) {
      return target.selector.over == model::Selector::Over::parameters &&
             std::ranges::all_of(target.selector.terms,
                                 [](const model::Term& term) { return term.kind == Kind::exact; });
    });
    if (named) {
      for (const ir::Target& target : prune.targets) {
        out.push_back(exact_names(target.selector));
      }
      return out;
    }
    if (auto written = as_written(prune)) {
      return written;
    }
    const auto& only = prune.targets.front().selector;
    if (prune.targets.size() == 1 && only.terms.size() == 1 && only.terms.front().kind == Kind::all) {
      out.push_back({word("__ALL__")});
      return out;
    }
    if (only.over == model::Selector::Over::modules) {
      return names_of_modules(action, prune, status);
    }
    if (options_.parameters != nullptr) {
      for (const auto& names : ir::parameters_of_targets(prune, *options_.parameters)) {
        out.push_back(list_of(names));
      }
      return out;
    }
    report_unknown_names(action, prune, status);
    return std::nullopt;
  }

 private:
  // Returns patterns and the token for all layers in SparseML syntax. Returns nullopt if there are other terms.
  static std::optional<std::vector<source::List>> as_written(const ir::Prune& prune) {
    using Kind = model::Term::Kind;
    std::vector<source::List> out(prune.targets.size());
    for (std::size_t target = 0; target < prune.targets.size(); ++target) {
      const model::Selector& selector = prune.targets[target].selector;
      for (const model::Term& term : selector.terms) {
        const bool known = term.kind == Kind::exact || term.kind == Kind::pattern || term.kind == Kind::all_prunable;
        const bool alone = term.kind != Kind::all_prunable || selector.terms.size() == 1;
        if (!known || !alone || selector.over != model::Selector::Over::parameters || !selector.excluded.empty()) {
          return std::nullopt;
        }
        out[target].push_back(word(term.kind == Kind::pattern ? "re:" + term.text : term.text));
      }
    }
    return out;
  }

  // Removes the prefix of a model wrapped for several devices, which SparseML never sees.
  std::string plain_name(const std::string& name) const {
    const auto* model = options_.parameters;
    const bool kept = model != nullptr && model->knows(name);
    return !kept && name.starts_with(kParallel) ? name.substr(kParallel.size()) : name;
  }

  bool is_known(const std::string& name) const {
    return options_.parameters == nullptr || options_.parameters->knows(name);
  }

  static source::List list_of(const std::vector<std::string>& names) {
    source::List list;
    for (const std::string& name : names) {
      list.push_back(word(name));
    }
    return list;
  }

  source::List exact_names(const model::Selector& selector) const {
    std::vector<std::string> names;
    for (const model::Term& term : selector.terms) {
      const std::string name = plain_name(term.text);
      if (is_known(name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return list_of(names);
  }

  void report_unknown_names(const ir::Action& action, const ir::Prune& prune, ActionStatus& status) {
    status.kind = ActionStatus::Kind::dropped;
    const bool levels = std::holds_alternative<ir::Constant>(prune.curve) &&
                        prune.targets.front().selector.terms.front().kind != model::Term::Kind::part;
    status.reason = levels ? "SparseML requires the names of the remaining parameters"
                           : "it selects every name contained in a string";
    if (levels) {
      dialect::report(status, sink_, diag::first_match_order_lost, action.origin.span, "*", status.reason);
    } else {
      dialect::report(status, sink_, diag::model_needed, action.origin.span, action.origin.class_name, status.reason);
    }
  }

  // Returns selectors of the module weights. Patterns over modules become patterns over their weights.
  std::optional<std::vector<source::List>> names_of_modules(const ir::Action& action, const ir::Prune& prune,
                                                            ActionStatus& status) {
    std::vector<source::List> out;
    for (const ir::Target& target : prune.targets) {
      source::List list;
      bool complete = target.selector.excluded.empty() && !target.selector.terms.empty();
      for (const model::Term& term : target.selector.terms) {
        if (term.kind == model::Term::Kind::exact) {
          if (is_known(term.text + ".weight")) list.push_back(word(term.text + ".weight"));
        } else if (term.kind == model::Term::Kind::pattern) {
          list.push_back(word("re:" + anchored(term.text)));
          dialect::report(status, sink_, diag::regex_anchoring_changed, term.span, term.text, "modules",
                          "re:" + anchored(term.text));
          status.kind = ActionStatus::Kind::approximated;
          status.reason = "a pattern over modules becomes a pattern over parameters";
        } else {
          complete = false;
        }
      }
      if (!complete) {
        status.kind = ActionStatus::Kind::dropped;
        status.reason = "module types and exclusions require `--modules`";
        dialect::report(status, sink_, diag::model_needed, action.origin.span, action.origin.class_name, status.reason);
        return std::nullopt;
      }
      out.push_back(std::move(list));
    }
    return out;
  }

  static std::string anchored(std::string pattern) {
    const bool closed = pattern.ends_with('$') && !pattern.ends_with("\\$");
    if (closed) {
      pattern.pop_back();
    }
    return "(?:" + pattern + ")" + (closed ? "" : ".*") + "\\.weight$";
  }

  const WriteOptions& options_;
  diag::Sink& sink_;
};

std::optional<std::vector<source::List>> names_of_targets(const ir::Action& action, const ir::Prune& prune,
                                                          const WriteOptions& options, ActionStatus& status,
                                                          diag::Sink& sink) {
  return Names(options, sink).of(action, prune, status);
}

}  // namespace sparsecfg::dialect::sparseml
