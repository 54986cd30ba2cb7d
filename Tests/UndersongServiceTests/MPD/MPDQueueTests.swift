import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

@testable import UndersongService

/// The queue as clients of MPD's protocol follow it.
@Suite struct `A queue of MPD's protocol` {
    private static func ids(_ numbers: Int...) -> [ItemID] { numbers.map { ItemID($0) } }

    @Test func `A queue knows which positions have changed since a version`() {
        var queue = MPDQueue()
        queue.update(Self.ids(1, 2, 3))
        let first = queue.version
        queue.update(Self.ids(1, 2, 3))
        #expect(queue.version == first)

        queue.update(Self.ids(1, 3, 4))
        let second = queue.version
        queue.touch([ItemID(1)])

        #expect(queue.changes(since: first, in: 0..<3) == [0, 1, 2])
        #expect(queue.changes(since: second, in: 0..<3) == [0])
        #expect(queue.changes(since: queue.version, in: 0..<3) == [])
        #expect(queue.changes(since: first, in: 1..<2) == [1])
        // One that was never there is of an earlier service.
        #expect(queue.changes(since: 99, in: 0..<3) == [0, 1, 2])
    }

    @Test func `A queue finds its items by their ids`() throws {
        var queue = MPDQueue()
        queue.update(Self.ids(5, 7))

        #expect(try queue.item(7).position == 1)
        #expect(throws: MPDError.noSuchSong) { try queue.item(6) }
        #expect(throws: MPDError.noSuchSong) { try queue.item(Int(UInt32.max)) }
        #expect(throws: MPDError.badRange) { try queue.positions(MPDRange(start: 3, end: nil)) }
    }

    @Test func `A queue moves a range to where its first item is then`() {
        var queue = MPDQueue()
        queue.update(Self.ids(1, 2, 3, 4, 5))

        #expect(queue.moving(0..<2, to: 3) == Self.ids(3, 4, 5, 1, 2))
        #expect(queue.moving(3..<5, to: 0) == Self.ids(4, 5, 1, 2, 3))
    }

    @Test func `A queue puts what has a higher priority first, after the current item`() {
        var queue = MPDQueue()
        queue.update(Self.ids(1, 2, 3, 4, 5))
        queue.set(10, of: Self.ids(1, 4))
        queue.set(20, of: Self.ids(5))

        #expect(queue.byPriority(after: 1) == Self.ids(1, 2, 5, 4, 3))
        queue.set(0, of: Self.ids(5))
        #expect(queue.byPriority(after: 1) == Self.ids(1, 2, 4, 3, 5))
        // What leaves the queue takes its priority along.
        queue.update(Self.ids(1, 2))
        queue.update(Self.ids(1, 2, 4))
        #expect(queue.priority(of: ItemID(4)) == 0 && queue.priority(of: ItemID(1)) == 10)
    }

    @Test(arguments: [
        (RepeatMode.off, false, "0", false), (.all, false, "0", true), (.one, false, "1", true),
        (.off, true, "1", false), (.all, true, "1", true),
    ])
    func `The modes of a player are repeat and single`(
        mode: RepeatMode, isSingle: Bool, single: String, repeats: Bool
    ) {
        let modes = MPDModes(PlaybackModes(repeatMode: mode, isSingle: isSingle))

        #expect(modes.single.rawValue == single && modes.repeats == repeats)
    }

    @Test func `The modes of a client are those of a player`() {
        #expect(MPDModes(repeats: true, single: .on).repeatMode == .one)
        #expect(!MPDModes(repeats: true, single: .on).isSingle)
        #expect(MPDModes(repeats: false, single: .on).isSingle)
        #expect(MPDModes(repeats: true, single: .oneshot).repeatMode == .all)
        #expect(MPDModes(repeats: false, single: .oneshot).stopCondition == .item)
        #expect(MPDModes(PlaybackModes(stopCondition: .item)).single == .oneshot)
    }

    @Test func `The modes decide which song is next`() {
        let off = MPDModes(repeats: false, single: .off)
        let all = MPDModes(repeats: true, single: .off)

        #expect(off.next(after: 0, count: 2) == 1 && off.next(after: 1, count: 2) == nil)
        #expect(all.next(after: 1, count: 2) == 0 && all.next(after: nil, count: 2) == nil)
        #expect(MPDModes(repeats: true, single: .on).next(after: 0, count: 2) == 0)
    }

    @Test func `The changes of a player are asked for once, and none is lost`() throws {
        let changes = MPDChanges()
        let failure = SessionFailure(code: "x", message: "cannot do: It fails")

        #expect(!changes.receive(PlayerEvent(.time(isExact: false))))
        #expect(!changes.receive(PlayerEvent(.error(failure))))
        #expect(changes.receive(PlayerEvent(.state)))
        #expect(!changes.receive(PlayerEvent(.queue([], count: 0))))
        #expect(changes.removeAll().subsystems == [.player, .playlist])
        #expect(changes.removeAll() == MPDChanges.Changes())
        #expect(changes.receive(PlayerEvent(.jump)))
    }

    @Test func `The changes of a player have the item that has begun to play`() throws {
        let changes = MPDChanges()
        let item = QueueItem(id: ItemID(1), source: .file(path: FilePath("a.mp3")))
        var event = PlayerEvent(.item(.began(item, nil)))

        event.head.enter(.paused(.userPaused))
        _ = changes.receive(event)
        #expect(changes.removeAll().begun == nil)
        event.head.enter(.playing)
        _ = changes.receive(event)
        #expect(changes.removeAll().begun == item.id)
    }

    @Test func `The changes of settings are those of the mixer and of options`() throws {
        let changes = MPDChanges()
        var settings = PlayerSettings()
        _ = changes.receive(PlayerEvent(.settings(SettingsEvent(settings))))
        _ = changes.removeAll()

        settings.volume = 0.5
        _ = changes.receive(PlayerEvent(.settings(SettingsEvent(settings))))
        #expect(changes.removeAll().subsystems == .mixer)
        settings.modes.isConsuming = true
        _ = changes.receive(PlayerEvent(.settings(SettingsEvent(settings))))
        #expect(changes.removeAll().subsystems == .options)
    }
}
