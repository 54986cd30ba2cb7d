/// What the device does with the stream.
enum OutputState {
    /// It holds nothing of the stream. With `clockRuns` what follows continues what was heard.
    case silent(clockRuns: Bool)
    /// It plays what was written.
    case playing(OutputStretch)
    /// It keeps this many frames, which were written and not heard.
    case paused(unheard: Int)
    /// It has gone, and is opened again once another attempt than this one is wanted.
    case lost(attempt: Int)
}

/// What was written since the device was last silent, and what it has said of that.
struct OutputStretch {
    /// How many milliseconds after the start the clock gets readings: often while it is young.
    private static let ages: [Int64] = [15, 30, 50, 80, 120, 170, 230, 300, 400, 550, 750, 1000]

    /// Frames that were written.
    var written = 0
    /// Whether the device knows that there are no more for the time being.
    var isEnding = false
    /// When the first of them was, in nanoseconds of CLOCK_MONOTONIC.
    let startTime: Int64
    /// Whether the clock has had a reading of it, or runs on from what was heard before.
    var clockRuns: Bool
    /// Whether the clock, which runs, still has to learn when what was written is heard.
    var isBridging: Bool
    /// When the clock gets the next reading.
    var nextReading: Int64
    /// Frame `heard` of the stream left the device at `hostTime`, at the last reading.
    var lastReading: (heard: Double, hostTime: Int64)?
    /// Whether the device played then.
    var isPlaying = true
    /// The changes of the device that were seen.
    var deviceChanges: Int
    /// When the device began to take frames, at first or after a stall, and how many of the readings
    /// of its youth have been taken since.
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

    /// Whether the clock still needs more readings than the device's wishes bring.
    var isYoung: Bool { readingCount < Self.ages.count }

    /// The device begins to take frames again after a stall, or is another one.
    mutating func beYoung(at hostTime: Int64) {
        birth = hostTime
        readingCount = 0
        nextReading = birth + Self.ages[0] * 1_000_000
    }

    /// A reading was taken at `hostTime`; in old age the next is due after `heartbeat`.
    mutating func scheduleReading(after hostTime: Int64, heartbeat: Int64) {
        while let age = nextAge, age <= hostTime { readingCount += 1 }
        nextReading = nextAge ?? hostTime + heartbeat
    }

    private var nextAge: Int64? {
        isYoung ? birth + Self.ages[readingCount] * 1_000_000 : nil
    }
}
