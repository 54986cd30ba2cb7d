import ArgumentParser
import Glibc
import UndersongBase

/// The time that a download may take: `2d`, `12h`, `90s`; a number alone is in minutes.
struct TransferTime: ExpressibleByArgument, Equatable {
    /// Above 0, and at most a year.
    let seconds: Double

    init?(argument: String) {
        guard let seconds = quantity(argument, timeUnits, without: 60), seconds > 0,
            seconds <= 31_536_000
        else { return nil }
        self.seconds = seconds
    }
}

/// The units of times, in seconds.
let timeUnits: [Character: Double] = ["d": 86400, "h": 3600, "m": 60, "s": 1]

/// The value of a number that may end with a unit, such as `15m`; `factor` applies without one. Nil
/// if it is not a finite number from 0 on.
func quantity(
    _ text: String, _ units: [Character: Double], without factor: Double = 1
) -> Double? {
    let unit = text.last.flatMap { units[$0] }
    guard let number = Double(unit == nil ? text[...] : text.dropLast()), number >= 0,
        number.isFinite
    else { return nil }
    return number * (unit ?? factor)
}

/// A speed in bytes per second: `500k`, `2M`, `1500000`, or `off`.
struct TransferSpeed: ExpressibleByArgument, Equatable {
    /// Nil for no limit.
    let bytes: Int64?

    init?(argument: String) {
        if argument == "off" {
            bytes = nil
            return
        }
        let units: [Character: Double] = [
            "k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "g": 1e9, "G": 1e9,
        ]
        guard let number = quantity(argument, units), number > 0, number <= 1e12 else { return nil }
        bytes = max(1, Int64(number))
    }
}

/// The names in URLs, and of the files for them.
enum TransferName {
    private static let audioExtensions: Set<String> = [
        "mp3", "flac", "ogg", "oga", "opus", "wav", "aif", "aiff", "m4a", "aac",
    ]

    /// The maximum length of a name in bytes.
    private static let limit = 200

    /// The file name at the end of a URL's path, decoded, and shortened if it is too long; nil if
    /// there is none, or none that is safe.
    static func name(in url: String) -> String? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let path = url[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
        let parts = path.split(separator: "/")
        guard parts.count > 1, let last = parts.last else { return nil }
        var bytes: [UInt8] = []
        PercentCoding.decode(Array(last.utf8).span, into: &bytes)
        guard let name = String(validating: bytes, as: UTF8.self), name != ".", name != "..",
            !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "/") })
        else { return nil }
        return shortened(name)
    }

    /// A name of at most `limit` bytes with the same extension.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > limit else { return name }
        var end = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        if end.utf8.count > 16 { end = "" }
        var start = ""
        var length = end.utf8.count
        for scalar in name.unicodeScalars {
            length += UTF8.width(scalar)
            guard length <= limit else { break }
            start.unicodeScalars.append(scalar)
        }
        return start + end
    }

    /// True if the name in a URL promises a sound file.
    static func isAudio(_ url: String) -> Bool {
        guard let name = name(in: url), let dot = name.lastIndex(of: ".") else { return false }
        return audioExtensions.contains(name[name.index(after: dot)...].lowercased())
    }

    /// `path` as an absolute path.
    ///
    /// - Throws: a failure if the current folder is gone.
    static func absolute(_ path: String) throws -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let folder = unsafe getcwd(nil, 0) else {
            throw Failure("cannot download to \(path): The current folder is gone")
        }
        defer { unsafe free(folder) }
        let start = unsafe String(cString: folder)
        return path == "." ? start : (start == "/" ? "" : start) + "/" + path
    }
}
