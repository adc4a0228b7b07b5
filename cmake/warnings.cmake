# The warnings that our own targets are built with, as errors: link `finegrain_warnings` privately.
add_library(finegrain_warnings INTERFACE)
target_compile_options(
  finegrain_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                               -Wnon-virtual-dtor -Wold-style-cast -Werror)
