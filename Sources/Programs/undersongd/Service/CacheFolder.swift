import UndersongCommandOptions

/// The user's cache folder, for data that can be found out again.
enum CacheFolder {
    /// The folder for the indexes of long files.
    static var index: String? { path("index") }

    /// The folder for streams from the network while they are played.
    static var streams: String? { path("streams") }

    /// Pictures out of music files.
    static var artwork: String? { path("artwork") }

    /// Nil where the environment names no folder at all.
    private static func path(_ name: String) -> String? {
        if let cache = Environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
            return "\(cache)/undersong/\(name)"
        }
        return Environment["HOME"].map { "\($0)/.cache/undersong/\(name)" }
    }
}
