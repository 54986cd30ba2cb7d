import CUndersongExpat
import Glibc

/// Reads the points of GPX 1.0 and 1.1: those of its tracks, or else of its routes, or else its
/// waypoints. If no point has a time, they are a second apart. Nothing outside the file is accessed,
/// and entities that it declares are an error.
@safe
final class GPXReader {
    /// How deeply elements may be nested.
    private static let depthLimit = 64
    /// The most bytes of the text of an element.
    private static let textLimit = 256

    private let parser: XML_Parser
    private var elements = GPXElements()
    private var failure: TrackError?
    private var depth = 0
    /// The text of the element that began last.
    private var text: [UInt8] = []

    static func read(_ bytes: [UInt8]) throws(TrackError) -> Track {
        try GPXReader().read(bytes)
    }

    private init() {
        guard let parser = unsafe XML_ParserCreate(nil) else {
            preconditionFailure("out of memory for an XML parser")
        }
        unsafe self.parser = unsafe parser
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            parser, { unsafe reader($0).begin($1, $2) }, { unsafe reader($0).end($1) })
        unsafe XML_SetCharacterDataHandler(parser) { unsafe reader($0).add($1, Int($2)) }
        unsafe XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
            unsafe reader(data).stop(TrackError("It declares entities"))
        }
    }

    deinit { unsafe XML_ParserFree(parser) }

    private func read(_ bytes: [UInt8]) throws(TrackError) -> Track {
        unsafe bytes.withUnsafeBytes { pointer in
            let text = unsafe pointer.bindMemory(to: XML_Char.self).baseAddress
            guard unsafe XML_Parse(parser, text, Int32(pointer.count), 1) != XML_STATUS_OK,
                failure == nil
            else { return }
            let reason =
                unsafe XML_ErrorString(XML_GetErrorCode(parser)).map { unsafe String(cString: $0) }
            failure = TrackError("Line \(line): \(reason ?? "not XML")")
        }
        if let failure { throw failure }
        return try elements.track()
    }

    private var line: Int { Int(unsafe XML_GetCurrentLineNumber(parser)) }

    // MARK: Parser callbacks

    fileprivate func begin(
        _ name: UnsafePointer<XML_Char>?,
        _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        guard failure == nil, let name = unsafe name else { return }
        depth += 1
        text = []
        guard depth <= Self.depthLimit else {
            return stop(TrackError("It is nested more than \(Self.depthLimit) deep"))
        }
        var values: [String: String] = [:]
        var index = 0
        while let key = unsafe attributes?[index], let value = unsafe attributes?[index + 1] {
            let name = unsafe String(cString: key)
            if name == "lat" || name == "lon" { values[name] = unsafe String(cString: value) }
            index += 2
        }
        do throws(TrackError) {
            try elements.begin(unsafe Self.name(name), values, isOutermost: depth == 1)
        } catch {
            stop(TrackError("Line \(line): \(error.description)"))
        }
    }

    fileprivate func add(_ text: UnsafePointer<XML_Char>?, _ count: Int) {
        guard failure == nil, self.text.count < Self.textLimit else { return }
        let text = unsafe UnsafeRawBufferPointer(start: text, count: count)
        unsafe self.text += text.prefix(Self.textLimit - self.text.count)
    }

    fileprivate func end(_ name: UnsafePointer<XML_Char>?) {
        depth -= 1
        guard failure == nil, let name = unsafe name else { return }
        do throws(TrackError) {
            try elements.end(unsafe Self.name(name), String(decoding: text, as: UTF8.self))
        } catch {
            stop(TrackError("Line \(line): \(error.description)"))
        }
        text = []
    }

    fileprivate func stop(_ error: TrackError) {
        failure = failure ?? error
        unsafe XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    /// The name without the prefix of its namespace.
    private static func name(_ name: UnsafePointer<XML_Char>) -> String {
        let name = unsafe String(cString: name)
        return name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }
}

/// The reader to which a parser's callback belongs.
private func reader(_ data: UnsafeMutableRawPointer?) -> GPXReader {
    guard let data = unsafe data else { preconditionFailure("the parser has no reader") }
    return unsafe Unmanaged<GPXReader>.fromOpaque(data).takeUnretainedValue()
}
