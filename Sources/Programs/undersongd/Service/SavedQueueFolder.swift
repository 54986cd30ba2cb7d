import UndersongCommandOptions

/// The folder of the queues that the user keeps by name, in the user's folder for data.
enum SavedQueueFolder {
    /// Nil where the environment names no folder at all.
    static var path: String? {
        if let data = Environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return data + "/undersong/queues"
        }
        return Environment["HOME"].map { $0 + "/.local/share/undersong/queues" }
    }
}
