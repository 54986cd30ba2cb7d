import CommandOptions
import Control
import Glibc
import Playback

/// The program of the service.
enum ServiceProgram {
    private static let name = "undersongd"

    /// Where it is, as far as it can be found: beside this one, or on the search path.
    static var found: String? {
        ServiceStarter.program(named: name, searchPath: Environment["PATH"])
    }

    /// What to start.
    static var path: String { found ?? name }

    /// Becomes the program with `arguments`, of `ProcessArguments`; it keeps the name of this one, which
    /// its help shows. Returns only why that failed.
    static func become(_ arguments: [String]) -> Failure {
        let path = path
        var pointers = unsafe (["undersong"] + arguments).map { unsafe copy($0) } + [nil]
        unsafe execv(path, &pointers)
        let reason = unsafe String(cString: strerror(errno))
        return Failure("cannot start \(path): \(reason)", status: Failure.unavailable)
    }

    /// What an argument stands for, as C has it.
    static func copy(_ argument: String) -> UnsafeMutablePointer<CChar>? {
        unsafe FilePath(argument: argument).withPlatformString { unsafe strdup($0) }
    }
}
