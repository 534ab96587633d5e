# alembic_io: what its tests need beyond the common rules.
set(abc_source ${PROJECT_SOURCE_DIR}/alembic_io)

# the crash tests see every write and flush of the library, the memory tests every allocation
target_include_directories(test_abc_crash PRIVATE ${abc_source}/src)
target_include_directories(test_abc_inside PRIVATE ${abc_source}/src)
target_link_options(test_abc_crash PRIVATE -Wl,--wrap=abc_os_write_at,--wrap=abc_os_flush)
target_link_options(test_abc_memory PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)

# Blender's own reader judges our archives, and we read Blender's
set(JN_BPY_PYTHON "python3" CACHE FILEPATH "Python with Blender's bpy module; without bpy the tests that need it skip")
foreach(program abc_sample abc_dump)
  add_executable(${program} host/${program}.c)
  target_link_libraries(${program} PRIVATE jounce_flags alembic_io m)
endforeach()
jn_add_test(host.abc_blender host "" ${JN_BPY_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/host/test_abc_blender.py
  $<TARGET_FILE:abc_sample> $<TARGET_FILE:abc_dump>)
