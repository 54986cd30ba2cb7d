// Copies its standard input to its standard output with the arrival time of each piece: every piece
// is preceded by two 64-bit numbers, CLOCK_MONOTONIC in nanoseconds and the piece's length. It does
// nothing else, so that it reads within microseconds what a busy reader would read late.

#include <stdint.h>
#include <time.h>
#include <unistd.h>

static int write_all(const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(1, bytes, count);
        if (written < 0) return -1;
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

int main(void) {
    static struct {
        int64_t nanoseconds;
        int64_t length;
        char bytes[65536];
    } piece;
    for (;;) {
        ssize_t length = read(0, piece.bytes, sizeof piece.bytes);
        if (length <= 0) return length < 0;
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        piece.nanoseconds = now.tv_sec * 1000000000LL + now.tv_nsec;
        piece.length = length;
        if (write_all((const char *)&piece, 16 + (size_t)length) != 0) return 1;
    }
}
