# How everything in this tree is compiled: the target cardan_flags, linked privately.
# Never -ffast-math: it changes results from one compiler to the next and breaks NaN checks.

add_library(cardan_flags INTERFACE)
target_compile_features(cardan_flags INTERFACE c_std_17)
set(CMAKE_C_EXTENSIONS OFF)
# libcardan.so shows what include/cardan declares. Sanitizer builds are not installed: there
# it shows every name, and the tests link it. 200 programs with a library in each are 6 GB then
set(cardan_tested cardan cardan::dependencies)
if(CARDAN_SANITIZE AND NOT CARDAN_FUZZ)
  set(cardan_tested cardan_shared cardan::dependencies)
  target_compile_options(cardan_flags INTERFACE -fno-semantic-interposition)
else()
  set(CMAKE_C_VISIBILITY_PRESET hidden)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

target_compile_options(
  cardan_flags
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wmissing-prototypes
            -Wstrict-prototypes -Wvla -Wundef $<$<BOOL:${CARDAN_WERROR}>:-Werror>)
# clang sees a float in the C library's NAN; gcc, which does not, finds the others
target_compile_options(cardan_flags INTERFACE $<$<C_COMPILER_ID:Clang>:-Wno-double-promotion>)
target_compile_definitions(cardan_flags
                           INTERFACE $<$<BOOL:${CARDAN_ASSERTS}>:CARDAN_ASSERTS=1>)

# floating point: one binary gives the same bits on every run; the deterministic build gives the
# same bits from every compiler and machine, at the price of fused operations
if(CARDAN_DETERMINISTIC)
  target_compile_options(cardan_flags INTERFACE -ffp-contract=off)
  target_compile_definitions(cardan_flags INTERFACE CARDAN_DETERMINISTIC=1)
else()
  target_compile_options(cardan_flags INTERFACE -ffp-contract=fast -fno-math-errno
                                                -fno-trapping-math)
endif()
# vectorising straight-line code packs the 3- and 6-vectors of the recursions into registers and out
# again, from stores that have not landed yet: `cardan bench kernels` shows twice the time with it
target_compile_options(cardan_flags INTERFACE -fno-tree-slp-vectorize)
if(CARDAN_NATIVE)
  target_compile_options(cardan_flags INTERFACE -march=native)
endif()

add_library(cardan_sanitize INTERFACE)
target_link_libraries(cardan_flags INTERFACE cardan_sanitize)
if(CARDAN_SANITIZE)
  set(sanitize -fsanitize=${CARDAN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(cardan_sanitize INTERFACE ${sanitize})
  target_link_options(cardan_sanitize INTERFACE ${sanitize})
endif()
if(CARDAN_COVERAGE)
  target_compile_options(cardan_flags INTERFACE --coverage)
  target_link_options(cardan_flags INTERFACE --coverage)
endif()

# OpenBLAS picks its kernels by the processor it finds. The reference libraries, which Debian keeps
# in folders of their own, do not; an old-style rpath makes what they load use them too
if(CARDAN_DETERMINISTIC)
  find_file(CARDAN_REFERENCE_LAPACK lapack/liblapack.so.3 PATHS /usr/lib
            PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE})
  find_file(CARDAN_REFERENCE_BLAS blas/libblas.so.3 PATHS /usr/lib
            PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE})
  if(CARDAN_REFERENCE_LAPACK AND CARDAN_REFERENCE_BLAS)
    get_filename_component(lapack_folder ${CARDAN_REFERENCE_LAPACK} DIRECTORY)
    get_filename_component(blas_folder ${CARDAN_REFERENCE_BLAS} DIRECTORY)
    set(CMAKE_BUILD_RPATH ${lapack_folder} ${blas_folder})
    set(CMAKE_INSTALL_RPATH ${lapack_folder} ${blas_folder})
    target_link_options(cardan_flags INTERFACE -Wl,--disable-new-dtags)
  else()
    message(WARNING "reference LAPACK was not found: LAPACK results may differ between machines")
  endif()
endif()
