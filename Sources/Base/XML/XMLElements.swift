import CUndersongExpat
import Glibc

/// Handles the elements of a document. The methods are called in the order of the document.
package protocol XMLElements {
    associatedtype Refusal: Error

    /// True if text is of use at this point.
    var wantsText: Bool { get }

    /// Handles the start of an element. Throws if the document is refused.
    mutating func begin(_ element: XMLElement) throws(Refusal)

    /// Handles text, which may arrive in pieces, of the element that began last, or that continues
    /// after one that ended.
    mutating func add(_ text: Span<UInt8>)

    /// Handles the end of the innermost element. Throws if the document is refused.
    mutating func end(_ element: XMLElement) throws(Refusal)
}

/// An element of a document, valid as long as it begins or ends.
@safe
package struct XMLElement {
    private let parser: XML_Parser
    private let characters: UnsafePointer<XML_Char>
    private let attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?

    init(
        _ parser: XML_Parser, _ name: UnsafePointer<XML_Char>,
        _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>? = nil
    ) {
        unsafe self.parser = unsafe parser
        unsafe characters = unsafe name
        unsafe self.attributes = unsafe attributes
    }

    package var name: String { unsafe String(cString: characters) }

    /// The line of the document that it begins or ends in.
    package var line: Int { Int(unsafe XML_GetCurrentLineNumber(parser)) }

    /// The value of the attribute with this name. An element that ends has none.
    package subscript(attribute: String) -> String? {
        var index = 0
        while let key = unsafe attributes?[index], let value = unsafe attributes?[index + 1] {
            if unsafe strcmp(key, attribute) == 0 { return unsafe String(cString: value) }
            index += 2
        }
        return nil
    }
}

/// The reason a document is not read any further.
package enum XMLFailure<Refusal: Error>: Error {
    /// It is not XML, or exceeds a limit.
    case invalid(XMLError)
    /// The handler of its elements refuses it.
    case refused(Refusal)

    /// The handler's error, or the one that `refusal` makes.
    package func refusal(_ refusal: (XMLError) -> Refusal) -> Refusal {
        switch self {
        case .invalid(let error): refusal(error)
        case .refused(let error): error
        }
    }
}

/// The reason the parser does not read a document.
package struct XMLError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// It is not XML, or not complete.
        case syntax
        /// It is nested too deeply, or a part of it is too long.
        case limit
        /// It declares entities that it may not.
        case entities
    }

    package let code: Code
    /// `Line 3: mismatched tag`
    package let description: String
}
