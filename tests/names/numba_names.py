"""What programs import from numba.cuda, by module: names of numba-cuda 0.30, of Numba 0.68's own CUDA target, and of
older versions. RESOLVED: names that Treadle has, too. ABSENT: those where an error says what to use. An empty text: the
module itself. Modules of which no program makes use (parts of Numba's compiler) are left out.
"""

RESOLVED = {
    "numba.cuda": """
        BaseCUDAMemoryManager GetIpcHandleMixin HostOnlyCUDAMemoryManager IpcHandle MappedMemory PinnedMemory
        open_ipc_array set_memory_manager
        CudaSupportError In InOut KernelRuntimeError MemoryInfo MemoryPointer Out activemask all_sync any_sync
        as_cuda_array atomic ballot_sync blockDim blockIdx brev cbrt close clz compile compile_all
        compile_for_current_device compile_ptx compile_ptx_for_current_device const cuda_error current_context
        default_stream defer_cleanup detect device_array device_array_like eq_sync event event_elapsed_time
        external_stream ffs fma from_cuda_array_interface get_current_device gpus grid gridDim gridsize
        is_available is_bfloat16_supported is_cuda_array is_float16_supported is_fp8_supported
        is_supported_version jit laneid lanemask_lt legacy_default_stream list_devices local managed_array
        mapped mapped_array mapped_array_like match_all_sync match_any_sync nanosleep per_thread_default_stream
        pinned pinned_array pinned_array_like popc profile_start profile_stop profiling require_context
        runtime select_device selp shared
        shfl_down_sync shfl_sync shfl_up_sync shfl_xor_sync stream synchronize syncthreads syncthreads_and
        syncthreads_count syncthreads_or syncwarp threadIdx threadfence threadfence_block threadfence_system
        to_device warpsize
        contextlib devicearray driver np nvvm os reduction sys
    """,
    "numba.cuda.api": """
        as_cuda_array close current_context default_stream defer_cleanup detect device_array device_array_like
        open_ipc_array event event_elapsed_time external_stream from_cuda_array_interface get_current_device gpus
        is_bfloat16_supported is_cuda_array is_float16_supported is_fp8_supported legacy_default_stream
        list_devices managed_array mapped mapped_array mapped_array_like per_thread_default_stream pinned
        pinned_array pinned_array_like require_context select_device stream synchronize to_device
    """,
    "numba.cuda.args": "ArgHint In InOut Out wrap_arg",
    "numba.cuda.compiler": """
        Dispatcher compile compile_all compile_for_current_device compile_ptx compile_ptx_for_current_device
    """,
    "numba.cuda.core.config": "CUDA_LOW_OCCUPANCY_WARNINGS",
    "numba.cuda.core.errors": "NumbaPerformanceWarning TypingError",
    "numba.cuda.cudadrv": "",
    "numba.cuda.cudadrv.devicearray": """
        DeviceNDArray DeviceRecord IpcArrayHandle ManagedNDArray MappedNDArray auto_device from_array_like is_contiguous
        is_cuda_ndarray require_cuda_ndarray verify_cuda_ndarray_interface
    """,
    "numba.cuda.cudadrv.devices": "get_context gpus require_context reset",
    "numba.cuda.cudadrv.driver": """
        AutoFreePointer BaseCUDAMemoryManager GetIpcHandleMixin HostOnlyCUDAMemoryManager IpcHandle ManagedMemory
        ManagedOwnedPointer MappedMemory MappedOwnedPointer NumbaCUDAMemoryManager OwnedPointer PinnedMemory
        SUPPORTS_IPC set_memory_manager
        Context CudaAPIError DeadMemoryError Device Driver Event LinkerError MemoryInfo MemoryPointer Stream
        USE_NV_BINDING device_ctypes_pointer device_extents device_memory_size device_memset device_pointer
        device_to_device device_to_host driver event_elapsed_time get_version host_memory_extents
        host_memory_size host_pointer host_to_device is_device_memory profile_start profile_stop profiling
        require_device_memory
    """,
    "numba.cuda.cudadrv.drvapi": "CU_STREAM_DEFAULT CU_STREAM_LEGACY CU_STREAM_PER_THREAD",
    "numba.cuda.cudadrv.enums": """
        CUDA_ERROR_ALREADY_ACQUIRED CUDA_ERROR_ALREADY_MAPPED CUDA_ERROR_ARRAY_IS_MAPPED CUDA_ERROR_ASSERT
        CUDA_ERROR_CAPTURED_EVENT CUDA_ERROR_CDP_NOT_SUPPORTED CUDA_ERROR_CDP_VERSION_MISMATCH
        CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE CUDA_ERROR_CONTEXT_ALREADY_CURRENT
        CUDA_ERROR_CONTEXT_ALREADY_IN_USE CUDA_ERROR_CONTEXT_IS_DESTROYED
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE CUDA_ERROR_DEINITIALIZED CUDA_ERROR_DEVICE_NOT_LICENSED
        CUDA_ERROR_DEVICE_UNAVAILABLE CUDA_ERROR_ECC_UNCORRECTABLE CUDA_ERROR_EXTERNAL_DEVICE
        CUDA_ERROR_FILE_NOT_FOUND CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE CUDA_ERROR_HARDWARE_STACK_ERROR
        CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED
        CUDA_ERROR_ILLEGAL_INSTRUCTION CUDA_ERROR_ILLEGAL_STATE CUDA_ERROR_INVALID_ADDRESS_SPACE
        CUDA_ERROR_INVALID_CLUSTER_SIZE CUDA_ERROR_INVALID_CONTEXT CUDA_ERROR_INVALID_DEVICE
        CUDA_ERROR_INVALID_GRAPHICS_CONTEXT CUDA_ERROR_INVALID_HANDLE CUDA_ERROR_INVALID_IMAGE
        CUDA_ERROR_INVALID_PC CUDA_ERROR_INVALID_PTX CUDA_ERROR_INVALID_SOURCE CUDA_ERROR_INVALID_VALUE
        CUDA_ERROR_JIT_COMPILATION_DISABLED CUDA_ERROR_JIT_COMPILER_NOT_FOUND CUDA_ERROR_LAUNCH_FAILED
        CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES CUDA_ERROR_LAUNCH_TIMEOUT
        CUDA_ERROR_MAP_FAILED CUDA_ERROR_MISALIGNED_ADDRESS CUDA_ERROR_MPS_CLIENT_TERMINATED
        CUDA_ERROR_MPS_CONNECTION_FAILED CUDA_ERROR_MPS_MAX_CLIENTS_REACHED
        CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED CUDA_ERROR_MPS_RPC_FAILURE CUDA_ERROR_MPS_SERVER_NOT_READY
        CUDA_ERROR_NOT_FOUND CUDA_ERROR_NOT_INITIALIZED CUDA_ERROR_NOT_MAPPED CUDA_ERROR_NOT_MAPPED_AS_ARRAY
        CUDA_ERROR_NOT_MAPPED_AS_POINTER CUDA_ERROR_NOT_PERMITTED CUDA_ERROR_NOT_READY CUDA_ERROR_NOT_SUPPORTED
        CUDA_ERROR_NO_BINARY_FOR_GPU CUDA_ERROR_NO_DEVICE CUDA_ERROR_NVLINK_UNCORRECTABLE
        CUDA_ERROR_OPERATING_SYSTEM CUDA_ERROR_OUT_OF_MEMORY CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
        CUDA_ERROR_PEER_ACCESS_NOT_ENABLED CUDA_ERROR_PEER_ACCESS_UNSUPPORTED CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE
        CUDA_ERROR_PROFILER_ALREADY_STARTED CUDA_ERROR_PROFILER_ALREADY_STOPPED CUDA_ERROR_PROFILER_DISABLED
        CUDA_ERROR_PROFILER_NOT_INITIALIZED CUDA_ERROR_SHARED_OBJECT_INIT_FAILED
        CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED CUDA_ERROR_STREAM_CAPTURE_ISOLATION
        CUDA_ERROR_STREAM_CAPTURE_MERGE CUDA_ERROR_STREAM_CAPTURE_UNJOINED CUDA_ERROR_STREAM_CAPTURE_UNMATCHED
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD CUDA_ERROR_STUB_LIBRARY
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH CUDA_ERROR_SYSTEM_NOT_READY CUDA_ERROR_TIMEOUT
        CUDA_ERROR_TOO_MANY_PEERS CUDA_ERROR_UNKNOWN CUDA_ERROR_UNMAP_FAILED CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC
        CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY CUDA_ERROR_UNSUPPORTED_LIMIT CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        CUDA_SUCCESS CU_CTX_COREDUMP_ENABLE CU_CTX_FLAGS_MASK CU_CTX_LMEM_RESIZE_TO_MAX CU_CTX_MAP_HOST
        CU_CTX_SCHED_AUTO CU_CTX_SCHED_BLOCKING_SYNC CU_CTX_SCHED_MASK CU_CTX_SCHED_SPIN CU_CTX_SCHED_YIELD
        CU_CTX_SYNC_MEMOPS CU_CTX_USER_COREDUMP_ENABLE CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z CU_DEVICE_ATTRIBUTE_MAX_PITCH
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
        CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID CU_EVENT_BLOCKING_SYNC CU_EVENT_DEFAULT
        CU_EVENT_DISABLE_TIMING CU_EVENT_INTERPROCESS CU_FUNC_CACHE_PREFER_EQUAL CU_FUNC_CACHE_PREFER_L1
        CU_FUNC_CACHE_PREFER_NONE CU_FUNC_CACHE_PREFER_SHARED CU_JIT_CACHE_MODE CU_JIT_ERROR_LOG_BUFFER
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES CU_JIT_FALLBACK_STRATEGY CU_JIT_GENERATE_DEBUG_INFO
        CU_JIT_GENERATE_LINE_INFO CU_JIT_INFO_LOG_BUFFER CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES CU_JIT_INPUT_CUBIN
        CU_JIT_INPUT_FATBINARY CU_JIT_INPUT_LIBRARY CU_JIT_INPUT_OBJECT CU_JIT_INPUT_PTX CU_JIT_LOG_VERBOSE
        CU_JIT_MAX_REGISTERS CU_JIT_NUM_INPUT_TYPES CU_JIT_OPTIMIZATION_LEVEL CU_JIT_TARGET
        CU_JIT_TARGET_FROM_CUCONTEXT CU_JIT_THREADS_PER_BLOCK CU_JIT_WALL_TIME CU_MEMHOSTALLOC_DEVICEMAP
        CU_MEMHOSTALLOC_PORTABLE CU_MEMHOSTALLOC_WRITECOMBINED CU_MEMHOSTREGISTER_DEVICEMAP
        CU_MEMHOSTREGISTER_IOMEMORY CU_MEMHOSTREGISTER_PORTABLE CU_MEMHOSTREGISTER_READ_ONLY CU_MEMORYTYPE_ARRAY
        CU_MEMORYTYPE_DEVICE CU_MEMORYTYPE_HOST CU_MEMORYTYPE_UNIFIED CU_MEM_ATTACH_GLOBAL CU_MEM_ATTACH_HOST
        CU_MEM_ATTACH_SINGLE
    """,
    "numba.cuda.cudadrv.error": """
        CCSupportError CudaAPIError CudaDriverError CudaRuntimeError CudaSupportError LinkerError
        NvrtcCompilationError NvrtcError NvrtcSupportError NvvmError NvvmSupportError NvvmWarning
    """,
    "numba.cuda.cudadrv.libs": "test",
    "numba.cuda.cudadrv.linkable_code": "",
    "numba.cuda.cudadrv.nvrtc": "get_arch_option",
    "numba.cuda.cudadrv.nvvm": "get_arch_option is_available",
    "numba.cuda.cudadrv.runtime": "CudaRuntimeAPIError Runtime get_version runtime",
    "numba.cuda.decorators": "jit",
    "numba.cuda.device_init": """
        BaseCUDAMemoryManager GetIpcHandleMixin HostOnlyCUDAMemoryManager IpcHandle MappedMemory PinnedMemory
        open_ipc_array set_memory_manager
        CudaSupportError In InOut KernelRuntimeError MemoryInfo MemoryPointer Out activemask all_sync any_sync
        as_cuda_array atomic
    """,
    "numba.cuda.dispatcher": """
        CUDADispatcher Dispatcher ForAll missing_launch_config_msg normalize_kernel_dimensions wrap_arg
    """,
    "numba.cuda.errors": """
        CudaLoweringError KernelRuntimeError LoweringError UnsupportedBytecodeError missing_launch_config_msg
        normalize_kernel_dimensions
    """,
    "numba.cuda.initialize": "initialize_all",
    "numba.cuda.intrinsics": """
        all_sync any_sync ballot_sync eq_sync grid gridsize shfl_down_sync shfl_sync shfl_up_sync shfl_xor_sync
        syncthreads syncthreads_and syncthreads_count syncthreads_or
    """,
    "numba.cuda.np.numpy_support": "as_dtype from_dtype",
    "numba.cuda.simulator": "reset",
    "numba.cuda.simulator_init": "cuda_error is_available",
    "numba.cuda.stubs": """
        activemask atomic blockDim blockIdx brev cbrt clz const ffs fma gridDim laneid lanemask_lt local
        match_all_sync match_any_sync nanosleep popc selp shared syncwarp threadIdx threadfence
        threadfence_block threadfence_system warpsize
    """,
    "numba.cuda.testing": """
        CUDATestCase ContextResettingTestCase skip_if_external_memmgr skip_on_cudasim skip_unless_cc_50
        skip_unless_cc_53 skip_unless_cc_60 skip_unless_cudasim xfail_unless_cudasim
    """,
    "numba.cuda.fp16": """
        habs hadd hceil hcos hdiv heq hexp hexp10 hexp2 hfloor hfma hge hgt hle hlog hlog10 hlog2 hlt hmax hmin
        hmul hne hneg hrcp hrint hrsqrt hsin hsqrt hsub htrunc
    """,
    "numba.cuda.types": """
        Array Boolean Complex Float Integer NoneType Number Omitted Optional Record Tuple Type UniTuple b1 bool
        bool_ boolean byte c16 c8 char complex128 complex64 double f2 f4 f8 float16 float32 float64 i1 i2 i4 i8 int16
        int32 int64 int8 int_ intc intp long_ longlong none optional short size_t ssize_t u1 u2 u4 u8 uchar uint
        uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong ushort void
    """,
    "numba.cuda.typing": "",
    "numba.cuda.typing.typeof": "typeof",
}  # fmt: skip

ABSENT = {
    "numba.cuda": """
        Archive CUSource Cubin Dim3 Fatbin GridGroup
        LTOIR LinkableCode Object PTXSource Reduce
        bfloat16 char1 char2 char3 char4 config_default_cc declare_device dim3 double1 double2
        double3 double4 float1 float2 float3 float32x1 float32x2 float32x3 float32x4 float4 float64x1 float64x2
        float64x3 float64x4 grid_group guvectorize implementation int1 int16x1 int16x2 int16x3 int16x4 int2
        int3 int32x1 int32x2 int32x3 int32x4 int4 int64x1 int64x2 int64x3 int64x4 int8x1 int8x2 int8x3 int8x4
        ldca ldcg ldcs ldcv ldlu literal_unroll long1 long2 long3 long4 longlong1 longlong2 longlong3 longlong4
        numba_cuda_default_ptx_cc prepare_shape_strides_dtype
        reduce shfl_sync_intrinsic short1 short2 short3 short4 stcg stcs stwb stwt
        test uchar1 uchar2 uchar3 uchar4 uint1 uint16x1 uint16x2 uint16x3 uint16x4 uint2 uint3 uint32x1 uint32x2
        uint32x3 uint32x4 uint4 uint64x1 uint64x2 uint64x3 uint64x4 uint8x1 uint8x2 uint8x3 uint8x4 ulong1
        ulong2 ulong3 ulong4 ulonglong1 ulonglong2 ulonglong3 ulonglong4 ushort1 ushort2 ushort3 ushort4
        vectorize vote_sync_intrinsic
    """,
    "numba.cuda.api": "prepare_shape_strides_dtype",
    "numba.cuda.bf16": "",
    "numba.cuda.cache_hints": "",
    "numba.cuda.cg": "",
    "numba.cuda.cgutils": "",
    "numba.cuda.codegen": "",
    "numba.cuda.compiler": """
        CUDACompiler CUDAFlags CompilerBase DefaultPassBuilder PassManager add_exception_store_helper
        cabi_wrap_function compile_cuda compile_extra compile_internal compile_ir
        cuda_compile_result cuda_target declare_device_function declare_device_function_template
        get_current_device global_compiler_lock kernel_fixup register_pass run_frontend
        sanitize_compile_result_entries
    """,
    "numba.cuda.cuda_paths": "",
    "numba.cuda.cudadecl": "",
    "numba.cuda.cudadrv.devicearray": """
        DeviceNDArrayBase array_core check_array_compatibility errmsg_contiguous_buffer
        from_record_like sentry_contiguous
    """,
    "numba.cuda.cudadrv.devices": "USE_NV_BINDING",
    "numba.cuda.cudadrv.driver": """
        API_PROTOTYPES CU_STREAM_DEFAULT CtypesFunction CtypesLinker
        CtypesModule CudaPythonFunction CudaPythonLinker CudaPythonModule DRIVER_LOAD_ERROR_MSG
        DRIVER_NOT_FOUND_MSG FILE_EXTENSION_MAP FuncAttr Function
        Linker MIN_REQUIRED_CC MVCLinker
        Module
        device_memory_depends find_driver get_devptr_for_active_ctx inspect_obj_content launch_kernel
        load_driver load_module_image load_module_image_ctypes load_module_image_cuda_python
        locate_driver_and_loader make_logger memory_size_from_info met_requirement_for_device
    """,
    "numba.cuda.cudadrv.drvapi": "API_PROTOTYPES cu_ipc_mem_handle cu_uuid",
    "numba.cuda.cudadrv.dummyarray": "",
    "numba.cuda.cudadrv.error": "NvrtcBuiltinOperationFailure",
    "numba.cuda.cudadrv.libs": """
        check_cuda_include_dir check_static_lib get_cuda_include_dir get_cudalib get_libdevice open_cudalib
        open_libdevice
    """,
    "numba.cuda.cudadrv.linkable_code": """
        Archive CUSource Cubin FILE_EXTENSION_MAP Fatbin LTOIR LinkableCode Object PTXSource
    """,
    "numba.cuda.cudadrv.mappings": "",
    "numba.cuda.cudadrv.ndarray": "",
    "numba.cuda.cudadrv.nvrtc": """
        NVRTC NVRTC_EXTRA_SEARCH_PATHS NvrtcProgram NvrtcResult compile find_closest_arch
        get_lowest_supported_cc get_supported_ccs
    """,
    "numba.cuda.cudadrv.nvvm": """
        ADDRSPACE_CONSTANT ADDRSPACE_GENERIC ADDRSPACE_GLOBAL ADDRSPACE_LOCAL ADDRSPACE_SHARED
        COMPUTE_CAPABILITIES CTK_SUPPORTED CompilationUnit LibDevice MISSING_LIBDEVICE_FILE_MSG NVVM
        NVVM_ERROR_COMPILATION NVVM_ERROR_INVALID_INPUT NVVM_ERROR_INVALID_IR NVVM_ERROR_INVALID_OPTION
        NVVM_ERROR_INVALID_PROGRAM NVVM_ERROR_IR_VERSION_MISMATCH NVVM_ERROR_NO_MODULE_IN_PROGRAM
        NVVM_ERROR_OUT_OF_MEMORY NVVM_ERROR_PROGRAM_CREATION_FAILURE NVVM_SUCCESS RESULT_CODE_NAMES
        add_ir_version cas_nvvm ccs_supported_by_ctk compile_ir find_closest_arch get_supported_ccs ir_cas
        ir_numba_atomic_binary ir_numba_atomic_binary_template ir_numba_atomic_dec ir_numba_atomic_dec_template
        ir_numba_atomic_inc ir_numba_atomic_inc_template ir_numba_atomic_minmax ir_numba_atomic_minmax_template
        llvm140_to_70_ir llvm150_to_70_ir llvm_replace set_cuda_kernel set_launch_bounds
    """,
    "numba.cuda.cudadrv.rtapi": "",
    "numba.cuda.cudadrv.runtime": "API_PROTOTYPES SUPPORTED_TOOLKIT_MAJOR_VERSIONS",
    "numba.cuda.cudaimpl": "",
    "numba.cuda.cudamath": "",
    "numba.cuda.datamodel": "",
    "numba.cuda.debuginfo": "",
    "numba.cuda.decorators": "declare_device",
    "numba.cuda.descriptor": "",
    "numba.cuda.deviceufunc": "",
    "numba.cuda.dispatcher": """
        CUDACache CUDACacheImpl CUDACompiler Cache CacheImpl CompilingCounter Flags LiftedCode LiftedLoop
        LiftedWith LinkableCode NRT_LIBRARY NullCache ObjModeLiftedWith OmittedArg Purpose compile_cuda
        compile_extra compile_ir cuda_fp16_math_funcs cuda_target default_type_manager fold_arguments
        get_code_object get_context get_current_device global_compiler_lock kernel_fixup module_init_lock
        reshape_funcs rtsys typeof
    """,
    "numba.cuda.extending": "",
    "numba.cuda.fp8": "",
    "numba.cuda.intrinsics": "cuda_warpsize integer_bit_count shfl_sync_intrinsic vote_sync_intrinsic",
    "numba.cuda.kernels": "",
    "numba.cuda.kernels.reduction": "",
    "numba.cuda.libdevice": "",
    "numba.cuda.libdevicedecl": "",
    "numba.cuda.libdevicefuncs": "",
    "numba.cuda.libdeviceimpl": "",
    "numba.cuda.lowering": "",
    "numba.cuda.mathimpl": "",
    "numba.cuda.memory_management": "",
    "numba.cuda.models": "",
    "numba.cuda.nvvmutils": "",
    "numba.cuda.printimpl": "",
    "numba.cuda.random": "",
    "numba.cuda.serialize": "",
    "numba.cuda.simulator": "ldca ldcg ldcs ldcv ldlu stcg stcs stwb stwt",
    "numba.cuda.simulator_init": "ldca ldcg ldcs ldcv ldlu stcg stcs stwb stwt",
    "numba.cuda.stubs": """
        Dim3 Stub fp16 make_vector_type_stubs map_vector_type_stubs_to_alias shfl_sync_intrinsic stub_function
        vote_sync_intrinsic
    """,
    "numba.cuda.target": "",
    "numba.cuda.testing": """
        ForeignArray cc_X_or_above cudadevrt_missing ensure_supported_ccs_initialized
        skip_if_cuda_includes_missing skip_if_cudadevrt_missing skip_if_mvc_enabled
        skip_if_mvc_libraries_unavailable skip_on_arm skip_under_cuda_memcheck skip_unless_cc_75
        skip_unless_conda_cudatoolkit skip_with_cuda_python skip_with_nvdisasm skip_without_nvdisasm
    """,
    "numba.cuda.types": """
        CUDADispatcher Dim3 GridGroup ListType Literal bfloat16 deferred_type dim3 ffi ffi_forced_object
        grid_group unicode_type
    """,
    "numba.cuda.ufuncs": "",
    "numba.cuda.vector_types": "",
    "numba.cuda.vectorizers": "",
}  # fmt: skip
