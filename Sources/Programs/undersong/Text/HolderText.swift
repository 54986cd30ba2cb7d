/// Says that another service has the queue.
enum HolderText {
    /// The line beside what that service has saved, given its process, or 0.
    static func note(_ process: Int32) -> String {
        "\(name(process)) has the queue; this is what it has saved"
    }

    /// `another service (process 7373)`
    static func name(_ process: Int32) -> String {
        "another service" + (process == 0 ? "" : " (process \(process))")
    }
}
