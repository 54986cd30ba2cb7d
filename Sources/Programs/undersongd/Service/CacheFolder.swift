import UndersongCommandOptions

/// Where is kept what can be found out again: the user's cache folder.
enum CacheFolder {
    /// What was found out about long files.
    static var index: String? { path("index") }

    /// What is played from the network, while it is played.
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
