# The shared library once more for newer processors of the x86-64 kind, of the same sources. Each
# lies beside the plain one in the folder glibc-hwcaps/LEVEL, where the loader of glibc (2.33) looks
# first if the processor can run it: a program that links libcardan.so has the fastest one, on every
# machine, without asking. The levels are those of the x86-64 psABI: v3 has AVX2 and FMA, v4 AVX-512.
# docs/decisions/2026-11-16-levels.md has what it brings.

# cardan_levels: what CARDAN_LEVELS says; AUTO is for packages: both, if possible
set(cardan_levels ${CARDAN_LEVELS})
if(CARDAN_LEVELS STREQUAL AUTO)
  set(cardan_levels x86-64-v3 x86-64-v4)
  if(CARDAN_NATIVE OR CARDAN_DETERMINISTIC OR CARDAN_ASSERTS OR CARDAN_SANITIZE OR CARDAN_COVERAGE
     OR NOT PROJECT_IS_TOP_LEVEL OR CMAKE_C_FLAGS MATCHES "-march="
     OR NOT CMAKE_SYSTEM_NAME STREQUAL Linux OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(cardan_levels)
  endif()
elseif(CARDAN_LEVELS AND (CARDAN_NATIVE OR CARDAN_DETERMINISTIC))
  message(FATAL_ERROR "CARDAN_LEVELS=${CARDAN_LEVELS}: builds with CARDAN_NATIVE or "
                      "CARDAN_DETERMINISTIC are of one kind, expected no levels")
endif()

# what the command and the Python package link: the library that the loader chooses, if there are
# several to choose from, or the static one
if(cardan_levels)
  set(cardan_linked cardan_shared)
else()
  set(cardan_linked cardan cardan::dependencies)
endif()

# cardan_add_shared(TARGET SOURCES..): a shared library as libcardan.so is
function(cardan_add_shared target)
  add_library(${target} SHARED ${ARGN})
  set_target_properties(
    ${target} PROPERTIES OUTPUT_NAME cardan VERSION ${PROJECT_VERSION}
                         SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_link_libraries(${target} PRIVATE cardan_flags cardan::dependencies)
  # its own calls of public functions are not for others to catch: they go there straight
  target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
endfunction()

# after all sources are known: makes the target cardan_LEVEL, as the loader expects it beside
# libcardan.so in the build folder too
function(cardan_add_levels)
  foreach(level IN LISTS cardan_levels)
    set(target cardan_${level})
    cardan_add_shared(${target} $<TARGET_PROPERTY:cardan,SOURCES>)
    set_target_properties(
      ${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/glibc-hwcaps/${level})
    target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:cardan,INCLUDE_DIRECTORIES>)
    target_compile_options(${target} PRIVATE -march=${level})
    add_dependencies(${target} cardan) # which makes what is generated
    add_dependencies(cardan_shared ${target})
    install(TARGETS ${target} LIBRARY NAMELINK_SKIP
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/${level})
  endforeach()
endfunction()
