# Defects of the host half of the CUDA device: contexts, streams, markers, copies, debug launches, what a reset ends.

from mutants.tree import Mutant

FOLDER = "src/device/cuda"
CONTEXT = f"{FOLDER}/driver/context.cpp"
COPIES = f"{FOLDER}/copies.cpp"
KERNELS = f"{FOLDER}/copy_kernel.cpp"
DEVICE = f"{FOLDER}/cuda_device.cpp"
STREAM = f"{FOLDER}/cuda_stream.cpp"
TABLE = f"{FOLDER}/driver/driver_table.cpp"
EVENTS = f"{FOLDER}/driver/event_pool.cpp"
STAGING = "src/launch/host_staging.cpp"
TIMELINE = f"{FOLDER}/timeline.cpp"


def of(file, name=None):
    return f"tests/cuda/test_{file}.py" + (f"::test_{name}" if name else "")


MUTANTS = [
    # Contexts.
    Mutant(
        "other_contexts_are_replaced",
        CONTEXT,
        "context.driver.ctxPushCurrent(handle)",
        "context.driver.ctxSetCurrent(handle)",
        of("contexts", "another_devices_primary_context_is_given_back"),
    ),
    Mutant(
        "foreign_contexts_are_not_judged",
        CONTEXT,
        "  context.judgeForeign(current);\n",
        "",
        of("contexts", "a_context_that_is_not_primary_is_refused"),
    ),
    Mutant(
        "the_context_is_retained_by_judging_others",
        CONTEXT,
        "  driver.primaryCtxRelease(owner);\n",
        "",
        of("contexts", "a_handle_that_was_another_devices_primary_context_is_judged_again"),
    ),
    Mutant(
        "threads_have_no_context",
        CONTEXT,
        'return context.check(context.driver.ctxSetCurrent(handle), "make the context current");',
        "return;",
        of("contexts", "a_thread_without_a_context_gets_the_primary_one"),
    ),
    Mutant(
        "children_of_forks_call_the_driver",
        CONTEXT,
        "context.state.store(State::Forked);",
        "context.state.load();",
        of("contexts", "the_child_of_a_fork_is_told"),
    ),
    Mutant(
        "resets_in_children_of_forks",
        CONTEXT,
        "  if (state.load() == State::Forked)\n    return;\n  if (state.load() == State::Closed)",
        "  if (state.load() == State::Closed)",
        of("contexts", "a_reset_in_the_child_of_a_fork_makes_no_call"),
    ),
    Mutant(
        "fatal_errors_pass",
        CONTEXT,
        "  if (!endsContext(result))\n    return;",
        "  if (true)\n    return;",
        of("faults", "what_fails_later_surfaces_where_someone_waits"),
    ),
    Mutant(
        "resets_by_others_are_harmless",
        CONTEXT,
        "  case Result::Deinitialized:\n  case Result::ContextIsDestroyed:",
        "  case Result::Deinitialized:",
        of("resets", "a_reset_by_other_software_is_named"),
    ),
    Mutant(
        "streams_are_not_marked_once_a_reset_has_begun",
        TIMELINE,
        "  if (isVoid.load())\n    return abandon();",
        "  if (isRetired())\n    return;",
        of("resets", "a_reset_waits_for_what_others_have_queued_while_it_waited"),
    ),
    Mutant(
        "lost_devices_are_not_known",
        CONTEXT,
        "  if (now == State::Lost)\n",
        "  if (now == State::Closed)\n",
        of("faults", "what_fails_later_surfaces_where_someone_waits"),
    ),
    Mutant(
        "a_reset_ends_no_generation",
        CONTEXT,
        "  resets.fetch_add(1);\n",
        "",
        of("resets", "lost_objects_are_dropped_without_a_call"),
    ),
    Mutant(
        "a_reset_keeps_the_context",
        CONTEXT,
        "driver.primaryCtxReset(device)",
        "Result::Success",
        of("calls", "a_reset_waits_frees_the_cache_and_ends_the_context"),
    ),
    Mutant(
        "modules_are_unloaded_while_work_runs",
        f"{FOLDER}/code/unused_modules.cpp",
        "modules.empty() || !isIdle()",
        "modules.empty()",
        of("waits", "dropping_a_kernel_waits_for_nothing"),
    ),
    # What a reset ends.
    Mutant(
        "the_drivers_streams_outlive_resets",
        TIMELINE,
        "if (!context.isUsable() || generation != context.generation() || timeline",
        "if (!context.isUsable() || timeline",
        of("resets", "lost_objects_are_dropped_without_a_call"),
    ),
    Mutant(
        "the_drivers_events_outlive_resets",
        DEVICE,
        "  events.forget();\n",
        "",
        of("resets", "kernels_are_loaded_again_and_everything_works"),
    ),
    Mutant(
        "copy_kernels_outlive_resets",
        DEVICE,
        "  copyKernels.forget();\n",
        "",
        of("resets", "kernels_are_loaded_again_and_everything_works"),
    ),
    Mutant(
        "barrier_words_outlive_resets",
        STREAM,
        "known && barrierGeneration.load() == context.generation()",
        "known",
        of("resets", "kernels_are_loaded_again_and_everything_works"),
    ),
    Mutant(
        "streams_are_not_retired",
        DEVICE,
        "      one->retire();",
        "      one->lastPosition();",
        of("resets", "lost_objects_raise"),
    ),
    # Streams and markers.
    Mutant(
        "markers_come_before_their_position",
        TIMELINE,
        "  marker.position = advance();\n",
        "  marker.position = advance() + 1;\n",
        of("order"),
    ),
    Mutant(
        "nothing_is_waited_for",
        TIMELINE,
        "if (result == Result::NotReady)\n      return;",
        "if (false)\n      return;",
        of("order", "a_stream_gets_its_own_memory_back_at_once_and_others_do_not"),
    ),
    Mutant(
        "launches_are_not_noted",
        STREAM,
        "    return awaitLaunch({place, position}, watcher);\n",
        "    return awaitLaunch({place, position}, watcher);\n  if (position)\n    return LaunchOutcome::Queued;\n",
        of("order", "a_stream_gets_its_own_memory_back_at_once_and_others_do_not"),
    ),
    Mutant(
        "events_are_given_back_at_once",
        EVENTS,
        "  return std::make_shared<const PooledEvent>(*this, handle, hasTime, context.generation());",
        "  free[hasTime].push_back(handle);\n"
        "  return std::make_shared<const PooledEvent>(*this, handle, hasTime, context.generation());",
        of("order", "events_are_recorded_again_only_when_nothing_refers_to_them"),
    ),
    Mutant(
        "waits_are_dropped",
        STREAM,
        "  const std::shared_ptr<const PooledEvent> event = other->eventAt(point.position);\n",
        "  const std::shared_ptr<const PooledEvent> event;\n",
        of("order", "an_event_recorded_again_keeps_earlier_waits"),
    ),
    Mutant(
        "streams_that_are_gone_are_named",
        TIMELINE,
        "const bool isThere = user != nullptr && !isVoid.load();",
        "const bool isThere = true;",
        of("gone", "waiting_for_the_device_after_an_exported_stream_was_destroyed"),
    ),
    Mutant(
        "streams_of_a_reset_device_are_named",
        TIMELINE,
        "const bool isThere = user != nullptr && !isVoid.load();",
        "const bool isThere = user != nullptr;",
        of("gone", "waiting_for_the_device_after_a_reset_has_ended_an_exported_stream"),
    ),
    Mutant(
        "who_finds_a_stream_does_not_keep_it",
        DEVICE,
        "return std::make_shared<CudaStream>(*this, one, std::move(held.own));",
        "return std::make_shared<CudaStream>(*this, one);",
        of("gone", "a_stream_of_ours_lives_as_long_as_somebody_has_found_it_by_its_handle"),
    ),
    Mutant(
        "copies_of_host_arrays_begin_as_on_the_host",
        STAGING,
        "% largestAlignment; fits(same))",
        "% largestAlignment; fits(same) || true)",
        of("misaligned_arrays", "a_copy_begins_where_the_elements_lie_right"),
    ),
    Mutant(
        "fields_of_records_always_overlap",
        STAGING,
        "return between >= a.itemBytes && between + b.itemBytes <= step;",
        "return between > step;",
        of("misaligned_arrays", "a_copy_begins_where_the_elements_lie_right"),
    ),
    Mutant(
        "overlapping_arrays_are_copied_apart",
        STAGING,
        "if (!areFine && (isWritten(one) || isWritten(other)))",
        "if (!areFine && !isWritten(one) && !isWritten(other))",
        of("misaligned_arrays", "arrays_that_overlap_and_cannot_all_lie_right_are_refused"),
    ),
    Mutant(
        "arrays_of_the_device_may_lie_anywhere",
        "src/launch/array_alignment.cpp",
        "      return false;\n  }\n  return true;",
        "      return true;\n  }\n  return true;",
        of("misaligned_arrays", "arrays_of_the_device_that_lie_wrong_are_refused"),
    ),
    Mutant(
        "closed_streams_have_no_last_marker",
        TIMELINE,
        "      if (!isMarked(last))\n        makeMarker(last);\n",
        "",
        of("calls", "a_stream_that_ends_with_unfinished_work_leaves_a_marker"),
    ),
    Mutant(
        "no_stream_waits_for_others",
        DEVICE,
        "    if (one->options.kind == wanted && !one->isRetired())",
        "    if (false)",
        of("waits", "a_copy_behind_blocking_streams_lets_other_threads_run"),
    ),
    Mutant(
        "other_work_is_not_waited_for",
        DEVICE,
        '\n    context.check(context.driver.ctxSynchronize(), "wait for the device");',
        "",
        of("calls", "synchronize"),
    ),
    Mutant(
        "per_thread_streams_are_the_legacy_one",
        DEVICE,
        "{perThreadStream, Stream::Kind::Blocking, true}",
        "{legacyStream, Stream::Kind::Blocking, true}",
        of("calls", "work_names_its_stream"),
    ),
    Mutant(
        "the_last_kernel_is_not_noted",
        STREAM,
        "  place->noteKernel(kernel.name);\n",
        "",
        of("faults", "what_fails_later_surfaces_where_someone_waits"),
    ),
    # Launches.
    Mutant(
        "failed_launches_pass",
        STREAM,
        "  if (result != Result::Success) [[unlikely]]\n    failLaunch(result, request, kernel);",
        "",
        of("faults", "an_error_of_a_debug_kernel_is_told_beside_an_error_of_the_driver"),
    ),
    Mutant(
        "records_are_not_read",
        STREAM,
        "  if (outcome == LaunchOutcome::Done)\n    throwFault(*slot, kernel->image());",
        "",
        of("faults", "an_error_of_a_debug_kernel_is_told_beside_an_error_of_the_driver"),
    ),
    Mutant(
        "records_are_not_cleared",
        STREAM,
        "memsetD8Async(kernel.errorRecord, 0, sizeof *target, stream)",
        "memsetD8Async(kernel.errorRecord, 0, 0, stream)",
        of("faults", "an_error_of_a_debug_kernel_is_told_beside_an_error_of_the_driver"),
    ),
    # Copies.
    Mutant(
        "pitch_of_the_other_side",
        COPIES,
        "copy.fromPitch = size_t(axis.fromStride);",
        "copy.fromPitch = size_t(axis.toStride);",
        of("faults", "the_program_works_without_a_fault"),
    ),
    Mutant(
        "packed_without_gaps", COPIES, "  copyStrided(pack);\n", "", of("faults", "the_program_works_without_a_fault")
    ),
    Mutant(
        "units_of_any_alignment",
        KERNELS,
        "std::min<uint64_t>(bits & -bits, 16)",
        "std::min<uint64_t>(16, 16)",
        of("faults", "the_program_works_without_a_fault"),
    ),
    Mutant(
        "strides_of_copies_swapped",
        KERNELS,
        "add(shape.axes[i].extent, shape.axes[i].toStride, shape.axes[i].fromStride);",
        "add(shape.axes[i].extent, shape.axes[i].fromStride, shape.axes[i].toStride);",
        of("faults", "the_program_works_without_a_fault"),
    ),
    Mutant(
        "failed_copies_are_not_waited_for",
        STREAM,
        "    held ? copyQueued(shape, now, *held) : copyNow(shape, now, watcher);\n  } catch (const DeviceError &) {\n"
        "    endFailed(now, watcher);\n",
        "    held ? copyQueued(shape, now, *held) : copyNow(shape, now, watcher);\n  } catch (const DeviceError &) {\n",
        of("calls", "a_copy_of_which_a_part_has_failed_is_waited_for"),
    ),
    Mutant(
        "debug_launches_without_their_record_go_on",
        STREAM,
        "    endFailed(kernel.module->generation, watcher);\n",
        "",
        of("calls", "a_debug_launch_whose_errors_cannot_be_read_is_waited_for"),
    ),
    # Memory.
    Mutant(
        "memory_that_is_not_unpinned_is_freed",
        "src/python/host/device_functions.cpp",
        "PyObject *const kept = owner.release().ptr();",
        "PyObject *const kept = Py_NewRef(Py_None);",
        of("faults", "memory_that_cannot_be_unpinned_is_kept"),
    ),
    Mutant(
        "memory_is_unpinned_at_once",
        DEVICE,
        '  unawaited.settle([this] { context.check(context.driver.ctxSynchronize(), "wait for the device"); });\n',
        "",
        of("calls", "mapped_memory_is_unpinned_behind_kernels_whose_wait_has_failed"),
    ),
    Mutant(
        "failed_waits_are_forgotten",
        TIMELINE,
        "      home.unawaited.note();\n",
        "",
        of("calls", "mapped_memory_is_unpinned_behind_kernels_whose_wait_has_failed"),
    ),
    Mutant(
        "memory_of_the_host_is_freed_as_the_devices",
        DEVICE,
        "const bool isHosts = kind == MemoryKind::Pinned || kind == MemoryKind::Mapped;",
        "const bool isHosts = false;",
        of("calls", "memory_that_the_host_sees"),
    ),
    Mutant(
        "failed_frees_pass",
        DEVICE,
        ": context.driver.memFree(reinterpret_cast<uintptr_t>(memory)),",
        ": (context.driver.memFree(reinterpret_cast<uintptr_t>(memory)), Result::Success),",
        of("faults", "memory_that_cannot_be_freed_is_told"),
    ),
    Mutant(
        "memory_of_before_a_reset_is_freed_behind_it",
        "src/memory/memory_manager.cpp",
        "  const Device::NoReset noReset(device());\n  BlockList unused;",
        "  BlockList unused;",
        of("resets", "memory_that_another_thread_is_giving_back_is_not_freed_after_a_reset"),
    ),
    # The driver's library.
    Mutant(
        "old_drivers_pass",
        TABLE,
        "table->version < DriverTable::leastVersion",
        "table->version < 0",
        of("no_driver", "a_driver_that_is_too_old"),
    ),
    Mutant(
        "the_drivers_calls_are_not_written",
        TABLE,
        "  logCalls(*table);\n",
        "",
        of("driver_log", "each_call_is_written_before_it_is_made"),
    ),
    Mutant(
        "shorts_are_negated_as_ptxas_does",
        "src/codegen/ptx/ptx_backend.cpp",
        'if (name != "neg" && name != "abs")',
        'if (name != "Neg" && name != "abs")',
        "tests/kernels/test_kernels.py::test_ptx[negated_integers]",
    ),
    Mutant(
        "kernels_that_recurse_have_the_stack_of_others",
        f"{FOLDER}/code/cuda_module.cpp",
        "if (image->recurses)",
        "if (image->recurses && image->allocates)",
        "tests/cuda/test_kernel_stack.py",
    ),
    # Modules of others.
    Mutant(
        "kernels_of_modules_are_not_waited_for",
        f"{FOLDER}/code/cuda_code.cpp",
        "  context.check(context.driver.streamSynchronize(launch.stream), operation);\n",
        "",
        of("modules", "launches_are_waited_for"),
    ),
    Mutant(
        "unloaded_modules_are_used",
        f"{FOLDER}/code/cuda_code.cpp",
        "known(module.exchange(nullptr))",
        "known(module.load())",
        of("modules", "modules_stay_until_they_are_unloaded"),
    ),
    Mutant(
        "the_driver_is_always_asked_for_a_verbose_log",
        f"{FOLDER}/driver/jit_log.cpp",
        "settingInteger(Setting::CudaVerboseLog) != 0)",
        "settingInteger(Setting::CudaVerboseLog) != 7)",
        of("driver_log", "how_verbose_the_driver_is_asked_to_be"),
    ),
    # What grows with what is made.
    Mutant(
        "events_of_the_driver_are_used_once",
        EVENTS,
        "  free[event.hasTime].push_back",
        "  if (!event.handle)\n    free[event.hasTime].push_back",
        of("leaks", "what_programs_make_again_and_again_leaves_nothing"),
    ),
    Mutant(
        "each_event_leaves_an_object_of_pythons",
        "python/treadle/devices/streams.py",
        "    return Event(timing)\n",
        "    event.__dict__.setdefault('made', []).append([timing])\n    return Event(timing)\n",
        of("leaks", "what_programs_make_again_and_again_leaves_nothing"),
    ),
]
