import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

extension EndToEnd {
    @Suite struct `A queue of very many items` {
        @Test func `A huge queue can be edited without affecting the sound, and survives a kill`()
            throws
        {
            let count = 50_000
            let music = try Music()
            let song = try music.encode(Music.noise(seconds: 20), to: "song.mp3")
            let list = try music.write(
                Data((0..<count).map { "/music/Artist \($0 / 100)/\($0).mp3\n" }.joined().utf8),
                to: "list.m3u")
            let expected = try Music.decoded([song])
            let server = try SoundServer()
            let daemon = try Daemon(in: server.folder.path, environment: server.environment)
            let client = try daemon.client()
            _ = try client.call(Attach(state: .active, source: "option"))
            let recording = try Recording(server)
            _ = try client.call(Play(files: Files([song])))

            let added = try client.call(AddToQueue(Files([list])))
            let middle = try client.call(ListQueue(offset: count / 2, limit: 1)).items[0]
            let inserted = try client.call(InsertIntoQueue(Files([song]), after: middle.id)).added
            _ = try client.call(MoveInQueue(inserted[0], after: added.added[0]))
            try set(client) { $0.shuffle = true }
            try set(client) { $0.shuffle = false }
            let found = try client.call(SearchQueue("\"artist 7/\" 712")).found
            _ = try client.call(RemoveFromQueue([found[0].id]))
            let taken = try client.call(UndoQueueChange()).queue.count
            let page = try client.call(ListQueue(offset: 0, limit: 1000))
            let last = try client.call(ListQueue(offset: count, limit: 1000)).items
            try recording.wait(0.5)
            daemon.end(by: SIGKILL)
            let heard = sounds(in: try recording.finish(after: 0))
            try daemon.start()
            let again = try daemon.client().call(ListQueue(offset: 0, limit: 1000))

            #expect(added.addedCount == count && added.added.count == 1000)
            #expect(found.map(\.path) == ["/music/Artist 7/712.mp3"])
            #expect(found.first?.index == 714)
            #expect(taken == count + 2 && page.count == count + 2 && page.items.count == 1000)
            #expect(page.items[2].path == song)
            #expect(
                last.map(\.path) == ["/music/Artist 499/49998.mp3", "/music/Artist 499/49999.mp3"])
            #expect(again.items.map(\.id) == page.items.map(\.id) && again.count == page.count)
            let isWhole = heard.first.map { expected.starts(with: $0) } ?? false
            #expect(heard.count == 1 && isWhole, "\(heard.map(\.count))")
        }

        private func set(
            _ client: ControlClient, _ change: (inout SettingsChange) -> Void
        ) throws {
            var changes = SettingsChange()
            change(&changes)
            _ = try client.call(SetSettings(changes))
        }
    }
}
