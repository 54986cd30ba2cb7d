import CUndersongLinux
import Glibc

/// A process that is stopped, continued and ended only as long as its number belongs to it. Any thread
/// may use it.
package struct KnownProcess: Sendable {
    package let identity: ProcessIdentity
    /// The process group to stop and continue with it; nil for the process alone.
    package let group: Int32?

    package init(_ identity: ProcessIdentity, group: Int32? = nil) {
        self.identity = identity
        self.group = group
    }

    /// Suspends it: freezes its control group if it is alone in one that this user may write, and
    /// stops it by SIGSTOP otherwise.
    ///
    /// - Throws: `ESRCH` if it has ended, or the kernel's refusal.
    package func suspend() throws(SystemError) {
        if let own = ControlGroup(of: identity.id), own.contains(only: identity.id) {
            // The group was read by the number, which may have been another's by then.
            try check()
            if own.freeze(true) { return }
        }
        try send(SIGSTOP)
    }

    /// Continues it by SIGCONT, and thaws its control group. The other processes of its group are
    /// continued even if it has ended.
    ///
    /// - Throws: `ESRCH` if nothing is left to continue, or the kernel's refusal.
    package func resume() throws(SystemError) {
        if let own = ControlGroup(of: identity.id), own.contains(only: identity.id), own.isFreezing
        {
            try check()
            _ = own.freeze(false)
        }
        do throws(SystemError) {
            try send(SIGCONT)
        } catch {
            // While the number of its leader is free, a group is what is left of the old one.
            guard error.code == ESRCH, let group, group == identity.id,
                ProcessCondition(of: group) == nil, kill(-group, SIGCONT) == 0
            else { throw error }
        }
    }

    /// Ends it by SIGKILL, alone.
    ///
    /// - Throws: `ESRCH` if it has ended, or the kernel's refusal.
    package func end() throws(SystemError) {
        try KnownProcess(identity).send(SIGKILL)
    }

    /// Returns the condition of the process.
    ///
    /// - Throws: `ESRCH` if it has ended and its number is free, or another's.
    @discardableResult
    private func check() throws(SystemError) -> ProcessCondition {
        guard let condition = ProcessCondition(of: identity.id), condition.identity == identity
        else { throw SystemError(ESRCH) }
        return condition
    }

    /// Sends a signal to it, or to its group if it is still in that.
    private func send(_ signal: Int32) throws(SystemError) {
        // From now on the descriptor is this process's, whatever becomes of the number. Without one,
        // a kernel before 5.3 leaves a moment in which the number may change hands.
        let descriptor = pidfd_open(identity.id, 0)
        defer { if descriptor >= 0 { close(descriptor) } }
        let condition = try check()
        let isSent: Bool
        if let group, group > 1, condition.group == group, group != getpgrp() {
            isSent =
                (condition.leadsGroup && descriptor >= 0
                    && clinux_signal_group(descriptor, signal) == 0)
                || kill(-group, signal) == 0
        } else if descriptor >= 0 {
            isSent = clinux_signal(descriptor, signal) == 0
        } else {
            isSent = kill(identity.id, signal) == 0
        }
        guard isSent else { throw .last }
    }
}
