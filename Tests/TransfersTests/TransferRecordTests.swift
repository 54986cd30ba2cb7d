import Foundation
import Testing
import UndersongTransfers

@Suite struct `The record of a transfer` {
    private static let now = Moment(boot: 1, epoch: 2)

    private static func fields(_ task: TransferTask) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(task))
        return try #require(json as? [String: Any])
    }

    @Test func `A transfer's record has the task of a session as one of its fields`() throws {
        let request = TransferRequest(url: "http://localhost/a", destination: "/a")
        var task = TransferTask(id: 7, request, at: Self.now)
        task.session = SessionTask(session: "podcasts", number: 3)
        task.session?.sent = 12

        let session = try #require(try Self.fields(task)["session"] as? [String: Any])

        #expect(session["session"] as? String == "podcasts")
        #expect(session["number"] as? Int == 3)
        #expect(session["sent"] as? Int == 12)
        let decoded = try JSONDecoder().decode(
            TransferTask.self, from: JSONEncoder().encode(task))
        #expect(decoded == task)
    }

    @Test func `A transfer's record has no such field without a session`() throws {
        let request = TransferRequest(url: "http://localhost/a", destination: "/a")
        var task = TransferTask(id: 7, request, at: Self.now)
        task.lastTrouble = "The connection was lost"

        #expect(
            Set(try Self.fields(task).keys) == [
                "age", "attempts", "avoidsHTTP2", "hasTriedBareRange", "id", "isResumed",
                "lastTrouble", "mark", "part", "request", "restarts", "stage",
            ])
        let decoded = try JSONDecoder().decode(
            TransferTask.self, from: JSONEncoder().encode(task))
        #expect(decoded == task)
    }
}
