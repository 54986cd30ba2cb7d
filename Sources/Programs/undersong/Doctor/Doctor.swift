import ArgumentParser
import Glibc
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// Checks everything that background playback depends on.
struct Doctor {
    private let runtimeFolder = Environment.runtimeFolder
    private let home = Environment["HOME"]

    /// All findings, each after those that it depends on.
    func findings() -> [Finding] {
        [runtime(), program(), ConfigurationCheck.finding()] + sockets() + [
            ManifestCheck.finding(home: home)
        ]
            + [SoundServerCheck.finding(runtimeFolder: runtimeFolder)]
            + [SoundServerCheck.loudness()].compactMap { $0 }
            + DownloadCheck(
                runtimeFolder: runtimeFolder, stateFolder: Environment.stateFolder
            ).findings()
            + answering.flatMap(SessionCheck.findings)
            + units() + folders()
    }

    /// Checks that only this user can access the folder of the sockets.
    private func runtime() -> Finding {
        let subject = "runtime folder"
        let advice = "log in through PAM with systemd, or set XDG_RUNTIME_DIR to a folder of yours"
        if let declared = Environment["XDG_RUNTIME_DIR"], !declared.hasPrefix("/") {
            return .wrong(subject, "XDG_RUNTIME_DIR is \(declared), not an absolute path", advice)
        }
        guard let facts = FileFacts(runtimeFolder) else {
            return Environment["XDG_RUNTIME_DIR"] == nil
                ? .note(subject, "XDG_RUNTIME_DIR is not set; \(runtimeFolder) will be made")
                : .wrong(subject, "there is no \(runtimeFolder)", advice)
        }
        guard facts.isFolder, facts.isOwn else {
            return .wrong(subject, "\(runtimeFolder) is not a folder of this user", advice)
        }
        let own = ControlSocket.folder(runtimeFolder: runtimeFolder)
        if let facts = FileFacts(own, followsLinks: false), !facts.isOwn || facts.isOpenToOthers {
            return .wrong(subject, "\(own) is open to others (\(facts.mode))", "chmod 700 '\(own)'")
        }
        return .good(subject, runtimeFolder)
    }

    private func program() -> Finding {
        guard let path = ServiceProgram.found else {
            return .wrong(
                "service", "there is no undersongd beside undersong or on PATH",
                "install both programs into one folder")
        }
        return .good("service", path)
    }

    /// Checks each session's socket, and which service answers.
    private func sockets() -> [Finding] {
        let folder = ControlSocket.folder(runtimeFolder: runtimeFolder)
        let names = Folder.names(in: folder).filter { name in
            name.hasSuffix(".sock") && !name.hasSuffix(ControlSocket.transfers(of: "") + ".sock")
        }.map { String($0.dropLast(5)) }
        // Those that are only found by their state were started with another runtime folder.
        let sessions = Set(names + answering).sorted()
        guard !sessions.isEmpty else {
            return [.note("sessions", "no service is running", "'undersong play' starts one")]
        }
        return sessions.map { session in
            socket(
                "\(folder)/\(session).sock", session, isAnswering: answering.contains(session))
        }
    }

    /// The sessions with a service.
    private var answering: [String] {
        ControlSocket.sessions(
            runtimeFolder: runtimeFolder, stateFolder: Environment.stateFolder)
    }

    private func socket(_ path: String, _ session: String, isAnswering: Bool) -> Finding {
        let subject = "session \(session)"
        let facts = FileFacts(path, followsLinks: false)
        if let problem = facts?.socketProblem(subject, path) { return problem }
        guard isAnswering else {
            return .note(
                subject, "\(path) was left by a service that has died",
                "'undersong play --session \(session)' replaces it")
        }
        guard let service = try? Service(to: "look", session: session),
            let status = service.answer(to: GetStatus(), within: 2)
        else {
            return .wrong(
                subject, "the service accepts connections but does not answer",
                "see \(ControlSocket(session: session, runtimeFolder: runtimeFolder).logPath)"
            )
        }
        return Self.finding(subject, status, session: session)
    }

    /// The finding for a service that answers.
    static func finding(_ subject: String, _ status: PlayerStatus, session: String) -> Finding {
        let line = StatusText.line(status)
        if let holder = status.heldBy {
            return .wrong(
                subject, "\(HolderText.name(holder)) has the queue, and does not answer",
                holder == 0 ? "find it: pgrep -a undersongd" : "end it: kill \(holder)")
        }
        let option = session == SessionName.standard ? "" : " --session \(session)"
        if status.settings.muted == true {
            return .note(subject, line, "unmute it: undersong volume unmute\(option)")
        }
        if status.settings.volume == 0 {
            return .note(subject, line, "raise its volume: undersong volume 50\(option)")
        }
        return .good(subject, line)
    }

    /// Checks the units with which systemd starts the service. They are optional.
    private func units() -> [Finding] {
        let config = Environment["XDG_CONFIG_HOME"] ?? home.map { $0 + "/.config" }
        let data = Environment["XDG_DATA_HOME"] ?? home.map { $0 + "/.local/share" }
        let folders =
            [config, data].compactMap { $0 }.map { $0 + "/systemd/user" }
            + ["/etc/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user"]
        let units = [
            "undersong.service", "undersong.socket", "undersong-transfer.service",
            "undersong-transfer.socket", "undersong-transfer-login.service",
        ]
        return units.map { unit in
            let path = folders.map { "\($0)/\(unit)" }.first { FileFacts($0) != nil }
            return path.map { .good("unit \(unit)", $0) }
                ?? .note("unit \(unit)", "not installed, \(Self.without(unit))")
        }
    }

    /// The consequence of a missing unit.
    private static func without(_ unit: String) -> String {
        unit == "undersong-transfer-login.service"
            ? "downloads continue after a restart when 'undersong download' is used"
            : "undersong starts the service itself"
    }

    /// Checks the user's folders that are set by variables.
    private func folders() -> [Finding] {
        let defaults = [
            ("XDG_CONFIG_HOME", "/.config"), ("XDG_STATE_HOME", "/.local/state"),
            ("XDG_CACHE_HOME", "/.cache"),
        ]
        return defaults.map { name, standard in
            guard let path = Environment[name] ?? home.map({ $0 + standard }) else {
                return .wrong(name, "neither it nor HOME is set", "set HOME to your folder")
            }
            guard path.hasPrefix("/") else {
                return .wrong(name, "\(path) is not an absolute path", "set it to one, or unset it")
            }
            guard Folder.isWritable(path) else {
                return .wrong(
                    name, "\(path) cannot be written", "check its owner: ls -ld '\(path)'")
            }
            return Folder.hasRoom(path)
                ? .good(name, path)
                : .wrong(name, "\(path) has no room: its disk is full", "see df -h '\(path)'")
        }
    }
}

extension Folder {
    /// True if the disk has room for files in the folder, or, if it does not exist, in the nearest
    /// one above it.
    static func hasRoom(_ path: String) -> Bool {
        var facts = statvfs()
        if unsafe statvfs(path, &facts) == 0 {
            // Disks without limits, as some virtual ones are, count no blocks or no files at all.
            return (facts.f_blocks == 0 || facts.f_bavail * facts.f_frsize >= leastRoom)
                && (facts.f_files == 0 || facts.f_favail > 0)
        }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            return true
        }
        return hasRoom(String(path[..<slash]))
    }

    /// The bytes with which the state can still be written.
    private static let leastRoom: UInt = 256 << 10

    /// True if files can be created in the folder, or, if it does not exist, in the nearest one
    /// above it.
    static func isWritable(_ path: String) -> Bool {
        guard FileFacts(path) == nil else { return unsafe access(path, W_OK | X_OK) == 0 }
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return false }
        return isWritable(String(path[..<slash]))
    }
}

/// `undersong doctor`: finds problems of the installation, and suggests remedies.
struct DoctorVerb: Verb {
    static let configuration = described(
        "doctor", "Find what keeps music from playing, and suggest a remedy.",
        discussion: "Exit status: 0 if nothing is wrong, 1 if something is.")

    @Flag(help: "Print the findings as JSON.") var json = false

    func perform() throws {
        let findings = Doctor().findings()
        let text =
            json ? JSONLine.text(of: findings) : findings.map(\.lines).joined(separator: "\n")
        writeOutput(text + "\n")
        if findings.contains(where: { $0.verdict == .wrong }) { throw ExitCode(1) }
    }
}
