import Synchronization
import Testing

@testable import Control

@Suite struct `A service and its clients` {
    @Test func `talk`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try service.client()

        let status = try client.call(BeginTask(name: "x"))

        #expect(status == BeginTask.Reply(task: 7, timeRemaining: 1.5))
    }
}
