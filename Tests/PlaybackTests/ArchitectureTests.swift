import Foundation
import Synchronization
import Testing

/// The borders between and inside the modules, which SwiftPM does not enforce: it permits
/// transitive modules.
@Suite struct `The sources` {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The modules that each folder imports, without the prefix `Undersong`; C libraries after `C.`.
    /// A file belongs to the longest path that contains it.
    private static let borders: KeyValuePairs = [
        "Base/Base": "C.Linux Dispatch FoundationEssentials Glibc Swift Synchronization",
        "Base/XML": "C.Expat Glibc",

        "Player/AudioIO": """
        Background Base C.Linux C.Pulse C.SoundTouch Glibc Library Playback Synchronization
        """,
        "Player/AudioIO/Codecs/MPEG": "C.Mpg123 Glibc Library Playback",
        "Player/AudioIO/Codecs/SoundFile": "C.SndFile Glibc Library Playback",
        "Player/AudioIO/Decoding/Syn123Converter.swift": "C.Mpg123 Playback",
        "Player/AudioSession": """
        AudioIO Background Base Dispatch FoundationEssentials Glibc Library Playback \
        Synchronization XML
        """,
        "Player/Library": "Base Playback",
        "Player/Playback": "Base CoreMedia Synchronization",

        "Background/Background": "Base Library Location Playback Podcasts",
        "Background/Location": "Base Glibc Playback Synchronization XML",
        "Background/Podcasts": "Base XML",
        "Background/Transfers": "Background Base Location",

        "Linux/LinuxPlatform": """
        Background Base C.Linux C.Systemd Dispatch Glibc Location Synchronization
        """,
        "Linux/LinuxPlatform/MPRIS": "Base FoundationEssentials Glibc Playback Synchronization",
        "Linux/Store": """
        Base C.Linux C.SQLite FoundationEssentials Glibc Library Playback Podcasts \
        Synchronization
        """,

        "Network/TransferClient": """
        Background Base C.Linux Control Dispatch Glibc Location Playback Podcasts \
        Synchronization Transfers
        """,
        "Network/TransferIO": """
        Background Base C.Crypto C.Curl C.Linux Dispatch FoundationEssentials Glibc Location \
        Podcasts Synchronization Transfers
        """,

        "Wire/Control": "Base C.Linux Dispatch FoundationEssentials Glibc Synchronization",

        "Apple/AVFoundation": """
        AppHost AudioIO AudioSession Background Base CoreMedia Dispatch Foundation Observation \
        Playback Synchronization TransferClient
        """,
        "Apple/AppHost": """
        Background Base Control Dispatch Foundation LinuxPlatform Synchronization
        """,
        "Apple/BackgroundTasks": "AppHost Background Dispatch Foundation",
        "Apple/BackgroundTransfer": """
        AppHost Background Base Control Dispatch Foundation Synchronization TransferClient \
        Transfers
        """,
        "Apple/Combine": """
        AVFoundation Foundation OpenCombine OpenCombineDispatch OpenCombineFoundation \
        Synchronization UIKit
        """,
        "Apple/CoreLocation": """
        AppHost Background Base Control Dispatch Foundation LinuxPlatform Location \
        Synchronization TransferClient
        """,
        "Apple/CoreMedia": "",
        "Apple/MediaPlayer": """
        AVFoundation Background Base Dispatch Foundation LinuxPlatform Playback \
        Synchronization UIKit
        """,
        "Apple/Names": """
        AVFoundation AudioSession BackgroundTasks BackgroundTransfer Combine CoreLocation \
        CoreMedia MediaPlayer UIKit UserNotifications
        """,
        "Apple/UIKit": """
        AppHost Background Base Control Dispatch Foundation Glibc Synchronization
        """,
        "Apple/UserNotifications": """
        AppHost Background Base Control Dispatch Foundation LinuxPlatform Synchronization
        """,

        "Programs/All": "",
        "Programs/CommandOptions": """
        ArgumentParser Background Base C.Linux C.Version Control FoundationEssentials Glibc \
        Playback Podcasts Synchronization
        """,
        "Programs/DemoScreen": "",
        "Programs/undersong": """
        ArgumentParser Background Base C.Linux CommandOptions Control DemoScreen Dispatch \
        FoundationEssentials Glibc Library Location Playback Podcasts Synchronization \
        TransferClient Transfers
        """,
        "Programs/undersong-transferd": """
        ArgumentParser Background Base CommandOptions Control Dispatch FoundationEssentials \
        Glibc LinuxPlatform Location Playback Podcasts Synchronization TransferClient \
        TransferIO Transfers
        """,
        "Programs/undersong/Cover": "Base C.Picture Glibc",
        "Programs/undersongd": """
        ArgumentParser AudioIO AudioSession Background Base CommandOptions Control Dispatch \
        FoundationEssentials Glibc Library LinuxPlatform Location Logging Playback Podcasts \
        Store Synchronization TransferClient
        """,
        "Programs/undersongd/FrontEnds": """
        AudioIO AudioSession Background Base CommandOptions Control Dispatch \
        Glibc Library LinuxPlatform Playback Store Synchronization
        """,
        "Programs/undersongd/Processing": """
        ArgumentParser AudioIO AudioSession Background Base C.EBUR128 C.Linux CommandOptions \
        Control FoundationEssentials Glibc LinuxPlatform Playback Store Synchronization
        """,
        "Programs/undersongd/Verbs": """
        ArgumentParser AudioIO AudioSession Background Base CommandOptions Control Dispatch Glibc \
        LinuxPlatform Logging Playback Podcasts Store Synchronization \
        TransferClient
        """,
    ]

    /// The modules that decide: no C, files, clocks or threads.
    private static let pureModules = [
        "Apple/CoreMedia", "Background/Background", "Background/Transfers", "Player/Playback",
    ]

    /// The folders of programs, which alone may print, exit and read the environment.
    private static let programs = [
        "undersong", "undersongd", "undersong-transferd", "CommandOptions",
    ]
    .map { "Sources/Programs/\($0)/" }

    @Test func `Each source folder imports exactly the modules in the table of borders`() throws {
        let borders = Self.borders.map { (path: "Sources/" + $0.key, modules: $0.value) }
        var found = Dictionary(uniqueKeysWithValues: borders.map { ($0.path, Set<String>()) })
        var strangers: [String] = []

        for file in try files(in: "Sources") {
            let paths = borders.map(\.path).filter { file == $0 || file.hasPrefix($0 + "/") }
            if let path = paths.max(by: { $0.count < $1.count }) {
                found[path]?.formUnion(try imports(of: file).map(Self.shortName))
            } else {
                strangers.append(file)
            }
        }

        #expect(strangers == [], "add the folder to the table")
        for (path, modules) in borders {
            let allowed = Set(modules.split(separator: " ").map(String.init))
            let found = found[path] ?? []
            #expect(found.subtracting(allowed) == [], "\(path) may not import these")
            #expect(allowed.subtracting(found) == [], "\(path) does not import these any more")
        }
    }

    @Test func `Pure modules use no part of Base that needs the system`() throws {
        let declaration = #/^package (?:final )?(?:class|enum|func|struct) (\w+)/#
        let systemFiles = try files(in: "Sources/Base/Base").filter { file in
            !Set(try imports(of: file)).isSubset(of: ["Synchronization"])
        }
        let names = try systemFiles.flatMap { try codeLines(of: $0) }
            .compactMap { $0.text.prefixMatch(of: declaration).map { String($0.1) } }
        let use = try Regex("\\b(\(names.joined(separator: "|")))\\b")

        #expect(names.count > 5)
        for module in Self.pureModules {
            #expect(
                try codeLines(in: "Sources/" + module).filter { $0.text.contains(use) } == [])
        }
    }

    @Test func `The sources of Location import the functions of angles one by one`() throws {
        let functions = #/^import func Glibc\.(asin|atan|atan2|cos|sin|tan)$/#
        let lines = try codeLines(in: "Sources/Background/Location")
            .filter { !$0.file.contains("/Tracks/") && $0.text.contains("import") }

        #expect(lines.contains { $0.text.contains(functions) })
        #expect(
            lines.filter { $0.text.contains("Glibc") && !$0.text.contains(functions) } == [])
    }

    @Test func `The engine feeds the player in one place and performs its effects in another`()
        throws
    {
        let inputs = #/\bplayer\.handle\(/#
        let effects = #/\b(store\?\.keep|reporter\.(willHold|willRun)|decode\.(append|splice))\(/#

        let lines = try codeLines(in: "Sources/Player/AudioSession/Engine")

        #expect(lines.filter { $0.text.contains(inputs) }.count == 1)
        #expect(
            Set(lines.filter { $0.text.contains(effects) }.map(\.file))
                == ["Sources/Player/AudioSession/Engine/PlayerEngineEffects.swift"])
    }

    // libsyn123, which converts rates, needs one constant of libmpg123.
    @Test(arguments: [
        ("MPEG", #"\b(mpg123_\w+|Mpg123\w*|MPG123_(?!ENC_FLOAT_32)\w+)"#),
        ("SoundFile", #"\b(sf_\w+|SF_\w+|SoundFile(Handle|Decoder)\w*)"#),
    ])
    func `A decoder's library is named in its codec's folder only`(folder: String, names: String)
        throws
    {
        let codec = "Sources/Player/AudioIO/Codecs/\(folder)/"
        let (names, codecNames) = (try Regex(names), try Regex("\\b\(folder)Codec\\b"))
        let lines = try codeLines(in: "Sources")

        let users = lines.filter { $0.text.contains(names) }
        let makers = lines.filter { $0.text.contains(codecNames) }.map(\.file)

        #expect(!users.isEmpty)
        #expect(users.filter { !$0.file.hasPrefix(codec) } == [])
        #expect(
            makers.filter { !$0.hasPrefix(codec) }
                == ["Sources/Player/AudioIO/Codecs/DecoderRegistry.swift"])
    }

    @Test func `Libraries neither print, nor exit, nor read the environment`() throws {
        let calls = #/\b(debugPrint|print|puts|dump|_?exit|_Exit|abort|(secure_)?getenv)\s*\(/#
        let names = #/\b(environ|ProcessInfo|CommandLine)\b/#

        let lines = try codeLines(in: "Sources").filter { line in
            !Self.programs.contains { line.file.hasPrefix($0) }
        }

        // The entrance of a program.
        let entrance = "Sources/Apple/UIKit/App/UIApplicationMain.swift"
        #expect(lines.count > 10_000)
        #expect(Set(lines.filter { $0.text.contains(calls) }.map(\.file)) == [entrance])
        #expect(
            Set(lines.filter { $0.text.contains(names) }.map(\.file))
                // It is handed on.
                == ["Sources/Base/Base/Processes/NewProcess.swift"])
    }

    @Test func `The kernel's clock is read in one file`() throws {
        let readers = #/\b(clock_gettime|clock_nanosleep|gettimeofday|uptimeNanoseconds)\b/#
        let types = #/\b(ContinuousClock|SuspendingClock)\b|\bDate\(\)|\bDate\.now\b/#
        let lines = try codeLines(in: "Sources")

        let users = Set(
            lines.filter { $0.text.contains(readers) || $0.text.contains(types) }.map(\.file))

        #expect(
            users == [
                "Sources/Base/Base/Time/SystemClock.swift",
                // A log entry has Foundation's date.
                "Sources/Apple/AVFoundation/Network/AVPlayerItemAccessLog.swift",
                "Sources/Apple/AVFoundation/Player/AVPlayerItemErrorLog.swift",
            ])
    }

    @Test func `Nothing runs on shared threads, which wake a process every second ever after`()
        throws
    {
        let uses = #/\bDispatchQueue\.global\b|\bTask(\.detached)?\s*\{/#
        // Programs with an asynchronous `main` have these threads anyway.
        let modules = [
            "Base", "Linux", "Network", "Player", "Wire", "Programs/CommandOptions",
            "Programs/undersongd", "Programs/undersong-transferd",
        ]
        let lines = try modules.flatMap { try codeLines(in: "Sources/\($0)") }

        #expect(lines.count > 10_000)
        #expect(lines.filter { $0.text.contains(uses) } == [])
    }

    @Test func `The sources receive the clock as a parameter`() throws {
        let lines = try codeLines(in: "Sources")

        let makers = Set(lines.filter { $0.text.contains("SystemClock()") }.map(\.file))

        #expect(
            makers == [
                // The programs.
                "Sources/Programs/undersong/Demo/DemoRun.swift",
                "Sources/Programs/undersong/Demo/DemoStage.swift",
                "Sources/Programs/undersong/Demo/DemoSurroundings.swift",
                "Sources/Programs/undersong/Demo/DemoTour.swift",
                "Sources/Programs/undersong/Following/Follower.swift",
                "Sources/Programs/undersong/FullScreen/FullScreenRun.swift",
                "Sources/Programs/undersong-transferd/PushService.swift",
                "Sources/Programs/undersong/Verbs/DownloadVerb.swift",
                "Sources/Programs/undersong/Verbs/PlayRun.swift",
                "Sources/Programs/undersong/Verbs/ShutdownVerb.swift",
                "Sources/Programs/undersong/Verbs/SleepVerb.swift",
                "Sources/Programs/undersong/Connection/ServiceRegistration.swift",
                "Sources/Programs/undersong/Transfers/TransferConnection.swift",
                "Sources/Programs/undersong-transferd/UndersongTransferd.swift",
                "Sources/Programs/undersongd/Verbs/Render.swift",
                "Sources/Programs/undersongd/Verbs/ServeRun.swift",
                "Sources/Programs/undersongd/Verbs/Verify.swift",
                "Sources/Programs/undersongd/Processing/ProcessFiles.swift",
                // The initial configuration of libraries.
                "Sources/Player/AudioSession/SessionConfiguration.swift",
                "Sources/Apple/AVFoundation/Session/AVAudioSession.swift",
                "Sources/Apple/MediaPlayer/MPNowPlayingInfoCenter.swift",
                "Sources/Apple/CoreLocation/Manager/CLLocationManagerHost.swift",
                "Sources/Apple/CoreLocation/Center/LocationCenter.swift",
                "Sources/Apple/AppHost/Refresh/RefreshCenter.swift",
                "Sources/Apple/UIKit/App/AppRuntime.swift",
                "Sources/Apple/UIKit/BackgroundTaskClock.swift",
                "Sources/Apple/BackgroundTransfer/Session/URLSessionConfiguration.swift",
                "Sources/Apple/UserNotifications/Center/NotificationDesk.swift",
                // The kernel's waits use its own clock.
                "Sources/Base/Base/Threads/Wakeup.swift",
            ])
    }

    @Test func `Only tests that compare recorded samples are repeated`() throws {
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

    private static func shortName(_ module: String) -> String {
        for (prefix, short) in [("CUndersong", "C."), ("Undersong", "")]
        where module.hasPrefix(prefix) {
            return short + module.dropFirst(prefix.count)
        }
        return module
    }

    /// The Swift files in `folder`, in order.
    private func files(in folder: String) throws -> [String] {
        let path = Self.root.appending(path: folder).path(percentEncoded: false)
        return try FileManager.default.subpathsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(".swift") }.sorted().map { folder + "/" + $0 }
    }

    /// Every line of the Swift files in `folder`, without a trailing comment.
    private func codeLines(in folder: String) throws -> [Line] {
        try files(in: folder).flatMap { try codeLines(of: $0) }
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

    /// The modules that `file` imports.
    private func imports(of file: String) throws -> [String] {
        let pattern =
            #/\bimport\s+(?:(?:struct|class|enum|protocol|typealias|func|var|let)\s+)?(\w+)/#
        return try codeLines(of: file).compactMap { line in
            guard line.text.contains("import") else { return nil }
            return line.text.firstMatch(of: pattern).map { String($0.1) }
        }
    }
}
