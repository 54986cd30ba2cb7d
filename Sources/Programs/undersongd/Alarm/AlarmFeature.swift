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
            try await frontEnd.player.add(call)
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
    private var shell: Shell<AlarmClock>?
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
    private func open(_ service: isolated PlayerService) async -> Shell<AlarmClock> {
        if let shell { return shell }
        let kept = await service.store.records(PlayAlarm.self, in: Self.namespace)
        // Another call may have done it meanwhile.
        if let shell { return shell }
        let shell = service.shell(
            AlarmClock(kept.map(\.value)), of: AlarmFeature.self, now: environment.now,
            alarm: environment.alarm, whenDue: { feature, _ in feature.shell?.handle(.timePassed) },
            perform: { await $0.perform($1, $2) })
        self.shell = shell
        return shell
    }

    /// Adds an alarm.
    ///
    /// - Throws: The disk does not accept it.
    fileprivate func add(
        _ call: AddAlarm, _ service: isolated PlayerService
    ) async throws(ServiceError) {
        let number = await open(service).machine.nextNumber
        try await change(number, .added(call.alarm(number)), to: "add the alarm", service)
    }

    /// Changes an alarm, and returns when that is on the disk.
    ///
    /// - Throws: There is no such alarm, or the disk does not accept the change.
    fileprivate func change(
        _ number: Int, _ input: AlarmClock.Input, to purpose: String,
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
        let (clock, now) = (await open(service).machine, environment.now())
        let modes = service.manifest.capabilities.backgroundModes
        return AlarmStatus(
            clock.alarms.map { alarm in
                let next = clock.next(alarm, at: now)
                return AlarmStatus.Entry(alarm, next: next, local: next.map(now.date))
            }, silentInBackground: !modes.contains(.audio))
    }

    // MARK: Effects

    private func perform(
        _ effects: [AlarmClock.Effect], _ service: isolated PlayerService
    ) async {
        for effect in effects {
            switch effect {
            case .keep(let alarm, let old):
                let key = RecordChange.key(alarm.number)
                await write(alarm.number, old, service) {
                    try .keep(alarm, in: Self.namespace, as: key)
                }
            case .forget(let alarm):
                await write(alarm.number, alarm, service) {
                    .remove(namespace: Self.namespace, key: RecordChange.key(alarm.number))
                }
            case .ring(let alarm): await ring(alarm, service)
            case .missed(let alarm, let time):
                let date = environment.now().date(time)
                await service.report(
                    "cannot ring alarm \(alarm.number) of \(date): The service was not running, "
                        + "or the machine was asleep", code: .alarmMissed)
            }
        }
    }

    private func write(
        _ number: Int, _ old: PlayAlarm?, _ service: isolated PlayerService,
        _ change: () throws -> RecordChange
    ) async {
        do {
            try await service.store.keep([change()], isDurable: true)
        } catch {
            problems[number] = (error as? QueueError)?.reason ?? "it cannot be written"
            shell?.handle(.notKept(number, was: old))
        }
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
        var change = SettingsChange()
        change.volume = alarm.volume
        if change != SettingsChange() { try await service.apply(change) }
        let player = service.session.player
        let isPlaying = await service.session.report.status == .playing
        if alarm.queue != nil || alarm.files != nil || !isPlaying {
            await player.fadeIn(over: alarm.fadeIn)
        }
        if let queue = alarm.queue {
            try await service.playSaved(queue)
        } else if let files = alarm.files {
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
    /// - Throws: There cannot be such an alarm, or the disk does not accept it.
    package func add(_ call: AddAlarm) async throws(ServiceError) -> AlarmStatus {
        if let problem = call.problem {
            throw ServiceError(.invalidValue, "add the alarm", problem)
        }
        let feature = feature(AlarmFeature.self)
        try await feature.add(call, self)
        return await feature.status(self)
    }

    /// Changes the alarm with this number. Returns when that is on the disk. `verb` names the change
    /// in errors.
    ///
    /// - Throws: There is no such alarm, or the disk does not accept the change.
    package func change(
        _ number: Int, _ input: AlarmClock.Input, to verb: String
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
