import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongStore

@Suite(.timeLimit(.minutes(5))) struct `Pushes in the store` {
    let folder = TemporaryFolder()
    let notices = Notices()

    private func push(_ number: Int, _ identifier: String, attempts: Int = 0) -> StoredPush {
        StoredPush(
            number: number, identifier: identifier, topic: "t", received: 5.5,
            payload: "{\"aps\":{},\"a\":9007199254740993, \"b\":\"\\u0000\"}", type: nil,
            isUrgent: number == 2, attempts: attempts)
    }

    @Test func `are there for the next service, byte for byte`() async throws {
        let store = folder.open(notices)
        try await store.keep([.add(push(1, "a")), .add(push(2, "b"))])
        store.close()

        let later = await folder.open(notices).pushes()

        #expect(later.waiting == [push(1, "a"), push(2, "b")])
        #expect(later.finished == [:])
        #expect(notices.all.isEmpty)
    }

    @Test func `leave their identifiers when they are over`() async throws {
        let store = folder.open(notices)
        try await store.keep([.add(push(1, "a")), .add(push(2, "b"))])

        try await store.keep([.attempts(2, of: 2), .finish(1)])
        let pushes = await store.pushes()

        #expect(pushes.waiting == [push(2, "b", attempts: 2)])
        #expect(pushes.finished == [1: "a"])
    }

    @Test func `leave a thousand identifiers`() async throws {
        let store = folder.open(notices)
        try await store.keep(
            (1...1010).flatMap { number -> [PushChange] in
                let arrival = PushChange.add(push(number, "\(number)"))
                return number == 3 ? [arrival] : [arrival, .finish(number)]
            })

        let pushes = await store.pushes()

        #expect(pushes.waiting.map(\.number) == [3])
        #expect(pushes.finished.count == 1000)
        #expect(pushes.finished[1010] == "1010")
        #expect(pushes.finished[10] == nil)
    }

    @Test func `have a registration, of which there is one`() async throws {
        let store = folder.open(notices)
        var registration = PushRegistration(token: "00ff")
        try await store.keep([.register(registration)])
        registration.provider = "ntfy"
        registration.url = "https://ntfy.example/topic"
        (registration.debt, registration.time) = (1200.5, 1e9)
        registration.isShutDown = true
        (registration.handled, registration.superseded, registration.abandoned) = (1, 2, 3)
        (registration.duplicates, registration.refused) = (4, 5)

        try await store.keep([.register(registration)])
        store.close()

        #expect(await folder.open(notices).pushes().registration == registration)
    }

    @Test func `are not read from damaged rows`() async throws {
        let store = folder.open(notices)
        try await store.keep([
            .add(push(1, "a")), .add(push(2, "b")), .register(PushRegistration(token: "00ff")),
        ])
        store.close()
        try folder.edit {
            try $0.execute("UPDATE pushes SET topic = 'other' WHERE number = 1")
            try $0.execute("UPDATE push_registration SET token = 'ff00'")
        }

        let pushes = await folder.open(notices).pushes()

        #expect(pushes.waiting == [push(2, "b")])
        #expect(pushes.registration == nil)
    }

    @Test func `survive a file that is set aside because of other damage`() async throws {
        let store = folder.open(notices)
        try await store.keep([.add(push(1, "a")), .add(push(2, "b")), .finish(1)])
        try await store.keep([.register(PushRegistration(token: "00ff"))])
        store.keep(PlayerRecord(store.add([QueueEntry("one.mp3")])))
        await store.flush()
        store.close()
        try folder.edit { try $0.execute("UPDATE state SET sequence = 99") }

        let pushes = await folder.open(notices).pushes()

        #expect(notices.all.count == 1)
        #expect(pushes.waiting == [push(2, "b")])
        #expect(pushes.finished == [1: "a"])
        #expect(pushes.registration?.token == "00ff")
    }

    @Test func `are refused without a place for them`() async {
        let store = StateStore(folder: nil, clock: SystemClock()) { _ in }

        await #expect(throws: QueueError.self) { try await store.keep([.add(push(1, "a"))]) }
        #expect(await store.pushes() == StoredPushes())
    }
}
