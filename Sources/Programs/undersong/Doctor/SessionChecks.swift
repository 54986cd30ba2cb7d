import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLibrary
import UndersongLocation

/// Checks what a service that is running depends on.
enum SessionCheck {
    /// The findings for a session's service; none for what it does not use.
    static func findings(_ session: String) -> [Finding] {
        guard let service = try? Service(to: "look", session: session) else { return [] }
        let pushes = service.answer(to: GetPushStatus(), within: 2)
        let locations = service.answer(to: GetLocationStatus(), within: 2)
        let library = service.answer(to: GetLibrary(), within: 2)
        let why = service.answer(to: GetWhy(), within: 2)
        let apps = service.answer(to: GetApps(), within: 2)
        return [
            pushes.flatMap { PushCheck.finding($0, session: session) },
            locations.flatMap { LocationCheck.finding($0, session: session) },
        ].compactMap { $0 }
            + LibraryCheck.findings(library, why?.libraryTrouble, session: session)
            + (apps.map { AppCheck.findings($0, session: session) } ?? [])
            + [session == SessionName.standard ? mpd(service) : nil].compactMap { $0 }
    }

    private static func mpd(_ service: Service) -> Finding? {
        guard let hello = service.answer(to: Hello(client: "look"), within: 2) else { return nil }
        return MPDCheck.finding(
            at: MPDCheck.path, holder: UnixSocket.holder(of: MPDCheck.path),
            service: hello.process)
    }
}

/// Checks whether pushes can wake the services that are running.
enum PushCheck {
    /// The finding for a service; nil if it has nothing to do with pushes.
    static func finding(_ status: PushStatus, session: String) -> Finding? {
        let isUsed =
            status.provider != .known(.local) || status.programs > 0 || !status.waiting.isEmpty
            || status.counts.received > 0
        guard isUsed else { return nil }
        let subject = "pushes of \(session)"
        let option = session == SessionName.standard ? "" : " --session \(session)"
        guard status.declared else {
            return .note(
                subject, "the mode remote-notification is not declared, so that they wake nothing",
                "undersong capability remote-notification on\(option)")
        }
        if let trouble = status.subscription.flatMap({ PushText.trouble($0).first }) {
            return .note(subject, trouble, "undersong push status\(option)")
        }
        if status.subscription?.startable == false {
            return .note(
                subject,
                "the session bus cannot start undersong-transferd for them, so that some "
                    + "distributors end the registration",
                "install Resources/dbus/net.undersong.undersong.service as "
                    + "Documentation/manual/service.md says")
        }
        guard let first = status.waiting.first else {
            return .good(
                subject, "they come from \(PushText.provider(status)), and none is waiting")
        }
        return .note(subject, PushText.line(first), "undersong push status\(option)")
    }
}

/// Checks whether the services that are running get the locations that they are to follow.
enum LocationCheck {
    /// The finding for a service; nil if it has nothing to do with locations.
    static func finding(_ status: LocationStatus, session: String) -> Finding? {
        guard status.settings.isUpdating || !status.places.isEmpty else { return nil }
        let subject = "locations of \(session)"
        let option = session == SessionName.standard ? "" : " --session \(session)"
        switch status.sourceState {
        case .available, .searching: return .good(subject, LocationText.source(status))
        case .closed, .unavailable, .denied:
            return .note(
                subject, LocationText.source(status), "undersong location status\(option)")
        }
    }
}

/// Checks whether the library can be read and kept, whether its folders are there, and whether it is
/// kept current.
enum LibraryCheck {
    /// The findings for a service, whose status is nil if there is none; none if it has no folders and
    /// no trouble.
    static func findings(
        _ status: LibraryStatus?, _ trouble: Why.Trouble?, session: String
    ) -> [Finding] {
        let subject = "library of \(session)"
        var findings = trouble.map { [Finding.wrong(subject, $0.reason, $0.remedy)] } ?? []
        guard let status, !status.folders.isEmpty else { return findings }
        let option = session == SessionName.standard ? "" : " --session \(session)"
        for folder in status.folders {
            if folder.missingSince != nil {
                findings.append(
                    .note(
                        subject,
                        "\(folder.path) is not there; its tracks are kept for 30 days",
                        "if it is gone for good: undersong library remove "
                            + "'\(folder.path)'\(option)"))
            } else if let problem = folder.watchProblem {
                findings.append(
                    .note(
                        subject, "\(folder.path) is checked only once an hour: \(problem)",
                        "undersong library update\(option) finds changes at once"))
            }
        }
        if let first = status.problems.first {
            let rest = status.problems.count - 1
            findings.append(
                .note(subject, first + (rest == 0 ? "" : ", and \(rest) more")))
        }
        if findings.isEmpty {
            findings.append(
                .good(subject, "\(status.trackCount) tracks, and changes are noticed"))
        }
        return findings
    }
}

/// Checks whether the apps can be launched, and what keeps programs from running.
enum AppCheck {
    /// The findings for a service; none if it has no apps, and no program is held.
    static func findings(
        _ list: AppList, session: String, locks: String = (try? LockTable.text()) ?? ""
    ) -> [Finding] {
        let option = session == SessionName.standard ? "" : " --session \(session)"
        let wrong = list.apps.compactMap { finding($0, option, locks) }
        let held = list.problems.map {
            Finding.note("programs of \(session)", $0, "undersong app\(option)")
        }
        guard wrong.isEmpty, held.isEmpty, !list.apps.isEmpty else { return wrong + held }
        let count = list.apps.count
        return [
            .good("apps of \(session)", "\(count) app\(count == 1 ? "" : "s") can be launched")
        ]
    }

    private static func finding(
        _ status: AppStatus, _ option: String, _ locks: String
    ) -> Finding? {
        let id = status.app.identifier
        let subject = "app \(id)"
        if let program = status.app.command.first,
            let problem = AppProgram.problem(FilePath(program))
        {
            return .wrong(
                subject, "its program \(program) \(problem)",
                "install it again, or forget it: undersong app remove \(id)\(option)")
        }
        let holds = status.process.map { LockTable.names($0, in: locks) } == true
        if status.state == .known(.suspended), holds {
            return .note(
                subject, "it is suspended, and holds the lock of a file, for which others may wait",
                "undersong app open \(id)\(option)")
        }
        return status.problem.map { .note(subject, $0, "undersong app log \(id)\(option)") }
    }
}

/// The kernel's table of file locks.
enum LockTable {
    static func text() throws -> String {
        String(decoding: try InputFile(path: "/proc/locks").bytes(), as: UTF8.self)
    }

    /// True if a process holds a lock in the table. Those who wait for one have an arrow before it.
    static func names(_ process: Int32, in table: String) -> Bool {
        table.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 4 && fields[1] != "->" && fields[4] == "\(process)"
        }
    }
}
