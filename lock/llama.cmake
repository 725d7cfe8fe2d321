# Of llama.cpp its library alone: its tools' part is as much to compile again, and nothing here calls it.
set(LLAMA_BUILD_COMMON OFF CACHE BOOL "" FORCE)
