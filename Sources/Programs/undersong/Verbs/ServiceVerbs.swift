import ArgumentParser

/// A verb that the service's program performs.
protocol ServiceVerb: Verb {
    /// The arguments after the verb.
    var arguments: [String] { get }
}

extension ServiceVerb {
    /// Replaces this process by `undersongd` with the same arguments.
    func perform() throws {
        let name = Self.configuration.commandName ?? ""
        throw ServiceProgram.become([name] + arguments)
    }
}

struct ServeVerb: ServiceVerb {
    static let configuration = described(
        "serve", "Run the service until SIGTERM or 'undersong shutdown'.")
    @Argument(parsing: .captureForPassthrough, help: "Listed by 'undersong serve --help'.")
    var arguments: [String] = []
}

struct RenderVerb: ServiceVerb {
    static let configuration = described(
        "render", "Render a queue to a WAV file, as it would be heard.")
    @Argument(parsing: .captureForPassthrough, help: "Listed by 'undersong render --help'.")
    var arguments: [String] = []
}

struct VerifyVerb: ServiceVerb {
    static let configuration = described(
        "verify", "Verify that files are undamaged, and report their true length and their seams.")
    @Argument(parsing: .captureForPassthrough, help: "Listed by 'undersong verify --help'.")
    var arguments: [String] = []
}
