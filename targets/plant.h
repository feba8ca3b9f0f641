/* PLANT(name): a deliberate, documented bug in a sample extension, off unless selected.

   Example:
       if (!PLANT(missing_untrack)) PyObject_GC_UnTrack(self);  // finds: still-tracked-at-free

   Which plant is selected is a constant, so the correct line and the bug are both compiled and checked
   in every variant. The build selects one plant with -DREFQUAKE_PLANT=name; without it all are off.
   A selected plant tells the fuzz binary that it was reached, which is one thing, and reported another. */
#ifndef REFQUAKE_PLANT_H
#define REFQUAKE_PLANT_H

#ifndef REFQUAKE_PLANT
#  define REFQUAKE_PLANT none
#endif

#define REFQUAKE_PLANT_STR_(x) #x
#define REFQUAKE_PLANT_STR(x) REFQUAKE_PLANT_STR_(x)
/* __builtin_strcmp of two literals is folded by clang and gcc at every optimisation level. */
#define PLANT(name) (__builtin_strcmp(REFQUAKE_PLANT_STR(REFQUAKE_PLANT), #name) == 0 && refquake_plant_reached())

#ifdef __cplusplus
extern "C"
#endif
/* The fuzz binary's (harness/driver/flight_recorder.cc); any other program that loads the sample has none. */
__attribute__((weak, visibility("default"))) void refquake_note_plant(void);

static inline int refquake_plant_reached(void)
{
    if (refquake_note_plant) refquake_note_plant();
    return 1;
}

#endif
