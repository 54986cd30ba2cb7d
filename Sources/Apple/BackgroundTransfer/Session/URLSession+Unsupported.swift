public import Foundation

/// What sessions in the background do not have, as with Apple: each call ends the program, with the
/// reason (J2, J4).
extension URLSession {
    private static func refuse(_ what: String, _ instead: String) -> Never {
        fatalError("\(what) are not supported in background sessions; use \(instead)")
    }

    private static let files = "a download task, or an upload task from a file"
    private static let delegates = "the delegate"

    /// Ends the program: data tasks do not exist (J2).
    public func dataTask(with url: URL) -> URLSessionDataTask {
        Self.refuse("Data tasks", Self.files)
    }

    /// Ends the program: data tasks do not exist (J2).
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        Self.refuse("Data tasks", Self.files)
    }

    /// Ends the program: data tasks do not exist (J2).
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        Self.refuse("Data tasks", Self.files)
    }

    /// Ends the program: data tasks do not exist (J2).
    public func dataTask(
        with url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        Self.refuse("Data tasks", Self.files)
    }

    /// Ends the program: uploads are from files only.
    public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        Self.refuse("Uploads from memory", Self.files)
    }

    /// Ends the program: uploads are from files only.
    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        Self.refuse("Uploads from streams", Self.files)
    }

    /// Ends the program: the application may be gone when the upload is done (J4).
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        Self.refuse("Completion handlers", Self.delegates)
    }

    /// Ends the program: the application may be gone when the download is done (J4).
    public func downloadTask(
        with url: URL,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        Self.refuse("Completion handlers", Self.delegates)
    }

    /// Ends the program: the application may be gone when the download is done (J4).
    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        Self.refuse("Completion handlers", Self.delegates)
    }

    /// Ends the program: the application may be gone when the download is done (J4).
    public func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        Self.refuse("Completion handlers", Self.delegates)
    }

    /// Ends the program: the application may be gone when the download is done (J4).
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        Self.refuse("Asynchronous calls", Self.delegates)
    }

    /// Ends the program: the application may be gone when the download is done (J4).
    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        Self.refuse("Asynchronous calls", Self.delegates)
    }

    /// Ends the program: data tasks do not exist (J2).
    public func data(from url: URL) async throws -> (Data, URLResponse) {
        Self.refuse("Data tasks", Self.files)
    }

    /// Ends the program: data tasks do not exist (J2).
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        Self.refuse("Data tasks", Self.files)
    }

    /// Ends the program: the application may be gone when the upload is done (J4).
    public func upload(
        for request: URLRequest, fromFile fileURL: URL
    ) async throws -> (Data, URLResponse) {
        Self.refuse("Asynchronous calls", Self.delegates)
    }
}
