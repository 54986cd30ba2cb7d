// Pictures of JPEG and PNG files as pixels, by libjpeg and libpng.
#pragma once

#include <stddef.h>

typedef struct {
    unsigned width, height;
    // Red, green and blue of each pixel, row by row; to be freed.
    unsigned char *pixels;
} cpicture;

// Decodes the file of which `bytes` are the contents, and makes it small enough for a box of
// `width` by `height` pixels, as it is in proportion. Returns 0 if it is damaged, no JPEG or PNG, or
// of more than `limit` pixels.
int cpicture_decode(
    const unsigned char *bytes, size_t count, unsigned width, unsigned height, size_t limit,
    cpicture *picture);
