import SwiftSyntax

/// Finds what needs the Objective-C runtime, and changes the sources accordingly.
final class Rewriter {
    let declarations: Declarations
    private(set) var remarks: [Remark] = []
    /// The parts of `ObserverTokens` that are used.
    private(set) var parts: Set<SupportPart> = []
    /// The classes that keep tokens, with the files that use them.
    private var users: [String: Set<String>] = [:]
    /// Calls that end observations, which are changed where tokens are kept.
    private var endings: [(source: Source, call: FunctionCallExprSyntax, type: String)] = []
    /// Methods that take over from selectors as they are, with the parameter's type.
    private var changedParameters: Set<SyntaxIdentifier> = []
    /// The contexts that distinguish observations of key paths, as written.
    private var contexts: Set<String> = []

    init(_ sources: [Source]) {
        declarations = Declarations(sources)
        for source in sources { Finder(source, self).walk(source.tree) }
        for ending in endings where users[ending.type] != nil {
            end(ending.call, in: ending.source, of: ending.type)
        }
        for source in sources { ObservationBodies(source, contexts).walk(source.tree) }
        for (type, files) in users { declareTokens(in: type, for: files) }
    }

    /// The files of classes that keep tokens, and of what uses them.
    var filesWithTokens: Set<String> {
        users.reduce(into: []) { files, user in
            files.formUnion(user.value)
            if let type = declarations.classes[user.key] { files.insert(type.source.path) }
        }
    }

    func remark(_ reason: String, at node: some SyntaxProtocol, in source: Source) {
        remarks.append(Remark(path: source.path, line: source.line(of: node), reason: reason))
    }

    // MARK: Calls

    /// Changes a call that takes a selector or a key path; returns whether it is one.
    func change(_ call: FunctionCallExprSyntax, in source: Source) -> Bool {
        let labels = call.arguments.map { $0.label?.text ?? "_" }
        let called = call.calledExpression
        let name =
            called.as(MemberAccessExprSyntax.self)?.declName.baseName.text
            ?? called.as(DeclReferenceExprSyntax.self)?.baseName.text
        let site = Site(source: source, call: call)
        switch (name, labels) {
        case ("addObserver", ["_", "selector", "name", "object"]): observe(site)
        case ("addTarget", ["_", "action"]): addTarget(site)
        case ("addTarget", ["_", "action", "for"]): site.leave("it is a control of a view", self)
        case ("scheduledTimer", ["timeInterval", "target", "selector", "userInfo", "repeats"]),
            ("Timer", ["timeInterval", "target", "selector", "userInfo", "repeats"]):
            makeTimer(site)
        case ("perform", ["_", "with", "afterDelay"]),
            ("perform", ["_", "on", "with", "waitUntilDone"]),
            ("performSelector", _):
            perform(site)
        case ("addObserver", ["_", "forKeyPath", "options", "context"]): observeKeyPath(site)
        case ("removeObserver", let labels)
        where ["_", "_ name object", "_ forKeyPath", "_ forKeyPath context"]
            .contains(labels.joined(separator: " ")):
            ending(site, isKeyPath: labels.contains("forKeyPath"))
        case ("removeTarget", ["_"]), ("removeTarget", ["_", "action"]):
            ending(site, isKeyPath: false)
        default: return false
        }
        return true
    }

    private func ending(_ site: Site, isKeyPath: Bool) {
        guard site.argument(0)?.trimmedDescription == "self", let type = site.call.enclosingType
        else { return }
        endings.append((site.source, site.call, type))
    }

    /// The name of the tokens where a call stands; nil, with a remark, if they cannot be kept there.
    private func tokens(at site: Site, observer: ExprSyntax?) -> String? {
        guard observer?.trimmedDescription == "self" else {
            return site.leave("the target is not self", self)
        }
        guard !site.call.isInStaticMember else {
            return site.leave("the target is a type, not an object", self)
        }
        guard let type = site.call.enclosingType, declarations.classes[type] != nil else {
            return site.leave("the class that would keep the token is not in these sources", self)
        }
        users[type, default: []].insert(site.source.path)
        return "self." + Self.tokens
    }

    private static let tokens = "observerTokens"

    private func observe(_ site: Site) {
        guard let handler = handler(site.argument(1), at: site, passing: .notification),
            let tokens = tokens(at: site, observer: site.argument(0)),
            let name = site.argument(2), let object = site.argument(3)
        else { return }
        parts.insert(.notifications)
        let start = "\(tokens).observe(\(site.base), \(name.ported), object: \(object.ported))"
        site.replace(start + " { [weak self] \(handler.parameter) in", handler.call)
    }

    private func addTarget(_ site: Site) {
        guard let handler = handler(site.argument(1), at: site, passing: .command),
            let tokens = tokens(at: site, observer: site.argument(0))
        else { return }
        parts.insert(.commands)
        let start = "\(tokens).addTarget(to: \(site.base)) { [weak self] \(handler.parameter) in"
        site.replace(start, handler.call)
    }

    private func makeTimer(_ site: Site) {
        guard site.argument(1)?.trimmedDescription == "self" else {
            _ = site.leave("the target is not self", self) as String?
            return
        }
        guard site.argument(3)?.trimmedDescription == "nil" else {
            _ = site.leave("the timer passes userInfo", self) as String?
            return
        }
        guard let handler = handler(site.argument(2), at: site, passing: .timer),
            let interval = site.argument(0), let repeats = site.argument(4)
        else { return }
        let called = site.call.calledExpression.trimmedDescription
        let label = called.hasSuffix("scheduledTimer") ? "withTimeInterval" : "timeInterval"
        let start = "\(called)(\(label): \(interval.trimmed), repeats: \(repeats.trimmed))"
        site.replace(start + " { [weak self] \(handler.parameter) in", handler.call)
    }

    private func perform(_ site: Site) {
        guard site.call.arguments.map({ $0.label?.text ?? "_" }).last == "afterDelay",
            ["", "self."].contains(site.prefix), site.argument(1)?.trimmedDescription == "nil",
            let delay = site.argument(2)
        else { return site.leave("it performs a selector", self) }
        guard let handler = handler(site.argument(0), at: site, passing: .nothing) else { return }
        let start = "DispatchQueue.main.asyncAfter(deadline: .now() + \(delay.trimmed))"
        site.replace(start + " { [weak self] in", handler.call)
    }

    // MARK: Key paths

    private func observeKeyPath(_ site: Site) {
        guard let tokens = tokens(at: site, observer: site.argument(0)),
            let expression = site.argument(1)
        else { return }
        parts.insert(.keyPaths)
        let options = site.argument(2)?.trimmedDescription ?? "[]"
        let context = site.argument(3)?.trimmedDescription ?? "nil"
        if context != "nil" { contexts.insert(context.contextName) }
        let mark = context == "nil" ? "nil" : "\"\(context.contextName)\""
        let path = keyPath(expression, observed: site.base)
        let name = path.map { "\"\($0.string)\"" } ?? expression.trimmedDescription
        // Names that are known at run time only are passed on, since they may be `$0`.
        if path == nil { parts.insert(.names) }
        let literal = path.map { "\($0.literal), " } ?? ""
        let start = "\(tokens).observe(\(site.base), \(literal)named: \(name), options: \(options))"
        let parameters = path == nil ? "name, object, change" : "object, change"
        let call =
            "self?.observeValue(forKeyPath: \(path == nil ? "name" : name), of: object, change: change, context: \(mark))"
        site.replace(start + " { [weak self] \(parameters) in", isolated(call, at: site))
    }

    private func keyPath(_ expression: ExprSyntax?, observed: String) -> KeyPath? {
        guard let expression else { return nil }
        if let macro = expression.as(MacroExpansionExprSyntax.self),
            let path = macro.arguments.first?.expression, macro.macroName.text == "keyPath"
        {
            return KeyPath(macro: path.trimmedDescription, observed: observed)
        }
        if let path = expression.keyPath { return path }
        let names = expression.trimmedDescription.split(separator: ".").suffix(2)
        return
            (declarations.keyPaths[names.joined(separator: ".")]
            ?? declarations.keyPaths[String(names.last ?? "")])?.keyPath
    }

    private func end(_ call: FunctionCallExprSyntax, in source: Source, of type: String) {
        let site = Site(source: source, call: call)
        users[type, default: []].insert(source.path)
        let tokens = "self." + Self.tokens
        let labels = call.arguments.map { $0.label?.text ?? "_" }
        if labels.contains("forKeyPath") {
            guard let expression = site.argument(1) else { return }
            let path = keyPath(expression, observed: site.base)
            let name = path.map { "\"\($0.string)\"" } ?? expression.trimmedDescription
            parts.insert(.keyPaths)
            source.replace(call, with: "\(tokens).stopObserving(\(site.base), \(name))")
        } else if call.calledExpression.trimmedDescription.hasSuffix("removeTarget") {
            parts.insert(.commands)
            source.replace(call, with: "\(tokens).removeTargets(from: \(site.base))")
        } else {
            parts.insert(.notifications)
            let rest = call.arguments.dropFirst().map { argument in
                (argument.label?.text == "object" ? "object: " : "")
                    + argument.expression.ported
            }
            let list = ([site.base] + rest).joined(separator: ", ")
            source.replace(call, with: "\(tokens).stopObserving(\(list))")
        }
    }

    // MARK: Handlers

    /// The argument that a caller passes to a handler.
    enum Passing { case notification, command, timer, nothing }

    /// A closure's parameter, and what it does.
    typealias Handler = (parameter: String, call: [String])

    private func handler(_ selector: ExprSyntax?, at site: Site, passing: Passing) -> Handler? {
        // `.ended` names a constant of an extension of `Selector`.
        let constant = selector?.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        let named = constant.flatMap { declarations.selectors[$0] }
        guard let (name, labels) = (named ?? selector)?.selector else {
            return site.leave("the selector is not a literal", self)
        }
        let methods = declarations.methods(named: name, in: site.call.enclosingType)
        let method =
            methods.first { $0.parameters.map(\.firstName.text) == labels } ?? methods.first
        guard let method else {
            return site.leave("the method \(name) is not in these sources", self)
        }
        guard method.parameters.count <= 1 else {
            return site.leave("the method \(name) has more than one parameter", self)
        }
        let value =
            switch passing {
            case .notification: "notification"
            case .command: "event"
            case .timer: "timer"
            case .nothing: "nil"
            }
        let call = body(of: method, passing, value, at: site)
        return (method.parameters.isEmpty ? "_" : value, call)
    }

    private func body(
        of method: Declarations.Method, _ passing: Passing, _ value: String, at site: Site
    ) -> [String] {
        var lines: [String] = []
        var argument = ""
        if let parameter = method.parameters.first {
            let type = parameter.type.trimmedDescription
            let label = parameter.firstName.text == "_" ? "" : "\(parameter.firstName.text): "
            argument = label + value
            if passing == .notification, type.hasPrefix("NSNotification"),
                changedParameters.insert(parameter.id).inserted
            {
                let optional = type.hasSuffix("?") ? "?" : ""
                method.source.replace(parameter.type, with: "Notification" + optional)
            }
            let isGeneral = ["MPRemoteCommandEvent", "Any", "AnyObject", "NSObject"]
                .contains(type.trimmingOptional)
            if passing == .command, !isGeneral {
                lines.append(
                    "guard let event = event as? \(type.trimmingOptional) else { return .commandFailed }"
                )
            }
        }
        let call = "self?.\(method.syntax.name.text)(\(argument))"
        let isIsolated = isOnMainActor(method)
        guard passing == .command else {
            let unused =
                method.returnType != nil
                && !method.syntax.attributes.contains(named: "discardableResult")
            return lines + [isolated((unused ? "_ = " : "") + call, isIsolated)]
        }
        if method.returnType != nil {
            return lines + ["return " + isolated("\(call) ?? .commandFailed", isIsolated)]
        }
        return lines + [isolated(call, isIsolated), "return .success"]
    }

    private func isOnMainActor(_ method: Declarations.Method) -> Bool {
        if method.syntax.modifiers.contains(named: ["nonisolated"]) { return false }
        if method.syntax.attributes.contains(named: "MainActor") { return true }
        return declarations.classes[method.type]?.isOnMainActor == true
    }

    private func isolated(_ call: String, _ isIsolated: Bool) -> String {
        isIsolated ? "MainActor.assumeIsolated { \(call) }" : call
    }

    private func isolated(_ call: String, at site: Site) -> [String] {
        let type = site.call.enclosingType ?? ""
        return [isolated(call, declarations.classes[type]?.isOnMainActor == true)]
    }

    // MARK: Tokens

    private func declareTokens(in type: String, for files: Set<String>) {
        guard let found = declarations.classes[type] else { return }
        let isPrivate = files.isSubset(of: [found.source.path])
        let members = found.syntax.memberBlock
        let indent = String(repeating: " ", count: found.source.column(of: found.syntax) + 3)
        let access = isPrivate ? "private " : ""
        found.source.insert(
            "\n\(indent)\(access)let \(Self.tokens) = ObserverTokens()",
            at: members.leftBrace.endPositionBeforeTrailingTrivia.utf8Offset)
    }
}

/// A call that is changed.
struct Site {
    let source: Source
    let call: FunctionCallExprSyntax

    func argument(_ index: Int) -> ExprSyntax? {
        let arguments = Array(call.arguments)
        return index < arguments.count ? arguments[index].expression : nil
    }

    /// The expression that the method is called on, up to the dot.
    var prefix: String {
        guard let member = call.calledExpression.as(MemberAccessExprSyntax.self) else { return "" }
        return (member.base?.trimmedDescription ?? "") + "."
    }

    /// The object that the method is called on; an optional one without its question mark.
    var base: String {
        let member = call.calledExpression.as(MemberAccessExprSyntax.self)
        let text = member?.base?.trimmedDescription ?? "self"
        return text.hasSuffix("?") ? String(text.dropLast()) : text
    }

    /// Replaces the call by one with a closure.
    func replace(_ start: String, _ body: [String]) {
        let indent = String(repeating: " ", count: indentation)
        let lines = body.map { "\(indent)    \($0)\n" }.joined()
        source.replace(call, with: "\(start)\n\(lines)\(indent)}")
    }

    /// The blanks before the line on which the call begins.
    private var indentation: Int {
        let statement = sequence(first: Syntax(call)) { $0.parent }
            .first { $0.is(CodeBlockItemSyntax.self) || $0.is(MemberBlockItemSyntax.self) }
        return source.column(of: statement ?? Syntax(call)) - 1
    }

    /// Leaves the call as it is, with a remark.
    func leave(_ reason: String, _ rewriter: Rewriter) {
        let selector = call.calledExpression.trimmedDescription.split(separator: ".").last ?? ""
        rewriter.remark("\(selector) is left: \(reason)", at: call, in: source)
    }

    func leave<Value>(_ reason: String, _ rewriter: Rewriter) -> Value? {
        leave(reason, rewriter)
        return nil
    }
}

extension ExprSyntaxProtocol {
    /// The method that a selector names, and its labels if it gives them.
    var selector: (name: String, labels: [String]?)? {
        if let macro = self.as(MacroExpansionExprSyntax.self), macro.macroName.text == "selector",
            let argument = macro.arguments.first, argument.label == nil
        {
            return argument.expression.method
        }
        guard let call = self.as(FunctionCallExprSyntax.self),
            ["Selector", "NSSelectorFromString"].contains(call.calledExpression.trimmedDescription),
            let text = call.arguments.first?.expression.literal
        else { return nil }
        let name = String(text.prefix { $0 != ":" })
        return (name, nil)
    }

    private var literal: String? {
        if let tuple = self.as(TupleExprSyntax.self) {
            return tuple.elements.first?.expression.literal
        }
        return self.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    }

    private var method: (name: String, labels: [String]?)? {
        if let name = self.as(DeclReferenceExprSyntax.self) {
            return (name.baseName.text, name.argumentNames?.arguments.map(\.name.text))
        }
        if let member = self.as(MemberAccessExprSyntax.self) {
            return ExprSyntax(member.declName).method
        }
        if let cast = self.as(AsExprSyntax.self) { return cast.expression.method }
        if let sequence = self.as(SequenceExprSyntax.self) {
            return sequence.elements.first?.method
        }
        return nil
    }
}

extension String {
    /// The name of a context: without `&`, `self` and types.
    var contextName: String {
        String(split(separator: ".").last ?? "").trimmingAmpersand
    }

    private var trimmingAmpersand: String { hasPrefix("&") ? String(dropFirst()) : self }

    fileprivate var trimmingOptional: String {
        hasSuffix("?") || hasSuffix("!") ? String(dropLast()) : self
    }
}
