# Defects of the exchange with other libraries: fields misread, owners forgotten, streams not waited for.

from mutants.tree import Mutant

TENSOR = "src/interop/tensor_reader.cpp"
EXPORTED = "src/interop/exported_tensor.cpp"
DESCRIBED = "src/interop/described_array.cpp"
INTERFACE = "src/interop/interface_reader.cpp"
TYPES = "src/interop/interface_types.cpp"
OPAQUE = "src/interop/opaque_types.cpp"
ARGUMENTS = "src/python/launch/argument_reader.cpp"
STREAMS = "src/python/host/stream_object.cpp"
ORDER = "src/memory/use_order.cpp"
DLPACK_OUT = "src/python/interop/dlpack_export.cpp"
DLPACK_IN = "src/python/interop/dlpack_import.cpp"
HANDED_ON = "src/runtime/array_exchange.cpp"
SHOWN = "src/python/interop/interface_export.cpp"
READ = "src/python/interop/interface_import.cpp"
CUDA = "src/device/cuda/cuda_device.cpp"
CPU = "src/device/cpu/cpu_device.cpp"


def consumer(name):
    return f"tests/interop/test_interface_consumer.py::test_{name}"


def refusal(name):
    return f"tests/interop/test_interface_refusals.py::test_{name}"


def producer(name):
    return f"tests/interop/test_interface_producer.py::test_{name}"


def table(name):
    return f"tests/interop/test_exchange_table.py::test_{name}"


def opaque(name):
    return f"tests/interop/test_opaque_elements.py::test_{name}"


def between(name):
    return f"tests/cuda/test_array_interface.py::test_{name}"


MUTANTS = [
    # DLPack.
    Mutant("byte_offset_is_ignored", TENSOR, "__builtin_add_overflow(address, tensor.byteOffset, &first)",
           "__builtin_add_overflow(address, tensor.byteOffset & 0, &first)",
           "tests/interop/test_arguments.py::test_tensors_of_any_layout"),
    Mutant("read_only_tensors_are_writable", TENSOR, "(flags & dlpack::ReadOnly) != 0", "false",
           "tests/interop/test_arguments.py::test_read_only_tensors_cannot_be_written"),
    Mutant("dimensions_are_not_counted", TENSOR, "tensor.ndim > int32_t(maxDimensions)", "tensor.ndim > 1000",
           "tests/interop/test_dlpack_consumer.py"),
    Mutant("other_versions_are_read", TENSOR, "managed.version.major != dlpack::ownVersion.major", "false",
           "tests/interop/test_arguments.py::test_what_cannot_be_an_argument_is_named"),
    Mutant("exports_do_not_hold_the_memory", EXPORTED,
           "explicit ExportedTensor(const ArrayView &view) : owner(view.owner) {",
           "explicit ExportedTensor(const ArrayView &view) {",
           "tests/interop/test_dlpack_producer.py"),
    Mutant("strides_of_exports_are_bytes", EXPORTED, "isPowerOf2 ? bytes >> shift :", "isPowerOf2 ? bytes :",
           "tests/interop/test_dlpack_producer.py"),
    Mutant("exports_are_reused", DLPACK_OUT, "shown->view.owner->leaveCache();", "shown->view.owner->bytes();",
           "tests/cuda/test_exchange.py::test_memory_that_others_have_seen_is_freed_and_never_reused"),
    Mutant("consumers_wait_for_nothing", HANDED_ON, "      consumer.wait(use);", "      consumer.last();",
           "tests/cuda/test_exchange.py::test_the_consumers_stream_waits_and_the_host_does_not"),
    Mutant("imports_do_not_wait_for_producers", HANDED_ON, "device.defaultStream().record(false).point",
           "StreamPoint()", "tests/cuda/test_exchange.py"),
    # The C exchange API.
    Mutant("newer_tables_are_read", "src/python/types/exchange_lookup.cpp",
           "header && header->version.major > dlpack::ownVersion.major;", "false;",
           table("older_tables_behind_newer_ones")),
    Mutant("read_only_arrays_are_lent", "src/python/interop/exchange_table.cpp", "    if (array.isReadOnly)\n",
           "    if (false)\n", table("read_only_arrays_are_not_lent")),
    Mutant("given_arrays_are_not_waited_for", "src/python/interop/exchange_table.cpp", "    awaitUses(array);\n",
           "    buffer.checkAlive();\n", table("pending_work_is_waited_for")),
    Mutant("strides_are_lent_once_for_all", "src/python/arrays/device_array_object.cpp",
           "  if (array.lentStrides) [[likely]]\n    return array.lentStrides;\n", "",
           table("borrowed_tensors")),
    Mutant("errors_of_the_allocator_are_not_told", "src/python/interop/exchange_table.cpp", "  if (setError)\n",
           "  if (setError && false)\n", table("the_allocator_tells_what_is_wrong_once")),
    Mutant("the_stream_of_the_table_is_not_asked_for", DLPACK_IN,
           "  stream = found ? reinterpret_cast<uint64_t>(found) : 1;", "  static_cast<void>(found);",
           "tests/cuda/test_exchange.py::test_tensors_of_the_table_are_used_in_the_order_of_their_stream"),
    Mutant("ints_are_tables_under_any_name", "src/python/types/exchange_lookup.cpp",
           "spelling.isIntToo && PyLong_CheckExact(found)", "PyLong_CheckExact(found)",
           table("an_int_is_a_table_under_the_older_name_alone")),
    Mutant("the_allocator_ignores_the_kind", "src/python/interop/exchange_table.cpp",
           ", memoryKindAt(prototype.device));", ");",
           "tests/cuda/test_exchange.py::test_the_allocator_gives_memory_of_the_kind_that_is_asked_for"),
    # What both have.
    Mutant("misaligned_elements_are_taken", DESCRIBED, "  if (!areAligned(", "  if (false && !areAligned(",
           refusal("addresses_that_no_array_has")),
    Mutant("addresses_wrap_around", DESCRIBED, "last > uintptr_t(INT64_MAX)", "false",
           refusal("addresses_that_no_array_has")),
    # The CUDA Array Interface.
    Mutant("streams_of_version_2_count", INTERFACE, "fields.version < firstVersionWithStream || ", "",
           consumer("versions")),
    Mutant("records_may_have_any_size", INTERFACE, "  if (fields.record && opaqueBytes(typestr) != element->bytes())",
           "  if (fields.record && opaqueBytes(typestr) == 0)", refusal("elements_that_no_array_has")),
    Mutant("strides_may_be_too_few", INTERFACE, "fields.strides->size() != fields.shape.size()", "false",
           refusal("extents_and_strides_that_no_array_has")),
    Mutant("another_byte_order_is_native", TYPES, "  if (!isOfBytes && parsed.order", "  if (false && parsed.order",
           refusal("elements_that_no_array_has")),
    Mutant("masks_are_ignored", READ, "  if (ifAny(values.mask))", "  if (false)",
           refusal("masks")),
    Mutant("bools_are_ints", READ, "PyLong_Check(value) && !PyBool_Check(value)", "PyLong_Check(value) != 0",
           refusal("keys_that_are_missing_or_of_a_wrong_type")),
    Mutant("owners_are_not_kept", READ, "  if (source.owner)\n    owner.owner = heldMemory(source.owner.ptr());\n",
           "", consumer("the_owner_lives_as_long_as_the_array")),
    Mutant("owners_are_dropped_with_the_last_view", "src/memory/foreign_memory.cpp",
           "if (allocation.block->uses.areDone())", "if (true)",
           consumer("the_owner_lives_until_queued_work_has_run")),
    Mutant("the_collector_sees_no_owners", READ, "source.owner && source.isLasting;", "source.owner && false;",
           consumer("cycles_through_foreign_memory_are_collected")),
    Mutant("read_only_arrays_are_writable", READ, "fields.isReadOnly = readOnly == Py_True;",
           "fields.isReadOnly = false;", consumer("read_only_arrays")),
    Mutant("unreadable_memory_is_taken", CPU, "(errno == EFAULT || errno == EIO)", "errno == EIO",
           consumer("memory_that_cannot_be_read_is_refused")),
    Mutant("ends_of_memory_are_not_looked_at", CPU, "count == 0 || count == 1 || ", "",
           consumer("memory_whose_end_cannot_be_read_is_refused")),
    Mutant("memory_of_other_gpus_is_taken", CUDA, "kind == MemoryKind::Device && ordinal != context.ordinal", "false",
           between("another_gpu")),
    Mutant("memory_of_the_host_is_taken", CUDA, "  if (type == MemoryType::Unknown || address == 0)\n"
           "    return std::nullopt;", "  if (type == MemoryType::Unknown || address == 0)\n"
           "    return LocatedMemory{MemoryKind::Device, memory.data()};", between("where_memory_is")),
    Mutant("producers_are_not_waited_for", ORDER, "  stream.wait(other.record(false).point);\n", "",
           between("uses_come_behind_the_producers_stream_and_it_behind_them")),
    Mutant("producers_do_not_wait", ORDER, "    other->wait(used);", "    other->last();",
           between("uses_come_behind_the_producers_stream_and_it_behind_them")),
    Mutant("one_producer_is_waited_for_twice", ORDER, "std::ranges::any_of(others.view(), isOther)", "false",
           "tests/cuda/test_array_interface.py"),
    Mutant("arrays_of_our_own_run_on_their_stream", "src/launch/submission.cpp",
           "    if (!producer || &producer->device() != &device ||", "    if (!producer)\n      continue;\n    if (",
           between("uses_come_behind_the_producers_stream_and_it_behind_them")),
    Mutant("streams_are_shown_without_waiting", HANDED_ON, "  comeBehindAll(shown, buffer);\n", "",
           between("what_is_shown_comes_behind_all_work")),
    Mutant("pending_work_is_not_shown", HANDED_ON, "!buffer.isUsedBefore() && buffer.hasNoUses())",
           "!buffer.isUsedBefore())", between("what_is_shown_comes_behind_all_work")),
    Mutant("work_on_other_streams_counts_as_the_consumers", HANDED_ON,
           "buffer.isUsedOnlyOn(consumer) && ", "", between("what_is_shown_comes_behind_all_work")),
    Mutant("graphs_do_without_work_before_them", HANDED_ON, " && !consumer.isCaptured())", ")",
           "tests/cuda/test_captures.py::test_what_a_captured_stream_is_given_has_no_work_before_it"),
    Mutant("the_host_is_not_waited_for", SHOWN, "    awaitUses(array);\n", "",
           producer("pending_work_is_waited_for")),
    Mutant("the_host_is_not_waited_for_in_mapped_memory", SHOWN, "  if (place && place->type == dlpack::Cpu) {",
           "  if (place && place->type == dlpack::Cpu && buffer.kind() == MemoryKind::Device) {",
           producer("pending_work_is_waited_for")),
    Mutant("addresses_without_elements_are_shown", SHOWN, "array.view.count() == 0 ? nullptr : array.view.data",
           "array.view.data", producer("arrays_without_elements_have_no_address")),
    Mutant("read_only_arrays_look_writable", SHOWN, "array.isReadOnly ? Py_True : Py_False", "Py_False",
           producer("read_only_arrays")),
    # Elements that kernels do not have, and streams by other names.
    Mutant("packed_elements_count_as_padded", OPAQUE, "(row->bits >= 8 || isPadded)", "(row->bits > 0 || isPadded)",
           opaque("packed_elements_are_refused")),
    Mutant("padded_exports_do_not_say_so", EXPORTED, "as.flags | (isPadded ? uint64_t(dlpack::IsPadded) : 0)",
           "as.flags", opaque("tensors_of_them")),
    Mutant("characters_have_one_byte", OPAQUE, "uint32_t(number * bytesOfCharacter)", "uint32_t(number)",
           opaque("the_interface_of_them")),
    Mutant("dates_lose_their_unit", OPAQUE, ".append(unit), 8, 8)", ", 8, 8)",
           opaque("the_interface_of_them")),
    Mutant("kernels_are_given_opaque_elements", ARGUMENTS, "!element->isOpaque() || element",
           "true || element", opaque("kernels_do_not_have_them")),
    Mutant("opaque_device_arrays_are_not_asked_about", ARGUMENTS, "(array.element && !admits(array.element))", "false",
           opaque("kernels_do_not_have_them")),
    Mutant("owners_say_of_any_size", "python/treadle/typing/interchange.py", "named._itemsize == held._itemsize",
           "named._itemsize", opaque("the_owner_says_what_bytes_are")),
    Mutant("plain_bytes_are_never_the_same", "src/python/arrays/device_array_copy.cpp",
           "(isPlain(own) || isPlain(its))", "false", opaque("the_interface_of_them")),
    Mutant("any_library_s_ptr_is_a_stream", STREAMS, '.starts_with("cupy")', '.starts_with("")',
           "tests/streams/test_stream_handles.py::test_what_is_no_stream"),
    Mutant("pytorch_has_no_current_stream", READ, "isTorchs && !stream &&", "isTorchs && stream &&",
           between("pytorchs_tensors_are_used_on_its_current_stream")),
    Mutant("conjugated_tensors_are_taken", "src/python/interop/torch_tensor.cpp",
           "mayBeComplex && method(tensor, names.isConjugated)", "mayBeComplex && false",
           "tests/interop/test_torch_tensors.py"),
    Mutant("tensors_with_gradients_are_taken", "src/python/interop/torch_tensor.cpp",
           "if (attribute(tensor, names.requiresGrad))", "if (false)", "tests/interop/test_torch_tensors.py"),
    Mutant("failed_work_is_not_told", "src/memory/buffer.h", " && !device().haveFailures()", "",
           "tests/interop/test_host_views.py::test_a_look_tells_what_has_failed_before"),
    Mutant("quiet_memory_has_pending_uses", "src/memory/memory_block.cpp",
           "(!owner || isFine(owner, position.get())) &&", "", producer("pending_work_is_waited_for")),
    Mutant("plain_arrays_lose_read_only", DLPACK_IN, "(array.flags & numpy::writeable) == 0", "false",
           "tests/interop/test_dlpack_consumer.py"),
    Mutant("plain_arrays_are_not_kept", DLPACK_IN,
           "  owner = heldMemory(producer.ptr());\n  place = {dlpack::Cpu, 0};", "  place = {dlpack::Cpu, 0};",
           "tests/interop/test_dlpack_consumer.py"),
    Mutant("elements_are_assigned_aside", "src/memory/copy.cpp", "to.owner->isForeign() ?", "false ?",
           between("elements_are_assigned_behind_what_is_not_told")),
    Mutant("the_producer_s_gpu_is_not_selected", DLPACK_IN, "return context ? context->device.get() : nullptr;",
           "return nullptr;",
           "tests/cuda/test_exchange.py::test_the_device_of_the_producer_is_current_while_it_is_asked"),
    Mutant("the_selected_gpu_stays", "src/device/device_parts.h",
           "    if (pushed)\n      pushed->popSelected();\n", "",
           "tests/cuda/test_exchange.py::test_the_device_of_the_producer_is_current_while_it_is_asked"),
    Mutant("a_table_names_no_stream_without_a_word", DLPACK_IN, 'failTable("names no stream");',
           "throw nb::python_error();",
           "tests/cuda/test_exchange.py::test_a_table_that_names_no_stream_and_no_reason"),
    Mutant("streams_that_do_not_fit_want_no_order", DLPACK_OUT, "return overflow == 0 ? number : 0;", "return number;",
           "tests/interop/test_dlpack_producer.py::test_streams_that_do_not_fit"),
    Mutant("tensors_are_never_borrowed", DLPACK_IN, "if (table.lend && table.lend", "if (false && table.lend",
           table("tensors_are_borrowed_for_arguments")),
    Mutant("borrowed_memory_of_a_gpu_has_no_owner", DLPACK_IN,
           "  read(lent, 0);\n  owner = heldMemory(producer.ptr());", "  read(lent, 0);",
           "tests/cuda/test_exchange.py::test_borrowed_memory_is_kept_until_its_work_has_run"),
    Mutant("copies_for_the_host_have_streams", DLPACK_IN, "hasStreams(place) && !isForHost", "hasStreams(place)",
           "tests/cuda/test_exchange.py::test_wishes_on_a_gpu"),
    Mutant("launches_on_streams_wait_for_others_arrays", ARGUMENTS, "return isOnDefaultStream && !taken.stream &&",
           "return !taken.stream &&", consumer("arguments_on_streams_are_not_waited_for")),
    Mutant("arguments_in_place_are_writable", ARGUMENTS,
           "array.isReadOnly, numberCode(array.element)", "false, numberCode(array.element)",
           consumer("arguments_in_place")),
    Mutant("a_typestr_is_that_of_the_slot", READ, "if (slot.text.ptr() == text) [[likely]]", "if (slot.text)",
           consumer("typestrings_are_told_apart_whatever_their_addresses")),
    Mutant("first_uses_are_not_seen", "src/memory/memory_block.cpp",
           "      areSome.store(true, std::memory_order_release);\n      owner", "      owner",
           producer("pending_work_is_waited_for")),
]  # fmt: skip
