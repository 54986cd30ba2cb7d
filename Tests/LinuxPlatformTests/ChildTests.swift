import Glibc
import TestSupport
import Testing

@Suite(.blockingThreads) struct `A program that a test starts` {
    @Test func `A test's program is reaped although nobody waits for it`() throws {
        let program = try Child("/bin/true", [], [:], [])

        try waitUntil { program.status != nil }

        #expect(kill(program.process, 0) != 0)
        #expect(try program.wait() == 0)
    }

    @Test func `A test's program reports the signal that ended it`() throws {
        let program = try Child("/bin/sleep", ["infinity"], [:], [])

        program.end(by: SIGTERM)

        #expect(program.status == 128 + SIGTERM)
    }

    @Test func `A program that nobody has reaped fails the test run`() async {
        await #expect(processExitsWith: .failure) {
            _ = try Child("/bin/true", [], [:], []).wait()
            var process = pid_t()
            var arguments = [strdup("/bin/true"), nil]
            posix_spawn(&process, "/bin/true", nil, nil, &arguments, nil)
        }
    }
}
