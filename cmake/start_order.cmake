# Places the functions that every run needs next to each other at the start of a static executable. The system maps files on
# demand in blocks of 64 KiB, and the functions for one recipe would otherwise touch most of the hundred blocks. The target
# `update-start-order` generates `start_order.ld`. Names in it that do not exist are harmless. Linkers other than GNU ld and
# lld do not use it.
include(CheckLinkerFlag)

function(link_in_start_order target)
  set(script ${PROJECT_SOURCE_DIR}/cmake/start_order.ld)
  check_linker_flag(CXX "-static;-Wl,-T,${script}" SPARSECFG_LINKS_IN_START_ORDER)
  if(SPARSECFG_LINKS_IN_START_ORDER)
    target_link_options(${target} PRIVATE "-Wl,-T,${script}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
  endif()
endfunction()
