import TargetingResolver

await TargetingResolver.main()
