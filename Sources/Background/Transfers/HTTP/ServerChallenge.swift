package import UndersongBase

/// A server's request for a name and a password, as it came with a status 401.
package struct ServerChallenge: Hashable, Codable, Sendable {
    /// The way in which name and password are sent.
    package enum Method: String, Codable, Hashable, Sendable, CaseIterable {
        /// As they are (RFC 7617).
        case basic
        /// As a digest (RFC 7616).
        case digest
    }

    /// The URL that asks.
    package var url: String
    package var method: Open<Method>
    /// The name of what is protected.
    package var realm: String?
    /// The number of credentials that the server has refused before.
    package var failures: Int

    package init(url: String, method: Method, realm: String?, failures: Int) {
        self.url = url
        self.method = .known(method)
        self.realm = realm
        self.failures = failures
    }
}

/// The answer to a challenge.
package struct ChallengeAnswer: Hashable, Codable, Sendable {
    package enum Action: String, Codable, Hashable, Sendable, CaseIterable {
        /// Send the request again with `user` and `password`.
        case credential
        /// The status 401 is the response.
        case response
        /// Ask for another method that the server accepts; without one the status 401 is the response.
        case other
        /// End the request.
        case cancel
    }

    package var action: Action
    package var user: String?
    package var password: String?

    package init(_ action: Action) { self.action = action }

    package init(user: String, password: String) {
        action = .credential
        self.user = user
        self.password = password
    }
}

/// A name and a password to send.
package struct ServerCredential: Hashable, Codable, Sendable {
    /// The URL that has asked. Other servers do not get them.
    package var url: String
    package var user: String
    package var password: String
    package var method: ServerChallenge.Method

    /// The credential in an answer to a challenge; nil if there is none.
    package init?(_ answer: ChallengeAnswer, to challenge: ServerChallenge) {
        guard answer.action == .credential, let user = answer.user, let password = answer.password,
            let method = challenge.method.known
        else { return nil }
        self.url = challenge.url
        self.user = user
        self.password = password
        self.method = method
    }

    /// Returns true if it may be sent to `url`.
    package func isMeant(for url: String) -> Bool {
        guard let target = TransferURL(url), let origin = TransferURL(self.url) else {
            return false
        }
        return target.isTrusted(like: origin)
    }
}

extension ResponseHead {
    /// The challenges of a status 401 that can be answered, the safest one first; none of any other
    /// response.
    package func challenges(failures: Int) -> [ServerChallenge] {
        guard status == 401 else { return [] }
        let offers = values(of: "WWW-Authenticate").flatMap(Self.offers)
        return [ServerChallenge.Method.digest, .basic].compactMap { method in
            offers.first { $0.scheme == method.rawValue }.map {
                ServerChallenge(
                    url: url, method: method, realm: $0.realm, failures: failures)
            }
        }
    }

    /// The schemes in the value of a field such as `Basic realm="a, b", Digest realm="c", qop="auth"`.
    private static func offers(_ value: String) -> [(scheme: String, realm: String?)] {
        var offers: [(scheme: String, realm: String?)] = []
        for part in parts(of: value) {
            var parameter = part[...]
            let word = part.prefix { $0 != " " && $0 != "=" }
            let rest = part.dropFirst(word.count).drop { $0 == " " }
            if rest.first != "=" {
                offers.append((word.lowercased(), nil))
                parameter = rest
            }
            let name = parameter.prefix { $0 != "=" && $0 != " " }
            guard name.lowercased() == "realm", let index = offers.indices.last,
                let sign = parameter.firstIndex(of: "=")
            else { continue }
            offers[index].realm = unquoted(parameter[parameter.index(after: sign)...])
        }
        return offers
    }

    /// The parts of a list, whose commas may also be in quotation marks.
    private static func parts(of value: String) -> [String] {
        var parts: [String] = [""]
        var isQuoted = false
        var isEscaped = false
        for character in value {
            if character == ",", !isQuoted {
                parts.append("")
                continue
            }
            parts[parts.count - 1].append(character)
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            }
        }
        return parts.map { String($0.drop { $0.isWhitespace }) }.filter { !$0.isEmpty }
    }

    private static func unquoted(_ text: Substring) -> String {
        let text = text.drop { $0 == " " }
        guard text.first == "\"" else { return String(text.prefix { $0 != " " }) }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst() {
            if !isEscaped, character == "\"" { break }
            isEscaped = !isEscaped && character == "\\"
            if !isEscaped { result.append(character) }
        }
        return result
    }
}
