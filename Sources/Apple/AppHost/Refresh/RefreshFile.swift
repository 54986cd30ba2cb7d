import Glibc
import UndersongBackground
import UndersongBase

/// The file in which requests, runs and what was learned survive the process.
struct RefreshFile: Sendable {
    /// How many runs are kept.
    static let runLimit = 100

    let path: String
    /// Identifies the time since the machine was started; empty if it is not known.
    let boot: String

    /// A new content of the file.
    struct Change {
        let file: RefreshFile
        let record: RefreshRecord

        /// Writes it, durably. Returns why that is not possible.
        func write() -> String? {
            var code = RecordFile.write(record, to: file.path)
            if code == 0 { code = RecordFile.sync(folder: file.folder) }
            return code == 0
                ? nil : "cannot keep background tasks in \(file.path): \(Self.reason(code))"
        }

        private static func reason(_ code: Int32) -> String {
            unsafe String(cString: strerror(code))
        }
    }

    private var folder: String {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return folder.isEmpty ? "." : folder.joined(separator: "/") + "/"
    }

    /// What the last process has left; nil if there is none. A file that is damaged is put aside,
    /// and reported.
    func read() -> (memory: RefreshScheduler.Memory?, damage: String?) {
        if let record = RecordFile.read(RefreshRecord.self, from: path) {
            return (record.memory(boot: boot), nil)
        }
        guard unsafe access(path, F_OK) == 0 else { return (nil, nil) }
        let aside = path + ".damaged"
        unsafe rename(path, aside)
        return (nil, "\(path) is damaged and begins empty; what it had is in \(aside)")
    }

    /// What to write, now that the state is `state`.
    func change(to state: RefreshCenter.State) -> Change {
        Change(file: self, record: RefreshRecord(state, boot: boot))
    }
}

extension RefreshCenter.State {
    /// Notes runs that have begun or ended.
    mutating func note(_ effects: [RefreshScheduler.Effect]) {
        for case .keep(.run(let run)) in effects { runs[run.number] = run }
        guard runs.count > RefreshFile.runLimit else { return }
        for number in runs.keys.sorted().dropLast(RefreshFile.runLimit) { runs[number] = nil }
    }

    /// What to write after `effects`; nil if nothing has changed, or nothing is kept.
    func change(by effects: [RefreshScheduler.Effect]) -> RefreshFile.Change? {
        let hasChanged = effects.contains { if case .keep = $0 { true } else { false } }
        return hasChanged ? file?.change(to: self) : nil
    }
}
