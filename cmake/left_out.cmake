# Parts of the tests and the lab that are not built because something is not installed.
# Configuration does not fail: it reports what is left out, and ctest lists it among the tests that
# did not run.

# finegrain_left_out(result what [variable package]...)
# Sets `result` to whether `what` must be left out: one of the variables, which find_… has set, is
# false.
function(finegrain_left_out result what)
  set(missing)
  while(ARGN)
    list(POP_FRONT ARGN found package)
    if(NOT ${found})
      list(APPEND missing "${package}")
    endif()
  endwhile()
  if(missing)
    list(JOIN missing ", " missing)
    message(STATUS "left out: ${what}, for want of ${missing}")
    set_property(GLOBAL APPEND PROPERTY FINEGRAIN_LEFT_OUT "${what}, for want of ${missing}")
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Adds a disabled test for each.
function(finegrain_show_what_is_left_out)
  get_property(left_out GLOBAL PROPERTY FINEGRAIN_LEFT_OUT)
  foreach(what IN LISTS left_out)
    add_test(NAME "left out: ${what}" COMMAND "${CMAKE_COMMAND}" -E false)
    set_tests_properties("left out: ${what}" PROPERTIES DISABLED TRUE)
  endforeach()
endfunction()
