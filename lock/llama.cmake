# Compile llama.cpp's library only: what its programs share takes as long again, and nothing here calls it.
set(LLAMA_BUILD_COMMON OFF CACHE BOOL "" FORCE)
