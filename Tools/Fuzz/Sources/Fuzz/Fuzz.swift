import Glibc

@testable import UndersongPlayback

/// Reads bytes as the product does. Whatever they are, it may only refuse them.
typealias Target = @Sendable ([UInt8]) -> Void

/// All targets by name.
let targets: [String: Target] = [
    "mpeg": readSound, "ogg": readSound, "flac": readSound,
    "m3u": { readPlaylist($0, .m3u) }, "pls": { readPlaylist($0, .pls) },
    "cue": { readPlaylist($0, .cue) }, "xspf": { readPlaylist($0, .xspf) },
    "lyrics": readLyrics, "feed": readFeed, "opml": readOPML, "page": readPage,
    "track": readTrack, "gpsd": readGpsd, "ntfy": readNtfy, "webpush": readWebPush,
    "http": readHTTP, "icy": readICY, "wire": readWire, "event": readEvent,
    "configuration": readConfiguration, "state": readState, "player": runPlayer,
]

/// Runs libFuzzer with a target, whose name is the first argument; the others are libFuzzer's.
/// Without arguments, lists the targets.
@main struct Fuzz {
    nonisolated(unsafe) private static var target: Target = { _ in }

    static func main() {
        guard CommandLine.arguments.count > 1 else {
            for name in targets.keys.sorted() { print(name) }
            return
        }
        guard let target = targets[CommandLine.arguments[1]] else {
            print("There is no target '\(CommandLine.arguments[1])'")
            exit(64)
        }
        self.target = target
        var count = CommandLine.argc - 1
        var arguments = CommandLine.unsafeArgv + 1
        exit(
            runDriver(&count, &arguments) { bytes, count in
                Fuzz.target(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            })
    }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Fails if something that must hold does not.
func require(_ isSo: Bool, _ fault: @autoclosure () -> String) {
    if !isSo { fatalError(fault()) }
}

/// The bytes of an input, popped one by one; 0 after the end.
struct Input {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func next() -> Int { Int(bytes.popFirst() ?? 0) }

    /// The next bytes, at most `count`.
    mutating func pop(_ count: Int) -> [UInt8] {
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }

    /// All bytes that are left, in pieces whose lengths come from the input too.
    mutating func pieces() -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        while !isEmpty { pieces.append(pop(next() * 16 + 1)) }
        return pieces
    }
}
