import UndersongBackground
import UndersongBase

/// The file in which requests, runs and what was learned survive the process.
struct RefreshFile: Sendable {
    /// How many runs are kept.
    static let runLimit = 100

    let path: String

    /// A new content of the file.
    struct Change {
        let file: RefreshFile
        let record: RefreshScheduler.Memory

        /// Writes it, durably. Returns why that is not possible.
        func write() -> String? {
            let code = RecordFile(file.path).save(record)
            return code == 0
                ? nil : "cannot keep background tasks in \(file.path): \(SystemError(code).reason)"
        }
    }

    /// The last process's record; nil if there is none. A file that is damaged is set aside,
    /// and reported.
    func read() -> (record: RefreshScheduler.Memory?, damage: String?) {
        RecordFile<RefreshScheduler.Memory>(path).load()
    }

    /// The record to write, now that the state is `state`. Availability is the host's affair, which
    /// reports it at each start.
    func change(to state: RefreshCenter.State) -> Change {
        var memory = state.scheduler.memory
        memory.runs = memory.runs.suffix(Self.runLimit)
        memory.isDenied = false
        return Change(file: self, record: memory)
    }
}

extension RefreshCenter.State {
    /// The record to write after `effects`; nil if nothing has changed, or nothing is kept.
    func change(by effects: [RefreshScheduler.Effect]) -> RefreshFile.Change? {
        let hasChanged = effects.contains { if case .keep = $0 { true } else { false } }
        return hasChanged ? file?.change(to: self) : nil
    }
}
