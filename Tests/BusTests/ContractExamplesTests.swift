import Bus
import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// Analysts rely on `docs/asyncapi.yaml`: the services' own decoders read its examples and write them again, with
/// identical headers and bytes, and its enumerations list exactly the names in the code.
@Suite struct ContractExamplesTests {
    @Test(.enabled(if: SourceTree.hasExecutable(".venv/bin/python"))) func examplesAreWhatIsWritten() async throws {
        let check = try ChildProcess(
            SourceTree.path(".venv/bin/python"), arguments: [SourceTree.path(".ci/check-contracts"), "examples"])
        try #require(await check.end(within: .hangLimit) == .exited(0), "\(check.lines)")
        #expect(check.lines.count == 9)
        for line in check.lines {
            let example = try JSON(Array(line.utf8))
            let channel = try #require(example["channel"]?.text)
            let members = try #require(example["headers"]?.object).members
            let headers = members.compactMap { member in member.value.text.map { MessageHeader(member.name, $0) } }
            let value = Array(try #require(example["value"]?.text).utf8)
            let written = try message(channel, value: value, headers: headers)
            #expect(written.value == value)
            #expect(Set(written.headers.map(\.line)) == Set(headers.map(\.line)), "\(channel)")
        }
    }

    @Test func wordsAreThoseOfTheCode() throws {
        let document = try #require(SourceTree.text("docs/asyncapi.yaml"))
        let providers = PushProtocol.allCases.map(\.name)
        let states = DeliveryState.allCases.filter(\.isTerminal).map(\.name)
        for (name, words) in [("Provider", providers), ("EndState", states)] {
            #expect(document.contains("    \(name):\n      enum: [\(words.joined(separator: ", "))]\n"))
        }
    }

    /// The example as a service writes it.
    private func message(_ channel: String, value: [UInt8], headers: [MessageHeader]) throws -> OutgoingMessage {
        switch channel {
        case "results": return Topics.results.message(try ResultBatch(decoding: value), key: nil, trace: headers.trace)
        case "reports": return Topics.reports.message(try TaskReport(decoding: value), key: nil, trace: headers.trace)
        case "feedback":
            return Topics.feedback.message(try DeviceFeedback(decoding: value), key: nil, trace: headers.trace)
        case "receipts":
            return Topics.receipts.message(try ReceiptBatch(decoding: value), key: nil, trace: headers.trace)
        case "events":
            return Topics.events.message(try ListenerEvent(decoding: value), key: nil, trace: headers.trace)
        case "tasks": return Topics.tasks.message(try TaskMessage(decoding: value), key: nil, trace: headers.trace)
        default:
            let message = IncomingMessage(
                partition: PartitionID(channel: channel, number: 0), offset: 0, key: nil, value: value,
                headers: headers, timestamp: Timestamp(milliseconds: 0))
            return try #require(DeadLetter(fromDead: message), "\(channel)").outgoing
        }
    }
}

extension MessageHeader {
    fileprivate var line: String { "\(name): \(text)" }
}
