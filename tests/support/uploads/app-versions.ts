/** Adds versions of apps as they were before packages existed: without icon, change log and hash. */
import { insertAppVersion, type NewAppVersion } from '#server/db/catalogue/apps.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import type { TestServer } from '#tests/support/server/server.ts'

/** Adds the versions in this order, one second apart. */
export const addVersions = (server: TestServer, code: string, name: string, ...versions: string[]) =>
  addVersionsWith(server, { code, name }, ...versions)

export const addVersionsWith = (
  { app, clock }: TestServer,
  facts: Pick<NewAppVersion, 'code' | 'name'> & Partial<NewAppVersion>,
  ...versions: string[]
) =>
  runInTransaction(app, { role: 'portal_system' }, async (db) => {
    for (const [index, version] of versions.entries())
      await insertAppVersion(db, {
        provider: 'm18',
        module: 'crm',
        version,
        min_version_required: null,
        release_date: null,
        flags: '[]',
        requires: '[]',
        icon: null,
        markdown: null,
        sha256: null,
        create_time: clock.now + index * 1_000,
        ...facts,
      })
  })
