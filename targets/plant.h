/* PLANT(name): a deliberate, documented bug in a sample extension, off unless selected.

   Example:
       if (!PLANT(missing_untrack)) PyObject_GC_UnTrack(self);  // finds: still-tracked-at-free

   Which plant is selected is a constant, so the correct line and the bug are both compiled and checked
   in every variant. The build selects one plant with -DREFQUAKE_PLANT=name; without it all are off.

   A selected plant tells the fuzz binary that it was reached; that it was triggered, when something went wrong by it;
   whether anybody reports it is a third thing. For most plants to run is to go wrong. A PLANT_WINDOW(name) goes wrong
   only if other code ran at the wrong moment, which PLANT_TRIGGERED(name, condition) looks at, behind it:
       if (self->view == NULL || PLANT_WINDOW(filled_twice)) {  // finds: leaked-instance
           PLANT_TRIGGERED(filled_twice, self->view != NULL);
   The condition must not synchronise anything, and is not evaluated in other variants. */
#ifndef REFQUAKE_PLANT_H
#define REFQUAKE_PLANT_H

#ifndef REFQUAKE_PLANT
#  define REFQUAKE_PLANT none
#endif

#define REFQUAKE_PLANT_STR_(x) #x
#define REFQUAKE_PLANT_STR(x) REFQUAKE_PLANT_STR_(x)
/* __builtin_strcmp of two literals is folded by clang and gcc at every optimisation level. */
#define REFQUAKE_PLANT_IS(name) (__builtin_strcmp(REFQUAKE_PLANT_STR(REFQUAKE_PLANT), #name) == 0)
#define PLANT(name) (REFQUAKE_PLANT_IS(name) && refquake_plant_ran(REFQUAKE_PLANT_TRIGGERED))
#define PLANT_WINDOW(name) (REFQUAKE_PLANT_IS(name) && refquake_plant_ran(REFQUAKE_PLANT_REACHED))
#define PLANT_TRIGGERED(name, condition) \
    ((void)(REFQUAKE_PLANT_IS(name) && (condition) && refquake_plant_ran(REFQUAKE_PLANT_TRIGGERED)))

enum { REFQUAKE_PLANT_REACHED = 1, REFQUAKE_PLANT_TRIGGERED = 2 };

#ifdef __cplusplus
extern "C"
#endif
/* The fuzz binary's (harness/driver/flight_recorder.cc); any other program that loads the sample has none. */
__attribute__((weak, visibility("default"))) void refquake_note_plant(int how);

static inline int refquake_plant_ran(int how)
{
    if (refquake_note_plant) refquake_note_plant(how);
    return 1;
}

#endif
