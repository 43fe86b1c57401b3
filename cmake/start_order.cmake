# What every run needs stands together at the begin of a static executable: the system maps a file in pieces of 64 KiB when
# they are touched, and what one recipe needs would touch most of its hundred pieces. `start_order.ld` is made by the target
# `update-start-order`; what it names that is not there does no harm, and linkers other than GNU ld and lld do without.
include(CheckLinkerFlag)

function(link_in_start_order target)
  set(script ${PROJECT_SOURCE_DIR}/cmake/start_order.ld)
  check_linker_flag(CXX "-static;-Wl,-T,${script}" SPARSECFG_LINKS_IN_START_ORDER)
  if(SPARSECFG_LINKS_IN_START_ORDER)
    target_link_options(${target} PRIVATE "-Wl,-T,${script}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
  endif()
endfunction()
