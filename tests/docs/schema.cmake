# Whether the committed schema is what the program prints.
#
#   cmake -D PROGRAM=<sparsecfg> -D SOURCES=<root of the project> -D DIALECT=<name> -P schema.cmake

cmake_minimum_required(VERSION 3.25)

set(committed ${SOURCES}/schemas/${DIALECT}.schema.json)
execute_process(COMMAND ${PROGRAM} schema ${DIALECT} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(EXISTS ${committed})
  file(READ ${committed} text)
endif()
if(NOT text STREQUAL printed)
  message(FATAL_ERROR "${committed} is not what `sparsecfg schema ${DIALECT}` prints.\n"
    "Refresh it: cmake --build <build folder> --target update-docs")
endif()
