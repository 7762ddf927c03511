# What an attacker would have to get past in installed binaries, and no paths of the build in them.
# Checks at run time are for what reads files and writes text: the kernels of a step read neither.

# __FILE__ and what debuggers read name files from the top of the tree; the options for this are
# not recorded, as they name it
target_compile_options(
  cardan_flags INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${PROJECT_BINARY_DIR}=build
                         -gno-record-gcc-switches)

set(cardan_hardened)
if(NOT CARDAN_SANITIZE AND NOT CARDAN_COVERAGE AND CMAKE_BUILD_TYPE MATCHES "^Rel")
  set(cardan_hardened -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  # addresses of functions are all known at the start, and read-only from then on
  target_link_options(cardan_flags INTERFACE -Wl,-z,relro -Wl,-z,now)
endif()

# cardan_harden_rooms(ROOM..): the library's sources of these rooms
function(cardan_harden_rooms)
  if(cardan_hardened)
    list(JOIN ARGN "|" rooms)
    get_target_property(sources cardan SOURCES)
    list(FILTER sources INCLUDE REGEX "/src/(${rooms})/")
    set_property(SOURCE ${sources} TARGET_DIRECTORY cardan APPEND PROPERTY COMPILE_OPTIONS ${cardan_hardened})
  endif()
endfunction()
