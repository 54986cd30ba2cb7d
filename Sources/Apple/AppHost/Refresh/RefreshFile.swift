import UndersongBackground
import UndersongBase

/// The file in which requests, runs and what was learned survive the process.
struct RefreshFile {
    /// The number of runs that are kept.
    private static let runLimit = 100

    let path: String

    /// The last process's record; nil if there is none. A file that is damaged is set aside, and
    /// reported.
    func read() -> (record: RefreshScheduler.Memory?, damage: String?) {
        RecordFile<RefreshScheduler.Memory>(path).load()
    }

    /// Writes a record, durably. Returns why that is not possible. Availability is not kept: the
    /// application reports it at each start.
    func write(_ memory: RefreshScheduler.Memory) -> String? {
        var record = memory
        record.runs = record.runs.suffix(Self.runLimit)
        record.isDenied = false
        let code = RecordFile(path).save(record)
        return code == 0
            ? nil : "cannot keep background tasks in \(path): \(SystemError(code).reason)"
    }
}
