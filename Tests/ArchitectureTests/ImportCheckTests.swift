import Testing

/// Tests the checker itself, with sources written to evade it.
@Suite struct ImportCheckTests {
    @Test(arguments: [
        ("import Bus", ["Bus"]),
        ("package import Bus\nprivate import Topics", ["Bus", "Topics"]),
        ("@preconcurrency import Bus", ["Bus"]),
        ("@_spi(Testing) @testable import Bus", ["Bus"]),
        ("import struct Bus.Mailbox", ["Bus"]),
        ("import func Glibc.read; import Bus", ["Bus", "Glibc"]),
        ("import Bus.Inner.Most", ["Bus"]),
        ("import\n    Bus", ["Bus"]),
        ("import /* import Topics */ Bus", ["Bus"]),
        ("#if canImport(Topics)\nimport Bus\n#endif", ["Bus"]),
    ])
    func seesEveryFormOfImport(source: String, modules: [String]) {
        #expect(ImportScanner.modules(in: source).sorted() == modules)
    }

    @Test(arguments: [
        "// import Bus",
        "/// import Bus\nlet x = 1",
        "/* import Bus /* nested */ import Bus */",
        "let text = \"import Bus\"",
        "let text = \"a \\\" import Bus\"",
        "let text = \"\"\"\n    import Bus\n    \"\"\"",
        "let text = #\"a \" import Bus\"#",
        "let text = \"\\(names.map { \"import Bus \\($0)\" }) import Bus\"",
        "let x = call(import: 1)",
        "let x = trade.import\nBus.start()",
        "let `import` = Bus()",
        "let important = Bus()",
    ])
    func isNotMisledByTheWord(source: String) {
        #expect(ImportScanner.modules(in: source) == [])
    }

    @Test func seesAnImportBehindAString() {
        #expect(ImportScanner.modules(in: "let a = \"\\(b(\")\"))\" // \"\nimport Bus") == ["Bus"])
    }

    @Test func refusesWhatTheTableDoesNotGrant() {
        let check = library("HTTP2", dependencies: ["CNGHTTP2", "RedisClient"])
        #expect(check.problems(importing: ["RedisClient"]) == ["HTTP2 may not import RedisClient"])
        #expect(check.problems(importing: ["CNGHTTP2", "Glibc"]) == [])
    }

    @Test func refusesWhatTheManifestDoesNotDeclare() {
        let check = library("HTTP2", dependencies: ["CNGHTTP2"])
        #expect(check.problems(importing: ["TLSSocket"]) == ["HTTP2 imports TLSSocket without declaring it"])
    }

    @Test func refusesADependencyThatIsNotImported() {
        let check = library("HTTP2", dependencies: ["CNGHTTP2", "ServiceKit"])
        #expect(check.unusedDependencies(imports: ["CNGHTTP2"]) == ["HTTP2 declares ServiceKit and never imports it"])
    }

    @Test func refusesForeignModulesAndFoundation() {
        let check = library("HTTP2", dependencies: [])
        #expect(check.problems(importing: ["Foundation"]) == ["HTTP2 may not import Foundation"])
        #expect(check.problems(importing: ["XCTest"]) == ["HTTP2 imports XCTest, which is in no list"])
    }

    @Test func refusesAServiceThatReachesForACLibraryOrAnotherService() {
        let target = DeclaredTarget(kind: "service", name: "Renderer", dependencies: ["CCurl", "Reporter", "Bus"])
        let check = ImportCheck(layer: .service, target: target, ownModules: ["Bus", "CCurl", "Renderer", "Reporter"])
        #expect(check.problems(importing: ["Bus"]) == [])
        #expect(check.problems(importing: ["CCurl"]) == ["Renderer may not import CCurl"])
        #expect(check.problems(importing: ["Reporter"]) == ["Renderer may not import Reporter"])
    }

    @Test(arguments: [("RedisBusTests", false), ("KafkaMock", true), ("BareLoops", true), ("CModulesTests", true)])
    func refusesCLibrariesToMostTests(name: String, isGranted: Bool) {
        let target = DeclaredTarget(kind: "tests", name: name, dependencies: ["CRDKafka"])
        let check = ImportCheck(layer: .test, target: target, ownModules: ["CRDKafka"])
        #expect(check.problems(importing: ["CRDKafka"]).isEmpty == isGranted)
    }

    @Test func readsTheManifest() {
        let manifest = """
            func shared(_ name: String) -> Target {}
            let package = Package(targets: [
                cModule("CCurl", links: "curl", "z"),
                shared("HTTPClient", "CCurl", "ServiceKit"),
                shared("RedisStore", embedding: [
                    "Scripts/Ledger", "Scripts/Registry",
                ], "RedisClient"),
                tests("HTTPClientTests", "HTTPClient",
                    "TestSupport"),
                service("Renderer", "Bus"),
                program("event-stream", of: "EventStream"),
            ])
            """
        #expect(
            DeclaredTarget.all(inManifest: manifest) == [
                DeclaredTarget(kind: "cModule", name: "CCurl", dependencies: []),
                DeclaredTarget(kind: "shared", name: "HTTPClient", dependencies: ["CCurl", "ServiceKit"]),
                DeclaredTarget(kind: "shared", name: "RedisStore", dependencies: ["RedisClient"]),
                DeclaredTarget(kind: "tests", name: "HTTPClientTests", dependencies: ["HTTPClient", "TestSupport"]),
                DeclaredTarget(kind: "service", name: "Renderer", dependencies: ["Bus"]),
                DeclaredTarget(kind: "program", name: "event-stream", dependencies: ["EventStream"]),
            ])
    }

    @Test func readsTheTableOfAPage() {
        let page = """
            ## Who may import whom

            | Library | Owns | May import |
            |---|---|---|
            | `Topics` | every topic | `PushModel`, `ServiceKit` |
            | `PushModel` | plain values | – |

            ## Next
            | `Other` | x | – |
            """
        #expect(
            ImportTable.libraries(inPage: page) == [
                ImportRules.Library("Topics", owns: "every topic", mayImport: ["PushModel", "ServiceKit"]),
                ImportRules.Library("PushModel", owns: "plain values"),
            ])
    }

    private func library(_ name: String, dependencies: [String]) -> ImportCheck {
        ImportCheck(
            layer: .library, target: DeclaredTarget(kind: "shared", name: name, dependencies: dependencies),
            ownModules: ["CNGHTTP2", "HTTP2", "RedisClient", "ServiceKit", "TLSSocket"])
    }
}
