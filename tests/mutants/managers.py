# Memory managers of other libraries, and memory that processes share, go wrong.

from mutants.tree import Mutant

MANAGERS = "python/treadle/devices/memory_managers.py"
POINTERS = "python/treadle/devices/memory_pointers.py"
IPC = "python/treadle/devices/ipc.py"
IPC_ARRAYS = "python/treadle/devices/ipc_arrays.py"
PLUGINS = "python/treadle/devices/external_memory.py"
PAGES = "src/device/cpu/threads/page_memory.cpp"
EXTERNAL = "src/memory/external_memory.cpp"
SHARED = "src/python/arrays/shared_memory.cpp"


def used(name):
    return f"tests/memory/test_memory_managers.py::{name}"


def chosen(name):
    return f"tests/memory/test_choosing_managers.py::{name}"


def shared(name):
    return f"tests/memory/test_ipc.py::{name}"


MUTANTS = [
    Mutant(
        "managers_are_asked_for_no_bytes",
        EXTERNAL,
        "if (request.bytes > 0)",
        "if (true)",
        used("test_nothing_is_asked_for_arrays_without_elements"),
    ),
    Mutant(
        "memory_of_managers_has_no_owner",
        EXTERNAL,
        "  allocation.block->owner = std::move(piece.owner);\n",
        "  allocation.block->owner = MemoryOwner{.owner = {}, .kind = request.kind};\n",
        used("test_arrays_have_their_memory_from_it"),
    ),
    Mutant(
        "shortages_wait_for_nothing",
        EXTERNAL,
        "for (const MemoryBlock *block = lent.front(); block;",
        "for (const MemoryBlock *block = nullptr; block;",
        used("test_a_shortage_waits_for_what_streams_use"),
    ),
    Mutant(
        "own_memory_is_the_managers_too",
        "src/memory/memory_manager.cpp",
        "external.load(std::memory_order_relaxed) && !request.isOwn",
        "external.load(std::memory_order_relaxed)",
        used("test_memory_of_the_host"),
    ),
    Mutant(
        "managers_are_asked_without_their_device",
        "src/python/arrays/python_memory.cpp",
        "    const SelectedDevice selected(&device);\n",
        "",
        "tests/cuda/test_memory_managers.py::test_threads_without_a_context_get_one",
    ),
    Mutant(
        "finalizers_run_without_their_device",
        "src/python/arrays/python_memory.cpp",
        "if (device.generation() == generation)",
        "if (false)",
        "tests/cuda/test_memory_managers.py::test_threads_without_a_context_get_one",
    ),
    Mutant(
        "finalizers_open_the_device_after_a_reset",
        "src/python/arrays/python_memory.cpp",
        "if (device.generation() == generation)",
        "if (true)",
        "tests/cuda/test_memory_managers.py::test_resets_come_before_the_context_ends",
    ),
    Mutant(
        "finalizers_run_at_exit",
        POINTERS,
        "    finalizer.atexit = False\n",
        "",
        chosen("test_at_exit_no_finalizer_is_called"),
    ),
    Mutant(
        "views_of_memory_keep_nothing",
        POINTERS,
        "return OwnedPointer(self.owner, view) if isinstance(self.owner, MemoryPointer) else view",
        "view._owner = 0; return view",
        chosen("TestPointers::test_finalizers_are_called_once"),
    ),
    Mutant(
        "owners_are_not_counted",
        POINTERS,
        "    memory.refct -= 1\n",
        "",
        chosen("TestPointers::test_owners_are_counted"),
    ),
    Mutant(
        "managers_may_come_late",
        PLUGINS,
        "    if _is_used():",
        "    if False:",
        chosen("TestChoosing::test_before_anything_is_used"),
    ),
    Mutant(
        "arrays_alone_are_no_use",
        PLUGINS,
        "return _core.holds_memory() or any(",
        "return any(",
        chosen("TestChoosing::test_arrays_alone_are_a_use"),
    ),
    Mutant(
        "any_version_is_right",
        MANAGERS,
        "if version != INTERFACE_VERSION:",
        "if version is None:",
        chosen("TestChoosing::test_versions"),
    ),
    Mutant(
        "too_little_memory_is_enough",
        PLUGINS,
        "if given < size or address == 0:",
        "if address == 0:",
        used("test_too_little_is_refused"),
    ),
    Mutant(
        "modules_with_managers_are_ignored",
        "src/runtime/runtime.cpp",
        'return !named.empty() && named != "default";',
        "return false;",
        chosen("TestSetting::test_a_module_by_its_name"),
    ),
    Mutant(
        "resets_forget_the_manager",
        "python/treadle/devices/devices.py",
        "            _core.on_device(self.id, plugin.reset)\n",
        "            pass\n",
        used("test_resets_are_forwarded"),
    ),
    Mutant(
        "pinned_memory_stays_pinned",
        "python/treadle/devices/host_arrays.py",
        "            del memory\n",
        "            ary = (ary, memory); manager.kept = memory\n",
        used("test_memory_that_is_pinned_for_a_while"),
    ),
    Mutant(
        "defer_cleanup_is_treadles_alone",
        MANAGERS,
        "with plugin.defer_cleanup(), deallocations.disable():",
        "with deallocations.disable():",
        used("test_figures_of_a_pool"),
    ),
    Mutant(
        "shared_memory_is_cached",
        EXTERNAL,
        "    one->block->isShared.store(true, std::memory_order_relaxed);\n",
        "",
        shared("test_shared_memory_is_not_used_again"),
    ),
    Mutant(
        "shared_memory_is_still_written",
        SHARED,
        "awaitAll(*context.device, [&] { return context.memory.leaveCacheAt(memory); });",
        "context.memory.leaveCacheAt(memory);",
        shared("test_what_was_queued_before_is_seen"),
    ),
    Mutant(
        "memory_is_closed_in_use",
        SHARED,
        "  awaitAll(buffer.device(), [&] { return buffer.uses(); });\n  const Closing closing{buffer};\n",
        "  const Closing closing{buffer};\n",
        shared("test_closing_waits_for_the_work"),
    ),
    Mutant(
        "arrays_are_mapped_for_ever",
        SHARED,
        "  const Closing closing{buffer};\n  awaitUses(*array);\n",
        "  awaitUses(*array);\n",
        "tests/memory/test_closed_memory.py::test_mapped_arrays_are_refused_after_their_block",
    ),
    Mutant(
        "closed_arrays_are_usable",
        "src/memory/buffer.cpp",
        "state.compare_exchange_strong(usable, State::Closed)",
        "state.compare_exchange_strong(usable, State::Usable)",
        shared("test_as_a_context_manager"),
    ),
    Mutant(
        "pages_are_shared_by_copy",
        PAGES,
        "PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.number",
        "PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file.number",
        shared("test_both_sides_in_turn"),
    ),
    Mutant(
        "other_files_are_opened",
        PAGES,
        " || status.st_ino != payload.inode ||",
        " ||",
        shared("test_numbers_of_files_that_are_used_again"),
    ),
    Mutant(
        "views_lie_at_the_begin_of_allocations",
        PAGES,
        ".offset = size_t(memory - found->first)",
        ".offset = 0",
        shared("TestHandles::test_open_ipc_array"),
    ),
    Mutant(
        "allocations_begin_with_their_pages",
        PAGES,
        "mapping.data() + payload.skew;",
        "mapping.data();",
        shared("test_handles_go_through_queues"),
    ),
    Mutant(
        "views_of_cuda_lie_at_the_begin",
        "src/device/cuda/shared_memory.cpp",
        ".offset = size_t(deviceAddress(memory) - begin)",
        ".offset = 0",
        "tests/cuda/test_ipc.py::test_calls_of_the_owner",
    ),
    Mutant(
        "opened_memory_stays_open",
        "src/device/cuda/shared_memory.cpp",
        'context.check(context.driver.ipcCloseMemHandle(deviceAddress(memory)), "close memory of another process");',
        "(void)memory;",
        "tests/cuda/test_ipc.py::test_calls_of_another_process",
    ),
    Mutant(
        "reversed_views_begin_with_their_first",
        IPC_ARRAYS,
        "first = -sum(min(0, (extent - 1) * stride)",
        "first = 0 * sum(min(0, (extent - 1) * stride)",
        shared("test_views_with_their_shape_strides_and_dtype"),
    ),
    Mutant(
        "handles_open_at_home",
        IPC,
        "if self.base is not None:",
        "if self.base == 0:",
        shared("test_the_own_process"),
    ),
    Mutant(
        "no_copy_where_devices_are_apart",
        IPC,
        "return self.open_direct(context) if is_direct else",
        "return self.open_direct(context) if True else",
        "tests/cuda/test_ipc.py::test_another_device",
    ),
    Mutant(
        "handles_open_twice",
        IPC,
        "if self._opened is not None:",
        "if self._opened == 0:",
        shared("test_opened_and_closed_twice"),
    ),
    Mutant(
        "handles_close_twice",
        IPC,
        "if self._opened is None:",
        "if self._opened == 0:",
        shared("test_opened_and_closed_twice"),
    ),
    Mutant(
        "pickles_forget_where_the_memory_begins",
        IPC,
        "self.size, self.source_info, self.offset)\n",
        "self.size, self.source_info, 0)\n",
        shared("test_views_with_their_shape_strides_and_dtype"),
    ),
    Mutant(
        "handles_of_any_length_are_taken",
        IPC,
        "if len(given) != HANDLE_BYTES:",
        "if len(given) == 0:",
        shared("TestHandles::test_wrong_arguments"),
    ),
    Mutant(
        "numbers_of_handles_have_no_sign",
        IPC,
        "value & 255 for value",
        "value for value",
        shared("TestHandles::test_pickles_have_what_a_child_needs"),
    ),
]
