import Foundation
import Testing
import UndersongBackground
import UndersongPlayback

@Suite struct `A decoded event` {
    private let head =
        #""seq":7,"monotonic":9,"place":1,"generation":2,"state":"active","status":"paused""#

    private func event(_ fields: String) throws -> PlayerEvent {
        try JSONDecoder().decode(PlayerEvent.self, from: Data("{\(head),\(fields)}".utf8))
    }

    @Test func `A decoded event may have a kind, or fields, of a later version`() throws {
        let new = try event(#""event":"lyrics","text":"la","reason":"userPaused""#)
        let end = try event(
            #""event":"end","reason":"finished","played":2,"failed":1,"skipped":{"n":1}"#)

        #expect(new.kind == .other("lyrics"))
        #expect(new.head.place == 1 && new.head.reason == .known(.userPaused))
        #expect(
            end.kind
                == .runEnded(
                    SessionEnd(reason: .finished, playedCount: 2, failedCount: 1, run: 0)))
    }

    @Test func `A decoded event has the encoded settings, and may lack others`() throws {
        let settings = try event(
            #""event":"settings","volume":0.5,"modes":{"shuffle":true,"stopAfter":"item"}"#)

        guard case .settings(let values) = settings.kind else {
            Issue.record("no settings")
            return
        }
        #expect(values.volume == 0.5 && values.shuffle == true && values.stopAfter == .item)
        #expect(values.muted == nil)
    }

    @Test func `A decoded event is refused without a field of its kind`() {
        #expect(throws: DecodingError.self) {
            try event(#""event":"end","reason":"stopped","played":2"#)
        }
        #expect(throws: DecodingError.self) { try event(#""played":2"#) }
    }
}
