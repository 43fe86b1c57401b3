#include <fmt/format.h>

#include "base/text.h"
#include "diag/rule.h"
#include "dialect/llmcompressor/entries.h"
#include "dialect/llmcompressor/model.h"
#include "dialect/llmcompressor/rules/rules.h"

namespace sparsecfg::dialect::llmcompressor {

// A list replaces the whole value; in a list it would become a list in a list.
static diag::Fix fix_of(const Entry& entry, const EntryMeant& meant, bool single) {
  if (!is_joined_list(entry.text)) return diag::Fix::unsafe().content(entry.span, meant.text);
  return single ? diag::Fix::unsafe().replace(entry.span, meant.text) : diag::Fix();
}

// A list in a list needs no brackets.
static std::string help_of(const Entry& entry, const EntryMeant& meant, bool single) {
  const std::string text = meant.text;
  return is_joined_list(entry.text) && !single
             ? fmt::format("write `{}` without quotes", std::string_view(text).substr(1, text.size() - 2))
             : fmt::format("write `{}`", text);
}

static bool is_string(const source::Value* value) { return value != nullptr && value->get<std::string>() != nullptr; }

static void check_target_entry(const Reading& reading, const Entry& entry, bool single) {
  if (const auto meant = meant_by(entry.text)) {
    reading.sink.report(diag::target_takes_no_linear, entry.span, entry.text, meant->reason)
        .with_severity(meant->certain ? diag::Severity::error : diag::Severity::warning)
        .with_help(help_of(entry, *meant, single))
        .with_fix(fix_of(entry, *meant, single));
  }
}

// Blanks in names are reported for every dialect.
static void check_ignored_entry(const Reading& reading, const Entry& entry) {
  const auto meant = base::trim(entry.text) == entry.text ? meant_by(entry.text) : std::nullopt;
  if (meant) {
    reading.sink.report(diag::ignore_prefix, entry.span, entry.text, meant->text)
        .with_help(help_of(entry, *meant, false))
        .with_fix(fix_of(entry, *meant, false));
  }
}

void check_entries_without_model(const Reading& reading, const Modifier& modifier) {
  if (!quantizes(modifier) && !prunes_layers(modifier)) {
    return;
  }
  const bool single = is_string(modifier.given("targets"));
  const bool reported = prunes_layers(modifier) && single;  // pruners need a list (LC301)
  if (modifier.find("targets") != nullptr && !reported) {
    for (const Entry& entry : entries_of(modifier, "targets")) check_target_entry(reading, entry, single);
  }
  if (quantizes(modifier) && modifier.given("config_groups") != nullptr) {
    for (const Group& group : groups_of(modifier)) {
      for (const Entry& entry : group.targets) check_target_entry(reading, entry, false);
    }
  }
  if (modifier.find("ignore") != nullptr) {
    for (const Entry& entry : entries_of(modifier, "ignore")) check_ignored_entry(reading, entry);
  }
}

}  // namespace sparsecfg::dialect::llmcompressor
