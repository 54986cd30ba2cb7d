// Composes "Evening Tide", the music of the demo songs.
//
// Usage: compose <folder>
// Writes one continuous piece, split into 1.wav, 2.wav and 3.wav (16 bits, stereo, 44.1 kHz), and
// prints the number of frames of each. Everything is computed from the score below with a fixed
// seed: the program writes the same bytes every time.

import Glibc

// MARK: Score

/// A few bars that belong together, as lines of `pitch+pitch/beats`, with `r` for a rest.
struct Section {
    /// The chord tones played by the plucked strings, one per half beat.
    var arpeggio: [Int]
    var loudness: Double
    var chords: String
    var bass: String
    var piano: String
    var flute: String
    /// The seconds in which the strings decay after each chord.
    var release = 0.9
}

enum Score {
    static let beatsPerBar = 4.0
    static let ritardandoStart = 112.0
    static let tailSeconds = 4.6

    /// The boundary of two songs: just after a downbeat, while all parts sound, so
    /// that a gap left by a player is audible.
    static let cutBeats = [40.3, 80.37]

    static let sections = [opening, theme, turn, homecoming, coda, rest]

    static let opening = Section(
        arpeggio: [0, 1, 2, 3, 4, 3, 2, 1],
        loudness: 0.8,
        chords: "F#3+A3+C#4+E4/4 | G3+B3+D4+F#4/4",
        bass: "D2/4 | D2/4",
        piano: "r/4 | r/3 A4/1",
        flute: "r/4 | r/4"
    )

    static let theme = Section(
        arpeggio: [0, 1, 2, 3, 4, 3, 2, 1],
        loudness: 0.88,
        chords: themeChords,
        bass: themeBass,
        piano: """
            F#5/1.5 E5/0.5 D5/1 A4/1 | B4/1 D5/1 F#5/2 | B4/1.5 D5/0.5 A5/1 F#5/1 | E5/3 r/1
            C#5/1.5 E5/0.5 A5/1 F#5/1 | D5/1.5 C#5/0.5 B4/2 | G4/1 B4/1 D5/1 F#5/1
            E5/1.5 D5/0.5 C#5/1 A4/1
            """,
        flute: "r/4 | r/4 | r/4 | r/4 | r/4 | r/4 | r/4 | r/4"
    )

    // The theme's motif inverted, with a borrowed G minor at the turn.
    static let turn = Section(
        arpeggio: [0, 2, 1, 3, 2, 4, 3, 1],
        loudness: 1.0,
        chords: """
            F#3+A3+D4+F#4/4 | E3+A3+C#4+E4/4 | F#3+A3+D4+E4/4 | G3+B3+D4+F#4/4
            G3+B3+D4+E4/4 | A3+C#4+E4+F#4/4 | G3+Bb3+D4+E4/4 | F#3+A3+D4+F#4/4
            G3+B3+D4+E4/4 | G3+A3+C#4+E4/4
            """,
        bass: """
            B1/3 B1/1 | C#2/3 C#2/1 | D2/3 F#2/1 | G2/3 D2/1 | E2/3 E2/1
            F#2/3 F#2/1 | G2/3 G2/1 | A2/4 | A1/3 E2/1 | A1/2 A2/2
            """,
        piano: """
            r/4 | r/1 A4/0.5 C#5/0.5 A5/2 | r/4 | r/1 G4/0.5 B4/0.5 D5/2 | r/4
            r/1 A4/0.5 C#5/0.5 E5/2 | r/4 | r/1 F#4/0.5 A4/0.5 D5/2
            r/2 G4/1 B4/1 | C#5/1 E5/1 G5/1 E5/1
            """,
        flute: """
            B4/1.5 C#5/0.5 D5/1 F#5/1 | E5/3 C#5/1 | D5/1.5 E5/0.5 F#5/1 A5/1
            B5/2 F#5/1 D5/1 | G5/1.5 F#5/0.5 E5/1 B4/1 | A5/1.5 E5/0.5 F#5/1 C#5/1
            D5/2 Bb4/1 G4/1 | A4/1.5 D5/0.5 F#5/2 | E5/1.5 F#5/0.5 G5/1 B5/1 | A5/3 r/1
            """
    )

    static let homecoming = Section(
        arpeggio: [0, 2, 3, 4, 5, 4, 3, 2],
        loudness: 0.94,
        chords: themeChords,
        bass: themeBass,
        piano: """
            F#5/1 E5/0.5 D5/0.5 A4/0.5 D5/0.5 E5/1 | F#5/1.5 E5/0.5 D5/1 B4/1
            B4/1 D5/0.5 F#5/0.5 A5/1 B5/1 | A5/1.5 F#5/0.5 E5/2
            C#5/0.5 E5/0.5 A5/1 C#6/1 A5/1 | B5/1.5 A5/0.5 F#5/1 D5/1
            G5/1 F#5/0.5 E5/0.5 B4/1 D5/1 | E5/1.5 D5/0.5 C#5/1 E5/1
            """,
        flute: """
            F#4/2 A4/2 | A4/2 F#4/2 | D4/2 F#4/2 | D4/2 C#4/2
            E4/3 F#4/1 | D4/3 E4/1 | G4/2 F#4/2 | D4/2 C#4/2
            """
    )

    static let coda = Section(
        arpeggio: [0, 1, 2, 3, 4, 3, 2, 1],
        loudness: 0.8,
        chords: "F#3+A3+B3+D4/4 | G3+Bb3+D4+E4/4",
        bass: "G2/4 | G2/4",
        piano: "F#5/1.5 E5/0.5 D5/1 B4/1 | E5/1.5 D5/0.5 Bb4/2",
        flute: "B4/2 A4/2 | G4/4"
    )

    static let rest = Section(
        arpeggio: [0, 1, 2, 3, 4, 5, 6, 7],
        loudness: 0.7,
        chords: "F#3+A3+D4+E4/4",
        bass: "D2/4",
        piano: "r/1 A4/1 D5/2",
        flute: "F#4/4",
        release: 4.0
    )

    private static let themeChords = """
        F#3+A3+B3+E4/4 | F#3+A3+D4+E4/4 | F#3+A3+B3+D4/4 | E3+A3+B3+D4/2 E3+G3+A3+C#4/2
        E3+A3+C#4+E4/4 | F#3+A3+B3+D4/4 | G3+B3+D4+E4/4 | G3+B3+D4+E4/2 G3+A3+C#4+E4/2
        """

    private static let themeBass = """
        D2/3 C#2/1 | B1/3 D2/1 | G2/3 B2/1 | A2/2 A2/1 G2/1
        F#2/3 C#2/1 | B1/3 D2/1 | E2/3 G2/1 | A2/2 A1/2
        """

    /// The time of a beat: 84 beats per minute, slowing down from the coda on.
    static func seconds(atBeat beat: Double) -> Double {
        let late = max(0, beat - ritardandoStart)
        return (beat + 0.012 * late * late) * 60 / 84
    }
}

/// Notes struck together, in beats from the start of their section.
struct Strike {
    var pitches: [Int]
    var start: Double
    var beats: Double

    /// Parses one part of a section; an incomplete bar is the composer's mistake.
    static func parse(_ part: String) -> [Strike] {
        var strikes: [Strike] = []
        var position = 0.0
        for word in part.split(whereSeparator: \.isWhitespace) {
            if word == "|" {
                precondition(fmod(position, Score.beatsPerBar) == 0, "a bar is not full: \(part)")
                continue
            }
            let halves = word.split(separator: "/")
            guard halves.count == 2, let beats = Double(halves[1]) else {
                preconditionFailure("not a note: \(word)")
            }
            if halves[0] != "r" {
                let pitches = halves[0].split(separator: "+").map(pitch)
                strikes.append(Strike(pitches: pitches, start: position, beats: beats))
            }
            position += beats
        }
        precondition(fmod(position, Score.beatsPerBar) == 0, "the last bar is not full: \(part)")
        return strikes
    }

    /// The length of a part in beats, including rests.
    static func length(of part: String) -> Double {
        part.split(whereSeparator: \.isWhitespace)
            .compactMap { $0.split(separator: "/").last }
            .compactMap { Double($0) }
            .reduce(0, +)
    }

    /// The MIDI number of a name such as `F#3`.
    private static func pitch(_ name: Substring) -> Int {
        let steps: [Character: Int] = ["C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11]
        guard let letter = name.first, let step = steps[letter],
            let octave = name.last?.wholeNumberValue
        else {
            preconditionFailure("not a pitch: \(name)")
        }
        let shift = name.contains("#") ? 1 : name.contains("b") ? -1 : 0
        return 12 * (octave + 1) + step + shift
    }
}

// MARK: Sound

/// SplitMix64: small, and the same on every machine.
struct Dice {
    var state: UInt64

    /// A number in -1..<1.
    mutating func roll() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) / Double(1 << 52) - 1
    }
}

/// A sine that may decay, advanced by one complex product per frame.
struct Partial {
    private var real: Double
    private var imaginary: Double
    private let stepReal: Double
    private let stepImaginary: Double

    init(frequency: Double, amplitude: Double, decay: Double = 0, phase: Double = 0) {
        let angle = 2 * Double.pi * frequency / Mix.frameRate
        let shrink = exp(-decay / Mix.frameRate)
        real = amplitude * cos(phase)
        imaginary = amplitude * sin(phase)
        stepReal = shrink * cos(angle)
        stepImaginary = shrink * sin(angle)
    }

    mutating func next() -> Double {
        let value = imaginary
        imaginary = real * stepImaginary + imaginary * stepReal
        real = real * stepReal - value * stepImaginary
        return value
    }
}

/// Rises, holds and falls along half cosines, which have no corners that click.
struct Envelope {
    var attack: Double
    var hold: Double
    var release: Double

    var seconds: Double { attack + hold + release }

    func level(at time: Double) -> Double {
        if time < attack { return Self.rise(time / attack) }
        let left = seconds - time
        return left < release ? Self.rise(left / release) : 1
    }

    static func rise(_ part: Double) -> Double {
        0.5 - 0.5 * cos(Double.pi * min(max(part, 0), 1))
    }
}

/// The two channels, and the amount of each sent to the reverb.
struct Mix {
    static let frameRate = 44_100.0

    var left: [Double]
    var right: [Double]
    var roomLeft: [Double]
    var roomRight: [Double]

    init(seconds: Double) {
        let silence = [Double](repeating: 0, count: Int(seconds * Self.frameRate))
        left = silence
        right = silence
        roomLeft = silence
        roomRight = silence
    }

    /// Adds the samples of `voice`; `pan` runs from -1, left, to 1, right.
    mutating func add(
        at start: Double,
        envelope: Envelope,
        pan: Double,
        room: Double,
        voice: (_ time: Double) -> Double
    ) {
        let first = Int(start * Self.frameRate)
        let count = min(Int(envelope.seconds * Self.frameRate), left.count - first)
        let angle = (pan + 1) * Double.pi / 4
        let leftGain = cos(angle)
        let rightGain = sin(angle)
        for frame in 0..<max(0, count) {
            let time = Double(frame) / Self.frameRate
            let value = voice(time) * envelope.level(at: time)
            left[first + frame] += value * leftGain
            right[first + frame] += value * rightGain
            roomLeft[first + frame] += value * leftGain * room
            roomRight[first + frame] += value * rightGain * room
        }
    }

    /// Adds reverb by four delays that feed each other and lose treble with every pass.
    mutating func addRoom() {
        let lengths = [1_559, 1_949, 2_377, 2_917]
        var lines = lengths.map { [Double](repeating: 0, count: $0) }
        var dull = [0.0, 0.0, 0.0, 0.0]
        for frame in left.indices {
            for line in 0..<4 {
                let old = lines[line][frame % lengths[line]]
                dull[line] += 0.45 * (old - dull[line])
            }
            left[frame] += 0.5 * (dull[0] + dull[2])
            right[frame] += 0.5 * (dull[1] + dull[3])

            // A Hadamard matrix preserves the energy; only the factor determines how long it rings.
            let sum = [dull[0] + dull[1], dull[0] - dull[1], dull[2] + dull[3], dull[2] - dull[3]]
            let mixed = [sum[0] + sum[2], sum[1] + sum[3], sum[0] - sum[2], sum[1] - sum[3]]
            for line in 0..<4 {
                let input = line.isMultiple(of: 2) ? roomLeft[frame] : roomRight[frame]
                lines[line][frame % lengths[line]] = input + 0.41 * mixed[line]
            }
        }
    }

    /// Removes the DC offset, fades out the end, and normalizes the peak to -3 dB.
    mutating func master() {
        Self.removeConstant(&left)
        Self.removeConstant(&right)
        let fade = 3.0 * Self.frameRate
        for frame in left.indices {
            let gain = Envelope.rise(Double(left.count - 1 - frame) / fade)
            left[frame] *= gain
            right[frame] *= gain
        }
        let peak = zip(left, right).reduce(0) { max($0, abs($1.0), abs($1.1)) }
        let gain = pow(10, -3.0 / 20) / peak
        for frame in left.indices {
            left[frame] *= gain
            right[frame] *= gain
        }
    }

    /// The frame near a given time at which both channels are closest to zero.
    ///
    /// A song that began elsewhere would begin with a step, which the encoder turns into a click.
    func crossing(near seconds: Double) -> Int {
        let frame = Int(seconds * Self.frameRate)
        func level(_ frame: Int) -> Double { abs(left[frame]) + abs(right[frame]) }
        return (frame - 1_500..<frame + 1_500).reduce(frame) { best, candidate in
            level(candidate) < level(best) ? candidate : best
        }
    }

    /// A range of frames as a WAV file.
    func wav(_ frames: Range<Int>) -> [UInt8] {
        let dataSize = UInt32(frames.count * 4)
        let rate = UInt32(Self.frameRate)
        var bytes: [UInt8] = []
        func append<Value: FixedWidthInteger>(_ values: Value...) {
            for value in values {
                for shift in stride(from: 0, to: Value.bitWidth, by: 8) {
                    bytes.append(UInt8(truncatingIfNeeded: value >> shift))
                }
            }
        }
        bytes += "RIFF".utf8
        append(36 + dataSize)
        bytes += "WAVEfmt ".utf8
        append(16 as UInt32)
        append(1 as UInt16, 2)
        append(rate, rate * 4)
        append(4 as UInt16, 16)
        bytes += "data".utf8
        append(dataSize)
        for frame in frames {
            append(Int16((left[frame] * 32_767).rounded()))
            append(Int16((right[frame] * 32_767).rounded()))
        }
        return bytes
    }

    private static func removeConstant(_ channel: inout [Double]) {
        let pole = 1 - 2 * Double.pi * 12 / frameRate
        var before = 0.0
        var output = 0.0
        for frame in channel.indices {
            output = channel[frame] - before + pole * output
            before = channel[frame]
            channel[frame] = output
        }
    }
}

// MARK: Players

/// Plays the parts of the score into a mix.
struct Ensemble {
    var mix: Mix
    private var dice = Dice(state: 0x7469_6465)

    init(seconds: Double) {
        mix = Mix(seconds: seconds)
    }

    /// Plays a section from a beat on, and returns the beat after it.
    mutating func play(_ section: Section, from origin: Double) -> Double {
        let length = Strike.length(of: section.chords)
        for part in [section.bass, section.piano, section.flute] {
            precondition(Strike.length(of: part) == length, "the parts differ in length: \(part)")
        }
        for chord in Strike.parse(section.chords) {
            let span = Self.span(of: chord, from: origin)
            playStrings(chord.pitches, span, section)
            playHarp(chord, from: origin, section)
        }
        for note in Strike.parse(section.bass) {
            let span = Self.span(of: note, from: origin)
            note.pitches.forEach { playBass($0, span, section.loudness) }
        }
        for note in Strike.parse(section.piano) {
            let span = Self.span(of: note, from: origin)
            let accent = fmod(note.start, 2) == 0 ? 1.0 : 0.86
            note.pitches.forEach { playPiano($0, span, section.loudness * accent) }
        }
        for note in Strike.parse(section.flute) {
            let span = Self.span(of: note, from: origin)
            note.pitches.forEach { playFlute($0, span, section.loudness) }
        }
        return origin + length
    }

    private static func span(of strike: Strike, from origin: Double) -> Range<Double> {
        let start = Score.seconds(atBeat: origin + strike.start)
        return start..<Score.seconds(atBeat: origin + strike.start + strike.beats)
    }

    private static func frequency(of pitch: Int) -> Double {
        440 * pow(2, Double(pitch - 69) / 12)
    }

    /// Shifts a time by a few milliseconds, as human players do.
    private mutating func humanly(_ time: Double) -> Double {
        max(0, time + 0.006 * dice.roll())
    }

    private mutating func playStrings(
        _ pitches: [Int], _ span: Range<Double>, _ section: Section
    ) {
        let length = span.upperBound - span.lowerBound
        let envelope = Envelope(attack: 0.55, hold: length - 0.55, release: section.release)
        for pitch in pitches {
            for side in [-1.0, 1.0] {
                // The sides are slightly detuned, which widens the sound.
                let frequency = Self.frequency(of: pitch) * (1 + 0.0009 * side)
                var partials = (1...6).map { number in
                    Partial(
                        frequency: frequency * Double(number),
                        amplitude: 0.052 * section.loudness / pow(Double(number), 1.7),
                        phase: Double.pi * dice.roll()
                    )
                }
                mix.add(at: span.lowerBound, envelope: envelope, pan: 0.75 * side, room: 0.3) { _ in
                    Self.sum(&partials)
                }
            }
        }
    }

    private mutating func playHarp(_ chord: Strike, from origin: Double, _ section: Section) {
        for half in 0..<Int(chord.beats * 2) {
            let beat = chord.start + Double(half) / 2
            let place = Int(fmod(beat, Score.beatsPerBar) * 2)
            let tone = section.arpeggio[place]
            let octave = tone / chord.pitches.count
            let pitch = chord.pitches[tone % chord.pitches.count] + 12 * octave
            let frequency = Self.frequency(of: pitch)
            let loudness = section.loudness * (place == 0 ? 0.2 : 0.16 + 0.02 * dice.roll())
            var partials = (1...9).map { number in
                let order = Double(number)
                return Partial(
                    frequency: frequency * order * (1 + 0.00015 * order * order),
                    amplitude: loudness * sin(order * Double.pi * 0.27) / pow(order, 1.35),
                    decay: 1.3 + 0.9 * order + frequency / 500
                )
            }
            mix.add(
                at: humanly(Score.seconds(atBeat: origin + beat)),
                envelope: Envelope(attack: 0.003, hold: 2.2, release: 0.4),
                pan: place.isMultiple(of: 2) ? -0.45 : 0.4,
                room: 0.4
            ) { _ in Self.sum(&partials) }
        }
    }

    private mutating func playBass(_ pitch: Int, _ span: Range<Double>, _ loudness: Double) {
        let frequency = Self.frequency(of: pitch)
        let length = span.upperBound - span.lowerBound
        var partials = (1...4).map { number in
            let order = Double(number)
            return Partial(
                frequency: frequency * order,
                amplitude: 0.2 * loudness / pow(order, 1.5),
                decay: 0.25 + 0.3 * order
            )
        }
        mix.add(
            at: humanly(span.lowerBound),
            envelope: Envelope(attack: 0.02, hold: max(0.1, length - 0.06), release: 0.2),
            pan: 0,
            room: 0.05
        ) { _ in Self.sum(&partials) }
    }

    private mutating func playPiano(_ pitch: Int, _ span: Range<Double>, _ loudness: Double) {
        let turn = 2 * Double.pi * Self.frequency(of: pitch)
        let length = span.upperBound - span.lowerBound
        let touch = loudness * (1 + 0.06 * dice.roll())
        let decay = 0.8 + Double(pitch - 60) * 0.03
        mix.add(
            at: humanly(span.lowerBound),
            envelope: Envelope(attack: 0.004, hold: length, release: 0.35),
            pan: 0.12,
            room: 0.5
        ) { time in
            let bend = 1.3 * touch * exp(-2.4 * time) * sin(turn * time)
            let tine = 0.09 * touch * exp(-9 * time) * sin(7 * turn * time)
            return 0.28 * touch * exp(-decay * time) * (sin(turn * time + bend) + tine)
        }
    }

    private mutating func playFlute(_ pitch: Int, _ span: Range<Double>, _ loudness: Double) {
        let turn = 2 * Double.pi * Self.frequency(of: pitch)
        let length = span.upperBound - span.lowerBound
        mix.add(
            at: humanly(span.lowerBound),
            envelope: Envelope(attack: 0.09, hold: max(0.05, length - 0.07), release: 0.22),
            pan: -0.18,
            room: 0.55
        ) { time in
            let vibrato = Envelope.rise((time - 0.3) / 0.6) * sin(2 * Double.pi * 4.8 * time)
            let phase = turn * (time + 0.0003 * vibrato)
            let tone = sin(phase) + 0.22 * sin(2 * phase) + 0.07 * sin(3 * phase)
            return 0.13 * loudness * tone
        }
    }

    private static func sum(_ partials: inout [Partial]) -> Double {
        var sum = 0.0
        for index in partials.indices {
            sum += partials[index].next()
        }
        return sum
    }
}

// MARK: Files

/// Reports why the music cannot be written, and exits.
func fail(_ reason: String) -> Never {
    fputs("compose: \(reason)\n", stderr)
    exit(1)
}

/// Writes a whole file, or exits.
func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "wb") else { fail("cannot create \(path)") }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else { fail("cannot write \(path)") }
}

guard CommandLine.arguments.count == 2 else { fail("expected one argument, a folder") }

let beats = Score.sections.reduce(0) { $0 + Strike.length(of: $1.chords) }
var ensemble = Ensemble(seconds: Score.seconds(atBeat: beats) + Score.tailSeconds)
var position = 0.0
for section in Score.sections {
    position = ensemble.play(section, from: position)
}
ensemble.mix.addRoom()
ensemble.mix.master()

let cuts = Score.cutBeats.map { ensemble.mix.crossing(near: Score.seconds(atBeat: $0)) }
let songs = zip([0] + cuts, cuts + [ensemble.mix.left.count])
for (number, song) in zip(1..., songs) {
    let frames = song.0..<song.1
    // A whole number of MP3 granules would hide a player that ignores the encoder's padding.
    precondition(!frames.count.isMultiple(of: 576), "a song fills its last granule")
    write(ensemble.mix.wav(frames), to: "\(CommandLine.arguments[1])/\(number).wav")
    print(frames.count)
}
