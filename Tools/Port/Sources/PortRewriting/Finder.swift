import SwiftSyntax

/// Visits a file for what needs the Objective-C runtime or modules that Linux lacks.
final class Finder: SyntaxVisitor {
    private let source: Source
    private let rewriter: Rewriter
    private var imported: Set<String> = []
    private var firstImport: ImportDeclSyntax?
    private var usesNetwork = false

    init(_ source: Source, _ rewriter: Rewriter) {
        self.source = source
        self.rewriter = rewriter
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        // A selector within a call that is changed, or left with a remark, has been dealt with.
        if rewriter.change(node, in: source) { return .skipChildren }
        relabel(node)
        return .visitChildren
    }

    /// Gives an old call its new labels.
    private func relabel(_ call: FunctionCallExprSyntax) {
        guard let labels = OldNames.labels(of: call) else { return }
        for (argument, label) in zip(call.arguments, labels) {
            guard argument.label?.text != label, let label else { continue }
            if let old = argument.label {
                source.replace(old, with: label)
            } else {
                let place = argument.positionAfterSkippingLeadingTrivia.utf8Offset
                source.insert("\(label): ", at: place)
            }
        }
    }

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        switch node.macroName.text {
        case "selector":
            rewriter.remark("a selector is left: nothing takes one", at: node, in: source)
        case "keyPath":
            if let path = ExprSyntax(node).keyPath {
                source.replace(node, with: "\"\(path.string)\"")
            }
        default: break
        }
        return .skipChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        rename(node)
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind { rename(node) }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        rename(node)
    }

    private func rename(_ node: some SyntaxProtocol) -> SyntaxVisitorContinueKind {
        if Self.network.contains(node.trimmedDescription) { usesNetwork = true }
        guard let name = OldNames.replacement(of: node) else { return .visitChildren }
        source.replace(node, with: name)
        return .skipChildren
    }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        // There is no type `Selector` to extend. Its constants are looked up where they are used.
        guard node.extendedType.trimmedDescription == "Selector" else { return .visitChildren }
        source.remove(node)
        return .skipChildren
    }

    override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
        // What is for iOS is for Linux too, unless the source says otherwise.
        if let condition = node.condition, !condition.description.contains("Linux") {
            for call in condition.platforms(named: "iOS") {
                let isAlone = call.id == condition.id
                source.replace(
                    call, with: isAlone ? "os(iOS) || os(Linux)" : "(os(iOS) || os(Linux))")
            }
        }
        return node.isForOtherPlatforms ? .skipChildren : .visitChildren
    }

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        let names = node.path.map(\.name.text)
        guard let module = names.first else { return .skipChildren }
        imported.insert(module)
        if firstImport == nil, !node.isConditional { firstImport = node }
        if let replacement = Self.replacements[module] {
            source.replace(node.path, with: replacement)
        } else if Self.missing.contains(module) {
            rewriter.remark("the module \(module) does not exist on Linux", at: node, in: source)
        } else if names.count > 1, node.importKindSpecifier == nil, Self.present.contains(module) {
            source.replace(node.path, with: module)
        }
        return .skipChildren
    }

    override func visitPost(_ node: SourceFileSyntax) {
        guard let firstImport else { return }
        let place = firstImport.endPosition.utf8Offset
        if imported.contains("CoreMedia"), imported.isDisjoint(with: Self.withFoundation) {
            source.insert("\nimport Foundation", at: place)
        }
        if usesNetwork, !imported.contains("FoundationNetworking") {
            source.insert(
                """

                #if canImport(FoundationNetworking)
                import FoundationNetworking
                #endif
                """, at: place)
        }
    }

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        switch node.attributeName.trimmedDescription {
        case "objc", "objcMembers", "nonobjc", "IBAction", "IBOutlet", "IBInspectable",
            "IBDesignable":
            source.remove(node)
        case "UIApplicationMain", "NSApplicationMain":
            rewriter.remark("the program has to start in a main.swift", at: node, in: source)
        default: break
        }
        return .skipChildren
    }

    override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
        switch node.name.text {
        case "dynamic":
            source.remove(node)
            rewriter.remark(
                "only Apple's classes can be observed by key path: this property is not", at: node,
                in: source)
        case "optional":
            rewriter.remark(
                "a requirement that is optional needs a default in an extension", at: node,
                in: source)
        default: break
        }
        return .skipChildren
    }

    override func visit(_ node: InheritedTypeSyntax) -> SyntaxVisitorContinueKind {
        let type = node.type.trimmedDescription
        if ["View", "App", "Scene", "UIViewController", "UIView"].contains(type) {
            rewriter.remark("there are no views on Linux", at: node, in: source)
        }
        return .skipChildren
    }

    /// Modules that are imported for others that they bring along.
    private static let replacements = ["AVKit": "AVFoundation", "SwiftUI": "Combine"]

    /// The frameworks that the library has.
    fileprivate static let present: Set = [
        "AVFAudio", "AVFoundation", "BackgroundTasks", "Combine", "CoreLocation", "CoreMedia",
        "Foundation", "MediaPlayer", "UIKit", "UserNotifications",
    ]

    /// The modules that bring Foundation along. Apple's Core Media does too.
    private static let withFoundation: Set = [
        "AVFAudio", "AVFoundation", "AVKit", "Foundation", "MediaPlayer", "UIKit",
    ]

    /// The types that Foundation on Linux has in a module of its own.
    private static let network: Set = [
        "HTTPCookie", "HTTPCookieStorage", "HTTPURLResponse", "URLAuthenticationChallenge",
        "URLCache", "URLCredential", "URLProtectionSpace", "URLProtocol", "URLRequest",
        "URLResponse", "URLSession", "URLSessionConfiguration", "URLSessionDataTask",
        "URLSessionDelegate", "URLSessionDownloadTask", "URLSessionTask", "URLSessionUploadTask",
    ]

    /// Apple's modules that sources of players import and that are not there.
    fileprivate static let missing: Set = [
        "ARKit", "Accelerate", "ActivityKit", "AppIntents", "AppKit", "AudioToolbox",
        "AudioUnit", "CallKit", "CarPlay", "Cocoa", "CoreAudio", "CoreAudioKit", "CoreData",
        "CoreGraphics", "CoreHaptics", "CoreImage", "CoreMIDI", "CoreMotion", "CoreServices",
        "CoreSpotlight", "CoreText", "CoreVideo", "CryptoKit", "Darwin", "GameController",
        "HealthKit", "ImageIO", "Intents", "IntentsUI", "LinkPresentation", "MapKit", "Messages",
        "MessageUI", "Metal", "MobileCoreServices", "MusicKit", "NaturalLanguage", "Network",
        "NotificationCenter", "ObjectiveC", "OSLog", "Photos", "PhotosUI", "QuartzCore",
        "SafariServices", "Security", "ShazamKit", "SoundAnalysis", "Speech", "SpriteKit",
        "StoreKit", "SwiftData", "SystemConfiguration", "UniformTypeIdentifiers",
        "VideoToolbox", "Vision", "WatchConnectivity", "WatchKit", "WebKit",
        "WidgetKit", "os",
    ]
}

extension ImportDeclSyntax {
    /// True if it is within `#if`.
    fileprivate var isConditional: Bool {
        sequence(first: Syntax(self), next: \.parent).contains { $0.is(IfConfigDeclSyntax.self) }
    }
}

extension IfConfigClauseSyntax {
    /// True if it is never compiled where what is for iOS is: its condition does not hold, or one
    /// before it does.
    fileprivate var isForOtherPlatforms: Bool {
        if condition?.holds == false { return true }
        let clauses = parent?.as(IfConfigClauseListSyntax.self).map(Array.init) ?? []
        return clauses.prefix { $0.id != id }.contains { $0.condition?.holds == true }
    }
}

extension ExprSyntax {
    /// True if a condition of `#if` holds on Linux once what is for iOS is for Linux too; nil if that
    /// depends on something else.
    fileprivate var holds: Bool? {
        if let group = self.as(TupleExprSyntax.self), group.elements.count == 1 {
            return group.elements.first?.expression.holds
        }
        if let prefix = self.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "!" {
            return prefix.expression.holds.map { !$0 }
        }
        if let sequence = self.as(SequenceExprSyntax.self) {
            return Self.holds(Array(sequence.elements)[...])
        }
        guard let call = self.as(FunctionCallExprSyntax.self),
            let name = call.arguments.first?.expression.trimmedDescription
        else { return nil }
        switch call.calledExpression.trimmedDescription {
        case "os": return name == "iOS" || name == "Linux"
        case "targetEnvironment": return false
        case "canImport" where Finder.missing.contains(name): return false
        case "canImport" where Finder.present.contains(name): return true
        default: return nil
        }
    }

    /// Operands with `||` and `&&` between them, of which the second binds more.
    private static func holds(_ elements: ArraySlice<ExprSyntax>) -> Bool? {
        for (word, decides) in [("||", true), ("&&", false)] {
            let places = elements.indices.filter { elements[$0].trimmedDescription == word }
            guard !places.isEmpty else { continue }
            let bounds = [elements.startIndex - 1] + places + [elements.endIndex]
            let parts = zip(bounds, bounds.dropFirst()).map { holds(elements[($0 + 1)..<$1]) }
            if parts.contains(decides) { return decides }
            return parts.contains(nil) ? nil : !decides
        }
        return elements.count == 1 ? elements.first?.holds : nil
    }

    /// The conditions `os(NAME)` in this one.
    fileprivate func platforms(named name: String) -> [ExprSyntax] {
        if let call = self.as(FunctionCallExprSyntax.self) {
            let isWanted =
                call.calledExpression.trimmedDescription == "os"
                && call.arguments.first?.expression.trimmedDescription == name
            return isWanted ? [self] : []
        }
        return children(viewMode: .sourceAccurate).flatMap { child in
            child.as(ExprSyntax.self)?.platforms(named: name)
                ?? child.children(viewMode: .sourceAccurate)
                .flatMap { $0.as(ExprSyntax.self)?.platforms(named: name) ?? [] }
        }
    }
}

/// Makes ordinary methods of `observeValue(forKeyPath:of:change:context:)`.
final class ObservationBodies: SyntaxVisitor {
    private let source: Source
    private let contexts: Set<String>
    private var isInside = false

    init(_ source: Source, _ contexts: Set<String>) {
        self.source = source
        self.contexts = contexts
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        let parameters = Array(node.signature.parameterClause.parameters)
        // Others may be passed what this one is passed.
        guard parameters.first?.firstName.text == "forKeyPath", let context = parameters.last,
            context.firstName.text == "context"
        else { return .visitChildren }
        for modifier in node.modifiers
        where ["override", "open", "public"].contains(modifier.name.text) {
            source.remove(modifier)
        }
        source.replace(context.type, with: "String?")
        isInside = true
        return .visitChildren
    }

    override func visitPost(_ node: FunctionDeclSyntax) {
        isInside = false
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard isInside, node.calledExpression.trimmedDescription == "super.observeValue" else {
            return .visitChildren
        }
        source.remove(node, isWholeLine: true)
        return .skipChildren
    }

    override func visit(_ node: InOutExprSyntax) -> SyntaxVisitorContinueKind {
        replaceContext(ExprSyntax(node))
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        replaceContext(ExprSyntax(node))
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        replaceContext(ExprSyntax(node))
    }

    private func replaceContext(_ expression: ExprSyntax) -> SyntaxVisitorContinueKind {
        let name = expression.trimmedDescription.contextName
        // The parameter itself has the name that many contexts have.
        let isParameter = expression.trimmedDescription == "context"
        guard isInside, !isParameter, contexts.contains(name) else { return .visitChildren }
        source.replace(expression, with: "\"\(name)\"")
        return .skipChildren
    }
}
