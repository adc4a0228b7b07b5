# finegrain_plain_c(target): strict C99, compiled and linked by the C compiler alone. Under a
# sanitizer the C++ compiler links, because it knows the sanitizer's runtime. Our presets make
# warnings errors; other compilers may warn where ours do not.
function(finegrain_plain_c target)
  set_target_properties(${target} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4)
  else()
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion)
  endif()
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
endfunction()
