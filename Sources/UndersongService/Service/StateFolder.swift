import CommandOptions
import FoundationEssentials
import Glibc

/// The folder for a session's queue and position, within the user's state folder.
enum StateFolder {
    /// Nil if the environment does not name any folder.
    static func path(session: String) -> String? {
        Environment.stateFolder.map { $0 + "/" + session }
    }

    /// The process that reports to be using a session's queue there.
    static func holder(session: String) -> Int32? {
        guard let path = path(session: session),
            let data = FileManager.default.contents(atPath: path + "/lock")
        else { return nil }
        let text = String(decoding: data.prefix { $0 != 0x0a }, as: UTF8.self)
        return Int32(text).flatMap { kill($0, 0) == 0 || errno == EPERM ? $0 : nil }
    }
}
