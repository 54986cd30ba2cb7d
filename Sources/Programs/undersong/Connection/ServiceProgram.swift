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
        var pointers = unsafe (["undersong"] + arguments).map { unsafe copy($0) } + [nil]
        unsafe execv(path, &pointers)
        let reason = unsafe String(cString: strerror(errno))
        return Failure("cannot start \(path): \(reason)", status: Failure.unavailable)
    }

    /// A copy of the argument's bytes as a C string.
    static func copy(_ argument: String) -> UnsafeMutablePointer<CChar>? {
        unsafe FilePath(argument: argument).withPlatformString { unsafe strdup($0) }
    }
}
