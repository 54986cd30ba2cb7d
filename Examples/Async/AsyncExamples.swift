import Foundation
import UndersongModernExamples

/// Programs whose `main` is asynchronous: `UndersongAsyncExamples NAME FILE...`.
@main
struct AsyncExamples {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let urls = arguments.dropFirst().map { URL(fileURLWithPath: $0) }
        switch arguments.first {
        case "AudioEngine": try await audioEngine(urls)
        case "Combine": await combine(urls)
        case "ModernPlayer": await Listener(playing: urls).listen()
        default:
            print("usage: UndersongAsyncExamples AudioEngine|Combine|ModernPlayer FILE...")
            exit(64)
        }
    }
}
