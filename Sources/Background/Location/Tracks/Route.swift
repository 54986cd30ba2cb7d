/// A route that comes with Undersong: a track of GPX, made by `Tools/Routes`.
package enum Route: String, Codable, CaseIterable, Sendable {
    case drive, run, ride

    /// The name in menus.
    package var title: String {
        switch self {
        case .drive: "Freeway drive"
        case .run: "City run"
        case .ride: "City bicycle ride"
        }
    }

    /// The path of its file among those that come with the program.
    package var file: String { "Routes/\(rawValue).gpx" }

    /// The names of all, as a phrase: `drive, run and ride`.
    package static var names: String {
        let names = allCases.map(\.rawValue)
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}
