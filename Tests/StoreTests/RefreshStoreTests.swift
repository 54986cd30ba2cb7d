import TestSupport
import Testing
import UndersongBackground
import UndersongPlayback

@testable import UndersongStore

/// What is kept of background tasks.
@Suite struct `Background tasks in a store` {
    private let folder = TemporaryFolder()

    private func request(_ identifier: String, at date: Double? = nil) -> RefreshRequest {
        var request = RefreshRequest(
            identifier, kind: .processing, earliestBeginDate: date,
            requiresNetworkConnectivity: true, requiresExternalPower: false)
        request.submitted = 1_700_000_000
        request.submittedBoot = 5.5
        return request
    }

    private func run(_ number: Int, _ result: RefreshResult? = .newData) -> RefreshRun {
        RefreshRun(
            number: number, identifier: "a", kind: .fetch, cause: .schedule,
            began: 1_700_000_000, beganBoot: 12, seconds: result == nil ? nil : 1.5,
            result: result, new: 3, bytes: 1 << 40)
    }

    @Test func `are the same after the store was closed and opened again`() async throws {
        let store = folder.open()
        var usage = UsagePattern(
            [UsagePattern.Entry(halfHour: 17, opens: 2.5, news: 0.5, stretch: 1.5, openDay: 20000)],
            sightings: NewsSightings([
                .init(start: 1_700_000_000, end: 1_700_003_600), .init(start: 5, end: 70),
            ]),
            workingDays: 4.5, weekendDays: 2, today: 20001, lastOpenDay: 20000)
        try await store.keep([
            .request(request("b", at: 1_700_000_060)), .request(request("a")),
            .interval(.seconds(3600.25)), .isShutDown(true), .run(run(1)), .run(run(2, nil)),
            .usage(usage),
        ])
        store.close()

        let memory = try await folder.open().refreshMemory(boot: "first")

        #expect(memory.requests == [request("b", at: 1_700_000_060), request("a")])
        #expect(memory.interval == .seconds(3600.25))
        #expect(memory.isShutDown)
        #expect(memory.runs == [run(2, nil), run(1)])
        #expect(memory.usage.entries == usage.entries)
        #expect(memory.usage.sightings == usage.sightings)
        #expect(memory.usage.sightings.all.count == 2)
        #expect(memory.usage.today == 20001 && memory.usage.lastOpenDay == 20000)
        #expect(memory.usage.workingDays == 4.5 && memory.usage.weekendDays == 2)
        usage = UsagePattern()
        #expect(memory.usage.entries != usage.entries)
    }

    @Test func `know whether the machine was started since`() async throws {
        let store = folder.open()

        let first = try await store.refreshMemory(boot: "one").isSameBoot
        let second = try await store.refreshMemory(boot: "one").isSameBoot
        let third = try await store.refreshMemory(boot: "two").isSameBoot

        #expect([first, second, third] == [false, true, false])
    }

    @Test func `forget a request that was cancelled, and replace one`() async throws {
        let store = folder.open()
        try await store.keep([.request(request("a")), .request(request("b"))])

        try await store.keep([.noRequest("a"), .request(request("b", at: 7))])

        #expect(try await store.refreshMemory(boot: "").requests == [request("b", at: 7)])
    }

    @Test func `have the last thousand runs`() async throws {
        let store = folder.open()
        try await store.keep((1...1005).map { .run(run($0)) })

        let runs = try await store.refreshRuns(limit: 2000)

        #expect(runs.map(\.number) == (6...1005).reversed())
        #expect(try await store.refreshRuns(limit: 2).map(\.number) == [1005, 1004])
    }

    @Test func `without a damaged row are the others`() async throws {
        let store = folder.open()
        try await store.keep([.request(request("a")), .request(request("b")), .run(run(1))])
        store.close()
        try folder.edit {
            try $0.execute("UPDATE requests SET earliest = 1 WHERE identifier = 'a'")
        }

        let memory = try await folder.open().refreshMemory(boot: "")

        #expect(memory.requests == [request("b")])
        #expect(memory.runs == [run(1)])
    }
}
