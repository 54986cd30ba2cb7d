import Foundation
import Testing
import UndersongBackground
import UndersongBase

/// Refreshes as JSON: of programs, and in records.
@Suite struct `What is kept or sent of background tasks` {
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
            beganBoot: 12, seconds: 1.5, result: .newData, new: 3, bytes: 1 << 40)
        let usage = UsagePattern(
            [UsagePattern.Entry(halfHour: 17, opens: 2.5, news: 0.5, stretch: 1.5, openDay: 20000)],
            sightings: NewsSightings([
                .init(start: 1_700_000_000, end: 1_700_003_600), .init(start: 5, end: 70),
            ]),
            workingDays: 4.5, weekendDays: 2, today: 20001, lastOpenDay: 20000)
        let changes: [RefreshScheduler.Change] = [
            .request(request), .run(run), .interval(.seconds(3600.25)), .interval(.never),
            .interval(.minimum), .isShutDown(true), .isDenied(true), .badge(3), .boot("x"),
        ]

        #expect(try copy(changes) == changes)
        let again = try copy(usage)
        #expect(again.entries == usage.entries)
        #expect(again.sightings.all == usage.sightings.all)
        #expect(again.today == 20001 && again.lastOpenDay == 20000)
        #expect(again.workingDays == 4.5 && again.weekendDays == 2)
    }

    @Test func `What is kept forgets a cancelled request, and the run that is a thousand older`() {
        let run = RefreshRun(
            number: 1005, identifier: "a", kind: .fetch, cause: .schedule, began: 0, beganBoot: 0)

        #expect(RefreshScheduler.Change.noRequest("a").removedKey == "request a")
        #expect(RefreshScheduler.Change.request(RefreshRequest("a")).key == "request a")
        #expect(RefreshScheduler.Change.run(run).key == "run 1005")
        #expect(RefreshScheduler.Change.run(run).removedKey == "run 5")
    }

    @Test func `What is sent of background tasks may leave out what a program does not know`()
        throws
    {
        let request = try decode(#"{"identifier":"a"}"#, RefreshRequest.self)
        let completion = try decode(#"{"result":"done","new":-1}"#, RefreshCompletion.self)

        #expect(request == RefreshRequest("a"))
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
