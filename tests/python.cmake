# The tests in Python: the bridge, the style of the sources, the add-on in Blender, and CalculiX as a judge.
# Every function test_* of these files is one CTest test. They load the packaged library into an ordinary Python, which
# cannot hold a library with sanitizers.
set(JN_BPY_PYTHON "python3" CACHE FILEPATH "Python with Blender's bpy module; without bpy the tests that need it skip")
find_package(Python3 3.7 REQUIRED COMPONENTS Interpreter)

function(jn_add_python_tests label files)
  file(GLOB sources CONFIGURE_DEPENDS ${label}/${files})
  foreach(source IN LISTS sources)
    get_filename_component(program ${source} NAME_WE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} needs_blender REGEX "^import bpy")
    set(python $<IF:$<BOOL:${needs_blender}>,${JN_BPY_PYTHON},${Python3_EXECUTABLE}>)
    file(STRINGS ${source} heads REGEX "^def test_")
    foreach(head IN LISTS heads)
      string(REGEX REPLACE "^def (test_[A-Za-z0-9_]+).*" "\\1" case ${head})
      set(name ${label}.${program}.${case})
      jn_add_test(${name} ${label} ${head} ${python} ${source} ${case})
      set_tests_properties(${name} PROPERTIES ENVIRONMENT
        "JN_TEST_SOURCE=${PROJECT_SOURCE_DIR};JN_TEST_BUILD=${PROJECT_BINARY_DIR};JN_TEST_CC=${CMAKE_C_COMPILER};JN_TEST_CLI_FOLDERS=$<JOIN:$<TARGET_PROPERTY:jounce_cli,INCLUDE_DIRECTORIES>,:>")
    endforeach()
  endforeach()
endfunction()

if(NOT JN_SANITIZE)
  jn_add_python_tests(unit test_bridge*.py)
  jn_add_python_tests(unit test_host_*.py)
  jn_add_python_tests(unit test_layers.py)
  jn_add_python_tests(unit test_modifier_stack.py)
  jn_add_python_tests(unit test_runner.py)
  jn_add_python_tests(style test_format.py)
  jn_add_python_tests(host test_blender*.py)
  jn_add_python_tests(host test_calculix.py)
endif()
