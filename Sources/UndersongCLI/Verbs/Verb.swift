import ArgumentParser
import Control
import Glibc

/// A verb of `undersong`.
protocol Verb: ParsableCommand {
    /// Does it.
    func perform() throws
}

extension Verb {
    /// Does it, and says on the standard error why it could not be done.
    func run() throws {
        do {
            try perform()
        } catch let failure as Failure {
            complain(failure.message)
            throw ExitCode(failure.status)
        } catch let error as ControlError {
            complain(error.message)
            throw ExitCode(Failure.status(of: error.code))
        }
    }
}

/// Why a verb failed: what is said, and the exit status.
struct Failure: Error, Equatable {
    /// The status where no service or no sound server answers.
    static let unavailable: Int32 = 69

    var message: String
    var status: Int32

    init(_ message: String, status: Int32 = 1) {
        self.message = message
        self.status = status
    }

    /// The exit status for what a service answers.
    static func status(of code: ControlError.Code) -> Int32 {
        switch code {
        case .unavailable, .versionMismatch: unavailable
        case .invalidParams: 64
        default: 1
        }
    }
}
