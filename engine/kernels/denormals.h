/* Numbers below 2^-126 (denormals): on many CPUs an instruction that meets one takes over a hundred
 * cycles instead of four, and the tails of a sharp softmax, their gradients and the optimizer's
 * moments are full of them. */
#ifndef ENGINE_KERNELS_DENORMALS_H
#define ENGINE_KERNELS_DENORMALS_H

#include <stdbool.h>

/* From now on the calling thread takes denormals for 0, as operands and as results (x86: DAZ and
 * FTZ; Arm: FPCR.FZ). Nothing here undoes it. graph_forward calls it, so that whoever computes with
 * float kernels has it; who calls kernels directly should too. Does nothing in the double build. */
void denormals_flush(void);

/* Whether denormals_flush has an effect in this build: part of what its results depend on. */
bool denormals_flushed(void);

#endif
