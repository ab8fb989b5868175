import ServiceKit
import Testing

/// Runs the targets on the stored inputs: seeds with deep coverage, and inputs that failed in the past.
@Suite struct CorpusTests {
    @Test(arguments: FuzzTarget.allCases) func everyPropertyHolds(_ target: FuzzTarget) throws {
        let inputs = Corpus.inputs(of: target)
        try #require(!inputs.isEmpty, "Tests/Fuzz/Corpus/\(target.rawValue) holds no input")
        for (name, bytes) in inputs {
            #expect(throws: Never.self, "\(target.rawValue)/\(name)") { try target.run(bytes) }
        }
    }

    /// Each seed truncated, with one byte changed, and with a part duplicated: the first mutations of a fuzzer.
    @Test(arguments: FuzzTarget.allCases) func everyPropertyHoldsNearby(_ target: FuzzTarget) throws {
        for (name, bytes) in Corpus.inputs(of: target) {
            for variant in Corpus.variants(of: bytes) {
                #expect(throws: Never.self, "\(target.rawValue)/\(name), changed: \(variant)") {
                    try target.run(variant)
                }
            }
        }
    }

    @Test func everyTargetIsDocumented() throws {
        let page = try #require(SmallFile.read(Corpus.page, bytesMaximum: 1 << 20))
        let text = String(decoding: page, as: UTF8.self)
        for target in FuzzTarget.allCases { #expect(text.contains("\n| `\(target.rawValue)` |")) }
    }

    @Test func everyFolderIsATarget() {
        let known = Set(FuzzTarget.allCases.map(\.rawValue))
        let strays = Corpus.entries(of: Corpus.folder).filter { !known.contains($0) }
        #expect(strays == [])
    }
}
