import Foundation
import Glibc
import TestSupport
import Testing

/// Tests `undersong render`, which needs no sound server.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A rendered file` {
    @Test(arguments: [
        (["./same.wav"], ["good.mp3"]), (["same.wav"], ["link.mp3"]),
        (["link.wav"], ["good.mp3"]), (["same.wav"], ["folder"]),
        (["same.wav"], ["list.m3u"]), (["list.wav"], ["list.m3u"]),
        (["list.wav"], ["outer.m3u"]), (["same.wav"], ["good.mp3", "missing.mp3"]),
        (["--force", "same.wav"], ["good.mp3"]), (["--force", "link.wav"], ["folder"]),
        (["--force", "same.wav"], ["list.m3u"]), (["--force", "list.wav"], ["outer.m3u"]),
    ])
    func `A rendered file never replaces an input`(output: [String], inputs: [String]) throws {
        let files = try RenderedFiles()
        let before = try files.contents

        let program = try files.render(["-o"] + output.reversed() + inputs)

        #expect(try program.wait() == 64)
        #expect(program.errorText.hasPrefix("undersong: cannot write "))
        #expect(try files.contents == before)
        guard output.count > 1 else { return }
        #expect(program.errorText.hasSuffix(": It is one of the inputs\n"))
    }

    @Test func `A rendered file is never the file on the standard input`() throws {
        let files = try RenderedFiles()
        let before = try files.contents

        let program = try files.shell(
            "exec undersong render --force -o same.wav - < good.mp3")

        #expect(try program.wait() == 64)
        #expect(
            program.errorText == "undersong: cannot write same.wav: It is one of the inputs\n")
        #expect(try files.contents == before)
    }

    @Test func `A rendered file replaces another file only on request`() throws {
        let files = try RenderedFiles()
        try files.music.write(Data("old".utf8), to: "out.wav")
        let before = try files.contents

        let refused = try files.render(["-o", "out.wav", "good.mp3"])
        #expect(try refused.wait() == 64)
        #expect(
            refused.errorText
                == "undersong: cannot write out.wav: It exists; --force replaces it\n")
        #expect(try files.contents == before)

        let forced = try files.render(["--force", "-o", "out.wav", "good.mp3"])
        #expect(try forced.wait() == 0)
        #expect(try files.contents.keys == before.keys)
        let written = try frames(Music.samples(ofWAV: files.music.path("out.wav")))
        #expect(try written == Music.decoded([files.music.path("good.mp3")]))
    }

    @Test(arguments: ["out.mp3", "out", "out.wav/"])
    func `A rendered file must have the extension wav`(name: String) throws {
        let files = try RenderedFiles()
        let before = try files.contents

        let program = try files.render(["-o", name, "good.mp3"])

        #expect(try program.wait() == 64)
        #expect(
            program.errorText.hasPrefix("undersong: render: ")
                && program.errorText.contains(".wav"))
        #expect(try files.contents == before)
    }

    @Test func `A rendered file may have an upper-case extension`() throws {
        let files = try RenderedFiles()

        let program = try files.render(["-o", "OUT.WAV", "good.mp3"])

        #expect(try program.wait() == 0)
        #expect(try files.contents["OUT.WAV"]?.count == 44 + 4 * 44_100)
    }

    @Test(arguments: ["missing.mp3", "text.mp3", "loop.m3u"], [[], ["--force"]])
    func `A rendered file is not created if nothing can be played`(input: String, force: [String])
        throws
    {
        let files = try RenderedFiles()
        try files.music.write(Data("words\n".utf8), to: "text.mp3")
        try files.music.write(Data("./loop.m3u\n".utf8), to: "loop.m3u")
        if !force.isEmpty { try files.music.write(Data("old".utf8), to: "out.wav") }
        let before = try files.contents

        let program = try files.render(force + ["-o", "out.wav", input])

        #expect(try program.wait() == 1)
        #expect(program.text.isEmpty)
        #expect(try files.contents == before)
    }

    @Test
    func `A rendered file is not created if it cannot be complete, and an old one is kept`() throws
    {
        let files = try RenderedFiles()
        try files.music.write(Data("old".utf8), to: "out.wav")
        let before = try files.contents

        let program = try files.shell(
            "ulimit -f 8; trap '' XFSZ; exec undersong render --force -o out.wav good.mp3")

        #expect(try program.wait() == 1)
        #expect(program.errorText == "undersong: cannot write out.wav: File too large\n")
        #expect(try files.contents == before)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `A rendered file is not created if a signal ends the program`(number: Int32) throws {
        let files = try RenderedFiles()
        mkfifo(files.music.path("pipe"), 0o600)
        let before = try files.contents

        let program = try files.shell(
            "exec 0<>pipe; cat good.mp3 >&0; exec undersong render --json -o out.wav -")
        try program.waitForOutput { String(decoding: $0, as: UTF8.self).contains("began") }
        program.signal(number)

        #expect(try program.wait() == 128 + number)
        #expect(try files.contents == before)
    }

    @Test func `A rendered file is not created if the reader of its events goes`() throws {
        let files = try RenderedFiles()
        let before = try files.contents

        let program = try files.shell(
            "undersong render --json --interval 0.001 -o out.wav good.mp3 good.mp3 | head -n 1; "
                + "echo ${PIPESTATUS[0]}")
        try program.wait()

        #expect(program.text.hasSuffix("\n141\n"))
        #expect(try files.contents == before)
    }

    @Test(arguments: ["-", "/dev/stdout", "pipe.wav"])
    func `A rendered file can be a pipe until its reader goes, which is not an error`(
        output: String
    ) throws {
        let files = try RenderedFiles()
        mkfifo(files.music.path("pipe.wav"), 0o600)
        let render = "undersong render -o \(output) good.mp3"
        let script =
            output == "pipe.wav"
            ? "head -c 4 pipe.wav & \(render); echo $?; wait"
            : "\(render) | head -c 4; echo ${PIPESTATUS[0]}"

        let program = try files.shell(script)
        try program.wait()

        #expect(program.text.contains("RIFF") && program.text.contains("141\n"))
        // The shell may report the signal.
        #expect(!program.errorText.contains("undersong: "))
    }

    @Test func `A rendered file cannot be a folder`() throws {
        let files = try RenderedFiles()

        let program = try files.render(["-o", "folder", "good.mp3"])

        #expect(try program.wait() == 1)
        #expect(program.errorText == "undersong: cannot write folder: Is a directory\n")
    }

    @Test func `A rendered file can be the standard output redirected to a file`() throws {
        let files = try RenderedFiles()

        let program = try files.shell("exec undersong render -o - good.mp3 > out.dat")

        #expect(try program.wait() == 0)
        #expect(try files.contents["out.dat"]?.count == 44 + 4 * 44_100)
    }

    @Test(arguments: [
        ("echo old > out.dat; undersong render -o - good.mp3 >> out.dat", 4),
        ("{ echo old; undersong render -o - good.mp3; } > out.dat", 4),
        ("{ echo old; undersong render -o - good.mp3; echo new; } > out.dat", 8),
    ])
    func `A rendered file does not truncate the file of the standard output`(
        script: String, rest: Int
    ) throws {
        let files = try RenderedFiles()

        let program = try files.shell(script)

        #expect(try program.wait() == 0)
        let data = try #require(try files.contents["out.dat"])
        #expect(data.count == rest + 44 + 4 * 44_100)
        #expect(data.starts(with: Data("old\nRIFF".utf8)))
        if rest == 8 { #expect(data.suffix(4) == Data("new\n".utf8)) }
    }
}

/// A folder with a song under several names, and with playlists of it.
private final class RenderedFiles {
    let music: Music

    init() throws {
        music = try Music()
        try music.encode(Music.noise(seconds: 1), to: "good.mp3")
        let manager = FileManager.default
        try manager.linkItem(atPath: music.path("good.mp3"), toPath: music.path("same.wav"))
        try manager.createSymbolicLink(
            atPath: music.path("link.mp3"), withDestinationPath: "good.mp3")
        try manager.createSymbolicLink(
            atPath: music.path("link.wav"), withDestinationPath: "good.mp3")
        try manager.createDirectory(
            atPath: music.path("folder"), withIntermediateDirectories: true)
        try manager.linkItem(atPath: music.path("good.mp3"), toPath: music.path("folder/a.mp3"))
        try music.write(Data("good.mp3\n".utf8), to: "list.m3u")
        try manager.linkItem(atPath: music.path("list.m3u"), toPath: music.path("list.wav"))
        try music.write(Data("list.m3u\n".utf8), to: "outer.m3u")
    }

    /// The contents of the folder's files.
    var contents: [String: Data] {
        get throws {
            let manager = FileManager.default
            let names = try manager.contentsOfDirectory(atPath: music.folder.path)
            return Dictionary(
                uniqueKeysWithValues: names.filter { !$0.hasPrefix("pipe") }.map {
                    ($0, manager.contents(atPath: music.path($0)) ?? Data())
                })
        }
    }

    /// Runs `undersong render` in the folder.
    func render(_ arguments: [String]) throws -> Program {
        try Program(
            "/usr/bin/env", ["-C", music.folder.path, Program.undersong, "render"] + arguments)
    }

    /// Runs a shell in the folder, with `undersong` in its path.
    func shell(_ script: String) throws -> Program {
        let path = URL(filePath: Program.undersong).deletingLastPathComponent().path
        return try Program(
            "/usr/bin/env",
            ["-C", music.folder.path, "PATH=\(path):/usr/bin:/bin", "bash", "-c", script])
    }
}
