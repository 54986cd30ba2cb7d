import TestSupport
import Testing
import UndersongBackground

@Suite struct `An application's lifecycle` {
    @Test(.rule("A11"), arguments: [ApplicationState.active, .inactive, .background])
    func `An application's lifecycle starts in any state without an event`(state: ApplicationState)
    {
        let lifecycle = ApplicationLifecycle(state: state)

        #expect(lifecycle.state == state)
    }

    @Test(.rule("A5")) func `An application resigns active before it is inactive`() {
        var lifecycle = ApplicationLifecycle(state: .active)

        let events = lifecycle.enter(.inactive)

        #expect(events == [.willResignActive])
        #expect(lifecycle.state == .inactive)
    }

    @Test(.rule("A5", "A6"))
    func `An application that leaves resigns active, then enters the background`() {
        var lifecycle = ApplicationLifecycle(state: .active)

        let events = lifecycle.enter(.background)

        #expect(events == [.willResignActive, .didEnterBackground])
        #expect(lifecycle.state == .background)
    }

    @Test(.rule("A6")) func `An application that is already inactive only enters the background`() {
        var lifecycle = ApplicationLifecycle(state: .inactive)

        let events = lifecycle.enter(.background)

        #expect(events == [.didEnterBackground])
    }

    @Test(.rule("A7", "A8"))
    func `An application that returns enters the foreground, then becomes active`() {
        var lifecycle = ApplicationLifecycle(state: .background)

        let events = lifecycle.enter(.active)

        #expect(events == [.willEnterForeground, .didBecomeActive])
        #expect(lifecycle.state == .active)
    }

    @Test(.rule("A7")) func `An application that returns inactive only enters the foreground`() {
        var lifecycle = ApplicationLifecycle(state: .background)

        let events = lifecycle.enter(.inactive)

        #expect(events == [.willEnterForeground])
    }

    @Test(.rule("A8"))
    func `An application only becomes active after an interruption in the foreground`() {
        var lifecycle = ApplicationLifecycle(state: .active)

        let events = [lifecycle.enter(.inactive), lifecycle.enter(.active)]

        #expect(events == [[.willResignActive], [.didBecomeActive]])
    }

    @Test(arguments: [ApplicationState.active, .inactive, .background])
    func `An application has no events if its state stays the same`(state: ApplicationState) {
        var lifecycle = ApplicationLifecycle(state: state)

        let events = lifecycle.enter(state)

        #expect(events == [])
        #expect(lifecycle.state == state)
    }

    @Test(.rule("A5", "A6", "A7", "A8"))
    func `An application has each event once on the way to the background and back`() {
        var lifecycle = ApplicationLifecycle(state: .active)

        let events =
            lifecycle.enter(.inactive) + lifecycle.enter(.background)
            + lifecycle.enter(.inactive) + lifecycle.enter(.active)

        #expect(
            events == [
                .willResignActive, .didEnterBackground, .willEnterForeground, .didBecomeActive,
            ])
    }
}

@Suite struct `An application state` {
    @Test(.rule("A2", "2.7"))
    func `An application's state is active 0, inactive 1 or background 2`() {
        #expect(ApplicationState.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(ApplicationState.allCases == [.active, .inactive, .background])
    }

    @Test func `An application's state is written and read by name`() {
        #expect(ApplicationState.allCases.map(\.name) == ["active", "inactive", "background"])
        #expect(ApplicationState(name: "active") == .active)
        #expect(ApplicationState(name: "inactive") == .inactive)
        #expect(ApplicationState(name: "background") == .background)
        #expect(ApplicationState(name: "suspended") == nil)
    }

    @Test(.rule("A5", "A6", "A7", "A8"))
    func `An application's state has lifecycle events with Apple's names`() {
        let events: [LifecycleEvent] = [
            .willResignActive, .didEnterBackground, .willEnterForeground, .didBecomeActive,
        ]

        #expect(
            events.map(\.rawValue) == [
                "willResignActive", "didEnterBackground", "willEnterForeground", "didBecomeActive",
            ])
    }
}
