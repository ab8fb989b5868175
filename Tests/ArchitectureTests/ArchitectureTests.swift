import TestSupport
import Testing

/// Compares every import of the repository with the table, since the compiler also accepts imports of transitive
/// dependencies.
@Suite struct ArchitectureTests {
    private let targets: [DeclaredTarget]

    init() throws {
        targets = DeclaredTarget.all(inManifest: try #require(SourceTree.text("Package.swift")))
    }

    @Test func librariesImportWhatTheTableGrants() {
        for target in targets where target.kind == "shared" {
            check(.library, target: target, folder: "Shared/\(target.name)")
        }
    }

    @Test func servicesImportLibrariesAlone() {
        for target in targets where target.kind == "service" {
            check(.service, target: target, folder: "Services/\(target.name)")
        }
    }

    /// Whatever a program does beside starting its service, the simulation would not run.
    @Test func programsOnlyStartTheirService() throws {
        for target in targets where target.kind == "program" {
            let service = try #require(target.dependencies.first)
            let main = try #require(SourceTree.text("Services/\(service)/Main/main.swift"))
            #expect(main == "import \(service)\n\nawait \(service).main()\n")
        }
        let services = targets.filter { $0.kind == "service" }.map(\.name)
        #expect(targets.filter { $0.kind == "program" }.flatMap(\.dependencies).sorted() == services.sorted())
    }

    @Test func testsReachCLibrariesThroughTheirOwners() {
        for target in targets where target.kind.hasPrefix("test") {
            check(.test, target: target, folder: "Tests/\(target.name)")
        }
    }

    /// A folder without a target is never compiled, and its imports are never compared.
    @Test func everyFolderIsATarget() {
        let declared = Set(targets.map(\.name)).union(["C", "EmbedFiles"])
        for folder in ["Shared", "Shared/C", "Tests"] {
            let strays = SourceTree.entries(of: folder).filter { !declared.contains($0) }
            #expect(strays == [], "\(folder) contains folders missing from Package.swift")
        }
        let services = targets.filter { $0.kind == "service" }.map { "Services/\($0.name)/" }
        for source in SourceTree.swiftSources(under: "Services") {
            #expect(services.contains { source.hasPrefix($0) }, "\(source) belongs to no target")
        }
    }

    @Test func everyLibraryIsInTheTable() {
        let known = Set(ImportRules.libraries.map(\.name))
        for target in targets where target.kind == "shared" {
            #expect(known.contains(target.name), "\(target.name) has no row in ImportRules")
        }
    }

    /// The compiler finds a cycle among dependencies that are declared; this test also covers grants that are not used.
    @Test func theTableHasNoCycle() {
        var remaining = ImportRules.libraries
        while !remaining.isEmpty {
            let names = Set(remaining.map(\.name))
            let blocked = remaining.filter { !names.isDisjoint(with: $0.mayImport) }
            #expect(blocked.count < remaining.count, "a cycle among \(names.sorted())")
            guard blocked.count < remaining.count else { return }
            remaining = blocked
        }
    }

    @Test func theDocumentationShowsTheSameTable() throws {
        let page = try #require(SourceTree.text("docs/architecture.md"))
        #expect(ImportTable.libraries(inPage: page) == ImportRules.libraries)
    }

    private func check(_ layer: ImportCheck.Layer, target: DeclaredTarget, folder: String) {
        let check = ImportCheck(layer: layer, target: target, ownModules: Set(targets.map(\.name)))
        let sources = SourceTree.swiftSources(under: folder).filter { !$0.hasSuffix("/Main/main.swift") }
        #expect(!sources.isEmpty, "\(folder) holds no source")
        var imports: Set<String> = []
        for path in sources {
            let modules = ImportScanner.modules(in: SourceTree.text(path) ?? "")
            imports.formUnion(modules)
            #expect(check.problems(importing: modules) == [], "\(path)")
        }
        // A test may depend on an executable that it starts as a process.
        if layer != .test { #expect(check.unusedDependencies(imports: imports) == []) }
    }
}
