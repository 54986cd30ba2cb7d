import ArgumentParser

/// A verb that the service's program does.
protocol ServiceVerb: Verb {
    /// What stands behind the verb.
    var arguments: [String] { get }
}

extension ServiceVerb {
    static func described(_ name: String, _ abstract: String) -> CommandConfiguration {
        CommandConfiguration(commandName: name, abstract: abstract)
    }

    /// Becomes `undersongd` with the same arguments.
    func perform() throws {
        let name = Self.configuration.commandName ?? ""
        throw ServiceProgram.become([name] + arguments)
    }
}

/// `undersong serve`
struct ServeVerb: ServiceVerb {
    static let configuration = described("serve", "Be the service, until SIGTERM.")
    @Argument(parsing: .captureForPassthrough, help: "As undersongd serve --help tells.")
    var arguments: [String] = []
}

/// `undersong render`
struct RenderVerb: ServiceVerb {
    static let configuration = described(
        "render", "Write a queue as it would be heard into a WAV file.")
    @Argument(parsing: .captureForPassthrough, help: "As undersongd render --help tells.")
    var arguments: [String] = []
}

/// `undersong verify`
struct VerifyVerb: ServiceVerb {
    static let configuration = described(
        "verify", "Decode files and tell their true length, their seams and what is wrong in them.")
    @Argument(parsing: .captureForPassthrough, help: "As undersongd verify --help tells.")
    var arguments: [String] = []
}
