import Testing

@testable import UndersongService

/// What a client starts its service with is read without the parser: it means what that says it means.
@Suite struct `A plain call to serve` {
    @Test(arguments: [
        [], ["--session", "kitchen"], ["--session", "a", "--listen-fd", "3", "--on-demand"],
        ["--on-demand"], ["--on-demand", "--sound-server", ""], ["--sound-server", "tcp:a"],
    ])
    func `is what the parser makes of it`(arguments: [String]) throws {
        #expect(ServeRun(plain: arguments) == (try Serve.parse(arguments).serving))
    }

    @Test(arguments: [
        ["--help"], ["--session"], ["--session", "a/b"], ["--listen-fd"], ["--listen-fd", "x"],
        ["--idle-exit", "3", "--on-demand"], ["--resume"], ["x"],
        ["--sound-server"],
    ])
    func `is nothing else`(arguments: [String]) {
        #expect(ServeRun(plain: arguments) == nil)
    }
}
