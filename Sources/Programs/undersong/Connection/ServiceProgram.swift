import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// The program of the service, `undersongd`.
enum ServiceProgram {
    private static let name = "undersongd"

    /// Its path, if it is found beside this program or on the search path.
    static var found: String? {
        ServiceStarter.program(named: name, searchPath: Environment["PATH"])
    }

    /// The path to start.
    static var path: String { found ?? name }

    /// Replaces this process by the program with `arguments` from `ProcessArguments`; it keeps this
    /// program's name, which its help shows. Returns only if that fails, with the error.
    static func become(_ arguments: [String]) -> Failure {
        let path = path
        unsafe withCStrings((["undersong"] + arguments).map { ProcessArguments.bytes(of: $0) }) {
            _ = unsafe execv(path, $0)
        }
        return Failure(
            "cannot start \(path): \(SystemError.last.reason)", status: Failure.unavailable)
    }
}
