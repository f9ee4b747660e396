"""One step of every kernel's module: follow the one choice of an instruction set. See README.md."""

cdef extern from "lanes/processor.h" nogil:
    const int *gapless_chosen

cdef int chosen

cdef inline void follow() noexcept:
    global gapless_chosen
    gapless_chosen = &chosen
