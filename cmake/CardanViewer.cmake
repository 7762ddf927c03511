# The page of reports, from viewer/: npm brings what package-lock.json names into the build folder,
# esbuild bundles it, and the library gets it as an array of bytes (page.c). Once the packages are
# there, later builds need no network. Without Node.js, or with CARDAN_PAGES=OFF, the library is
# built without the page, and everything else works.
option(CARDAN_PAGES "Build the HTML pages (Node.js and npm)" ON)

find_program(CARDAN_NODE NAMES node nodejs)
find_program(CARDAN_NPM npm)
mark_as_advanced(CARDAN_NODE CARDAN_NPM)

set(viewer ${PROJECT_SOURCE_DIR}/viewer)
set(viewer_build ${PROJECT_BINARY_DIR}/viewer)
if(CARDAN_PAGES AND CARDAN_NODE AND CARDAN_NPM AND NOT CARDAN_FUZZ)
  set(CARDAN_HAS_PAGES TRUE CACHE INTERNAL "")
  file(GLOB viewer_sources CONFIGURE_DEPENDS ${viewer}/src/* ${viewer}/*.mjs ${viewer}/tsconfig.json)
  set(no_packages "npm could not get the packages of the pages (the message is above)\\; "
                  "-DCARDAN_PAGES=OFF builds without them")
  string(CONCAT no_packages ${no_packages})
  add_custom_command(
    OUTPUT ${viewer_build}/node_modules/.package-lock.json
    COMMAND ${CMAKE_COMMAND} -E make_directory ${viewer_build}
    COMMAND ${CMAKE_COMMAND} -E copy ${viewer}/package.json ${viewer}/package-lock.json
            ${viewer_build}
    COMMAND sh -c "\"$1\" ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error || { echo \"$2\" >&2; exit 1; }"
            npm ${CARDAN_NPM} ${no_packages}
    DEPENDS ${viewer}/package.json ${viewer}/package-lock.json
    WORKING_DIRECTORY ${viewer_build}
    COMMENT "Fetching the packages of the pages"
    VERBATIM)
  add_custom_command(
    OUTPUT ${viewer_build}/page.c
    COMMAND ${CMAKE_COMMAND} -E rm -rf src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${viewer}/src src
    COMMAND ${CMAKE_COMMAND} -E copy ${viewer}/build.mjs ${viewer}/tsconfig.json .
    COMMAND ${CARDAN_NODE} build.mjs
    DEPENDS ${viewer_sources} ${viewer_build}/node_modules/.package-lock.json
    WORKING_DIRECTORY ${viewer_build}
    COMMENT "Bundling the pages"
    VERBATIM)
  target_sources(cardan PRIVATE ${viewer_build}/page.c)
else()
  set(CARDAN_HAS_PAGES FALSE CACHE INTERNAL "")
  if(CARDAN_PAGES AND NOT CARDAN_FUZZ)
    message(STATUS "Node.js or npm was not found: built without the HTML pages of run --report, "
                   "compare --report and view; everything else is there")
  endif()
  target_sources(cardan PRIVATE ${PROJECT_SOURCE_DIR}/src/output/page_none.c)
endif()
