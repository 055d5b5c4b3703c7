/** Tests the files of the audit trail's archive in both file stores: attempts that failed, and files that are already there (D86). */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AppContext } from '#server/context/context.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { readObject, toBody } from '#server/drivers/file-store/bodies.ts'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { createBucketStore } from '#server/drivers/file-store/s3/store.ts'
import { archiveOldEntries } from '#server/use-cases/audit/archive.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import { startS3 } from '#tests/support/hosting/s3/server.ts'
import { openTestDatabase, testContext } from '#tests/support/server/database.ts'
import { openTestFiles } from '#tests/support/server/files.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'
import { emptyTables } from '#tests/support/server/snapshot.ts'

interface StoreFixture {
  files: FileStore
  close: () => Promise<void>
}

const openers: readonly [string, () => Promise<StoreFixture>][] = [
  [
    'a folder',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'portal-archive-'))
      return { files: openTestFiles({ filesDir: folder }), close: () => rm(folder, { recursive: true, force: true }) }
    },
  ],
  [
    'a bucket',
    async () => {
      const bucket = await startS3()
      const files = createBucketStore(bucket.settings(), { tries: 2 })
      return { files, close: () => Promise.all([files.close(), bucket.close()]).then(() => undefined) }
    },
  ],
]

describe.each(openers)('the archive of the audit trail in %s', (_, open) => {
  let app: AppContext
  let fixture: StoreFixture
  let companyId: number
  beforeAll(async () => {
    fixture = await open()
    app = { ...testContext(await openTestDatabase('embedded')), files: fixture.files }
  })
  beforeEach(async () => {
    await emptyTables(app.database)
    for (const key of await listKeys()) await app.files.remove(key)
    companyId = (await addAdmin(app, 'acme')).companyId
    await writeGeneratedEntries(app, { companyId, count: 300, startAt: Date.now() - 8 * 366 * 86_400_000 })
    await integrate(app)
  })
  afterAll(async () => {
    await app.database.close()
    await fixture.close()
  })
  const listKeys = async () => (await Array.fromAsync(app.files.list('audit-archive/'))).map(({ key }) => key)
  const getName = () => `audit-archive/audit-${companyId}-0-256.ndjson`
  const failAfterWriting = async () => {
    const failRead = () => {
      throw new Error('killed before the file was read back')
    }
    const failingApp = { ...app, files: { ...app.files, get: failRead } }
    await expect(archiveOldEntries(failingApp)).rejects.toThrow('killed')
  }
  const countEntries = () =>
    runInTransaction(app, system, async (db) =>
      Number((await db.selectFrom('audit_entry').select(db.fn.countAll().as('n')).executeTakeFirstOrThrow()).n),
    )

  it('keeps the file of an attempt that failed after writing it, and then deletes the entries', async () => {
    const entryCount = await countEntries()
    await failAfterWriting()
    expect([await listKeys(), await countEntries()]).toEqual([[getName()], entryCount])
    const text = String(await readObject(app.files, getName()))
    // A later checkpoint was signed meanwhile: the second attempt would write another first line.
    await writeGeneratedEntries(app, { companyId, count: 1, startAt: Date.now() })
    await integrate(app)
    expect(await archiveOldEntries(app)).toBe(256)
    expect([await listKeys(), String(await readObject(app.files, getName()))]).toEqual([[getName()], text])
  })

  it.each([
    ['cut', (text: string) => text.slice(0, -100)],
    ['changed', (text: string) => text.replace('"index":7', '"index":8')],
    ['no archive', () => 'x'],
  ])('keeps another file of that name, which is %s, and stores the entries under another name', async (_, change) => {
    await failAfterWriting()
    const otherText = change(String(await readObject(app.files, getName())))
    await app.files.put(getName(), toBody(otherText))
    expect(await archiveOldEntries(app)).toBe(256)
    const keys = await listKeys()
    expect(keys).toHaveLength(2)
    expect(String(await readObject(app.files, getName()))).toBe(otherText)
    const [newKey = ''] = keys.filter((key) => key !== getName())
    expect(newKey).toMatch(/^audit-archive\/audit-\d+-0-256-[0-9a-f]{16}\.ndjson$/)
    expect(String(await readObject(app.files, newKey)).split('\n')).toHaveLength(1 + 256 + 1 + 1)
  })
})
