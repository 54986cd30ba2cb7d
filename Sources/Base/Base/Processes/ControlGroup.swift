import Glibc

/// The control group of a process in the kernel's unified hierarchy (cgroup v2). Any thread may use
/// it.
struct ControlGroup {
    /// The folder where the unified hierarchy is mounted; nil if it is not.
    private static let mount = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first {
        unsafe access($0 + "/cgroup.controllers", F_OK) == 0
    }

    private let folder: String

    /// Finds the control group of a process; nil if it is the root, or outside of what this process
    /// sees of the hierarchy.
    init?(of process: Int32) {
        let lines = KernelFile.text(of: "/proc/\(process)/cgroup", limit: 65536)
        let path = lines.split(separator: "\n").first { $0.hasPrefix("0::/") }?.dropFirst(3)
        guard let mount = Self.mount, let path, path != "/", !path.hasPrefix("/..") else {
            return nil
        }
        folder = mount + path
    }

    /// True if it is frozen, or is being frozen, by itself or with a group that contains it.
    var isFrozen: Bool {
        KernelFile.text(of: folder + "/cgroup.events", limit: 1024).contains("frozen 1")
            || isFreezing
    }

    /// True if it is to be frozen by itself.
    var isFreezing: Bool { KernelFile.line(of: folder + "/cgroup.freeze") == "1" }

    /// Returns true if a process is alone in it, and it contains no other groups.
    func contains(only process: Int32) -> Bool {
        let statistics = KernelFile.text(of: folder + "/cgroup.stat", limit: 1024)
        return KernelFile.text(of: folder + "/cgroup.procs") == "\(process)\n"
            && statistics.split(separator: "\n").first == "nr_descendants 0"
    }

    /// Freezes all of its processes, or thaws them. Returns false if this process may not do that.
    func freeze(_ isFrozen: Bool) -> Bool {
        let file = unsafe open(folder + "/cgroup.freeze", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return writeAll(Array((isFrozen ? "1" : "0").utf8), to: file) == 0
    }
}
