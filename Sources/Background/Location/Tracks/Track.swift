/// Fixes in the order of their times, as a file has them.
package struct Track: Hashable, Sendable {
    /// The most bytes that a file may have.
    package static let sizeLimit = 64 << 20
    /// The most fixes that a file may have.
    package static let fixLimit = 1_000_000

    /// The fixes; their times increase, and they have not arrived yet (0).
    package var fixes: [LocationFix]
    /// The number of points or sentences that were left out, because they are damaged, have no
    /// time, or one that is not after that of the point before.
    package var skippedCount: Int

    package init(_ fixes: [LocationFix], skippedCount: Int = 0) {
        self.fixes = fixes
        self.skippedCount = skippedCount
    }

    /// Reads GPX or NMEA, whichever it is.
    ///
    /// - Throws: An error if it is neither, or is broken, or has no fix.
    package static func read(_ bytes: [UInt8]) throws(TrackError) -> Track {
        guard bytes.count <= sizeLimit else {
            throw TrackError("It is longer than \(sizeLimit >> 20) MiB")
        }
        let mark: [UInt8] = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? [0xef, 0xbb, 0xbf] : []
        let first = bytes.dropFirst(mark.count).first { !isSpace($0) }
        let track =
            switch first {
            case nil: throw TrackError("It is empty")
            case UInt8(ascii: "<"): try GPXReader.read(bytes)
            default: try NMEAReader.read(bytes.dropFirst(mark.count))
            }
        guard !track.fixes.isEmpty else { throw TrackError("It has no point with a time") }
        return track
    }

    /// The seconds from the first fix to the last.
    package var duration: Double {
        (fixes.last?.time ?? 0) - (fixes.first?.time ?? 0)
    }

    /// The length of the way along the fixes, in meters.
    package var length: Double {
        zip(fixes, fixes.dropFirst()).reduce(0) { $0 + $1.1.distance(from: $1.0) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0d ~= byte }
}

/// The reason a file is not a track.
package struct TrackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// "Line 3: 91 is not a latitude"
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Collects the points of a file in the order of their times.
struct TrackBuilder {
    private(set) var track = Track([])

    /// Adds a fix, unless its time is not after that of the last one. An altitude is less accurate
    /// than the place.
    mutating func add(_ fix: LocationFix) throws(TrackError) {
        if let last = track.fixes.last, fix.time <= last.time { return skip() }
        guard track.fixes.count < Track.fixLimit else {
            throw TrackError("It has more than \(Track.fixLimit) points")
        }
        var fix = fix
        if fix.altitude != nil { fix.verticalAccuracy = 1.5 * fix.horizontalAccuracy }
        track.fixes.append(fix)
    }

    mutating func skip() { track.skippedCount += 1 }
}

/// The defaults for what files leave open.
enum TrackDefaults {
    /// The accuracy in meters of a point that says nothing about it.
    static let accuracy = 5.0
    /// Meters per second from one point to the next of a file without times, if they are far apart.
    static let highestSpeed = 50.0
    /// The meters for each unit of the dilution of precision.
    static let metersPerDilution = 5.0

    /// The accuracy in meters for a horizontal dilution of precision.
    static func accuracy(dilution: Double?) -> Double {
        guard let dilution, dilution > 0, dilution < 1000 else { return accuracy }
        return dilution * metersPerDilution
    }
}
