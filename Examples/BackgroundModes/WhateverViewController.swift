import UIKit
import UndersongDemoScreen

/// The third tab: a calculation that continues in the background for as long as a task lasts.
@MainActor
final class WhateverViewController {
    /// Seconds between two numbers (E12).
    static let interval = 0.5

    private(set) var view = DemoScreen.Whatever() { didSet { onChange() } }
    /// Called when `view` has changed.
    var onChange: () -> Void = {}

    private let application: UIApplication
    private let print: (String) -> Void
    private var numbers = Fibonacci()
    private var updateTimer: Timer?
    private var backgroundTask = UIBackgroundTaskIdentifier.invalid
    private var observer: (any NSObjectProtocol)?

    /// Makes the tab of an application that posts to `center`, and writes to the console by `print`.
    init(
        _ application: UIApplication = .shared, _ center: NotificationCenter = .default,
        print: @escaping (String) -> Void
    ) {
        self.application = application
        self.print = print
        observer = center.addObserver(
            forName: UIApplication.didBecomeActiveNotification, object: nil, queue: nil
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.reinstateBackgroundTask() }
        }
    }

    func didTapPlayPause() {
        switch view.state {
        case .ready, .ended: start()
        case .calculating, .expired: stop()
        }
    }

    private func start() {
        numbers = Fibonacci()
        view = DemoScreen.Whatever()
        view.state = .calculating
        show()
        startTimer()
        registerBackgroundTask()
    }

    private func stop() {
        stopTimer()
        view.state = .ended
        view.timeRemaining = nil
        endBackgroundTask()
    }

    /// Calculates the next number, and shows it, or writes it to the console (E15, E16).
    func calculateNextNumber() {
        numbers.tick()
        switch application.applicationState {
        case .active: show()
        case .background:
            show()
            print("App is backgrounded. Next number = \(numbers.message)")
            let seconds = application.backgroundTimeRemaining
            // Without a limit while the application plays or follows its location.
            guard seconds < .greatestFiniteMagnitude else { return view.timeRemaining = nil }
            print(String(format: "Background time remaining = %.1f seconds", seconds))
            view.timeRemaining = seconds
        case .inactive: break
        }
    }

    private func show() {
        view.number = numbers.number
        view.position = numbers.position
    }

    private func startTimer() {
        updateTimer = Timer.scheduledTimer(withTimeInterval: Self.interval, repeats: true) {
            [weak self] _ in
            MainActor.assumeIsolated { self?.calculateNextNumber() }
        }
    }

    private func stopTimer() {
        updateTimer?.invalidate()
        updateTimer = nil
    }

    // MARK: The background task

    /// Continues after a task that has expired, with another one (E7, E9).
    private func reinstateBackgroundTask() {
        view.timeRemaining = nil
        if view.state == .expired {
            view.state = .calculating
            startTimer()
        }
        if view.state == .calculating, backgroundTask == .invalid { registerBackgroundTask() }
    }

    private func registerBackgroundTask() {
        backgroundTask = application.beginBackgroundTask(withName: "Fibonacci") { [weak self] in
            self?.expire()
        }
    }

    private func expire() {
        print("iOS has signaled time has expired")
        view.state = .expired
        // A number that is due when the process continues would come before it is active again.
        stopTimer()
        endBackgroundTask()
    }

    /// Ends the task, once (E13).
    private func endBackgroundTask() {
        guard backgroundTask != .invalid else { return }
        print("Background task ended.")
        application.endBackgroundTask(backgroundTask)
        backgroundTask = .invalid
    }
}
