import FoundationEssentials
import Glibc
import UndersongBase
import UndersongControl
import UndersongTransferIO
import UndersongTransfers

extension SessionDesk {
    typealias Perform =
        @Sendable (ControlRequest, ControlConnection, SessionDesk, TransferEngineState)
        throws(ControlError) -> ControlReply

    /// The methods of the wire that are about sessions.
    static let methods: [String: Perform] = [
        OpenSession.method: { request, connection, desk, engine throws(ControlError) in
            let call = try request.decode(OpenSession.self)
            return ControlReply(try desk.open(call, connection, engine))
        },
        CloseSession.method: { request, connection, desk, engine throws(ControlError) in
            let call = try request.decode(CloseSession.self)
            try desk.check(connection, call.session, "close the session")
            desk.close(call.session, engine)
            return ControlReply(Nothing())
        },
        ForegroundSession.method: { request, connection, desk, engine throws(ControlError) in
            let call = try request.decode(ForegroundSession.self)
            try desk.check(connection, call.session, "come to the foreground")
            engine.handle(.session(.foreground(call.session)))
            return ControlReply(Nothing())
        },
        AddSessionTask.method: { request, connection, desk, engine throws(ControlError) in
            let call = try request.decode(AddSessionTask.self)
            try desk.check(connection, call.session, "add a task")
            return ControlReply(try desk.add(call, engine))
        },
        ChangeSessionTask.method: { request, connection, desk, engine throws(ControlError) in
            let call = try request.decode(ChangeSessionTask.self)
            try desk.check(connection, call.session, "change a task")
            return ControlReply(try desk.change(call, engine))
        },
        NextSessionEvent.method: { request, connection, desk, engine throws(ControlError) in
            let call = try request.decode(NextSessionEvent.self)
            try desk.check(connection, call.session, "give events")
            return ControlReply(NextSessionEvent.Reply(event: desk.event(of: call.session, engine)))
        },
        AcknowledgeSessionEvent.method: { request, connection, desk, engine throws(ControlError) in
            let call = try request.decode(AcknowledgeSessionEvent.self)
            try desk.check(connection, call.session, "acknowledge an event")
            try desk.acknowledge(call, engine)
            return ControlReply(Nothing())
        },
    ]

    private func check(
        _ connection: ControlConnection, _ session: String, _ purpose: String
    ) throws(ControlError) {
        guard isHost(connection, of: session) else {
            throw ControlError(
                .notPossible, "cannot \(purpose): This connection has not opened \(session)")
        }
    }

    private func open(
        _ call: OpenSession, _ connection: ControlConnection, _ engine: TransferEngineState
    ) throws(ControlError) -> OpenSession.Reply {
        let purpose = "cannot open a session: "
        guard (1...1000).contains(call.session.utf8.count), !call.session.utf8.contains(0) else {
            throw ControlError(.invalidParams, purpose + "An identifier has 1 to 1000 bytes")
        }
        if let launch = call.launch { try Check.launch(launch, purpose) }
        try open(call.session, launch: call.launch, connection, engine)
        let tasks = engine.policy.tasks.values.filter { $0.session?.session == call.session }
            .sorted { $0.id < $1.id }
        return OpenSession.Reply(
            nextTask: nextTask(of: call.session, engine),
            tasks: tasks.compactMap { SessionTaskStatus($0, in: engine, hasRequest: true) })
    }

    private func task(
        _ number: Int, of session: String, _ engine: TransferEngineState
    ) -> TransferTask? {
        engine.policy.tasks.values.first {
            $0.session?.session == session && $0.session?.number == number
        }
    }

    private func status(
        _ id: Int, _ engine: TransferEngineState
    ) throws(ControlError) -> SessionTaskStatus {
        guard let task = engine.policy.tasks[id],
            let status = SessionTaskStatus(task, in: engine, hasRequest: false)
        else { throw ControlError(.internalError, "cannot find transfer \(id): The service ends") }
        return status
    }

    private func add(
        _ call: AddSessionTask, _ engine: TransferEngineState
    ) throws(ControlError) -> SessionTaskStatus {
        if let task = task(call.task, of: call.session, engine) {
            return try status(task.id, engine)
        }
        let purpose = "cannot add task \(call.task) of \(call.session): "
        guard call.task > 0, !hasHad(call.task, in: call.session) else {
            throw ControlError(.notPossible, purpose + "Its number was used already")
        }
        let id = engine.policy.nextID
        let (request, session) = try Self.request(call, engine.folder.filePath(id), purpose)
        let data = call.resume.flatMap { ResumeData($0) }
        let isThere =
            data.map { engine.folder.hasPart($0.part, length: $0.offset) } ?? (call.resume == nil)
        let part = isThere ? data?.progress ?? TransferPart() : TransferPart()
        engine.handle(.session(.add(request, session, part)))
        // What is there moves after the record: without the part, the record begins at 0.
        let isTaken = data.map { isThere && engine.folder.takePart($0.part, for: id) } ?? isThere
        if !isTaken {
            let text = "The data to resume from is gone"
            engine.handle(.session(.fail(id, TransferFailure(.resumeLost, text))))
        }
        return try status(id, engine)
    }

    private static func request(
        _ call: AddSessionTask, _ path: String, _ purpose: String
    ) throws(ControlError) -> (TransferRequest, SessionTask) {
        let method = call.httpMethod ?? "GET"
        try Check.url(call.url, purpose)
        guard SessionTask.isName(method),
            call.fields ?? []
                == (call.fields ?? []).filter({
                    SessionTask.isName($0.name) && SessionTask.isValue($0.value)
                })
        else { throw ControlError(.invalidParams, purpose + "Its method or a field is malformed") }
        guard call.body.map({ $0.hasPrefix("/") && !$0.utf8.contains(0) }) ?? true else {
            throw ControlError(
                .invalidParams, purpose + "Its body is not an absolute path of a file")
        }
        guard call.within ?? 1 > 0, call.stall ?? 1 >= 1, (0...1).contains(call.priority ?? 0),
            (1...6).contains(call.perHost ?? 1)
        else { throw ControlError(.invalidParams, purpose + "A number is out of range") }
        var request = TransferRequest(url: call.url, destination: path)
        request.session = call.session
        request.label = call.description
        request.isDiscretionary = call.discretionary ?? false
        request.priority = call.priority ?? request.priority
        request.earliestBegin = call.earliestBegin
        request.timeout = call.within ?? request.timeout
        request.stallTimeout = call.stall ?? request.stallTimeout
        var session = SessionTask(session: call.session, number: call.task)
        session.method = method
        session.fields = (call.fields ?? []).map {
            SessionTask.Field(name: $0.name, value: $0.value)
        }
        session.body = call.body
        session.allowsMetered = call.metered ?? true
        session.perHost = call.perHost
        return (request, session)
    }

    private func change(
        _ call: ChangeSessionTask, _ engine: TransferEngineState
    ) throws(ControlError) -> SessionTaskStatus {
        guard let id = task(call.task, of: call.session, engine)?.id else {
            throw ControlError(
                .notFound, "cannot change task \(call.task) of \(call.session): It is not there")
        }
        if let text = call.description {
            engine.handle(.session(.describe(id, text.isEmpty ? nil : text)))
        }
        if let time = call.earliestBegin { engine.handle(.session(.delay(id, time))) }
        if let priority = call.priority { engine.handle(.session(.prioritize(id, priority))) }
        switch call.action {
        case .describe: break
        case .resume:
            engine.handle(.session(.resume(id, isBackground: call.background ?? false)))
        case .suspend: engine.handle(.pause(id))
        case .cancel: engine.handle(.session(.cancel(id, reason: nil, resumeData: nil)))
        case .keep: keep(id, engine)
        }
        return try status(id, engine)
    }

    /// Cancels a task, and keeps what is there for another one.
    private func keep(_ id: Int, _ engine: TransferEngineState) {
        // What has come is on the disk then.
        engine.handle(.pause(id))
        let name = UUID().uuidString
        var text: String?
        if let task = engine.policy.tasks[id], task.stage == .pending {
            text = ResumeData(task, part: name)?.text
        }
        if text != nil, !engine.folder.keepPart(id, as: name) { text = nil }
        engine.handle(.session(.cancel(id, reason: nil, resumeData: text)))
    }

    private func event(of session: String, _ engine: TransferEngineState) -> SessionTaskEvent? {
        guard let task = engine.policy.ended(in: session).first,
            let status = SessionTaskStatus(task, in: engine, hasRequest: true)
        else { return nil }
        guard case .finished(let path) = task.stage, task.session?.isFileTaken == false else {
            return SessionTaskEvent(.end, status)
        }
        var event = SessionTaskEvent(.file, status)
        event.path = path
        return event
    }

    private func acknowledge(
        _ call: AcknowledgeSessionEvent, _ engine: TransferEngineState
    ) throws(ControlError) {
        // One that is gone was acknowledged before, and the reply was lost.
        guard let task = task(call.task, of: call.session, engine), !task.isUnfinished else {
            return
        }
        switch call.phase {
        case .file: engine.handle(.session(.taken(task.id)))
        case .end:
            try retire(call.task, of: call.session, engine)
            engine.handle(.session(.acknowledged(task.id)))
        }
        unsafe unlink(engine.folder.filePath(task.id))
    }
}
