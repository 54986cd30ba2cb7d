public import Foundation
import UndersongTransferClient
import UndersongTransfers

/// A request of HTTP.
///
/// It has Apple's names; Foundation on Linux has its own `URLRequest` in `FoundationNetworking`,
/// which is not needed and must not be imported together with this module.
public struct URLRequest: Hashable, Sendable {
    /// The part that caches play. Nothing is cached here, so it is about those between here and the
    /// server.
    public enum CachePolicy: UInt, Sendable {
        /// The session's policy, or else what the server allows.
        case useProtocolCachePolicy = 0
        /// From the server, with `Cache-Control: no-cache`.
        case reloadIgnoringLocalCacheData = 1
        /// From the server, as nothing is cached here.
        case returnCacheDataElseLoad = 2
        /// From the cache here only: it fails with `NSURLErrorResourceUnavailable`.
        case returnCacheDataDontLoad = 3
        /// From the server, with `Cache-Control: no-cache`.
        case reloadIgnoringLocalAndRemoteCacheData = 4
        /// From a cache if the server says that it is valid, with `Cache-Control: max-age=0`.
        case reloadRevalidatingCacheData = 5

        /// The old name of `reloadIgnoringLocalCacheData`.
        public static let reloadIgnoringCacheData = CachePolicy.reloadIgnoringLocalCacheData
    }

    /// The URL.
    public var url: URL?
    /// The part a cache may play. See `CachePolicy`.
    public var cachePolicy: CachePolicy
    /// Seconds without a byte after which an attempt is given up; 60 means that the session's
    /// configuration decides.
    public var timeoutInterval: TimeInterval
    /// The method; `GET` by default.
    public var httpMethod: String? = "GET"
    /// The body. A task of a background session that has one fails: upload tasks send files.
    public var httpBody: Data?
    /// True if a cellular network may be used: here, one that is metered.
    public var allowsCellularAccess = true
    /// True if an expensive network may be used: here, one that is metered.
    public var allowsExpensiveNetworkAccess = true
    /// True if a constrained network may be used: here, one that is metered.
    public var allowsConstrainedNetworkAccess = true
    var fields: [SessionTask.Field] = []

    /// Creates a request.
    public init(
        url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy,
        timeoutInterval: TimeInterval = 60
    ) {
        self.url = url
        self.cachePolicy = cachePolicy
        self.timeoutInterval = timeoutInterval
    }

    /// The header fields.
    public var allHTTPHeaderFields: [String: String]? {
        get {
            fields.isEmpty
                ? nil : Dictionary(fields.map { ($0.name, $0.value) }) { "\($0),\($1)" }
        }
        set {
            fields = (newValue ?? [:]).sorted { $0.key < $1.key }
                .map { SessionTask.Field(name: $0.key, value: $0.value) }
        }
    }

    /// The value of a field; `field` in any case.
    public func value(forHTTPHeaderField field: String) -> String? {
        let values = fields.filter { $0.isNamed(field) }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ",")
    }

    /// Sets a field, in place of one of that name; nil removes it.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        fields.removeAll { $0.isNamed(field) }
        if let value { fields.append(SessionTask.Field(name: field, value: value)) }
    }

    /// Adds a value to a field.
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
        let all = [self.value(forHTTPHeaderField: field), value].compactMap(\.self)
        setValue(all.joined(separator: ","), forHTTPHeaderField: field)
    }

    /// The cache policy in a session.
    func cachePolicy(with options: SessionOptions) -> CachePolicy {
        cachePolicy == .useProtocolCachePolicy ? options.requestCachePolicy : cachePolicy
    }

    /// The fields to send in a session: those of the request come before those of the session.
    func fields(with options: SessionOptions) -> [SessionTask.Field] {
        var common = options.fields
        switch cachePolicy(with: options) {
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: break
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData:
            common.append(SessionTask.Field(name: "Cache-Control", value: "no-cache"))
        case .reloadRevalidatingCacheData:
            common.append(SessionTask.Field(name: "Cache-Control", value: "max-age=0"))
        }
        return common.reduce(into: fields) { fields, field in
            if !fields.contains(where: { $0.isNamed(field.name) }) { fields.append(field) }
        }
    }

    var usesMetered: Bool {
        allowsCellularAccess && allowsExpensiveNetworkAccess && allowsConstrainedNetworkAccess
    }
}

extension SessionTask.Field {
    func isNamed(_ name: String) -> Bool { self.name.lowercased() == name.lowercased() }
}

extension OpenLoad {
    /// The call that loads a request.
    init(_ request: URLRequest, hasBody: Bool, _ options: SessionOptions) {
        var fields = request.fields(with: options)
        if hasBody, request.httpBody != nil, !fields.contains(where: { $0.isNamed("Content-Type") })
        {
            let type = "application/x-www-form-urlencoded"
            fields.append(SessionTask.Field(name: "Content-Type", value: type))
        }
        self.init(
            url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET",
            fields: fields)
        let own = request.timeoutInterval
        stall = max(0.1, own == 60 ? options.timeoutIntervalForRequest : own)
        within = max(0.1, options.timeoutIntervalForResource)
        waits = options.waitsForConnectivity
        metered = options.usesMetered && request.usesMetered
    }
}
