import Foundation

/// A player in today's style whose main queue is run by the run loop, or by `dispatchMain()` if that is
/// the first argument. The others are files.
@MainActor
public func modernPlayer(_ arguments: [String]) -> Any {
    let listener = Listener(
        playing: arguments.dropFirst().map { URL(fileURLWithPath: $0) })
    Task {
        await listener.listen()
        exit(0)
    }
    if arguments.first == "dispatchMain" { dispatchMain() }
    return listener
}
