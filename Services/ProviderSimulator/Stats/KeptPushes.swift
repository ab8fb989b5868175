/// The newest pushes up to a number, fewer when they are large.
struct KeptPushes {
    /// A push to a thousand devices of Huawei takes some 150 KiB.
    static let bodyBytesMaximum = 32 << 20

    private var slots: [KeptPush?]
    private var next = 0
    private var count = 0
    private var bodyBytes = 0

    init(countMaximum: Int) {
        slots = Array(repeating: nil, count: countMaximum)
    }

    mutating func append(_ push: KeptPush) {
        guard !slots.isEmpty else { return }
        if count == slots.count { forgetOldest() }
        slots[next] = push
        next = (next + 1) % slots.count
        count += 1
        bodyBytes += push.body.count
        while bodyBytes > KeptPushes.bodyBytesMaximum { forgetOldest() }
    }

    /// Newest first.
    func last(_ wanted: Int) -> [KeptPush] {
        (0..<min(wanted, count)).compactMap { slots[place($0 + 1)] }
    }

    private mutating func forgetOldest() {
        bodyBytes -= slots[place(count)].take()?.body.count ?? 0
        count -= 1
    }

    /// Slot of the push that came `distance` pushes before the next one.
    private func place(_ distance: Int) -> Int {
        (next - distance + slots.count) % slots.count
    }
}
