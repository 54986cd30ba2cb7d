import SwiftSyntax

/// The declarations of the sources to which selectors and key paths refer.
struct Declarations {
    /// A method that a selector may name.
    struct Method {
        let source: Source
        let syntax: FunctionDeclSyntax
        let type: String

        var parameters: FunctionParameterListSyntax { syntax.signature.parameterClause.parameters }

        /// The type that it returns; nil for none.
        var returnType: String? {
            guard let type = syntax.signature.returnClause?.type.trimmedDescription,
                type != "Void", type != "()"
            else { return nil }
            return type
        }
    }

    /// A class, in which tokens can be kept.
    struct Class {
        let source: Source
        let syntax: ClassDeclSyntax

        var isOnMainActor: Bool { syntax.attributes.contains(named: "MainActor") }
    }

    private(set) var methods: [Method] = []
    private(set) var classes: [String: Class] = [:]
    /// Names of string constants that are key paths, with and without the names of their types.
    private(set) var keyPaths: [String: ExprSyntax] = [:]
    /// Selectors that extensions of `Selector` name.
    private(set) var selectors: [String: ExprSyntax] = [:]

    init(_ sources: [Source]) {
        for source in sources {
            let collector = Collector(source)
            collector.walk(source.tree)
            methods += collector.methods
            classes.merge(collector.classes) { first, _ in first }
            keyPaths.merge(collector.keyPaths) { first, _ in first }
            selectors.merge(collector.selectors) { first, _ in first }
        }
    }

    /// The methods called `name`, those of `type` first.
    func methods(named name: String, in type: String?) -> [Method] {
        let found = methods.filter { $0.syntax.name.text == name }
        let own = found.filter { $0.type == type }
        return own.isEmpty ? found : own
    }

    private final class Collector: SyntaxVisitor {
        let source: Source
        var methods: [Method] = []
        var classes: [String: Class] = [:]
        var keyPaths: [String: ExprSyntax] = [:]
        var selectors: [String: ExprSyntax] = [:]

        init(_ source: Source) {
            self.source = source
            super.init(viewMode: .sourceAccurate)
        }

        override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
            classes[node.name.text] = Class(source: source, syntax: node)
            return .visitChildren
        }

        override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
            if let type = node.enclosingType {
                methods.append(Method(source: source, syntax: node, type: type))
            }
            return .visitChildren
        }

        override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
            for binding in node.bindings {
                guard node.bindingSpecifier.text == "let",
                    let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
                    let value = binding.initializer?.value
                else { continue }
                if node.enclosingType == "Selector" { selectors[name] = value }
                guard value.keyPath != nil else { continue }
                keyPaths[name] = value
                if let type = node.enclosingType { keyPaths["\(type).\(name)"] = value }
            }
            return .visitChildren
        }
    }
}

extension SyntaxProtocol {
    /// The name of the type or the extension in which it is declared.
    var enclosingType: String? { enclosingDeclaration?.name }

    /// The type or the extension in which it is declared.
    var enclosingDeclaration: (name: String, syntax: Syntax)? {
        var node = parent
        while let current = node {
            if let type = current.as(ClassDeclSyntax.self) { return (type.name.text, current) }
            if let type = current.as(StructDeclSyntax.self) { return (type.name.text, current) }
            if let type = current.as(EnumDeclSyntax.self) { return (type.name.text, current) }
            if let type = current.as(ActorDeclSyntax.self) { return (type.name.text, current) }
            if let type = current.as(ExtensionDeclSyntax.self) {
                let name = type.extendedType.trimmedDescription
                return (String(name.split(separator: ".").last ?? ""), current)
            }
            node = current.parent
        }
        return nil
    }

    /// True if `self` is a type here, not an object.
    var isInStaticMember: Bool {
        var node = parent
        while let current = node {
            if let function = current.as(FunctionDeclSyntax.self) {
                if function.modifiers.contains(named: ["static", "class"]) { return true }
            } else if let variable = current.as(VariableDeclSyntax.self) {
                if variable.modifiers.contains(named: ["static", "class"]) { return true }
            } else if current.is(ClassDeclSyntax.self) || current.is(ExtensionDeclSyntax.self) {
                return false
            }
            node = current.parent
        }
        return false
    }
}

extension DeclModifierListSyntax {
    func contains(named names: Set<String>) -> Bool { contains { names.contains($0.name.text) } }
}

extension AttributeListSyntax {
    func contains(named name: String) -> Bool { attribute(named: name) != nil }

    func attribute(named name: String) -> AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }
            .first { $0.attributeName.trimmedDescription == name }
    }
}
