# alembic_io: Blender's own reader judges our archives.
set(JN_BPY_PYTHON "python3" CACHE FILEPATH "Python with Blender's bpy module; without bpy the tests that need it skip")
foreach(program abc_sample abc_dump)
  add_executable(${program} host/${program}.c)
  target_link_libraries(${program} PRIVATE jounce_flags alembic_io m)
endforeach()
add_test(NAME host.abc_blender COMMAND ${JN_BPY_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/host/test_abc_blender.py
  $<TARGET_FILE:abc_sample> $<TARGET_FILE:abc_dump>)
set_tests_properties(host.abc_blender PROPERTIES LABELS host SKIP_RETURN_CODE 77 TIMEOUT 300)
