# foreign_executable(NAME name COMPILER path SOURCE file [FLAGS ...] [INCLUDES ...] [SYSTEM_INCLUDES ...]
#                    [LIBRARIES targets or link options ...])
#
# An executable whose source is compiled and linked by another compiler than the project's: CMake
# knows one C++ compiler a project, and the lab compares runtimes that belong to two. Static library
# targets among LIBRARIES are linked as files; all compilers here share the C++ ABI of libstdc++.
function(foreign_executable)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;COMPILER;SOURCE"
                        "FLAGS;INCLUDES;SYSTEM_INCLUDES;LIBRARIES")
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.o")
  set(executable "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}")
  list(TRANSFORM arg_INCLUDES PREPEND "-I")
  list(TRANSFORM arg_SYSTEM_INCLUDES PREPEND "-isystem")

  set(inputs)
  set(depends)
  foreach(library IN LISTS arg_LIBRARIES)
    if(TARGET ${library})
      list(APPEND inputs "$<TARGET_FILE:${library}>")
      list(APPEND depends ${library})
    else()
      list(APPEND inputs "${library}")
    endif()
  endforeach()

  add_custom_command(
    OUTPUT "${object}"
    COMMAND "${arg_COMPILER}" -std=c++20 ${arg_FLAGS} ${arg_INCLUDES} ${arg_SYSTEM_INCLUDES} -MD -MF
            "${object}.d" -c "${arg_SOURCE}" -o "${object}"
    DEPENDS "${arg_SOURCE}"
    DEPFILE "${object}.d"
    COMMENT "Building ${arg_NAME} with ${arg_COMPILER}"
    VERBATIM)
  add_custom_command(
    OUTPUT "${executable}"
    COMMAND "${arg_COMPILER}" ${arg_FLAGS} "${object}" ${inputs} -o "${executable}"
    DEPENDS "${object}" ${depends}
    COMMENT "Linking ${arg_NAME}"
    VERBATIM)
  add_custom_target(build_${arg_NAME} ALL DEPENDS "${executable}")
endfunction()
