import Synchronization
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongLibrary
import UndersongPlayback
import UndersongStore

/// The library: has its folders scanned, publishes what changes in it, and knows the track that is
/// heard.
///
/// A scan is work of the service's own: a finite-length task while it runs, and what is left of it
/// when the host is suspended is a task of background processing. It reads on a thread of its own, at
/// idle priority.
final class LibraryFeature: BackgroundFeature {
    /// The identifier of the service's own processing.
    private static let identifier = "net.undersong.library"
    /// The seconds after which all folders are looked at again by background processing.
    private static let interval = 20.0 * 3600
    /// Nanoseconds between two events of the progress of a scan.
    private static let pace: Int64 = 1_000_000_000

    /// A track that an item plays.
    private struct Heard {
        var item: QueueItem
        var track: Track?
    }

    let library: LibraryEnvironment?
    private unowned let service: PlayerService
    private let clock: any HostClock
    private let shell: Shell<ScanPlan>
    private var hasBegun = false
    /// Increases when a folder is added or removed, and when its tracks are missing or forgotten.
    private var editCount = 0
    /// The task that keeps the host running in the background during a scan.
    private var task: Int?
    /// The tasks of background processing that are running, by number, and what ends them.
    private var processing: [Int: @Sendable (RefreshCompletion) -> Void] = [:]
    /// The files that were read since processing has begun.
    private var processedCount = 0
    /// The query of the tracks that are not of a removed folder, and the edits when it was found.
    private var listed: (query: LibraryQuery, editCount: Int)?
    /// The current item and its track; nil until they were looked up.
    private var heard: Heard?
    /// The lookups of the current item's track, and the latest of them whose result is known.
    private var lookups = (begun: 0, ended: 0)

    init(_ service: PlayerService) {
        library = service.configuration.library
        self.service = service
        clock = service.configuration.clock
        shell = service.shell(
            ScanPlan(), of: LibraryFeature.self,
            whenDue: { feature, service in feature.handle(.timePassed, service) },
            perform: { await $0.perform($1, $2) })
    }

    static func wants(_ event: PlayerEvent) -> Bool {
        switch event.kind {
        case .item(.began), .queue: true
        default: false
        }
    }

    // MARK: The feature

    func begin(_ service: isolated PlayerService) async {
        guard let library else { return }
        library.scanner.notice { [weak service] change in
            service?.post { $0.feature(LibraryFeature.self).handle(change, $0) }
        }
        var (folders, count): ([LibraryFolder], Int)
        repeat {
            count = editCount
            folders = await library.store.folders() ?? []
        } while count != editCount
        hasBegun = true
        follow(service)
        shell.handle(.began(folders.map(\.path)))
        await findHeard(service)
    }

    func hostChanged(_ service: isolated PlayerService) async { follow(service) }

    func loginChanged(_ service: isolated PlayerService) async { follow(service) }

    /// Holds scans while the host is suspended.
    private func follow(_ service: isolated PlayerService) {
        guard hasBegun else { return }
        if service.isSuspended { hold() } else { release() }
    }

    private func hold() {
        library?.scanner.hold()
        shell.handle(.held)
    }

    private func release() {
        library?.scanner.release()
        shell.handle(.released)
    }

    func handle(_ event: PlayerEvent, _ service: isolated PlayerService) async {
        await findHeard(service)
    }

    /// False: a scan has a task, which does.
    var keepsAwake: Bool { false }
    var isBusy: Bool { shell.machine.running != nil }

    func add(to status: inout PlayerStatus, _ report: SessionReport) {
        guard let heard, heard.item.id == report.current?.id, let track = heard.track else {
            return
        }
        status.rating = track.rating
        status.favourite = track.isFavourite ? true : nil
    }

    func add(to why: inout Why, _ service: isolated PlayerService) async {
        guard let library else { return }
        // Reading may find trouble.
        let isReadable = await library.store.folders() != nil
        why.libraryTrouble = library.store.trouble.flatMap { Why.Trouble(ofLibrary: $0) }
        guard !isReadable, why.libraryTrouble == nil, library.store.trouble == nil else { return }
        why.libraryTrouble = .unreadableLibrary
    }

    func end() {
        shell.stop()
        library?.scanner.end()
    }

    // MARK: Scans

    /// Handles an input of the plan.
    private func handle(_ input: ScanPlan.Input, _ service: isolated PlayerService) {
        shell.handle(input)
        service.considerLeaving()
    }

    /// Begins to scan a folder that was added.
    func add(_ folder: FilePath, _ service: isolated PlayerService) {
        editCount += 1
        scan(.added(folder), service)
    }

    /// Scans a removed folder no more.
    func remove(_ folder: FilePath, _ service: isolated PlayerService) {
        editCount += 1
        handle(.removed(folder), service)
    }

    /// Wakes a suspended host for what a client asks for, which then has the time of a task (E3).
    func scan(_ input: ScanPlan.Input, _ service: isolated PlayerService) {
        if service.isSuspended {
            service.feature(TasksFeature.self).wake()
            beginTask(service)
        }
        release()
        handle(input, service)
    }

    /// Begins the task that keeps the host running, unless there is one.
    private func beginTask(_ service: isolated PlayerService) {
        guard task == nil else { return }
        task = service.feature(TasksFeature.self).begin(
            "scan of the library",
            .service { [weak service] in
                service?.post { $0.feature(LibraryFeature.self).timeIsUp($0) }
            })
    }

    /// The host is suspended soon. What is left to scan waits until it runs again, unless that is what
    /// background processing does.
    private func timeIsUp(_ service: isolated PlayerService) {
        guard processing.isEmpty else { return endTask(service) }
        hold()
        if shell.machine.running == nil { endTask(service) }
    }

    private func endTask(_ service: isolated PlayerService) {
        if let task { service.feature(TasksFeature.self).end(task) }
        task = nil
    }

    private func perform(_ effects: [ScanPlan.Effect], _ service: isolated PlayerService) async {
        guard let library else { return }
        for effect in effects {
            switch effect {
            case .scan(let request): begin(request, library, service)
            case .stopScan: library.scanner.stop()
            case .leave(let folder):
                library.scanner.leave(folder)
                try? await library.store.markMissing(below: folder, since: clock.secondsSinceEpoch)
                editCount += 1
            case .note(let folder, let isMissing):
                let time = isMissing ? clock.secondsSinceEpoch : nil
                try? await library.store.setMissing(folder, since: time)
                await report(.folders, service)
            case .forgetMissing:
                let time = clock.secondsSinceEpoch - ScanPlan.keepingSeconds
                let count = try? await library.store.forgetMissing(before: time)
                editCount += 1
                if count ?? 0 > 0 { await report(.forgotten, service) }
            }
        }
        if shell.machine.running == nil { finish(service) }
    }

    /// Scans on another thread.
    private func begin(
        _ request: ScanRequest, _ library: LibraryEnvironment, _ service: isolated PlayerService
    ) {
        beginTask(service)
        // Without time for it, it waits.
        if task == nil, processing.isEmpty { hold() }
        library.scanner.begin(request, library.store)
        let clock = clock
        let last = Pace(interval: Self.pace, since: clock.now)
        Task(executorPreference: service.executor) { [weak service] in
            let outcome = await library.scanner.scan(now: clock.secondsSinceEpoch) {
                [weak service] progress in
                guard last.isDue(at: clock.now) else { return }
                service?.post { await $0.feature(LibraryFeature.self).advance(progress, $0) }
            }
            service?.post { await $0.feature(LibraryFeature.self).end(outcome, $0) }
        }
    }

    private func advance(_ progress: LibraryScan, _ service: isolated PlayerService) async {
        shell.handle(.progressed(progress))
        await report(.scanning, service)
    }

    private func end(_ outcome: ScanOutcome, _ service: isolated PlayerService) async {
        processedCount += outcome.progress.readCount
        shell.handle(.ended(outcome))
        if shell.machine.running == nil {
            endTask(service)
            finish(service)
        }
        await findHeard(service, again: true)
        let event = LibraryEvent(
            .scanned, trackCount: library?.store.trackCount ?? 0, scan: outcome.progress)
        await service.session.report(.library(event))
        service.considerLeaving()
    }

    // MARK: Background processing

    var ownTasks: [String: RefreshHandler] {
        guard library != nil else { return [:] }
        let (interval, identifier, service) = (Self.interval, Self.identifier, service)
        let scan = RefreshHandler { [weak service] task, complete in
            service?.post { $0.feature(LibraryFeature.self).process(task.number, complete, $0) }
        } expire: { [weak service] task in
            service?.post { $0.feature(LibraryFeature.self).expire(task.number, $0) }
        } request: { last in
            RefreshRequest(
                identifier, kind: .processing, earliestBeginDate: last.map { $0.began + interval },
                requiresExternalPower: true)
        }
        return [Self.identifier: scan]
    }

    /// Scans all folders, as background processing.
    private func process(
        _ number: Int, _ complete: @escaping @Sendable (RefreshCompletion) -> Void,
        _ service: isolated PlayerService
    ) {
        if processing.isEmpty { processedCount = 0 }
        processing[number] = complete
        release()
        shell.handle(.asked(nil, readsAll: false))
        // Without folders, there is nothing to do.
        if shell.machine.running == nil { finish(service) }
    }

    /// The time of background processing is over.
    private func expire(_ number: Int, _ service: isolated PlayerService) {
        guard let complete = processing.removeValue(forKey: number) else { return }
        complete(RefreshCompletion(.failed, new: processedCount))
        if processing.isEmpty { restAfterProcessing(service) }
    }

    /// Completes the processing, since nothing is left to scan.
    private func finish(_ service: isolated PlayerService) {
        guard !processing.isEmpty else { return }
        for complete in processing.values {
            complete(RefreshCompletion(.done, new: processedCount))
        }
        processing = [:]
        restAfterProcessing(service)
    }

    /// The host is suspended next, unless it runs for something else.
    private func restAfterProcessing(_ service: isolated PlayerService) {
        if !service.feature(TasksFeature.self).keepsAwake { hold() }
    }

    /// The query of the tracks that are not of a removed folder. Nil if the disk cannot be read.
    func listedTracks(
        of store: LibraryStore, _ service: isolated PlayerService
    ) async -> LibraryQuery? {
        if let listed, listed.editCount == editCount { return listed.query }
        let count = editCount
        guard let query = await store.listedTracks() else { return nil }
        listed = (query, count)
        return query
    }

    // MARK: The track that is heard

    /// The track that the current item plays; nil if the library does not have it.
    func track(of item: QueueItem?) -> Track? {
        heard.flatMap { $0.item.id == item?.id ? $0.track : nil }
    }

    /// Looks up the track of the current item, unless that was done, or is to be done `again`.
    func findHeard(_ service: isolated PlayerService, again: Bool = false) async {
        guard let library else { return }
        let item = await service.session.report.current
        guard again || heard?.item.id != item?.id else { return }
        guard let item, let subject = PlayCounter.Subject(item) else { return heard = nil }
        lookups.begun += 1
        let number = lookups.begun
        let track = await library.store.track(of: subject)
        // Another item may be current by now, or another result newer.
        guard await service.session.report.current?.id == item.id, number > lookups.ended else {
            return
        }
        lookups.ended = number
        heard = Heard(item: item, track: track)
    }

    // MARK: Reports

    /// Publishes a change of the library.
    func report(
        _ change: LibraryEvent.Change, track: Int? = nil, _ service: isolated PlayerService
    ) async {
        let machine = shell.machine
        let event = LibraryEvent(
            change, trackCount: library?.store.trackCount ?? 0,
            scan: machine.running == nil ? nil : machine.progress, track: track)
        await service.session.report(.library(event))
    }

    /// The scan that runs; nil if none does.
    var scan: LibraryScan? {
        shell.machine.running == nil ? nil : shell.machine.progress
    }

    /// The folders and the scan. Nil if the disk cannot be read.
    func status(
        _ library: LibraryEnvironment, _ service: isolated PlayerService
    ) async -> LibraryStatus? {
        guard var folders = await library.store.folders() else { return nil }
        for index in folders.indices {
            folders[index].watchProblem = shell.machine.watchProblem(of: folders[index].path)
        }
        return LibraryStatus(
            folders: folders, trackCount: library.store.trackCount, scan: scan,
            isWaiting: shell.machine.isWaiting ? true : nil,
            problems: shell.machine.problems)
    }
}

/// Lets something happen once in an interval. Any thread may call it.
private final class Pace: Sendable {
    private let last: Mutex<Int64>
    private let interval: Int64

    init(interval: Int64, since now: Int64) {
        last = Mutex(now)
        self.interval = interval
    }

    /// True if the interval has passed since this was true.
    func isDue(at now: Int64) -> Bool {
        last.withLock { last in
            guard now - last >= interval else { return false }
            last = now
            return true
        }
    }
}
