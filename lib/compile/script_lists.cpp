#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "compile/list_calls.h"
#include "compile/places.h"
#include "dialect/dialects.h"
#include "dialect/objects.h"
#include "dialect/script_call.h"
#include "doc/readers.h"

namespace sparsecfg::places {

using script::Ref;
using source::Span;
using Name = source::Located<std::string>;

namespace {

Ref no_object(const script::Value&) { return nullptr; }

// Returns a document with lists by their names.
doc::Document document_of(dialect::ObjectWriter& writer, std::vector<doc::NodeId> names_and_lists, Span span) {
  doc::Document out = writer.take(writer.mapping(std::move(names_and_lists), span));
  out[out.root].tag = doc::kScriptTag;
  return out;
}

// Finds the configuration lists of a script: lists of entries that calls of the framework accept, as they are at that
// time, and other lists that are assigned to names, as they are at the end.
class ListFinder {
 public:
  ListFinder(const source::SourceFile& text, const script::Trace& trace, const dialect::Dialect& dialect,
             base::Budget& budget)
      : text_(text), dialect_(dialect), budget_(budget), calls_(trace, dialect) {}

  ScriptLists run(const script::Trace& trace) {
    for (const script::Assigned& each : trace.assigned) names_.emplace(each.value->identity(), each.name);
    for (const Ref& call : trace.objects) {
      const bool accepts = call->imported && is_inside(call->path, dialect_);
      if (const auto place = accepts ? script::place_of_recipe(*call) : std::nullopt) {
        add_passed(call->items[*place], {"config_list", call->span}, *call);
      }
    }
    for (const script::Assigned& each : trace.assigned) {
      if (!passed_.contains(each.value->identity())) add(each.value, each.name);
    }
    for (Lists& lists : versions_) {
      std::ranges::stable_sort(lists, {}, [](const auto& list) { return list.second->span; });
      out_.documents.push_back(write(lists));
    }
    if (versions_.empty() && out_.open.empty()) out_.open = std::move(possible_);
    return std::move(out_);
  }

 private:
  using Lists = std::vector<std::pair<Name, Ref>>;

  // A function of the framework that accepts a list returns it with more keys.
  void add_passed(const Ref& value, const Name& name, const script::Value& call) {
    if (value->kind == script::Value::Kind::object) {
      if (const auto place = script::place_of_recipe(*value)) add_passed(value->items[*place], name, call);
      return;
    }
    const std::vector<Ref> lists = alternatives(value);
    if (lists.size() == 1) calls_.add(*lists.front(), call);
    for (const Ref& list : lists) {
      const auto known = names_.find(list->identity());
      add(list, known == names_.end() ? name : known->second);
      add_entry(list, known == names_.end() ? name : known->second);
      passed_.insert(list->identity());
    }
  }

  void add(const Ref& list, const Name& name) {
    const bool unknown = list->kind == script::Value::Kind::unknown;
    if ((list->kind != script::Value::Kind::list && !unknown) || !budget_.spend(list->items.size())) return;
    add_if_claimed(list, entries_of(*list), name);
  }

  // Adds a single entry that a call gets in place of a list.
  void add_entry(const Ref& entry, const Name& name) {
    const bool single = entry->kind == script::Value::Kind::dictionary && !entry->open;
    if (!single || !budget_.spend(entry->items.size())) return;
    dialect::ObjectWriter writer(no_object, budget_);
    std::vector<doc::NodeId> named{writer.text("config_list", entry->span), writer.value(*entry)};
    const doc::Document document = document_of(writer, std::move(named), entry->span);
    if (dialect_.claims(document)) add_if_claimed(entry, document, name);
  }

  void add_if_claimed(const Ref& list, const doc::Document& entries, const Name& name) {
    const bool unknown = list->kind == script::Value::Kind::unknown;
    const bool is_new = seen_.emplace(list->identity(), fingerprint(entries)).second;
    if (!is_new) return;
    if (!dialect_.claims(entries)) {
      const script::Value* lost = entry_without_keys(*list);
      if (lost != nullptr) possible_.push_back({name, lost->text, lost->why});
    } else if (list->open || unknown) {
      out_.open.push_back({name, list->text, list->why});
    } else {
      add_version(list, name);
    }
  }

  // A list that changes between two calls belongs to two recipes.
  void add_version(const Ref& list, const Name& name) {
    const std::size_t version = numbers_[list->identity()]++;
    if (version >= versions_.size()) versions_.emplace_back();
    versions_[version].emplace_back(name, list);
  }

  // Returns an entry whose keys are all unknown, for example after unknown code has got the list; else null.
  static const script::Value* entry_without_keys(const script::Value& list) {
    const auto found = std::ranges::find_if(list.items, [](const Ref& item) {
      return item->kind == script::Value::Kind::dictionary && item->open && item->items.empty();
    });
    return found == list.items.end() ? nullptr : found->get();
  }

  // Returns the elements of a list, which are possible elements if it is open.
  doc::Document entries_of(const script::Value& list) {
    dialect::ObjectWriter writer(no_object, budget_);
    std::vector<doc::NodeId> items;
    const bool unknown = list.kind == script::Value::Kind::unknown;
    for (const Ref& item : unknown ? list.aliases : list.items) items.push_back(writer.value(*item));
    const doc::NodeId entries = writer.sequence(std::move(items), list.span);
    const doc::NodeId name = writer.text("config_list", list.span);
    return document_of(writer, {name, entries}, list.span);
  }

  // The second list of a name has the key `name:12`, with the line.
  doc::Document write(const Lists& lists) {
    dialect::ObjectWriter writer(no_object, budget_, doc::kTupleTag);
    std::set<std::string> used;
    std::vector<doc::NodeId> items;
    for (const auto& [name, list] : lists) {
      const std::string line = std::to_string(text_.position(name.span.begin).line);
      std::string key = used.insert(name.value).second ? name.value : name.value + ':' + line;
      items.push_back(writer.text(key, name.span));
      items.push_back(writer.value(*list));
      if (const auto calls = calls_.write(*list, writer)) {
        items.push_back(writer.text(key + std::string(dialect::kConstructorSuffix), name.span));
        items.push_back(*calls);
      }
    }
    return document_of(writer, std::move(items), {0, static_cast<std::uint32_t>(text_.text().size())});
  }

  const source::SourceFile& text_;
  const dialect::Dialect& dialect_;
  base::Budget& budget_;
  ListCalls calls_;
  std::map<const script::Value*, Name> names_;
  std::set<const script::Value*> passed_;                        // lists that calls accept
  std::set<std::pair<const script::Value*, std::string>> seen_;  // lists and their contents
  std::vector<Lists> versions_;                                  // the lists of each recipe
  std::map<const script::Value*, std::size_t> numbers_;          // of versions, by list
  std::vector<OpenList> possible_;                               // reported if no other list is found
  ScriptLists out_;
};

}  // namespace

ScriptLists find_lists(const source::SourceFile& text, const script::Trace& trace, const dialect::Dialect& dialect,
                       base::Budget& budget) {
  return ListFinder(text, trace, dialect, budget).run(trace);
}

// Removes the constructors that receive the lists, which are no lists.
static doc::Document without_constructors(doc::Document document) {
  std::vector<doc::NodeId> kept;
  const std::vector<doc::NodeId>& items = document[document.root].items;
  for (std::size_t at = 0; at + 1 < items.size(); at += 2) {
    if (document[items[at]].text.ends_with(dialect::kConstructorSuffix)) continue;
    kept.insert(kept.end(), {items[at], items[at + 1]});
  }
  document[document.root].items = std::move(kept);
  return document;
}

doc::Document lists_in(const source::SourceFile& file, const doc::Limits& limits) {
  const Span whole{0, static_cast<std::uint32_t>(file.text().size())};
  for (Place& place : find_in_code(file, Code{{}, {whole}, {}, {}, {}}, {}, limits).recipes) {
    if (place.form == "script") return without_constructors(*std::move(place.document));
  }
  base::Budget unused({});
  dialect::ObjectWriter writer(no_object, unused);
  return document_of(writer, {}, whole);
}

}  // namespace sparsecfg::places
