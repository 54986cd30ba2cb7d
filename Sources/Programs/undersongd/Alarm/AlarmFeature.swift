import UndersongAudioSession
package import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongStore

/// Alarms: begins the queue at a time of the day, as a user's `resume` would, with a fade-in.
final class AlarmFeature: BackgroundFeature {
    static let methods: [WireMethod] = [
        WireMethod(GetAlarms.self) { frontEnd, _, _ in await frontEnd.player.alarms },
        WireMethod(AddAlarm.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.addAlarm(call.settings)
        },
        WireMethod(RemoveAlarm.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.change(call.number, .removed(call.number), to: "remove")
        },
        WireMethod(SwitchAlarm.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.change(
                call.number, .switched(call.number, on: call.on), to: "switch")
        },
        WireMethod(SkipAlarm.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.change(call.number, .skipped(call.number), to: "skip")
        },
    ]

    private static let namespace = "alarms"

    /// The alarms; nil until the store has been read.
    private var shell: Shell<AlarmScheduler>?
    /// The reasons why changes of alarms are not on the disk.
    private var problems: [Int: String] = [:]
    private let environment: RefreshEnvironment

    init(_ service: PlayerService) {
        environment =
            service.configuration.refresh
            ?? RefreshEnvironment(clock: service.configuration.clock)
    }

    func begin(_ service: isolated PlayerService) async {
        await open(service).handle(.timePassed)
    }

    /// True while an alarm is on.
    var isNeeded: Bool { shell?.machine.alarms.contains(where: \.on) == true }
    var isBusy: Bool { shell?.isBusy == true }

    func loginChanged(_ service: isolated PlayerService) async { shell?.handle(.timePassed) }

    func end() { shell?.stop() }

    /// Continues with the alarms of an earlier service, unless that was done.
    private func open(_ service: isolated PlayerService) async -> Shell<AlarmScheduler> {
        if let shell { return shell }
        let kept = await service.store.records(PlayAlarm.self, in: Self.namespace)
        // Another call may have done it meanwhile.
        if let shell { return shell }
        let shell = service.shell(
            AlarmScheduler(kept.map(\.value)), of: AlarmFeature.self, now: environment.now,
            alarm: environment.alarm, whenDue: { feature, _ in feature.shell?.handle(.timePassed) },
            perform: { await $0.perform($1, $2) })
        self.shell = shell
        return shell
    }

    /// Adds an alarm.
    ///
    /// - Throws: The disk does not accept it.
    fileprivate func add(
        _ settings: AlarmSettings, _ service: isolated PlayerService
    ) async throws(ServiceError) {
        let number = await open(service).machine.nextNumber
        try await change(
            number, .added(PlayAlarm(number, settings)), to: "add the alarm", service)
    }

    /// Changes an alarm, and returns when that is on the disk.
    ///
    /// - Throws: There is no such alarm, or the disk does not accept the change.
    fileprivate func change(
        _ number: Int, _ input: AlarmScheduler.Input, to purpose: String,
        _ service: isolated PlayerService
    ) async throws(ServiceError) {
        let shell = await open(service)
        problems[number] = nil
        await shell.settle(input)
        service.considerLeaving()
        guard let reason = problems.removeValue(forKey: number) else { return }
        throw ServiceError(.notPossible, purpose, reason)
    }

    fileprivate func contains(_ number: Int, _ service: isolated PlayerService) async -> Bool {
        await open(service).machine.alarms.contains { $0.number == number }
    }

    fileprivate func status(_ service: isolated PlayerService) async -> AlarmStatus {
        let (scheduler, now) = (await open(service).machine, environment.now())
        let modes = service.manifest.capabilities.backgroundModes
        return AlarmStatus(
            scheduler.alarms.map { alarm in
                let next = scheduler.next(alarm, at: now)
                return AlarmStatus.Entry(alarm, next: next, local: next.map(now.date))
            }, silentInBackground: !modes.contains(.audio))
    }

    // MARK: Effects

    private func perform(
        _ effects: [AlarmScheduler.Effect], _ service: isolated PlayerService
    ) async {
        for effect in effects {
            switch effect {
            case .keep(let alarm, let old):
                guard let reason = await keep(alarm, service) else { break }
                undo(alarm.number, old, reason)
            case .keepRung(let alarm):
                guard let reason = await keep(alarm, service) else { break }
                let error = ServiceError(
                    .notPossible, "record that alarm \(alarm.number) has rung",
                    "\(reason); it may ring again when the service starts")
                await service.report(error.description, code: .alarmNotKept)
            case .forget(let alarm):
                let reason = await write(service) {
                    .remove(namespace: Self.namespace, key: RecordChange.key(alarm.number))
                }
                if let reason { undo(alarm.number, alarm, reason) }
            case .ring(let alarm): await ring(alarm, service)
            case .missed(let alarm, let time):
                let date = environment.now().date(time)
                await service.report(
                    "cannot ring alarm \(alarm.number) of \(date): The service was not running, "
                        + "or the machine was asleep", code: .alarmMissed)
            }
        }
    }

    private func keep(
        _ alarm: PlayAlarm, _ service: isolated PlayerService
    ) async -> String? {
        await write(service) {
            try .keep(alarm, in: Self.namespace, as: RecordChange.key(alarm.number))
        }
    }

    /// Makes a change durable. Returns the reason why the disk does not accept it; nil if it does.
    private func write(
        _ service: isolated PlayerService, _ change: () throws -> RecordChange
    ) async -> String? {
        do {
            try await service.store.keep([change()], isDurable: true)
            return nil
        } catch {
            return (error as? QueueError)?.reason ?? "it cannot be written"
        }
    }

    /// Undoes a change of an alarm, which was `old` before; the reason is for the client that asked
    /// for it.
    private func undo(_ number: Int, _ old: PlayAlarm?, _ reason: String) {
        problems[number] = reason
        shell?.handle(.notKept(number, was: old))
    }

    private func ring(_ alarm: PlayAlarm, _ service: isolated PlayerService) async {
        do throws(ServiceError) {
            try await play(alarm, service)
        } catch {
            await service.session.player.fadeIn(over: nil)
            await service.report(error.description, code: .alarmFailed)
        }
    }

    private func play(
        _ alarm: PlayAlarm, _ service: isolated PlayerService
    ) async throws(ServiceError) {
        let settings = alarm.settings
        var change = SettingsChange()
        change.volume = settings.volume
        if change != SettingsChange() { try await service.apply(change) }
        let player = service.session.player
        let isPlaying = await service.session.report.status == .playing
        if settings.queue != nil || settings.files != nil || !isPlaying {
            await player.fadeIn(over: settings.fadeIn)
        }
        if let queue = settings.queue {
            try await service.playSaved(queue)
        } else if let files = settings.files {
            guard try await service.play(Play(files: files), for: ClientID()) > 0 else {
                throw ServiceError(
                    .notPossible, "ring alarm \(alarm.number)", "nothing in its files can be played"
                )
            }
        } else {
            try await service.resume()
        }
    }
}

extension PlayerService {
    /// The alarms.
    package var alarms: AlarmStatus {
        get async { await feature(AlarmFeature.self).status(self) }
    }

    /// Adds an alarm. Returns when it is on the disk.
    ///
    /// - Throws: There cannot be such an alarm, no queue is saved by its name, or the disk does not
    ///   accept it.
    package func addAlarm(_ settings: AlarmSettings) async throws(ServiceError) -> AlarmStatus {
        if let problem = settings.problem {
            throw ServiceError(.invalidValue, "add the alarm", problem)
        }
        // A query with a slip is noticed now, and not when the alarm rings.
        if let query = settings.files?.query {
            _ = try await libraryQuery(query, to: "add the alarm")
        }
        if let queue = settings.queue, await !hasSavedQueue(queue) {
            throw ServiceError(.notFound, "add the alarm", "no queue is saved as '\(queue)'")
        }
        let feature = feature(AlarmFeature.self)
        try await feature.add(settings, self)
        return await feature.status(self)
    }

    /// Changes the alarm with this number. Returns when that is on the disk. `verb` names the change
    /// in errors.
    ///
    /// - Throws: There is no such alarm, or the disk does not accept the change.
    package func change(
        _ number: Int, _ input: AlarmScheduler.Input, to verb: String
    ) async throws(ServiceError) -> AlarmStatus {
        let feature = feature(AlarmFeature.self)
        let purpose = "\(verb) alarm \(number)"
        guard await feature.contains(number, self) else {
            throw ServiceError(.notFound, purpose, "there is no such alarm")
        }
        try await feature.change(number, input, to: purpose, self)
        return await feature.status(self)
    }
}
