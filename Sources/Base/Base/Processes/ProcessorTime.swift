import Glibc

/// The time that processes have spent on processors.
package enum ProcessorTime {
    /// The lengths of a process's name, of its numbers before the times, and of the times.
    private static let limit = 512
    private static let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))

    /// Returns the seconds that a process and the children that it has waited for have spent, to a
    /// hundredth, also of one that has ended and was not reaped; nil if there is no such process.
    package static func seconds(ofProcess process: Int32) -> Double? {
        seconds(inStat: KernelFile.text(of: "/proc/\(process)/stat", limit: limit))
    }

    /// Returns the seconds in the text of a file `/proc/ID/stat`; nil if it is something else.
    static func seconds(inStat text: String) -> Double? {
        // The name, in parentheses, may contain anything.
        guard let name = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: name)...].split(separator: " ")
        guard fields.count > 14 else { return nil }
        let times = fields[11...14].compactMap { Double($0) }
        return times.count == 4 ? times.reduce(0, +) / ticks : nil
    }

    /// The seconds that this process has spent, without its children.
    package static var own: Double {
        var usage = rusage()
        unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }
}
