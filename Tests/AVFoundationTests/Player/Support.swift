import AVFoundation
import Foundation
import Synchronization
import TestSupport
import Testing

/// Players without a sound server. Serialized, since they share the audio session.
@Suite(.serialized, .timeLimit(.minutes(2))) enum Players {}

/// Short excerpts of the demo songs.
enum Sound {
    static func url(_ number: Int) -> URL {
        let names = ["01 Slack Water", "02 The Tide Turns", "03 Harbour Lights"]
        return resources.appending(path: "Demo/\(names[number]).mp3")
    }

    /// An item that plays the first `seconds` of a song.
    static func item(_ number: Int = 0, seconds: Double = 0.25) -> AVPlayerItem {
        let item = AVPlayerItem(url: url(number))
        item.forwardPlaybackEndTime = CMTime(seconds: seconds, preferredTimescale: 1000)
        return item
    }

    /// An item whose file is missing.
    static func missing() -> AVPlayerItem {
        AVPlayerItem(url: URL(fileURLWithPath: "/nowhere/nothing.mp3"))
    }

    /// The samples that `play` writes to a WAV file by players that it makes and releases.
    static func written<Sample: BitwiseCopyable>(
        _ play: () async throws -> Void
    ) async throws -> [Sample] {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "undersong-\(UUID()).wav")
        defer { try? FileManager.default.removeItem(at: url) }
        AVPlayer.outputDestination = .wav(path: url.path)
        defer { AVPlayer.outputDestination = .null }
        try await play()
        // The header states the size once the players' threads have ended.
        var data = Data()
        try await eventually {
            data = (try? Data(contentsOf: url)) ?? Data()
            return data.count > 44 && data.number(at: 40) == data.count - 44
        }
        return data.dropFirst(44).withUnsafeBytes {
            unsafe Array($0.bindMemory(to: Sample.self))
        }
    }

    private static let resources = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Resources")
}

/// Records events in order, and lets a test wait for them.
final class Log: Sendable {
    private let entries = Mutex<[String]>([])
    private let (stream, signal) = AsyncStream.makeStream(of: Void.self)

    var all: [String] { entries.withLock { $0 } }

    func note(_ entry: String) {
        entries.withLock { $0.append(entry) }
        signal.yield()
    }

    /// Waits until `isWanted` returns true for the recorded events.
    func wait(for isWanted: ([String]) -> Bool) async {
        if isWanted(all) { return }
        for await _ in stream where isWanted(all) { return }
    }

    func wait(for entry: String) async { await wait { $0.contains(entry) } }
}

/// Owns an observer of the notification center and removes it at the end of its own lifetime.
final class Listener {
    private let token: any NSObjectProtocol

    init(
        _ name: Notification.Name, of object: AnyObject? = nil,
        _ handler: @escaping @Sendable (Notification) -> Void
    ) {
        token = NotificationCenter.default.addObserver(
            forName: name, object: object, queue: nil, using: handler)
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}

extension AVQueuePlayer {
    /// A player without a device that runs at a device's pace.
    static func silent(_ items: [AVPlayerItem] = []) -> AVQueuePlayer {
        AVPlayer.outputDestination = .null
        return AVQueuePlayer(items: items)
    }

    /// Waits until the current item is `item`, or has been: a slow test may miss it.
    func waitFor(current item: AVPlayerItem?) async {
        for await current in values(of: \.currentItem) {
            if current === item { return }
            if let item, !items().contains(item) { return }
        }
    }
}

extension AVPlayer {
    func waitFor(_ status: TimeControlStatus) async {
        for await now in values(of: \.timeControlStatus) where now == status { return }
    }
}

extension AVPlayerItem {
    func waitFor(_ status: Status) async {
        for await now in values(of: \.status) where now == status { return }
    }
}

extension Data {
    /// A number of 32 bits in a WAV file's header.
    fileprivate func number(at offset: Int) -> Int {
        self[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
