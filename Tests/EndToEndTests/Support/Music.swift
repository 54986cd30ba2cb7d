import Foundation
import Testing

/// Sound files made by a test: distinct noise, so that every frame can be identified, encoded by
/// `lame`.
final class Music: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "undersong-music-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Noise without any silence: `seconds` of 16-bit samples.
    static func noise(seconds: Double, rate: Int = 44100, channels: Int = 2, seed: UInt64 = 1)
        -> Data
    {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        var data = Data()
        for _ in 0..<Int(seconds * Double(rate)) * channels {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let sample = Int16(truncatingIfNeeded: Int64(bitPattern: state) >> 50)
            withUnsafeBytes(of: sample) { data.append(contentsOf: $0) }
        }
        return data
    }

    /// Encodes samples with `lame` and `options` and returns the file's path. The file has lame's
    /// gapless tag unless the options contain `-t`.
    @discardableResult
    func encode(
        _ samples: Data, to name: String, rate: Int = 44100, channels: Int = 2,
        options: [String] = ["-b", "128"]
    ) throws -> String {
        let mode = channels == 1 ? ["-m", "m"] : ["-m", "j"]
        _ = try output(
            of: "lame",
            ["--quiet", "-r", "-s", String(Double(rate) / 1000), "--bitwidth", "16", "--signed"]
                + ["--little-endian"] + mode + options + ["-", path(name)], input: samples)
        return path(name)
    }

    @discardableResult
    func write(_ data: Data, to name: String) throws -> String {
        try data.write(to: folder.appending(path: name))
        return path(name)
    }

    /// The files as decoded by mpg123, end to end.
    static func decoded(_ paths: [String]) throws -> [Frame] {
        frames(try output(of: "mpg123", ["-q", "-s", "--stereo"] + paths))
    }

    /// The samples of a WAV file written by the program under test.
    static func samples(ofWAV path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: path)).dropFirst(44)
    }
}

/// The events of an output, one per line.
struct Events {
    let lines: [[String: Any]]

    init(_ text: String) throws {
        lines = try text.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }
    }

    /// The events of one kind.
    subscript(_ kind: String) -> [[String: Any]] {
        lines.filter { $0["event"] as? String == kind }
    }

    /// The values of the periodic time events of `item`, in order.
    func ticks(of item: Int, timescale: Int = 100) -> [Int] {
        self["time"].filter {
            $0["item"] as? Int == item && $0["timescale"] as? Int == timescale
        }.compactMap { $0["value"] as? Int }
    }

    /// The seconds from one hundredth of an item to the tenth after it, in the median: a moment in
    /// which the machine is too busy to play does not count.
    func secondsOfTenTicks() throws -> Double {
        let times = self["time"].filter { $0["timescale"] as? Int == 100 }
            .compactMap { $0["monotonic"] as? Int }
        let steps = zip(times, times.dropFirst(10)).map { $1 - $0 }.sorted()
        return Double(try #require(steps.dropFirst(steps.count / 2).first)) / 1e9
    }
}
