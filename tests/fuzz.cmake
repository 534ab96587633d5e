# libFuzzer targets, in the build with clang and the sanitizers: every tests/fuzz/fuzz_<name>.c runs for some seconds from
# the committed corpus tests/fuzz/corpus_<name>, if there is one, always with the same random numbers, so that what it finds
# it finds again. To look further: build-sanitize/tests/fuzz_<name> <new folder> <corpus>, with other numbers each time.
# fuzz_ogawa, the container below fuzz_abc, shares its corpus.
set(JN_FUZZ_SECONDS 15 CACHE STRING "How long each fuzz target runs in the tests")
if(JN_SANITIZE STREQUAL "address" AND CMAKE_C_COMPILER_ID MATCHES Clang)
  file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
  foreach(source IN LISTS fuzz_sources)
    get_filename_component(program ${source} NAME_WE)
    string(REPLACE fuzz_ corpus_ corpus ${program})
    string(REPLACE corpus_ogawa corpus_abc corpus ${corpus})
    set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${corpus})
    set(found ${CMAKE_CURRENT_BINARY_DIR}/found_${program})
    file(MAKE_DIRECTORY ${found})
    if(NOT EXISTS ${corpus})
      set(corpus)
    endif()
    add_executable(${program} ${source})
    target_link_libraries(${program} PRIVATE jounce_core m)
    target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/alembic_io/src)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    # what is found goes to the build folder; the committed corpus is only read
    add_test(NAME fuzz.${program} COMMAND ${program} -seed=1 -max_total_time=${JN_FUZZ_SECONDS} -max_len=20000 -timeout=20 -rss_limit_mb=4096
      -verbosity=0 -artifact_prefix=${found}/ ${found} ${corpus})
    set_tests_properties(fuzz.${program} PROPERTIES LABELS fuzz TIMEOUT 300)
  endforeach()
endif()
