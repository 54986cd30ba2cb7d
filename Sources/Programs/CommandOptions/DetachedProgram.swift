import CUndersongLinux
import Glibc
package import UndersongBase
import UndersongControl

/// A program that is started for the user, not as a part of this one: it outlives this process, and
/// has neither its terminal, nor its descriptors, nor its sandbox.
///
/// A service's own children have its sandbox, and end with it. Where systemd has started this process,
/// it therefore starts the program, too; if it does not, the program is started here all the same.
package struct DetachedProgram: Sendable {
    /// A step of a program that was started.
    package enum Event: Sendable {
        /// systemd does not start it, which is tried here next; a sentence.
        case trouble(String)
        /// It could not be started, for this reason.
        case failed(String)
        /// It runs. Not reported of a program that systemd runs in a unit without a name.
        case began(ProcessIdentity)
        /// It has ended with this status, as a shell reports it.
        case ended(ProcessIdentity, status: Int32)
    }

    private typealias Report = @Sendable (Event) -> Void

    /// The program, as an absolute path, and its arguments.
    private let words: [String]
    /// The working folder.
    package var folder = "/"
    /// Variables for its environment.
    package var variables: [String: String] = [:]
    /// The file to which its output is appended; nil for none.
    package var log: String?
    /// The name of the unit in which systemd runs it; nil for one that systemd chooses.
    package var unit: String?
    /// True if systemd has started this process as a service.
    package var isInService = Environment["INVOCATION_ID"] != nil
    /// The folders, separated by colons, in which systemd's tools are looked for.
    package var searchPath = Environment["PATH"]

    package init(_ words: [String]) { self.words = words }

    /// Starts it. Calls `report` with its steps: with the first ones here, with the others on a thread
    /// that waits for its end.
    package func start(_ report: @escaping @Sendable (Event) -> Void) {
        guard isInService else { return startHere(report) }
        let name = "systemd-run"
        let fallBack = { @Sendable (reason: String) in
            report(.trouble("cannot start \(words[0]) by \(name): \(reason)"))
            startHere(report)
        }
        do throws(NewProcess.StartError) {
            let run = try tool(name, systemdWords).start()
            startThread(named: "launch") {
                let status = run.reap().shellStatus
                guard status == 0 else { return fallBack("It ends with status \(status)") }
                if let unit { follow(unit, report) }
            }
        } catch {
            fallBack(error.cause.reason)
        }
    }

    /// Starts it as a child of this process.
    private func startHere(_ report: @escaping Report) {
        var process = NewProcess(FilePath(words[0]), Array(words.dropFirst()))
        process.descriptors =
            log.map { [.null, .appended($0), .appended($0)] } ?? [.null, .null, .null]
        process.folder = folder
        process.variables = variables.mapValues { Array($0.utf8) }
        do throws(NewProcess.StartError) {
            let child = try process.start()
            // It keeps its number until it is reaped.
            let identity = ProcessCondition(of: child.id)?.identity
            if let identity { report(.began(identity)) }
            startThread(named: "child's end") {
                let status = child.reap().shellStatus
                if let identity { report(.ended(identity, status: status)) }
            }
        } catch {
            report(.failed(error.cause.reason))
        }
    }

    // MARK: systemd

    /// The words of `systemd-run` after its name.
    private var systemdWords: [String] {
        var options = ["--user", "--quiet"]
        if let unit {
            // What fails stays until its status was read.
            options += ["--service-type=exec", "--unit=\(unit)", "--working-directory=\(folder)"]
            // A process that it has forked outlives it, as elsewhere.
            options.append("--property=KillMode=process")
        } else {
            options.append("--collect")
        }
        options += variables.sorted { $0.key < $1.key }.map { "--setenv=\($0.key)=\($0.value)" }
        if let log {
            options += ["Output", "Error"].map { "--property=Standard\($0)=append:\(log)" }
        }
        // systemd replaces variables in the arguments.
        let arguments = words.dropFirst().map {
            $0.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$")
        }
        return options + ["--", words[0]] + arguments
    }

    /// Follows the program of a unit to its end.
    private func follow(_ unit: String, _ report: Report) {
        guard let process = Int32(property("MainPID", of: unit)), process > 0,
            let identity = ProcessCondition(of: process)?.identity
        else { return report(.failed("It has ended at once, with status \(status(of: unit))")) }
        report(.began(identity))
        let descriptor = pidfd_open(process, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        Wakeup.wait(for: descriptor)
        report(.ended(identity, status: status(of: unit)))
    }

    /// The exit status of a unit whose program has ended. A failed unit is forgotten by that.
    private func status(of unit: String) -> Int32 {
        let status = Int32(property("ExecMainStatus", of: unit)) ?? 0
        // 1 is the code of an exit, and the others are those of signals.
        let isExit = ["0", "1"].contains(property("ExecMainCode", of: unit))
        _ = output(of: "systemctl", ["--user", "--quiet", "reset-failed", unit])
        return isExit ? status : 128 + status
    }

    private func property(_ name: String, of unit: String) -> String {
        output(of: "systemctl", ["--user", "show", "--property=\(name)", "--value", unit])
    }

    /// The first line of a tool's output; empty if it cannot be started.
    private func output(of name: String, _ words: [String]) -> String {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return "" }
        defer { close(ends[0]) }
        var process = tool(name, words)
        process.descriptors[1] = .duplicate(of: ends[1])
        let child = try? process.start()
        close(ends[1])
        guard let child else { return "" }
        let bytes = (try? readAll(from: ends[0], limit: 4096)) ?? []
        child.reap()
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// One of systemd's tools, without input and output.
    private func tool(_ name: String, _ words: [String]) -> NewProcess {
        let path = ServiceStarter.program(named: name, searchPath: searchPath)
        var process = NewProcess(FilePath(path ?? "/usr/bin/" + name), words)
        process.descriptors = [.null, .null, .null]
        process.folder = "/"
        return process
    }
}
