# Libraries that are loaded when they are first used (include/cardan/lazy_library.h), not when a program
# starts: nothing is linked to them. Their headers count when this is built, the shared object when
# it is used.
#   HDF5           result files; the serial one where a parallel one is installed too
#   zlib           where it is installed, as HDF5 brings it: pages with their data deflated, PNG files
#   ODE            where it is installed: another program's curves in reproductions
#   cairo          where it is installed: pictures of the command
#   giflib         where it is installed: films of the command
#   microhttpd     where it is installed: the command's `view`

# cardan_find_lazy_library(NAME HEADER [REQUIRED] [FOLDERS FOLDER..]): sets CARDAN_<NAME>_INCLUDE and
# CARDAN_<NAME>_LIBRARY, the name passed to the system's loader: with the version that the
# headers are of, and its folder where the loader does not look by itself. Both are empty where the
# library is not installed.
function(cardan_find_lazy_library name header)
  cmake_parse_arguments(PARSE_ARGV 2 arg "REQUIRED" "" "FOLDERS")
  set(required)
  if(arg_REQUIRED)
    set(required REQUIRED)
  endif()
  string(TOUPPER ${name} NAME)
  find_path(CARDAN_${NAME}_INCLUDE ${header} PATH_SUFFIXES ${arg_FOLDERS} ${required})
  find_library(CARDAN_LIBRARY_${name} NAMES ${name}_serial ${name} ${required})
  mark_as_advanced(CARDAN_${NAME}_INCLUDE CARDAN_LIBRARY_${name})
  set(CARDAN_${NAME}_LIBRARY "" PARENT_SCOPE)
  set(library ${CARDAN_LIBRARY_${name}})
  if(NOT library OR NOT CARDAN_${NAME}_INCLUDE)
    return()
  endif()
  execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE entries)
  if(NOT entries MATCHES "SONAME[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${library} has no name to load it by, expected a shared library")
  endif()
  set(soname ${CMAKE_MATCH_1})
  get_filename_component(folder ${library} DIRECTORY)
  if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    string(PREPEND soname ${folder}/)
  endif()
  set(CARDAN_${NAME}_LIBRARY ${soname} PARENT_SCOPE)
endfunction()

cardan_find_lazy_library(hdf5 hdf5.h REQUIRED FOLDERS hdf5/serial)
cardan_find_lazy_library(z zlib.h)
cardan_find_lazy_library(ode ode/ode.h)
cardan_find_lazy_library(cairo cairo.h FOLDERS cairo)
cardan_find_lazy_library(gif gif_lib.h)
cardan_find_lazy_library(microhttpd microhttpd.h)

# cardan_use_lazy_library(TARGET NAME SOURCE): SOURCE loads the library NAME, by the macro
# CARDAN_<NAME>_LIBRARY, and TARGET sees its headers
function(cardan_use_lazy_library target name source)
  string(TOUPPER ${name} NAME)
  target_include_directories(${target} SYSTEM PRIVATE ${CARDAN_${NAME}_INCLUDE})
  set_property(SOURCE ${source} TARGET_DIRECTORY ${target} APPEND
               PROPERTY COMPILE_DEFINITIONS CARDAN_${NAME}_LIBRARY="${CARDAN_${NAME}_LIBRARY}")
endfunction()
