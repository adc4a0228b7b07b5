# cpack: finegrain_<version>_<architecture>.deb and finegrain-<version>-<system>-<processor>.tar.gz.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_CONTACT "The finegrain developers <finegrain@users.invalid>")
set(CPACK_PACKAGE_FILE_NAME "finegrain-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # dependencies of the libraries and the commands
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # packages built with our libraries depend on this one
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libhwloc-dev, pkg-config")  # to link finegrain::core
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
