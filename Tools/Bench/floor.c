// The minimum cost of a player: one MP3 through libmpg123 into libpulse-simple, in pieces of 500 ms
// with a buffer of 2 s. With --ticks a second thread writes 100 lines of JSON per second, each with
// the moment and the position being heard: frames written, less the reported latency.
//
// usage: floor [--ticks] FILE

#include <inttypes.h>
#include <mpg123.h>
#include <pthread.h>
#include <pulse/simple.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RATE = 44100, FRAME = 4, PIECE = RATE / 2 * FRAME, BUFFER = 2 * RATE * FRAME };

static pa_simple *stream;
static int64_t written;  // frames; with the latency it makes a position only under the lock
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fail(const char *what) {
    fprintf(stderr, "floor: cannot %s\n", what);
    _exit(1);
}

// Microseconds until what was written last is heard.
static int64_t latency(void) {
    int error;
    pa_usec_t value = pa_simple_get_latency(stream, &error);
    if (value == (pa_usec_t)-1) fail("read the latency");
    return (int64_t)value;
}

static void *tick(void *unused) {
    struct timespec due;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (;;) {
        due.tv_nsec += 10000000;
        if (due.tv_nsec >= 1000000000) due.tv_sec += 1, due.tv_nsec -= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
        pthread_mutex_lock(&lock);
        double seconds = (double)written / RATE - (double)latency() / 1e6;
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        pthread_mutex_unlock(&lock);
        char line[128];
        int length = snprintf(
            line, sizeof line, "{\"event\":\"time\",\"monotonic\":%" PRId64 ",\"seconds\":%.6f}\n",
            now.tv_sec * INT64_C(1000000000) + now.tv_nsec, seconds);
        if (write(1, line, (size_t)length) != length) return unused;
    }
}

// Waits until a whole piece fits, so that no write blocks while the other thread wants the lock.
// The server requests data late and in whole pieces: with little less than one to spare, a write
// takes up to 0.4 s.
static void wait_for_room(void) {
    int64_t excess = latency() - (int64_t)(BUFFER - PIECE) * 1000000 / FRAME / RATE + 400000;
    if (excess <= 0) return;
    struct timespec rest = {excess / 1000000, excess % 1000000 * 1000};
    nanosleep(&rest, NULL);
}

int main(int count, char **arguments) {
    int ticks = count == 3 && strcmp(arguments[1], "--ticks") == 0;
    if (count != 2 + ticks) fail("play: usage: floor [--ticks] FILE");
    mpg123_init();
    mpg123_handle *decoder = mpg123_new(NULL, NULL);
    long rate;
    int channels, encoding;
    mpg123_param(decoder, MPG123_ADD_FLAGS, MPG123_QUIET | MPG123_GAPLESS, 0);
    mpg123_format_none(decoder);
    mpg123_format(decoder, RATE, MPG123_STEREO, MPG123_ENC_SIGNED_16);
    if (mpg123_open(decoder, arguments[1 + ticks]) != MPG123_OK ||
        mpg123_getformat(decoder, &rate, &channels, &encoding) != MPG123_OK)
        fail("open the file: it must be an MP3 of 44.1 kHz");

    pa_sample_spec format = {PA_SAMPLE_S16LE, RATE, 2};
    pa_buffer_attr buffer = {(uint32_t)-1, BUFFER, RATE / 50 * FRAME, PIECE, (uint32_t)-1};
    stream = pa_simple_new(NULL, "floor", PA_STREAM_PLAYBACK, NULL, "floor", &format, NULL,
                           &buffer, NULL);
    if (stream == NULL) fail("reach the sound server");

    static unsigned char piece[PIECE];
    int status = MPG123_OK;
    while (status == MPG123_OK) {
        size_t length = 0;
        status = mpg123_read(decoder, piece, sizeof piece, &length);
        wait_for_room();
        pthread_mutex_lock(&lock);
        if (length > 0 && pa_simple_write(stream, piece, length, NULL) != 0) fail("write");
        int is_first = written == 0;
        written += (int64_t)length / FRAME;
        pthread_mutex_unlock(&lock);
        pthread_t thread;
        if (is_first && ticks) pthread_create(&thread, NULL, tick, NULL);
    }
    pa_simple_drain(stream, NULL);
    return 0;
}
