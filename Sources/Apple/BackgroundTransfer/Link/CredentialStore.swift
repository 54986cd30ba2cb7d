import Foundation
import Synchronization
import UndersongTransfers

/// The credentials of a session, and the questions for them. Any thread may use it.
final class CredentialStore: Sendable {
    private struct Space: Hashable {
        let host: String
        let port: Int
        let scheme: String?
        let realm: String?
        let method: String
    }

    private let credentials = Mutex<[Space: URLCredential]>([:])

    /// Asks a delegate about a task's challenge, on `queue`. `done` is called once, with the answer.
    func ask(
        _ challenge: ServerChallenge, of task: URLSessionTask,
        _ delegate: (any URLSessionDelegate)?, in session: URLSession, _ queue: OperationQueue,
        _ done: @escaping @Sendable (ChallengeAnswer) -> Void
    ) {
        let space = URLProtectionSpace(challenge)
        let key = Space(
            host: space.host, port: space.port, scheme: space.protocol, realm: space.realm,
            method: space.authenticationMethod)
        // One that was refused is none to propose again.
        let proposed = credentials.withLock { credentials in
            if challenge.failures > 0 { credentials[key] = nil }
            return credentials[key]
        }
        let usual = proposed.flatMap { ChallengeAnswer($0) } ?? ChallengeAnswer(.response)
        guard let delegate else { return done(usual) }
        let asked = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: proposed,
            previousFailureCount: challenge.failures, failureResponse: task.response)
        let isAnswered = Mutex(false)
        let answer = {
            @Sendable
            (
                disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?
            ) in
            let isFirst = isAnswered.withLock { isAnswered in
                defer { isAnswered = true }
                return !isAnswered
            }
            guard isFirst else { return }
            switch disposition {
            case .useCredential:
                if let credential, credential.persistence != .none {
                    self.credentials.withLock { $0[key] = credential }
                }
                done(credential.flatMap { ChallengeAnswer($0) } ?? ChallengeAnswer(.response))
            case .performDefaultHandling: done(usual)
            case .cancelAuthenticationChallenge: done(ChallengeAnswer(.cancel))
            case .rejectProtectionSpace: done(ChallengeAnswer(.other))
            }
        }
        queue.addOperation {
            if let delegate = delegate as? any URLSessionTaskDelegate {
                delegate.urlSession(
                    session, task: task, didReceive: asked, completionHandler: answer)
            } else {
                delegate.urlSession(session, didReceive: asked, completionHandler: answer)
            }
        }
    }
}

extension ChallengeAnswer {
    /// The answer with a credential; nil for one that has no password.
    fileprivate init?(_ credential: URLCredential) {
        guard let user = credential.user, let password = credential.password else { return nil }
        self.init(user: user, password: password)
    }
}

extension URLProtectionSpace {
    /// The part of a server that a challenge is about.
    fileprivate convenience init(_ challenge: ServerChallenge) {
        let url = URL(string: challenge.url)
        let scheme = url?.scheme?.lowercased()
        let method =
            switch challenge.method {
            case .known(.basic): NSURLAuthenticationMethodHTTPBasic
            case .known(.digest): NSURLAuthenticationMethodHTTPDigest
            case .unknown: NSURLAuthenticationMethodDefault
            }
        self.init(
            host: url?.host ?? "", port: url?.port ?? (scheme == "https" ? 443 : 80),
            protocol: scheme, realm: challenge.realm, authenticationMethod: method)
    }
}
