#include "CSoundTouch.h"

#include <soundtouch/SoundTouch.h>

#include <type_traits>

using soundtouch::SAMPLETYPE;
using soundtouch::SoundTouch;

struct csoundtouch {
    SoundTouch library;
};

namespace {

constexpr unsigned blockSize = 2048;

// Full scale as the library was built.
constexpr float scale = std::is_integral<SAMPLETYPE>::value ? 32768 : 1;

unsigned framesOfBlock(const SoundTouch &library, size_t frames) {
    const unsigned most = blockSize / library.numChannels();
    return frames < most ? static_cast<unsigned>(frames) : most;
}

}  // namespace

csoundtouch *csoundtouch_new(
    unsigned sample_rate, unsigned channels, double tempo, double pitch, int sequence,
    int seek_window, int overlap) {
    auto *stretcher = new csoundtouch;
    SoundTouch &library = stretcher->library;
    library.setChannels(channels);
    library.setSampleRate(sample_rate);
    library.setTempo(tempo);
    library.setPitch(pitch);
    library.setSetting(SETTING_SEQUENCE_MS, sequence);
    library.setSetting(SETTING_SEEKWINDOW_MS, seek_window);
    library.setSetting(SETTING_OVERLAP_MS, overlap);
    // It belongs to the change of pitch, and would filter and delay what is only stretched. Comes
    // last, since it starts again with as much silence as these channels need.
    library.setSetting(SETTING_USE_AA_FILTER, pitch == 1 ? 0 : 1);
    return stretcher;
}

void csoundtouch_delete(csoundtouch *stretcher) { delete stretcher; }

void csoundtouch_put(csoundtouch *stretcher, const float *samples, size_t frames) {
    SoundTouch &library = stretcher->library;
    SAMPLETYPE block[blockSize];
    while (frames > 0) {
        const unsigned count = framesOfBlock(library, frames);
        const unsigned length = count * library.numChannels();
        for (unsigned index = 0; index < length; index++) {
            block[index] = static_cast<SAMPLETYPE>(samples[index] * scale);
        }
        library.putSamples(block, count);
        samples += length;
        frames -= count;
    }
}

size_t csoundtouch_receive(csoundtouch *stretcher, float *samples, size_t frames) {
    SoundTouch &library = stretcher->library;
    SAMPLETYPE block[blockSize];
    size_t received = 0;
    while (received < frames) {
        const unsigned count =
            library.receiveSamples(block, framesOfBlock(library, frames - received));
        if (count == 0) break;
        const unsigned length = count * library.numChannels();
        for (unsigned index = 0; index < length; index++) {
            samples[index] = block[index] / scale;
        }
        samples += length;
        received += count;
    }
    return received;
}
