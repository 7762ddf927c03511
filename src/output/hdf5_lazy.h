/* SPDX-License-Identifier: Apache-2.0
 * output/hdf5_lazy.h - HDF5's names, each an entry of a table that is filled when a result is first
 * written or read (cardan/lazy_library.h). Code that includes this is written as for HDF5 itself.
 * */
#pragma once
#include <hdf5.h>

#include "cardan/base.h"

/* Functions, and numbers that HDF5's macros stand for. */
// clang-format off
#define CARDAN__HDF5_CALLS(X)                                                                      \
  X(H5open) X(H5check_version)                                                                     \
  X(H5Aclose) X(H5Acreate2) X(H5Aexists) X(H5Aget_space) X(H5Aget_type) X(H5Aiterate2) X(H5Aopen)  \
  X(H5Aread) X(H5Awrite)                                                                           \
  X(H5Dclose) X(H5Dcreate2) X(H5Dget_create_plist) X(H5Dget_space) X(H5Dget_storage_size)          \
  X(H5Dget_type) X(H5Dopen2) X(H5Dread) X(H5Dset_extent) X(H5Dwrite)                               \
  X(H5Eget_auto2) X(H5Eset_auto2) X(H5Ewalk2)                                                      \
  X(H5FDregister) X(H5FDunregister) X(H5Fclose) X(H5Fcreate) X(H5Fopen)                            \
  X(H5Gclose) X(H5Gcreate2) X(H5Gget_info) X(H5Gopen2) X(H5Lexists) X(H5Lget_info) X(H5Literate)   \
  X(H5Oget_info)                                                                                   \
  X(H5Pclose) X(H5Pcreate) X(H5Pget_driver_info) X(H5Pget_external_count) X(H5Pget_layout)         \
  X(H5Pset_chunk) X(H5Pset_chunk_cache)                                                            \
  X(H5Pset_driver) X(H5Pset_fclose_degree) X(H5Pset_file_locking) X(H5Pset_fill_value)             \
  X(H5Pset_obj_track_times)                                                                        \
  X(H5Sclose) X(H5Screate) X(H5Screate_simple) X(H5Sget_simple_extent_dims)                        \
  X(H5Sget_simple_extent_ndims) X(H5Sget_simple_extent_npoints) X(H5Sselect_hyperslab)             \
  X(H5Tclose) X(H5Tcopy) X(H5Tget_class) X(H5Tget_size) X(H5Tis_variable_str) X(H5Tset_cset)       \
  X(H5Tset_size)                                                                                   \
  X(H5P_CLS_DATASET_ACCESS_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g) X(H5P_CLS_FILE_ACCESS_ID_g)        \
  X(H5P_CLS_FILE_CREATE_ID_g) X(H5T_C_S1_g) X(H5T_IEEE_F64LE_g) X(H5T_NATIVE_DOUBLE_g)         \
  X(H5T_NATIVE_INT_g)                                                                              \
  X(H5Dflush) X(H5Fstart_swmr_write) X(H5Odisable_mdc_flushes) X(H5Oenable_mdc_flushes)            \
  X(H5Pget_chunk) X(H5Pset_attr_phase_change) X(H5Pset_fletcher32) X(H5Pset_libver_bounds)    \
  X(H5P_CLS_GROUP_CREATE_ID_g) X(H5T_NATIVE_UINT64_g) X(H5T_STD_U8LE_g)       \
  X(H5T_NATIVE_UCHAR_g) X(H5Pget_filter2) X(H5Pget_nfilters) X(H5Tequal)          \
  X(H5Pset_metadata_read_attempts)
// clang-format on

/* The one table; NULLs until cardan__hdf5_load. */
typedef struct {
#define CARDAN__HDF5_FIELD(name) __typeof__(name) *name##_at;
  CARDAN__HDF5_CALLS(CARDAN__HDF5_FIELD)
#undef CARDAN__HDF5_FIELD
} cardan__hdf5_calls;
extern cardan__hdf5_calls cardan__hdf5;

/* Before any other call of HDF5. returns CARDAN_ERR_IO and a sentence where it cannot be loaded */
CARDAN_MUST_USE cardan_status cardan__hdf5_load(cardan_report *report);

#define H5open (*cardan__hdf5.H5open_at)
#define H5check_version (*cardan__hdf5.H5check_version_at)
#define H5Aclose (*cardan__hdf5.H5Aclose_at)
#define H5Acreate2 (*cardan__hdf5.H5Acreate2_at)
#define H5Aexists (*cardan__hdf5.H5Aexists_at)
#define H5Aget_space (*cardan__hdf5.H5Aget_space_at)
#define H5Aget_type (*cardan__hdf5.H5Aget_type_at)
#define H5Aiterate2 (*cardan__hdf5.H5Aiterate2_at)
#define H5Aopen (*cardan__hdf5.H5Aopen_at)
#define H5Aread (*cardan__hdf5.H5Aread_at)
#define H5Awrite (*cardan__hdf5.H5Awrite_at)
#define H5Dclose (*cardan__hdf5.H5Dclose_at)
#define H5Dcreate2 (*cardan__hdf5.H5Dcreate2_at)
#define H5Dget_create_plist (*cardan__hdf5.H5Dget_create_plist_at)
#define H5Dget_space (*cardan__hdf5.H5Dget_space_at)
#define H5Dget_storage_size (*cardan__hdf5.H5Dget_storage_size_at)
#define H5Dget_type (*cardan__hdf5.H5Dget_type_at)
#define H5Dopen2 (*cardan__hdf5.H5Dopen2_at)
#define H5Dread (*cardan__hdf5.H5Dread_at)
#define H5Dset_extent (*cardan__hdf5.H5Dset_extent_at)
#define H5Dwrite (*cardan__hdf5.H5Dwrite_at)
#define H5Eget_auto2 (*cardan__hdf5.H5Eget_auto2_at)
#define H5Eset_auto2 (*cardan__hdf5.H5Eset_auto2_at)
#define H5Ewalk2 (*cardan__hdf5.H5Ewalk2_at)
#define H5FDregister (*cardan__hdf5.H5FDregister_at)
#define H5FDunregister (*cardan__hdf5.H5FDunregister_at)
#define H5Fclose (*cardan__hdf5.H5Fclose_at)
#define H5Fcreate (*cardan__hdf5.H5Fcreate_at)
#define H5Fopen (*cardan__hdf5.H5Fopen_at)
#define H5Gclose (*cardan__hdf5.H5Gclose_at)
#define H5Gcreate2 (*cardan__hdf5.H5Gcreate2_at)
#define H5Gget_info (*cardan__hdf5.H5Gget_info_at)
#define H5Gopen2 (*cardan__hdf5.H5Gopen2_at)
#define H5Lexists (*cardan__hdf5.H5Lexists_at)
#define H5Lget_info (*cardan__hdf5.H5Lget_info_at)
#define H5Literate (*cardan__hdf5.H5Literate_at)
#define H5Oget_info (*cardan__hdf5.H5Oget_info_at)
#define H5Pclose (*cardan__hdf5.H5Pclose_at)
#define H5Pcreate (*cardan__hdf5.H5Pcreate_at)
#define H5Pget_driver_info (*cardan__hdf5.H5Pget_driver_info_at)
#define H5Pget_external_count (*cardan__hdf5.H5Pget_external_count_at)
#define H5Pget_layout (*cardan__hdf5.H5Pget_layout_at)
#define H5Pset_chunk (*cardan__hdf5.H5Pset_chunk_at)
#define H5Pset_chunk_cache (*cardan__hdf5.H5Pset_chunk_cache_at)
#define H5Pset_driver (*cardan__hdf5.H5Pset_driver_at)
#define H5Pset_fclose_degree (*cardan__hdf5.H5Pset_fclose_degree_at)
#define H5Pset_file_locking (*cardan__hdf5.H5Pset_file_locking_at)
#define H5Pset_fill_value (*cardan__hdf5.H5Pset_fill_value_at)
#define H5Pset_obj_track_times (*cardan__hdf5.H5Pset_obj_track_times_at)
#define H5Sclose (*cardan__hdf5.H5Sclose_at)
#define H5Screate (*cardan__hdf5.H5Screate_at)
#define H5Screate_simple (*cardan__hdf5.H5Screate_simple_at)
#define H5Sget_simple_extent_dims (*cardan__hdf5.H5Sget_simple_extent_dims_at)
#define H5Sget_simple_extent_ndims (*cardan__hdf5.H5Sget_simple_extent_ndims_at)
#define H5Sget_simple_extent_npoints (*cardan__hdf5.H5Sget_simple_extent_npoints_at)
#define H5Sselect_hyperslab (*cardan__hdf5.H5Sselect_hyperslab_at)
#define H5Tclose (*cardan__hdf5.H5Tclose_at)
#define H5Tcopy (*cardan__hdf5.H5Tcopy_at)
#define H5Tget_class (*cardan__hdf5.H5Tget_class_at)
#define H5Tget_size (*cardan__hdf5.H5Tget_size_at)
#define H5Tis_variable_str (*cardan__hdf5.H5Tis_variable_str_at)
#define H5Tset_cset (*cardan__hdf5.H5Tset_cset_at)
#define H5Tset_size (*cardan__hdf5.H5Tset_size_at)
#define H5P_CLS_DATASET_ACCESS_ID_g (*cardan__hdf5.H5P_CLS_DATASET_ACCESS_ID_g_at)
#define H5P_CLS_DATASET_CREATE_ID_g (*cardan__hdf5.H5P_CLS_DATASET_CREATE_ID_g_at)
#define H5P_CLS_FILE_ACCESS_ID_g (*cardan__hdf5.H5P_CLS_FILE_ACCESS_ID_g_at)
#define H5P_CLS_FILE_CREATE_ID_g (*cardan__hdf5.H5P_CLS_FILE_CREATE_ID_g_at)
#define H5T_C_S1_g (*cardan__hdf5.H5T_C_S1_g_at)
#define H5T_IEEE_F64LE_g (*cardan__hdf5.H5T_IEEE_F64LE_g_at)
#define H5T_NATIVE_DOUBLE_g (*cardan__hdf5.H5T_NATIVE_DOUBLE_g_at)
#define H5T_NATIVE_INT_g (*cardan__hdf5.H5T_NATIVE_INT_g_at)
#define H5Dflush (*cardan__hdf5.H5Dflush_at)
#define H5Fstart_swmr_write (*cardan__hdf5.H5Fstart_swmr_write_at)
#define H5Odisable_mdc_flushes (*cardan__hdf5.H5Odisable_mdc_flushes_at)
#define H5Oenable_mdc_flushes (*cardan__hdf5.H5Oenable_mdc_flushes_at)
#define H5Pset_attr_phase_change (*cardan__hdf5.H5Pset_attr_phase_change_at)
#define H5Pset_fletcher32 (*cardan__hdf5.H5Pset_fletcher32_at)
#define H5Pset_libver_bounds (*cardan__hdf5.H5Pset_libver_bounds_at)
#define H5T_NATIVE_UINT64_g (*cardan__hdf5.H5T_NATIVE_UINT64_g_at)
#define H5T_NATIVE_UCHAR_g (*cardan__hdf5.H5T_NATIVE_UCHAR_g_at)
#define H5T_STD_U8LE_g (*cardan__hdf5.H5T_STD_U8LE_g_at)
#define H5P_CLS_GROUP_CREATE_ID_g (*cardan__hdf5.H5P_CLS_GROUP_CREATE_ID_g_at)
#define H5Pget_chunk (*cardan__hdf5.H5Pget_chunk_at)
#define H5Pget_filter2 (*cardan__hdf5.H5Pget_filter2_at)
#define H5Pget_nfilters (*cardan__hdf5.H5Pget_nfilters_at)
#define H5Tequal (*cardan__hdf5.H5Tequal_at)
#define H5Pset_metadata_read_attempts (*cardan__hdf5.H5Pset_metadata_read_attempts_at)
