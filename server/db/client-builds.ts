/** Statements on the client builds that nodes serve. All times are those of the database, because the clocks of nodes differ. */
import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import type { PackedFile } from '#server/db/tables/client-build-tables.ts'

/** `digest` identifies the files of the build: two builds of one name have different digests if their files differ. */
export interface ClientBuildKey {
  build: string
  digest: string
}

const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/** Records that a node serves the build now. Returns true if the files of the build are already in the file store. */
export async function recordServedBuild(db: DatabaseHandle, key: ClientBuildKey): Promise<boolean> {
  const row = await db
    .insertInto('client_build')
    .values({ ...key, files: null, seen_time: now })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ seen_time: now }))
    .returning(sql<boolean>`files is not null`.as('is_published'))
    .executeTakeFirstOrThrow()
  return row.is_published
}

/** Records that the files of the build are in the file store. */
export async function recordPublishedBuild(
  db: DatabaseHandle,
  { build, digest }: ClientBuildKey,
  files: readonly PackedFile[],
): Promise<void> {
  const values = { files: JSON.stringify(files), seen_time: now }
  await db
    .insertInto('client_build')
    .values({ build, digest, ...values })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet(values))
    .execute()
}

/** Returns the names of the builds that a node reported in the last `maxSilenceMs`. */
export async function readServedBuilds(db: DatabaseHandle, maxSilenceMs: number): Promise<string[]> {
  const rows = await db
    .selectFrom('client_build')
    .select('build')
    .distinct()
    .where('seen_time', '>', sql<number>`${now} - ${maxSilenceMs}::bigint`)
    .orderBy('build')
    .execute()
  return rows.map(({ build }) => build)
}

/** Returns the published builds except those with a digest in `knownDigests`. */
export async function readPublishedBuilds(
  db: DatabaseHandle,
  knownDigests: readonly string[],
): Promise<(ClientBuildKey & { files: PackedFile[] })[]> {
  const rows = await db
    .selectFrom('client_build')
    .select(['build', 'digest', 'files'])
    .where('files', 'is not', null)
    .where(sql<boolean>`not digest = any(${[...knownDigests]}::text[])`)
    .execute()
  return rows.map(({ build, digest, files }) => ({ build, digest, files: files ?? [] }))
}

/**
 * Locks and returns a build that no node has reported for `maxAgeMs`, unless it is one of the newest `keepCount`. Returns null if there is
 * none. While it is locked, a node that starts with this build waits.
 */
export const lockExpiredBuild = (
  db: DatabaseHandle,
  { maxAgeMs, keepCount }: { maxAgeMs: number; keepCount: number },
): Promise<ClientBuildKey | null> =>
  findRow(
    db
      .selectFrom('client_build')
      .select(['build', 'digest'])
      .where('seen_time', '<', sql<number>`${now} - ${maxAgeMs}::bigint`)
      .where('digest', 'not in', (recent) =>
        recent.selectFrom('client_build').select('digest').orderBy('seen_time', 'desc').limit(keepCount),
      )
      .orderBy('seen_time')
      .limit(1)
      .forUpdate()
      .skipLocked(),
  )

export async function deleteBuild(db: DatabaseHandle, { digest }: ClientBuildKey): Promise<void> {
  await db.deleteFrom('client_build').where('digest', '=', digest).execute()
}
