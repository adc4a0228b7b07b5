# What of the tests does not run on Windows, under Wine, and why: ctest lists each among the tests that
# did not run. Tests that skip themselves say why where they run.

# finegrain_left_to_others(reason what...)
macro(finegrain_left_to_others reason)
  foreach(what ${ARGN})
    set_property(GLOBAL APPEND PROPERTY FINEGRAIN_LEFT_OUT "${what}, for want of ${reason}")
  endforeach()
endmacro()

# Sources of finegrain_test, as they are named there.
macro(finegrain_sources_left_out reason)
  list(APPEND sources_not_here ${ARGN})
  finegrain_left_to_others("${reason}" ${ARGN})
endmacro()

# Patterns of GoogleTest's filter.
macro(finegrain_tests_left_out reason)
  list(APPEND not_here ${ARGN})
  finegrain_left_to_others("${reason}" ${ARGN})
endmacro()

finegrain_sources_left_out("fork()" relic/relic_process_test.cpp)
finegrain_sources_left_out("/proc, which tells whether a thread sleeps" relic/relic_assistant_test.cpp)
finegrain_sources_left_out("POSIX's scheduling classes (windows_test has Windows's)" relic/scheduling_test.cpp)
finegrain_tests_left_out("an asymmetric fence, which Wine 8.0 has not"
                         private_deques_with_deputies.every_push_looks_for_sleepers_while_there_are_some
                         deputised_deque.push_that_looks_pushes_in_any_case*)
finegrain_tests_left_out("a std::clock of CPU time" pool.sleeps_when_idle_if_its_wait_policy_does)
finegrain_tests_left_out("stacks smaller than the program's" stack_bounds.are_those_that_a_thread_was_made_with)

# As on Linux: tests nest tasks as deep as that allows.
add_link_options(LINKER:--stack,8388608)
