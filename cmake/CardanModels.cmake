# Built-in models of one size are files of examples/models: this embeds them as arrays of bytes, text_NAME
# with _ for -, in the header model/builtin_texts.h of the build folder. src/model/builtin.c has a row
# for each; a file without a row, or a row without a file, does not compile.
set(embedded
    ball-table bicycle biped block-on-incline bouncing-ball car car-stop car-trailer cam cam-follower
    closed-chain coin differential-drive double-pendulum
    four-link fourbar-3d gear geneva gripper hopper human humanoid kepler lower-pairs pendulum
    quadruped rattleback rimless-wheel rocking-block roller-racer rolling-ball rolling-disc rope screw segway sleigh slider-crank snakeboard spring
    top tumbler tyre-car wire)

# at build time, as a script: writes OUTPUT from the files of FOLDER
if(CMAKE_SCRIPT_MODE_FILE)
  string(REPEAT "....." 16 line) # 16 bytes, as 0x3b,
  set(text "// SPDX-License-Identifier: Apache-2.0\n// Made by cmake/CardanModels.cmake from examples/models.\n#pragma once\n")
  foreach(name IN LISTS embedded)
    file(READ ${FOLDER}/${name}.mbs bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
    string(REPLACE "-" "_" name ${name})
    string(APPEND text "\nstatic const unsigned char text_${name}[] = {\n${bytes}};\n")
  endforeach()
  file(WRITE ${OUTPUT} "${text}")
  return()
endif()

set(models ${PROJECT_SOURCE_DIR}/examples/models)
set(texts ${PROJECT_BINARY_DIR}/embedded/model/builtin_texts.h)
list(TRANSFORM embedded REPLACE "(.+)" "${models}/\\1.mbs" OUTPUT_VARIABLE files)
add_custom_command(
  OUTPUT ${texts}
  COMMAND ${CMAKE_COMMAND} -D FOLDER=${models} -D OUTPUT=${texts} -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${files} ${CMAKE_CURRENT_LIST_FILE}
  COMMENT "Embedding the built-in models"
  VERBATIM)
target_sources(cardan PRIVATE ${texts})
target_include_directories(cardan PRIVATE ${PROJECT_BINARY_DIR}/embedded)
