/** Deletes client builds that no node has served for a long time. Pages that are still open then load the current build. */
import { deleteBuild, lockExpiredBuild } from '#server/db/client-builds.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { getPackKey } from '#server/use-cases/client-builds/build-pack.ts'

const limits = { maxAgeMs: 30 * 86_400_000, keepCount: 3 }

export async function deleteOldClientBuilds(app: AppContext, isStopping: () => boolean): Promise<void> {
  while (!isStopping()) {
    const deletedKey = await writeAsSystem(app, async (db) => {
      const key = await lockExpiredBuild(db, limits)
      if (!key) return null
      // Removed while the row is locked: a node that starts with this build waits, and then stores the files again.
      await app.files.remove(getPackKey(key))
      await deleteBuild(db, key)
      return key
    })
    if (!deletedKey) return
    app.log.info(
      { event: 'client_build_deleted', build: deletedKey.build },
      'deleted a client build that is not served',
    )
  }
}
