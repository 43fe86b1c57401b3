#include "doc/event_reader.h"

#include <yaml.h>

#include <new>

namespace sparsecfg::doc {

struct EventReader::Libyaml {
  explicit Libyaml(InputBuffer& text) : feed(text) {
    if (yaml_parser_initialize(&parser) == 0) {
      throw std::bad_alloc();
    }
    const std::string_view fed = feed.text();
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(fed.data()), fed.size());
  }

  Libyaml(const Libyaml&) = delete;
  Libyaml& operator=(const Libyaml&) = delete;

  ~Libyaml() {
    yaml_event_delete(&event);
    yaml_parser_delete(&parser);
  }

  InputBuffer& feed;
  yaml_parser_t parser{};
  yaml_event_t event{};
};

EventReader::EventReader(InputBuffer& feed) : libyaml_(std::make_unique<Libyaml>(feed)) {}

EventReader::~EventReader() = default;

static std::string_view view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view{} : std::string_view(reinterpret_cast<const char*>(text));
}

static std::string_view view(const char* text) { return text == nullptr ? std::string_view{} : std::string_view(text); }

static Style style_of(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE: return Style::single_quoted;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE: return Style::double_quoted;
    case YAML_LITERAL_SCALAR_STYLE: return Style::literal;
    case YAML_FOLDED_SCALAR_STYLE: return Style::folded;
    case YAML_ANY_SCALAR_STYLE:
    case YAML_PLAIN_SCALAR_STYLE: break;
  }
  return Style::plain;
}

static void fill_scalar(const yaml_event_t& from, Event& event) {
  const auto& scalar = from.data.scalar;
  event.kind = EventKind::scalar;
  event.style = style_of(scalar.style);
  event.value = {reinterpret_cast<const char*>(scalar.value), scalar.length};
  event.tag = view(scalar.tag);
  event.anchor = view(scalar.anchor);
}

static void fill_sequence(const yaml_event_t& from, Event& event) {
  const auto& sequence = from.data.sequence_start;
  event.kind = EventKind::sequence_start;
  event.style = sequence.style == YAML_FLOW_SEQUENCE_STYLE ? Style::flow : Style::block;
  event.tag = view(sequence.tag);
  event.anchor = view(sequence.anchor);
}

static void fill_mapping(const yaml_event_t& from, Event& event) {
  const auto& mapping = from.data.mapping_start;
  event.kind = EventKind::mapping_start;
  event.style = mapping.style == YAML_FLOW_MAPPING_STYLE ? Style::flow : Style::block;
  event.tag = view(mapping.tag);
  event.anchor = view(mapping.anchor);
}

static void fill(const yaml_event_t& from, Event& event) {
  switch (from.type) {
    case YAML_DOCUMENT_START_EVENT:
      event.kind = EventKind::document_start;
      event.implicit = from.data.document_start.implicit != 0;
      break;
    case YAML_DOCUMENT_END_EVENT: event.kind = EventKind::document_end; break;
    case YAML_ALIAS_EVENT:
      event.kind = EventKind::alias;
      event.value = view(from.data.alias.anchor);
      break;
    case YAML_SCALAR_EVENT: fill_scalar(from, event); break;
    case YAML_SEQUENCE_START_EVENT: fill_sequence(from, event); break;
    case YAML_SEQUENCE_END_EVENT: event.kind = EventKind::sequence_end; break;
    case YAML_MAPPING_START_EVENT: fill_mapping(from, event); break;
    case YAML_MAPPING_END_EVENT: event.kind = EventKind::mapping_end; break;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT: break;
  }
}

std::optional<Event> EventReader::next() {
  yaml_event_t& from = libyaml_->event;
  do {
    yaml_event_delete(&from);
    if (yaml_parser_parse(&libyaml_->parser, &from) == 0) {
      return std::nullopt;
    }
  } while (from.type == YAML_STREAM_START_EVENT);
  Event event;
  event.span.begin = libyaml_->feed.offset(from.start_mark.index);
  event.span.end = libyaml_->feed.offset(from.end_mark.index);
  fill(from, event);
  return event;
}

Problem EventReader::problem() const {
  const yaml_parser_t& parser = libyaml_->parser;
  Problem problem;
  problem.what = view(parser.problem);
  problem.context = view(parser.context);
  problem.at = libyaml_->feed.offset(parser.problem_mark.index);
  problem.context_at = libyaml_->feed.offset(parser.context_mark.index);
  problem.indent = parser.indent;
  problem.flow_depth = parser.flow_level;
  return problem;
}

}  // namespace sparsecfg::doc
