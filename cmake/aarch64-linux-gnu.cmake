set(processor aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/emulated_linux.cmake)
