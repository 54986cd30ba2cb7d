import TestSupport
import Testing
import UndersongBase

@testable import UndersongBackground

@Suite struct `A program that job control has stopped` {
    private func isStopping(_ effect: AppStage.Effect) -> Bool {
        if case .suspend = effect { true } else { false }
    }

    @Test(.rule("AP1")) func `A stopped program runs for work, and is stopped again after it`() {
        var stage = AppStage()
        stage.join(1)

        #expect(stage.stop(1) == [AppStage.record(1)])
        let began = stage.handle(.began(.push(3), 1))
        #expect(
            began == [
                .resume(AppStage.process(1), group: AppStage.group(1)),
                AppStage.report(.woken, 1, of: "push run", reason: "push 3"),
                AppStage.removal(1),
            ])
        #expect(stage.proceed(1) == [])
        let ended = stage.end(.push(3), 1)
        #expect(
            ended == AppStage.suspension(1) + [AppStage.report(.suspended, 1, of: "push run")])

        stage.conditions[1]?.activity = .stopped
        let again = stage.handle(.began(.task(4), 1))
        #expect(
            again
                == AppStage.resumption(1) + [
                    AppStage.report(.woken, 1, of: "push run", reason: "task 4")
                ])
        #expect(stage.supervisor.nextDue(at: stage.time) == .never)
    }

    @Test(.rule("AP1")) func `A stopping program is continued once its shell has the terminal`() {
        var stage = AppStage()
        stage.join(1, isForeground: true)
        stage.handle(.began(.task(1), 1))
        let resumption = AppStage.Effect.resume(AppStage.process(1), group: AppStage.group(1))

        stage.handle(.willStop(1))
        #expect(stage.run(for: 0.1) == [])
        stage.conditions[1]?.activity = .stopped
        #expect(stage.run(for: 0.1) == [])
        stage.conditions[1]?.foregroundGroup = 1

        #expect(stage.run(for: 0.1).first == resumption)
        #expect(stage.run(for: 10) == [])
    }

    @Test(.rule("AP1")) func `A program without work stays stopped, and is not looked at`() {
        var stage = AppStage()
        stage.join(1, isForeground: true)

        #expect(
            stage.supervisor.handle(.willStop(1), at: stage.time) == [AppStage.record(1)])
        #expect(stage.supervisor.nextDue(at: stage.time) == .never)
        #expect(stage.supervisor.canWork(1))
    }

    @Test(.rule("AP1")) func `A program that stays in front of its terminal is a problem`() {
        var stage = AppStage()
        stage.join(1, isForeground: true)
        stage.handle(.began(.task(1), 1))
        stage.handle(.willStop(1))
        stage.conditions[1]?.activity = .stopped

        let effects = stage.run(for: 5.1)

        let reason = "it is stopped in front of its terminal"
        #expect(effects == [AppStage.report(.problem, 1, of: "push run", reason: reason)])
        #expect(!stage.supervisor.canWork(1))
        #expect(
            stage.supervisor.problems(at: stage.time) == [
                "push run, process 1001, cannot run for task 1: \(reason)"
            ])
        stage.conditions[1]?.foregroundGroup = 1
        #expect(
            stage.run(for: 5).first
                == .resume(AppStage.process(1), group: AppStage.group(1)))
        #expect(stage.supervisor.problems(at: stage.time) == [])
    }

    @Test(.rule("AP1")) func `A program that announces a stop and does not stop runs`() {
        var stage = AppStage()
        stage.join(1, isForeground: true)
        stage.handle(.began(.task(1), 1))
        stage.handle(.willStop(1))

        #expect(stage.run(for: 6) == [AppStage.removal(1)])
        #expect(stage.supervisor.nextDue(at: stage.time) == .never)
        #expect(stage.end(.task(1), 1) == [])
    }

    @Test(.rule("AP1")) func `The programs of a stopped job run together, and stop together`() {
        var stage = AppStage()
        stage.join(1)
        stage.join(2)
        stage.conditions[2]?.group = AppStage.group(1)
        stage.handle(.looked(2, stage.conditions[2]))
        stage.stop(1)
        stage.stop(2)

        stage.handle(.began(.task(1), 1))
        stage.proceed(1)
        stage.proceed(2)
        #expect(stage.handle(.began(.task(2), 2)) == [])
        #expect(stage.end(.task(1), 1) == [])
        let effects = stage.end(.task(2), 2)

        let group = AppStage.group(1)
        #expect(
            effects == [
                .keep([
                    .suspended(AppStage.process(1), group: group, boot: "boot"),
                    .suspended(AppStage.process(2), group: group, boot: "boot"),
                ]), .suspend(AppStage.process(1), group: group),
                AppStage.report(.suspended, 1, of: "push run"),
            ])
    }

    @Test(.rule("AP2")) func `A program that the user has continued is not stopped again`() {
        for isAfterResume in [false, true] {
            var stage = AppStage()
            stage.join(1)
            stage.stop(1)
            if isAfterResume {
                stage.handle(.began(.push(1), 1))
                stage.proceed(1)
            }

            stage.proceed(1)
            stage.handle(.began(.push(1), 1))

            #expect(stage.end(.push(1), 1) == [])
        }
    }

    @Test(.rule("AP2")) func `A suspended program that the user continues is not stopped again`() {
        var stage = AppStage()
        stage.join(1)
        stage.stop(1)
        stage.handle(.began(.push(1), 1))
        stage.proceed(1)
        stage.end(.push(1), 1)

        #expect(stage.proceed(1) == AppStage.resumption(1))
        #expect(stage.handle(.began(.push(2), 1)) == [])
        #expect(stage.end(.push(2), 1) == [])
    }

    @Test(.rule("AP2")) func `A late report of a continuation changes nothing for a stopped one`() {
        var stage = AppStage()
        stage.join(1)
        stage.stop(1)
        stage.handle(.began(.push(1), 1))
        stage.conditions[1]?.activity = .running
        stage.handle(.didContinue(1))
        stage.end(.push(1), 1)
        stage.conditions[1]?.activity = .stopped

        #expect(stage.handle(.didContinue(1)) == [])
        #expect(
            stage.handle(.began(.push(2), 1)).starts(with: AppStage.resumption(1)))
    }

    @Test(.rule("AP2")) func `A program in front of its terminal is not stopped after its work`() {
        var stage = AppStage()
        stage.join(1)
        stage.stop(1)
        stage.handle(.began(.push(1), 1))
        stage.proceed(1)
        // The reports of both continuations have become one.
        stage.conditions[1]?.foregroundGroup = AppStage.group(1)

        #expect(stage.end(.push(1), 1) == [])
        #expect(!stage.run(for: 60).contains(where: isStopping))
    }

    @Test(.rule("AP3")) func `A program that somebody else has stopped gets no work`() {
        var stage = AppStage()
        stage.join(1)
        stage.conditions[1]?.activity = .stopped

        let effects = stage.handle(.began(.push(3), 1))

        #expect(
            effects == [
                AppStage.report(.problem, 1, of: "push run", reason: "somebody else has stopped it")
            ])
        #expect(!stage.supervisor.canWork(1))
        #expect(
            stage.supervisor.problems(at: stage.time) == [
                "push run, process 1001, cannot run for push 3: somebody else has stopped it"
            ])
        #expect(stage.run(for: 60) == [])
        #expect(stage.proceed(1) == [])
        #expect(stage.supervisor.canWork(1))
        #expect(stage.supervisor.problems(at: stage.time) == [])
    }

    @Test(.rule("AP3")) func `A program that stops itself is left alone although it was continued`()
    {
        var stage = AppStage()
        stage.join(1)
        stage.stop(1)
        stage.handle(.began(.push(1), 1))
        stage.proceed(1)
        stage.conditions[1]?.activity = .stopped

        stage.handle(.began(.push(2), 1))

        #expect(!stage.supervisor.canWork(1))
        stage.end(.push(1), 1)
        #expect(stage.end(.push(2), 1) == [])
        #expect(
            stage.supervisor.problems(at: stage.time) == [
                "push run, process 1001, cannot run for what waits for it: somebody else has stopped "
                    + "it"
            ])
    }

    @Test(.rule("AP4")) func `A program that a debugger has stopped is left alone until it runs`() {
        var stage = AppStage()
        stage.join(1)
        stage.stop(1)
        stage.conditions[1]?.activity = .traced
        stage.conditions[1]?.tracer = 9

        let effects = stage.handle(.began(.push(1), 1))

        let reason = "a debugger has stopped it"
        #expect(
            effects == [
                AppStage.report(.problem, 1, of: "push run", reason: reason), AppStage.removal(1),
            ])
        #expect(!stage.supervisor.canWork(1) && stage.run(for: 20) == [])
        stage.conditions[1]?.activity = .running
        stage.conditions[1]?.tracer = nil
        stage.run(for: 6)
        #expect(stage.supervisor.canWork(1))
    }

    @Test(.rule("AP6")) func `A program that cannot be suspended runs, and that is tried again`() {
        var stage = AppStage()
        stage.join(1)
        stage.stop(1)
        stage.handle(.began(.push(1), 1))
        stage.proceed(1)
        stage.end(.push(1), 1)

        let effects = stage.handle(.notSuspended(AppStage.process(1), reason: "the disk is full"))

        #expect(
            effects == [
                AppStage.removal(1),
                AppStage.report(.problem, 1, of: "push run", reason: "the disk is full"),
            ])
        #expect(stage.run(for: 59) == [])
        #expect(stage.run(for: 2).starts(with: AppStage.suspension(1)))
    }

    @Test(.rule("AP2"))
    func `A program that gets its terminal back before it is stopped is not stopped`() throws {
        var stage = AppStage()
        stage.join(1)
        stage.stop(1)
        stage.handle(.began(.push(1), 1))
        stage.proceed(1)
        stage.end(.push(1), 1)
        var condition = try #require(stage.conditions[1])
        let before = stage.supervisor.maySuspend(condition)
        condition.foregroundGroup = condition.group

        #expect(before && !stage.supervisor.maySuspend(condition))
        #expect(
            stage.handle(.notSuspended(AppStage.process(1), reason: nil)) == [AppStage.removal(1)])
        #expect(stage.run(for: 60) == [])
        stage.handle(.began(.push(2), 1))
        #expect(stage.end(.push(2), 1) == [])
    }

    @Test(.rule("AP6"))
    func `A service continues what an earlier one has suspended, and forgets it`() {
        var stage = AppStage()
        let effects = stage.handle(
            .restored([
                .suspended(AppStage.process(1), group: 1001, boot: "boot"),
                .suspended(AppStage.process(2), group: nil, boot: "another"),
            ]))

        #expect(
            effects == [
                .resume(AppStage.process(1), group: 1001),
                .keep([.notSuspended(AppStage.process(1)), .notSuspended(AppStage.process(2))]),
            ])
    }

    @Test(.rule("AP1", "AP6"))
    func `A program that an earlier service has stopped is stopped again after its work`() {
        var stage = AppStage()
        stage.handle(.restored([.suspended(AppStage.process(1), group: 1001, boot: "boot")]))
        stage.join(1)
        stage.handle(.began(.push(1), 1))

        let effects = stage.end(.push(1), 1)

        let report = AppStage.report(.suspended, 1, of: "push run")
        #expect(effects == AppStage.suspension(1) + [report])
    }

    @Test(.rule("AP16")) func `A suspended program whose client is gone is continued`() {
        var stage = AppStage()
        stage.join(1)
        stage.stop(1)
        stage.handle(.began(.push(1), 1))
        stage.proceed(1)
        stage.end(.push(1), 1)
        stage.conditions[1]?.activity = .stopped

        #expect(stage.handle(.left(1)) == AppStage.resumption(1))
        #expect(stage.handle(.didContinue(1)) == [])
    }

    @Test func `A process with two clients is continued for the work of either`() throws {
        var stage = AppStage()
        stage.join(1)
        stage.conditions[2] = stage.conditions[1]
        stage.handle(.joined(2, try #require(stage.conditions[1]), name: "task run"))
        stage.stop(1)
        stage.conditions[2]?.activity = .stopped

        let effects = stage.handle(.began(.task(1), 2))
        #expect(effects.first == .resume(AppStage.process(1), group: AppStage.group(1)))
        stage.proceed(1)

        // Its work is over with the client.
        #expect(stage.handle(.left(2)).starts(with: AppStage.suspension(1)))
    }

    @Test func `A process whose number belongs to another one now is not touched`() {
        var stage = AppStage()
        stage.join(1)
        stage.stop(1)
        stage.conditions[1]?.identity.start = 8

        #expect(stage.handle(.began(.push(1), 1)) == [AppStage.removal(1)])
        #expect(!stage.supervisor.canWork(1))
        #expect(stage.run(for: 60) == [])
    }
}
