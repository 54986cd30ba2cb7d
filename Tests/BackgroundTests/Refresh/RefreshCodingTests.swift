import Foundation
import Testing
import UndersongBackground
import UndersongBase

/// Refreshes as JSON: of programs, and in records.
@Suite struct `The encoding of background tasks` {
    private func decode<Value: Decodable>(_ json: String, _ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    private func copy<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test func `What is kept or sent of background tasks is the same when read again`() throws {
        var request = RefreshRequest(
            "a", kind: .processing, earliestBeginDate: 1_700_000_060.25,
            requiresNetworkConnectivity: true)
        (request.submitted, request.submittedBoot) = (1_700_000_000, 5.5)
        let run = RefreshRun(
            number: 7, identifier: "a", kind: .fetch, cause: .schedule, began: 1_700_000_000,
            beganBoot: 12, seconds: 1.5, result: .newData, new: 3, bytes: 1 << 40,
            processorTime: 0.25)
        let usage = UsagePattern(
            [UsagePattern.Entry(halfHour: 17, opens: 2.5, news: 0.5, stretch: 1.5, openDay: 20000)],
            sightings: NewsSightings([
                .init(start: 1_700_000_000, end: 1_700_003_600), .init(start: 5, end: 70),
            ]),
            workingDays: 4.5, weekendDays: 2, today: 20001, lastOpenDay: 20000)
        let changes: [RefreshScheduler.Change] = [
            .request(request), .run(run), .interval(.seconds(3600.25)), .interval(.never),
            .interval(.minimum), .isShutDown(true), .isDenied(true), .badge(3), .boot("x"),
            .handler("a"),
        ]

        #expect(try copy(changes) == changes)
        let again = try copy(usage)
        #expect(again.entries == usage.entries)
        #expect(again.sightings.all == usage.sightings.all)
        #expect(again.today == 20001 && again.lastOpenDay == 20000)
        #expect(again.workingDays == 4.5 && again.weekendDays == 2)
    }

    @Test func `What is kept forgets a cancelled request, and a run that is too old`() {
        let run = RefreshRun(
            number: 1005, identifier: "a", kind: .fetch, cause: .schedule, began: 0, beganBoot: 0)
        let changes: [RefreshScheduler.Change] = [
            .request(RefreshRequest("a")), .noRequest("a"), .run(run), .noRun(1005),
        ]

        #expect(changes.map(\.key) == ["request a", "request a", "run 1005", "run 1005"])
        #expect(changes.map(\.isRemoval) == [false, true, false, true])
    }

    @Test func `A thousand runs are kept, whatever their numbers`() {
        var memory = RefreshScheduler.Memory()
        memory.runs = (1...1001).map { index in
            RefreshRun(
                number: index * 3, identifier: "a", kind: .refresh, cause: .command, began: 0,
                beganBoot: 0, result: .done)
        }
        var scheduler = RefreshScheduler(boot: "boot", seed: 1)
        let now = ScheduleTime(boot: 1000, wall: RefreshStage.monday)

        let restored = scheduler.handle(.restored(memory), at: now)
        let begun = scheduler.handle(.run("a", .refresh, .command), at: now)

        #expect(restored.contains(.keep(.noRun(3))))
        #expect(begun.contains(.keep(.noRun(6))))
        #expect(scheduler.runs.count == 1000)
        #expect(scheduler.runs.last?.number == 3004)
    }

    @Test func `A program does not report what its run has cost`() throws {
        let completion = try decode(
            #"{"result":"done","processorTime":0}"#, RefreshCompletion.self)

        #expect(completion.processorTime == nil)
    }

    @Test func `What is sent of background tasks may leave out what a program does not know`()
        throws
    {
        let request = try decode(#"{"identifier":"a"}"#, RefreshRequest.self)
        let completion = try decode(#"{"result":"done","new":-1}"#, RefreshCompletion.self)

        #expect(request == RefreshRequest("a"))
        let late = try decode(
            #"{"identifier":"a","earliestBeginDate":1e300}"#, RefreshRequest.self)
        #expect(late.earliestBeginDate == 253_402_300_799)
        #expect(completion == RefreshCompletion(.done))
    }

    @Test(arguments: [
        #""soon""#, #""-1""#, #""inf""#, "1",
    ])
    func `A decoded fetch interval is refused if it is not one`(json: String) {
        #expect(throws: DecodingError.self) { try decode(json, FetchInterval.self) }
    }

    @Test func `A decoded request is refused if only the service may make it`() {
        #expect(throws: DecodingError.self) {
            try decode(#"{"identifier":"a","kind":"fetch"}"#, RefreshRequest.self)
        }
        #expect(throws: DecodingError.self) {
            try decode(#"{"result":"overran"}"#, RefreshCompletion.self)
        }
    }
}
