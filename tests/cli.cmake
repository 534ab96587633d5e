# The jounce command as a shell sees it: every method of test_cli*.py is one CTest test.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(program test_cli test_cli_outputs test_cli_plots test_cli_limits test_cli_show test_cli_truth)
  set(cli_test ${CMAKE_CURRENT_LIST_DIR}/unit/${program}.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cli_test})
  file(STRINGS ${cli_test} lines REGEX "^class .*Test\\)|^    def test_")
  foreach(line IN LISTS lines)
    if(line MATCHES "^class ([A-Za-z]+)")
      set(class ${CMAKE_MATCH_1})
    elseif(line MATCHES "def (test_[a-z0-9_]+)")
      set(test unit.${program}.${class}.${CMAKE_MATCH_1})
      jn_add_test(${test} unit ${line} ${Python3_EXECUTABLE} ${cli_test} $<TARGET_FILE:jounce_cli> ${PROJECT_SOURCE_DIR}
        ${JN_ASSETS} ${class}.${CMAKE_MATCH_1})
    endif()
  endforeach()
endforeach()

# The command is a program, not a library: what is tested of it in C is compiled into the test.
set(picture ${PROJECT_SOURCE_DIR}/core/cli/picture)
target_sources(test_plot PRIVATE ${picture}/plot_scale.c ${picture}/stroke_font.c ${picture}/canvas.c ${picture}/plot.c
  ${picture}/cairo_text.c ${PROJECT_SOURCE_DIR}/core/cli/output_file.c)
target_include_directories(test_plot PRIVATE ${PROJECT_SOURCE_DIR}/core/cli ${CAIRO_INCLUDE})
target_link_libraries(test_plot PRIVATE jounce_os ${CAIRO_LIBRARY})

# What test_cli_show.py unpacks, beside the tests in C.
add_executable(pack_bytes ${CMAKE_CURRENT_LIST_DIR}/unit/pack_bytes.c ${picture}/deflate.c ${picture}/huffman.c)
target_include_directories(pack_bytes PRIVATE ${PROJECT_SOURCE_DIR}/core/cli)
target_link_libraries(pack_bytes PRIVATE jounce_flags)
