/** Publishes the files of this node's client build, and reports that the node serves it. */
import { setTimeout as wait } from 'node:timers/promises'
import {
  type ClientBuildKey,
  readServedBuilds,
  recordPublishedBuild,
  recordServedBuild,
} from '#server/db/client-builds.ts'
import type { PackedFile } from '#server/db/tables/client-build-tables.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import {
  type BuildFile,
  buildPattern,
  computeDigest,
  getPackKey,
  listBuildFiles,
  readPack,
} from '#server/use-cases/client-builds/build-pack.ts'
import { createSharedRuns } from '#server/use-cases/client-builds/shared-runs.ts'

/** Time in ms between two reports, and the first pause after a failed one. */
const reportMs = 60_000
const retryMs = 1_000
/** Time in ms after which a build that no node reports counts as no longer served. It is longer than the pause after failed reports. */
const maxSilenceMs = 200_000
/** Maximum time in ms for which the start waits for the store, for which a stop waits, and for which a reader waits for the database. */
const startWaitMs = 3_000
const stopWaitMs = 2_000
const readWaitMs = 2_000

export interface BuildPublisher {
  /** True when the files are in the file store, so that other nodes can serve the pages of this build completely. */
  isPublished(): boolean
  /** Returns the names of the builds that nodes serve now. Never rejects: without the database it is the last known list. */
  readServedBuilds(): Promise<string[]>
  /** Resolves when the build is published, or after a few seconds; then it continues in the background. */
  start(): Promise<void>
  stop(): Promise<void>
}

export function createBuildPublisher(
  app: AppContext,
  { build, dist }: { build: string; dist: string },
): BuildPublisher {
  const ownBuilds = buildPattern.test(build) ? [build] : []
  // Without a build (development) there is nothing to publish.
  let isPublished = ownBuilds.length === 0
  let servedBuilds: string[] = ownBuilds
  let reports: Promise<void> | null = null
  const stopping = new AbortController()

  async function readFromDatabase(): Promise<string[]> {
    const names = await readAsSystem(app, (db) => readServedBuilds(db, maxSilenceMs))
    servedBuilds = [...new Set([...names, ...ownBuilds])]
    return servedBuilds
  }
  const readShared = createSharedRuns(readFromDatabase)

  /** Lists the files only once: a later build into the same folder is not the one that this server serves. */
  async function listFiles(): Promise<{ key: ClientBuildKey; files: BuildFile[] }> {
    const files = await listBuildFiles(dist)
    return { key: { build, digest: computeDigest(build, files) }, files }
  }

  async function runReports(onPublished: () => void): Promise<void> {
    let own: Awaited<ReturnType<typeof listFiles>> | null = null
    let isStored = false
    for (let pauseMs = retryMs; !stopping.signal.aborted; pauseMs = Math.min(2 * pauseMs, reportMs)) {
      try {
        const { key, files } = (own ??= await listFiles())
        const wasPublished = await writeAsSystem(app, (db) => recordServedBuild(db, key))
        if (wasPublished) markPublished()
        // The store may have been emptied since.
        if (!wasPublished || !(isStored || (await app.files.stat(getPackKey(key))))) await publish(app, key, files)
        markPublished()
        isStored = true
        pauseMs = reportMs
      } catch (error) {
        if (stopping.signal.aborted) return
        app.log.warn({ event: 'client_build_publish_failed', build, err: error }, 'could not publish the client build')
      }
      await wait(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }

    function markPublished(): void {
      isPublished = true
      onPublished()
    }
  }

  return {
    isPublished: () => isPublished,
    readServedBuilds: () =>
      Promise.race([
        readShared().catch(() => servedBuilds),
        wait(readWaitMs, undefined, { ref: false }).then(() => servedBuilds),
      ]),
    async start() {
      if (ownBuilds.length === 0) return
      const first = new Promise<void>((resolve) => {
        reports = runReports(resolve)
      })
      await Promise.race([first, wait(startWaitMs, undefined, { ref: false })])
    },
    async stop() {
      stopping.abort()
      await Promise.race([reports, wait(stopWaitMs, undefined, { ref: false })])
    },
  }
}

async function publish(app: AppContext, key: ClientBuildKey, files: readonly BuildFile[]): Promise<void> {
  const packed: PackedFile[] = []
  await app.files.put(getPackKey(key), readPack(files, packed), { onlyIfAbsent: true })
  await writeAsSystem(app, (db) => recordPublishedBuild(db, key, packed))
}
