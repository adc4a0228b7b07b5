# FINEGRAIN_NATIVE: code compiled here may use all features of this machine's processor. Headers
# that other projects include are compiled with those projects' flags.
include(CheckCXXCompilerFlag)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19)
  add_compile_options(-Wno-invalid-feature-combination)  # its own choice for processors with AVX10
endif()
foreach(flag -march=native -mcpu=native)
  string(MAKE_C_IDENTIFIER "finegrain_has${flag}" has_flag)
  check_cxx_compiler_flag(${flag} ${has_flag})
  if(${has_flag})
    add_compile_options(${flag})
    return()
  endif()
endforeach()
message(FATAL_ERROR "FINEGRAIN_NATIVE: ${CMAKE_CXX_COMPILER} takes neither -march=native nor -mcpu=native")
