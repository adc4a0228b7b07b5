# Compiles through ccache if it is installed, unless there is a launcher. -DFINEGRAIN_CCACHE=OFF does
# without.
find_program(FINEGRAIN_CCACHE NAMES ccache DOC "Compiler cache")
mark_as_advanced(FINEGRAIN_CCACHE)
foreach(language C CXX)
  if(FINEGRAIN_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${FINEGRAIN_CCACHE}")
  endif()
endforeach()
