/// The names by which players are found on a bus.
extension BusName {
    /// The prefix of all players' names.
    private static let prefix = "org.mpris.MediaPlayer2."

    /// The name of a player, and the one to use if that is taken. `words` are joined by dots;
    /// characters that a name cannot have become `_`.
    package static func names(_ words: [String], process: Int32) -> [String] {
        let name = prefix + words.map(element).joined(separator: ".")
        return [name, "\(name).instance\(process)"]
    }
}
