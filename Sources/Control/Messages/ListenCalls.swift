/// Listens for pushes at a topic of ntfy, from now on and in later processes, and hands them on to
/// the session's player. Answered by `undersong-transferd`.
public struct ListenForPushes: ControlCall {
    /// An empty reply.
    public typealias Reply = Nothing
    /// The name of the method.
    public static let method = "listen"
    /// The URL of the topic; nil to listen no more.
    public var url: String?

    /// Creates a request.
    public init(url: String?) { self.url = url }
}
