# Whether the committed schema is what the program prints.
#
#   cmake -D PROGRAM=<sparsecfg> -D SOURCES=<root of the project> -P schema.cmake

cmake_minimum_required(VERSION 3.25)

set(committed ${SOURCES}/schemas/sparseml.schema.json)
execute_process(COMMAND ${PROGRAM} schema sparseml OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(EXISTS ${committed})
  file(READ ${committed} text)
endif()
if(NOT text STREQUAL printed)
  message(FATAL_ERROR "${committed} is not what `sparsecfg schema sparseml` prints.\n"
    "Refresh it: cmake --build <build folder> --target update-docs")
endif()
