/// Describes the errors in one target's imports, one sentence each; empty if there are none.
struct ImportCheck {
    enum Layer: Equatable {
        case library
        case service
        case test
    }

    let layer: Layer
    let target: DeclaredTarget
    /// The names of all targets of the package.
    let ownModules: Set<String>

    func problems(importing modules: Set<String>) -> [String] {
        modules.sorted().compactMap { problem(withImport: $0) }
    }

    /// A dependency that no source imports has no reason to be granted.
    func unusedDependencies(imports: Set<String>) -> [String] {
        target.dependencies.filter { !imports.contains($0) }.map {
            "\(target.name) declares \($0) and never imports it"
        }
    }

    private func problem(withImport module: String) -> String? {
        if ownModules.contains(module) {
            if !mayImport(module) { return "\(target.name) may not import \(module)" }
            // The build would accept the import as long as another dependency provides it transitively.
            return target.dependencies.contains(module) ? nil : "\(target.name) imports \(module) without declaring it"
        }
        if ImportRules.systemModules.contains(module) { return nil }
        if module == "Foundation" {
            let isGranted = layer == .test || ImportRules.foundationReasons[target.name] != nil
            return isGranted ? nil : "\(target.name) may not import Foundation"
        }
        if module == "Testing" && layer == .test { return nil }
        return "\(target.name) imports \(module), which is in no list"
    }

    private func mayImport(_ module: String) -> Bool {
        let isC = ImportRules.isCModule(module)
        return switch layer {
        case .library: ImportRules.libraries.first { $0.name == target.name }?.mayImport.contains(module) ?? false
        case .service: !isC && ImportRules.libraries.contains { $0.name == module }
        case .test: !isC || ImportRules.cModuleTestTargets.contains(target.name)
        }
    }
}
