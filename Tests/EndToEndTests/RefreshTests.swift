import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongControl

extension EndToEnd {
    /// Background tasks with the real programs.
    @Suite struct `A service with background tasks` {
        private let folder: RuntimeFolder
        private let daemon: Daemon

        init() throws {
            folder = try RuntimeFolder()
            daemon = try Daemon(in: folder.path)
        }

        /// The output of the client, which has to succeed.
        private func undersong(_ arguments: String...) throws -> String {
            let program = try Program(
                Program.path(of: "undersong"), arguments, environment: daemon.environment)
            #expect(try program.wait() == 0, "\(program.errorText)")
            return program.text
        }

        @Test
        func `A service is left alone by the timer while it runs, and started when it does not`()
            throws
        {
            // It has the store once it has answered.
            _ = try daemon.client().call(GetRefreshStatus())
            kill(daemon.process, SIGSTOP)

            // A call to it would never be answered.
            #expect(try undersong("fetch", "due") == "")
            kill(daemon.process, SIGCONT)
            daemon.end(by: SIGKILL)
            #expect(try undersong("fetch", "due") == "")

            #expect(try undersong("status").contains("host background"))
            _ = try undersong("shutdown")
        }

        @Test func `A service leaves a snapshot that is shown while it is asleep`() throws {
            let client = try daemon.client()
            let none = try Program(
                Program.path(of: "undersong"), ["snapshot"], environment: daemon.environment)
            #expect(try none.wait() == 1)
            #expect(
                none.errorText
                    == "undersong: cannot show the snapshot: There is none until the player has left "
                    + "the foreground\n")
            _ = try client.call(Attach(state: .active, source: "option"))
            _ = try client.call(Attach(state: .background, source: "option"))
            let file = daemon.state + "/" + StateSnapshot.fileName
            try waitUntil { access(file, F_OK) == 0 }
            kill(daemon.process, SIGSTOP)
            defer { kill(daemon.process, SIGCONT) }

            let text = try undersong("snapshot")
            let json = try undersong("snapshot", "--json")

            #expect(text.contains("as the player left the foreground\nplayer     "))
            #expect(text.contains("\ninterval   never"))
            let snapshot = try JSONDecoder().decode(StateSnapshot.self, from: Data(json.utf8))
            #expect(snapshot.after == .background && snapshot.status.host == .background)
        }

        @Test
        func `A service takes a snapshot after each task, and keeps the badge when it is killed`()
            throws
        {
            let identifier = "net.undersong.refresh"
            let launches = Inbox<RefreshLaunch>()
            let client = try daemon.client { notice in
                if notice.method == RefreshLaunch.method,
                    let launch = try? notice.decode(RefreshLaunch.self)
                {
                    launches.put(launch)
                }
            }
            _ = try client.call(PermitIdentifier(identifier, on: true))
            _ = try client.call(RegisterRefresh(identifier))

            _ = try client.call(RunRefresh())
            _ = try client.call(
                CompleteRefresh(
                    try launches.next().run.number, RefreshCompletion(.newData, new: 4)))

            let file = URL(filePath: daemon.state + "/" + StateSnapshot.fileName)
            try waitUntil { access(file.path, F_OK) == 0 }
            let snapshot = try JSONDecoder().decode(
                StateSnapshot.self, from: try Data(contentsOf: file))
            #expect(snapshot.after == .fetch)
            #expect(snapshot.refresh.badge == 4)
            #expect(snapshot.refresh.runs.first?.result == .newData)
            daemon.end(by: SIGKILL)
            try daemon.start()
            #expect(try daemon.client().call(GetRefreshStatus()).badge == 4)
        }

        @Test func `A killed service keeps what the user has switched off`() throws {
            let client = try daemon.client()
            _ = try client.call(DenyRefresh())

            daemon.end(by: SIGKILL)
            try daemon.start()
            let status = try daemon.client().call(GetRefreshStatus())

            #expect(status.availability == .denied)
            #expect(try daemon.client().call(AllowRefresh()).availability == .available)
        }
    }
}
