# Defects of loads and stores under masks on the CPU device.

from mutants.tree import Mutant

MEMORY = "src/codegen/cpu/lanes/warp_memory.cpp"
PIECES = "src/codegen/cpu/lanes/vector_pieces.cpp"
EDGES = "tests/machine_code/test_masked_memory.py::test_elements_beside_pages_of_nobody[x86-64-v2]"
WIDE_EDGES = "tests/machine_code/test_masked_memory.py::test_elements_beside_pages_of_nobody[x86-64-v4]"

MUTANTS = [
    Mutant(
        "bytes_are_read_across_pages",
        MEMORY,
        "isWhole = b.CreateAnd(isWhole, b.CreateICmpULE(offset, b.getInt64(page - bytes)));",
        "(void)offset, (void)bytes;",
        EDGES,
    ),
    Mutant(
        "runs_without_lanes_are_read",
        MEMORY,
        "      if (runs > 1)\n",
        "      (void)bits, (void)lanesOfRun;\n      if (false)\n",
        EDGES,
    ),
    Mutant(
        "gathers_read_where_no_lane_is",
        MEMORY,
        "return b.CreateSelect(active, pointers,",
        "return b.CreateSelect(model.laneSets().all(), pointers,",
        EDGES,
    ),
    Mutant(
        "every_fourth_element_is_its_neighbour",
        MEMORY,
        "for (Value *offset : {address.s0, two, three})",
        "for (Value *offset : {address.s0, two, two})",
        EDGES,
    ),
    Mutant(
        "gathers_of_one_size_share_a_function",
        "src/codegen/cpu/machine/late_rewrites.cpp",
        'isIntegerTy() ? "i." : "f.")',
        'isIntegerTy() ? "i." : "i.")',
        EDGES,
    ),
    Mutant(
        "wrapped_stores_keep_the_first_part_alone",
        MEMORY,
        "b.CreateAlignedStore(kept[part].read(lane), partAddress(to, part), Align(alignment));",
        "b.CreateAlignedStore(kept[0].read(lane), partAddress(to, part), Align(alignment));",
        EDGES,
    ),
    Mutant(
        "complex_elements_have_the_real_part_twice",
        PIECES,
        "picked.push_back(int(registerOf(lane) * inRegister + placeOf(lane) + which));",
        "picked.push_back(int(registerOf(lane) * inRegister + placeOf(lane))), (void)which;",
        EDGES,
    ),
    Mutant(
        "lanes_store_their_neighbours_elements",
        PIECES,
        "Value *element = pieceOf(b, registers[blocks.registerOf(lane)], blocks.placeOf(lane), 2);",
        "Value *element = pieceOf(b, registers[0], blocks.placeOf(lane), 2);",
        EDGES,
    ),
    Mutant(
        "complex_elements_are_taken_for_aligned",
        PIECES,
        "b.CreateAlignedLoad(FixedVectorType::get(part, 2), pointers[first + lane], alignment);",
        "b.CreateAlignedLoad(FixedVectorType::get(part, 2), pointers[first + lane], Align(16)); (void)alignment;",
        EDGES,
    ),
    Mutant(
        "gathered_words_of_lanes_that_are_off",
        MEMORY,
        "    return fromWords(b.CreateMaskedGather(model.vectorOf(wordType()), pointers, Align(alignment),\n"
        "                                          isMasked ? model.activeLanes() : nullptr));",
        "    return fromWords(b.CreateMaskedGather(model.vectorOf(wordType()), pointers, Align(alignment), nullptr));",
        WIDE_EDGES,
    ),
    Mutant(
        "words_are_stored_with_the_real_part_twice",
        MEMORY,
        "return complex.zipped(asVector(values[0]), asVector(values[1]));",
        "return complex.zipped(asVector(values[0]), asVector(values[0]));",
        WIDE_EDGES,
    ),
    Mutant(
        "lines_are_prefetched_for_each_field",
        "src/codegen/cpu/lanes/prefetch.cpp",
        "lines.first.try_emplace(offset >= 0 ? offset / size : -1 - (-1 - offset) / size, element);",
        "lines.first.try_emplace(offset, element);",
        "tests/kernels/test_cpu_code.py::test_records_are_prefetched",
    ),
    Mutant(
        "loops_of_a_thread_prefetch_other_warps_memory",
        "src/codegen/cpu/warp/warp_loops.cpp",
        "  const Scoped<bool> often(oncePerWarp, false);\n  auto bound",
        "  auto bound",
        "tests/kernels/test_cpu_code.py::test_loads_under_masks_are_prefetched",
    ),
    Mutant(
        "columns_are_not_prefetched",
        "src/codegen/cpu/lanes/warp_lanes.h",
        "program.emission.loadsInLoops |= !oncePerWarp;",
        "",
        "tests/kernels/test_cpu_code.py::test_columns_are_prefetched",
    ),
    Mutant(
        "factors_are_prefetched",
        "src/codegen/cpu/lanes/prefetch.cpp",
        "columns[&loop] = areVectors && all_of(",
        "columns[&loop] = true || areVectors || all_of(",
        "tests/kernels/test_cpu_code.py::test_columns_are_prefetched",
    ),
    Mutant(
        "what_is_written_again_goes_past_the_caches",
        "src/passes/analyses/written_arrays.cpp",
        "stores[i] > mostStores",
        "stores[i] > mostStores + 1",
        "tests/kernels/test_kernels.py::test_result[streamed_stores]",
    ),
    Mutant(
        "gathers_are_fast_on_every_processor",
        MEMORY,
        "if (hasSteps(address) && !(hasGathers() && model.settings().hasFastGathers))",
        "if (hasSteps(address) && !hasGathers())",
        "tests/machine_code/test_processors.py::test_elements_a_row_apart_are_gathered_where_that_is_fast",
    ),
]
