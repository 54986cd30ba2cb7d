import Foundation
import Glibc
import Testing
import UndersongAudioIO
import UndersongBackground
import UndersongControl
import UndersongLibrary
import UndersongPlayback
import UndersongTransferClient

@testable import UndersongAudioSession
@testable import UndersongService

extension EndToEnd {
    @Suite struct `An event line` {
        @Test func `An event line follows the schema and decodes to the same event, if rare too`()
            throws
        {
            let item = QueueItem(id: ItemID(3), source: .file(path: "/music/\"ä\".mp3"))
            let description = MediaDescription(
                format: StreamFormat(sampleRate: 48000, channelCount: 1),
                encoding: "MPEG 1 Layer III",
                duration: CMTime(value: 123_456, timescale: 48000), isDurationExact: true,
                tags: ["title": "A\nB"])
            var settings = PlayerSettings()
            settings.rate = 1.1
            settings.modes = PlaybackModes(repeatMode: .all, isShuffled: true)
            settings.replayGain = .album
            settings.crossfade = 2.5
            settings.outputDevice = "alsa_output.usb"
            var measured = item
            measured.facts = ItemFacts(description)
            let headphones = OutputDevice(name: "jack", port: .headphones, index: 3)
            let kinds: [PlayerEvent.Kind] = [
                .jump, .item(.measured(item, description)),
                .item(.left(item, at: CMTime(value: 1, timescale: 3))),
                .settings(SettingsEvent(settings)),
                .boundary, .clock(uncertainty: 0.02), .item(.began(item, nil)),
                .queue([measured, item], count: 7),
                .time(isExact: true), .application([], source: "option"),
                .mediaServicesWereLost(reason: "Connection terminated"), .mediaServicesWereReset,
                .routeChanged(
                    RouteChange(reason: .oldDeviceUnavailable, previous: headphones, current: nil)),
                .interruption(
                    InterruptionEvent(hasBegun: true, source: .call(application: "Ekiga"))),
                .interruption(
                    InterruptionEvent(hasBegun: false, source: .sleep, shouldResume: true)),
                .otherAudio(.none), .otherAudio(.mixable), .network(Self.waiting),
                .network(Self.receiving), .metadata(title: "Artist - \"Title\""),
                .metadata(title: ""), .sleep(SleepReport()), .tags(3),
                .library(
                    LibraryEvent(
                        .scanning, trackCount: 3, scan: LibraryScan(fileCount: 5, readCount: 2))),
                .library(LibraryEvent(.rated, trackCount: 3, track: 7)),
                .sleep(
                    SleepReport(time: 1.5, fade: 10, fading: true, after: .chapter)),
                .app(Self.suspended), .app(Self.overstayed),
            ]

            var lines = Data()
            for (index, kind) in kinds.enumerated() {
                var event = PlayerEvent(kind)
                (event.head.sequence, event.head.missed) = (index + 1, index)
                event.head.item = item.id
                event.head.generation = 2
                let line = try EventLine.line(event)
                let read = try JSONDecoder().decode(PlayerEvent.self, from: Data(line))
                #expect(try EventLine.line(read) == line)
                lines.append(contentsOf: line)
            }

            #expect(try Schema.violations(of: lines, in: "events.schema.json") == "")
            let events = try Events(String(decoding: lines, as: UTF8.self))
            #expect(
                events["item"].compactMap { $0["change"] as? String }
                    == ["measured", "left", "began"])
            #expect(events.lines.count == kinds.count)
            let route = try #require(events["routeChange"].first)
            #expect(route["reason"] as? String == "oldDeviceUnavailable")
            #expect(route["reasonCode"] as? Int == 2)
            #expect((route["previous"] as? [String: Any])?["port"] as? String == "Headphones")
            #expect(route["route"] is NSNull)
            #expect(events["interruption"].map { $0["by"] as? String } == ["Ekiga", nil])
            #expect(events["interruption"].map { $0["shouldResume"] as? Bool } == [nil, true])
            #expect(events["otherAudio"].map { $0["mixable"] as? Bool } == [false, true])
            #expect(events["network"].map { $0["network"] as? String } == ["waiting", "receiving"])
            #expect(
                events["network"].map { $0["trouble"] as? String }
                    == ["The connection was lost", nil])
            let titles = events["metadata"].map { $0["title"] as? String }
            #expect(titles == ["Artist - \"Title\"", ""])
        }

        private static var suspended: AppEvent {
            var event = AppEvent(.suspended, "net.example.app")
            (event.process, event.state) = (4242, .suspended)
            event.reason = "its time in the background is over"
            return event
        }

        private static var overstayed: AppEvent {
            var event = AppEvent(.ended, "net.example.app")
            event.end = AppEnd(.overstayed, status: 137, reason: "its time was over", time: 1.8e9)
            return event
        }

        private static var waiting: NetworkEvent {
            let stream = stream
            stream.update { status in
                status.activity = .waiting(reason: "The connection was lost", retryTime: 5)
            }
            return event(NetworkItemState(stream, at: 0))
        }

        private static var receiving: NetworkEvent {
            let stream = stream
            stream.update { status in
                status.activity = .receiving
                status.total = 1 << 40
            }
            return event(NetworkItemState(stream, at: 0))
        }

        private static func event(_ state: NetworkItemState) -> NetworkEvent {
            NetworkEvent(
                host: state.host, network: state.state, trouble: state.reason, retry: state.retry)
        }

        private static var stream: TransferStream {
            TransferStream(
                url: "https://radio.example/live", descriptor: open("/dev/null", O_RDWR),
                request: { _, _ in }, whenClosed: {})
        }
    }
}
