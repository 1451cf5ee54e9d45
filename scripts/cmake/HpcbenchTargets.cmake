# The warnings every target gets, each probed, and the functions that declare programs and tests.
include(CheckCCompilerFlag)

add_library(hpcbench_flags INTERFACE)
target_include_directories(hpcbench_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(hpcbench_flags INTERFACE _GNU_SOURCE
  HPCBENCH_VERSION="${PROJECT_VERSION}")
target_compile_options(hpcbench_flags INTERFACE
  -include ${PROJECT_SOURCE_DIR}/bench/base/banned.h)

foreach(flag -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes
    -Wmissing-prototypes -Wold-style-definition -Wwrite-strings -Wformat=2 -Wformat-signedness
    -Wcast-qual -Wpointer-arith -Wvla -Wundef -Wswitch-enum
    -Wimplicit-fallthrough -fno-common -fstack-protector-strong)
  string(MAKE_C_IDENTIFIER "HPCBENCH_C${flag}" var)
  check_c_compiler_flag(${flag} ${var})
  if(${var})
    target_compile_options(hpcbench_flags INTERFACE ${flag})
  endif()
endforeach()
# Not for tests: a failed assertion ends one, but the optimiser does not know and sees NULL go on.
check_c_compiler_flag(-Wnull-dereference HPCBENCH_C_Wnull_dereference)
if(HPCBENCH_C_Wnull_dereference)
  target_compile_options(hpcbench_flags INTERFACE
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:HPCBENCH_TEST>>>:-Wnull-dereference>)
endif()
option(HPCBENCH_WERROR "Warnings are errors" OFF)
if(HPCBENCH_WERROR)
  target_compile_options(hpcbench_flags INTERFACE -Werror)
endif()

set(HPCBENCH_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize= (address,undefined)")
if(HPCBENCH_SANITIZE)
  target_compile_options(hpcbench_flags INTERFACE -fsanitize=${HPCBENCH_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(hpcbench_flags INTERFACE -fsanitize=${HPCBENCH_SANITIZE})
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(hpcbench_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
target_link_options(hpcbench_flags INTERFACE -Wl,-z,relro,-z,now -Wl,--enable-new-dtags)

# hpcbench_bench(NAME mpi SOURCES ... LINK ...): one helper program for one set of libraries.
function(hpcbench_bench)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;LINK" ${ARGN})
  add_executable(hpcbench-${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(hpcbench-${ARG_NAME} PRIVATE hpcbench_core ${ARG_LINK})
  install(TARGETS hpcbench-${ARG_NAME} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/hpcbench
    COMPONENT ${ARG_NAME})
endfunction()

# hpcbench_unit_test(NAME SOURCES ... LINK ... [LABELS ...] [TIMEOUT s]): a cmocka program.
function(hpcbench_unit_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${ARG_LINK} PkgConfig::CMOCKA)
  set_target_properties(test_${name} PROPERTIES HPCBENCH_TEST ON
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    SKIP_RETURN_CODE 77)
endfunction()
