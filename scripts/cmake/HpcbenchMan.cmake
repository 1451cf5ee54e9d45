# Manual pages, made by the program itself from its tables and by scripts/man from the prose there;
# and the completion of shells.
file(GLOB HPCBENCH_MAN_PROSE CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/man/*.in)
set(HPCBENCH_MAN ${PROJECT_BINARY_DIR}/share/man)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/man.stamp
  COMMAND ${PROJECT_SOURCE_DIR}/scripts/man/make-pages $<TARGET_FILE:hpcbench> ${HPCBENCH_MAN}
  COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/man.stamp
  DEPENDS hpcbench ${HPCBENCH_MAN_PROSE}
    ${PROJECT_SOURCE_DIR}/scripts/man/make-pages ${PROJECT_SOURCE_DIR}/scripts/man/pages.awk
    ${PROJECT_SOURCE_DIR}/harness/README.md ${PROJECT_SOURCE_DIR}/baselines/README.md
    ${PROJECT_SOURCE_DIR}/harness/suites/suite.schema.json
    ${PROJECT_SOURCE_DIR}/baselines/baseline.schema.json
  COMMENT "Manual pages" VERBATIM)
add_custom_target(man ALL DEPENDS ${PROJECT_BINARY_DIR}/man.stamp)
install(DIRECTORY ${HPCBENCH_MAN}/man1 ${HPCBENCH_MAN}/man5 DESTINATION ${CMAKE_INSTALL_MANDIR}
  COMPONENT core)

set(HPCBENCH_COMPLETION ${PROJECT_SOURCE_DIR}/scripts/completion)
install(FILES ${HPCBENCH_COMPLETION}/hpcbench.bash COMPONENT core
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME hpcbench)
install(FILES ${HPCBENCH_COMPLETION}/hpcbench.zsh COMPONENT core
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _hpcbench)
install(FILES ${HPCBENCH_COMPLETION}/hpcbench.fish COMPONENT core
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
