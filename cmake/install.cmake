# What `cmake --install` puts where, for find_package(finegrain) and for pkg-config. Nothing in it names
# the place of installation: the tree can be moved.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/finegrain")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/finegrain" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/finegrain" RENAME copyright)

# An export set a target, so that one whose needs are not there can be left out: finegrain-config.cmake.
foreach(name headers core c c_static omp)
  if(TARGET finegrain_${name})
    set_target_properties(finegrain_${name} PROPERTIES EXPORT_NAME ${name} INSTALL_RPATH "$ORIGIN")
    install(TARGETS finegrain_${name} EXPORT finegrain-${name})
    install(EXPORT finegrain-${name} DESTINATION "${package_dir}" NAMESPACE finegrain::)
  endif()
endforeach()
foreach(command finegrain-info finegrain-omp)
  if(TARGET ${command})
    install(TARGETS ${command})
  endif()
endforeach()

# Whether those who link finegrain::core link hwloc too.
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

# What a program links besides a library of ours. hwloc by its library and not by hwloc.pc: that would
# add flags for hwloc's headers, and to --static the needs of a static hwloc, which Debian's
# libhwloc-dev does not bring along.
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

# The .pc files know the prefix by the way to it from where they lie.
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
