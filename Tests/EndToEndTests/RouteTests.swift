import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

extension EndToEnd {
    @Suite struct `A lost device` {
        @Test(.rule("T58"), .comparesSamples)
        func `A lost device pauses the player, which can resume elsewhere from there`()
            async throws
        {
            let stage = try await RouteStage(.pause)
            let count = stage.studio.count

            let before = try stage.unplug()
            try stage.studio.wait(after: count) { event in
                event.isState && event.head.reason == .known(.oldDeviceUnavailable)
            }
            try await stage.studio.play()
            try stage.other.wait(0.3)
            await stage.studio.session.stop()
            let after = try stage.other.finish()

            #expect(stage.routes == [.oldDeviceUnavailable])
            // Frames that the server had passed to the device are lost, or repeated.
            let (first, second) = try stage.heard(before, after)
            #expect(abs(first.end - second.start) < 4410)
        }

        @Test(.comparesSamples)
        func `A lost device is replaced by another one with the policy follow`() async throws {
            let stage = try await RouteStage(.follow)
            let count = stage.studio.count

            let before = try stage.unplug()
            try stage.studio.wait(after: count) { $0.isRouteChange }
            try stage.other.wait(0.5)
            let isPlaying = await stage.studio.session.report.status == .playing
            await stage.studio.session.stop()
            let after = try stage.other.finish()

            #expect(isPlaying)
            // Frames that the server had passed to the device are lost, or repeated.
            let (first, second) = try stage.heard(before, after)
            #expect(abs(first.end - second.start) < 4410)
        }

        @Test(.comparesSamples)
        func `A lost device is waited for with the policy wait, and used when it returns`()
            async throws
        {
            let stage = try await RouteStage(.wait)
            let count = stage.studio.count

            let before = try stage.unplug()
            try stage.studio.wait(after: count) {
                $0.isState && $0.head.reason == .known(.deviceMissing)
            }
            try stage.plug()
            try stage.studio.wait(after: count) { $0.isState && $0.head.status == .playing }
            let returned = try Recording(stage.studio.server)
            try returned.wait(0.3)
            await stage.studio.session.stop()
            let after = try returned.finish()

            let (first, second) = try stage.heard(before, after)
            #expect(second.start > first.end - 44100)
        }

        @Test(.comparesSamples) func `A lost device is waited for even if it was the only one`()
            async throws
        {
            let stage = try await RouteStage(.wait, withOther: false)
            let count = stage.studio.count

            _ = try stage.unplug()
            try stage.studio.wait(after: count) { $0.isState && $0.head.status != .playing }
            try stage.plug()
            try stage.studio.wait(after: count) { $0.isState && $0.head.status == .playing }
            let returned = try Recording(stage.studio.server)
            try returned.wait(0.3)
            await stage.studio.session.stop()

            #expect(!Heard(try returned.finish(), of: stage.sources.music).pieces.isEmpty)
        }

        @Test(.comparesSamples)
        func `A device that is only suspended is waited for, and playback continues`() async throws
        {
            let stage = try await RouteStage(.pause)
            let count = stage.studio.count

            try stage.studio.server.pactl("suspend-sink", "test", "1")
            try stage.studio.wait(after: count) { event in
                event.isState && event.head.reason == .known(.noOutput)
            }
            try stage.studio.server.pactl("suspend-sink", "test", "0")
            try stage.studio.wait(after: count) { $0.isState && $0.head.status == .playing }
            try stage.studio.recording.wait(0.5)
            let heard = try await stage.studio.finish(stage.sources)

            // A block that the device had taken may be lost.
            let lost = zip(heard.joined, heard.joined.dropFirst()).map { $1.start - $0.end }
            #expect(lost.allSatisfy { (0...2205).contains($0) } && lost.count <= 1)
        }
    }

    @Suite struct `A chosen device` {
        @Test(.comparesSamples)
        func `A chosen device is used at once and remembered, and an unknown one is an error`()
            async throws
        {
            let stage = try await RouteStage(.pause)
            let count = stage.studio.count

            await stage.studio.session.setOutputDevice("other")
            try stage.studio.wait(after: count) { $0.isRouteChange }
            try stage.other.wait(0.5)
            let report = await stage.studio.session.outputs(waitingUpTo: 30)
            await stage.studio.session.stop()

            #expect(report.current?.name == "other" && report.chosen == "other")
            #expect(stage.routes == [.override])
            #expect(!Heard(try stage.other.finish(), of: stage.sources.music).pieces.isEmpty)
        }

        @Test func `A chosen device set to the server's default follows that`() async throws {
            let stage = try await RouteStage(.pause)
            let count = stage.studio.count

            try stage.studio.server.pactl("set-default-sink", "other")
            let change = try stage.studio.wait(after: count) { $0.isRouteChange }
            try stage.other.wait(0.3)
            // A time is reported as it is heard.
            try stage.studio.wait { event in
                if case .time = event.kind {
                    event.head.sequence > change.head.sequence
                } else {
                    false
                }
            }
            await stage.studio.session.stop()

            #expect(change.routeChange?.previous?.name == "test")
            #expect(change.routeChange?.current?.name == "other")
        }
    }
}

/// A song that plays on a device, and a second device.
private final class RouteStage {
    let files: Music
    let sources: Sources
    let studio: Studio
    /// The recording of the second device.
    let other: Recording

    init(_ policy: UnplugPolicy, withOther: Bool = true) async throws {
        files = try Music()
        sources = try Sources(files, seconds: [30])
        var settings = PlayerSettings()
        settings.unplugPolicy = policy
        studio = try Studio(settings: settings)
        if withOther { try Self.load("other", on: studio.server) }
        other = try Recording(studio.server, sink: withOther ? "other" : "test")
        await studio.player.append(sources.media)
        try await studio.play()
        _ = await studio.session.outputs(waitingUpTo: 30)
        try studio.recording.wait(0.3)
    }

    private static func load(_ name: String, on server: SoundServer) throws {
        try server.pactl(
            "load-module", "module-null-sink", "sink_name=\(name)", "rate=44100", "format=s16le",
            "channels=2", "norewinds=1")
    }

    /// Removes the device and returns what it has played.
    func unplug() throws -> [Frame] {
        let modules = try studio.server.pactl("list", "short", "modules")
        let line = modules.split(separator: "\n").first { $0.contains("sink_name=test") }
        let index = try #require(line?.split(separator: "\t").first)
        try studio.server.pactl("unload-module", String(index))
        return try studio.recording.finish(after: 0)
    }

    func plug() throws { try Self.load("test", on: studio.server) }

    /// The last piece played by the device, and the first one after it.
    func heard(_ before: [Frame], _ after: [Frame]) throws -> (Heard.Piece, Heard.Piece) {
        (
            try #require(Heard(before, of: sources.music).joined.last),
            try #require(Heard(after, of: sources.music).joined.first)
        )
    }

    var routes: [RouteChangeReason] { studio.events.compactMap { $0.routeChange?.reason } }
}

extension PlayerEvent {
    fileprivate var routeChange: RouteChange? {
        if case .routeChanged(let change) = kind { change } else { nil }
    }
    fileprivate var isRouteChange: Bool { routeChange != nil }
}
