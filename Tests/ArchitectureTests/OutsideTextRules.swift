import Glibc

/// Lists where bytes may become a `String` without `OutsideText`: each entry gives the reason why no outside text gets
/// there, or what bounds it.
enum OutsideTextRules {
    /// Expressions that make a `String` of arbitrary bytes.
    static let conversions = [
        "String(decoding:", "String(validating:", "String(cString:", "String(validatingUTF8:",
        "String(validatingCString:", "String(platformString:", "String.init(decoding:", "String.init(cString:",
        "Substring(decoding:", "Substring(validating:",
    ]

    /// Fixed messages of C libraries.
    static let fixedTexts = [
        "String(cString: strerror(", "String(cString: gai_strerror(", "String(cString: curl_easy_strerror(",
        "String(cString: curl_multi_strerror(", "String(cString: nghttp2_http2_strerror(",
        "String(cString: rd_kafka_err2str(", "String(cString: X509_verify_cert_error_string(",
        "String(cString: csimdjson_error_message(",
    ]

    struct Allowance {
        /// A file, or the common prefix of several paths.
        let path: String
        let reason: String

        init(_ path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    static let allowances = [
        Allowance(
            "Services/Carillon/",
            reason: "the operator's command, over the operator's files and the answers of our services"),
        Allowance(
            "Services/CarillonBench/", reason: "the benchmarks, over the answers of our services and of bare tools"),
        Allowance(
            "Shared/CommandKit/", reason: "the operator's command line and files, and the answers of our services"),
        Allowance(
            "Services/ProviderSimulator/Credentials/SimulatorFolder.swift", reason: "a path that realpath resolved"),
        Allowance("Shared/Apps/FileWriter.swift", reason: "paths that realpath and mkstemp wrote"),
        Allowance("Shared/EmbedFiles/Tool/", reason: "files of this repository, while it is built"),
        Allowance(
            "Shared/HTTP2/", reason: "fields and messages of the peer, bounded by nghttp2 with the header, 64 KiB"),
        Allowance("Shared/HTTPClient/CurlTransfer.swift", reason: "libcurl's message, and the address it connected to"),
        Allowance(
            "Shared/HTTPServer/HTTPHeaders.swift", reason: "fields of a head that RequestHead has checked as a whole"),
        Allowance(
            "Shared/HTTPServer/HTTP1/RequestHead.swift", reason: "a method, already checked to be a token"),
        Allowance("Shared/HTTPServer/RequestTarget.swift", reason: "visible ASCII, already checked"),
        Allowance("Shared/JSONKit/JSON+Text.swift", reason: "values that were checked when they were read"),
        Allowance(
            "Shared/KafkaBus/RDKafka", reason: "librdkafka's messages, and topics that this process requested"),
        Allowance("Shared/PushModel/Base64URL.swift", reason: "letters of its own alphabet"),
        Allowance("Shared/Rendering/FlatData.swift", reason: "paths of names that were checked when they were read"),
        Allowance("Shared/ServiceKit/Text/IPAddress.swift", reason: "an address that inet_ntop wrote"),
        Allowance("Shared/ServiceKit/Text/JSONText.swift", reason: "JSON written by this file, from texts"),
        Allowance("Shared/ServiceKit/Text/OutsideText.swift", reason: "the check itself"),
        Allowance("Shared/ServiceKit/Environment/Redaction.swift", reason: "a line of our own log, from texts"),
        Allowance("Shared/ServiceKit/Time/Timestamp.swift", reason: "digits written by this file"),
        Allowance("Shared/Signing/KeyHandle.swift", reason: "the name of a curve, from OpenSSL"),
        Allowance("Shared/Signing/OpenSSLErrors.swift", reason: "OpenSSL's messages"),
        Allowance("Shared/Signing/PEMText.swift", reason: "a key that OpenSSL wrote"),
        Allowance("Shared/TLSSocket/TLSErrors.swift", reason: "OpenSSL's messages"),
        Allowance(
            "Shared/Topics/Messages/ResultScanner.swift", reason: "printable ASCII, already checked byte by byte"),
    ]

    /// The numbers of the lines in a source that need an allowance, starting at one.
    static func conversions(in source: String) -> [Int] {
        // Few files have any; searching each line for every expression would take seconds.
        guard conversions.contains(where: { strstr(source, $0) != nil }) else { return [] }
        return source.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { place, line in
            var rest = String(line)
            for text in fixedTexts { rest = rest.replacing(text, with: "") }
            let isComment = rest.drop { $0 == " " }.hasPrefix("//")
            return !isComment && conversions.contains(where: { rest.contains($0) }) ? place + 1 : nil
        }
    }
}
