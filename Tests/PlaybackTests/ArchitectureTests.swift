import Foundation
import Synchronization
import Testing

/// The module boundaries that SwiftPM does not enforce: it permits transitive modules.
@Suite struct `The sources` {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func `of Playback import the times, Synchronization and nothing else`() throws {
        let imports = try importLines(in: "Sources/Player/Playback")
        let lines = try codeLines(in: "Sources/Apple/CoreMedia")

        #expect(Set(imports.map(\.module)) == ["CoreMedia", "Synchronization"])
        #expect(lines.count > 100)
        #expect(try importLines(in: "Sources/Apple/CoreMedia") == [])
    }

    @Test func `of Background import Playback and nothing else`() throws {
        let lines = try codeLines(in: "Sources/Background/Background")
        let imports = try importLines(in: "Sources/Background/Background")

        #expect(lines.count > 100)
        #expect(Set(imports.map(\.module)) == ["Playback"])
    }

    @Test func `of Transfers import only what is as pure as they are`() throws {
        let lines = try codeLines(in: "Sources/Background/Transfers")

        #expect(lines.count > 100)
        #expect(
            Set(try importLines(in: "Sources/Background/Transfers").map(\.module)) == [
                "Background", "Playback",
            ])
    }

    @Test func `of Location import the functions of angles and nothing else`() throws {
        let lines = try codeLines(in: "Sources/Background/Location")
        let functions = #/^import func Glibc\.(asin|atan|atan2|cos|sin|tan)$/#

        #expect(lines.count > 100)
        #expect(Set(try importLines(in: "Sources/Background/Location").map(\.module)) == ["Glibc"])
        #expect(
            lines.filter { $0.text.contains("import") && !$0.text.contains(functions) } == [])
    }

    @Test func `of Podcasts import expat and what copies memory, and nothing else`() throws {
        let lines = try codeLines(in: "Sources/Background/Podcasts")

        #expect(lines.count > 100)
        #expect(
            Set(try importLines(in: "Sources/Background/Podcasts").map(\.module)) == [
                "CExpat", "Glibc",
            ])
    }

    @Test func `of Tracks import expat and what they are made of, and nothing else`() throws {
        let lines = try codeLines(in: "Sources/Background/Tracks")

        #expect(lines.count > 100)
        #expect(
            Set(try importLines(in: "Sources/Background/Tracks").map(\.module)) == [
                "CExpat", "Glibc", "Location", "Playback", "Synchronization",
            ])
    }

    @Test func `use the network in one module, of which only its program knows`() throws {
        let imports = try importLines(in: "Sources")
        let curl = imports.filter { ["CCrypto", "CCurl"].contains($0.module) }.map(\.file)
        let users = imports.filter { $0.module == "TransferIO" }.map(\.file)

        #expect(!curl.isEmpty && !users.isEmpty)
        #expect(curl.filter { !$0.hasPrefix("Sources/Network/TransferIO/") } == [])
        #expect(users.filter { !$0.hasPrefix("Sources/Programs/undersong-transferd/") } == [])
    }

    @Test func `of the engine feed the player in one place and perform its effects in another`()
        throws
    {
        let inputs = #/\bplayer\.handle\(/#
        let effects = #/\b(store\?\.keep|reporter\.(willHold|willRun)|decode\.(append|splice))\(/#

        let lines = try codeLines(in: "Sources/Player/AudioSession/Engine")

        #expect(lines.filter { $0.text.contains(inputs) }.count == 1)
        #expect(
            Set(lines.filter { $0.text.contains(effects) }.map(\.file))
                == ["Sources/Player/AudioSession/Engine/PlayerEngine+Effects.swift"])
    }

    @Test func `import the C libraries of sound in AudioIO only`() throws {
        let imports = try importLines(in: "Sources")
            .filter { ["CMpg123", "CPulse", "CSndFile", "CSoundTouch"].contains($0.module) }

        #expect(Set(imports.map(\.module)) == ["CMpg123", "CPulse", "CSndFile", "CSoundTouch"])
        #expect(imports.filter { !$0.file.hasPrefix("Sources/Player/AudioIO/") } == [])
    }

    @Test func `measure loudness in one module, which only the service's worker knows`() throws {
        let imports = try importLines(in: "Sources")
        let library = imports.filter { $0.module == "CEBUR128" }.map(\.file)
        let users = imports.filter { $0.module == "Analysis" }.map(\.file)

        #expect(!library.isEmpty && !users.isEmpty)
        #expect(library.filter { !$0.hasPrefix("Sources/Programs/Analysis/") } == [])
        #expect(users.filter { !$0.hasPrefix("Sources/Programs/undersongd/Processing/") } == [])
    }

    @Test(arguments: [
        // libsyn123, which converts rates, comes in the same module and needs one of its constants.
        (
            "MPEG", "CMpg123", #"\b(mpg123_\w+|Mpg123\w*|MPG123_(?!ENC_FLOAT_32)\w+)"#,
            ["Sources/Player/AudioIO/Decoding/Syn123Converter.swift"]
        ),
        ("SoundFile", "CSndFile", #"\b(sf_\w+|SF_\w+|SoundFile(Handle|Decoder)\w*)"#, []),
    ])
    func `name a decoder's library in its codec's folder only`(
        folder: String, module: String, names: String, others: [String]
    ) throws {
        let codec = "Sources/Player/AudioIO/Codecs/\(folder)/"
        let (names, codecNames) = (try Regex(names), try Regex("\\b\(folder)Codec\\b"))
        let lines = try codeLines(in: "Sources")
        let imports = try importLines(in: "Sources").filter { $0.module == module }.map(\.file)

        let users = lines.filter { $0.text.contains(names) }
        let makers = lines.filter { $0.text.contains(codecNames) }.map(\.file)

        #expect(Set(imports.filter { !$0.hasPrefix(codec) }) == Set(others))
        #expect(!users.isEmpty)
        #expect(users.filter { !$0.file.hasPrefix(codec) } == [])
        #expect(
            makers.filter { !$0.hasPrefix(codec) }
                == ["Sources/Player/AudioIO/Codecs/DecoderRegistry.swift"])
    }

    @Test func `import the database in Store only, and there no Foundation`() throws {
        let imports = try importLines(in: "Sources")
        let users = imports.filter { $0.module == "CSQLite" }.map(\.file)
        let store = imports.filter { $0.file.hasPrefix("Sources/Linux/Store/") }

        #expect(!users.isEmpty)
        #expect(users.filter { !$0.hasPrefix("Sources/Linux/Store/") } == [])
        #expect(store.filter { $0.module.hasPrefix("Foundation") } == [])
    }

    @Test func `import systemd's library in LinuxPlatform only, and there no Foundation`() throws {
        let imports = try importLines(in: "Sources")
        let users = imports.filter { $0.module == "CSystemd" }.map(\.file)
        let platform = imports.filter { $0.file.hasPrefix("Sources/Linux/LinuxPlatform/") }

        #expect(!users.isEmpty)
        #expect(users.filter { !$0.hasPrefix("Sources/Linux/LinuxPlatform/") } == [])
        #expect(platform.filter { $0.module.hasPrefix("Foundation") } == [])
    }

    @Test func `of the client and the wire know nothing of sound, and load no more than they need`()
        throws
    {
        for folder in [
            "Sources/Programs/undersong", "Sources/Wire/Control", "Sources/Programs/CommandOptions",
        ] {
            let imports = try importLines(in: folder)

            #expect(!imports.isEmpty)
            #expect(
                Set(imports.map(\.module)).isSubset(of: [
                    "ArgumentParser", "CLinux", "CPicture", "CVersion", "CommandOptions",
                    "Control", "Dispatch",
                    "FoundationEssentials", "Glibc", "Playback", "Synchronization", "Threads",
                    "TransferClient",
                ]))
        }
    }

    @Test func `decode pictures in the client's program only`() throws {
        let users = try importLines(in: "Sources").filter { $0.module == "CPicture" }

        #expect(users.map(\.file) == ["Sources/Programs/undersong/Cover/Pixels.swift"])
    }

    @Test func `of the player service know neither the wire nor a program`() throws {
        let imports = try importLines(in: "Sources/Programs/PlayerService")

        #expect(!imports.isEmpty)
        #expect(
            Set(imports.map(\.module)).isSubset(of: [
                "AudioSession", "Background", "CLinux", "Dispatch", "FoundationEssentials", "Glibc",
                "Location", "Playback", "Podcasts", "Store", "Synchronization", "Tracks",
            ]))
    }

    @Test func `of the service know the wire only in its front ends and where it is started`()
        throws
    {
        let starts = ["Verbs/Serve.swift", "Verbs/ServeRun.swift"]
            .map { "Sources/Programs/undersongd/" + $0 }
        let clients = [
            "Sources/Programs/undersong/", "Sources/Programs/undersong-transferd/",
            "Sources/Programs/CommandOptions/",
            "Sources/Network/TransferClient/", "Sources/Network/Streaming/",
            "Sources/Apple/BackgroundTransfer/",
            "Sources/Network/PodcastNetwork/", "Sources/Network/LocationNetwork/",
            "Sources/Apple/CoreLocation/",
        ]
        let users = try importLines(in: "Sources").filter { $0.module == "Control" }.map(\.file)

        let others = users.filter { user in !clients.contains { user.hasPrefix($0) } }
            .filter { !$0.hasPrefix("Sources/Programs/undersongd/FrontEnds/") }

        #expect(Set(others) == Set(starts))
    }

    @Test func `of UIKit know nothing of sound`() throws {
        let imports = try importLines(in: "Sources/Apple/UIKit")

        #expect(
            Set(imports.map(\.module)) == [
                "Background", "Dispatch", "Foundation", "HostState", "Synchronization",
                "Threads",
            ])
    }

    @Test(
        arguments: [
            "Player/Playback", "Background/Background", "Apple/BackgroundTransfer",
            "Player/AudioIO", "Player/AudioSession",
            "Apple/AVFoundation", "Apple/BackgroundTasks", "Apple/CoreLocation", "Apple/CoreMedia",
            "Apple/HostState",
            "Linux/LinuxPlatform", "Background/Location", "Network/LocationNetwork",
            "Apple/MediaPlayer", "Programs/PlayerService",
            "Network/PodcastNetwork",
            "Background/Podcasts", "Linux/Store",
            "Network/Streaming", "Background/Tracks", "Network/TransferIO",
            "Background/Transfers", "Apple/UIKit",
        ])
    func `of a library neither print, nor exit, nor read the environment`(module: String) throws {
        let calls = #/\b(debugPrint|print|puts|dump|_?exit|_Exit|abort|(secure_)?getenv)\s*\(/#
        let names = #/\b(environ|ProcessInfo|CommandLine)\b/#

        let lines = try codeLines(in: "Sources/\(module)")

        #expect(lines.count > 100)
        #expect(lines.filter { $0.text.contains(calls) || $0.text.contains(names) } == [])
    }

    @Test func `read the kernel's clock in one file`() throws {
        let readers = #/\b(clock_gettime|clock_nanosleep|gettimeofday|uptimeNanoseconds)\b/#
        let types = #/\b(ContinuousClock|SuspendingClock)\b|\bDate\(\)|\bDate\.now\b/#
        let lines = try codeLines(in: "Sources")

        let users = Set(
            lines.filter { $0.text.contains(readers) || $0.text.contains(types) }.map(\.file))

        #expect(
            users == [
                "Sources/Base/Threads/SystemClock.swift",
                // A log entry has Foundation's date.
                "Sources/Apple/AVFoundation/Network/AVPlayerItemAccessLog.swift",
                "Sources/Apple/AVFoundation/Player/AVPlayerItemErrorLog.swift",
            ])
    }

    @Test func `run nothing on shared threads, which wake a process every second ever after`()
        throws
    {
        let uses = #/\bDispatchQueue\.global\b|\bTask(\.detached)?\s*\{/#
        // Programs with an asynchronous `main` have these threads anyway.
        let modules = [
            "Player/AudioIO", "Player/AudioSession", "Programs/CommandOptions", "Wire/Control",
            "Linux/LinuxPlatform", "Linux/MPRIS",
            "Programs/PlayerService", "Network/PodcastNetwork", "Linux/Store", "Network/Streaming",
            "Base/Threads", "Network/TransferClient",
            "Network/TransferIO", "Programs/undersongd", "Programs/undersong-transferd",
        ]
        let lines = try modules.flatMap { try codeLines(in: "Sources/\($0)") }

        #expect(lines.count > 10_000)
        #expect(lines.filter { $0.text.contains(uses) } == [])
    }

    @Test func `take the clock as a parameter`() throws {
        let lines = try codeLines(in: "Sources")

        let makers = Set(lines.filter { $0.text.contains("SystemClock()") }.map(\.file))

        #expect(
            makers == [
                // The programs.
                "Sources/Programs/undersong/Following/Follower.swift",
                "Sources/Programs/undersong/Options/SleepOptions.swift",
                "Sources/Programs/undersong/Verbs/DownloadVerb.swift",
                "Sources/Programs/undersong/Verbs/PlayRun.swift",
                "Sources/Programs/undersong/Verbs/ShutdownVerb.swift",
                "Sources/Programs/undersong/Verbs/SleepVerb.swift",
                "Sources/Programs/undersong/Connection/ServiceRegistration.swift",
                "Sources/Programs/undersong-transferd/UndersongTransferd.swift",
                "Sources/Programs/undersongd/Verbs/Render.swift",
                "Sources/Programs/undersongd/Verbs/ServeRun.swift",
                "Sources/Programs/undersongd/Verbs/Verify.swift",
                "Sources/Programs/undersongd/Processing/ProcessFiles.swift",
                // The initial configuration of libraries.
                "Sources/Player/AudioSession/SessionConfiguration.swift",
                "Sources/Apple/AVFoundation/Session/AVAudioSession.swift",
                "Sources/Apple/MediaPlayer/MPNowPlayingInfoCenter.swift",
                "Sources/Apple/CoreLocation/Manager/CLLocationManager+Source.swift",
                "Sources/Apple/CoreLocation/Center/LocationCenter.swift",
                "Sources/Apple/HostState/Refresh/RefreshCenter.swift",
                "Sources/Apple/UIKit/BackgroundTaskClock.swift",
                // The kernel's waits use its own clock.
                "Sources/Base/Threads/Wakeup.swift",
            ])
    }

    @Test func `of tests repeat only those that compare recorded samples`() throws {
        let mark = #/@(Test|Suite)\(.*\.comparesSamples/#
        let lines = try codeLines(in: "Tests")

        let files = Set(lines.filter { $0.text.contains(mark) }.map(\.file))

        #expect(files.count > 10)
        #expect(files.filter { !$0.hasPrefix("Tests/EndToEndTests/") } == [])
        // Durability is never a matter of chance.
        for name in ["DiskTrouble", "LargeQueue", "Restore", "StateKill"] {
            #expect(!files.contains("Tests/EndToEndTests/\(name)Tests.swift"))
        }
    }

    private struct Line: Equatable {
        let file: String
        let number: Int
        let text: String
    }

    private struct Import: Equatable {
        let file: String
        let module: String
    }

    /// Every line of the Swift files in `folder`, without a trailing comment.
    private func codeLines(in folder: String) throws -> [Line] {
        let manager = FileManager.default
        let names = try manager.subpathsOfDirectory(
            atPath: Self.root.appending(path: folder).path(percentEncoded: false))
        return try names.filter { $0.hasSuffix(".swift") }.sorted().flatMap { name in
            try codeLines(of: folder + "/" + name)
        }
    }

    /// The lines of the files read so far.
    private static let known = Mutex<[String: [Line]]>([:])

    private func codeLines(of file: String) throws -> [Line] {
        if let lines = Self.known.withLock({ $0[file] }) { return lines }
        let text = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let codeLines = lines.enumerated().map { index, line in
            let code = String(line)
            let hasComment = code.contains("//")
            return Line(
                file: file, number: index + 1,
                text: hasComment ? code.replacing(#/(^|\s)//.*$/#, with: "") : code)
        }
        Self.known.withLock { $0[file] = codeLines }
        return codeLines
    }

    /// The imports, with anything before and after the word: `package import struct Glibc.stat`.
    private func importLines(in folder: String) throws -> [Import] {
        let pattern =
            #/\bimport\s+(?:(?:struct|class|enum|protocol|typealias|func|var|let)\s+)?(\w+)/#
        return try codeLines(in: folder).compactMap { line in
            guard line.text.contains("import"), let match = line.text.firstMatch(of: pattern)
            else { return nil }
            return Import(file: line.file, module: String(match.1))
        }
    }
}
