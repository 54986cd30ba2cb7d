import ArgumentParser
import Glibc

/// How long a download may take: `2d`, `12h`, `90s`; a number alone is in minutes.
struct TransferTime: ExpressibleByArgument, Equatable {
    /// Above 0, and at most a year.
    let seconds: Double

    init?(argument: String) {
        let units: [Character: Double] = ["d": 86400, "h": 3600, "m": 60, "s": 1]
        let factor = argument.last.flatMap { units[$0] }
        let digits = factor == nil ? argument[...] : argument.dropLast()
        guard let number = Double(digits), number > 0 else { return nil }
        seconds = number * (factor ?? 60)
        guard seconds <= 31_536_000 else { return nil }
    }
}

/// A speed in bytes per second: `500k`, `2M`, `1500000`, or `off`.
struct TransferSpeed: ExpressibleByArgument, Equatable {
    /// 0 for no limit.
    let bytes: Int64

    init?(argument: String) {
        if argument == "off" {
            bytes = 0
            return
        }
        let units: [Character: Double] = [
            "k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "g": 1e9, "G": 1e9,
        ]
        let factor = argument.last.flatMap { units[$0] }
        let digits = factor == nil ? argument[...] : argument.dropLast()
        guard let number = Double(digits), number > 0, number * (factor ?? 1) <= 1e12 else {
            return nil
        }
        bytes = max(1, Int64(number * (factor ?? 1)))
    }
}

/// Names of files that come from URLs.
enum TransferName {
    private static let audio: Set<String> = [
        "mp3", "flac", "ogg", "oga", "opus", "wav", "aif", "aiff", "m4a", "aac",
    ]

    /// The last part of a URL's path, without percent signs; nil if that is no name for a file.
    static func name(in url: String) -> String? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let rest = url[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
        let parts = rest.split(separator: "/")
        guard parts.count > 1, let last = parts.last else { return nil }
        let name = String(validating: decoded(last), as: UTF8.self) ?? String(last)
        let isName = name != "." && name != ".." && !name.utf8.contains { $0 < 0x20 || $0 == 0x2f }
        return isName && name.utf8.count <= 200 ? name : nil
    }

    /// Whether a file of this name is sound.
    static func isAudio(_ name: String) -> Bool {
        name.split(separator: ".").last.map { audio.contains($0.lowercased()) } ?? false
    }

    /// `path`, from the root folder.
    static func absolute(_ path: String) throws -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let folder = unsafe getcwd(nil, 0) else {
            throw Failure("cannot download to \(path): The current folder is gone")
        }
        defer { unsafe free(folder) }
        let start = unsafe String(cString: folder)
        return path == "." ? start : (start == "/" ? "" : start) + "/" + path
    }

    private static func decoded(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
