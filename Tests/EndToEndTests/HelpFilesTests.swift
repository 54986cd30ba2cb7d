import Foundation
import TestSupport
import Testing
import UndersongPlayback

/// Manual pages and completions that `scripts/package` makes of the help and the manual.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `Files generated from the help` {
    /// A verb by all its words, and the long names of its options.
    private struct Entry {
        let path: [String]
        let options: [String]
    }

    private struct Help: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String
            }
            let names: [Name]?
            let shouldDisplay: Bool
        }
        let commandName: String
        let shouldDisplay: Bool
        let arguments: [Argument]?
        let subcommands: [Help]?

        func entries(below path: [String] = []) -> [Entry] {
            let path = path + [commandName]
            let options = (arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }
                .filter { $0.kind == "long" }.map(\.name)
            let below = (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
            return [Entry(path: path, options: options)]
                + below.flatMap { $0.entries(below: path) }
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The files that the scripts wrote for the programs under test.
    private let folder: URL
    private let entries: [Entry]

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "undersong-\(UUID())")
        let programs = URL(filePath: Program.undersong).deletingLastPathComponent().path
        for name in ["manual", "completions"] {
            let script = try Program(
                Self.root.appending(path: "scripts/\(name)").path, [programs, folder.path],
                environment: ["PATH": "/usr/bin:/bin"])
            #expect(try script.wait() == 0, "\(script.errorText)")
        }
        func help(of name: String) throws -> [Entry] {
            struct Dump: Decodable { let command: Help }
            let program = try Program(Program.path(of: name), ["--experimental-dump-help"])
            #expect(try program.wait() == 0)
            return try JSONDecoder().decode(Dump.self, from: program.data).command.entries()
        }
        // The client has no options of its own where it hands a verb on to the service's program.
        let handedOn = try help(of: "undersongd").filter { $0.path.count > 1 }
            .map { Entry(path: ["undersong"] + $0.path.dropFirst(), options: $0.options) }
        entries = try help(of: "undersong") + handedOn
    }

    private func text(of name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @Test func `Every verb and every option has its place in a manual page`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for entry in entries {
            let page = try text(of: "man1/\(entry.path.prefix(2).joined(separator: "-")).1")
            let path = entry.path.joined(separator: " ").replacing("-", with: "\\-")
            let start = entry.path.count > 2 ? ".SS \"\(path)\"\n" : ".SH SYNOPSIS\n\\fB\(path)\\fR"
            let parts = page.split(separator: start)
            let part = try #require(parts.count == 2 ? parts.last : nil, "\(path)")
            let ownPart = part.split(separator: "\n.SS ").first ?? ""
            // Those two stand once in a page.
            let common = entry.path.count > 2 ? ["version", "help"] : []
            for option in entry.options where !common.contains(option) {
                let name = "\\fB\\-\\-\(option.replacing("-", with: "\\-"))\\fR"
                #expect(ownPart.contains(name), "\(path) --\(option)")
            }
        }
    }

    @Test func `The manual refers to pages, verbs and options that exist`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let sources = try FileManager.default.contentsOfDirectory(
            at: Self.root.appending(path: "Documentation/manual"), includingPropertiesForKeys: nil)
        #expect(!sources.isEmpty)
        for source in sources {
            let name = "undersong-\(source.deletingPathExtension().lastPathComponent)"
            let page = try text(of: "man7/\(name).7")
            for match in page.matches(of: #/\\fB\\%(undersong[a-z\\-]*)\\fR\((\d)\)/#) {
                let other = "\(match.1.replacing("\\", with: "")).\(match.2)"
                #expect(throws: Never.self, "\(name)") { try text(of: "man\(match.2)/\(other)") }
            }
            for call in calls(in: try String(contentsOf: source, encoding: .utf8)) {
                let below = entries.filter { $0.path.starts(with: ["undersong", call[0]]) }
                #expect(!below.isEmpty, "\(name): \(call)")
                for option in call where option.hasPrefix("--") {
                    let isKnown = below.contains { $0.options.contains("\(option.dropFirst(2))") }
                    #expect(isKnown, "\(name): \(call)")
                }
            }
        }
    }

    /// The words after `undersong` in each command of a page of the manual that has a verb, without
    /// those of another command after it.
    private func calls(in page: String) -> [[String]] {
        let call = #/(?:^\$ |`|&& |\| )undersong ([a-z-]+(?: [^`|&>\n]*)?)(?=[`|&>\n])/#
            .anchorsMatchLineEndings()
        return page.matches(of: call).map { match in
            match.1.split(separator: " ").map(String.init).prefix { $0 != "--" }.map { $0 }
        }
    }

    @Test func `Every verb and every option is completed in bash, zsh and fish`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let fish = try text(of: "undersong.fish").split(separator: "\n")
        for entry in entries {
            let path = entry.path.joined(separator: " ")
            let function = "\n_" + entry.path.joined(separator: "_") + "() {\n"
            for shell in ["bash", "zsh"] {
                let parts = try text(of: "undersong." + shell).components(separatedBy: function)
                try #require(parts.count == 2, "\(shell): \(path)")
                let body = parts[1].split(separator: "\n}\n").first ?? ""
                for option in entry.options {
                    #expect(body.contains("--" + option), "\(shell): \(path) --\(option)")
                }
            }
            let own = fish.filter { $0.contains("_flags_or_options \"\(path)\"") }
            for option in entry.options {
                #expect(own.contains { $0.contains(" -l '\(option)'") }, "\(path) --\(option)")
            }
        }
    }

    @Test func `A file is completed where a verb could stand`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let music = try Music()
        try music.write(Data(), to: "zebra song.mp3")
        let call = """
            cd '\(music.folder.path)' && source '\(folder.path)/undersong.bash' &&
            COMP_WORDS=(undersong zeb) COMP_CWORD=1 COMP_LINE='undersong zeb' COMP_POINT=13 &&
            _undersong undersong zeb undersong && printf '%s\\n' "${COMPREPLY[@]}"
            """

        let bash = try Program("/bin/bash", ["-c", call])

        #expect(try bash.wait() == 0, "\(bash.errorText)")
        #expect(bash.text == "zebra song.mp3\n")
    }
}
