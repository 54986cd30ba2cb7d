import CommandOptions

/// The folder for indexes of long files, within the user's cache folder.
enum IndexFolder {
    static var path: String? {
        if let cache = Environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
            return cache + "/undersong/index"
        }
        return Environment["HOME"].map { $0 + "/.cache/undersong/index" }
    }
}
