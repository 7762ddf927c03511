# The libraries Cardan stands on, gathered as the target cardan::dependencies. Used by this build
# and, installed beside cardanConfig.cmake, by those who link the static library.
#   LAPACKE, LAPACK, BLAS   dense factorisations; on Debian the alternatives system picks OpenBLAS
#   SuiteSparse             sparse LDL^T of mechanisms with many loops (AMD, CAMD, LDL)
#   SUNDIALS                adaptive and stiff integrators (CVODE, ARKODE)
#   Qhull                   convex hulls of points and meshes, the reentrant library
#   expat                   robots in XML: URDF, SDF, MJCF
#   HDF5                    result files; the serial one where a parallel one is installed too
#   Threads                 of the system: many copies of a model at once
#   ODE                     where it is installed: another program's curves in reproductions

if(TARGET cardan::dependencies)
  return()
endif()
add_library(cardan::dependencies INTERFACE IMPORTED)
find_package(Threads REQUIRED)
target_link_libraries(cardan::dependencies INTERFACE Threads::Threads)

find_path(CARDAN_LAPACKE_INCLUDE lapacke.h REQUIRED)
find_path(CARDAN_SUNDIALS_INCLUDE sundials/sundials_config.h REQUIRED)
find_path(CARDAN_SUITESPARSE_INCLUDE ldl.h PATH_SUFFIXES suitesparse REQUIRED)
find_path(CARDAN_QHULL_INCLUDE libqhull_r/libqhull_r.h REQUIRED)
find_path(CARDAN_EXPAT_INCLUDE expat.h REQUIRED)
find_path(CARDAN_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
foreach(include LAPACKE SUNDIALS SUITESPARSE QHULL EXPAT HDF5)
  mark_as_advanced(CARDAN_${include}_INCLUDE)
  target_include_directories(cardan::dependencies INTERFACE ${CARDAN_${include}_INCLUDE})
endforeach()

# its header counts when the library is built; an installed one says whether it was built with it
if(NOT DEFINED CARDAN_WITH_ODE)
  find_path(CARDAN_ODE_INCLUDE ode/ode.h)
  find_library(CARDAN_LIBRARY_ode ode)
  mark_as_advanced(CARDAN_ODE_INCLUDE)
  set(CARDAN_WITH_ODE OFF)
  if(CARDAN_ODE_INCLUDE AND CARDAN_LIBRARY_ode)
    set(CARDAN_WITH_ODE ON)
  endif()
endif()

set(cardan_libraries sundials_arkode sundials_cvode sundials_nvecserial sundials_sunlinsoldense
                     sundials_sunmatrixdense ldl camd amd suitesparseconfig qhull_r hdf5 expat lapacke lapack blas m)
if(CARDAN_WITH_ODE)
  list(PREPEND cardan_libraries ode)
endif()
foreach(library IN LISTS cardan_libraries)
  find_library(CARDAN_LIBRARY_${library} NAMES ${library}_serial ${library} REQUIRED)
  mark_as_advanced(CARDAN_LIBRARY_${library})
  target_link_libraries(cardan::dependencies INTERFACE ${CARDAN_LIBRARY_${library}})
endforeach()
