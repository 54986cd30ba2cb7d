import CUndersongExpat
import Glibc

/// Options of a reader.
package struct XMLOptions {
    /// Separates the namespace of a name from the name; nil to leave names as they are written.
    package var separator: UInt8?
    /// The maximum depth of nested elements.
    package var depthLimit = Int.max
    /// The maximum length of a tag or comment in bytes.
    package var partLimit = Int.max
    /// The maximum number of declared entities, and the maximum length of each in bytes; nil to
    /// permit none. Those that are declared elsewhere are left out then.
    package var entityLimits: (count: Int, length: Int)?
    /// Returns the character for each byte of a single-byte character set that the parser does not
    /// know, by the set's name, -1 for none; nil for an unknown set.
    package var characters: (String) -> [Int32]? = { _ in nil }

    package init() {}
}

/// Reads XML from anywhere as its bytes arrive, in bounded memory: nothing outside it is accessed,
/// and entities that stand for others are refused.
package final class XMLReader<Elements: XMLElements>: XMLParser {
    package var elements: Elements
    private var refusal: Elements.Refusal?

    package init(_ elements: Elements, _ options: XMLOptions) {
        self.elements = elements
        super.init(options)
    }

    /// Reads the next bytes. Throws if the document is refused; so are all bytes after that.
    package func read(_ bytes: Span<UInt8>) throws(XMLFailure<Elements.Refusal>) {
        try check()
        parse(bytes)
        try check()
        limitPart()
        try check()
    }

    /// Ends the document. Throws if it is not complete.
    package func finish() throws(XMLFailure<Elements.Refusal>) {
        try check()
        parse(Span(), isLast: true)
        try check()
    }

    private func check() throws(XMLFailure<Elements.Refusal>) {
        if let refusal { throw .refused(refusal) }
        if let error { throw .invalid(error) }
    }

    override func begin(_ element: XMLElement) {
        attempt { elements throws(Elements.Refusal) in try elements.begin(element) }
    }

    override func add(_ text: Span<UInt8>) {
        if elements.wantsText { elements.add(text) }
    }

    override func end(_ element: XMLElement) {
        attempt { elements throws(Elements.Refusal) in try elements.end(element) }
    }

    private func attempt(_ body: (inout Elements) throws(Elements.Refusal) -> Void) {
        do throws(Elements.Refusal) {
            try body(&elements)
        } catch {
            refusal = error
            stop()
        }
    }
}

/// Owns a parser, whose callbacks know no generic type.
@safe
package class XMLParser {
    private let options: XMLOptions
    private let parser: XML_Parser
    /// The number of bytes parsed.
    package private(set) var size = 0
    private(set) var error: XMLError?
    private var isStopped = false
    private var depth = 0
    private var entityCount = 0

    init(_ options: XMLOptions) {
        self.options = options
        let parser = unsafe options.separator.map {
            unsafe XML_ParserCreateNS(nil, XML_Char(bitPattern: $0))
        }
        guard let parser = unsafe parser ?? XML_ParserCreate(nil) else {
            preconditionFailure("out of memory for an XML parser")
        }
        unsafe self.parser = unsafe parser
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe XML_SetUserData(parser, context)
        unsafe XML_SetElementHandler(
            parser, { unsafe owner($0).begin($1, $2) }, { unsafe owner($0).end($1) })
        unsafe XML_SetCharacterDataHandler(parser) { unsafe owner($0).add($1, Int($2)) }
        unsafe XML_SetUnknownEncodingHandler(
            parser, { unsafe owner($0).setEncoding($1, $2) }, context)
        unsafe XML_SetEntityDeclHandler(parser) { data, _, _, value, length, _, _, _, _ in
            unsafe owner(data).declare(value, Int(length))
        }
        guard options.entityLimits != nil else { return }
        // A document type that is elsewhere may declare any entity: those are left out, not errors.
        unsafe XML_UseForeignDTD(parser, XML_Bool(XML_TRUE))
        unsafe XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_ALWAYS)
        unsafe XML_SetExternalEntityRefHandler(parser) { parser, context, _, _, _ in
            unsafe readNothing(parser, context)
        }
    }

    deinit { unsafe XML_ParserFree(parser) }

    /// Sets the character set to parse in, instead of the declared one. Call it before there are
    /// bytes.
    package func setEncoding(_ name: String) { unsafe XML_SetEncoding(parser, name) }

    func parse(_ bytes: Span<UInt8>, isLast: Bool = false) {
        guard !bytes.isEmpty || isLast else { return }
        size += bytes.count
        let status = unsafe bytes.withUnsafeBytes { pointer in
            let text = unsafe pointer.bindMemory(to: XML_Char.self).baseAddress
            return unsafe XML_Parse(parser, text, Int32(pointer.count), isLast ? 1 : 0)
        }
        guard status != XML_STATUS_OK, !isStopped else { return }
        let reason =
            unsafe XML_ErrorString(XML_GetErrorCode(parser)).map { unsafe String(cString: $0) }
        let line = unsafe XML_GetCurrentLineNumber(parser)
        fail(.syntax, "Line \(line): \(reason ?? "not XML")")
    }

    /// Stops if an incomplete part of the document is too long.
    func limitPart() {
        guard size - Int(unsafe XML_GetCurrentByteIndex(parser)) > options.partLimit else { return }
        fail(.limit, "A part of it is too long")
    }

    func stop() {
        isStopped = true
        unsafe XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    private func fail(_ code: XMLError.Code, _ reason: String) {
        error = error ?? XMLError(code: code, description: reason)
        stop()
    }

    // MARK: Parser callbacks

    func begin(_ element: XMLElement) {}

    func add(_ text: Span<UInt8>) {}

    func end(_ element: XMLElement) {}

    fileprivate func begin(
        _ name: UnsafePointer<XML_Char>?,
        _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        guard !isStopped, let name = unsafe name else { return }
        depth += 1
        guard depth <= options.depthLimit else {
            return fail(.limit, "It is nested more than \(options.depthLimit) deep")
        }
        begin(unsafe XMLElement(parser, name, attributes))
    }

    fileprivate func add(_ text: UnsafePointer<XML_Char>?, _ count: Int) {
        guard !isStopped else { return }
        let text = unsafe UnsafeRawBufferPointer(start: text, count: count)
        add(unsafe text.bindMemory(to: UInt8.self).span)
    }

    fileprivate func end(_ name: UnsafePointer<XML_Char>?) {
        depth -= 1
        guard !isStopped, let name = unsafe name else { return }
        end(unsafe XMLElement(parser, name))
    }

    /// Handles the declaration of an entity; `value` is nil for one that is elsewhere.
    fileprivate func declare(_ value: UnsafePointer<XML_Char>?, _ count: Int) {
        guard let limits = options.entityLimits else {
            return fail(.entities, "It declares entities")
        }
        guard let value = unsafe value else { return }
        entityCount += 1
        let text = unsafe UnsafeRawBufferPointer(start: value, count: count)
        let isPlain = unsafe !text.contains { [0x25, 0x26, 0x3c].contains($0) }
        guard isPlain, count <= limits.length, entityCount <= limits.count else {
            return fail(.entities, "It declares entities that stand for others")
        }
    }

    /// Sets the character for each byte of a character set unknown to the parser; returns whether it
    /// is a single-byte set.
    fileprivate func setEncoding(
        _ name: UnsafePointer<XML_Char>?, _ encoding: UnsafeMutablePointer<XML_Encoding>?
    ) -> Int32 {
        guard let name = unsafe name, let encoding = unsafe encoding,
            let characters = unsafe options.characters(String(cString: name)),
            characters.count == 256
        else { return 0 }
        unsafe withUnsafeMutableBytes(of: &encoding.pointee.map) { map in
            for (index, character) in characters.enumerated() {
                unsafe map.storeBytes(
                    of: character, toByteOffset: index * MemoryLayout<Int32>.size, as: Int32.self)
            }
        }
        return 1
    }
}

/// Reads an external entity as if it were empty. Returns whether that was possible.
private func readNothing(_ parser: XML_Parser?, _ context: UnsafePointer<XML_Char>?) -> Int32 {
    guard let other = unsafe XML_ExternalEntityParserCreate(parser, context, nil) else { return 0 }
    defer { unsafe XML_ParserFree(other) }
    return unsafe XML_Parse(other, "", 0, 1) == XML_STATUS_OK ? 1 : 0
}

/// The owner of a parser, from the data of its callback.
private func owner(_ data: UnsafeMutableRawPointer?) -> XMLParser {
    guard let data = unsafe data else { preconditionFailure("the parser has no owner") }
    return unsafe Unmanaged<XMLParser>.fromOpaque(data).takeUnretainedValue()
}
