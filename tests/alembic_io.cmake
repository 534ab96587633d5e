# alembic_io: what its tests need beyond the common rules.
set(abc_source ${PROJECT_SOURCE_DIR}/alembic_io)

# the crash tests see every write of the library, the memory tests every allocation
target_include_directories(test_abc_crash PRIVATE ${abc_source}/src)
target_link_options(test_abc_crash PRIVATE -Wl,--wrap=abc_os_write_at)
target_link_options(test_abc_memory PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)

# Blender's own reader judges our archives, and we read Blender's
set(JN_BPY_PYTHON "python3" CACHE FILEPATH "Python with Blender's bpy module; without bpy the tests that need it skip")
foreach(program abc_sample abc_dump)
  add_executable(${program} host/${program}.c)
  target_link_libraries(${program} PRIVATE jounce_flags alembic_io m)
endforeach()
add_test(NAME host.abc_blender COMMAND ${JN_BPY_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/host/test_abc_blender.py
  $<TARGET_FILE:abc_sample> $<TARGET_FILE:abc_dump>)
set_tests_properties(host.abc_blender PROPERTIES LABELS host SKIP_RETURN_CODE 77 TIMEOUT 300)

# libFuzzer comes with clang only: 30 seconds for each layer, from the committed corpus
if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
  file(GLOB abc_sources CONFIGURE_DEPENDS ${abc_source}/src/*.c)
  foreach(program fuzz_ogawa fuzz_abc)
    add_executable(${program} fuzz/${program}.c ${abc_sources})
    target_include_directories(${program} PRIVATE ${abc_source}/include ${abc_source}/src)
    target_compile_definitions(${program} PRIVATE _POSIX_C_SOURCE=200809L)
    target_compile_options(${program} PRIVATE -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer,address,undefined)
    target_link_libraries(${program} PRIVATE m)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/found_by_${program})
    add_test(NAME fuzz.${program} COMMAND ${program} -max_total_time=30 -max_len=20000 -timeout=20
      ${CMAKE_CURRENT_BINARY_DIR}/found_by_${program} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus_abc)
    set_tests_properties(fuzz.${program} PROPERTIES LABELS fuzz TIMEOUT 120)
  endforeach()
endif()
