import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongPlayback

@testable import UndersongService

/// The clock begins on 2023-11-14 at 22:13:21, and local time is UTC.
@Suite(.timeLimit(.minutes(2))) struct `The alarms of a service` {
    private let clock = ManualClock()
    private let desk: Desk
    private let listener = Listener()
    private let failures = Failures()

    init() async throws {
        desk = try Desk(clock: clock)
        desk.service.observe { [failures] event in
            if case .error(let failure) = event.kind { failures.add(failure.description) }
        }
        await desk.service.connect(listener)
        await desk.service.attach(listener.id, state: .active, source: "test")
    }

    private final class Failures: Sendable {
        private let texts = Mutex<[String]>([])
        func add(_ text: String) { texts.withLock { $0.append(text) } }
        var all: [String] { texts.withLock(\.self) }
    }

    @Test func `An alarm resumes the queue at its time, and is off then`() async throws {
        _ = try await desk.service.add(Files([Desk.song]))
        let added = try await desk.service.addAlarm(AlarmSettings(hour: 22, minute: 20))

        clock.advance(by: 398)
        let before = await desk.service.status.wantsPlayback
        clock.advance(by: 2)

        try await eventually { failures.all.isEmpty && clock.dueTimes.isEmpty }
        while await !desk.service.status.wantsPlayback { await Task.yield() }
        #expect(!before)
        #expect(added.alarms.first?.next == 1_700_000_400)
        #expect(added.alarms.first?.nextLocal == "2023-11-14 22:20")
        var kept = await desk.store.records(PlayAlarm.self, in: "alarms")
        // It is written after the sound has begun.
        while kept.map(\.value.on) == [true] {
            await Task.yield()
            kept = await desk.store.records(PlayAlarm.self, in: "alarms")
        }
        #expect(kept.map(\.value.on) == [false])
    }

    @Test func `An alarm plays its files at its volume, in place of the queue`() async throws {
        _ = try await desk.service.add(Files([Desk.song, Desk.song]))
        var settings = AlarmSettings(hour: 22, minute: 20, days: Weekday.allCases)
        (settings.files, settings.volume, settings.fadeIn) = (Files([Desk.song]), 40, 5)
        _ = try await desk.service.addAlarm(settings)

        clock.advance(by: 400)

        while await desk.service.status.count != 1 { await Task.yield() }
        while await !desk.service.status.wantsPlayback { await Task.yield() }
        #expect(await desk.service.settings.volumeLevel == 0.4)
        #expect(await desk.service.alarms.alarms.map(\.nextLocal) == ["2023-11-15 22:20"])
    }

    @Test func `An alarm that cannot play reports why`() async throws {
        _ = try await desk.service.addAlarm(AlarmSettings(hour: 22, minute: 20))
        var settings = AlarmSettings(hour: 22, minute: 21)
        settings.queue = "Evening"
        let queue = try desk.saveQueue("Evening")
        _ = try await desk.service.addAlarm(settings)
        try FileManager.default.removeItem(at: queue)

        clock.advance(by: 400)
        try await eventually { failures.all.count == 1 }
        clock.advance(by: 60)
        try await eventually { failures.all.count == 2 }

        #expect(
            failures.all == [
                "cannot resume: The queue is empty",
                "cannot play Evening: No queue is saved by that name",
            ])
    }

    @Test func `An alarm for a queue that is not saved is an error that names it`() async throws {
        var settings = AlarmSettings(hour: 22, minute: 21)
        settings.queue = "Evning"
        _ = try desk.saveQueue("Evening")

        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.addAlarm(settings)
        }
        settings.queue = "Evening"
        let added = try await desk.service.addAlarm(settings)

        #expect(error?.code == .notFound)
        #expect(error?.description == "cannot add the alarm: No queue is saved as 'Evning'")
        #expect(added.alarms.map(\.alarm.settings.queue) == ["Evening"])
    }

    @Test func `An alarm that has rung and cannot be written is reported`() async throws {
        _ = try await desk.service.addAlarm(AlarmSettings(hour: 22, minute: 20))
        desk.store.close()

        clock.advance(by: 400)

        try await eventually { failures.all.count == 2 }
        #expect(
            failures.all == [
                "cannot resume: The queue is empty",
                "cannot record that alarm 1 has rung: The store is closed; it may ring again when "
                    + "the service starts",
            ])
        #expect(await desk.service.alarms.alarms.map(\.alarm.on) == [false])
    }

    @Test func `An alarm that came while the machine slept is reported if it is too late`()
        async throws
    {
        _ = try await desk.service.addAlarm(
            AlarmSettings(hour: 22, minute: 20, days: Weekday.allCases))

        clock.sleepMachine(for: 7200)
        await desk.service.follow(LoginState(session: nil)) {}

        try await eventually { !failures.all.isEmpty }
        #expect(
            failures.all == [
                "cannot ring alarm 1 of 2023-11-14 22:20: The service was not running, or the "
                    + "machine was asleep"
            ])
        #expect(await !desk.service.status.wantsPlayback)
        #expect(await desk.service.alarms.alarms.map(\.nextLocal) == ["2023-11-15 22:20"])
    }

    @Test func `A change of an alarm that is none is refused`() async throws {
        let service = desk.service
        let unknown = await #expect(throws: ServiceError.self) {
            try await service.change(1, .removed(1), to: "remove")
        }
        let wrong = await #expect(throws: ServiceError.self) {
            try await service.addAlarm(AlarmSettings(hour: 24, minute: 0))
        }

        #expect(unknown?.description == "cannot remove alarm 1: There is no such alarm")
        #expect(
            wrong?.description == "cannot add the alarm: A time is from 00:00 to 23:59")
    }

    @Test func `A removed alarm is gone from the disk, and one says whether alarms sound`()
        async throws
    {
        _ = try await desk.service.addAlarm(AlarmSettings(hour: 22, minute: 20))
        let removed = try await desk.service.change(1, .removed(1), to: "remove")
        _ = try await desk.service.declare(.audio, isDeclared: true)
        let declared = await desk.service.alarms

        #expect(removed == AlarmStatus([], silentInBackground: true))
        #expect(declared == AlarmStatus([], silentInBackground: false))
        #expect(await desk.store.records(PlayAlarm.self, in: "alarms").isEmpty)
    }
}

extension Desk {
    /// Saves a queue of one song, and returns its file.
    fileprivate func saveQueue(_ name: String) throws -> URL {
        let queues = folder.appending(path: "queues")
        try FileManager.default.createDirectory(at: queues, withIntermediateDirectories: true)
        let file = queues.appending(path: "\(name).xspf")
        let list = """
            <?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList>
            <track><location>file://\(Desk.song)</location></track></trackList></playlist>
            """
        try Data(list.utf8).write(to: file)
        return file
    }
}
