# Read by llama-cpp-python's build right after its project() call. The package sets this option itself, but only as a cache variable, and a
# plain variable goes before it (CMake policy CMP0126). What is left out, a library for llama.cpp's own command-line tools, is half of the build.
set(LLAMA_BUILD_COMMON OFF)
