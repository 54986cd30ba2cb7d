import ArgumentParser
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// A verb of `undersong`.
protocol Verb: ParsableCommand {
    /// Performs the verb.
    func perform() throws
}

extension Verb {
    /// Performs the verb, and reports errors on the standard error.
    func run() throws {
        do {
            try perform()
        } catch {
            guard let failure = Failure(error) else { throw error }
            complain(failure.message)
            throw ExitCode(failure.status)
        }
    }
}

extension ParsableCommand {
    /// The configuration of a verb without verbs of its own.
    static func described(
        _ name: String, _ abstract: String, discussion: String = ""
    ) -> CommandConfiguration {
        CommandConfiguration(commandName: name, abstract: abstract, discussion: discussion)
    }
}

/// A verb that makes one call, for which it starts the service, and shows the answer.
protocol CallVerb: Verb {
    associatedtype Call: ControlCall
    /// The operation, as errors name it: `set the interval`.
    static var purpose: String { get }
    var options: SessionOptions { get }
    /// The call.
    func call() throws -> Call
    /// The answer as text.
    static func text(_ reply: Call.Reply) -> String
}

extension CallVerb {
    func perform() throws { try options.ask(Self.purpose, call(), Self.text) }
}

/// The failure of a verb: the message, and the exit status.
struct Failure: Error, Equatable {
    /// The exit status if no service or no sound server answers.
    static let unavailable: Int32 = 69
    /// The exit status if sound is requested but not permitted in the background.
    static let notPermitted: Int32 = 77
    /// The exit status if the configuration file is wrong.
    static let badConfiguration: Int32 = 78

    var message: String
    var status: Int32

    init(_ message: String, status: Int32 = 1) {
        self.message = message
        self.status = status
    }

    /// Converts an error of a verb; nil for the parser's errors.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as ControlError:
            self.init(error.message, status: Self.status(of: error.code))
        case let error as NewFileError: self.init(error.description)
        case let error as ConfigurationError:
            self.init(error.description, status: Self.badConfiguration)
        case let error as LocationError: self.init(error.description, status: 64)
        default: return nil
        }
    }

    /// The exit status for an error of the service.
    static func status(of code: ControlError.Code) -> Int32 {
        switch code {
        case .unavailable, .versionMismatch: unavailable
        case .invalidParams: 64
        default: 1
        }
    }
}
