/** Tests how the integrator uses the checkpoint store outside the database, also while the store is unreachable. */
import { mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AppContext } from '#server/context/context.ts'
import { readLatestCheckpoint } from '#server/db/audit/audit-log.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { createFileStore } from '#server/drivers/checkpoint-store/file-store.ts'
import { createS3Store } from '#server/drivers/checkpoint-store/s3-store.ts'
import { checkCompleteLogs } from '#server/use-cases/audit/check-complete-logs.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { getLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { readStoredNotes, writeStoredNotes } from '#server/use-cases/audit/stored-notes.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import { onBothEngines } from '#tests/support/server/database.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'
import { startS3 } from '#tests/support/hosting/s3/server.ts'

onBothEngines('the store of checkpoints', (fixture) => {
  let folder: string
  let path: string
  let app: AppContext
  let companyId: number
  let logLines: string[]
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portal-notes-'))
    path = join(folder, 'store.json')
    logLines = []
    app = {
      ...fixture,
      log: pino({}, { write: (line: string) => void logLines.push(line) }),
      checkpointStore: createFileStore(path),
    }
    companyId = (await addAdmin(app, 'acme')).companyId
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const readLatestNote = async () =>
    (await runInTransaction(app, system, (db) => readLatestCheckpoint(db, companyId)))?.note
  const readStoredNote = async () =>
    (JSON.parse(await readFile(path, 'utf8')) as { logs: Record<string, string> }).logs[companyId]
  async function write(count: number): Promise<number> {
    await writeGeneratedEntries(app, { companyId, count, startAt: app.clock() })
    return integrate(app)
  }

  it('has the latest checkpoint after each batch, and raises no alarm when it is behind (fault 13d)', async () => {
    await write(3)
    expect(await readStoredNote()).toBe(await readLatestNote())
    const fileBefore = await readFile(path, 'utf8')
    await write(2)
    expect(await readStoredNote()).toBe(await readLatestNote())
    // Simulates a kill between the commit and the write to the store.
    await writeFile(path, fileBefore)
    expect(await write(1)).toBe(1)
    expect([await readStoredNote(), getLogAlarm(app, companyId)]).toEqual([await readLatestNote(), null])
  })

  it('does not block writes while it is unreadable, and catches up later (fault 13d)', async () => {
    await mkdir(path)
    expect(await write(3)).toBe(0)
    expect(await readLatestNote()).toBeUndefined()
    expect(logLines.join('')).toContain('checkpoint_store_unreadable')
    await rmdir(path)
    expect(await integrate(app)).toBe(3)
    expect(await readStoredNote()).toBe(await readLatestNote())
  })

  it('is replaced by the notes in memory if it is lost while the server runs (fault 13d)', async () => {
    await write(3)
    await rm(path)
    await mkdir(path)
    expect(await write(2)).toBe(2)
    expect(logLines.join('')).toContain('checkpoint_store_unwritable')
    await rmdir(path)
    await checkCompleteLogs(app)
    expect(await readStoredNote()).toBe(await readLatestNote())
  })

  it('is not overwritten if it contains something else (fault 13d)', async () => {
    await writeFile(path, '{"hello": "world"}')
    expect(await write(3)).toBe(0)
    expect(await readFile(path, 'utf8')).toBe('{"hello": "world"}')
  })

  it('is never overwritten with older notes by a late server (fault 13d)', async () => {
    await write(3)
    const outdatedNotes = new Map([[companyId, (await readLatestNote()) ?? '']])
    await write(3)
    const noteBefore = await readLatestNote()
    const otherApps = Array.from({ length: 4 }, () => ({ ...app, checkpointStore: createFileStore(path) }))
    await Promise.all(otherApps.map((otherApp) => writeStoredNotes(otherApp, outdatedNotes)))
    expect(await readStoredNote()).toBe(noteBefore)
  })

  it('can be an object in a bucket that several servers write (fault 13d)', async () => {
    const bucket = await startS3()
    const servers = Array.from({ length: 3 }, () => ({
      ...app,
      checkpointStore: createS3Store(bucket.settings(), 'checkpoints.json'),
    }))
    for (let round = 0; round < 3; round++) {
      await writeGeneratedEntries(app, { companyId, count: 5, startAt: app.clock() })
      await Promise.all(servers.map((server) => integrate(server)))
      const [first = app] = servers
      expect((await readStoredNotes(first))?.get(companyId)).toBe(await readLatestNote())
    }
    await Promise.all(servers.map(({ checkpointStore }) => checkpointStore.close()))
    await bucket.close()
  })
})
