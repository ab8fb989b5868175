package import PushModel
package import Store

extension MemoryRegistry: Registry {
    package func register(
        _ token: PushToken, changes: DeviceChanges, in app: AppID
    ) async throws(StoreError) -> Registration {
        let (tag, now) = (nextTag(), seconds)
        return try await perform(in: app) { state throws(StoreError) in
            let id = try state.reserve(token, tag: tag)
            // A token without a device is an interrupted registration, which this one completes.
            let known = state.device(id)
            let device = (known ?? Device(tag: id.tag, token: token, created: now)).applying(changes, at: now)
            let badge = changes.badge ?? state[id.index].badges[id.index.offset]
            let registered = RegisteredDevice(id: id, device: device, badge: badge)
            return Decision(
                answer: Registration(registered, isNew: known == nil),
                changes: try state.changes(toPut: device, at: id.index, badge: changes.badge, in: app))
        }
    }

    package func device(_ id: DeviceID, in app: AppID) throws(StoreError) -> RegisteredDevice? {
        try read(app) { $0.registered(id) }
    }

    package func change(
        _ id: DeviceID, changes: DeviceChanges, in app: AppID
    ) async throws(StoreError) -> Bool {
        let now = seconds
        return try await perform(in: app) { state throws(StoreError) in
            guard let device = state.device(id)?.applying(changes, at: now) else { return Decision(answer: false) }
            return Decision(
                answer: true, changes: try state.changes(toPut: device, at: id.index, badge: changes.badge, in: app))
        }
    }

    package func remove(_ id: DeviceID, in app: AppID) async throws(StoreError) -> Bool {
        try await perform(in: app) { state in
            guard state.device(id) != nil else { return Decision(answer: false) }
            return Decision(answer: true, changes: state.changes(toRemove: id.index, in: app))
        }
    }

    package func devices(of alias: Alias, in app: AppID) throws(StoreError) -> [DeviceID] {
        try read(app) { state in
            state.indices(of: alias.kind, alias.value).sorted().compactMap { index in
                state[index].devices[index.offset].map { DeviceID(index: index, tag: $0.tag) }
            }
        }
    }

    package func device(of token: PushToken, in app: AppID) throws(StoreError) -> DeviceID? {
        try read(app) { state in
            state.id(of: token).flatMap { state.device($0) == nil ? nil : $0 }
        }
    }

    package func deviceCount(in app: AppID) throws(StoreError) -> Int {
        try read(app) { state in state.segments.values.reduce(0) { $0 + $1.devices.count } }
    }

    package func countFailure(
        of id: DeviceID, by task: TaskID, limit: Int, in app: AppID
    ) async throws(StoreError) -> FailureVerdict {
        try await perform(in: app) { state in
            guard state.device(id) != nil else { return Decision(answer: .unknownDevice) }
            let count = state[id.index].failures[id.index.offset, default: MemoryFailures()].count(task)
            guard count >= limit else { return Decision(answer: .counted(count)) }
            return Decision(answer: .removed, changes: state.changes(toRemove: id.index, in: app))
        }
    }

    package func forgetFailures(of ids: [DeviceID], in app: AppID) throws(StoreError) {
        try write(app) { state in
            for id in ids { state[id.index].failures[id.index.offset] = nil }
        }
    }
}

extension MemoryRegistryApp {
    fileprivate func changes(toRemove index: DeviceIndex, in app: AppID) -> [RegistryChange] {
        let topics = self[index].subscriptions[index.offset, default: [:]].keys.sorted()
        let endings = topics.map { RegistryChange.Content.subscription($0, nil) } + [.badge(nil), .device(nil)]
        return endings.map { RegistryChange(app: app, index: index, $0) }
    }

    /// The changes that replace the device's record. The device is in use, so its failures are reset.
    fileprivate mutating func changes(
        toPut device: Device, at index: DeviceIndex, badge: UInt32?, in app: AppID
    ) throws(StoreError) -> [RegistryChange] {
        for (kind, value) in device.aliases {
            let others = indices(of: kind, value).subtracting([index])
            guard others.count < RegistryBounds.devicesOfAliasMaximum else {
                throw StoreError(
                    .tooMany,
                    message: "\(kind) already has \(RegistryBounds.devicesOfAliasMaximum) devices, the maximum"
                )
            }
        }
        self[index].failures[index.offset] = nil
        var changes = [RegistryChange(app: app, index: index, .device(device))]
        if let badge { changes.append(RegistryChange(app: app, index: index, .badge(badge))) }
        return changes
    }
}
