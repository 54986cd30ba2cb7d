// swift-tools-version: 6.2
import PackageDescription

/// What the modules use: modules, C libraries after `C.`, products after their package. The
/// target of Player/Playback is UndersongPlayback: SwiftPM refuses a name that another package has.
let sources = """
    Base/Base                      C.Linux
    Base/XML                       C.Expat
    Player/Playback                Base CoreMedia
    Player/Library                 Base Playback
    Player/AudioIO                 Base Playback Library Background C.Linux C.Mpg123 C.Pulse C.SndFile C.SoundTouch
    Player/AudioSession            Base XML Playback Library AudioIO Background
    Background/Background          Base Playback Library Location Podcasts
    Background/Location            Base XML Playback
    Background/Podcasts            Base XML
    Background/Transfers           Base Background Location
    Linux/LinuxPlatform            Base Playback Background Location C.Linux C.Systemd
    Linux/Store                    Base Playback Library Podcasts C.Linux C.SQLite
    Network/TransferIO             Base Background Location Podcasts Transfers C.Crypto C.Curl C.Linux
    Network/TransferClient         Base Playback Background Location Podcasts Transfers Control C.Linux
    Wire/Control                   Base C.Linux
    Apple/CoreMedia
    Apple/AppHost                  Base Background Control LinuxPlatform
    Apple/AVFoundation             Base Playback AudioIO AudioSession Background CoreMedia AppHost TransferClient
    Apple/MediaPlayer              Base Playback AVFoundation UIKit Background LinuxPlatform
    Apple/UIKit                    Base Background Control AppHost
    Apple/BackgroundTasks          Background AppHost
    Apple/BackgroundTransfer       Base Background Control AppHost TransferClient Transfers
    Apple/CoreLocation             Base Background Control AppHost LinuxPlatform Location TransferClient
    Apple/UserNotifications        Base Background Control AppHost LinuxPlatform
    Apple/Combine                  AVFoundation UIKit OpenCombine/OpenCombine OpenCombine/OpenCombineDispatch OpenCombine/OpenCombineFoundation
    Apple/Names/AVFAudio           AVFoundation
    Apple/Names/UIKit              UIKit Names/_Testing_UIKit
    Apple/Names/_Testing_UIKit
    Programs/CommandOptions        Base Control Playback Background Podcasts C.Linux C.Version swift-argument-parser/ArgumentParser
    Programs/DemoScreen
    Programs/undersong             Base DemoScreen Playback Library Background Location Podcasts Transfers Control TransferClient CommandOptions C.Linux C.Picture swift-argument-parser/ArgumentParser
    Programs/undersongd            Base Playback Library AudioIO AudioSession Background Location Podcasts LinuxPlatform Store Control TransferClient CommandOptions C.EBUR128 C.Linux swift-argument-parser/ArgumentParser swift-log/Logging
    Programs/undersong-transferd   Base Playback Background Location Podcasts Transfers TransferIO LinuxPlatform Control TransferClient CommandOptions swift-argument-parser/ArgumentParser
    Programs/All                   CLI Service Transfer DemoApp
    """
/// The names by which others import the modules: thin targets over them, as the two in the table.
let names = [
    "AudioSession", "AVFoundation", "BackgroundTasks", "BackgroundTransfer", "Combine",
    "CoreLocation", "CoreMedia", "MediaPlayer", "UserNotifications",
]
let programs = ["undersong": "CLI", "undersongd": "Service", "undersong-transferd": "Transfer"]
/// The modules that read bytes from elsewhere, and those that they use: the product of Tools/Fuzz.
let parsing = ["AudioSession", "CommandOptions", "Control", "Store", "TransferIO"]
/// The installed C libraries, and Debian's packages of them.
let libraries: KeyValuePairs = [
    "Linux": "libc6-dev", "Mpg123": "libmpg123-dev", "SndFile": "libsndfile1-dev",
    "EBUR128": "libebur128-dev", "Pulse": "libpulse-dev", "Systemd": "libsystemd-dev",
    "Curl": "libcurl4-openssl-dev", "Crypto": "libssl-dev", "Expat": "libexpat1-dev",
    "SQLite": "libsqlite3-dev",
]

/// What scripts/port makes of the sources with which it is tested.
let ported = """
    Player      Names/AVFoundation Names/MediaPlayer Names/UIKit
    KeyPaths    Names/AVFoundation
    MainActor   Names/AVFoundation Names/Combine
    """
/// The tests, and what they use beside Base and TestSupport.
let tests = """
    Base
    Playback            Playback
    Library             Library Playback
    Background          Background Playback Podcasts
    Transfers           Transfers Background Location
    Location            Location Playback
    Podcasts            Podcasts
    TransferIO          TransferIO Transfers Podcasts Background Location Control Transfer Playback
    TransferClient      TransferClient Background Control Podcasts Transfers
    AudioIO             AudioIO Playback TransferClient
    AudioSession        AudioSession Background Library Playback
    Control             Control Background
    Store               Store Background Library Playback Podcasts C.Linux
    LinuxPlatform       LinuxPlatform Background Location Playback
    PlayerService       Service AudioSession Background Library Playback Podcasts Store
    UndersongService    Service Library AudioIO AudioSession Background Control Location LinuxPlatform Store Playback C.Linux swift-log/Logging
    UndersongCLI        CLI DemoScreen CommandOptions Control Library Playback Background Location Podcasts Transfers TransferClient C.Linux
    AVFoundation        AVFoundation Background Playback TransferClient Transfer Names/AVFoundation Names/Combine Names/UIKit
    MediaPlayer         MediaPlayer Playback AVFoundation Background LinuxPlatform Names/MediaPlayer Names/AVFoundation
    UIKit               UIKit Background Control AppHost Names/UIKit
    BackgroundTasks     BackgroundTasks Background Control AppHost Playback UIKit Names/BackgroundTasks Names/UIKit
    BackgroundTransfer  BackgroundTransfer Background Podcasts UIKit Control AppHost Transfers TransferClient CLI Transfer Examples C.Linux Names/BackgroundTransfer Names/UIKit
    DemoApp             DemoApp DemoScreen AppHost Background UIKit Names/AVFoundation Names/CoreLocation Names/UIKit
    UserNotifications   UserNotifications Background Control AppHost UIKit Names/UserNotifications
    CoreLocation        CoreLocation Background Control AppHost Location TransferClient UIKit Transfer Examples Names/CoreLocation Names/UIKit
    EndToEnd            AudioSession AudioIO Background Library Control Location Podcasts Transfers Playback TransferClient CLI Service Transfer Examples AsyncExamples DemoApp DemoScreen ExampleApp C.Linux Names/AVFoundation
    """

let features = ["ExistentialAny", "InternalImportsByDefault"]
let strict = [.strictMemorySafety()] + features.map { SwiftSetting.enableUpcomingFeature($0) }
let swift5: [SwiftSetting] = [.swiftLanguageMode(.v5)]

/// The dependencies that a text in a table names.
func named(_ text: String) -> [Target.Dependency] {
    text.split(separator: " ").map { word in
        let parts = word.split(separator: "/").map(String.init)
        if parts.first == "Names" { return .target(name: parts[1]) }
        if parts.count == 2 { return .product(name: parts[1], package: parts[0]) }
        if word.hasPrefix("C.") { return .target(name: "CUndersong" + word.dropFirst(2)) }
        return .target(name: "Undersong" + word)
    }
}

/// Makes a target of each row of a table, from its first word and the others.
func rows(_ table: String, _ make: (String, String) -> Target) -> [Target] {
    table.split(separator: "\n").map { row in
        let parts = row.split(separator: " ", maxSplits: 1).map(String.init) + [""]
        return make(parts[0], parts[1])
    }
}

/// A target at a path, with what a text in a table names.
func target(
    _ name: String, at path: String, _ uses: String, exclude: [String] = [],
    isProgram: Bool = false, _ settings: [SwiftSetting] = strict
) -> Target {
    isProgram
        ? .executableTarget(
            name: name, dependencies: named(uses), path: path, exclude: exclude,
            swiftSettings: settings)
        : .target(
            name: name, dependencies: named(uses), path: path, exclude: exclude,
            swiftSettings: settings)
}

/// A target in Sources.
func source(_ path: String, _ uses: String) -> Target {
    let folder = String(path.split(separator: "/").last ?? "")
    let name = path.contains("/Names/") ? folder : "Undersong" + (programs[folder] ?? folder)
    return target(name, at: "Sources/" + path, uses, isProgram: programs[folder] != nil)
}

let commit = Context.environment["UNDERSONG_COMMIT"] ?? ""
let package = Package(
    name: "undersong",
    products: programs.sorted { $0 < $1 }.map { .executable(name: $0, targets: ["Undersong" + $1]) }
        + [.executable(name: "undersong-demo-app", targets: ["UndersongDemoApp"])]
        + (names + ["AVFAudio", "UIKit"]).map { .library(name: $0, targets: [$0]) }
        + [.library(name: "UndersongParsing", targets: parsing.map { "Undersong" + $0 })],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: rows(sources, source)
        + names.map { source("Apple/Names/" + $0, $0) } + [
            // C faces over what Swift cannot call: it speaks C++, or fails by jumps.
            .target(name: "CUndersongSoundTouch", path: "Sources/C/SoundTouch"),
            .target(name: "CUndersongPicture", path: "Sources/C/Picture"),
            // Shown by `--version`: a target of its own, so that a commit compiles nothing else.
            .target(
                name: "CUndersongVersion", path: "Sources/C/Version",
                cSettings: [.define("UNDERSONG_COMMIT", to: "\"\(commit)\"")]),
            target(
                "UndersongModernExamples", at: "Examples/Modern",
                "Names/AVFoundation Names/Combine Names/MediaPlayer", []),
            target(
                "UndersongAsyncExamples", at: "Examples/Async",
                "Names/AVFoundation Names/Combine ModernExamples", isProgram: true, swift5),
            target(
                "UndersongExamples", at: "Examples",
                """
                ModernExamples PortedPlayer PortedKeyPaths PortedMainActor TransferClient \
                Names/AVFAudio Names/BackgroundTasks Names/BackgroundTransfer Names/CoreLocation \
                Names/MediaPlayer Names/UIKit Names/AVFoundation Names/CoreMedia
                """, exclude: ["App", "Async", "BackgroundModes", "Modern"], isProgram: true, swift5
            ),
            target(
                "UndersongExampleApp", at: "Examples/App",
                """
                Names/BackgroundTasks Names/BackgroundTransfer Names/CoreLocation Names/UIKit \
                Names/UserNotifications
                """,
                exclude: ["Info.plist"], isProgram: true, swift5),
            target(
                "UndersongDemoApp", at: "Examples/BackgroundModes",
                """
                DemoScreen Names/AVFoundation Names/BackgroundTasks Names/CoreLocation \
                Names/UIKit Names/UserNotifications
                """,
                exclude: ["Info.plist"], isProgram: true, []),
            target(
                "TestSupport", at: "Tests/Support",
                "Base Background Location Playback Control C.Crypto C.Linux",
                exclude: ["Mocks"], []
            ),
        ]
        + rows(ported) { name, uses in
            let path = "Tools/Port/Tests/PortTests/Fixtures/\(name)/output"
            return target("UndersongPorted" + name, at: path, uses, swift5)
        }
        + libraries.map {
            .systemLibrary(
                name: "CUndersong" + $0, path: "Sources/C/" + $0, providers: [.apt([$1])])
        }
        + rows(tests) {
            .testTarget(name: $0 + "Tests", dependencies: named("Base " + $1) + ["TestSupport"])
        }
)
