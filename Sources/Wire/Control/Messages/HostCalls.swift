public import UndersongBase

/// Makes this connection part of the host, in `state`, until it closes; send again whenever the
/// state changes. The host is active while any of its clients is.
public struct Attach: ControlCall {
    /// An empty reply.
    public typealias Reply = Nothing
    /// The name of the method.
    public static let method = "attach"
    /// `active`, `inactive` or `background`.
    public var state: String
    /// Where the state was observed: `terminal`, `option`, `none`.
    public var source: String

    /// Creates a request.
    public init(state: String, source: String) {
        self.state = state
        self.source = source
    }
}
