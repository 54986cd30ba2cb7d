import Foundation
import TestSupport
import Testing
import UndersongControl

/// Verbs that `undersong` passes on to the service's program.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The service's program` {
    @Test(arguments: [["verify"], ["render", "-o", "out.wav"]])
    func `The service's program names a file on one line without control characters`(verb: [String])
        throws
    {
        let music = try Music()
        let name = "a\u{1B}[31mb\nc.mp3"
        try music.write(Data("none".utf8), to: name)

        let program = try Program(
            "/usr/bin/env",
            ["-C", music.folder.path, Program.undersong] + verb + [name, "gone\u{1B}[2J.mp3"])

        #expect(try program.wait() == 1)
        let text = program.text + program.errorText
        #expect(text.contains("a [31mb c.mp3") && text.contains("gone [2J.mp3"))
        #expect(!text.contains("\u{1B}"))
    }

    @Test(arguments: [["verify"], ["render", "-o", "out.wav"]])
    func `The service's program accepts URLs of files, and refuses others with the reason`(
        verb: [String]
    ) throws {
        let music = try Music()
        try music.encode(Music.noise(seconds: 1), to: "a b.mp3")
        let call = ["-C", music.folder.path, Program.undersong] + verb

        let file = try Program(
            "/usr/bin/env", call + ["file://\(music.folder.path)/a%20b.mp3"])
        let other = try Program("/usr/bin/env", call + ["http://example.com/a.mp3"])

        #expect(try file.wait() == 0 && file.errorText == "")
        #expect(try other.wait() == 64)
        #expect(
            other.errorText
                == "undersong: cannot play http://example.com/a.mp3: Only a file can be used here\n"
        )
    }

    @Test func `The service has ended when shutdown returns, so that the next call has a new one`()
        throws
    {
        let music = try Music()
        let path = try music.encode(Music.noise(seconds: 1), to: "a.mp3")
        let folder = try RuntimeFolder()
        let daemon = try Daemon(in: folder.path)

        for _ in 0..<5 {
            for arguments in [
                ["queue", "add", path], ["shutdown"], ["queue", "clear"], ["shutdown"],
            ] {
                let program = try Program(
                    Program.path(of: "undersong"), arguments, environment: daemon.environment)
                #expect(try program.wait() == 0, "\(arguments): \(program.errorText)")
                let sessions = ControlSocket.sessions(runtimeFolder: folder.path)
                #expect(sessions.isEmpty == (arguments == ["shutdown"]))
            }
        }
    }

    @Test(arguments: ["render", "verify", "serve"])
    func `The service uses the name of the program that the user called`(verb: String) throws {
        let help = try Program(Program.undersong, [verb, "--help"])
        let wrong = try Program(Program.undersong, [verb, "--nosuch"])

        #expect(try help.wait() == 0 && wrong.wait() == 64)
        #expect(help.text.contains("USAGE: undersong \(verb) "))
        #expect(wrong.errorText.contains("undersong \(verb) --help"))
        #expect(!(help.text + wrong.errorText).contains("undersongd"))
    }
}
