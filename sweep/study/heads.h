/* The study `heads`: every measure of engine/measures/measures.def, taken over the validation or
 * the test set, and how long the whole model takes. Options: {"on":"val"} or {"on":"test"}. */
#ifndef SWEEP_STUDY_HEADS_H
#define SWEEP_STUDY_HEADS_H

/* Its options, as canonical JSON. */
#define HEADS_ON_VAL  "{\"on\":\"val\"}"
#define HEADS_ON_TEST "{\"on\":\"test\"}"

#endif
