import Foundation
import Glibc
import TestSupport
import Testing

/// The units in Resources/systemd, as systemd reads them.
@Suite(.blockingThreads) struct `The systemd units` {
    private static let analyze = "/usr/bin/systemd-analyze"
    private static let isHere = FileManager.default.isExecutableFile(atPath: analyze)
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Resources/systemd")

    @Test(.enabled(if: isHere))
    func `The systemd units are valid to systemd, and so is the drop-in`() throws {
        let home = try Home()
        let dropIns = home.url.appending(path: "units/undersong.service.d")
        let units = [
            "undersong.service", "undersong.socket", "undersong-transfer.service",
            "undersong-transfer.socket", "undersong-transfer-login.service",
            "undersong-refresh.timer", "undersong-refresh.service",
        ]
        try FileManager.default.createDirectory(at: dropIns, withIntermediateDirectories: true)
        for unit in units {
            try copy(unit, to: home.url.appending(path: "units"))
        }
        let arguments = units.map { home.url.appending(path: "units/" + $0).path }

        let plain = try run(["verify"] + arguments, home)
        try copy("without-user-namespaces.conf", to: dropIns)
        let dropped = try run(["verify"] + arguments, home)

        #expect(plain == Result(status: 0, text: ""))
        #expect(dropped == Result(status: 0, text: ""))
    }

    @Test(
        .enabled(if: isHere),
        // Tenths: the one that downloads has a network, and writes into the home folder.
        arguments: [("undersong.service", 20), ("undersong-transfer.service", 30)])
    func `The systemd units expose little of the user to a compromised program`(
        name: String, threshold: Int
    ) throws {
        let home = try Home()
        let unit = Self.folder.appending(path: name).path

        let security = try run(
            ["security", "--offline=yes", "--threshold=\(threshold)", unit], home)

        #expect(security.status == 0)
    }

    @Test func `The systemd units give a network to the program that downloads, and to no other`()
        throws
    {
        let player = try settings("undersong.service")
        let downloads = try settings("undersong-transfer.service")

        #expect(player["PrivateNetwork"] == ["yes"])
        #expect(player["RestrictAddressFamilies"] == ["AF_UNIX"])
        #expect(downloads["PrivateNetwork"] == nil)
        #expect(downloads["RestrictAddressFamilies"] == ["AF_UNIX AF_INET AF_INET6 AF_NETLINK"])
        #expect(downloads["Slice"] == ["background.slice"])
        #expect(downloads["IOSchedulingClass"] == ["idle"])
        // What is otherwise forbidden to the player is so to it.
        for name in [
            "NoNewPrivileges", "CapabilityBoundingSet", "PrivateUsers", "PrivateDevices",
            "ProtectSystem", "ProtectKernelTunables", "ProtectControlGroups", "RestrictNamespaces",
            "RestrictSUIDSGID", "LockPersonality", "MemoryDenyWriteExecute", "SystemCallFilter",
        ] {
            #expect(downloads[name] == player[name] && player[name] != nil, "\(name)")
        }
    }

    /// Otherwise it stops apps by SIGSTOP, unnoticed.
    @Test func `The player may write the control groups of what it launches, and no others`() throws
    {
        let player = try settings("undersong.service")
        let apps = "user.slice/user-%U.slice/user@%U.service/app.slice"

        #expect(player["ProtectControlGroups"] == ["yes"])
        let paths = try #require(player["ReadWritePaths"])
        #expect(
            paths.filter { $0.contains("cgroup") }
                == ["-/sys/fs/cgroup/\(apps)", "-/sys/fs/cgroup/unified/\(apps)"])
    }

    @Test func `The units start the transfers for the first client, and at login for the rest`()
        throws
    {
        let socket = try settings("undersong-transfer.socket")
        let login = try settings("undersong-transfer-login.service")
        let program = try settings("undersong-transfer.service")

        #expect(socket["ListenStream"] == ["%t/undersong/default.transfer.sock"])
        #expect(socket["WantedBy"] == ["sockets.target"])
        #expect(program["Requires"] == ["undersong-transfer.socket"])
        #expect(login["WantedBy"] == ["default.target"])
        #expect(
            login["ConditionDirectoryNotEmpty"]
                == ["pending", "regions"].map {
                    "|%h/.local/state/undersong/default/transfers/\($0)"
                })
        #expect(
            login["ExecStart"] == ["systemctl --user --no-block start undersong-transfer.service"])
        #expect(program["Also"] == ["undersong-transfer.socket undersong-transfer-login.service"])
    }

    @Test func `The systemd units are started by the session bus, too, for a push`() throws {
        let name = "net.undersong.undersong"
        let service = try settings("../dbus/\(name).service")
        let unit = try #require(service["SystemdService"]?.first)
        let program = try settings(unit)

        #expect(service["Name"] == [name])
        #expect(
            service["Exec"] == ["/bin/sh -c 'exec \"$HOME/.local/bin/undersong-transferd\"'"])
        #expect(program["ExecStart"] == ["%h/.local/bin/undersong-transferd"])
    }

    /// The settings of a unit, in order, by their names.
    private func settings(_ name: String) throws -> [String: [String]] {
        let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        var settings: [String: [String]] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let sign = line.firstIndex(of: "=") else { continue }
            let value = String(line[line.index(after: sign)...])
            settings[String(line[..<sign]), default: []].append(value)
        }
        return settings
    }

    private struct Result: Equatable {
        let status: Int32
        let text: String
    }

    /// A home folder with the programs, which the units refer to.
    private final class Home {
        let url = FileManager.default.temporaryDirectory.appending(path: "undersong-\(UUID())")

        init() throws {
            let programs = url.appending(path: ".local/bin")
            try FileManager.default.createDirectory(
                at: programs, withIntermediateDirectories: true)
            for name in ["undersong", "undersongd", "undersong-transferd"] {
                try FileManager.default.createSymbolicLink(
                    at: programs.appending(path: name),
                    withDestinationURL: URL(filePath: "/bin/true"))
            }
        }

        deinit { try? FileManager.default.removeItem(at: url) }
    }

    private func copy(_ name: String, to folder: URL) throws {
        try FileManager.default.copyItem(
            at: Self.folder.appending(path: name), to: folder.appending(path: name))
    }

    private func run(_ arguments: [String], _ home: Home) throws -> Result {
        let file = home.url.appending(path: "output").path
        let output = open(file, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
        defer { close(output) }
        let program = try Child(
            Self.analyze, ["--user", "--no-pager"] + arguments,
            [
                "HOME": home.url.path, "XDG_RUNTIME_DIR": home.url.path, "PATH": "/usr/bin:/bin",
                "XDG_CONFIG_HOME": home.url.path, "XDG_DATA_HOME": home.url.path,
            ], [FileHandle.nullDevice.fileDescriptor, output, output])
        let status = try program.wait()
        return Result(status: status, text: try String(contentsOfFile: file, encoding: .utf8))
    }
}
