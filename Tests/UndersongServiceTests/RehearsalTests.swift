import Control
import Testing

@testable import UndersongService

/// What the service does once before anybody asks for it.
@Suite struct `A rehearsal` {
    @Test(arguments: zip(Rehearsal.requests.map(\.method), Rehearsal.requests.map(\.params)))
    func `has requests as clients send them`(method: String, params: String) throws {
        let request = try ControlRequest(rehearsing: method, params: params)

        #expect(throws: Never.self) { try Rehearsal.reply(to: request) }
    }
}
