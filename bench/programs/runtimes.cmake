# The runtimes that the lab compares. Each is described once: that gives it a program
# FAMILY-RUNTIME in each of its families, and its row in runtimes.json, which tells the lab what was
# built and how to install the rest. The order here is the order of the tables.
include(foreign_executable)
include(peers)
include(rust_peers)

set(project_compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
get_target_property(warnings finegrain_warnings INTERFACE_COMPILE_OPTIONS)
set(rows)

# add_runtime(name FAMILIES families... [FOUND value HOW_TO_GET text] [NOTE text] [NO_ROW]
#             [SOURCE stem] [COMPILER path] [COMPILER_NAME text] [FLAGS ...] [LIBRARIES ...]
#             [SYSTEM_INCLUDES ...] [GENERATED files])
#
# FAMILIES are relic-kernels, periodic, loops, graph, pipeline, spawn and omp; runtimes.json lists all but
# the last. The program is made of the file SOURCE.cpp in the family's folder (the runtime's own name,
# unless given) and finegrain_FAMILY_frame. HOW_TO_GET is for runtimes that may be missing: if FOUND is
# false there is only the row. COMPILER: another one than the project's. FLAGS are for compiling,
# LIBRARIES may have flags for linking; GENERATED files, in this folder of the build, are included
# by the source.
function(add_runtime name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_ROW" "FOUND;HOW_TO_GET;NOTE;SOURCE;COMPILER;COMPILER_NAME"
                        "FAMILIES;FLAGS;LIBRARIES;SYSTEM_INCLUDES;GENERATED")
  set(row "\"executable\": null, \"compiler\": \"\", \"flags\": \"\"")
  if(arg_FOUND OR NOT arg_HOW_TO_GET)
    if(NOT arg_SOURCE)
      string(REPLACE "-" "_" arg_SOURCE ${name})
    endif()
    foreach(family IN LISTS arg_FAMILIES)
      add_runtime_program(${family} ${name})
    endforeach()
    list(GET arg_FAMILIES 0 first)
    list(JOIN FINEGRAIN_PEER_OPTIMIZE " " flags)
    list(JOIN arg_FLAGS " " more_flags)
    string(STRIP "${flags} ${more_flags}" flags)
    set(compiler "${arg_COMPILER}")
    if(arg_COMPILER_NAME)
      set(compiler "${arg_COMPILER_NAME}")
    elseif(NOT arg_COMPILER)
      set(compiler "${project_compiler}")
    endif()
    set(row "\"executable\": \"bench/programs/${first}-${name}\", \"compiler\": \"${compiler}\", \"flags\": \"${flags}\"")
    set(arg_HOW_TO_GET "")
  endif()
  if(NOT arg_NO_ROW)
    list(REMOVE_ITEM arg_FAMILIES omp)
    list(JOIN arg_FAMILIES "\", \"" programs)
    list(APPEND rows "    {\"name\": \"${name}\", \"programs\": [\"${programs}\"], ${row}, \"how_to_get\": \"${arg_HOW_TO_GET}\", \"note\": \"${arg_NOTE}\"}")
    set(rows "${rows}" PARENT_SCOPE)
  endif()
endfunction()

# A step of add_runtime, with its arguments.
function(add_runtime_program family name)
  string(REPLACE "-" "_" folder ${family})
  set(program ${family}-${name})
  set(frame finegrain_${folder}_frame)
  if(NOT TARGET ${frame})
    return()
  endif()
  set(sources ${folder}/${arg_SOURCE}.cpp)
  if(arg_SOURCE STREQUAL openmp)  # one file for several runtimes
    set(definition "FINEGRAIN_BENCH_OPENMP_NAME=\"${name}\"")
  endif()
  if(family STREQUAL omp)
    list(APPEND sources ${omp_sources})
    list(PREPEND arg_FLAGS ${warnings})
    if(NOT arg_COMPILER)
      # Treated as a foreign one: otherwise clang-tidy, which reads the sources as those of
      # omp-serial, would have that many more commands.
      set(arg_COMPILER "${CMAKE_CXX_COMPILER}")
    endif()
  endif()
  if(arg_COMPILER)
    list(TRANSFORM sources PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    list(TRANSFORM definition PREPEND -D)
    set(includes "${PROJECT_SOURCE_DIR}/bench" "${PROJECT_SOURCE_DIR}/include")
    if(arg_GENERATED)
      list(APPEND includes "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
    get_target_property(libraries ${frame} LINK_LIBRARIES)
    list(FILTER libraries INCLUDE REGEX "^finegrain_bench_")
    if(finegrain_bench_uts IN_LIST libraries)
      list(APPEND libraries ${NETTLE_LDFLAGS})
    endif()
    foreign_executable(
      NAME ${program}
      COMPILER "${arg_COMPILER}"
      SOURCES ${sources}
      GENERATED ${arg_GENERATED}
      FLAGS ${FINEGRAIN_PEER_OPTIMIZE}
      COMPILE_FLAGS ${arg_FLAGS} ${definition}
      INCLUDES ${includes}
      SYSTEM_INCLUDES ${arg_SYSTEM_INCLUDES}
      LIBRARIES ${frame} ${libraries} ${arg_LIBRARIES})
  else()
    add_executable(${program} ${sources})
    target_compile_options(${program} PRIVATE ${arg_FLAGS})
    target_compile_definitions(${program} PRIVATE ${definition})
    target_include_directories(${program} SYSTEM PRIVATE ${arg_SYSTEM_INCLUDES})
    target_link_libraries(${program} PRIVATE ${frame} finegrain_warnings ${arg_LIBRARIES})
  endif()
endfunction()

# ---- serial, and ours ----
add_runtime(serial FAMILIES relic-kernels periodic loops graph pipeline spawn)
if(TARGET finegrain_omp_frame)  # the same sources without OpenMP
  add_executable(omp-serial omp/openmp.cpp)
  target_compile_options(omp-serial PRIVATE -Wno-unknown-pragmas)
  target_compile_definitions(omp-serial PRIVATE "FINEGRAIN_BENCH_OPENMP_NAME=\"serial\"")
  target_link_libraries(omp-serial PRIVATE finegrain_omp_serial_kernels finegrain_warnings)
endif()
add_runtime(relic FAMILIES relic-kernels periodic loops graph pipeline)
add_runtime(
  relic-paper
  FAMILIES relic-kernels
  FOUND "${Boost_FOUND}"
  LIBRARIES Boost::headers
  HOW_TO_GET "Debian's libboost-dev")
add_runtime(pool NO_ROW FAMILIES periodic loops graph pipeline spawn)
add_runtime(two-threads FAMILIES pipeline)

# ---- OpenMP ----
if(FINEGRAIN_GNU_CXX)
  execute_process(COMMAND "${FINEGRAIN_GNU_CXX}" -dumpfullversion OUTPUT_VARIABLE gnu_version
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
add_runtime(
  gnu-openmp
  FAMILIES relic-kernels periodic loops graph spawn omp
  FOUND "${FINEGRAIN_GNU_CXX}"
  SOURCE openmp
  COMPILER "${FINEGRAIN_GNU_CXX}"
  COMPILER_NAME "GNU ${gnu_version}"
  FLAGS -fopenmp
  LIBRARIES -fopenmp
  HOW_TO_GET "Debian's g++")
add_runtime(
  llvm-openmp
  FAMILIES relic-kernels periodic loops graph spawn omp
  FOUND "${FINEGRAIN_LIBOMP}"
  SOURCE openmp
  FLAGS -fopenmp=libomp
  LIBRARIES -fopenmp=libomp
  NOTE "Debian builds libomp with assertions on: intel-openmp is the same code built for release"
  HOW_TO_GET "clang++-19 as the project's compiler and Debian's libomp-19-dev")
add_runtime(
  intel-openmp
  FAMILIES relic-kernels periodic loops graph spawn omp
  FOUND "${FINEGRAIN_LIBIOMP5}"
  SOURCE openmp
  FLAGS -fopenmp=libiomp5
  LIBRARIES "${FINEGRAIN_LIBIOMP5}"
  HOW_TO_GET "clang++-19 as the project's compiler and PyPI's intel-openmp")

# X-OpenMP: clang's program unchanged, linked with the drop-in ahead of its runtime. The policy is
# set by the environment (finegrain_lab/runtimes.py): the three programs differ in their name.
if(FINEGRAIN_LIBIOMP5)
  set(x_openmp_kind libiomp5)
  set(x_openmp_library "${FINEGRAIN_LIBIOMP5}")
  set(x_openmp_below "Intel's")
else()
  set(x_openmp_kind libomp)
  set(x_openmp_library -fopenmp=libomp)
  set(x_openmp_below "LLVM's")
endif()
set(x_openmp_found FALSE)
if(TARGET finegrain_omp AND (FINEGRAIN_LIBIOMP5 OR FINEGRAIN_LIBOMP))
  set(x_openmp_found TRUE)
endif()
foreach(policy static wait nowait)
  add_runtime(
    x-openmp-${policy}
    FAMILIES relic-kernels
    FOUND ${x_openmp_found}
    SOURCE openmp
    FLAGS -fopenmp=${x_openmp_kind}
    LIBRARIES finegrain_omp "${x_openmp_library}"
    NOTE "X-OpenMP's queues under our drop-in, over ${x_openmp_below} runtime"
    HOW_TO_GET "clang++-19 as the project's compiler, Debian's libffi-dev, and libomp-19-dev or PyPI's intel-openmp")
endforeach()

# ---- others ----
add_runtime(
  onetbb
  FAMILIES relic-kernels periodic loops graph pipeline spawn
  FOUND "${TBB_FOUND}"
  LIBRARIES TBB::tbb
  HOW_TO_GET "PyPI's tbb-devel")
add_runtime(
  taskflow
  FAMILIES relic-kernels periodic loops graph pipeline spawn
  FOUND "${FINEGRAIN_TASKFLOW_INCLUDE}"
  SYSTEM_INCLUDES "${FINEGRAIN_TASKFLOW_INCLUDE}"
  HOW_TO_GET "headers of Debian trixie's libtaskflow-cpp-dev")
# The program around a crate is C++, compiled as the others; the crate is cargo's.
set(families_rayon spawn loops)
set(families_chili spawn)
foreach(crate rayon chili)
  add_runtime(
    ${crate}
    FAMILIES ${families_${crate}}
    FOUND ${FINEGRAIN_RUST_PEERS}
    COMPILER_NAME "${FINEGRAIN_RUST_COMPILER}, ${project_compiler}"
    LIBRARIES finegrain_crate_${crate}
    HOW_TO_GET "${FINEGRAIN_RUST_HOW_TO_GET}")
endforeach()
add_runtime(
  opencilk
  FAMILIES relic-kernels periodic spawn
  FOUND "${FINEGRAIN_OPENCILK_CXX}"
  COMPILER "${FINEGRAIN_OPENCILK_CXX}"
  FLAGS -fopencilk
  LIBRARIES -fopencilk
  HOW_TO_GET "no package registry has it: install OpenCilk 2.1 or newer from its own site and configure with -DFINEGRAIN_OPENCILK_ROOT=DIR")
add_runtime(
  hpx
  FAMILIES spawn
  FOUND "${HPX_FOUND}"
  LIBRARIES HPX::hpx
  HOW_TO_GET "not in Debian: build HPX 1.9 or newer from its own site and configure with -DHPX_DIR=DIR, where its HPXConfig.cmake is")
add_runtime(
  qthreads
  FAMILIES spawn
  FOUND "${FINEGRAIN_LIBQTHREAD}"
  LIBRARIES "${FINEGRAIN_LIBQTHREAD}"
  SYSTEM_INCLUDES "${FINEGRAIN_QTHREADS_ROOT}/include"
  HOW_TO_GET "not in Debian: build Qthreads (1.23 was tried) from its own site and configure with -DFINEGRAIN_QTHREADS_ROOT=DIR")

# charmc translates charm.ci, compiles as Charm++ itself was compiled, and knows what to link.
set(charm_generated "${CMAKE_CURRENT_BINARY_DIR}/spawn_charm.decl.h"
                    "${CMAKE_CURRENT_BINARY_DIR}/spawn_charm.def.h")
if(FINEGRAIN_CHARMC)
  add_custom_command(
    OUTPUT ${charm_generated}
    COMMAND "${FINEGRAIN_CHARMC}" "${CMAKE_CURRENT_SOURCE_DIR}/spawn/charm.ci"
    DEPENDS spawn/charm.ci
    WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
    COMMENT "Translating charm.ci"
    VERBATIM)
endif()
add_runtime(
  charm++
  FAMILIES spawn
  FOUND "${FINEGRAIN_CHARMC}"
  SOURCE charm
  COMPILER "${FINEGRAIN_CHARMC}"
  GENERATED ${charm_generated}
  HOW_TO_GET "not in Debian: build Charm++ (8.0.1 was tried) from its own site for multicore and configure with -DFINEGRAIN_CHARM_ROOT=DIR, where its bin/charmc is")
add_runtime(
  icc-openmp
  FAMILIES spawn
  HOW_TO_GET "no longer available: Intel ended its classic compilers in 2023, their runtime lives on as intel-openmp")
add_runtime(
  suncc-openmp
  FAMILIES spawn
  HOW_TO_GET "no longer available: the last Oracle Developer Studio, 12.6, is of 2017")
add_runtime(
  cilk-plus
  FAMILIES spawn
  HOW_TO_GET "no longer available: removed from GCC 8 and Intel's compilers in 2018 and 2019, its successor is opencilk")

list(JOIN rows ",\n" rows)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_RELEASE}" flags)
set(drop_in null)
set(drop_in_all null)
if(TARGET finegrain_omp)
  set(drop_in [["src/omp/libfinegrain-omp.so"]])
  set(drop_in_all [["src/omp/libfinegrain-omp-all.so"]])
endif()
file(
  CONFIGURE
  OUTPUT "${PROJECT_BINARY_DIR}/bench/runtimes.json"
  CONTENT [[{
  "schema": 4,
  "compiler": "@project_compiler@",
  "flags": "@flags@",
  "build_type": "@CMAKE_BUILD_TYPE@",
  "floor": "bench/programs/floor",
  "calibrate": "bench/programs/calibrate",
  "handoff": "bench/programs/handoff",
  "handoff_instructions": "bench/programs/handoff-instructions",
  "break_even": "bench/programs/break-even",
  "waiting": "bench/programs/waiting",
  "sync": "bench/programs/sync",
  "queues": "bench/programs/queues",
  "periodic": "bench/programs",
  "loops": "bench/programs",
  "graph": "bench/programs",
  "pipeline": "bench/programs",
  "spawn": "bench/programs",
  "omp": "bench/programs",
  "scaling": "tests/sim/finegrain-sim",
  "drop_in": @drop_in@,
  "drop_in_all": @drop_in_all@,
  "info": "tools/finegrain-info",
  "runtimes": [
@rows@
  ]
}
]]
  @ONLY)
