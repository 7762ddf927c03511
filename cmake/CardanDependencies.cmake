# The libraries Cardan stands on, gathered as the target cardan::dependencies. Used by this build
# and, installed beside cardanConfig.cmake, by those who link the static library.
#   LAPACK, BLAS            dense factorisations; on Debian the alternatives system picks OpenBLAS.
#                           Its header is LAPACKE's; that library itself is not needed
#   SuiteSparse             sparse LDL^T of mechanisms with many loops (AMD, LDL)
#   SUNDIALS                adaptive and stiff integrators (CVODE, ARKODE)
#   Qhull                   convex hulls of points and meshes, the reentrant library
#   expat                   robots in XML: URDF, SDF, MJCF
#   Threads                 of the system: many copies of a model at once
# Those that are loaded when they are first used are in CardanLazyLibrary.cmake.

if(TARGET cardan::dependencies)
  return()
endif()
add_library(cardan::dependencies INTERFACE IMPORTED)
find_package(Threads REQUIRED)
target_link_libraries(cardan::dependencies INTERFACE Threads::Threads)

find_path(CARDAN_LAPACK_INCLUDE lapack.h REQUIRED)
find_path(CARDAN_SUNDIALS_INCLUDE sundials/sundials_config.h REQUIRED)
find_path(CARDAN_SUITESPARSE_INCLUDE ldl.h PATH_SUFFIXES suitesparse REQUIRED)
find_path(CARDAN_QHULL_INCLUDE libqhull_r/libqhull_r.h REQUIRED)
find_path(CARDAN_EXPAT_INCLUDE expat.h REQUIRED)
foreach(include LAPACK SUNDIALS SUITESPARSE QHULL EXPAT)
  mark_as_advanced(CARDAN_${include}_INCLUDE)
  target_include_directories(cardan::dependencies INTERFACE ${CARDAN_${include}_INCLUDE})
endforeach()

set(cardan_libraries sundials_arkode sundials_cvode sundials_nvecserial sundials_sunlinsoldense
                     sundials_sunmatrixdense ldl amd suitesparseconfig qhull_r expat lapack blas m)
foreach(library IN LISTS cardan_libraries)
  find_library(CARDAN_LIBRARY_${library} ${library} REQUIRED)
  mark_as_advanced(CARDAN_LIBRARY_${library})
  target_link_libraries(cardan::dependencies INTERFACE ${CARDAN_LIBRARY_${library}})
endforeach()
