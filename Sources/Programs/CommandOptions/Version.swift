import CUndersongVersion
import UndersongBase
import UndersongPlayback

extension Version {
    /// The text of `--version`: the version, and the commit if the build names one, as that of
    /// `scripts/package` does.
    package static var built: String {
        described(commit: unsafe String(cString: undersong_commit()))
    }

    /// The version, and `commit` in parentheses unless it is empty.
    package static func described(commit: String) -> String {
        commit.isEmpty ? text : "\(text) (\(commit))"
    }
}
