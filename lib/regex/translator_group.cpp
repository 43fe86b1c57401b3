#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "regex/translator.h"

namespace sparsecfg::regex {

constexpr std::size_t kMaxDepth = 100;

// Accepts all non-ASCII characters, without checking Python's tables of letters.
static bool is_identifier(std::string_view name) {
  const auto starts = [](char c) { return base::is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; };
  const auto continues = [&](char c) { return starts(c) || base::is_digit(c); };
  return !name.empty() && starts(name.front()) && std::ranges::all_of(name, continues);
}

void Translator::group(Sequence& sequence) {
  const std::size_t open = scanner_.offset() - 1;
  if (depth_ == kMaxDepth) {
    return scanner_.fail(fmt::format("groups are nested more than {} levels deep", kMaxDepth), open);
  }
  ++depth_;
  if (scanner_.take_if("?")) {
    extension(sequence, open);
  } else {
    capture(sequence, open, {});
  }
  --depth_;
}

void Translator::extension(Sequence& sequence, std::size_t open) {
  const std::string_view token = scanner_.take();
  if (token == "P") {
    python_extension(sequence, open);
  } else if (token == ":" || token == ">") {
    enclosed(sequence, open, token == ":" ? "(?:" : "(?>", sequence.flags);
  } else if (token == "=" || token == "!") {
    look_around(sequence, open, token == "=" ? "(?=" : "(?!");
  } else if (token == "<") {
    look_behind(sequence, open);
  } else if (token == "(") {
    conditional(sequence, open);
  } else if (token == "#") {
    comment(open);
  } else if (begins_flag_change(token)) {
    change_flags(sequence, open, token);
  } else {
    unknown_extension(open);
  }
}

void Translator::unknown_extension(std::size_t open) {
  const std::string_view seen = scanner_.since(open);
  scanner_.fail(scanner_.at_end() ? fmt::format("the pattern ends after `{}`", seen)
                                  : fmt::format("unknown extension `{}`", seen),
                open);
}

void Translator::python_extension(Sequence& sequence, std::size_t open) {
  const std::string_view token = scanner_.take();
  const std::size_t begin = scanner_.offset();
  if (token == "<") {
    capture(sequence, open, scanner_.take_until(">", "group name"));
  } else if (token == "=") {
    const std::string_view name = scanner_.take_until(")", "group name");
    reference(sequence, group_called(name, begin), begin);
  } else {
    unknown_extension(open);
  }
}

void Translator::close(std::size_t open) {
  if (!scanner_.take_if(")")) {
    scanner_.fail("missing `)`", open);
  }
  out_ += ')';
}

void Translator::capture(Sequence& sequence, std::size_t open, std::string_view name) {
  const std::size_t number = groups_.size();
  if (!name.empty() && !is_identifier(name)) {
    return scanner_.fail(fmt::format("bad character in the group name `{}`", name), open);
  }
  if (!name.empty() && !names_.emplace(name, number).second) {
    return scanner_.fail(fmt::format("duplicate group name `{}`", name), open);
  }
  append(sequence, Item::Kind::unit, "(");
  groups_.emplace_back();
  finish(sequence, open, sequence.flags);
  groups_[number] = {true, sequence.last.width};
}

void Translator::enclosed(Sequence& sequence, std::size_t open, std::string_view opening, const Flags& flags) {
  append(sequence, Item::Kind::unit, opening);
  finish(sequence, open, flags);
}

void Translator::finish(Sequence& sequence, std::size_t open, const Flags& flags) {
  sequence.last.width = alternatives(flags, false);
  close(open);
}

void Translator::look_around(Sequence& sequence, std::size_t open, std::string_view opening) {
  enclosed(sequence, open, opening, sequence.flags);
  sequence.last.width = {};
}

void Translator::look_behind(Sequence& sequence, std::size_t open) {
  const std::string_view token = scanner_.take();
  if (token != "=" && token != "!") {
    return unknown_extension(open);
  }
  const std::optional<std::size_t> outer = groups_before_look_behind_;
  groups_before_look_behind_ = outer.value_or(groups_.size());
  enclosed(sequence, open, token == "=" ? "(?<=" : "(?<!", sequence.flags);
  groups_before_look_behind_ = outer;
  if (sequence.last.width.min != sequence.last.width.max) {
    scanner_.fail("look-behind requires a fixed width", open);
  }
  sequence.last.width = {};
}

// Within a look-behind, Python accepts only references to groups that were complete before it.
void Translator::check_look_behind(std::size_t number, std::size_t offset) {
  if (groups_before_look_behind_ && (number >= *groups_before_look_behind_ || !groups_[number].closed)) {
    scanner_.fail("a look-behind can't reference an open group or a group that it contains", offset);
  }
}

std::size_t Translator::group_called(std::string_view name, std::size_t offset) {
  const auto found = names_.find(name);
  if (found == names_.end()) {
    scanner_.fail(fmt::format("undefined group `{}`", name), offset);
    return 0;
  }
  return found->second;
}

// Python also accepts a number here and checks only at the end whether that group exists.
std::size_t Translator::condition_group(std::string_view name, std::size_t offset) {
  if (!name.empty() && !base::is_digit(name.front())) {
    return group_called(name, offset);
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (number == 0 || error != std::errc() || end != name.data() + name.size()) {
    scanner_.fail(fmt::format("bad group number `{}`", name), offset);
  }
  conditions_.emplace_back(number, offset);
  return number;
}

void Translator::conditional(Sequence& sequence, std::size_t open) {
  const std::size_t begin = scanner_.offset();
  const std::size_t number = condition_group(scanner_.take_until(")", "group name"), begin);
  check_look_behind(number, begin);
  append(sequence, Item::Kind::unit, fmt::format("(?({})", number));
  Flags flags = sequence.flags;
  const Width yes = this->sequence(flags, false);
  Width no;
  if (scanner_.take_if("|")) {
    out_ += '|';
    no = this->sequence(flags, false);
  }
  if (!scanner_.at_end() && scanner_.peek() == "|") {
    scanner_.fail("the condition has more than two branches", open);
  }
  close(open);
  sequence.last.width = {std::min(yes.min, no.min), std::max(yes.max, no.max)};
}

void Translator::comment(std::size_t open) {
  while (!scanner_.at_end() && scanner_.peek() != ")") {
    scanner_.take();
  }
  if (!scanner_.take_if(")")) {
    scanner_.fail("missing `)` after the comment", open);
  }
}

void Translator::change_flags(Sequence& sequence, std::size_t open, std::string_view first) {
  const std::optional<FlagChange> change = read_flag_change(scanner_, first);
  if (change && change->global) {
    set_global_flags(sequence, open, *change);
  } else if (change) {
    const Flags flags = changed(sequence.flags, *change);
    enclosed(sequence, open, fmt::format("(?{}:", pcre2_flags(flags)), flags);
  }
}

void Translator::set_global_flags(Sequence& sequence, std::size_t open, const FlagChange& change) {
  if (!sequence.may_set_flags || sequence.last.kind != Item::Kind::none) {
    return scanner_.fail("global flags are allowed only at the start of the pattern", open);
  }
  global_types_ += change.on;
  if (global_types_.find('a') != std::string::npos && global_types_.find('u') != std::string::npos) {
    return scanner_.fail("the flags `a` and `u` can't be combined", open);
  }
  sequence.flags = changed(sequence.flags, change);
  out_ += fmt::format("(?{})", pcre2_flags(sequence.flags));
}

void Translator::reference(Sequence& sequence, std::size_t number, std::size_t offset) {
  if (number >= groups_.size()) {
    return scanner_.fail(fmt::format("group {} is not defined before this position", number), offset);
  }
  if (!groups_[number].closed) {
    return scanner_.fail("a group can't reference itself", offset);
  }
  check_look_behind(number, offset);
  const bool fold = sequence.flags.ascii && sequence.flags.ignore_case;
  append(sequence, Item::Kind::unit, fmt::format("(?{}:\\g{{{}}})", fold ? "i" : "", number));
  sequence.last.width = groups_[number].width;
}

}  // namespace sparsecfg::regex
