# The warnings that our own targets are built with: link `finegrain_warnings` privately. Our presets make
# them errors; somebody else's compiler may see what ours do not.
add_library(finegrain_warnings INTERFACE)
target_compile_options(
  finegrain_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                               -Wnon-virtual-dtor -Wold-style-cast)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # It suspects `"text" + std::string` (GCC's bug 105651).
  target_compile_options(finegrain_warnings INTERFACE -Wno-restrict)
endif()
