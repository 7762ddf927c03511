# The interpreter of the Python package, python_program, and the folder of its headers,
# python_include: the one that CARDAN_PYTHON_PROGRAM names, or the first of the environment's, the
# path's and the system's that can import what CARDAN_PYTHON_NEEDS lists and has its headers.
set(CARDAN_PYTHON_PROGRAM "" CACHE FILEPATH "Python of the package; sought when empty")
set(CARDAN_PYTHON_NEEDS "cffi;numpy" CACHE STRING "Modules without which a Python will not do")
mark_as_advanced(CARDAN_PYTHON_NEEDS)

set(python_probe [[
import importlib, os, sys, sysconfig
if sys.version_info < (3, 9):
    sys.exit("is older than Python 3.9")
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ImportError:
        sys.exit(f"cannot import {name}")
folder = sysconfig.get_paths()["include"]
if not os.path.exists(os.path.join(folder, "Python.h")):
    sys.exit(f"has no headers: there is no {folder}/Python.h")
print(folder, end="")
]])

set(python_candidates ${CARDAN_PYTHON_PROGRAM})
if(NOT python_candidates)
  find_program(python_on_path NAMES python3 NO_CACHE)
  set(python_candidates $ENV{VIRTUAL_ENV}/bin/python3 ${python_on_path} /usr/bin/python3)
  list(FILTER python_candidates EXCLUDE REGEX "^/bin/python3$|NOTFOUND$")
  list(REMOVE_DUPLICATES python_candidates)
endif()
set(python_faults)
foreach(candidate IN LISTS python_candidates)
  execute_process(COMMAND ${candidate} -c "${python_probe}" ${CARDAN_PYTHON_NEEDS} RESULT_VARIABLE fault
                  OUTPUT_VARIABLE python_include ERROR_VARIABLE said
                  ERROR_STRIP_TRAILING_WHITESPACE)
  if(fault STREQUAL 0)
    set(python_program ${candidate})
    return()
  elseif(NOT said)
    set(said "cannot be run: ${fault}")
  endif()
  string(APPEND python_faults "\n  ${candidate} ${said}")
endforeach()
message(FATAL_ERROR "There is no Python for the package:${python_faults}\n"
                    "`make python` installs what is missing on Debian. "
                    "-DCARDAN_PYTHON_PROGRAM=PATH names an interpreter, "
                    "-DCARDAN_PYTHON=OFF builds without the package.")
