import Foundation
import UndersongModernExamples
import UndersongPortedKeyPaths
import UndersongPortedMainActor
import UndersongPortedPlayer

/// Programs as they are written for iOS: `UndersongExamples NAME ...` runs the one in the folder NAME,
/// or in `Modern`, which is in the language mode of Swift 6. Those in `Async` are another program, with
/// an asynchronous `main`.
@main
@MainActor
enum Examples {
    /// Each returns what lives as long as the application. The last three are what scripts/port has
    /// made.
    static let all: [String: @MainActor ([String]) throws -> Any] = [
        "BackgroundDownload": backgroundDownload,
        "BackgroundLocation": backgroundLocation,
        "BackgroundRefresh": backgroundRefresh,
        "Interruptions": interruptions,
        "ModernPlayer": modernPlayer,
        "NowPlaying": nowPlaying,
        "PodcastApp": { _ in PodcastAppDelegate.main() },
        "QueuePlayer": queuePlayer,
        "ViewModel": viewModel,
        "PortedKeyPaths": portedKeyPaths,
        "PortedMainActor": portedMainActor,
        "PortedPlayer": portedPlayer,
    ]

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.first, let example = all[name] else {
            print("usage: UndersongExamples \(all.keys.sorted().joined(separator: "|")) ...")
            exit(64)
        }
        let application = try example(Array(arguments.dropFirst()))
        withExtendedLifetime(application) { RunLoop.main.run() }
    }
}
