# What `cmake --install` installs, for find_package(finegrain) and for pkg-config. No file names the
# prefix: the tree is relocatable.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/finegrain")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/finegrain" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/finegrain" RENAME copyright)

# One export set per target, so that finegrain-config.cmake can omit a target whose dependencies are
# missing.
foreach(name headers core c c_static omp)
  if(TARGET finegrain_${name})
    set_target_properties(finegrain_${name} PROPERTIES EXPORT_NAME ${name} INSTALL_RPATH "$ORIGIN")
    install(TARGETS finegrain_${name} EXPORT finegrain-${name})
    install(EXPORT finegrain-${name} DESTINATION "${package_dir}" NAMESPACE finegrain::)
  endif()
endforeach()
# finegrain-omp loads the library with regions of our own; programs do not link it.
foreach(target finegrain_omp_all finegrain-info finegrain-omp)
  if(TARGET ${target})
    install(TARGETS ${target})
  endif()
endforeach()

# The links under which it stands in for the native runtimes.
if(TARGET finegrain_omp_all)
  get_target_property(folder finegrain_omp_all BINARY_DIR)
  install(DIRECTORY "${folder}/finegrain/omp" DESTINATION "${CMAKE_INSTALL_LIBDIR}/finegrain")
endif()

# Whether users of finegrain::core also link hwloc.
set(FINEGRAIN_CORE_IS_STATIC OFF)
set(FINEGRAIN_HAS_CORE OFF)
if(TARGET finegrain_core)
  set(FINEGRAIN_HAS_CORE ON)
  get_target_property(core_type finegrain_core TYPE)
  if(core_type STREQUAL "STATIC_LIBRARY")
    set(FINEGRAIN_CORE_IS_STATIC ON)
  endif()
endif()
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/finegrain-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/cmake/finegrain-config.cmake"
                              INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a minor version may break source compatibility.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/finegrain-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/finegrain-config.cmake"
              "${PROJECT_BINARY_DIR}/cmake/finegrain-config-version.cmake" DESTINATION "${package_dir}")

# What a program links besides a library of ours. hwloc is named as a library and not through
# hwloc.pc, which would add flags for hwloc's headers and, with --static, the dependencies of a
# static hwloc, which Debian's libhwloc-dev does not contain.
set(core_needs "")
if(FINEGRAIN_CORE_IS_STATIC)
  set(standard_folders ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES})
  list(TRANSFORM standard_folders PREPEND -L)
  set(core_needs ${FINEGRAIN_HWLOC_LDFLAGS})
  list(REMOVE_ITEM core_needs ${standard_folders})
  list(JOIN core_needs " " core_needs)
endif()
set(c_static_needs "-lstdc++ -lm -pthread")
if(TARGET finegrain_core)
  string(PREPEND c_static_needs "-L\${libdir} -lfinegrain-core ${core_needs} ")
endif()

# The .pc files name the prefix relative to their own folder.
set(pkgconfig_dir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${pkgconfig_dir}" OUTPUT_VARIABLE prefix_from_pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
           OUTPUT_VARIABLE libraries_from_prefix)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
           OUTPUT_VARIABLE headers_from_prefix)
foreach(name finegrain finegrain-core finegrain-c finegrain-c-static)
  string(REPLACE "-" "_" target "${name}")
  if(name STREQUAL "finegrain" OR TARGET ${target})
    configure_file("${CMAKE_CURRENT_LIST_DIR}/pkgconfig/${name}.pc.in" "${PROJECT_BINARY_DIR}/cmake/${name}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/cmake/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  endif()
endforeach()
