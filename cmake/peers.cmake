# Finds the runtimes that the lab compares with; the variable of a missing one is false. Every
# folder that needs them includes this file, because imported targets belong to a folder.
set(FINEGRAIN_VENV "${PROJECT_SOURCE_DIR}/.venv" CACHE PATH
    "Python environment with the packages of requirements/peers.txt")
set(FINEGRAIN_OPENCILK_ROOT "/opt/opencilk" CACHE PATH "Where bin/clang++ of OpenCilk is")
set(FINEGRAIN_QTHREADS_ROOT "/opt/qthreads" CACHE PATH "Where include/ and lib/ of Qthreads are")
set(FINEGRAIN_CHARM_ROOT "/opt/charm" CACHE PATH "Where bin/charmc of Charm++ is")
set(FINEGRAIN_PEER_OPTIMIZE -O3 -DNDEBUG)  # also CMake's flags of a Release build

find_program(FINEGRAIN_GNU_CXX NAMES g++)

# clang programs with two builds of one runtime. clang's driver finds libomp; libiomp5 is linked by
# its full path, as libomp's folder has a link of that name to libomp.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  string(REGEX MATCH "^[0-9]+" clang_major "${CMAKE_CXX_COMPILER_VERSION}")
  find_library(FINEGRAIN_LIBOMP NAMES omp PATHS "/usr/lib/llvm-${clang_major}/lib")
  find_library(FINEGRAIN_LIBIOMP5 NAMES iomp5 PATHS "${FINEGRAIN_VENV}/lib" NO_DEFAULT_PATH)
endif()

find_package(TBB CONFIG QUIET PATHS "${FINEGRAIN_VENV}/lib/cmake/tbb" NO_DEFAULT_PATH)
find_path(FINEGRAIN_TASKFLOW_INCLUDE taskflow/taskflow.hpp
          PATHS "${PROJECT_SOURCE_DIR}/build/deps/taskflow/usr/include" NO_DEFAULT_PATH)
find_program(FINEGRAIN_OPENCILK_CXX NAMES clang++ PATHS "${FINEGRAIN_OPENCILK_ROOT}/bin"
             NO_DEFAULT_PATH)

find_package(HPX CONFIG QUIET)
find_library(FINEGRAIN_LIBQTHREAD NAMES qthread PATHS "${FINEGRAIN_QTHREADS_ROOT}/lib"
             NO_DEFAULT_PATH)
find_program(FINEGRAIN_CHARMC NAMES charmc PATHS "${FINEGRAIN_CHARM_ROOT}/bin" NO_DEFAULT_PATH)
