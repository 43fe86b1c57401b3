# Whether the committed reference pages are what the program prints.
#
#   cmake -D PROGRAM=<sparsecfg> -D SOURCES=<root of the project> -D SUBJECT=<topic> -P reference.cmake

cmake_minimum_required(VERSION 3.25)

function(compare committed form)
  execute_process(COMMAND ${PROGRAM} explain --format ${form} ${SUBJECT} OUTPUT_FILE reference.${SUBJECT}.${form}
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${committed} reference.${SUBJECT}.${form}
                  RESULT_VARIABLE differs)
  if(differs)
    message(FATAL_ERROR "${committed} is not what `sparsecfg explain --format ${form} ${SUBJECT}` prints.\n"
      "Refresh it: cmake --build <build folder> --target update-docs")
  endif()
endfunction()

compare(${SOURCES}/docs/${SUBJECT}.md markdown)
compare(${SOURCES}/man/sparsecfg-${SUBJECT}.7 man)
