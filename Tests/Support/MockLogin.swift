/// A mock of systemd's login manager on a message bus of the test's own: the program `mock-logind`.
package final class MockLogin: Sendable {
    private let program: MockProgram

    /// Starts it and waits until it is listening.
    package init() throws { program = try MockProgram("mock-logind") }

    /// The address of the bus.
    package var address: String { program.address }

    /// One line for each inhibitor taken or released.
    package var inhibitors: Inbox<String> { program.lines }

    /// Sends a command to the mock, named after one of its methods, and waits until it is done.
    package func send(_ line: String) throws { try program.send(line) }
}
