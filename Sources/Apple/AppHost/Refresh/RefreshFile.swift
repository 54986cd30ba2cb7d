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
            let code = RecordFile(file.path).save(record)
            return code == 0
                ? nil : "cannot keep background tasks in \(file.path): \(SystemError(code).reason)"
        }
    }

    /// The last process's record; nil if there is none. A file that is damaged is set aside,
    /// and reported.
    func read() -> (memory: RefreshScheduler.Memory?, damage: String?) {
        let (record, damage) = RecordFile<RefreshRecord>(path).load()
        return (record?.memory(boot: boot), damage)
    }

    /// The record to write, now that the state is `state`.
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

    /// The record to write after `effects`; nil if nothing has changed, or nothing is kept.
    func change(by effects: [RefreshScheduler.Effect]) -> RefreshFile.Change? {
        let hasChanged = effects.contains { if case .keep = $0 { true } else { false } }
        return hasChanged ? file?.change(to: self) : nil
    }
}
