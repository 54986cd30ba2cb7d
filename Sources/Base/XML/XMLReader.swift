import CUndersongExpat
import Glibc

/// What reads the elements of a document. The methods are called in the order of the document.
protocol XMLElements: AnyObject {
    /// An element begins. `attributes` has its attributes. Errors: the document is refused.
    func begin(_ name: String, _ attributes: XMLAttributes) throws(FeedError)
    /// More of the text of the element that began last, or continues after one that ended.
    func add(_ text: Span<UInt8>)
    /// The element ends that began last and has not ended.
    func end()
    /// Whether the text is of use.
    var wantsText: Bool { get }
}

/// The attributes of an element, valid as long as it begins.
@safe
struct XMLAttributes {
    private let list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?

    init(_ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) { unsafe self.list = list }

    /// The value of the attribute with this name.
    subscript(name: String) -> String? {
        var index = 0
        while let key = unsafe list?[index], let value = unsafe list?[index + 1] {
            if unsafe strcmp(key, name) == 0 { return unsafe String(cString: value) }
            index += 2
        }
        return nil
    }
}

/// Reads XML from anywhere as its bytes arrive, in bounded memory: nothing outside it is accessed,
/// entities that stand for others are refused, and so are documents that are too long or nested too
/// deeply. Usual faults are repaired.
@safe
final class XMLReader {
    private static let sizeLimit = FeedReader.sizeLimit
    /// The maximum length of a tag or comment in bytes.
    private static let tokenLimit = 1 << 20
    /// How deeply elements may be nested.
    private static let depthLimit = 256
    /// How many entities may be declared, and how long each may be in bytes.
    private static let entityLimits = (count: 512, length: 64)

    private let elements: any XMLElements
    private let characters: (String) -> [Int32]?
    private let parser: XML_Parser
    private var repair: XMLRepair
    private var failure: FeedError?
    private var size = 0
    /// How many bytes were parsed.
    private var parsedSize = 0
    private var depth = 0
    private var entityCount = 0
    /// How the document begins, to know a web page.
    private var head: [UInt8] = []

    /// `charset` is the character set that the server names. `characters` has the character for each
    /// byte of a single-byte set that the parser does not know, by the set's name, -1 for none; nil for
    /// an unknown set.
    init(
        _ elements: any XMLElements, charset: String? = nil,
        characters: @escaping (String) -> [Int32]?
    ) {
        self.elements = elements
        self.characters = characters
        repair = XMLRepair(charset: charset, characters: characters)
        guard let parser = unsafe XML_ParserCreate(nil) else {
            preconditionFailure("out of memory for an XML parser")
        }
        unsafe self.parser = unsafe parser
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe XML_SetUserData(parser, context)
        unsafe XML_SetElementHandler(
            parser, { unsafe reader($0).begin($1, $2) }, { data, _ in unsafe reader(data).end() })
        unsafe XML_SetCharacterDataHandler(parser) { unsafe reader($0).add($1, Int($2)) }
        unsafe XML_SetUnknownEncodingHandler(
            parser, { unsafe reader($0).setEncoding($1, $2) }, context)
        unsafe XML_SetEntityDeclHandler(parser) { data, _, _, value, length, _, _, _, _ in
            unsafe reader(data).declare(value, Int(length))
        }
        // A document type that is elsewhere may declare any entity: those are left out, not errors.
        unsafe XML_UseForeignDTD(parser, XML_Bool(XML_TRUE))
        unsafe XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_ALWAYS)
        unsafe XML_SetExternalEntityRefHandler(parser) { parser, context, _, _, _ in
            unsafe readNothing(parser, context)
        }
    }

    deinit { unsafe XML_ParserFree(parser) }

    /// Reads the next bytes. Errors: the document is refused; so are all bytes after that.
    func read(_ bytes: Span<UInt8>) throws(FeedError) {
        if let failure { throw failure }
        size += bytes.count
        guard size <= Self.sizeLimit else {
            throw fail(FeedError(.tooLarge, "It is longer than \(Self.sizeLimit >> 20) MiB"))
        }
        for index in bytes.indices.prefix(max(0, 1024 - head.count)) { head.append(bytes[index]) }
        parse(repair.repair(bytes), isLast: false)
        if let failure { throw failure }
        guard parsedSize - Int(unsafe XML_GetCurrentByteIndex(parser)) <= Self.tokenLimit else {
            throw fail(FeedError(.tooLarge, "A part of it is too long"))
        }
    }

    /// Ends the document. Errors: it is not complete.
    func finish() throws(FeedError) {
        let none: [UInt8] = []
        if failure == nil { parse(repair.repair(none.span, isLast: true), isLast: true) }
        if let failure { throw failure }
    }

    private func fail(_ error: FeedError) -> FeedError {
        failure = error
        return error
    }

    private func parse(_ bytes: [UInt8], isLast: Bool) {
        guard !bytes.isEmpty || isLast else { return }
        if parsedSize == 0, let encoding = repair.encoding {
            unsafe XML_SetEncoding(parser, encoding)
        }
        parsedSize += bytes.count
        let result = unsafe bytes.withUnsafeBytes { pointer in
            let text = unsafe pointer.bindMemory(to: XML_Char.self).baseAddress
            return unsafe XML_Parse(parser, text, Int32(pointer.count), isLast ? 1 : 0)
        }
        guard result != XML_STATUS_OK, failure == nil else { return }
        let reason =
            unsafe XML_ErrorString(XML_GetErrorCode(parser)).map { unsafe String(cString: $0) }
        let line = unsafe XML_GetCurrentLineNumber(parser)
        failure =
            isWebPage
            ? .webPage
            : FeedError(
                parsedSize == 0 ? .notFeed : .damaged,
                parsedSize == 0
                    ? "It is empty" : "It is not valid XML: Line \(line): \(reason ?? "unknown")")
    }

    /// Whether it begins as a web page does.
    private var isWebPage: Bool {
        let text = String(decoding: head, as: UTF8.self).lowercased()
        return text.contains("<!doctype html") || text.contains("<html")
    }

    // MARK: Parser callbacks

    fileprivate func begin(
        _ name: UnsafePointer<XML_Char>?,
        _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        guard failure == nil, let name = unsafe name else { return }
        depth += 1
        guard depth <= Self.depthLimit else {
            return stop(FeedError(.tooLarge, "It is nested more than \(Self.depthLimit) deep"))
        }
        do throws(FeedError) {
            try elements.begin(
                unsafe String(cString: name), unsafe XMLAttributes(attributes))
        } catch {
            stop(error)
        }
    }

    fileprivate func add(_ text: UnsafePointer<XML_Char>?, _ count: Int) {
        guard failure == nil, elements.wantsText else { return }
        let text = unsafe UnsafeRawBufferPointer(start: text, count: count)
        elements.add(unsafe text.bindMemory(to: UInt8.self).span)
    }

    fileprivate func end() {
        depth -= 1
        if failure == nil { elements.end() }
    }

    /// An entity is declared; `value` is nil for what is outside.
    fileprivate func declare(_ value: UnsafePointer<XML_Char>?, _ count: Int) {
        guard let value = unsafe value else { return }
        entityCount += 1
        let text = unsafe UnsafeRawBufferPointer(start: value, count: count)
        let isPlain = unsafe !text.contains { [0x25, 0x26, 0x3c].contains($0) }
        guard isPlain, count <= Self.entityLimits.length, entityCount <= Self.entityLimits.count
        else { return stop(FeedError(.entities, "It declares entities that stand for others")) }
    }

    /// Sets the character for each byte of a character set unknown to the parser; returns whether it
    /// is a single-byte set.
    fileprivate func setEncoding(
        _ name: UnsafePointer<XML_Char>?, _ encoding: UnsafeMutablePointer<XML_Encoding>?
    ) -> Int32 {
        guard let name = unsafe name, let encoding = unsafe encoding,
            let characters = unsafe characters(String(cString: name)), characters.count == 256
        else { return 0 }
        unsafe withUnsafeMutableBytes(of: &encoding.pointee.map) { map in
            for (index, character) in characters.enumerated() {
                unsafe map.storeBytes(
                    of: character, toByteOffset: index * MemoryLayout<Int32>.size, as: Int32.self)
            }
        }
        return 1
    }

    private func stop(_ error: FeedError) {
        failure = failure ?? error
        unsafe XML_StopParser(parser, XML_Bool(XML_FALSE))
    }
}

extension FeedError {
    package static let webPage = FeedError(.webPage, "It is a web page, not a feed")
}

/// Reads what is elsewhere, as if it was empty. Returns whether that was possible.
private func readNothing(_ parser: XML_Parser?, _ context: UnsafePointer<XML_Char>?) -> Int32 {
    guard let other = unsafe XML_ExternalEntityParserCreate(parser, context, nil) else { return 0 }
    defer { unsafe XML_ParserFree(other) }
    return unsafe XML_Parse(other, "", 0, 1) == XML_STATUS_OK ? 1 : 0
}

/// The reader to which a parser's callback belongs.
private func reader(_ data: UnsafeMutableRawPointer?) -> XMLReader {
    guard let data = unsafe data else { preconditionFailure("the parser has no reader") }
    return unsafe Unmanaged<XMLReader>.fromOpaque(data).takeUnretainedValue()
}
