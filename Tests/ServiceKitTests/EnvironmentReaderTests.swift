import ServiceKit
import TestSupport
import Testing

@Suite struct EnvironmentReaderTests {
    @Test func listsEveryVariableWithItsDefault() {
        var reader = EnvironmentReader([:])
        _ = reader.text("BUS", default: "memory://", meaning: "Where the bus is.")
        _ = reader.duration("LIMIT", default: .seconds(90), in: .zero ... .seconds(100), meaning: "How long.")
        _ = reader.bytes("ROOM", default: 1 << 20, in: 0...(1 << 30), meaning: "How much.")
        _ = reader.integer("COUNT", default: 3, in: 1...9, meaning: "How many.")
        _ = reader.secret("KEY", meaning: "Which.")
        #expect(reader.variables.map(\.name) == ["BUS", "LIMIT", "ROOM", "COUNT", "KEY"])
        #expect(reader.variables.map(\.defaultText) == ["memory://", "90s", "1MiB", "3", ""])
        #expect(reader.variables.last?.meaning.contains("KEY_FILE") == true)
    }

    @Test func takesWhatIsGiven() throws {
        var reader = EnvironmentReader([
            "BUS": "kafka://b:9092", "LIMIT": "5m", "ROOM": "2KiB", "COUNT": "9", "EMPTY": "",
            "NUMBER": "",
        ])
        #expect(reader.text("BUS", default: "memory://", meaning: "") == "kafka://b:9092")
        #expect(reader.duration("LIMIT", default: .zero, in: .zero ... .seconds(300), meaning: "") == .seconds(300))
        #expect(reader.bytes("ROOM", default: 0, in: 0...4_096, meaning: "") == 2_048)
        #expect(reader.integer("COUNT", default: 3, in: 1...9, meaning: "") == 9)
        #expect(reader.optionalText("EMPTY", meaning: "") == nil)
        #expect(reader.integer("NUMBER", default: 3, in: 1...9, meaning: "") == 3)
        try reader.finish()
    }

    @Test func namesEveryWrongVariableWithItsFix() throws {
        var reader = EnvironmentReader(["LIMIT": "soon", "ROOM": "3KiB", "COUNT": "10", "FINE": "1s"])
        #expect(reader.duration("LIMIT", default: .seconds(1), in: .zero ... .seconds(9), meaning: "") == .seconds(1))
        _ = reader.bytes("ROOM", default: 0, in: 0...2_048, meaning: "")
        _ = reader.integer("COUNT", default: 3, in: 1...9, meaning: "")
        _ = reader.duration("FINE", default: .zero, in: .zero ... .seconds(9), meaning: "")
        reader.reject("BUS", problem: "needs TLS", fix: "set CERTIFICATE")
        let error = try #require(throws: ConfigurationError.self) { try reader.finish() }
        #expect(error.problems.map(\.variable) == ["LIMIT", "ROOM", "COUNT", "BUS"])
        #expect(error.problems.allSatisfy { !$0.fix.isEmpty })
        #expect(error.description.contains("COUNT: \"10\" is not an integer from 1 to 9; set it to"))
        #expect(error.description.split(separator: "\n").count == 4)
    }

    @Test func aWrongAddressDoesNotShowItsPassword() {
        var reader = EnvironmentReader([:])
        reader.reject("BUS", problem: "\"redis://u:pw@h\" is wrong", fix: "correct it")
        let error = #expect(throws: ConfigurationError.self) { try reader.finish() }
        #expect(error?.description.contains("pw") == false)
    }

    @Test func readsSecretsFromValuesAndFiles() throws {
        let directory = TemporaryDirectory("secrets")
        var reader = EnvironmentReader([
            "PLAIN": "s3cret", "EMPTY": "", "KEY_FILE": directory.write("key", content: "from file\n\n"),
        ])
        #expect(reader.secret("PLAIN", meaning: "")?.reveal() == "s3cret")
        #expect(reader.secret("EMPTY", meaning: "") == nil)
        #expect(reader.secret("UNSET", meaning: "") == nil)
        #expect(reader.secret("KEY", meaning: "")?.reveal() == "from file")
        try reader.finish()
    }

    @Test func refusesSecretsThatCannotBeMeant() {
        let directory = TemporaryDirectory("secrets")
        var reader = EnvironmentReader([
            "GONE_FILE": directory.file("gone"), "EMPTY_FILE": directory.write("empty", content: "\n"),
            "BOTH": "a", "BOTH_FILE": directory.write("both", content: "b"),
        ])
        for name in ["GONE", "EMPTY", "BOTH"] { #expect(reader.secret(name, meaning: "") == nil) }
        #expect(reader.problems.map(\.variable) == ["GONE_FILE", "EMPTY_FILE", "BOTH"])
    }

    @Test func readsTheEnvironmentOfTheProcess() {
        #expect(EnvironmentReader.processEnvironment()["PATH"]?.isEmpty == false)
    }

    @Test func aSecretNeverPrintsItself() {
        struct Holder {
            let secret = Secret("s3cret")
        }
        var dumped = ""
        dump(Holder(), to: &dumped)
        for text in [
            "\(Holder())", String(reflecting: Holder()), dumped, "\(Secret("s3cret"))", "\([Secret("s3cret")])",
        ] {
            #expect(!text.contains("s3cret"))
        }
    }

    @Test func hostsAndFilesAreChecked() {
        let directory = TemporaryDirectory("files")
        var reader = EnvironmentReader([
            "NAME": "api.push.apple.com", "ADDRESS": "::1", "URL": "https://a", "PORT": "a:443",
            "FILE": directory.write("file", content: ""), "NONE": directory.file("none"),
        ])
        #expect(reader.host("NAME", default: "d", meaning: "") == "api.push.apple.com")
        #expect(reader.host("ADDRESS", default: "d", meaning: "") == "::1")
        for name in ["URL", "PORT"] { #expect(reader.host(name, default: "d", meaning: "") == "d") }
        #expect(reader.file("FILE", meaning: "") == directory.file("file"))
        #expect(reader.file("UNSET", meaning: "") == nil)
        _ = reader.file("NONE", meaning: "")
        #expect(reader.problems.map(\.variable) == ["URL", "PORT", "NONE"])
    }

    /// Goal: unknown variables, and no others, are reported. Method: names of this reader's family, of another family,
    /// of none, and names that an orchestrator adds.
    @Test func strangersAreNamedWithWhatWasMeant() {
        var reader = EnvironmentReader([
            "CARILLON_REDIS_CONECTIONS": "2", "CARILLON_REDIS_PASSWORD_FILE": "", "CARILLON_LOUDNESS": "11",
            "CARILLON_APNS_PROT": "443", "CARILLON_REDIS_PORT": "tcp://10.0.0.1:6379",
            "CARILLON_REDIS_SERVICE_HOST": "10.0.0.1", "CARILLON_REDIS": "redis://a", "PATH": "/bin",
        ])
        _ = reader.text("CARILLON_REDIS", default: "", meaning: "")
        _ = reader.integer("CARILLON_REDIS_CONNECTIONS", default: 2, in: 1...9, meaning: "")
        _ = reader.secret("CARILLON_REDIS_PASSWORD", meaning: "")
        #expect(
            reader.unknownVariables == [
                "unknown variable CARILLON_LOUDNESS; see --help for the known variables",
                "unknown variable CARILLON_REDIS_CONECTIONS; did you mean CARILLON_REDIS_CONNECTIONS?",
            ])
    }
}
