import UndersongBase
import UndersongXML

/// Reads the points of GPX 1.0 and 1.1: those of its tracks, or else of its routes, or else its
/// waypoints. If no point has a time, they are a second apart, or as many as 50 m/s take. Speed and
/// course are derived where the file has none (`TrackMovement`). Nothing outside the file is accessed, and
/// entities that it declares are an error.
struct GPXReader: XMLElements {
    /// The most bytes of the text of an element.
    private static let textLimit = 256

    private var elements = GPXElements()
    private var hasRoot = false
    /// The text of the element that began last.
    private var text: [UInt8] = []

    static func read(_ bytes: [UInt8]) throws(TrackError) -> Track {
        var options = XMLOptions()
        options.depthLimit = 64
        let reader = XMLReader(Self(), options)
        do throws(XMLFailure<TrackError>) {
            try reader.read(bytes.span)
            try reader.finish()
        } catch {
            throw error.refusal { TrackError($0.description) }
        }
        return try reader.elements.elements.track()
    }

    var wantsText: Bool { text.count < Self.textLimit }

    mutating func begin(_ element: XMLElement) throws(TrackError) {
        var values: [String: String] = [:]
        (values["lat"], values["lon"]) = (element["lat"], element["lon"])
        text = []
        defer { hasRoot = true }
        do throws(TrackError) {
            try elements.begin(Self.name(element), values, isOutermost: !hasRoot)
        } catch {
            throw TrackError("Line \(element.line): \(error)")
        }
    }

    mutating func add(_ text: Span<UInt8>) {
        self.text.append(contentsOf: text.extracting(first: Self.textLimit - self.text.count))
    }

    mutating func end(_ element: XMLElement) throws(TrackError) {
        defer { text = [] }
        do throws(TrackError) {
            try elements.end(Self.name(element), String(decoding: text, as: UTF8.self))
        } catch {
            throw TrackError("Line \(element.line): \(error)")
        }
    }

    /// The name without the prefix of its namespace.
    private static func name(_ element: XMLElement) -> String {
        let name = element.name
        return name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }
}
