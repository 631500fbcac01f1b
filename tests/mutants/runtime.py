# Defects of memory, streams and views: blocks handed out too early, limits not kept, owners forgotten, checks left
# out.

from mutants.tree import Mutant

MANAGER = "src/memory/memory_manager.cpp"
BLOCK = "src/memory/memory_block.h"
STREAMS = "src/device/cpu/stream_set.cpp"
READER = "src/python/launch/argument_reader.cpp"
KEY = "src/python/launch/argument_key.cpp"
REPEATED = "src/launch/repeated_launch.cpp"
OBJECT = "src/python/arrays/device_array_object.cpp"
SHAPES = "src/memory/array_shapes.cpp"
EXTENTS = "src/memory/array_view.cpp"
DEVICES = "python/treadle/devices/devices.py"
ARRAYS = "python/treadle/devices/devicearray.py"
NEW_ARRAYS = "python/treadle/devices/new_arrays.py"
HOST = "python/treadle/devices/host_arrays.py"


def memory(name):
    return f"tests/memory/test_device_memory.py::test_{name}"


def contexts(name):
    return f"tests/contexts/test_contexts.py::test_{name}"


def host_memory(name):
    return f"tests/memory/test_host_memory.py::test_{name}"


def streams(name):
    return f"tests/streams/test_streams.py::test_{name}"


def images(name):
    return f"tests/compiling/test_images.py -k {name}"


def stacks(name):
    return f"tests/machine_code/test_stacks.py -k {name}"


def shapes(name):
    return f"tests/arrays/test_array_shapes.py::test_{name}"


def repeated(name):
    return f"tests/launches/test_repeated_launches.py::test_{name}"


def changes(name):
    return f"tests/launches/test_changes_while_reading.py::test_what_was_there_counts[{name}]"


MUTANTS = [
    # Launches that are made again.
    Mutant("arrays_are_known_by_their_addresses", KEY,
           "reinterpret_cast<DeviceArrayObject *>(value)->serial * 2 + 1", "addressOf(value)",
           repeated("arrays_that_come_to_the_place_of_dead_ones")),
    Mutant("numbers_of_the_first_launch_are_kept", REPEATED,
           "std::memcpy(room + number.offset, value, 8);", "", repeated("numbers_of_each_launch")),
    Mutant("large_integers_are_of_the_usual_type", KEY, "uint64_t(integer.code) * 2", "2",
           repeated("the_type_of_an_integer_is_that_of_a_first_launch")),
    Mutant("repeated_launches_outlive_recompile", "src/launch/dispatcher.cpp", "  clears.fetch_add(1);\n", "",
           repeated("recompiled_kernels")),
    Mutant("shared_uses_are_not_noted", REPEATED, "use.note(position);",
           "use.note(0 * position);", repeated("memory_is_not_given_to_others_before_launches_have_run")),
    Mutant("uses_end_with_the_last_reference", "src/memory/memory_block.cpp", "if (!known->isEnded())",
           "if (known.use_count() != 1)", "tests/memory/test_soak.py::test_memory_stays_as_large"),
    Mutant("notes_that_are_gone_are_not_ended", "src/memory/memory_block.h",
           "use->ended.store(true, std::memory_order_release);", ";",
           "tests/capi/test_capi.py::test_case[cpu-repeated_launches_in_turn]"),
    # What code changes while it is read.
    Mutant("extents_are_numpys", READER, "kept.copy(array.dimensions, ndim)", "array.dimensions", changes("a shape")),
    Mutant("defaults_are_the_functions", "src/python/launch/launcher_object.cpp", "  reader.hold(defaults);\n", "",
           changes("defaults of a function that is launched")),
    Mutant("items_are_the_lists", "src/python/launch/config_reader.cpp", "readWhole(own[i].ptr(), what",
           "readWhole(items[i], what", changes("a grid")),
    # What keeps what alive, and until when.
    Mutant("use_is_not_noted", BLOCK, "      return noteOther({on, at});", "      return;",
           streams("what_the_host_looks_at_has_been_written")),
    Mutant("host_memory_of_queued_launches_is_forgotten", "src/memory/foreign_memory.cpp",
           "if (allocation.block->uses.areDone())\n      unused", "if (true)\n      unused",
           host_memory("host_memory_lives_until_queued_launches_have_run")),
    Mutant("launchers_are_not_held", "src/python/host/held_reference.cpp", "  Py_INCREF(object);",
           "  Py_REFCNT(object);", streams("kernels_live_until_the_launch_has_run")),
    Mutant("captured_arrays_are_not_noted", "src/launch/submission.cpp",
           "    buffer->use(submission.stream.last());", "    static_cast<void>(buffer);",
           streams("captured_arrays_are_used_as_arguments_are")),
    Mutant("events_tell_failures_of_later_work", "src/device/stream_reports.cpp",
           "one.stream == stream && one.position <= position", "one.stream == stream",
           "tests/streams/test_stream_failures.py"),
    Mutant("host_looks_without_waiting", OBJECT, "  waitFor(points);\n", "",
           streams("what_the_host_looks_at_has_been_written")),
    Mutant("slices_of_mapped_memory_forget_it", HOST,
           "self._device = device if device is not None and device._holds(self) else None", "self._device = None",
           host_memory("arrays")),
    Mutant("copies_of_mapped_memory_pass_for_it", HOST, "if device is not None and device._holds(self) else None", "",
           host_memory("copies_are_memory_of_the_host_again")),
    Mutant("visible_memory_is_not_looked_at", READER, "if (!liesIn({buffer.data(), buffer.bytes()}, leaf.data, read))",
           "if (false)",
           host_memory("launches_look_where_the_memory_is")),
    Mutant("in_place_is_computed_elsewhere", HOST, "            return array  # passed as `out`",
           "            pass  # passed as `out`", host_memory("what_is_computed_in_place_stays_what_it_is")),
    Mutant("buffers_move", "src/python/launch/argument_reader.cpp", "{array.data(), extents.shape.data(),",
           "{array.data(), HostArray().extents().shape.data(),",
           "tests/arrays/test_buffers.py::test_many_buffers"),
    Mutant("buffers_have_strides", "src/python/types/host_array.cpp", "if (view.strides) {", "if (true) {",
           "tests/arrays/test_buffers.py::test_buffers_that_have_no_strides"),
    Mutant("records_hold_objects", "src/python/types/dtype_names.cpp", "!hasObjects.is(nb::handle(Py_False))", "false",
           "tests/arrays/test_records.py::test_records_with_python_objects_are_refused"),
    Mutant("cycles_through_the_host_are_not_seen", "src/python/arrays/host_memory.cpp",
           "Py_VISIT(host);", "static_cast<void>(host);", host_memory("cycles_through_mapped_memory_are_collected")),
    Mutant("views_hide_their_owner", OBJECT, "Py_VISIT(fields(self).owner);", "",
           host_memory("cycles_through_mapped_memory_are_collected")),
    # The queue of deallocations and the cache.
    Mutant("queue_holds_one_less", MANAGER, "queued() > bounds.pendingCount", "queued() >= bounds.pendingCount",
           memory("what_is_dropped_waits_until_too_much_does")),
    Mutant("queue_has_no_share", MANAGER, "double(counted.pendingBytes) > bounds.pendingRatio * double(capacity)",
           "false", memory("limits_can_be_assigned")),
    Mutant("nothing_is_deferred", MANAGER, "return deferrals == 0 &&", "return deferrals >= 0 &&",
           memory("deferred_deallocations")),
    Mutant("deferral_ends_without_flush", MANAGER, "if (--deferrals != 0)", "if (--deferrals >= 0)",
           memory("deferred_deallocations")),
    Mutant("inner_deferral_ends_the_outer", MANAGER, "if (--deferrals != 0)", "if (--deferrals < 0)",
           memory("deferred_deallocations")),
    Mutant("deferral_survives_an_exception", "python/treadle/devices/memory.py",
           "            _core.end_deferral(self._ordinal)\n        except",
           "            _ = error_type or _core.end_deferral(self._ordinal)\n        except",
           memory("deferral_ends_with_the_exception_that_left_it")),
    Mutant("cache_gives_nothing", MANAGER, "if (!fits || !block->uses.areDone(stream)) {", "if (true) {",
           memory("freed_memory_is_used_again")),
    Mutant("cache_has_no_limit", MANAGER, "counted.cachedBytes + block->bytes > bounds.cacheBytes && ", "false && ",
           memory("freed_memory_is_used_again")),
    Mutant("shortage_keeps_the_queue", MANAGER,
           "    noteFailureOf([this] { flush(); });\n    giveBackLost();", "    giveBackLost();",
           memory("capacity_and_limits_of_the_environment")),
    Mutant("capacity_is_endless", MANAGER,
           "if (counted.liveBytes + counted.pendingBytes + counted.cachedBytes + bytes > capacity)", "if (false)",
           memory("capacity_and_limits_of_the_environment")),
    Mutant("dropped_memory_counts_as_live", MANAGER, "  counted.liveBytes -= allocation.block->bytes;\n", "",
           memory("memory_info_counts_what_can_be_had")),
    # Resets and several devices.
    Mutant("reset_loses_nothing", READER, "if (buffer.isLost()) [[unlikely]]", "if (false)",
           contexts("what_was_made_before_a_reset_cannot_be_used")),
    Mutant("streams_outlive_resets", STREAMS, "if (queue.isRetired()) [[unlikely]]", "if (false)",
           contexts("what_was_made_before_a_reset_cannot_be_used")),
    Mutant("arrays_of_two_devices_meet", READER,
           "  list.isMixed |= list.device && list.device != &buffer.device();\n", "", contexts("two_devices")),
    Mutant("launches_on_streams_of_other_devices", "src/launch/dispatcher.cpp",
           "arguments.isMixed || (arguments.device && arguments.device != &device)", "arguments.isMixed",
           contexts("two_devices")),
    Mutant("device_stays_selected", DEVICES, "_core.select_device(self.below.pop())", "self.below.pop()",
           contexts("two_devices")),
    Mutant("context_of_another_device", DEVICES, "if _stack.top() is not wanted:", "if False:",
           contexts("two_devices")),
    Mutant("events_outlive_resets", "src/runtime/event.cpp",
           "if (generation != context.generation())", "if (false)",
           contexts("what_was_made_before_a_reset_cannot_be_used")),
    # The order of streams.
    Mutant("blocking_streams_do_not_wait_for_the_default_one", STREAMS,
           "  if (kind == Kind::Blocking)\n    waitFor(*legacy);\n", "",
           streams("the_default_stream_waits_for_blocking_streams_and_they_for_it")),
    Mutant("default_stream_waits_for_nobody", STREAMS, "kind == Kind::Legacy     ? !areBlockingIdle()",
           "kind == Kind::Legacy     ? false",
           streams("the_default_stream_waits_for_blocking_streams_and_they_for_it")),
    # Views, fields, arguments.
    Mutant("field_without_offset", SHAPES, "made.data += field.offset;", "made.data += 0;",
           "tests/arrays/test_records.py::test_fields_are_views"),
    Mutant("packed_fields_count_as_aligned", "src/types/type.cpp",
           "array->isUnaligned() || field.offset % alignment != 0", "array->isUnaligned() || false",
           "tests/errors -k atomic_on_packed_field"),
    Mutant("in_is_written_back", "python/treadle/devices/host_memory.py",
           'numpy.array(value, order="K", subok=True)', "value",
           host_memory("in_out_inout")),
    Mutant("reach_wraps", EXTENTS,
           "if (__builtin_mul_overflow(extents.strides[axis], extents.shape[axis] - 1, &span))",
           "if (__builtin_mul_overflow(extents.strides[axis], extents.shape[axis] - 1, &span) && false)",
           shapes("views_never_reach_beyond_their_buffer")),
    Mutant("reach_ends_before_the_last_element", EXTENTS, "ByteRange range{0, extents.itemBytes};",
           "ByteRange range{0, 0};", shapes("views_never_reach_beyond_their_buffer")),
    Mutant("views_begin_before_their_buffer", EXTENTS, "first >= 0 && last", "last",
           shapes("views_never_reach_beyond_their_buffer")),
    Mutant("views_have_any_extent", EXTENTS, "if (shape[axis] < 0 || shape[axis] > maxExtent) [[unlikely]] {",
           "if (false) {", shapes("views_never_reach_beyond_their_buffer")),
    Mutant("strides_of_an_order", NEW_ARRAYS, "strides, stream, kind)", "None, stream, kind)",
           "tests/arrays/test_array_strides.py::test_strides_are_taken_as_they_are"),
    Mutant("negative_strides_begin_at_the_front", "src/memory/new_array.cpp",
           "view.data = view.owner->data() - reach.first;", "view.data = view.owner->data();",
           "tests/arrays/test_array_strides.py::test_strides_are_taken_as_they_are"),
    Mutant("broadcast_arrays_are_packed", NEW_ARRAYS, "tuple(host.strides) if repeats else None", "None",
           "tests/arrays/test_array_strides.py::test_broadcast_arrays_keep_their_zero_strides"),
    Mutant("numpy_arrays_share_the_memory", ARRAYS, "        host = self._copied(self.stream)\n",
           "        host = self.host_view()\n",
           "tests/device/test_conformance.py::test_numpy_arrays_of_device_arrays_are_copies"),
    Mutant("order_a_is_c", ARRAYS, """order == "A":
            order = "F" if""", """order == "A":
            order = "C" if True or""", shapes("order_a_is_fortran_for_arrays_that_are_only_that")),
    Mutant("masks_are_dropped", NEW_ARRAYS, "        _core.array_type_of(obj)\n", "        pass\n",
           "tests/memory/test_wrong_memory_arguments.py::test_masked_arrays_are_refused_as_launches_refuse_them"),
    Mutant("fortran_order_is_c_order", SHAPES, "return isFortran ? place : ndim - 1 - place;",
           "return ndim - 1 - place;", shapes("reshaped")),
    Mutant("negative_axes_are_other_axes", SHAPES, "axis < 0 ? axis + view.ndim : axis;", "axis < 0 ? -axis : axis;",
           shapes("squeezed")),
    Mutant("an_axis_twice", SHAPES, "if (!axis || (seen >> *axis & 1) != 0)", "if (!axis)", shapes("permuted")),
    Mutant("pinned_twice", "src/memory/host_memory.cpp", "std::prev(next)->second > first",
           "std::prev(next)->first == first",
           host_memory("pinned")),
    Mutant("overlaps_are_copied_in_place", "src/memory/copy.cpp", "|| mayOverlap(to, from))", ")",
           "tests/device/test_conformance.py::test_parts_of_one_array_are_assigned_to_each_other"),
    Mutant("bytes_outside", "python/treadle/devices/memory_pointers.py", "if not 0 <= start <= stop <= size:",
           "if not start <= stop:", "tests/names/test_cudadrv.py::test_memory_pointers"),
    Mutant("strided_arrays_are_copied", ARRAYS, '        check_contiguous(self, "this array")\n', "",
           "tests/device/test_conformance.py::test_copies_check_their_sides"),
    Mutant("records_are_stored_in_part", "src/infer/statements/stores.cpp",
           "field < record->fields().size(); ++field", "field < 1; ++field",
           "tests/kernels/test_kernels.py::test_result[records]"),
    Mutant("broadcast_elements_fill_no_gaps", "src/device/strided_copy.cpp",
           "if (axis.fromStride == 0 && axis.toStride == int64_t(bytes))", "if (axis.fromStride == 0)",
           "tests/arrays/test_array_shapes.py::test_views_of_device_arrays_share_memory"),
    Mutant("records_of_other_dtypes", ARRAYS,
           'if getattr(ary, "dtype", None) != self.dtype:', "if False:",
           "tests/arrays/test_records.py::test_numpy_records_go_to_the_device_and_back"),
    # Memory passed from one owner to the next on a stream, failures for which no thread waited, old code.
    Mutant("earlier_uses_are_forgotten", "src/memory/use_order.cpp", "    stream.wait(before);",
           "    stream.last();",
           memory("other_streams_wait_for_what_memory_was_used_for_before")),
    Mutant("copies_tell_no_failures", "src/device/cpu/cpu_stream.cpp",
           "  if (!set->reports->haveFailures()) [[likely]]\n    return;", "  return;",
           "tests/streams/test_stream_failures.py"),
    Mutant("launches_of_other_threads_are_not_awaited", OBJECT, "running = buffer.device().runningOnCaller();",
           "running;", "tests/memory/test_host_looks.py"),
    Mutant("cycles_through_code_are_not_seen", "src/python/launch/dispatcher_object.cpp",
           "return fields(self).program ? fields(self).program->traverse(visit, arg) : 0;", "return 0;",
           "tests/launches/test_kernel_lifetimes.py"),
    Mutant("old_code_is_kept", "src/launch/dispatcher.cpp", "  if (inside.load() != 0)\n    return;\n", "  return;\n",
           "tests/launches/test_kernel_lifetimes.py"),
    Mutant("code_is_queued_only_before_it_is_dropped", "src/launch/dispatcher.cpp",
           "retired.push_back({std::exchange(current, {}), nullptr, std::nullopt});",
           "retired.push_back({std::exchange(current, {}), nullptr, unfinished()});",
           "tests/launches/test_kernel_lifetimes.py::test_recompiling_keeps_what_a_thread_compiles_and_then_queues"),
    # Forks, and state that kernels must not inherit.
    Mutant("children_wait_for_parents", STREAMS, "      queue->forget();", "      static_cast<void>(queue);",
           "tests/threads/test_forks.py::test_a_child_does_not_wait_for_work_of_its_parent"),
    Mutant("children_call_back_once", "src/runtime/host_callbacks.h",
           "    new (&arrived) std::condition_variable;\n", "",
           "tests/threads/test_forks.py::test_a_child_has_its_own_callbacks"),
    Mutant("kernels_round_as_their_caller", "src/device/cpu/cpu_launch.cpp", "  const DefaultFloatModes modes;\n", "",
           "tests/threads/test_float_modes.py"),
    Mutant("only_the_importing_thread_exits", "src/python/host/gil_lock.cpp",
           "  state.exitingThread = std::this_thread::get_id();\n  state.isExiting", "  state.isExiting",
           "tests/threads/test_threads.py -k whichever_thread_has_imported"),
    Mutant("errors_of_users_code_are_dropped", "src/python/host/object_access.cpp",
           "    if (PyErr_ExceptionMatches(one)) {", "    if (one) {",
           "tests/launches/test_errors_of_users_code.py"),
    Mutant("memory_calls_keep_the_gil", "src/python/host/device_functions.cpp",
           "  gil.release();\n  change(memory);", "  change(memory);",
           "tests/threads/test_threads.py::test_other_threads_run_while_memory_is_given_back"),
    # Dtypes.
    Mutant("numbas_byte_is_numpys", "src/types/names/type_names.cpp", '    {"byte", NumberCode::Int8}, ', "    ",
           "tests/types/test_dtypes.py -k names"),
    # Source texts.
    Mutant("any_text_in_the_right_line", "python/treadle/source/functions.py",
           "return any(_same_work(self.code, candidate) for candidate in _codes(made))", "return True",
           "tests/source/test_sources.py -k says_something_else"),
    Mutant("code_is_of_the_interpreters_level", "python/treadle/source/functions.py",
           "(usual.level, *({0, 1, 2} - {usual.level}))", "(usual.level,)",
           "tests/source/test_sources_of_programs.py::test_code_has_the_asserts_of_its_own_level"),
    Mutant("parts_of_a_lambda_are_the_lambda", "python/treadle/source/functions.py",
           "place = node.lineno + by, node.col_offset, node.end_lineno + by, node.end_col_offset",
           "place = node.lineno + by, node.col_offset",
           "tests/source/test_sources.py::test_lambda_continued_at_its_own_indentation"),
    Mutant("decorators_have_no_strings", "python/treadle/source/functions.py", "            header = first\n",
           "            pass\n", "tests/source/test_sources.py::test_decorator_with_code_in_a_string"),
    Mutant("defs_begin_in_any_line", "python/treadle/source/functions.py",
           "if statements and _first_line(statements[0]) + offset == header:", "if statements:",
           "tests/source/test_sources.py::test_file_that_changed"),
    Mutant("texts_are_not_held", "python/treadle/kernels/dispatcher.py", "    hold(function)\n", "",
           "tests/source/test_sources_without_file.py::test_text_of_a_decorated_function_is_not_pushed_out"),
    Mutant("files_are_not_held", "python/treadle/source/texts.py", "texts = (data,) if data is not None else",
           "texts = () if data is not None else",
           "tests/source/test_sources.py::test_decorated_function_has_the_text_that_was_decorated"),
    # Pickled kernels.
    Mutant("arrays_are_the_same_whatever_is_in_them", "python/treadle/kernels/travel.py",
           "buffer_callback=lambda buffer: self.write(buffer.raw())", "buffer_callback=lambda buffer: None",
           "tests/compiling/test_travel.py -k what_changes_in_place_makes_another"),
    Mutant("functions_are_the_same_whatever_they_refer_to", "python/treadle/kernels/travel.py",
           "*map(self._counted, referred)]", "*map(self._by_identity, referred)]",
           "tests/compiling/test_travel.py -k what_changes_in_place_makes_another"),
    Mutant("old_pickles_are_of_the_new_contents", "python/treadle/kernels/travel.py",
           "                del _known[known]", "                pass",
           "tests/compiling/test_travel.py -k what_changes_in_place_makes_another"),
    # Images.
    Mutant("images_hold_handles", "src/border/image_file.cpp",
           "&RaisedError::arguments);\n}\ntemplate <> inline constexpr size_t unwrittenMembers<RaisedError> = 1;",
           "&RaisedError::arguments, &RaisedError::exceptionHandle);\n}", images("are_equal_and_run")),
    Mutant("captured_arrays_are_numbered_by_address", "src/infer/instances/compilation.cpp",
           "pointers.push_back(*deviceArray.devicePointer);",
           "pointers.resize(pointers.size() + 1 + (*deviceArray.devicePointer >> 12) % 64), "
           "known->second = uint32_t(pointers.size() - 1), pointers.back() = *deviceArray.devicePointer;",
           images("are_equal_and_run")),
    Mutant("calls_are_numbered_throughout_the_process", "src/codegen/ptx/ptx_backend.cpp",
           'comment = "// callseq"', 'comment = "// nothing"', images("are_equal_and_run")),
    Mutant("raised_classes_are_not_imported", "python/treadle/source/raising.py",
           "_imported(path) if path", "None if path", images("raised_classes")),
    Mutant("classes_of_functions_are_written", "src/border/image_file.cpp",
           "if (isLocal || (raised.exceptionHandle != 0 && raised.qualifiedClass.empty()))", "if (false)",
           images("cannot_be_written")),
    Mutant("captured_arrays_are_all_the_first", "src/device/cpu/code/code_loader.cpp",
           "< captured.size() ? &captured[position]", "< captured.size() ? &captured[0]",
           "tests/kernels/test_kernels.py -k captured_device_arrays"),
    # Stacks.
    Mutant("stack_without_the_next_level", "src/border/kernel_abi.h",
           "(stackReserve + 2 * stackBytes)", "(stackReserve + stackBytes)", stacks("recursion_with_large_frames")),
    Mutant("stacks_of_earlier_fibers", "src/device/cpu/threads/fiber.h",
           "return bytesFor(callBytes) <= bytes;", "return callBytes > 0 || bytes > 0;",
           stacks("chain_of_calls_on_fibers")),
    Mutant("stack_of_any_thread", "src/device/cpu/threads/worker_memory.h",
           "if (threadStack.hasLeft(bytes))", "if (threadStack.hasLeft(bytes / 64))",
           stacks("chain_of_calls_on_a_thread")),
    Mutant("stack_of_one_function", "src/codegen/cpu/machine/stack_use.cpp",
           "chains[node->getFunction()] = bytes + below;", "chains[node->getFunction()] = 0;",
           stacks("chain_of_calls")),
    Mutant("stacks_of_residents_are_small", "src/device/cpu/cpu_launch.cpp",
           "std::max<size_t>(leastTouched, image.cpu().stackBytes)", "leastTouched",
           stacks("blocks_of_a_grid_share")),
    Mutant("larger_stack_at_no_address", "src/support/big_stack.cpp",
           "    if (memory == MAP_FAILED)\n      throw", "    if (false)\n      throw",
           stacks("no_memory_for_a_larger_stack")),
]  # fmt: skip
