import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongTransferClient

/// Checks what downloads depend on.
struct DownloadCheck {
    private static let session = SessionName.standard

    let runtimeFolder: String
    let stateFolder: String?

    func findings() -> [Finding] { [program(), socket()] + [folder()].compactMap { $0 } }

    /// Checks that the program is there and runs. It prints its version, and then its libraries'.
    private func program() -> Finding {
        let subject = "downloads"
        let found = ServiceStarter.program(
            named: TransferLocation.programName, searchPath: Environment["PATH"])
        guard let path = found else {
            return .wrong(
                subject, "there is no \(TransferLocation.programName) beside undersong or on PATH",
                "install all programs into one folder")
        }
        let lines = Helper.output(of: [path, "--version"], within: 3000)?.split(separator: "\n")
        guard let lines, !lines.isEmpty else {
            return .wrong(subject, "\(path) does not run", "run it to see why: '\(path)' --version")
        }
        return .good(subject, lines.count > 1 ? "\(path), with \(lines[1])" : path)
    }

    private func socket() -> Finding {
        let subject = "download socket"
        let name = ControlSocket.transfers(of: Self.session)
        let path = ControlSocket(session: name, runtimeFolder: runtimeFolder).path
        guard let facts = FileFacts(path, followsLinks: false) else {
            return .note(subject, "nothing is being downloaded")
        }
        if let problem = facts.socketProblem(subject, path) { return problem }
        switch RunningDownloads.list(
            session: Self.session, runtimeFolder: runtimeFolder, stateFolder: stateFolder, limit: 0)
        {
        case .success(let list):
            return .good(subject, "\(path), \(TransferText.summary(list)) under way")
        case .failure(.notRunning):
            return .note(
                subject, "\(path) was left by a program that has died",
                "'undersong download list' replaces it")
        case .failure(.silent):
            return .wrong(
                subject, "\(TransferLocation.programName) accepts connections but does not answer",
                "see \(ControlSocket(session: name, runtimeFolder: runtimeFolder).logPath)")
        }
    }

    /// Checks that what is received can be kept; nil if it is not known where.
    private func folder() -> Finding? {
        let subject = "download folder"
        guard let state = stateFolder else { return nil }
        let path = "\(state)/\(Self.session)/transfers"
        return Folder.isWritable(path)
            ? .good(subject, path)
            : .wrong(subject, "\(path) cannot be written", "check its owner: ls -ld '\(path)'")
    }
}
