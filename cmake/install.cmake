# Installing: libraries, headers, tools, the CMake package and the pkg-config files. All of it can be
# moved to another prefix afterwards.
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/yaff")

# Shared libraries are found from where the tools and the other library lie.
file(RELATIVE_PATH bin_to_lib "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set_target_properties(yaff_runtime yaff_bridge protoc-gen-yaff yaff-cli PROPERTIES
  INSTALL_RPATH "$ORIGIN;$ORIGIN/${bin_to_lib}"
)

install(TARGETS yaff_runtime yaff_bridge protoc-gen-yaff yaff-cli
  EXPORT yaff
  FILE_SET HEADERS
)
install(FILES "${PROJECT_SOURCE_DIR}/layout/yaff/options.proto"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/yaff"
)
install(EXPORT yaff NAMESPACE yaff:: FILE yaff-targets.cmake DESTINATION "${package_dir}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/yaff-config.cmake.in" "${PROJECT_BINARY_DIR}/yaff-config.cmake"
  INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR
)
# Before 1.0 a minor version may break; SameMinorVersion says so.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/yaff-config-version.cmake"
  COMPATIBILITY SameMinorVersion
)
install(FILES
  "${PROJECT_BINARY_DIR}/yaff-config.cmake"
  "${PROJECT_BINARY_DIR}/yaff-config-version.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/YaffGenerate.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/yaff-depfile.cmake"
  DESTINATION "${package_dir}"
)

# pkg-config files find their prefix from where they lie.
file(RELATIVE_PATH pc_prefix
  "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}"
)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
file(RELATIVE_PATH pc_libdir "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH pc_includedir "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
foreach(library IN ITEMS runtime bridge)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/yaff-${library}.pc.in"
    "${PROJECT_BINARY_DIR}/yaff-${library}.pc" @ONLY
  )
  install(FILES "${PROJECT_BINARY_DIR}/yaff-${library}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
  )
endforeach()
