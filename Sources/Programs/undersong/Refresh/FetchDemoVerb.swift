import ArgumentParser
import UndersongBackground
import UndersongBase
import UndersongCommandOptions

struct FetchDemoVerb: Verb {
    static let configuration = described(
        "fetch", "Show the time of the last background refresh, and request the next one.",
        discussion: """
            Each refresh takes the time, completes its task, and then submits the request for the \
            next one, a minute later at the earliest. It needs 'undersong capability fetch on' and \
            'undersong capability permit net.undersong.refresh'.
            """)

    @Flag(help: "Launch each request at once, as a debugger does.") var simulate = false

    @Option(help: ArgumentHelp("End after this many refreshes.", valueName: "count"))
    var times: Int?

    @OptionGroup var session: SessionName

    func validate() throws {
        if let times, times < 1 { throw ValidationError("--times must be 1 or more.") }
    }

    func perform() throws {
        let launches = Arrivals<RefreshLaunch>()
        let service = Service()
        service.jobControl.begin()
        try service.connect(to: "refresh", session: session.text, startsService: true) { notice in
            switch notice {
            case .refreshLaunch(let launch): launches.add(launch)
            case .lost: launches.add(nil)
            default: break
            }
        }
        let identifier = RefreshRunner.fetchIdentifier
        _ = try service.call(RegisterRefresh(identifier))
        write("Last refresh: Not yet updated")
        var count = 0
        try schedule(service)
        for launch in launches {
            write("refresh occurred")
            let reply = try service.call(
                CompleteRefresh(launch.run.number, RefreshCompletion(.newData, new: 1)))
            count += 1
            if count == times { return }
            try schedule(service)
            let date = CalendarDate(secondsSince1970: reply.now + reply.utcOffset)
            write("Last refresh: \(date.text)")
        }
        throw Failure("cannot refresh: The service has gone away", status: Failure.unavailable)
    }

    /// Requests the next refresh.
    private func schedule(_ service: Service) throws {
        let request = RefreshRequest(
            RefreshRunner.fetchIdentifier,
            earliestBeginDate: try service.call(GetRefreshStatus()).now + 60)
        do {
            _ = try service.call(SubmitRefresh(request))
        } catch {
            throw Failure("Couldn't schedule app refresh: \(error.message)")
        }
        write("background refresh scheduled")
        if simulate {
            _ = try service.call(SimulateRefresh(RefreshRunner.fetchIdentifier))
        }
    }

    private func write(_ line: String) { writeAll(line + "\n", to: 1) }
}
