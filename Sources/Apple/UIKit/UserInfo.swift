import Foundation
import UndersongBackground
import UndersongBase

extension JSONText {
    /// The members of this object as Foundation's types: `Int`, or else `Double`, for numbers.
    ///
    /// A number that neither can hold, such as 1e400, comes as its text.
    var userInfo: [AnyHashable: Any] { object(at: value) ?? [:] }

    private func object(at range: Range<Int>) -> [AnyHashable: Any]? {
        members(at: range).map { members in
            Dictionary(members.map { ($0.key as AnyHashable, any(at: $0.value)) }) { $1 }
        }
    }

    private func any(at range: Range<Int>) -> Any {
        if let object = object(at: range) { return object }
        if let elements = elements(at: range) { return elements.map { any(at: $0) } }
        if let string = string(at: range) { return string }
        let word = String(decoding: bytes[range], as: UTF8.self)
        if let number = Int(word) { return number }
        if let number = number(at: range) { return number.isFinite ? number : word }
        return word == "null" ? NSNull() : word == "true"
    }
}
