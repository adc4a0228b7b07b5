# finegrain_header_only(target folder): a package of this machine that is only headers, for a build for
# another system. By a link, because beside them /usr/include has this system's C library.
function(finegrain_header_only target folder)
  set(headers "${CMAKE_BINARY_DIR}/header_only")
  file(MAKE_DIRECTORY "${headers}")
  file(CREATE_LINK "/usr/include/${folder}" "${headers}/${folder}" SYMBOLIC)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} INTERFACE "${headers}")
  endif()
endfunction()
