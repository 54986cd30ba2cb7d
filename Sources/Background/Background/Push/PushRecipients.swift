/// The programs and apps that handle pushes: decides which of them a push is for.
package struct PushRecipients: Sendable {
    /// A handler of pushes.
    enum Recipient {
        case service
        case program(Int)
    }

    /// The registered programs, latest last, and their topics; nil for all.
    package private(set) var programs: [(id: Int, topics: Set<String>?)] = []
    /// The registered programs that are stopped, and get no pushes.
    private var stopped: Set<Int> = []
    /// The topics of apps that have registered once.
    package private(set) var appTopics: Set<String>
    var isHostActive = false
    /// True if the host declares the mode.
    var isHostDeclared = false
    /// The apps that declare the mode.
    var declaringApps: Set<String> = []
    /// The apps in the foreground.
    var activeApps: Set<String> = []
    /// True if the service can refresh feeds itself.
    private let handlesFeeds: Bool

    init(appTopics: Set<String>, handlesFeeds: Bool) {
        self.appTopics = appTopics
        self.handlesFeeds = handlesFeeds
    }

    // MARK: Programs

    /// Adds a program for these topics; nil for all.
    mutating func add(_ program: Int, for topics: Set<String>?) {
        remove(program)
        programs.append((program, topics))
    }

    mutating func remove(_ program: Int) {
        programs.removeAll { $0.id == program }
        resume(program)
    }

    /// Notes that a program is stopped.
    mutating func stop(_ program: Int) { stopped.insert(program) }

    /// Notes that a program runs again.
    mutating func resume(_ program: Int) { stopped.remove(program) }

    /// Returns true if the app was not there yet.
    mutating func addApp(_ topic: String) -> Bool { appTopics.insert(topic).inserted }

    /// Returns true if the app was there.
    mutating func removeApp(_ topic: String) -> Bool { appTopics.remove(topic) != nil }

    // MARK: The recipient of a push

    /// The handler of a push; nil if there is none yet. A program that has named the topic comes
    /// first, then the one that registered last.
    func recipient(of push: Push) -> Recipient? {
        if let action = push.payload.action, !action.isForPrograms { return .service }
        let running = programs.filter { !stopped.contains($0.id) }
        let program =
            running.last { $0.topics?.contains(push.topic) == true }
            ?? running.last { $0.topics == nil }
        if let program { return .program(program.id) }
        return push.payload.action != nil && handlesFeeds ? .service : nil
    }

    /// Returns true if a push would have a recipient if no program were stopped.
    func isStopped(for push: Push) -> Bool {
        programs.contains { $0.topics?.contains(push.topic) ?? true }
    }

    /// Returns true if an app has registered for pushes like this one.
    func hasApp(of push: Push) -> Bool { appTopics.contains(push.topic) }

    /// Returns true if the program that gets a push is in the foreground: an app by itself, any other
    /// with the host.
    func isActive(for push: Push) -> Bool {
        hasApp(of: push) ? activeApps.contains(push.topic) : isHostActive
    }

    /// Returns true if the program that gets a push declares the mode, by the same rule.
    func isDeclared(for push: Push) -> Bool {
        hasApp(of: push) ? declaringApps.contains(push.topic) : isHostDeclared
    }
}
