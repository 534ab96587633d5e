# Scene files: every function test_* of host/test_schema.py, in the Python that has jsonschema; without it they skip.
set(schema_test ${CMAKE_CURRENT_SOURCE_DIR}/host/test_schema.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schema_test})
file(STRINGS ${schema_test} heads REGEX "^def test_")
foreach(head IN LISTS heads)
  string(REGEX REPLACE "^def (test_[A-Za-z0-9_]+).*" "\\1" case ${head})
  jn_add_test(host.test_schema.${case} host ${head} ${JN_BPY_PYTHON} ${schema_test} ${case})
  set_tests_properties(host.test_schema.${case} PROPERTIES ENVIRONMENT "JN_TEST_SOURCE=${PROJECT_SOURCE_DIR}")
endforeach()

# Allocations of the core go through the test's wrappers.
target_link_options(test_scene_memory PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
target_link_libraries(test_scene_memory PRIVATE ${CJSON_LIBRARY})

# The keys that the core looks for go through the test's wrapper.
target_link_options(test_scene_keys PRIVATE -Wl,--wrap=cJSON_GetObjectItemCaseSensitive)
target_link_libraries(test_scene_keys PRIVATE ${CJSON_LIBRARY})

# It writes scenes that differ from a sample.
target_link_libraries(test_teddy PRIVATE ${CJSON_LIBRARY})
