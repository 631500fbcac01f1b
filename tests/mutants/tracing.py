# Defects of traces, figures of memory, the report at exit, pages about kernels and the commands.

from mutants.tree import Mutant

WRITER = "src/support/files/trace_file.cpp"
TRACE = "src/support/trace.cpp"
STREAM = "src/device/cpu/cpu_stream.cpp"
TIMES = "src/device/cuda/run_times.cpp"
MANAGER = "src/memory/memory_manager.cpp"
PAGE = "python/treadle/kernels/report_page.py"


def traces(name):
    return f"tests/tools/test_trace.py::test_{name}"


def on_cuda(name):
    return f"tests/cuda/test_trace.py::test_{name}"


def statistics(name):
    return f"tests/tools/test_statistics.py::test_{name}"


def reports(name):
    return f"tests/tools/test_report.py::test_{name}"


def commands(name):
    return f"tests/tools/test_commands.py::test_{name}"


MUTANTS = [
    # What is noted.
    Mutant("launches_at_once_lead_nowhere", STREAM, "      traced.at(position);\n      return launchNow<TracedBegun>",
           "      return launchNow<TracedBegun>", traces("launches_say_what_they_are_and_lead_to_what_ran")),
    Mutant("queued_launches_lead_nowhere", STREAM, "[&](const StreamPoint &point) { traced.at(point.position); }",
           "[&](const StreamPoint &) { traced.at(0); }",
           traces("launches_say_what_they_are_and_lead_to_what_ran")),
    Mutant("work_of_streams_is_not_noted", "src/device/cpu/stream_queue.cpp",
           "    const TracedRun traced(*this, work.position, work.label());\n", "",
           traces("callbacks_run_on_the_streams_track")),
    Mutant("frees_are_not_noted", MANAGER,
           "  const TracedMemory traced(TraceKind::Free, device(), allocation);\n  if (allocation",
           "  if (allocation", traces("memory_is_a_counter")),
    Mutant("resets_free_nothing", MANAGER,
           "      const TracedMemory traced(TraceKind::Free, device(), allocation);\n      unlink", "      unlink",
           on_cuda("a_reset_ends_the_times_of_before")),
    Mutant("compilations_are_inferences", "src/launch/dispatcher.cpp", "  traced.makes(overload, device, facts);\n", "",
           traces("compilations_are_apart_from_the_launch")),
    Mutant("waits_are_for_no_stream", "src/device/launch_watcher.cpp",
           "    traced.event->track = point.timeline->track();\n", "",
           traces("waits_say_for_which_stream_and_after_what")),
    # Recordings.
    Mutant("threads_write_into_the_recording_before", TRACE, "if (ownEvents.events && ownEvents.recording == now)",
           "if (ownEvents.events)", traces("recording_goes_on_while_threads_come_and_go")),
    Mutant("children_go_on_recording", TRACE, "    on.store(false);\n    new", "    new",
           traces("a_child_records_nothing_and_leaves_the_file_alone")),
    Mutant("recordings_have_no_limit", TRACE, "    if (!take(room, Chunk::size))\n      return false;\n", "",
           "tests/tools/test_trace_files.py -k has_a_limit"),
    Mutant("descriptors_are_of_the_file_for_ever", "python/treadle/whole_files.py",
           "self.descriptor >= 0 and _identity(self.descriptor) == self._opened", "self.descriptor >= 0",
           "tests/tools/test_whole_files.py -k closed_is_nobody_elses"),
    Mutant("links_are_replaced", "python/treadle/whole_files.py",
           "self.target = os.path.realpath(self.path)", "self.target = os.path.abspath(self.path)",
           "tests/tools/test_whole_files.py -k links_stay"),
    Mutant("what_a_process_has_open_is_replaced", "python/treadle/whole_files.py",
           "        self.is_replaced &= not _is_of_a_process(self.path)\n", "",
           "tests/tools/test_whole_files.py -k what_is_open"),
    Mutant("the_end_of_the_process_writes_nothing", "python/treadle/tools/tracing.py",
           "    atexit.register(_finish_active)\n", "", traces("the_end_of_the_process_writes_the_file")),
    Mutant("a_full_disk_is_no_error", "src/support/files/owned_file.cpp", "return put < 0 ? errno : EIO;", "return 0;",
           traces("a_full_disk_is_an_error_that_names_the_file")),
    # The file.
    Mutant("backslashes_are_not_escaped", "src/support/text/json.cpp",
           "if (c == '\"' || c == '\\\\')", "if (c == '\"')",
           traces("names_of_living_threads_are_pythons")),
    Mutant("spans_come_behind_what_is_in_them", WRITER,
           "std::tuple(a.time, !a.isSpan, b.end) < std::tuple(b.time, !b.isSpan, a.end)",
           "a.end < b.end", traces("compilations_are_apart_from_the_launch")),
    Mutant("runs_begin_before_they_are_asked_for", WRITER, "call == asked.end() ? 0 : call->second}", "uint64_t(0)}",
           on_cuda("nothing_runs_before_it_was_asked_for")),
    Mutant("what_was_live_before_is_forgotten", WRITER, "      live -= change;\n", "      live -= change, live = 0;\n",
           traces("memory_is_a_counter")),
    # CUDA.
    Mutant("parts_of_graphs_come_behind_them", WRITER, "      if (run.work == 0)\n",
           "      if (false)\n", traces("replays_lead_to_what_the_graph_runs")),
    Mutant("captures_are_timed", TIMES, " ||\n        status != CaptureStatus::None", "",
           on_cuda("streams_that_others_capture_are_left_alone")),
    Mutant("all_events_are_kept", TIMES, "if (runs.size() > usualRuns)", "if (runs.size() > 1000 * usualRuns)",
           on_cuda("events_serve_again")),
    Mutant("anchors_outlive_resets", TIMES, "  latest = nullptr;\n  aside = nullptr;\n", "",
           on_cuda("a_reset_ends_the_times_of_before")),
    # Figures, and what is alive at exit.
    Mutant("the_peak_is_what_is_live", MANAGER, "std::max(counted.peakBytes, counted.liveBytes)", "counted.liveBytes",
           statistics("the_peak_stays_until_it_is_reset")),
    Mutant("the_peak_restarts_at_nothing", "src/memory/memory_figures.cpp",
           "  counted.peakBytes = counted.liveBytes;\n", "  counted.peakBytes = 0;\n",
           statistics("the_peak_stays_until_it_is_reset")),
    Mutant("the_cache_serves_nothing", MANAGER, "    ++counted.servedCount;\n", "",
           statistics("allocations_and_those_that_the_cache_serves_are_counted")),
    Mutant("launches_are_not_counted", "src/python/launch/launcher_object.cpp", "    ++*launcher.count;\n", "",
           statistics("launches_are_counted_by_configuration")),
    Mutant("places_are_treadles_own", "src/python/host/source_place.cpp",
           "if (package.empty() || !file.starts_with(package))",
           "if (true)", statistics("the_report_lists_what_is_alive_by_place")),
    Mutant("cycles_are_reported", "python/treadle/devices/leaks.py", "    gc.collect()\n", "",
           statistics("the_report_lists_what_is_alive_by_place")),
    # Pages and commands.
    Mutant("source_is_not_escaped", PAGE, 'escape(facts["lines"][index]) or " "', 'facts["lines"][index]',
           reports("names_are_escaped")),
    Mutant("directives_are_instructions", PAGE, 'text.startswith("\\t") and not text.lstrip().startswith((".", "//"))',
           "True", reports("the_line_of_the_definition_has_no_directives")),
    Mutant("reserved_shared_memory_is_forgotten", "python/treadle/kernels/occupancy_tables.py",
           "(shared + limits.reserved)", "shared", reports("occupancy")),
    Mutant("no_device_is_no_failure", "python/treadle/tools/commands/info.py",
           "\"none\" in found[\"devices\"] or any(",
           "any(",
           "tests/tools/test_commands.py::test_info_where_there_is_no_device_says_why_and_fails"),
    Mutant("files_are_the_program", "src/support/settings.cpp", "Origin::File, row.variable",
           "Origin::Program, row.variable",
           commands("states_of_settings_name_their_sources")),
]  # fmt: skip
