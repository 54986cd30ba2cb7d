// swift-tools-version: 6.2
import PackageDescription

// A module `Playback` in the folder Sources/Player/Playback is the target `UndersongPlayback`: no
// other package has a target of that name, which SwiftPM would refuse. Apple's names are thin
// modules over them, in Sources/Apple/Names.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let combine: [Target.Dependency] = [
    .product(name: "OpenCombine", package: "OpenCombine"),
    .product(name: "OpenCombineDispatch", package: "OpenCombine"),
    .product(name: "OpenCombineFoundation", package: "OpenCombine"),
]

/// The targets of modules and, in capitals after `C.`, of C libraries.
func named(_ names: String) -> [Target.Dependency] {
    names.split(separator: " ").map { name in
        .target(name: name.hasPrefix("C.") ? "CUndersong" + name.dropFirst(2) : "Undersong" + name)
    }
}

/// A module in Sources/`group`; `uses` names its modules and C libraries.
func module(
    _ group: String, _ name: String, uses: String = "", packages: [Target.Dependency] = []
) -> Target {
    .target(
        name: "Undersong" + name, dependencies: named(uses) + packages,
        path: "Sources/\(group)/\(name)", swiftSettings: strict)
}

/// A program; `target` is its module.
func program(
    _ name: String, _ target: String, uses: String, packages: [Target.Dependency]
) -> Target {
    .executableTarget(
        name: "Undersong" + target, dependencies: named(uses) + packages,
        path: "Sources/Programs/\(name)", swiftSettings: strict)
}

/// An installed C library: a module map and a shim.
func library(_ name: String, package: String? = nil) -> Target {
    .systemLibrary(
        name: "CUndersong" + name, path: "Sources/C/\(name)",
        providers: package.map { [.apt([$0])] })
}

/// A C face over a library that Swift cannot call: it speaks C++, or fails by jumps.
func face(_ name: String, links: [String], settings: [CSetting] = []) -> Target {
    .target(
        name: "CUndersong" + name, path: "Sources/C/\(name)", cSettings: settings,
        linkerSettings: links.map { .linkedLibrary($0) })
}

/// Apple's name for a module of ours, by which iOS code imports it.
func apple(_ name: String, is module: String? = nil) -> Target {
    .target(
        name: name, dependencies: named(module ?? name), path: "Sources/Apple/Names/\(name)",
        swiftSettings: strict)
}

/// The tests of a module; `and` names what else they use: targets by their whole names.
func tests(
    _ name: String, of modules: String, and others: [Target.Dependency] = []
) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: named(modules + " Base") + ["TestSupport"] + others)
}

/// What scripts/port makes of the sources with which it is tested.
func ported(_ name: String, uses: [Target.Dependency]) -> Target {
    .target(
        name: "UndersongPorted" + name, dependencies: uses,
        path: "Tools/Port/Tests/PortTests/Fixtures/\(name)/output",
        swiftSettings: [.swiftLanguageMode(.v5)])
}

// Shown by `--version`; plain builds name none.
let commit = Context.environment["UNDERSONG_COMMIT"] ?? ""

let package = Package(
    name: "undersong",
    products: [
        .executable(name: "undersong", targets: ["UndersongCLI"]),
        .executable(name: "undersongd", targets: ["UndersongService"]),
        .executable(name: "undersong-transferd", targets: ["UndersongTransfer"]),
    ]
        + [
            "AudioSession", "AVFoundation", "AVFAudio", "BackgroundTasks", "BackgroundTransfer",
            "Combine", "CoreLocation", "CoreMedia", "MediaPlayer", "UIKit",
        ].map { .library(name: $0, targets: [$0]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        library("Linux"),
        library("Mpg123", package: "libmpg123-dev"),
        library("SndFile", package: "libsndfile1-dev"),
        library("EBUR128", package: "libebur128-dev"),
        library("Pulse", package: "libpulse-dev"),
        library("Systemd", package: "libsystemd-dev"),
        library("Curl", package: "libcurl4-openssl-dev"),
        library("Crypto", package: "libssl-dev"),
        library("Expat", package: "libexpat1-dev"),
        library("SQLite", package: "libsqlite3-dev"),
        face("SoundTouch", links: ["SoundTouch"]),
        face("Picture", links: ["jpeg", "png"]),
        // A target of its own, so that another commit compiles nothing else.
        face(
            "Version", links: [], settings: [.define("UNDERSONG_COMMIT", to: "\"\(commit)\"")]),

        module("Base", "Base", uses: "C.Linux"),
        module("Base", "XML", uses: "C.Expat"),

        module("Player", "Playback", uses: "Base CoreMedia"),
        module(
            "Player", "AudioIO",
            uses:
                "Base Playback Background C.Linux C.Mpg123 C.Pulse C.SndFile C.SoundTouch"
        ),
        module(
            "Player", "AudioSession",
            uses: "Base XML Playback AudioIO Background Location Transfers"),

        module("Background", "Background", uses: "Base Playback"),
        module("Background", "Location", uses: "Base XML"),
        module("Background", "Podcasts", uses: "Base XML"),
        module("Background", "Transfers", uses: "Base Background"),

        module("Linux", "LinuxPlatform", uses: "Base Background Location C.Linux C.Systemd"),
        module(
            "Linux", "Store", uses: "Base Playback Background Location Podcasts C.Linux C.SQLite"),

        module("Network", "TransferIO", uses: "Base Background Transfers C.Crypto C.Curl C.Linux"),
        module(
            "Network", "TransferClient",
            uses: "Base Playback Background Location Podcasts Control C.Linux"),

        module("Wire", "Control", uses: "Base Playback Location C.Linux"),

        module("Apple", "CoreMedia"),
        module("Apple", "AppHost", uses: "Base Background LinuxPlatform"),
        module(
            "Apple", "AVFoundation",
            uses:
                "Base Playback AudioIO AudioSession Background CoreMedia AppHost TransferClient"
        ),
        module("Apple", "MediaPlayer", uses: "Base AVFoundation UIKit Background LinuxPlatform"),
        module("Apple", "UIKit", uses: "Base Background AppHost"),
        module("Apple", "BackgroundTasks", uses: "Background AppHost"),
        module(
            "Apple", "BackgroundTransfer",
            uses: "Base Background Control AppHost TransferClient Transfers"),
        module(
            "Apple", "CoreLocation",
            uses:
                "Base Background Control AppHost LinuxPlatform Location TransferClient"
        ),
        module("Apple", "Combine", uses: "AVFoundation", packages: combine),
        apple("AudioSession"),
        apple("AVFoundation"),
        apple("AVFAudio", is: "AVFoundation"),
        apple("BackgroundTasks"),
        apple("BackgroundTransfer"),
        apple("Combine"),
        apple("CoreLocation"),
        apple("CoreMedia"),
        apple("MediaPlayer"),
        .target(
            name: "UIKit", dependencies: ["UndersongUIKit", "_Testing_UIKit"],
            path: "Sources/Apple/Names/UIKit", swiftSettings: strict),
        .target(name: "_Testing_UIKit", path: "Sources/Apple/Names/_Testing_UIKit"),

        module(
            "Programs", "CommandOptions", uses: "Base Control Playback C.Linux C.Version",
            packages: [arguments]),
        module(
            "Programs", "PlayerService",
            uses: "Base Playback AudioSession Podcasts Background Location Store C.Linux"),
        program(
            "undersongd", "Service",
            uses: """
                Base Playback AudioIO AudioSession PlayerService Background LinuxPlatform Control \
                CommandOptions Location Store Podcasts TransferClient C.EBUR128 C.Linux
                """, packages: [arguments, logging]),
        program(
            "undersong-transferd", "Transfer",
            uses: """
                Base TransferIO Transfers Background Control CommandOptions LinuxPlatform Location \
                LocationNetwork TransferClient
                """, packages: [arguments]),
        program(
            "undersong", "CLI",
            uses: "Base Control CommandOptions Location Playback TransferClient C.Linux C.Picture",
            packages: [arguments]),
        // Built as a target, since `swift build` takes one product only.
        module("Programs", "All", uses: "CLI Service Transfer"),

        // Code as it is written for iOS.
        .target(
            name: "UndersongModernExamples",
            dependencies: ["AVFoundation", "Combine", "MediaPlayer"], path: "Examples/Modern"),
        .executableTarget(
            name: "UndersongAsyncExamples",
            dependencies: ["AVFoundation", "Combine", "UndersongModernExamples"],
            path: "Examples/Async", swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "UndersongExamples",
            dependencies: [
                "AVFAudio", "AVFoundation", "BackgroundTasks", "BackgroundTransfer",
                "CoreLocation", "CoreMedia", "MediaPlayer", "UIKit",
            ] + named("ModernExamples PortedPlayer PortedKeyPaths PortedMainActor TransferClient"),
            path: "Examples", exclude: ["Async", "Modern"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        ported("Player", uses: ["AVFoundation", "MediaPlayer", "UIKit"]),
        ported("KeyPaths", uses: ["AVFoundation"]),
        ported("MainActor", uses: ["AVFoundation", "Combine"]),

        // What the tests of several modules need.
        .target(
            name: "TestSupport",
            dependencies: named("Base Background Control Location Playback C.Crypto C.Linux"),
            path: "Tests/Support",
            exclude: [
                "mock-distributor", "mock-geoclue", "mock-logind", "mock-machine", "mock-ntfy",
                "real-geoclue",
            ]),
        tests("Base", of: "Base"),
        tests("Playback", of: "Playback"),
        tests("Background", of: "Background Playback Podcasts"),
        tests("Transfers", of: "Transfers Background"),
        tests("Location", of: "Location"),
        tests("Podcasts", of: "Podcasts"),
        tests("TransferIO", of: "TransferIO Transfers Control Transfer"),
        tests("AudioIO", of: "AudioIO Playback TransferClient"),
        tests("TransferClient", of: "TransferClient Control Podcasts"),
        tests("AudioSession", of: "AudioSession Background Playback"),
        tests("Control", of: "Control Playback"),
        tests("Store", of: "Store Background Location Playback Podcasts C.Linux"),
        tests("LinuxPlatform", of: "LinuxPlatform Background Location Playback"),
        tests(
            "PlayerService",
            of:
                "PlayerService AudioSession Background Control Playback Podcasts Store"
        ),
        tests(
            "UndersongService",
            of: """
                Service AudioIO AudioSession Background Control Location LinuxPlatform \
                PlayerService Store Playback C.Linux
                """, and: [logging]),
        tests(
            "AVFoundation", of: "AVFoundation Background TransferClient Transfer",
            and: ["AVFoundation", "Combine", "UIKit"]),
        tests(
            "MediaPlayer", of: "MediaPlayer AVFoundation Background LinuxPlatform",
            and: ["MediaPlayer", "AVFoundation"]),
        tests(
            "BackgroundTransfer",
            of: """
                BackgroundTransfer Background UIKit Control AppHost TransferClient CLI Transfer \
                Examples C.Linux
                """,
            and: ["BackgroundTransfer", "UIKit"]),
        tests("UIKit", of: "UIKit Background AppHost", and: ["UIKit"]),
        tests(
            "BackgroundTasks", of: "BackgroundTasks Background AppHost Playback UIKit",
            and: ["BackgroundTasks", "UIKit"]),
        tests(
            "CoreLocation",
            of: """
                CoreLocation Background Control AppHost Location TransferClient UIKit Transfer \
                Examples
                """,
            and: ["CoreLocation", "UIKit"]),
        tests("UndersongCLI", of: "CLI CommandOptions Control Playback C.Linux"),
        tests(
            "EndToEnd",
            of: """
                AudioSession AudioIO Background Control Playback Streaming TransferClient CLI \
                Service Transfer Examples AsyncExamples C.Linux
                """, and: ["AVFoundation"]),
    ],
    swiftLanguageModes: [.v6]
)
