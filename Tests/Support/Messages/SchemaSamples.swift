internal import Foundation

/// Makes messages from a JSON schema: with all members, with the required ones only, and with each
/// word and each alternative at least once.
public struct SchemaSamples {
    private let definitions: [String: JSONValue]
    /// The schema as a whole.
    public let root: JSONValue

    /// Reads a schema of `Documentation/protocol`.
    public init(of name: String) throws {
        let file = URL(filePath: #filePath)
            .appending(path: "../../../../Documentation/protocol/" + name).standardizedFileURL
        root = try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: file))
        definitions = root["$defs"]?.members ?? [:]
    }

    /// The names of the definitions.
    public var names: Set<String> { Set(definitions.keys) }

    /// The methods of the messages that a definition describes: `request` or `notice`.
    public func methods(of definition: String) -> Set<String> {
        let words = definitions[definition]?["properties"]?["method"]?["enum"]
        return Set(words?.elements.compactMap(\.text) ?? [])
    }

    /// A definition; nil if none has that name.
    public func definition(_ name: String) -> JSONValue? { definitions[name] }

    /// The messages that a schema permits.
    public func samples(of schema: JSONValue) -> [JSONValue] {
        let alternatives = alternatives(of: resolved(schema))
        return alternatives.count == 1
            ? plainSamples(of: alternatives[0]) : alternatives.flatMap { samples(of: $0) }
    }

    /// The schema with what it refers to.
    private func resolved(_ schema: JSONValue) -> JSONValue {
        guard let reference = schema["$ref"]?.text, case .object(var members) = schema else {
            return schema
        }
        members["$ref"] = nil
        let name = String(reference.split(separator: "/").last ?? "")
        return merged(resolved(definitions[name] ?? .null), .object(members))
    }

    /// A schema that demands both.
    private func merged(_ first: JSONValue, _ second: JSONValue) -> JSONValue {
        let second = resolved(second)
        var result = first.members
        for (name, value) in second.members {
            switch (name, result[name]) {
            case ("properties", let properties?):
                result[name] = .object(properties.members.merging(value.members) { merged($0, $1) })
            case ("required", let required?):
                result[name] = .array(
                    required.elements + value.elements.filter { !required.elements.contains($0) })
            case ("allOf", let conditions?):
                result[name] = .array(conditions.elements + value.elements)
            default: result[name] = value
            }
        }
        return .object(result)
    }

    /// The schemas without alternatives and conditions that together are this one.
    private func alternatives(of schema: JSONValue) -> [JSONValue] {
        var rest = schema.members
        for name in ["oneOf", "anyOf"] {
            guard let choices = rest.removeValue(forKey: name)?.elements else { continue }
            let required = Set(
                choices.flatMap { $0["required"]?.elements ?? [] }.compactMap(\.text))
            return choices.map { choice in
                var base = rest
                if Set(choice.members.keys) == ["required"] {
                    let own = Set(choice["required"]?.elements.compactMap(\.text) ?? [])
                    let properties = base["properties"]?.members ?? [:]
                    base["properties"] = .object(
                        properties.filter { own.contains($0.key) || !required.contains($0.key) })
                }
                return merged(.object(base), choice)
            }
        }
        guard let conditions = rest.removeValue(forKey: "allOf")?.elements, !conditions.isEmpty
        else {
            return [schema]
        }
        let base = JSONValue.object(rest)
        return conditions.map { condition in
            guard let test = condition["if"] else { return merged(base, condition) }
            return merged(merged(base, test), condition["then"] ?? .object([:]))
        }
    }

    private func plainSamples(of schema: JSONValue) -> [JSONValue] {
        if let value = schema["const"] { return [value] }
        if let values = schema["enum"] { return values.elements }
        if case .array(let types)? = schema["type"] {
            return types.flatMap { samples(of: merged(schema, .object(["type": $0]))) }
        }
        switch schema["type"]?.text {
        case "null": return [.null]
        case "boolean": return [.bool(true)]
        case "integer", "number":
            let least = max(1, schema["minimum"]?.number ?? 1)
            return [.number(min(least, schema["maximum"]?.number ?? least))]
        case "string": return [.string(text(of: schema))]
        case "array":
            let elements = schema["items"].map { samples(of: $0) } ?? []
            let isPair = (schema["minItems"]?.number ?? 0) > 1
            return elements.isEmpty
                ? [.array([])] : elements.map { .array(isPair ? [$0, $0.next] : [$0]) }
        default: return objects(of: schema)
        }
    }

    private func text(of schema: JSONValue) -> String {
        if let example = schema["examples"]?.elements.first?.text { return example }
        if schema["contentEncoding"] != nil { return "/w==" }
        return schema["format"]?.text == "uri" ? "http://x/" : "x"
    }

    /// An object with all members, one for each further form of a member, and one with the required
    /// members only.
    private func objects(of schema: JSONValue) -> [JSONValue] {
        let properties = schema["properties"]?.members ?? [:]
        if properties.isEmpty, let values = schema["additionalProperties"],
            case .object = values
        {
            return samples(of: values).map { .object(["x": $0]) }
        }
        let forms = properties.mapValues { samples(of: $0) }
        let whole = forms.compactMapValues(\.first)
        let required = Set(schema["required"]?.elements.compactMap(\.text) ?? [])
        var result = [JSONValue.object(whole)]
        for (name, values) in forms {
            for value in values.dropFirst() {
                result.append(.object(whole.merging([name: value]) { $1 }))
            }
        }
        if required.count < whole.count {
            result.append(.object(whole.filter { required.contains($0.key) }))
        }
        return result
    }
}

extension JSONValue {
    /// The second element of a pair that begins with this one: of two numbers, such as the ends of a
    /// range, the greater one.
    fileprivate var next: JSONValue {
        if case .number(let number) = self { .number(number + 1) } else { self }
    }
}
