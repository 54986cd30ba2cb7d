import UndersongBackground
import UndersongLocation
import UndersongPlayback

/// Decides what `undersong demo location` writes, event by event: an application that collects pins
/// for its map, in the background, too (D6-D8).
struct LocationDemo {
    /// How many pins the map has at most.
    static let limit = 100

    private var state: ApplicationState
    private(set) var pins: [LocationFix] = []
    /// How many of them have come since the application was last active.
    private var unseen = 0

    init(state: ApplicationState) { self.state = state }

    /// Takes a new location, and returns the lines to write.
    mutating func update(_ fix: LocationFix) -> [String] {
        pins.append(fix)
        while pins.count > Self.limit { pins.removeFirst() }
        guard state != .active else { return [Self.pin(fix)] }
        unseen = min(unseen + 1, Self.limit)
        guard state == .background else { return [] }
        return ["App is backgrounded. New location is \(LocationText.description(fix))"]
    }

    /// The host has another state. Back in the foreground, the map shows what has come meanwhile.
    mutating func enter(_ new: ApplicationState) -> [String] {
        state = new
        guard new == .active, unseen > 0 else { return [] }
        defer { unseen = 0 }
        return pins.suffix(unseen).map(Self.pin)
            + ["\(pins.count) pin\(pins.count == 1 ? "" : "s") on the map"]
    }

    private static func pin(_ fix: LocationFix) -> String {
        "Pin at \(LocationText.description(fix))"
    }
}
