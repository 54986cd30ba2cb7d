package import UndersongBackground
import UndersongBase
package import UndersongControl

/// A change of what is wanted, which the service has to know.
struct RefreshChange {
    enum Kind {
        case submit(RefreshRequest)
        /// Cancels one identifier; nil for all.
        case cancel(String?)
        case interval(FetchInterval)
    }

    var number: Int
    var kind: Kind

    /// Makes it by a call that returns when the service has answered.
    func perform(
        _ call: (any ControlCall) throws(ControlError) -> Void
    ) throws(ControlError) {
        switch kind {
        case .submit(let request): try call(SubmitRefresh(request))
        case .cancel(let identifier): try call(CancelRefresh(identifier))
        case .interval(let interval): try call(SetFetchInterval(interval))
        }
    }

    /// The same for the scheduler.
    var input: RefreshScheduler.Input {
        switch kind {
        case .submit(let request): .submit(request)
        case .cancel(let identifier?): .cancel(identifier)
        case .cancel(nil): .cancelAll
        case .interval(let interval): .setInterval(interval)
        }
    }
}

/// A run that the service has begun.
struct ServedRun {
    var identifier: String
    /// The service's number.
    var number: Int
    /// The number of the connection that has brought it.
    var connection: Int
}

extension RefreshCenter.State {
    /// The identifiers that have handlers; the fetch by interval has one always.
    var identifiers: Set<String> {
        Set(handlers.keys).union([RefreshScheduler.fetchIdentifier])
    }

    /// Notes a change that the service has not confirmed.
    mutating func add(_ kind: RefreshChange.Kind) -> RefreshChange {
        lastChange += 1
        let change = RefreshChange(number: lastChange, kind: kind)
        changes.append(change)
        return change
    }
}

extension RefreshCenter {
    /// Leaves the schedule to a service from now on.
    package func serve(by service: AppConnection) { state.withLock { $0.service = service } }

    /// Schedules in this process: there is no service.
    package func endService() { state.withLock { $0.service = nil } }

    /// Restores what a service has kept that knows this app again, or for the first time, and repeats
    /// to it the handlers and what it has not confirmed. Waits for the service.
    package func rejoin(
        _ client: ControlClient, _ reply: ConnectApp.Reply
    ) throws(ControlError) {
        let (identifiers, changes) = state.withLock { state in
            // The runs of another connection are over in the eyes of the service.
            (state.launches, state.served) = ([], [:])
            return (state.isLaunched ? state.identifiers : [], state.changes)
        }
        var memory = machine.scheduler.memory
        (memory.requests, memory.interval) = (reply.requests, reply.interval)
        handle(.restored(memory))
        for identifier in identifiers.sorted() {
            try pass(refusalsOf: { () throws(ControlError) in
                _ = try client.call(RegisterRefresh(identifier))
            })
        }
        for change in changes {
            handle(.scheduler(change.input))
            try pass(refusalsOf: { () throws(ControlError) in
                try change.perform { call throws(ControlError) in _ = try client.call(call) }
            })
            confirm(change)
        }
    }

    /// Begins a run that the service has launched.
    package func begin(_ run: RefreshRun, by connection: Int) {
        let (service, isKnown) = state.withLock { state in
            let isKnown = state.identifiers.contains(run.identifier)
            if isKnown {
                state.launches.append(
                    ServedRun(
                        identifier: run.identifier, number: run.number, connection: connection))
            }
            return (state.service, isKnown)
        }
        guard isKnown else {
            service?.send(
                CompleteRefresh(run.number, RefreshCompletion(.failed)), by: connection)
            return
        }
        handle(.scheduler(.run(run.identifier, run.kind, run.cause)))
    }

    /// Warns a run of the service.
    package func expire(_ number: Int, by connection: Int) {
        guard let own = ownNumber(of: number, connection) else { return }
        handle(.scheduler(.expire(own)))
    }

    /// Ends a run whose time is over at the service.
    package func end(_ run: RefreshRun, by connection: Int) {
        guard run.result == .overran, let own = ownNumber(of: run.number, connection) else {
            return
        }
        state.withLock { _ = $0.served.removeValue(forKey: own) }
        handle(.scheduler(.completed(own, RefreshCompletion(.overran))))
    }

    private func ownNumber(of number: Int, _ connection: Int) -> Int? {
        state.withLock { state in
            state.served.first { $1.number == number && $1.connection == connection }?.key
        }
    }

    /// Notes which run of the service begins here, if it is one.
    func noteLaunch(_ task: RefreshTask) {
        state.withLock { state in
            guard
                let index = state.launches.firstIndex(where: { $0.identifier == task.identifier })
            else { return }
            state.served[task.number] = state.launches.remove(at: index)
        }
    }

    /// Has the service make a change, and waits for it. One that it does not get is repeated on the
    /// next connection.
    ///
    /// - Throws: The service refuses it.
    func makeChange(_ kind: RefreshChange.Kind) throws(ControlError) {
        let noted = state.withLock { state in state.service.map { ($0, state.add(kind)) } }
        guard let (service, change) = noted else { return }
        do throws(ControlError) {
            try change.perform { call throws(ControlError) in _ = try service.call(call) }
            confirm(change)
        } catch {
            guard error.code != .unavailable else { return }
            confirm(change)
            throw error
        }
    }

    /// Has the service make a change that it does not refuse.
    func send(_ kind: RefreshChange.Kind) {
        do throws(ControlError) {
            try makeChange(kind)
        } catch {
            note(error)
        }
    }

    private func confirm(_ change: RefreshChange) {
        state.withLock { $0.changes.removeAll { $0.number == change.number } }
    }

    /// Makes a call, and shows the reason if the service refuses it.
    ///
    /// - Throws: The service has gone.
    private func pass(
        refusalsOf call: () throws(ControlError) -> Void
    ) throws(ControlError) {
        do throws(ControlError) {
            try call()
        } catch {
            guard error.code != .unavailable else { throw error }
            note(error)
        }
    }

    func note(_ error: ControlError) {
        if error.code != .unavailable { show(error.message) }
    }
}
