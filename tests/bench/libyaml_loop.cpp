// The least that reading YAML files costs: libyaml's events, counted and dropped.
#include <yaml.h>

#include <cstdio>

static long count_events(std::FILE* file) {
  yaml_parser_t parser;
  yaml_parser_initialize(&parser);
  yaml_parser_set_input_file(&parser, file);
  long events = 0;
  bool more = true;
  while (more) {
    yaml_event_t event;
    more = yaml_parser_parse(&parser, &event) != 0 && event.type != YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
    ++events;
  }
  yaml_parser_delete(&parser);
  return events;
}

int main(int count, char** paths) {
  long events = 0;
  for (int at = 1; at < count; ++at) {
    if (std::FILE* file = std::fopen(paths[at], "rb")) {
      events += count_events(file);
      std::fclose(file);
    }
  }
  std::printf("%ld\n", events);
}
