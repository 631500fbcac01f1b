/* Sizes and offsets of all structs of the header, as numbers: programs that were built before must go on working. */
#include "treadle/treadle.h"

#define SIZE(type, bytes) typedef char size_of_##type[sizeof(type) == (bytes) ? 1 : -1]
#define AT(type, field, bytes) typedef char type##_##field[offsetof(type, field) == (bytes) ? 1 : -1]

SIZE(treadle_status, 4);
SIZE(treadle_array, 8);

SIZE(treadle_device_info, 312);
AT(treadle_device_info, struct_size, 0);
AT(treadle_device_info, compute_capability, 4);
AT(treadle_device_info, dlpack_type, 8);
AT(treadle_device_info, dlpack_id, 12);
AT(treadle_device_info, memory_bytes, 16);
AT(treadle_device_info, threads_per_block, 24);
AT(treadle_device_info, shared_bytes, 28);
AT(treadle_device_info, multiprocessors, 32);
AT(treadle_device_info, kind, 40);
AT(treadle_device_info, name, 56);

SIZE(treadle_memory_info, 40);
AT(treadle_memory_info, kind, 4);
AT(treadle_memory_info, bytes, 8);
AT(treadle_memory_info, address, 16);
AT(treadle_memory_info, host_visible, 24);
AT(treadle_memory_info, device, 32);

SIZE(treadle_array_desc, 128);
AT(treadle_array_desc, abi_major, 0);
AT(treadle_array_desc, abi_minor, 4);
AT(treadle_array_desc, struct_size, 8);
AT(treadle_array_desc, flags, 12);
AT(treadle_array_desc, data, 16);
AT(treadle_array_desc, device_type, 24);
AT(treadle_array_desc, device_id, 28);
AT(treadle_array_desc, code, 32);
AT(treadle_array_desc, bits, 33);
AT(treadle_array_desc, lanes, 34);
AT(treadle_array_desc, itemsize, 36);
AT(treadle_array_desc, ndim, 40);
AT(treadle_array_desc, stream_kind, 44);
AT(treadle_array_desc, stream, 48);
AT(treadle_array_desc, event, 56);
AT(treadle_array_desc, shape, 64);
AT(treadle_array_desc, byte_strides, 72);
AT(treadle_array_desc, typestr, 80);
AT(treadle_array_desc, descr, 88);
AT(treadle_array_desc, mask, 96);
AT(treadle_array_desc, owner, 104);
AT(treadle_array_desc, retain, 112);
AT(treadle_array_desc, release, 120);

SIZE(treadle_dl_tensor, 48);
AT(treadle_dl_tensor, device_type, 8);
AT(treadle_dl_tensor, ndim, 16);
AT(treadle_dl_tensor, code, 20);
AT(treadle_dl_tensor, bits, 21);
AT(treadle_dl_tensor, lanes, 22);
AT(treadle_dl_tensor, shape, 24);
AT(treadle_dl_tensor, strides, 32);
AT(treadle_dl_tensor, byte_offset, 40);
SIZE(treadle_dl_managed, 64);
AT(treadle_dl_managed, context, 48);
AT(treadle_dl_managed, deleter, 56);
SIZE(treadle_dl_versioned, 80);
AT(treadle_dl_versioned, minor, 4);
AT(treadle_dl_versioned, context, 8);
AT(treadle_dl_versioned, deleter, 16);
AT(treadle_dl_versioned, flags, 24);
AT(treadle_dl_versioned, tensor, 32);

SIZE(treadle_image_source, 32);
AT(treadle_image_source, format, 4);
AT(treadle_image_source, data, 8);
AT(treadle_image_source, bytes, 16);
AT(treadle_image_source, path, 24);

SIZE(treadle_kernel_info, 64);
AT(treadle_kernel_info, flags, 4);
AT(treadle_kernel_info, parameters, 8);
AT(treadle_kernel_info, parameter_bytes, 12);
AT(treadle_kernel_info, shared_bytes, 16);
AT(treadle_kernel_info, local_bytes, 20);
AT(treadle_kernel_info, registers, 24);
AT(treadle_kernel_info, max_threads, 28);
AT(treadle_kernel_info, name, 32);
AT(treadle_kernel_info, signature, 40);
AT(treadle_kernel_info, target, 48);
AT(treadle_kernel_info, facts, 56);

SIZE(treadle_parameter_info, 40);
AT(treadle_parameter_info, kind, 4);
AT(treadle_parameter_info, code, 8);
AT(treadle_parameter_info, bits, 9);
AT(treadle_parameter_info, lanes, 10);
AT(treadle_parameter_info, ndim, 12);
AT(treadle_parameter_info, layout, 16);
AT(treadle_parameter_info, writes, 20);
AT(treadle_parameter_info, type, 24);
AT(treadle_parameter_info, name, 32);

SIZE(treadle_argument, 24);
AT(treadle_argument, kind, 0);
AT(treadle_argument, bytes, 4);
AT(treadle_argument, value, 8);
SIZE(treadle_launch_config, 56);
AT(treadle_launch_config, argument_size, 4);
AT(treadle_launch_config, grid, 8);
AT(treadle_launch_config, block, 20);
AT(treadle_launch_config, cluster, 32);
AT(treadle_launch_config, shared_bytes, 44);
AT(treadle_launch_config, stream, 48);

int main(void) { return 0; }
