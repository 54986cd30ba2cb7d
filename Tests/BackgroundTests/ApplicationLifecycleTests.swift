import Testing
import UndersongBackground

@Suite struct `An application's lifecycle` {
    @Test(arguments: [ApplicationState.active, .inactive, .background])
    func `A11: starts in any state without an event`(state: ApplicationState) {
        let lifecycle = ApplicationLifecycle(state: state)

        #expect(lifecycle.state == state)
    }

    @Test func `A5: resigns active before it is inactive`() {
        var lifecycle = ApplicationLifecycle(state: .active)

        let events = lifecycle.enter(.inactive)

        #expect(events == [.willResignActive])
        #expect(lifecycle.state == .inactive)
    }

    @Test func `A5 A6: resigns active, then enters the background, on leaving`() {
        var lifecycle = ApplicationLifecycle(state: .active)

        let events = lifecycle.enter(.background)

        #expect(events == [.willResignActive, .didEnterBackground])
        #expect(lifecycle.state == .background)
    }

    @Test func `A6: only enters the background if it is already inactive`() {
        var lifecycle = ApplicationLifecycle(state: .inactive)

        let events = lifecycle.enter(.background)

        #expect(events == [.didEnterBackground])
    }

    @Test func `A7 A8: enters the foreground, then becomes active, on return`() {
        var lifecycle = ApplicationLifecycle(state: .background)

        let events = lifecycle.enter(.active)

        #expect(events == [.willEnterForeground, .didBecomeActive])
        #expect(lifecycle.state == .active)
    }

    @Test func `A7: only enters the foreground if it returns inactive`() {
        var lifecycle = ApplicationLifecycle(state: .background)

        let events = lifecycle.enter(.inactive)

        #expect(events == [.willEnterForeground])
    }

    @Test func `A8: only becomes active after an interruption that stayed in the foreground`() {
        var lifecycle = ApplicationLifecycle(state: .active)

        let events = [lifecycle.enter(.inactive), lifecycle.enter(.active)]

        #expect(events == [[.willResignActive], [.didBecomeActive]])
    }

    @Test(arguments: [ApplicationState.active, .inactive, .background])
    func `has no events if the state stays the same`(state: ApplicationState) {
        var lifecycle = ApplicationLifecycle(state: state)

        let events = lifecycle.enter(state)

        #expect(events == [])
        #expect(lifecycle.state == state)
    }

    @Test func `A5 A6 A7 A8: has each event once on the way to the background and back`() {
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
    @Test func `A2, 2.7: is active 0, inactive 1 or background 2`() {
        #expect(ApplicationState.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(ApplicationState.allCases == [.active, .inactive, .background])
    }

    @Test func `is written and read by name`() {
        #expect(ApplicationState.allCases.map(\.name) == ["active", "inactive", "background"])
        #expect(ApplicationState(name: "active") == .active)
        #expect(ApplicationState(name: "inactive") == .inactive)
        #expect(ApplicationState(name: "background") == .background)
        #expect(ApplicationState(name: "suspended") == nil)
    }

    @Test func `A5 A6 A7 A8: has lifecycle events with Apple's names`() {
        let events: [LifecycleEvent] = [
            .willResignActive, .didEnterBackground, .willEnterForeground, .didBecomeActive,
        ]

        #expect(
            events.map(\.rawValue) == [
                "willResignActive", "didEnterBackground", "willEnterForeground", "didBecomeActive",
            ])
    }
}
