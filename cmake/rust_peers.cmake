# The peers that are Rust crates: the targets finegrain_crate_NAME, over one static library that
# cargo builds. Where FINEGRAIN_RUST_PEERS is false there are none, and FINEGRAIN_RUST_HOW_TO_GET says
# what is missing.
#
# The crates are fetched here, at configure time, as bench/programs/rust/Cargo.lock has them: the
# build itself needs no network, and a registry that cannot be reached takes away the peers alone.
set(FINEGRAIN_RUST_FOLDER "${CMAKE_CURRENT_SOURCE_DIR}/rust")
set(FINEGRAIN_RUST_PEERS FALSE)
set(FINEGRAIN_RUST_HOW_TO_GET "cargo 1.80 or newer, of Rust, and its crates when the build is configured")
set(least_cargo 1.80)  # of rayon

find_program(FINEGRAIN_CARGO NAMES cargo PATHS "$ENV{HOME}/.cargo/bin")
if(FINEGRAIN_CARGO AND NOT CMAKE_CROSSCOMPILING)
  execute_process(COMMAND "${FINEGRAIN_CARGO}" --version OUTPUT_VARIABLE cargo_version ERROR_QUIET)
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" cargo_version "${cargo_version}")
  if(cargo_version VERSION_GREATER_EQUAL least_cargo)
    set(fetch "${FINEGRAIN_CARGO}" fetch --locked --quiet --manifest-path "${FINEGRAIN_RUST_FOLDER}/Cargo.toml")
    execute_process(COMMAND ${fetch} --offline RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed)
      execute_process(COMMAND ${fetch} --config net.retry=1 TIMEOUT 60 RESULT_VARIABLE failed
                      ERROR_VARIABLE said OUTPUT_QUIET)
    endif()
    if(failed)
      message(STATUS "cargo cannot fetch rayon and chili, which stay out of the lab: ${said}")
      string(APPEND FINEGRAIN_RUST_HOW_TO_GET " (for this one cargo could not fetch them)")
    else()
      set(FINEGRAIN_RUST_PEERS TRUE)
    endif()
  elseif(cargo_version)
    string(APPEND FINEGRAIN_RUST_HOW_TO_GET " (here is ${cargo_version})")
  endif()
endif()
if(NOT FINEGRAIN_RUST_PEERS)
  return()
endif()
set(FINEGRAIN_RUST_COMPILER "rustc ${cargo_version}")  # they are released together

set(rust_target "${CMAKE_CURRENT_BINARY_DIR}/rust")
set(rust_library "${rust_target}/release/libfinegrain_rust_peers.a")
set(rust_sources src/lib.rs src/chili_tasks.rs src/rayon_loop.rs src/rayon_tasks.rs Cargo.toml Cargo.lock)
list(TRANSFORM rust_sources PREPEND "${FINEGRAIN_RUST_FOLDER}/")
add_custom_command(
  OUTPUT "${rust_library}"
  COMMAND ${CMAKE_COMMAND} -E env "CARGO_TARGET_DIR=${rust_target}" "${FINEGRAIN_CARGO}" build --release --locked
          --offline --quiet --manifest-path "${FINEGRAIN_RUST_FOLDER}/Cargo.toml"
  COMMAND ${CMAKE_COMMAND} -E touch "${rust_library}"  # cargo leaves it where nothing changed
  DEPENDS ${rust_sources}
  COMMENT "Building the Rust crates"
  VERBATIM)
add_custom_target(build_rust_peers DEPENDS "${rust_library}")
add_library(finegrain_rust_peers STATIC IMPORTED)
set_target_properties(finegrain_rust_peers PROPERTIES IMPORTED_LOCATION "${rust_library}")
add_dependencies(finegrain_rust_peers build_rust_peers)

file(READ "${FINEGRAIN_RUST_FOLDER}/Cargo.lock" lock)
foreach(crate rayon chili)
  string(REGEX MATCH "name = \"${crate}\"\nversion = \"([^\"]*)\"" found "${lock}")
  add_library(finegrain_crate_${crate} INTERFACE)
  target_link_libraries(finegrain_crate_${crate} INTERFACE finegrain_rust_peers)
  target_compile_definitions(
    finegrain_crate_${crate}
    INTERFACE "FINEGRAIN_BENCH_CRATE=\"${crate} ${CMAKE_MATCH_1}, ${FINEGRAIN_RUST_COMPILER}\"")
endforeach()
