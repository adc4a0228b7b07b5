# Debian's Emscripten with threads; its programs run in Node and in pages.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
# Emscripten 3.1.6 takes any `fetch` for a browser's, also that of Node 18 and later.
set(CMAKE_CROSSCOMPILING_EMULATOR node --no-experimental-fetch)
# Its exceptions of WebAssembly (-fwasm-exceptions) are not caught.
set(CMAKE_CXX_FLAGS_INIT "-pthread -fexceptions")
