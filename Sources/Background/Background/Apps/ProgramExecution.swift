package import UndersongBase

extension SupervisedProgram {
    /// Handles the report that job control is about to stop it.
    mutating func announceStop() {
        switch execution {
        case .running, .resumed, .announced, .held:
            (execution, look) = (.announced(.unneeded), .none)
        case .suspended, .gone: break
        }
    }

    /// Handles the report that it was continued: by the service, if that has done so, or else by the
    /// user or somebody else.
    mutating func noticeContinuation() {
        switch execution {
        case .running, .gone: break
        case .resumed(let group, isNoticed: false):
            execution = .resumed(group: group, isNoticed: true)
        case .resumed, .announced, .held: wasContinued()
        case .suspended(let group, _): execution = .suspended(group: group, isDoubted: true)
        }
    }

    /// It runs by the will of somebody else than the service, and its terminal decides about its state.
    mutating func wasContinued() {
        (execution, look) = (.running, .none)
        membership?.override = nil
    }
}

/// The suspension and continuation of programs.
extension AppSupervisor {
    /// Brings a program nearer to what it should be: has it looked at if it is to be stopped, continued
    /// or ended.
    mutating func settle(_ identity: ProcessIdentity, at now: Double) {
        guard var program = programs[identity], !program.isEnded else { return }
        if let membership = program.membership {
            program.membership = settled(membership, of: program, at: now)
        }
        let isBusy = program.isBusy
        var isLookWanted = false
        switch program.execution {
        case .running, .resumed:
            isLookWanted =
                isOverdue(program, at: now)
                || program.isSuspendable && suspension(of: program) != nil
        case .announced(.unneeded):
            isLookWanted = isBusy
            if isBusy { program.execution = .announced(.until(now + Self.stoppingLimit)) }
        case .announced(.until), .announced(.over):
            if !isBusy { program.execution = .announced(.unneeded) }
            isLookWanted = isBusy
        case .suspended(_, let isDoubted): isLookWanted = isBusy || isDoubted
        case .held(.debugger): isLookWanted = true
        case .held(.signal), .gone: break
        }
        switch program.look {
        case .none where isLookWanted:
            program.look = .asked
            if let client = program.clients.first { effects.append(.look(client)) }
        case .due where !isLookWanted: program.look = .none
        case .none, .asked, .due: break
        }
        programs[identity] = program
    }

    /// A process's part in an app as of now; its notice of the state is among the effects.
    private mutating func settled(
        _ membership: SupervisedProgram.Membership, of program: SupervisedProgram, at now: Double
    ) -> SupervisedProgram.Membership {
        var membership = membership
        if membership.state != membership.known {
            membership.known = membership.state
            membership.settling =
                membership.state == .background ? now + Self.settlingLimit : nil
            effects.append(.notify(membership.client, .state(membership.state)))
        }
        if let time = membership.settling, time <= now { membership.settling = nil }
        if case .condemned = membership.fate, membership.state != .background {
            membership.fate = .none
        }
        let modes = registered[membership.app]?.app.modes ?? []
        let needs = membership.needs ?? AppNeeds()
        guard membership.state == .background, program.isRunning, program.work.isEmpty,
            membership.fate == .none, needs.isLimited(by: modes)
        else {
            membership.limit = nil
            return membership
        }
        let limit = membership.limit ?? now + budget + Self.grace
        // After the sleep of the machine, it has not had the time to end its tasks.
        membership.limit = now - limit > Self.grace ? now + Self.grace : limit
        return membership
    }

    /// Has a process looked at, unless it is already.
    mutating func look(at identity: ProcessIdentity) {
        guard let program = programs[identity], program.look != .asked, !program.isEnded,
            let client = program.clients.first
        else { return }
        programs[identity]?.look = .asked
        effects.append(.look(client))
    }

    /// True if an app's time in the background is over.
    private func isOverdue(_ program: SupervisedProgram, at now: Double) -> Bool {
        guard let membership = program.membership, membership.state == .background else {
            return false
        }
        if case .condemned = membership.fate { return true }
        return program.isBusy && (membership.limit ?? .infinity) <= now
    }

    // MARK: Looks

    /// Handles what a look at a client's process has shown; nil if it is gone.
    mutating func receive(_ condition: ProcessCondition?, of client: Int, at now: Double) {
        guard let identity = processes[client], var program = programs[identity] else { return }
        if program.look == .asked { program.look = .none }
        guard let condition, condition.identity == identity, condition.activity != .ended else {
            if case .suspended = program.execution {
                effects.append(.keep([.notSuspended(identity)]))
            }
            program.execution = .gone
            programs[identity] = program
            return
        }
        program.condition = condition
        programs[identity] = program
        guard !program.isEnded else { return }
        let isStopped = condition.activity == .stopped || condition.activity == .traced
        switch program.execution {
        case .running, .resumed:
            if isStopped { hold(identity, at: now) } else { judge(identity, at: now) }
        case .announced(let watch): follow(watch, of: identity, isStopped: isStopped, at: now)
        case .suspended(let group, let isDoubted):
            programs[identity]?.execution = .suspended(group: group, isDoubted: false)
            if program.isTraced {
                programs[identity]?.look = .due(now + Self.obstacleInterval)
            } else if isDoubted, !isStopped {
                // It was continued since it was stopped, or is about to stop.
                resume(identity)
                programs[identity]?.wasContinued()
            } else if program.isBusy {
                resume(identity)
            }
        case .held:
            if isStopped { hold(identity, at: now) } else { programs[identity]?.wasContinued() }
        case .gone: break
        }
    }

    /// Handles that a process is stopped which the service wants to run.
    private mutating func hold(_ identity: ProcessIdentity, at now: Double) {
        guard let program = programs[identity] else { return }
        if case .resumed(_, isNoticed: false) = program.execution, !program.isTraced {
            // It is being continued.
            programs[identity]?.look = .due(now + Self.stoppingLimit)
            return
        }
        let hold = program.isTraced ? SupervisedProgram.Hold.debugger : .signal
        if hold == .debugger { programs[identity]?.look = .due(now + Self.obstacleInterval) }
        guard program.execution != .held(hold) else { return }
        programs[identity]?.execution = .held(hold)
        report(.problem, program, reason: hold.text)
    }

    /// Ends or suspends a process that runs, if that is due.
    private mutating func judge(_ identity: ProcessIdentity, at now: Double) {
        guard let program = programs[identity] else { return }
        let isDue = isOverdue(program, at: now)
        if isDue, !program.isTraced {
            var reason = "it did not answer"
            if case .condemned(let text) = program.membership?.fate {
                reason = text
            } else if !program.reasons.isEmpty {
                reason = "it still had: \(program.reasons.joined(separator: ", "))"
            }
            kill(identity, .overstayed, reason: reason)
        } else if isDue || program.isSuspendable {
            guard isDue || suspension(of: program) != nil else { return }
            guard program.isTraced || program.isInFront else { return suspend(identity) }
            if case .condemned = program.membership?.fate {
                programs[identity]?.membership?.fate = .none
            }
            programs[identity]?.membership?.limit = nil
            programs[identity]?.look = .due(now + Self.obstacleInterval)
        }
    }

    /// Continues a process that job control has stopped once its shell has noticed that.
    private mutating func follow(
        _ watch: SupervisedProgram.Watch, of identity: ProcessIdentity, isStopped: Bool,
        at now: Double
    ) {
        guard let program = programs[identity] else { return }
        if program.isTraced, isStopped { return hold(identity, at: now) }
        guard program.isBusy else { return }
        if isStopped, !program.condition.isForeground { return resume(identity) }
        guard case .until(let time) = watch, now >= time else {
            let interval = watch == .over ? Self.obstacleInterval : Self.lookInterval
            programs[identity]?.look = .due(now + interval)
            return
        }
        if isStopped {
            programs[identity]?.execution = .announced(.over)
            programs[identity]?.look = .due(now + Self.obstacleInterval)
            report(.problem, program, reason: "it is stopped in front of its terminal")
        } else {
            programs[identity]?.execution = .running
        }
    }

    /// Handles that a process runs which was to be suspended.
    mutating func stopSuspending(_ identity: ProcessIdentity, reason: String?, at now: Double) {
        guard case .suspended(let group, _) = programs[identity]?.execution else { return }
        for member in members(of: group, with: identity) {
            guard case .suspended = programs[member]?.execution else { continue }
            effects.append(.keep([.notSuspended(member)]))
            guard let reason else {
                programs[member]?.wasContinued()
                programs[member]?.look = .due(now + Self.obstacleInterval)
                continue
            }
            programs[member]?.execution = .resumed(group: group, isNoticed: true)
            programs[member]?.look = .due(now + Self.troubleInterval)
            programs[member]?.trouble = reason
            if let program = programs[member] { report(.problem, program, reason: reason) }
        }
    }

    /// The known processes that are stopped with a process: all of them may have changed since they
    /// were looked at.
    package func processes(
        suspendedWith identity: ProcessIdentity, group: Int32?
    ) -> [ProcessIdentity] { members(of: group, with: identity) }

    /// Returns true if a process that is to be suspended still may be, as `condition` shows it: no
    /// debugger traces it, and its terminal has not been given back to it.
    package func maySuspend(_ condition: ProcessCondition) -> Bool {
        guard var program = programs[condition.identity] else { return false }
        program.condition = condition
        return !program.isTraced && !program.isInFront
    }

    // MARK: Groups

    /// A process with the known members of a group, or alone.
    private func members(of group: Int32?, with identity: ProcessIdentity) -> [ProcessIdentity] {
        guard let group else { return [identity] }
        return identities.filter { $0 == identity || programs[$0]?.condition.group == group }
    }

    /// The processes that are suspended with a program, and their group; nil if another one of the
    /// group has to run.
    private func suspension(
        of program: SupervisedProgram
    ) -> (group: Int32?, members: [ProcessIdentity])? {
        let alone: (Int32?, [ProcessIdentity]) = (nil, [program.identity])
        guard let group = program.suspensionGroup else { return alone }
        let members = members(of: group, with: program.identity)
        var isWaiting = false
        for other in members where other != program.identity {
            guard let other = programs[other], other.execution != .gone else { continue }
            switch other.execution {
            case .held: return alone
            case .running where other.membership?.app != program.membership?.app: return alone
            case .running, .resumed, .announced, .suspended, .gone:
                if other.isTraced { return alone }
                if other.isBusy || other.execution == .running && !other.isSuspendable {
                    isWaiting = true
                }
            }
        }
        if isWaiting { return program.execution == .running ? alone : nil }
        return (group, members.filter { programs[$0]?.isSuspendable == true })
    }

    private mutating func suspend(_ identity: ProcessIdentity) {
        guard let program = programs[identity], let suspension = suspension(of: program) else {
            return
        }
        let records = suspension.members.map { member in
            Change.suspended(member, group: suspension.group, boot: boot)
        }
        effects += [.keep(records), .suspend(identity, group: suspension.group)]
        for member in suspension.members {
            programs[member]?.execution = .suspended(group: suspension.group, isDoubted: false)
            programs[member]?.membership?.limit = nil
        }
        if program.membership == nil { report(.suspended, program, reason: nil) }
    }

    /// Continues a process that the service or job control has stopped, with its group.
    mutating func resume(_ identity: ProcessIdentity) {
        guard let program = programs[identity] else { return }
        let group: Int32? =
            if case .suspended(let group, _) = program.execution { group } else {
                program.condition.group
            }
        effects.append(.resume(identity, group: group))
        var records: [Change] = []
        for member in members(of: group, with: identity) {
            switch programs[member]?.execution {
            case .suspended: records.append(.notSuspended(member))
            case .announced: break
            case nil, .running, .resumed, .held, .gone: continue
            }
            programs[member]?.execution = .resumed(group: group, isNoticed: false)
            if programs[member]?.look != .asked { programs[member]?.look = .none }
            guard let program = programs[member] else { continue }
            programs[member]?.trouble = nil
            guard let work = program.work.last?.work.text else { continue }
            if let app = program.membership?.app {
                if registered[app]?.wakeReason == nil { registered[app]?.wakeReason = work }
            }
        }
        if !records.isEmpty { effects.append(.keep(records)) }
        if program.membership == nil, let work = program.work.last?.work.text {
            report(.woken, program, reason: work)
        }
    }

    /// Ends a process by SIGKILL.
    mutating func kill(_ identity: ProcessIdentity, _ cause: AppEnd.Cause, reason: String?) {
        programs[identity]?.membership?.fate = .ended(cause, reason: reason)
        effects.append(.end(identity))
    }

    /// Reports a change of a program, under the name of its app.
    private mutating func report(
        _ phase: AppEvent.Phase, _ program: SupervisedProgram, reason: String?
    ) {
        var event = AppEvent(phase, program.membership?.app ?? program.name)
        event.process = program.identity.id
        event.reason = reason
        effects.append(.report(event))
    }
}
