# foreign_executable(NAME name COMPILER path SOURCES files [FLAGS ...] [COMPILE_FLAGS ...]
#                    [INCLUDES ...] [SYSTEM_INCLUDES ...] [LIBRARIES targets or link options ...]
#                    [GENERATED files])
#
# FLAGS are for compiling and linking. GENERATED files are included by the sources.
#
# An executable whose sources are compiled and linked by another compiler than the project's: CMake
# has one C++ compiler per project, and the lab compares runtimes that belong to two. Static library
# targets among LIBRARIES are linked as files; all compilers here share the C++ ABI of libstdc++.
function(foreign_executable)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;COMPILER"
                        "SOURCES;FLAGS;COMPILE_FLAGS;INCLUDES;SYSTEM_INCLUDES;LIBRARIES;GENERATED")
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
      if(IS_ABSOLUTE "${library}")  # found there at run time, too
        cmake_path(GET library PARENT_PATH where)
        list(APPEND inputs "-Wl,-rpath,${where}")
      endif()
    endif()
  endforeach()

  set(objects)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(GET source STEM stem)
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.${stem}.o")
    add_custom_command(
      OUTPUT "${object}"
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} "${arg_COMPILER}" -std=c++20 ${arg_FLAGS} ${arg_COMPILE_FLAGS} ${arg_INCLUDES}
              ${arg_SYSTEM_INCLUDES} -MD "-MF${object}.d" -c "${source}" -o "${object}"
      DEPENDS "${source}" ${arg_GENERATED}
      DEPFILE "${object}.d"
      COMMENT "Building ${stem} of ${arg_NAME} with ${arg_COMPILER}"
      VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  add_custom_command(
    OUTPUT "${executable}"
    COMMAND "${arg_COMPILER}" ${arg_FLAGS} ${objects} ${inputs} -o "${executable}"
    DEPENDS ${objects} ${depends}
    COMMENT "Linking ${arg_NAME}"
    VERBATIM)
  add_custom_target(build_${arg_NAME} ALL DEPENDS "${executable}")
endfunction()
