import Testing

@testable import UndersongService

/// Arguments with which a client starts its service are parsed without the argument parser, with
/// the same result.
@Suite struct `A plain call to serve` {
    @Test(arguments: [
        [], ["--session", "kitchen"], ["--session", "a", "--listen-fd", "3", "--on-demand"],
        ["--on-demand"], ["--on-demand", "--sound-server", ""], ["--sound-server", "tcp:a"],
    ])
    func `A plain call to serve gives the same result as the parser`(arguments: [String]) throws {
        #expect(ServeRun(plain: arguments) == (try Serve.parse(arguments).serving))
    }

    @Test(arguments: [
        ["--help"], ["--session"], ["--session", "a/b"], ["--listen-fd"], ["--listen-fd", "x"],
        ["--idle-exit", "3", "--on-demand"], ["--resume"], ["x"], ["--on-item", "true"],
        ["--sound-server"],
    ])
    func `A plain call to serve rejects everything else`(arguments: [String]) {
        #expect(ServeRun(plain: arguments) == nil)
    }
}
