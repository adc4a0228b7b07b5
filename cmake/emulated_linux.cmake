# Debian's cross compiler for another processor, `processor`; its programs run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_CXX_COMPILER ${processor}-linux-gnu-g++)
set(CMAKE_C_COMPILER ${processor}-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${processor} -L /usr/${processor}-linux-gnu)
# This machine's own libraries are for another architecture.
set(CMAKE_FIND_ROOT_PATH /usr/${processor}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} /usr/${processor}-linux-gnu/lib/pkgconfig)
