set(processor riscv64)
include(${CMAKE_CURRENT_LIST_DIR}/emulated_linux.cmake)
