import APNsSender

await APNsSender.main()
