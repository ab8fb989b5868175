import PushModel

/// RFC 8291, section 5 and appendix A.
enum PublishedPush {
    static let plaintext = "When I grow up, I want to be a watermelon"
    static let secret = bytes("BTBZMqHH6r4Tts7J_aSIgg")
    static let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw")
    static let senderKey = bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
    static let senderPoint = bytes(
        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
    static let browserKey = bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")
    static let browserPoint = bytes(
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
    static let agreed = bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")
    static let agreedExtract = bytes("Snr3JMxaHVDXHWJn5wdC52WjpCtd2EIEGBykDcZW32k")
    static let input = bytes("S4lYMb_L0FxCeq0WhDx813KgSYqU26kOyzWUdsXYyrg")
    static let inputExtract = bytes("09_eUZGrsvxChDCGRCdkLiDXrReGOEVeSCdCcPBSJSc")
    static let contentKey = bytes("oIhVW04MRdy2XN9CiKLxTg")
    static let nonce = bytes("4h_95klXJ5E_qnoN")
    static let body = bytes(
        """
        DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3\
        jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN
        """)

    /// The order of the curve: the least number that is no private key.
    static let curveOrder: [UInt8] =
        [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        + [0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51]

    static func keys(point: [UInt8] = browserPoint) -> WebPushKeys? {
        WebPushKeys(publicKey: point, secret: secret)
    }

    private static func bytes(_ text: String) -> [UInt8] { Base64URL.decode(text) ?? [] }
}
