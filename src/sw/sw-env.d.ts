// Background Sync, which the DOM library of TypeScript does not know.
interface SyncEvent extends ExtendableEvent {
  readonly tag: string
  readonly lastChance: boolean
}
interface ServiceWorkerGlobalScopeEventMap {
  sync: SyncEvent
}
interface ServiceWorkerGlobalScope {
  /** The list of files that the build puts in. */
  readonly __WB_MANIFEST: {
    url: string
    revision: string | null
    integrity?: string
    part?: 'staff' | 'orders' | 'trail' | 'users' | 'common'
  }[]
}
declare const __BUILD__: string
