import FoundationEssentials

/// Where what was found out about long files is kept: the user's cache folder.
enum IndexFolder {
    static var path: String? {
        let environment = ProcessInfo.processInfo.environment
        if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
            return cache + "/undersong/index"
        }
        return environment["HOME"].map { $0 + "/.cache/undersong/index" }
    }
}
