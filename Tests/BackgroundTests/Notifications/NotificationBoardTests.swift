import Testing
import UndersongBackground
import UndersongBase

/// Decides about notifications of an app and of pushes, from the time 100 on.
@Suite struct `A board of notifications` {
    private static let app = "net.example.app"
    private typealias Effect = NotificationBoard.Effect
    private typealias Entry = NotificationBoard.Entry

    private var board = NotificationBoard()

    private static func entry(_ identifier: String, title: String = "T") -> Entry {
        Entry(UserNotification(identifier, title: title), app: app, name: "App")
    }

    private static func push(_ number: Int, topic: String = "a") -> Entry {
        Entry(
            UserNotification("push \(number)", title: "Push \(number)"), kind: .push,
            group: "push \(topic)")
    }

    private static func key(_ identifier: String, owner: String = app) -> NotificationKey {
        NotificationKey(owner: owner, identifier: identifier)
    }

    @discardableResult
    private mutating func send(
        _ input: NotificationBoard.Input, at time: Double = 100
    ) -> [Effect] { board.handle(input, at: time) }

    /// The notifications that effects show, as "identifier: title".
    private static func texts(_ effects: [Effect]) -> [String] {
        effects.compactMap { effect in
            guard case .show(let notification, _) = effect else { return nil }
            return "\(notification.key.identifier): \(notification.content.title)"
        }
    }

    /// Shows a notification of the app, and returns when the server has it.
    private mutating func show(_ identifier: String) {
        for effect in send(.add(Self.entry(identifier), ticket: nil)) {
            if case .show(_, let number) = effect { send(.shown(number, problem: nil)) }
        }
    }

    // MARK: Permissions and kinds

    @Test(.rule("NB2"))
    mutating func `Notifications of an app are shown only with its permission`() {
        let before = send(.add(Self.entry("a"), ticket: 1))
        let request = send(.requested(Self.app))
        let again = send(.requested(Self.app))
        let after = send(.add(Self.entry("a"), ticket: 2))

        #expect(before == [.refuse(1, reason: "the user has not allowed it")])
        #expect(
            request == [.keep(.app(Self.app, .authorized), was: .app(Self.app, .notDetermined))])
        #expect(again == [])
        #expect(after == [.show(Self.entry("a").notification, number: 1)])
    }

    @Test(.rule("NB2"))
    mutating func `An app that the user forbids loses what it shows, and does not get more`() {
        send(.requested(Self.app))
        send(.badge(app: Self.app, 3))
        show("a")

        let forbidden = send(.permit(Self.app, .denied))
        let asked = send(.requested(Self.app))
        let added = send(.add(Self.entry("b"), ticket: 7))

        #expect(
            forbidden == [
                .keep(.app(Self.app, .denied), was: .app(Self.app, .authorized)),
                .keep(.badge(Self.app, 0), was: .badge(Self.app, 3)), .close(Self.key("a")),
            ])
        #expect(asked == [])
        #expect(added == [.refuse(7, reason: "the user has not allowed it")])
        #expect(board.delivered(of: Self.app) == [])
    }

    @Test(.rule("NB1"))
    mutating func `The service's own notifications are shown if their kind is on`() {
        func item() -> Entry { Entry(UserNotification("item", title: "Song"), kind: .item) }
        let off = send(.add(item(), ticket: nil))
        send(.override(.item, isOn: true))
        let overridden = send(.add(item(), ticket: nil))
        send(.override(.item, isOn: false))
        let kept = send(.set(.item, isOn: true))
        let on = send(.add(item(), ticket: nil))
        let pushOff = send(.set(.push, isOn: false))
        let push = send(.add(Self.push(1), ticket: nil))

        #expect(off == [])
        #expect(Self.texts(overridden) == ["item: Song"])
        #expect(kept == [.keep(.kind(.item, isOn: true), was: .kind(.item, isOn: false))])
        #expect(Self.texts(on) == ["item: Song"])
        #expect(pushOff == [.keep(.kind(.push, isOn: false), was: .kind(.push, isOn: true))])
        #expect(push == [])
    }

    @Test mutating func `What was kept is restored, and a change that is not kept is undone`() {
        send(
            .restored([
                .kind(.episode, isOn: false), .app(Self.app, .denied), .badge("b", 2),
            ]))
        let kinds = board.kinds
        send(.set(.item, isOn: true))
        send(.restored([.kind(.item, isOn: false)]))

        #expect(kinds == [.push, .download])
        #expect(board.kinds == [.push, .download])
        #expect(board.permission(of: Self.app) == .denied)
        #expect(board.badges == ["b": 2])
    }

    // MARK: Showing

    @Test mutating func `One who waits hears that a notification is shown, or why it is not`() {
        send(.requested(Self.app))
        send(.add(Self.entry("a"), ticket: 1))
        send(.add(Self.entry("b"), ticket: 2))

        let shown = send(.shown(1, problem: nil))
        let failed = send(.shown(2, problem: "no server"))

        #expect(shown == [.accept(1)])
        #expect(failed == [.refuse(2, reason: "no server")])
        #expect(board.delivered(of: Self.app).map(\.identifier) == ["a"])
    }

    @Test mutating func `A notification that is removed on its way is not delivered`() {
        send(.requested(Self.app))
        send(.add(Self.entry("a"), ticket: 1))

        let removed = send(.remove(owner: Self.app, ["a", "x"]))
        let shown = send(.shown(1, problem: nil))

        #expect(removed == [.close(Self.key("a"))])
        #expect(shown == [.accept(1)])
        #expect(board.delivered(of: Self.app) == [])
    }

    @Test mutating func `All notifications of one owner are removed, and those of others stay`() {
        send(.requested(Self.app))
        show("a")
        show("b")
        send(.add(Self.push(1), ticket: nil))
        send(.shown(3, problem: nil))

        let removed = send(.remove(owner: Self.app, nil))

        #expect(removed == [.close(Self.key("a")), .close(Self.key("b"))])
        #expect(
            board.delivered(of: NotificationKey.service).map(\.identifier) == ["push 1"])
    }

    @Test mutating func `The oldest of too many notifications is removed`() {
        send(.requested(Self.app))
        var effects: [Effect] = []
        for number in 0...NotificationBoard.shownLimit {
            // Not a flood: one every ten seconds.
            let time = 100 + 10 * Double(number)
            send(.add(Self.entry("\(number)"), ticket: nil), at: time)
            effects += send(.shown(number + 1, problem: nil), at: time)
        }

        #expect(effects == [.close(Self.key("0"))])
        #expect(board.delivered(of: Self.app).count == NotificationBoard.shownLimit)
    }

    @Test mutating func `The badge of a notification is the app's badge from then on`() {
        send(.requested(Self.app))
        var content = UserNotification("a", title: "T")
        content.badge = 4

        let effects = send(.add(Entry(content, app: Self.app, name: "App"), ticket: nil))

        #expect(effects.first == .keep(.badge(Self.app, 4), was: .badge(Self.app, 0)))
        #expect(board.badges == [Self.app: 4])
    }

    // MARK: Floods

    @Test(.rule("NB4"))
    mutating func `A topic that floods is collapsed into one notification that counts`() {
        var shown: [String] = []
        for number in 1...500 {
            shown += Self.texts(send(.add(Self.push(number), ticket: nil)))
        }
        let due = board.nextDue(at: 100)
        shown += Self.texts(send(.timePassed, at: 102))
        let quiet = send(.timePassed, at: 104)

        let single = (1...10).map { "push \($0): Push \($0)" }
        let summary = "undersong.more.push a: "
        #expect(
            shown == single + [
                summary + "1 more notification", summary + "490 more notifications",
            ])
        #expect(due == Due(boot: 102))
        #expect(quiet == [])
        #expect(board.nextDue(at: 104) == .never)
    }

    @Test(.rule("NB4"))
    mutating func `A flood of one topic collapses no other, and is over after a minute`() {
        for number in 1...20 { send(.add(Self.push(number), ticket: nil)) }

        let other = send(.add(Self.push(21, topic: "b"), ticket: nil))
        send(.timePassed, at: 102)
        send(.timePassed, at: 104)
        let during = send(.add(Self.push(22), ticket: nil), at: 159.9)
        send(.timePassed, at: 162)
        send(.timePassed, at: 164)
        let later = send(.add(Self.push(23), ticket: nil), at: 230)

        #expect(Self.texts(other) == ["push 21: Push 21"])
        #expect(Self.texts(during) == ["undersong.more.push a: 11 more notifications"])
        #expect(Self.texts(later) == ["push 23: Push 23"])
    }

    @Test mutating func `Ten a minute are no flood`() {
        var shown: [String] = []
        for number in 0..<60 {
            let time = 100 + 6 * Double(number)
            shown += Self.texts(send(.add(Self.push(number), ticket: nil), at: time))
        }

        #expect(shown == (0..<60).map { "push \($0): Push \($0)" })
    }

    @Test(.rule("NB4"))
    mutating func `Of one that is replaced too often, the newest is shown after a while`() {
        send(.override(.item, isOn: true))
        var shown: [String] = []
        for number in 1...30 {
            let item = UserNotification("item", title: "Song \(number)")
            shown += Self.texts(send(.add(Entry(item, kind: .item), ticket: nil)))
        }
        let updated = Self.texts(send(.timePassed, at: 102))

        #expect(shown == (1...11).map { "item: Song \($0)" })
        #expect(updated == ["item: Song 30"])
    }

    @Test mutating func `One who waits in a flood hears that he is counted`() {
        send(.requested(Self.app))
        for number in 1...10 { send(.add(Self.entry("\(number)"), ticket: nil)) }

        let effects = send(.add(Self.entry("11"), ticket: 5))

        #expect(effects.contains(.accept(5)))
        #expect(
            Self.texts(effects) == ["undersong.more.app \(Self.app): 1 more notification"])
    }

    // MARK: Answers

    @Test(.rule("NB5"))
    mutating func `A click opens the app, and an action wakes it`() {
        send(.requested(Self.app))
        show("a")
        show("b")

        let click = send(
            .answered(Self.key("a"), action: nil, token: "t", isConnected: true))
        let action = send(
            .answered(Self.key("b"), action: "later", token: nil, isConnected: true))
        let again = send(
            .answered(Self.key("b"), action: "later", token: nil, isConnected: true))

        var answer = NotificationAnswered("a")
        answer.token = "t"
        #expect(click == [.deliver(Self.app, answer), .open(Self.app)])
        #expect(
            action == [
                .deliver(Self.app, NotificationAnswered("b", action: "later")),
                .summon(Self.app, notification: "b"),
            ])
        #expect(again == [])
    }

    @Test mutating func `Answers wait for an app that does not run`() {
        send(.requested(Self.app))
        show("a")
        show("b")
        send(.answered(Self.key("a"), action: "x", token: nil, isConnected: false))
        send(.answered(Self.key("b"), action: nil, token: nil, isConnected: false))
        let expects = board.expectsAnswers

        let connected = send(.connected(Self.app))
        let again = send(.connected(Self.app))

        #expect(expects)
        #expect(
            connected == [
                .deliver(Self.app, NotificationAnswered("a", action: "x")),
                .deliver(Self.app, NotificationAnswered("b")),
            ])
        #expect(again == [])
        #expect(!board.expectsAnswers)
    }

    @Test(.rule("NB5"))
    mutating func `An app hears of a dismissal only while it runs, and not of an expiry`() {
        send(.requested(Self.app))
        for identifier in ["a", "b", "c"] { show(identifier) }

        let dismissed = send(.closed(Self.key("a"), isDismissed: true, isConnected: true))
        let expired = send(.closed(Self.key("b"), isDismissed: false, isConnected: true))
        let alone = send(.closed(Self.key("c"), isDismissed: true, isConnected: false))

        #expect(
            dismissed == [
                .deliver(Self.app, NotificationAnswered("a", isDismissed: true))
            ])
        #expect(expired == [])
        #expect(alone == [])
        #expect(board.delivered(of: Self.app) == [])
    }

    @Test mutating func `An action of the service's own is performed by the service`() {
        send(.add(Self.push(1), ticket: nil))
        send(.shown(1, problem: nil))
        let key = Self.key("push 1", owner: NotificationKey.service)

        let effects = send(.answered(key, action: "play", token: nil, isConnected: false))

        #expect(effects == [.perform(notification: "push 1", action: "play")])
    }

    @Test mutating func `A server that ends shows nothing any longer`() {
        send(.requested(Self.app))
        show("a")

        send(.lost)
        let answer = send(.answered(Self.key("a"), action: nil, token: nil, isConnected: true))

        #expect(answer == [])
        #expect(board.delivered(of: Self.app) == [])
    }

    @Test mutating func `An app that is removed is forgotten`() {
        send(.requested(Self.app))
        show("a")
        send(.answered(Self.key("a"), action: nil, token: nil, isConnected: false))

        send(.forget(Self.app))

        #expect(board.permissions == [:])
        #expect(send(.connected(Self.app)) == [])
    }
}
