import Testing

@testable import UndersongCLI

@Suite struct `The note about news` {
    @Test func `What was new is noted once, when the player is opened`() {
        var note = NewsNote()

        #expect(note.receive(badge: 0) == nil)
        #expect(note.receive(badge: 2) == nil)
        #expect(note.receive(badge: 3) == nil)
        #expect(note.receive(badge: 0) == "3 new since the player was open")
        #expect(note.receive(badge: 0) == nil)
    }
}
