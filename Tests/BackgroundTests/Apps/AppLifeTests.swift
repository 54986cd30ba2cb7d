import TestSupport
import Testing
import UndersongBase

@testable import UndersongBackground

@Suite struct `An app in the background` {
    private func isEnding(_ effect: AppStage.Effect) -> Bool {
        if case .end = effect { true } else { false }
    }

    /// An app that is suspended.
    private func suspended() -> AppStage {
        var stage = AppStage()
        stage.connect(1)
        stage.conditions[1]?.activity = .stopped
        return stage
    }

    @Test(.rule("AP5", "AP6")) func `An app in the background is suspended when it needs nothing`()
    {
        var stage = AppStage()
        #expect(
            stage.connect(1, .active) == [
                AppStage.report(.entered, 1, state: .active), .stateChanged("podcast", .active),
            ])

        stage.handle(.needs(1, AppStage.needs("sync")))
        #expect(
            stage.leaveFront(1) == [
                AppStage.report(.entered, 1, state: .background),
                .stateChanged("podcast", .background),
            ])
        let effects = stage.handle(.needs(1, AppNeeds()))

        #expect(
            effects == AppStage.suspension(1) + [
                AppStage.report(.suspended, 1, state: .suspended),
                .stateChanged("podcast", .suspended),
            ])
        #expect(stage.supervisor.nextDue(at: stage.time) == .never)
        #expect(stage.status()?.state == .known(.suspended))
    }

    @Test(.rule("AP4")) func `An app that is traced is not suspended until the debugger is gone`() {
        var stage = AppStage()
        stage.connect(1, .active)
        stage.conditions[1]?.tracer = 9

        #expect(!stage.leaveFront(1).contains(where: { $0 == AppStage.suspension(1)[1] }))
        #expect(stage.run(for: 100) == [])
        stage.conditions[1]?.tracer = nil

        #expect(stage.run(for: 6).starts(with: AppStage.suspension(1)))
    }

    @Test(.rule("AP4", "AP8")) func `An app that is traced is not ended when it overstays`() {
        var stage = AppStage()
        stage.connect(1, needs: AppStage.needs("sync"))
        stage.conditions[1]?.tracer = 9

        #expect(stage.run(for: 100) == [])
        stage.conditions[1]?.tracer = nil
        #expect(stage.run(for: 40).contains(.end(AppStage.process(1))))
    }

    @Test(.rule("AP7")) func `A woken app is suspended when it has answered the wake`() {
        var stage = suspended()

        let woken = stage.handle(.summoned("podcast", .push("news")))
        #expect(
            woken == [.notify(1, .woken(wake: 1, .push("news")))] + AppStage.resumption(1) + [
                AppStage.report(.woken, 1, state: .background, reason: "a push to news"),
                .stateChanged("podcast", .background),
            ])
        stage.proceed(1)

        #expect(stage.handle(.needs(1, AppNeeds())) == [])
        #expect(stage.handle(.needs(1, AppStage.needs("sync", wake: 1))) == [])
        let answered = stage.handle(.needs(1, AppStage.needs(wake: 1)))
        #expect(answered.starts(with: AppStage.suspension(1)))
    }

    @Test(.rule("AP5")) func `A suspended app runs for work, and is suspended after it`() {
        var stage = suspended()

        let began = stage.handle(.began(.refresh(4), 1))
        #expect(
            began == AppStage.resumption(1) + [
                AppStage.report(.woken, 1, state: .background, reason: "background task 4"),
                .stateChanged("podcast", .background),
            ])
        stage.proceed(1)
        #expect(stage.status()?.running == ["background task 4"])

        #expect(
            stage.handle(.ended(.refresh(4), 1, overran: false))
                .starts(with: AppStage.suspension(1)))
    }

    @Test(.rule("AP8")) func `An app that overstays is ended with its reasons`() {
        var stage = AppStage()
        stage.connect(1, .active, needs: AppStage.needs("sync", "save"))
        stage.leaveFront(1)

        #expect(stage.status()?.timeRemaining == 30)
        #expect(stage.run(for: 31.9) == [])
        #expect(stage.status()?.timeRemaining == 0)
        #expect(stage.run(for: 0.2) == [.end(AppStage.process(1))])

        let left = stage.handle(.left(1))
        let end = AppEnd(
            .overstayed, status: 137, reason: "it still had: sync, save",
            time: 1_000_000 + stage.now)
        #expect(
            left == [
                .keep([.app(AppStage.podcast, isClosed: false, lastEnd: end)]),
                AppStage.report(.ended, 1, end: end), .stateChanged("podcast", .notRunning),
            ])
        #expect(stage.status()?.lastEnd == end && stage.supervisor.canSummon("podcast"))
    }

    @Test(.rule("AP8")) func `A wake that found the app suspended has a time of its own`() {
        var stage = suspended()
        stage.run(for: 100)
        stage.handle(.summoned("podcast", .location))
        stage.proceed(1)

        #expect(stage.run(for: 31.9) == [])
        #expect(stage.run(for: 0.2) == [.end(AppStage.process(1))])
        let effects = stage.handle(.left(1))
        #expect(
            effects.contains { effect in
                if case .report(let event) = effect {
                    event.end?.reason == "it did not answer"
                } else {
                    false
                }
            })
    }

    @Test(.rule("AP8")) func `Sound that is declared, and work, have no limit`() {
        var audible = AppStage.needs("sync")
        audible.audio = true
        var located = AppStage.needs("sync")
        located.location = true
        var playing = AppStage()
        playing.connect(1, needs: audible)
        var working = AppStage()
        working.connect(1, needs: nil)
        working.handle(.began(.refresh(1), 1))
        working.handle(.needs(1, AppStage.needs("sync")))
        var undeclared = AppStage()
        undeclared.connect(1, needs: located)

        #expect(playing.run(for: 600) == [] && playing.status()?.timeRemaining == nil)
        #expect(working.run(for: 600) == [])
        #expect(undeclared.run(for: 32.1) == [.end(AppStage.process(1))])

        // The limit begins when the sound ends.
        playing.handle(.needs(1, AppStage.needs("sync")))
        #expect(playing.run(for: 31) == [])
        #expect(playing.run(for: 2) == [.end(AppStage.process(1))])
    }

    @Test(.rule("AP8")) func `An app has two more seconds after the machine has slept`() {
        var stage = AppStage()
        stage.connect(1, needs: AppStage.needs("sync"))

        stage.now += 3600
        #expect(stage.handle(.timePassed) == [])
        #expect(stage.run(for: 2.1) == [.end(AppStage.process(1))])
    }

    @Test(.rule("AP9")) func `An app whose work overran is ended in the background only`() {
        for state in [ApplicationState.active, .background] {
            var stage = AppStage()
            stage.connect(1, state)
            stage.conditions[1]?.activity = .running
            stage.handle(.began(.refresh(3), 1))

            let effects = stage.handle(.ended(.refresh(3), 1, overran: true))

            #expect(effects == (state == .background ? [.end(AppStage.process(1))] : []))
        }
    }

    @Test(.rule("AP10")) func `An app is sent home and opened whatever its terminal says`() {
        var stage = AppStage()
        stage.connect(1, .active)

        let home = stage.handle(.sentHome("podcast"))
        #expect(
            home == [
                .notify(1, .state(.background)), AppStage.report(.entered, 1, state: .background),
                .stateChanged("podcast", .background),
            ])
        #expect(stage.status()?.source == "undersong app")
        let steps = stage.handle(.needs(1, AppNeeds()))
        #expect(steps.starts(with: AppStage.suspension(1)))
        stage.conditions[1]?.activity = .stopped

        let opened = stage.handle(.opened("podcast"))
        #expect(
            opened == [.notify(1, .state(.active))] + AppStage.resumption(1) + [
                AppStage.report(.entered, 1, state: .active), .stateChanged("podcast", .active),
            ])
        #expect(stage.status()?.source == "terminal")
    }

    @Test(.rule("AP10")) func `An app that does not take its steps at home is suspended after 5 s`()
    {
        var stage = AppStage()
        stage.connect(1, .active)
        stage.handle(.sentHome("podcast"))

        #expect(stage.run(for: 4.9) == [])
        #expect(stage.run(for: 0.2).starts(with: AppStage.suspension(1)))
    }

    @Test(.rule("AP10")) func `The terminal decides again when it reports another state`() {
        var stage = AppStage()
        stage.connect(1, needs: AppStage.needs("sync"))
        stage.handle(.opened("podcast"))

        stage.handle(.entered(1, .background, source: "terminal"))
        #expect(stage.supervisor.state(of: "podcast") == .active)
        stage.handle(.entered(1, .active, source: "terminal"))
        stage.handle(.entered(1, .background, source: "terminal"))
        #expect(stage.supervisor.state(of: "podcast") == .background)
    }

    @Test(.rule("AP10")) func `An app at home that the user continues is what its terminal says`() {
        var stage = AppStage()
        stage.connect(1, .active)
        stage.handle(.sentHome("podcast"))
        stage.handle(.needs(1, AppNeeds()))

        let effects = stage.proceed(1)

        #expect(effects.starts(with: AppStage.resumption(1)))
        #expect(stage.supervisor.state(of: "podcast") == .active)
    }

    @Test(.rule("AP10", "AP11")) func `The most active process decides, and the last one works`() {
        var stage = AppStage()
        stage.connect(1, .active)
        stage.connect(2)

        #expect(stage.supervisor.state(of: "podcast") == .active)
        #expect(stage.status()?.process == 1001)
        #expect(stage.supervisor.client(of: "podcast") == 2)
        #expect(
            stage.handle(.summoned("podcast", .location)).first
                == .notify(2, .woken(wake: 1, .location)))
        stage.handle(.left(2))
        #expect(stage.supervisor.client(of: "podcast") == 1)
    }

    @Test(.rule("AP14")) func `A closed app is continued to end, and is ended after 5 seconds`() {
        var stage = suspended()

        let effects = stage.handle(.closed("podcast"))
        #expect(
            effects.starts(
                with: [
                    .keep([.app(AppStage.podcast, isClosed: true, lastEnd: nil)]),
                    .notify(1, .terminating(timeRemaining: 5)),
                ] + AppStage.resumption(1)))
        stage.proceed(1)
        #expect(stage.run(for: 4.9) == [])
        #expect(stage.run(for: 0.2) == [.end(AppStage.process(1))])
        stage.handle(.left(1))

        #expect(stage.status()?.lastEnd?.cause == .known(.killed))
        #expect(!stage.supervisor.canSummon("podcast"))
        #expect(stage.handle(.summoned("podcast", .location)) == [])
        stage.connect(2)
        #expect(stage.supervisor.canSummon("podcast"))
    }

    @Test(.rule("AP14")) func `An app that is opened while it ends is launched after its end`() {
        var stage = AppStage()
        stage.connect(1, .active)
        stage.handle(.closed("podcast"))

        let opened = stage.handle(.opened("podcast"))
        #expect(opened == [.keep([.app(AppStage.podcast, isClosed: false, lastEnd: nil)])])
        #expect(
            stage.handle(.left(1)).contains(
                .launch(AppStage.podcast, launch: "service-1", into: .active)))
    }

    @Test(.rule("AP16")) func `A removed app that is suspended runs as any other program`() {
        var stage = suspended()

        let effects = stage.handle(.remove("podcast"))

        #expect(
            effects == [.keep([.noApp("podcast")])] + AppStage.resumption(1) + [
                AppStage.report(.removed, nil), .stateChanged("podcast", .notRunning),
            ])
        stage.proceed(1)
        #expect(stage.supervisor.app(of: 1) == nil && stage.run(for: 600) == [])
        #expect(stage.supervisor.apps == [:])
    }

    @Test(.rule("AP15")) func `An app that dies while it is woken has ended, and can be summoned`()
    {
        var stage = suspended()
        stage.handle(.summoned("podcast", .location))

        let effects = stage.handle(.left(1))

        #expect(effects.contains(.stateChanged("podcast", .notRunning)))
        #expect(!effects.contains(where: isEnding))
        #expect(stage.status()?.lastEnd?.cause == .known(.exited))
        #expect(
            stage.handle(.summoned("podcast", .location)).first
                == .launch(AppStage.podcast, launch: "service-1", into: .background))
    }
}

@Suite struct `A launch of an app` {
    private func installed() -> AppStage {
        var stage = AppStage()
        stage.handle(.install(AppStage.podcast))
        return stage
    }

    @Test func `An app is registered once, and again only if it has changed`() {
        var stage = AppStage()
        let keep = AppStage.Effect.keep([.app(AppStage.podcast, isClosed: false, lastEnd: nil)])
        #expect(
            stage.handle(.install(AppStage.podcast)) == [keep, AppStage.report(.installed, nil)])
        #expect(stage.handle(.install(AppStage.podcast)) == [])
        var changed = AppStage.podcast
        changed.name = "News"

        #expect(
            stage.handle(.install(changed)) == [
                .keep([.app(changed, isClosed: false, lastEnd: nil)])
            ])
    }

    @Test(.rule("AP19"), arguments: [nil, "/podcast/Info.plist"])
    func `The program of an installed app updates what it declares, and nothing else`(
        manifest: String?
    ) {
        var stage = AppStage()
        var installed = AppStage.podcast
        installed.manifest = manifest
        stage.handle(.install(installed))
        var own = installed
        (own.command, own.folder, own.manifest) = (["/elsewhere/podcast"], "/elsewhere", manifest)
        (own.name, own.modes, own.permitted) = ("News", [.audio], ["news"])
        own.usage = ["NSLocationAlwaysUsageDescription": "News from here."]

        let registration = stage.supervisor.registration(describedBy: own)

        var expected = own
        (expected.command, expected.folder) = (installed.command, installed.folder)
        #expect(registration == expected)
    }

    @Test(.rule("AP19"))
    func `A property list that the user has named is not replaced by the program's own`() {
        var stage = AppStage()
        var installed = AppStage.podcast
        installed.manifest = "/user/Info.plist"
        stage.handle(.install(installed))
        var own = AppStage.podcast
        (own.manifest, own.modes) = ("/podcast/Info.plist", [.audio])

        #expect(stage.supervisor.registration(describedBy: own) == installed)
    }

    @Test(.rule("AP19"))
    func `A program that has registered itself is what its last run says, until it is installed`() {
        var stage = AppStage()
        stage.handle(.install(AppStage.podcast, byUser: false))
        var own = AppStage.podcast
        own.command = ["/elsewhere/podcast"]

        let registration = stage.supervisor.registration(describedBy: own)
        let effects = stage.handle(.install(AppStage.podcast))

        #expect(registration == own)
        #expect(
            effects == [.keep([.app(AppStage.podcast, isClosed: false, lastEnd: nil)])])
        #expect(stage.supervisor.registration(describedBy: own) == AppStage.podcast)
    }

    @Test(.rule("AP12")) func `Several reasons launch an app once, and it learns all of them`() {
        var stage = installed()

        let effects = stage.handle(.summoned("podcast", .task("refresh")))
        #expect(
            effects == [
                .launch(AppStage.podcast, launch: "service-1", into: .background),
                AppStage.report(.launched, nil, reason: "the task refresh"),
            ])
        stage.handle(.launched("podcast", AppStage.process(1), launch: "service-1"))
        #expect(stage.handle(.summoned("podcast", .push("news"))) == [])
        #expect(stage.handle(.summoned("podcast", .push("news"))) == [])
        stage.join(1)
        stage.handle(
            .connected(1, app: "podcast", .active, source: "none", launch: "service-1"))

        #expect(
            stage.supervisor.entrance(of: 1)
                == .init(state: .background, reasons: [.task("refresh"), .push("news")]))
        #expect(stage.supervisor.state(of: "podcast") == .background)
        #expect(stage.status()?.source == "launch")
    }

    @Test(.rule("AP12")) func `An app that forks away connects by another process`() {
        var stage = installed()
        stage.handle(.summoned("podcast", .location))
        stage.handle(.launched("podcast", AppStage.process(1), launch: "service-1"))

        #expect(stage.handle(.exited(AppStage.process(1), status: 0)) == [])
        stage.connect(2, launch: "service-1")

        #expect(stage.status()?.process == 1002 && stage.status()?.lastEnd == nil)
        #expect(stage.supervisor.entrance(of: 2)?.reasons == [.location])
    }

    @Test(.rule("AP12", "AP13")) func `A launch that does not connect in 20 s is ended`() {
        var stage = installed()
        stage.handle(.summoned("podcast", .location))
        stage.handle(.launched("podcast", AppStage.process(1), launch: "service-1"))

        #expect(stage.run(for: 19.9) == [])
        let effects = stage.run(for: 0.2)

        let end = AppEnd(
            .unresponsive, reason: "it did not connect within 20 seconds",
            time: 1_000_120)
        #expect(
            effects == [
                .end(AppStage.process(1)),
                .keep([.app(AppStage.podcast, isClosed: false, lastEnd: end)]),
                AppStage.report(.ended, 1, end: end),
            ])
        #expect(stage.supervisor.nextDue(at: stage.time) == .never)
    }

    @Test(.rule("AP13")) func `A launch that failed is kept, and repeated after a minute`() {
        var stage = installed()
        stage.handle(.summoned("podcast", .location))
        let end = AppEnd(.notStarted, reason: "no such file", time: 1_000_100)

        let effects = stage.handle(
            .notLaunched("podcast", reason: "no such file", launch: "service-1"))
        #expect(
            effects == [
                .keep([.app(AppStage.podcast, isClosed: false, lastEnd: end)]),
                AppStage.report(.ended, nil, end: end),
            ])
        #expect(stage.status()?.problem == "it could not be started: no such file")

        stage.now += 10
        #expect(stage.handle(.summoned("podcast", .location)) == [])
        #expect(stage.run(for: 49.9) == [])
        #expect(
            stage.run(for: 0.2).first
                == .launch(AppStage.podcast, launch: "service-2", into: .background))
        stage.handle(.notLaunched("podcast", reason: "no such file", launch: "service-2"))
        #expect(
            stage.handle(.opened("podcast")).first
                == .launch(AppStage.podcast, launch: "service-3", into: .active))
    }

    @Test(.rule("AP15")) func `A launch that ends before it connects has failed with its status`() {
        for (status, cause) in [(1, .exited), (139, .signalled)] as [(Int32, AppEnd.Cause)] {
            var stage = installed()
            stage.handle(.summoned("podcast", .location))
            stage.handle(.launched("podcast", AppStage.process(1), launch: "service-1"))

            stage.handle(.exited(AppStage.process(1), status: status))

            #expect(
                stage.status()?.lastEnd
                    == AppEnd(
                        cause, status: status, reason: "it did not connect", time: 1_000_100))
        }
    }

    @Test(.rule("AP15")) func `The end of a launched app has its status, which comes soon`() {
        for delay in [nil, 0.5, 2] as [Double?] {
            var stage = installed()
            stage.handle(.summoned("podcast", .location))
            stage.handle(.launched("podcast", AppStage.process(1), launch: "service-1"))
            stage.connect(1, launch: "service-1")
            if delay == nil { stage.handle(.exited(AppStage.process(1), status: 3)) }

            stage.handle(.left(1))
            if let delay {
                #expect(stage.status()?.lastEnd == nil)
                stage.run(for: delay)
                stage.handle(.exited(AppStage.process(1), status: 3))
            }

            let end = stage.status()?.lastEnd
            #expect(end?.cause == .known(.exited))
            #expect(end?.status == (delay == 2 ? nil : 3))
        }
    }

    @Test(.rule("AP14")) func `A launch that the user closes is ended, and may not connect later`()
    {
        var stage = installed()
        stage.handle(.summoned("podcast", .location))
        stage.handle(.closed("podcast"))

        let late = stage.handle(
            .launched("podcast", AppStage.process(1), launch: "service-1"))
        #expect(late == [.end(AppStage.process(1))])
        let effects = stage.connect(1, launch: "service-1")

        #expect(effects.contains(.notify(1, .terminating(timeRemaining: 5))))
        #expect(!stage.supervisor.canSummon("podcast"))
    }

    @Test func `An app is as an earlier service has kept it`() {
        let end = AppEnd(.killed, time: 7)
        var stage = AppStage()

        #expect(
            stage.handle(.restored([.app(AppStage.podcast, isClosed: true, lastEnd: end)])) == [])

        #expect(stage.supervisor.apps == ["podcast": AppStage.podcast])
        #expect(!stage.supervisor.canSummon("podcast") && stage.status()?.lastEnd == end)
        #expect(stage.status()?.state == .known(.notRunning))
    }
}
