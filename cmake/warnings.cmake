# The warnings for our own targets: link `finegrain_warnings` privately. Our presets make them
# errors; other compilers may warn where ours do not.
add_library(finegrain_warnings INTERFACE)
if(MSVC)
  target_compile_options(finegrain_warnings INTERFACE /W4)
else()
  target_compile_options(
    finegrain_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                                 -Wnon-virtual-dtor -Wold-style-cast)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False positive for `"text" + std::string` (GCC bug 105651).
  target_compile_options(finegrain_warnings INTERFACE -Wno-restrict)
endif()
