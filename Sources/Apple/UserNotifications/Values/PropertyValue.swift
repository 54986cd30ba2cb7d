import Foundation

/// A value that a property list can have, such as those in the user information of a notification.
indirect enum PropertyValue: Codable, Hashable, Sendable {
    case string(String)
    case bool(Bool)
    case integer(Int)
    case double(Double)
    case date(Date)
    case data(Data)
    case array([PropertyValue])
    case dictionary([String: PropertyValue])

    /// Creates the value of any object; nil if a property list cannot have it.
    init?(_ object: Any) {
        switch object {
        case let string as String: self = .string(string)
        case let number as NSNumber: self.init(number)
        case let bool as Bool: self = .bool(bool)
        case let integer as any BinaryInteger:
            guard let integer = Int(exactly: integer) else { return nil }
            self = .integer(integer)
        case let double as any BinaryFloatingPoint: self = .double(Double(double))
        case let date as Date: self = .date(date)
        case let data as Data: self = .data(data)
        case let array as [Any]:
            let values = array.compactMap { PropertyValue($0) }
            guard values.count == array.count else { return nil }
            self = .array(values)
        case let dictionary as [AnyHashable: Any]:
            guard let value = PropertyValue(dictionary: dictionary) else { return nil }
            self = value
        default: return nil
        }
    }

    /// Creates a dictionary; nil if a key is not a string, or a property list cannot have a value.
    init?(dictionary: [AnyHashable: Any]) {
        var values: [String: PropertyValue] = [:]
        for (key, object) in dictionary {
            guard let key = key.base as? String, let value = PropertyValue(object) else {
                return nil
            }
            values[key] = value
        }
        self = .dictionary(values)
    }

    private init(_ number: NSNumber) {
        let type = unsafe String(cString: number.objCType)
        switch type {
        case "B", "c": self = .bool(number.boolValue)
        case "f", "d": self = .double(number.doubleValue)
        default: self = .integer(number.intValue)
        }
    }

    /// The value as Foundation's types.
    var object: Any {
        switch self {
        case .string(let string): string
        case .bool(let bool): bool
        case .integer(let integer): integer
        case .double(let double): double
        case .date(let date): date
        case .data(let data): data
        case .array(let values): values.map(\.object)
        case .dictionary: userInfo
        }
    }

    /// The dictionary as Foundation's types; empty for another value.
    var userInfo: [AnyHashable: Any] {
        guard case .dictionary(let values) = self else { return [:] }
        return Dictionary(values.map { ($0.key as AnyHashable, $0.value.object) }) { first, _ in
            first
        }
    }
}
