import CommandOptions

/// Where what was found out about long files is kept: the user's cache folder.
enum IndexFolder {
    static var path: String? {
        if let cache = Environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
            return cache + "/undersong/index"
        }
        return Environment["HOME"].map { $0 + "/.cache/undersong/index" }
    }
}
