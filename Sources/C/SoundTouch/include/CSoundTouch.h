// What the player needs of SoundTouch, a C++ library, for C. Samples are floats, 1 being full scale,
// whichever type the library was built for.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct csoundtouch csoundtouch;

// A stretcher at `tempo` and `pitch`, 1 being the original; the lengths are in milliseconds.
csoundtouch *csoundtouch_new(
    unsigned sample_rate, unsigned channels, double tempo, double pitch, int sequence,
    int seek_window, int overlap);

void csoundtouch_delete(csoundtouch *stretcher);

// Takes `frames` interleaved frames and stretches what it can.
void csoundtouch_put(csoundtouch *stretcher, const float *samples, size_t frames);

// Gives at most `frames` frames and returns how many; 0 when it wants more first.
size_t csoundtouch_receive(csoundtouch *stretcher, float *samples, size_t frames);

#ifdef __cplusplus
}
#endif
