# What `cmake --install` puts where: headers, both libraries, the command if it was built, with its
# manual page, documents and examples, and the two ways to find them, find_package(cardan) and
# pkg-config. All of it can be moved afterwards.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/cardan)
install(DIRECTORY include/cardan DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS cardan_shared EXPORT cardanTargets)
install(TARGETS cardan EXPORT cardanStaticTargets)
install(EXPORT cardanTargets NAMESPACE cardan:: DESTINATION ${package_folder})
install(EXPORT cardanStaticTargets NAMESPACE cardan:: DESTINATION ${package_folder})
foreach(program cardan_cli cardan_mpi)
  if(TARGET ${program})
    install(TARGETS ${program})
  endif()
endforeach()

configure_package_config_file(cmake/cardanConfig.cmake.in cmake/cardanConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(cmake/cardanConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/cardanConfig.cmake
              ${PROJECT_BINARY_DIR}/cmake/cardanConfigVersion.cmake
              cmake/CardanDependencies.cmake DESTINATION ${package_folder})

# the file names its folders from where it lies, so that --prefix may be given at install time
file(RELATIVE_PATH CARDAN_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" CARDAN_PC_PREFIX ${CARDAN_PC_PREFIX})
set(CARDAN_PC_LIBRARIES "")
foreach(library IN LISTS cardan_libraries)
  get_filename_component(name ${CARDAN_LIBRARY_${library}} NAME_WE)
  string(REGEX REPLACE "^lib" "-l" name ${name})
  string(APPEND CARDAN_PC_LIBRARIES " ${name}")
endforeach()
configure_file(cmake/cardan.pc.in cmake/cardan.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/cardan.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# the manual page is what the command says of itself
if(TARGET cardan_cli AND NOT CMAKE_CROSSCOMPILING)
  set(page ${PROJECT_BINARY_DIR}/cardan.1)
  add_custom_command(OUTPUT ${page} COMMAND cardan_cli help --man > ${page} DEPENDS cardan_cli VERBATIM)
  add_custom_target(cardan_man ALL DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  if(TARGET cardan_mpi)
    file(WRITE ${PROJECT_BINARY_DIR}/cardan-mpi.1 ".so man1/cardan.1\n")
    install(FILES ${PROJECT_BINARY_DIR}/cardan-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endif()

# in folders as here, so that links from one document to another hold
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN __pycache__ EXCLUDE)
