import TestSupport
import Testing
import UndersongLocation

@Suite struct `An NMEA file` {
    /// A sentence with its checksum.
    private func sentence(_ text: String) -> String {
        let sum = String(text.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$\(text)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
    }

    private func track(_ sentences: String...) throws(TrackError) -> Track {
        try Track.read(Array(sentences.joined().utf8))
    }

    @Test func `An NMEA file makes one fix of the sentences of a moment`() throws {
        let track = try track(
            "$GPGGA,123519.00,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*69\r\n",
            sentence("GPRMC,123519.00,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W"),
            sentence("GNRMC,123520,A,4807.100,S,01131.000,W,,,230394,,"))

        #expect(
            track.fixes == [
                LocationFix(
                    Coordinate(latitude: 48 + 7.038 / 60, longitude: 11 + 31.0 / 60),
                    horizontalAccuracy: 4.5, altitude: 545.4, verticalAccuracy: 6.75,
                    speed: 22.4 * 1852 / 3600, course: 84.4, time: 764_426_119, arrival: 0,
                    source: .replay),
                LocationFix(
                    Coordinate(latitude: -(48 + 7.1 / 60), longitude: -(11 + 31.0 / 60)),
                    horizontalAccuracy: 5, time: 764_426_120, arrival: 0, source: .replay),
            ])
    }

    @Test func `An NMEA file may begin with a byte order mark`() throws {
        let text = sentence("GPRMC,123519,A,4807.038,N,01131.000,E,1.0,,230394,,")

        let track = try Track.read([0xef, 0xbb, 0xbf] + Array(text.utf8))

        #expect(track.fixes.map(\.time) == [764_426_119])
        #expect(track.skippedCount == 0)
    }

    @Test func `An NMEA file loses sentences with a wrong checksum, or none`() throws {
        let good = sentence("GPRMC,123519,A,4807.038,N,01131.000,E,1.0,,230394,,")

        let track = try track(
            "$GPRMC,123518,A,4807.038,N,01131.000,E,1.0,,230394,,*00\r\n", good,
            "$GPRMC,123520,A,4807.038,N,01131.000,E,1.0,,230394,,\r\n", "noise\r\n",
            "$" + String(repeating: "x", count: 300) + "*00\n")

        #expect(track.fixes.map(\.time) == [764_426_119])
        #expect(track.skippedCount == 4)
    }

    @Test func `An NMEA file loses moments without a fix, and positions beyond the poles`() throws {
        let track = try track(
            sentence("GPRMC,123519,V,4807.038,N,01131.000,E,1.0,,230394,,"),
            sentence("GPGGA,123520,,,,,0,00,,,M,,M,,"),
            sentence("GPRMC,123521,A,9107.038,N,01131.000,E,1.0,,230394,,"),
            sentence("GPRMC,123522,A,4861.000,N,01131.000,E,1.0,,230394,,"),
            sentence("GPRMC,123523,A,4807.038,X,01131.000,E,1.0,,230394,,"),
            sentence("GPRMC,123524,A,4807.038,N,01131.000,E,1.0,,230394,,"))

        #expect(track.fixes.map(\.time) == [764_426_124])
    }

    @Test func `An NMEA file continues after midnight, also without another date`() throws {
        let track = try track(
            sentence("GPRMC,235959,A,4807.038,N,01131.000,E,1.0,,230394,,"),
            sentence("GPGGA,000000,4807.038,N,01131.000,E,1,08,1,0,M,,M,,"),
            sentence("GPRMC,000001,A,4807.038,N,01131.000,E,1.0,,240394,,"))

        #expect(track.fixes.map(\.time) == [764_467_199, 764_467_200, 764_467_201])
    }

    @Test func `An NMEA file without a date is refused`() {
        #expect(throws: TrackError("It names no date: there is no RMC sentence")) {
            try track(sentence("GPGGA,000000,4807.038,N,01131.000,E,1,08,1,0,M,,M,,"))
        }
    }

    @Test func `An NMEA file without a correct sentence is refused with the first fault`() {
        let reason = "It is neither GPX nor NMEA: Line 2: The checksum is wrong"
        #expect(throws: TrackError(reason)) {
            try track("\r\n", "$GPRMC,123518,A,4807.038,N,01131.000,E,1.0,,230394,,*00\r\n")
        }
    }

    @Test func `An NMEA file is not trusted, whatever its bytes are`() {
        var random: UInt64 = 1
        for _ in 0..<2000 {
            let bytes = (0..<200).map { _ -> UInt8 in
                random ^= random << 13
                random ^= random >> 7
                random ^= random << 17
                return Array("$GPRMCGA,.*0123456789NSEWAV\r\n<>\u{7f}".utf8)[Int(random % 32)]
            }
            let track = try? Track.read(bytes)
            #expect(track?.fixes.allSatisfy(\.coordinate.isValid) != false)
        }
    }
}

@Suite struct `A replay` {
    private static let second: Int64 = 1_000_000_000

    private func replay(_ times: [Double], speed: Double) -> TrackReplay {
        TrackReplay(
            Track(
                times.map {
                    LocationFix(
                        Coordinate(latitude: 0, longitude: 0), horizontalAccuracy: 5, time: $0,
                        arrival: 0, source: .replay)
                }), speed: speed)
    }

    @Test func `A replay gives each fix when it is due`() {
        var replay = replay([100, 101, 104], speed: 2)

        replay.begin(at: 50)
        let first = replay.popDue(at: 50)
        let early = replay.popDue(at: 50 + Self.second / 2 - 1)
        let second = replay.popDue(at: 50 + Self.second / 2)
        let due = replay.nextDue

        #expect(first.map(\.time) == [100])
        #expect(early.isEmpty)
        #expect(second.map(\.time) == [101])
        #expect(due == 50 + 2 * Self.second)
        #expect(!replay.isOver)
    }

    @Test func `A replay continues where it was stopped`() {
        var replay = replay([0, 10], speed: 1)
        replay.begin(at: 0)
        _ = replay.popDue(at: 0)

        replay.end(at: 4 * Self.second)
        let stopped = replay.nextDue
        replay.begin(at: 1000 * Self.second)

        #expect(stopped == nil)
        #expect(replay.nextDue == 1006 * Self.second)
    }

    @Test(.rule("LO14"))
    func `A replay gives the newest fix after a stop, not all that were missed`() {
        var replay = replay((0..<1000).map(Double.init), speed: 1)
        replay.begin(at: 0)
        _ = replay.popDue(at: 0)

        let due = replay.popDue(at: 600 * Self.second)

        #expect(due.map(\.time) == [597, 598, 599, 600])
        #expect(replay.nextDue == 601 * Self.second)
    }

    @Test func `A replay gives every fix to one who is a little late`() {
        var replay = replay((0..<100).map(Double.init), speed: 60)
        replay.begin(at: 0)

        let due = replay.popDue(at: 3 * Self.second / 2)

        #expect(due.count == 91)
    }

    @Test func `A replay can last for ever`() {
        var replay = replay([0, 1e11], speed: 0.01)
        replay.begin(at: 0)

        _ = replay.popDue(at: 0)

        #expect(replay.nextDue == 3_000_000_000_000_000_000)
    }
}
