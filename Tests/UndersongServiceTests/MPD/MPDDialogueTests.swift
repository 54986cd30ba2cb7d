import Testing

@testable import UndersongService

/// What a line means after those before it.
@Suite struct `A dialogue of MPD's protocol` {
    private var dialogue = MPDDialogue()

    private mutating func receive(_ line: String) -> MPDDialogue.Step {
        dialogue.receive(Array(line.utf8))
    }

    private static func batch(_ lines: String..., reportsEach: Bool = false) -> MPDDialogue.Step {
        .perform(MPDDialogue.Batch(lines: lines.map { Array($0.utf8) }, reportsEach: reportsEach))
    }

    private static let ok = Array("OK\n".utf8)

    @Test mutating func `A dialogue performs nothing of a list before its end`() {
        #expect(receive("ping") == Self.batch("ping"))
        #expect(receive("command_list_begin") == .wait)
        #expect(receive("ping") == .wait && receive("status") == .wait)
        #expect(receive("command_list_end") == Self.batch("ping", "status"))
        #expect(receive("command_list_ok_begin") == .wait)
        #expect(receive("command_list_end") == .perform(.init(lines: [], reportsEach: true)))
        #expect(receive("stop") == Self.batch("stop"))
    }

    @Test mutating func `A dialogue with a line of another protocol is over`() {
        #expect(receive("GET / HTTP/1.1") == .close)
        #expect(receive("") == .close)
        #expect(receive(" ping") == .close)
    }

    @Test mutating func `A dialogue keeps a list within its limit`() {
        _ = receive("command_list_begin")
        let line = "a" + String(repeating: "b", count: 1023)
        for _ in 0..<(MPDDialogue.mostListed / 1025) { #expect(receive(line) == .wait) }

        #expect(receive(line) == .close)
    }

    @Test mutating func `A dialogue reports changes to who waits, and keeps them for who does not`()
    {
        #expect(dialogue.note([.player, .mixer]) == nil)

        #expect(dialogue.idle(.mixer) == Array("changed: mixer\nOK\n".utf8))
        #expect(dialogue.idle(.mixer) == nil && dialogue.isIdle)
        #expect(dialogue.note(.playlist) == nil)
        #expect(dialogue.note(.mixer) == Array("changed: mixer\nOK\n".utf8))
        #expect(!dialogue.isIdle)
        // What was not asked for is not lost.
        #expect(dialogue.idle(.all) == Array("changed: playlist\nchanged: player\nOK\n".utf8))
    }

    @Test mutating func `A dialogue in which the client waits takes nothing but noidle`() {
        #expect(receive("noidle") == .wait)
        _ = dialogue.idle(.all)
        #expect(receive("noidle") == .send(Self.ok))
        #expect(receive("noidle") == .wait)
        _ = dialogue.idle(.all)
        #expect(receive("status") == .close)
    }
}

/// The table of commands.
@Suite struct `The commands of MPD's protocol` {
    @Test func `The commands are all in the version of the greeting, and each is there once`() {
        let names = MPDCommand.all.map(\.name)

        #expect(names == names.sorted() && Set(names).count == names.count)
        for command in MPDCommand.all {
            #expect(command.since <= .spoken, "\(command.name)")
        }
    }

    @Test func `The commands need permissions and numbers of arguments`() throws {
        let play = try #require(MPDCommand.named["play"])
        let move = try #require(MPDCommand.named["move"])

        #expect(throws: Never.self) { try play.check(1, .player) }
        #expect(throws: MPDError(.permission, "you don't have permission for \"play\"")) {
            try play.check(1, [.read, .add])
        }
        #expect(throws: MPDError(.argument, "too many arguments for \"play\"")) {
            try play.check(2, .all)
        }
        #expect(throws: MPDError(.argument, "wrong number of arguments for \"move\"")) {
            try move.check(1, .all)
        }
    }

    @Test func `The passwords permit what they name`() throws {
        let passwords = try #require(MPDPasswords(["secret@read,control", "x@admin"]))

        #expect(passwords.permissionsWithoutPassword == .none)
        #expect(passwords.permissions(of: "secret") == [.read, .control, .player])
        #expect(passwords.permissions(of: "x") == .admin)
        #expect(passwords.permissions(of: "secre") == nil)
        #expect(passwords.permissions(of: "secrets") == nil)
        #expect(passwords.permissions(of: "") == nil)
        #expect(MPDPasswords().permissionsWithoutPassword == .all)
        #expect(MPDPasswords(["read"]) == nil && MPDPasswords(["@read"]) == nil)
        #expect(MPDPasswords(["a@write"]) == nil)
    }
}
