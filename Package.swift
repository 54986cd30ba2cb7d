// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// Shown by `--version`; plain builds name none.
let commit = Context.environment["UNDERSONG_COMMIT"] ?? ""

let package = Package(
    name: "undersong",
    products: [
        .executable(name: "undersong", targets: ["UndersongCLI"]),
        .executable(name: "undersongd", targets: ["UndersongService"]),
        .executable(name: "undersong-transferd", targets: ["UndersongTransfer"]),
        .library(name: "AudioSession", targets: ["AudioSession"]),
        .library(name: "AVFoundation", targets: ["AVFoundation"]),
        .library(name: "AVFAudio", targets: ["AVFAudio"]),
        .library(name: "BackgroundTasks", targets: ["BackgroundTasks"]),
        .library(name: "BackgroundTransfer", targets: ["BackgroundTransfer"]),
        .library(name: "Combine", targets: ["Combine"]),
        .library(name: "CoreLocation", targets: ["CoreLocation"]),
        .library(name: "CoreMedia", targets: ["CoreMedia"]),
        .library(name: "MediaPlayer", targets: ["MediaPlayer"]),
        .library(name: "UIKit", targets: ["UIKit"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        // The C libraries: a module map and a shim each, nothing else.
        .systemLibrary(
            name: "CMpg123", path: "Sources/C/Mpg123", providers: [.apt(["libmpg123-dev"])]),
        .systemLibrary(
            name: "CSndFile", path: "Sources/C/SndFile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(
            name: "CEBUR128", path: "Sources/C/EBUR128", providers: [.apt(["libebur128-dev"])]),
        .systemLibrary(
            name: "CPulse", path: "Sources/C/Pulse", providers: [.apt(["libpulse-dev"])]),
        .systemLibrary(
            name: "CSystemd", path: "Sources/C/Systemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CCurl", path: "Sources/C/Curl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CCrypto", path: "Sources/C/Crypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CExpat", path: "Sources/C/Expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/C/SQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/C/Linux"),
        // SoundTouch speaks C++ only: a C face, which forwards.
        .target(
            name: "CSoundTouch", path: "Sources/C/SoundTouch",
            linkerSettings: [.linkedLibrary("SoundTouch")]),
        // libjpeg fails by jumps, which must not cross Swift: a C face.
        .target(
            name: "CPicture", path: "Sources/C/Picture",
            linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png")]),

        // The commit that is built: a file of its own, so that another commit compiles nothing else.
        .target(
            name: "CVersion", path: "Sources/C/Version",
            cSettings: [.define("UNDERSONG_COMMIT", to: "\"\(commit)\"")]),

        // The pure cores: no C, files, clocks or threads.
        .target(name: "CoreMedia", path: "Sources/Apple/CoreMedia", swiftSettings: strict),
        .target(
            name: "Playback", dependencies: ["CoreMedia"], path: "Sources/Player/Playback",
            swiftSettings: strict),
        .target(
            name: "Background", dependencies: ["Playback"], path: "Sources/Background/Background",
            swiftSettings: strict),
        .target(
            name: "Transfers", dependencies: ["Background", "Playback"],
            path: "Sources/Background/Transfers", swiftSettings: strict),

        // Places, and who gets which, as values.
        .target(name: "Location", path: "Sources/Background/Location", swiftSettings: strict),

        // Feeds: reading them, and what to do with them, as values; expat reads bytes in memory.
        .target(
            name: "Podcasts", dependencies: ["CExpat"], path: "Sources/Background/Podcasts",
            swiftSettings: strict),

        // Recorded tracks of locations; expat reads bytes in memory.
        .target(
            name: "Tracks", dependencies: ["Location", "Playback", "CExpat"],
            path: "Sources/Background/Tracks", swiftSettings: strict),

        // What threads are started with and wait on, and the clock, wherever there are some.
        .target(
            name: "Threads", dependencies: ["Playback", "CLinux"], path: "Sources/Base/Threads",
            swiftSettings: strict),

        // Small files that are replaced as a whole.
        .target(name: "Records", path: "Sources/Base/Records", swiftSettings: strict),

        // The adapter: the only module that calls the C libraries of playing.
        .target(
            name: "AudioIO",
            dependencies: [
                "Playback", "Background", "Transfers", "CMpg123", "CPulse", "CSndFile", "CLinux",
                "CSoundTouch", "Threads",
            ], path: "Sources/Player/AudioIO",
            swiftSettings: strict),

        // What files are like once all of them is decoded.
        .target(
            name: "Analysis", dependencies: ["AudioIO", "Playback", "CEBUR128"],
            path: "Sources/Programs/Analysis",
            swiftSettings: strict),

        // The adapter of transfers: the only module that reaches the network.
        .target(
            name: "TransferIO",
            dependencies: [
                "Background", "Transfers", "Playback", "CCrypto", "CCurl", "CLinux", "Records",
                "Threads",
            ], path: "Sources/Network/TransferIO",
            swiftSettings: strict),

        // One file per system service.
        .target(
            name: "LinuxPlatform",
            dependencies: ["Background", "CSystemd", "CLinux", "Location", "Playback", "Threads"],
            path: "Sources/Linux/LinuxPlatform",
            swiftSettings: strict),

        // A media player as Linux desktops see it, whatever player it is.
        .target(
            name: "MPRIS", dependencies: ["LinuxPlatform", "Playback"], path: "Sources/Linux/MPRIS",
            swiftSettings: strict),

        // What survives the process: the only module that knows a database.
        .target(
            name: "Store",
            dependencies: [
                "Background", "Location", "Playback", "Podcasts", "CLinux", "CSQLite", "Threads",
            ], path: "Sources/Linux/Store",
            swiftSettings: strict),

        // The wire between the two programs.
        .target(
            name: "Control", dependencies: ["Playback", "CLinux", "Threads"],
            path: "Sources/Wire/Control", swiftSettings: strict),

        // The way to the process that transfers, for programs and libraries.
        .target(
            name: "TransferClient", dependencies: ["Control", "Playback"],
            path: "Sources/Network/TransferClient", swiftSettings: strict),

        // What is played from the network, by way of the program that may use it.
        .target(
            name: "Streaming",
            dependencies: [
                "AudioIO", "Control", "Playback", "TransferClient", "Transfers", "CLinux",
                "Threads",
            ], path: "Sources/Network/Streaming",
            swiftSettings: strict),

        // Feeds and episodes, by way of the same program.
        .target(
            name: "PodcastNetwork",
            dependencies: ["Control", "Playback", "Podcasts", "TransferClient", "CLinux"],
            path: "Sources/Network/PodcastNetwork",
            swiftSettings: strict),

        // gpsd, by way of the same program.
        .target(
            name: "LocationNetwork",
            dependencies: ["Control", "Location", "Playback", "Tracks", "TransferClient"],
            path: "Sources/Network/LocationNetwork",
            swiftSettings: strict),

        // What both programs' command lines have in common.
        .target(
            name: "CommandOptions",
            dependencies: [
                "Control", "Playback", "CLinux", "CVersion", "Threads",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Programs/CommandOptions",
            swiftSettings: strict),

        // The library, the player as a service, and the programs on top of them.
        .target(
            name: "AudioSession",
            dependencies: ["Playback", "AudioIO", "Background", "CExpat", "Threads", "Transfers"],
            path: "Sources/Player/AudioSession",
            swiftSettings: strict),

        // Where the host's state is put up, and its background tasks are scheduled: all that the
        // modules below know of each other.
        .target(
            name: "HostState",
            dependencies: ["Background", "LinuxPlatform", "Playback", "Records", "Threads"],
            path: "Sources/Apple/HostState",
            swiftSettings: strict),

        // Apple's names over it, for code that was written for iOS.
        .target(
            name: "AVFoundation",
            dependencies: [
                "AudioIO", "AudioSession", "Background", "CoreMedia", "HostState", "Playback",
                "Streaming", "Threads", "TransferClient",
            ], path: "Sources/Apple/AVFoundation",
            swiftSettings: strict),

        // Apple's background URLSession, by the process that transfers.
        .target(
            name: "BackgroundTransfer",
            dependencies: ["Background", "Control", "HostState", "TransferClient", "Transfers"],
            path: "Sources/Apple/BackgroundTransfer",
            swiftSettings: strict),

        // Apple's background tasks, scheduled in the process.
        .target(
            name: "BackgroundTasks", dependencies: ["Background", "HostState"],
            path: "Sources/Apple/BackgroundTasks",
            swiftSettings: strict),

        // Apple's locations.
        .target(
            name: "CoreLocation",
            dependencies: [
                "Background", "Control", "HostState", "LinuxPlatform", "Location",
                "LocationNetwork", "Playback", "Records", "Threads", "Tracks", "TransferClient",
            ], path: "Sources/Apple/CoreLocation",
            swiftSettings: strict),

        // The name under which sources for iOS import a part of it.
        .target(
            name: "AVFAudio", dependencies: ["AVFoundation"], path: "Sources/Apple/AVFAudio",
            swiftSettings: strict),
        .target(
            name: "Combine",
            dependencies: [
                "AVFoundation", "OpenCombine",
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
                .product(name: "OpenCombineFoundation", package: "OpenCombine"),
            ], path: "Sources/Apple/Combine",
            swiftSettings: strict),

        .target(
            name: "MediaPlayer",
            dependencies: [
                "AVFoundation", "UIKit", "Background", "LinuxPlatform", "MPRIS", "Threads",
            ], path: "Sources/Apple/MediaPlayer",
            swiftSettings: strict),
        .target(
            name: "UIKit",
            dependencies: ["Background", "HostState", "Threads", "_Testing_UIKit"],
            path: "Sources/Apple/UIKit",
            swiftSettings: strict),
        .target(
            name: "_Testing_UIKit", path: "Sources/Apple/_Testing_UIKit", swiftSettings: strict),

        .target(
            name: "PlayerService",
            dependencies: [
                "AudioSession", "Playback", "Podcasts", "Background", "CLinux", "Location", "Store",
                "Tracks",
            ], path: "Sources/Programs/PlayerService",
            swiftSettings: strict),

        .executableTarget(
            name: "UndersongService",
            dependencies: [
                "PlayerService", "AudioSession", "AudioIO", "Analysis", "Playback", "Background",
                "LinuxPlatform", "MPRIS", "Control", "CommandOptions", "CLinux", "Location",
                "Store", "LocationNetwork", "Tracks", "PodcastNetwork", "Podcasts", "Records",
                "Streaming", "Threads", "TransferClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ], path: "Sources/Programs/undersongd",
            swiftSettings: strict),
        .executableTarget(
            name: "UndersongTransfer",
            dependencies: [
                "TransferIO", "Transfers", "Background", "CLinux", "Control", "CommandOptions",
                "LinuxPlatform", "Location", "LocationNetwork", "Playback", "Records", "Threads",
                "TransferClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Programs/undersong-transferd",
            swiftSettings: strict),
        .executableTarget(
            name: "UndersongCLI",
            dependencies: [
                "Control", "CommandOptions", "Playback", "CLinux", "CPicture", "Threads",
                "TransferClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Programs/undersong",
            swiftSettings: strict),

        // What code that was written for iOS looks like.
        .executableTarget(
            name: "QueuePlayerExample", dependencies: ["AVFoundation"],
            path: "Examples/QueuePlayer"),
        .executableTarget(
            name: "AudioEngineExample", dependencies: ["AVFoundation"],
            path: "Examples/AudioEngine", swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "ViewModelExample", dependencies: ["AVFoundation", "CoreMedia", "UIKit"],
            path: "Examples/ViewModel", swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "CombineExample", dependencies: ["AVFoundation", "Combine"],
            path: "Examples/Combine", swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "ModernPlayer", dependencies: ["AVFoundation", "Combine", "MediaPlayer"],
            path: "Examples/ModernPlayer", swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "ModernPlayerExample", dependencies: ["ModernPlayer"],
            path: "Examples/ModernPlayerApp"),
        .executableTarget(
            name: "ModernPlayerAsyncExample", dependencies: ["ModernPlayer"],
            path: "Examples/ModernPlayerAsync"),
        .executableTarget(
            name: "InterruptionsExample", dependencies: ["AVFAudio", "AVFoundation"],
            path: "Examples/Interruptions", swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "NowPlayingExample", dependencies: ["AVFoundation", "MediaPlayer"],
            path: "Examples/NowPlaying", swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "BackgroundDownloadExample", dependencies: ["BackgroundTransfer", "UIKit"],
            path: "Examples/BackgroundDownload", swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "BackgroundRefreshExample", dependencies: ["BackgroundTasks", "UIKit"],
            path: "Examples/BackgroundRefresh", swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "BackgroundLocationExample",
            dependencies: ["CoreLocation", "TransferClient", "UIKit"],
            path: "Examples/BackgroundLocation", swiftSettings: [.swiftLanguageMode(.v5)]),

        // What scripts/port makes of the sources with which it is tested.
        .executableTarget(
            name: "PortedPlayer", dependencies: ["AVFoundation", "MediaPlayer", "UIKit"],
            path: "Tools/Port/Tests/PortTests/Fixtures/Player/output",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "PortedKeyPaths", dependencies: ["AVFoundation"],
            path: "Tools/Port/Tests/PortTests/Fixtures/KeyPaths/output",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "PortedMainActor", dependencies: ["AVFoundation", "Combine"],
            path: "Tools/Port/Tests/PortTests/Fixtures/MainActor/output",
            swiftSettings: [.swiftLanguageMode(.v5)]),

        .testTarget(name: "PlaybackTests", dependencies: ["Playback", "TestSupport"]),
        .testTarget(
            name: "BackgroundTests",
            dependencies: ["Background", "Playback", "Podcasts", "TestSupport"]),
        .testTarget(
            name: "TransfersTests", dependencies: ["Transfers", "Background", "TestSupport"]),
        .testTarget(name: "LocationTests", dependencies: ["Location", "TestSupport"]),
        .testTarget(name: "TracksTests", dependencies: ["Tracks", "Location"]),
        .testTarget(name: "PodcastsTests", dependencies: ["Podcasts"]),
        .testTarget(
            name: "TransferIOTests",
            dependencies: [
                "TransferIO", "Transfers", "Control", "Playback", "TestSupport", "Threads",
                "UndersongTransfer",
            ]),
        .testTarget(
            name: "AudioIOTests", dependencies: ["AudioIO", "Playback", "TestSupport", "Threads"]),
        .testTarget(
            name: "StreamingTests",
            dependencies: [
                "Streaming", "AudioIO", "Control", "TestSupport", "Threads", "TransferClient",
            ]),
        .testTarget(
            name: "AnalysisTests",
            dependencies: ["Analysis", "AudioIO", "Playback", "TestSupport", "Threads"]),
        .testTarget(
            name: "AudioSessionTests",
            dependencies: ["AudioSession", "Background", "Playback", "TestSupport"]),
        .testTarget(
            name: "ControlTests",
            dependencies: ["Control", "Playback", "TestSupport", "Threads"]),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "Store", "Background", "Location", "Playback", "Podcasts", "CLinux", "TestSupport",
                "Threads",
            ]),
        .testTarget(
            name: "LinuxPlatformTests",
            dependencies: [
                "LinuxPlatform", "Background", "Location", "TestSupport", "Threads",
            ]),
        .testTarget(
            name: "MPRISTests", dependencies: ["MPRIS", "LinuxPlatform", "Playback", "TestSupport"]),
        // What the tests of several modules need.
        .target(
            name: "TestSupport",
            dependencies: [
                "Background", "CCrypto", "CLinux", "Control", "Location", "Playback", "Threads",
            ],
            path: "Tests/Support",
            exclude: [
                "mock-distributor", "mock-geoclue", "mock-logind", "mock-machine", "mock-ntfy",
                "real-geoclue",
            ]),
        .testTarget(
            name: "PlayerServiceTests",
            dependencies: [
                "PlayerService", "AudioSession", "Background", "Control", "Playback",
                "PodcastNetwork", "Podcasts", "Store", "TestSupport", "Threads", "TransferClient",
            ]),
        .testTarget(
            name: "UndersongServiceTests",
            dependencies: [
                "UndersongService", "AudioSession", "Background", "CLinux", "Control", "Location",
                "LinuxPlatform", "PlayerService", "Store", "TestSupport", "Tracks", "Playback",
                "Threads",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "AVFoundationTests",
            dependencies: [
                "AVFoundation", "Combine", "UIKit", "Background", "TestSupport",
                "TransferClient", "UndersongTransfer",
            ]),
        .testTarget(
            name: "MediaPlayerTests",
            dependencies: [
                "MediaPlayer", "AVFoundation", "Background", "LinuxPlatform", "MPRIS",
                "TestSupport",
            ]),
        .testTarget(
            name: "BackgroundTransferTests",
            dependencies: [
                "BackgroundTransfer", "Background", "CLinux", "UIKit", "Control", "HostState",
                "TestSupport",
                "Threads",
                "TransferClient", "UndersongCLI", "UndersongTransfer",
                "BackgroundDownloadExample",
            ]),
        .testTarget(
            name: "UIKitTests", dependencies: ["UIKit", "Background", "HostState", "TestSupport"]),
        .testTarget(
            name: "BackgroundTasksTests",
            dependencies: [
                "BackgroundTasks", "Background", "HostState", "Playback", "TestSupport", "UIKit",
            ]),
        .testTarget(
            name: "CoreLocationTests",
            dependencies: [
                "CoreLocation", "Background", "Control", "HostState", "Location", "TestSupport",
                "TransferClient", "UIKit", "BackgroundLocationExample", "UndersongTransfer",
            ]),
        .testTarget(
            name: "UndersongCLITests",
            dependencies: [
                "UndersongCLI", "CommandOptions", "Control", "Playback", "CLinux", "TestSupport",
                "Threads",
            ]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "AVFoundation", "AudioSession", "AudioIO", "Background", "Control", "Playback",
                "Streaming", "TransferClient", "UndersongCLI",
                "UndersongService", "UndersongTransfer", "CLinux", "TestSupport", "Threads",
                "AudioEngineExample",
                "CombineExample",
                "QueuePlayerExample",
                "ViewModelExample",
                "InterruptionsExample",
                "NowPlayingExample",
                "ModernPlayerExample",
                "ModernPlayerAsyncExample",
                "PortedPlayer",
                "PortedKeyPaths",
                "PortedMainActor",
                "BackgroundRefreshExample",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
