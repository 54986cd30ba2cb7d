/// The state of the device and its stream.
enum OutputState {
    /// It holds nothing of the stream. With `clockRuns` the following frames continue what was
    /// heard.
    case silent(clockRuns: Bool)
    /// It plays what was written.
    case playing(OutputStretch)
    /// It keeps this many frames, which were written but not heard.
    case paused(unheard: Int)
    /// It is gone, and is opened again once an attempt after this one is requested.
    case lost(attempt: Int)
}

/// The sound written since the device was last silent, and the device's reports of it.
struct OutputStretch {
    /// The times at which the clock gets readings, in milliseconds after the start: often while the
    /// stretch is young. When a combined sink of PulseAudio's plays for the first time, the
    /// positions that it reports are 40 to 190 ms off for one to two seconds.
    private static let ages: [Int64] = [
        15, 30, 50, 80, 120, 170, 230, 300, 400, 550, 750, 900, 1050, 1200, 1400, 1600, 1800, 2000,
    ]

    /// The number of frames written.
    var written = 0
    /// True if the device knows that no more follow for now.
    var isEnding = false
    /// The time at which the first one was written, in nanoseconds of CLOCK_MONOTONIC.
    let startTime: Int64
    /// True if the clock has a reading of it, or runs on from what was heard before.
    var clockRuns: Bool
    /// True if the running clock still has to learn when the written frames are heard.
    var isBridging: Bool
    /// The time at which the clock gets the next reading.
    var nextReading: Int64
    /// At the last reading, frame `heard` of the stream left the device at `hostTime`.
    var lastReading: (heard: Double, hostTime: Int64)?
    /// True if the device was playing then.
    var isPlaying = true
    /// The time since which the device has reported nothing: it does not know, or holds nothing.
    var unreportedSince: Int64?
    /// The device changes that were noticed.
    var deviceChanges: Int
    /// The time at which the device began to accept frames, initially or after a stall, and the
    /// number of early readings that were taken since.
    private var birth: Int64
    private var readingCount = 0

    init(at hostTime: Int64, clockRuns: Bool, deviceChanges: Int) {
        startTime = hostTime
        self.deviceChanges = deviceChanges
        self.clockRuns = clockRuns
        isBridging = clockRuns
        birth = hostTime
        nextReading = hostTime + Self.ages[0] * 1_000_000
    }

    /// True if the clock still needs more readings than the device's requests bring.
    var isYoung: Bool { readingCount < Self.ages.count }

    /// The device begins to take frames again after a stall, or is a different one.
    mutating func restartReadings(at hostTime: Int64) {
        birth = hostTime
        readingCount = 0
        nextReading = birth + Self.ages[0] * 1_000_000
    }

    /// A reading was taken at `hostTime`; in old age the next one is due after `heartbeat`.
    mutating func scheduleReading(after hostTime: Int64, heartbeat: Int64) {
        while let age = nextAge, age <= hostTime { readingCount += 1 }
        nextReading = nextAge ?? hostTime + heartbeat
    }

    private var nextAge: Int64? {
        isYoung ? birth + Self.ages[readingCount] * 1_000_000 : nil
    }
}
