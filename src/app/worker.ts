/** The service worker as the page sees it. */
/** Registers /saas/sw.js; called once after the first paint. */
export declare function startWorker(): void
/** Hears when a new build waits; it takes over only by `applyUpdate`, which reloads every tab. Returns how to stop. */
export declare function onUpdateReady(hear: () => void): () => void
export declare function applyUpdate(): Promise<void>
