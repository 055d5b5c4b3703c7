/** Tests that the device detects a rewritten or cut log and names the position, and that it rejects streams with false content. */
import { describe, expect, it } from 'vitest'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import { type AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { readProofFile, verifyProofFile } from '#domain/audit-log/proof-file.ts'
import type { StoredTrailRecord } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { flipBit } from '#tests/domain/audit-log/test-log.ts'
import {
  type RequestInterceptor,
  entryCount,
  fillTrail,
  createStoredTrailActions,
  requestStoredTrail,
  signInIntercepted,
} from '#tests/support/audit-trail/stored-trail.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { startStoredTrail } from '#request/audit-trail/store-trail.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import {
  withInterceptor,
  readCheckpoint,
  companyId,
  openUserDatabase,
  listEntries,
  forgeLog,
  installation,
  signInWithStoredTrail,
  toVerifierKey,
  readLeaves,
  month,
  setUpLog,
} from '#tests/support/audit-trail/watched-log.ts'

setUpLog()

const fill = (tablet: Tablet) => createStoredTrailActions(tablet).fill(companyId)
const fillThrough = (tablet: Tablet, intercept: RequestInterceptor) =>
  withInterceptor(tablet, intercept, () => fill(tablet))
const proveAll = (tablet: Tablet) => createStoredTrailActions(tablet).proveAll(companyId)

describe('the check of a log against the stored checkpoint', () => {
  it('raises an alarm that names a rewritten entry, and keeps the old checkpoint', async () => {
    const { tablet } = await signInWithStoredTrail()
    const previousCheckpoint = await readCheckpoint(tablet)
    const leaves = await readLeaves()
    const rewrittenLeaves = leaves.with(300, leaves[300]?.replace('Person', 'Nobody') ?? '')
    const forgedLog = forgeLog([...rewrittenLeaves, ...leaves.slice(0, 5)])
    const result = await fillThrough(tablet, forgedLog.intercept)
    expect(result).toMatchObject({ kind: 'alarm', alarm: { fault: 'OLD_ROOT_DIFFERS', from: 300, to: 301 } })
    expect(await readCheckpoint(tablet)).toMatchObject({
      note: previousCheckpoint?.note,
      size: previousCheckpoint?.size,
      alarm: { from: 300, to: 301, note: forgedLog.note },
    })
    await fillTrail(installation, companyId, 3, { startAt: installation.clock.now() })
    expect(await fill(tablet)).toMatchObject({ kind: 'alarm', alarm: { from: 300 } })
    // The alarm is raised again when an entry is proven, and stays after the genuine log is back.
    const [entry] = await listEntries(tablet)
    expect(await createStoredTrailActions(tablet).prove(companyId, entry as AuditEntryRow)).toMatchObject({
      kind: 'alarm',
      alarm: { from: 300 },
    })
  })

  nightly('raises an alarm if entries were swapped, in a full tile and in the last tile', async () => {
    for (const [from, to] of [
      [10, 11],
      [598, 599],
    ] as const) {
      const { tablet } = await signInWithStoredTrail()
      const leaves = await readLeaves()
      const swappedLeaves = leaves.with(from, leaves[to] ?? '').with(to, leaves[from] ?? '')
      const result = await fillThrough(tablet, forgeLog([...swappedLeaves, ...leaves.slice(0, 5)]).intercept)
      expect(result).toMatchObject({ kind: 'alarm', alarm: { from } })
    }
  })

  it('raises an alarm that names the missing entries if the end of the log was cut off', async () => {
    const { tablet } = await signInWithStoredTrail()
    const { size = 0 } = (await readCheckpoint(tablet)) ?? {}
    const result = await fillThrough(tablet, forgeLog((await readLeaves()).slice(0, 590)).intercept)
    expect(result).toMatchObject({ kind: 'alarm', alarm: { fault: 'LOG_SHRANK', from: 590, to: size } })
  })

  nightly('raises an alarm if the end of the log was cut off and replaced', async () => {
    const { tablet } = await signInWithStoredTrail()
    const leaves = await readLeaves()
    const forgedLog = forgeLog([...leaves.slice(0, 590), ...leaves.slice(0, 100)])
    const result = await fillThrough(tablet, forgedLog.intercept)
    expect(result).toMatchObject({ kind: 'alarm', alarm: { fault: 'OLD_ROOT_DIFFERS', from: 590, to: 591 } })
  })

  it('raises an alarm for another key, another log name or an invalid checkpoint', async () => {
    const [otherSeed, thirdSeed] = [new Uint8Array(32).fill(9), new Uint8Array(32).fill(10)]
    const leaves = await readLeaves()
    for (const [intercept, fault] of [
      [forgeLog(leaves, { seed: otherSeed }).intercept, 'NOT_SIGNED_BY_KEY'],
      [forgeLog(leaves, { seed: otherSeed, nextKey: toVerifierKey(otherSeed) }).intercept, 'NOT_SIGNED_BY_KEY'],
      // Anybody can add a signature of their own to a genuine note.
      [forgeLog(leaves, { otherSeed }).intercept, 'NOT_SIGNED_BY_KEY'],
      [forgeLog(leaves, { otherSeed, nextKey: toVerifierKey(thirdSeed) }).intercept, 'NOT_SIGNED_BY_KEY'],
      [
        forgeLog(leaves, { seed: otherSeed, otherSeed: thirdSeed, nextKey: toVerifierKey(thirdSeed) }).intercept,
        'NOT_SIGNED_BY_KEY',
      ],
      [forgeLog(leaves, { origin: 'portal-audit/another/1' }).intercept, 'NOT_SIGNED_BY_KEY'],
      [interceptCheckpoint({ note: 'hello', key: 'k', pending: 0 }), 'BAD_KEY'],
      [interceptCheckpoint({ note: null, key: 'k', pending: 0 }), 'LOG_SHRANK'],
    ] as const) {
      const { tablet } = await signInWithStoredTrail()
      expect(await fillThrough(tablet, intercept), fault).toMatchObject({ kind: 'alarm', alarm: { fault } })
    }
  })

  it('accepts a new key that the stored key named, and then accepts only the new key', async () => {
    const { tablet } = await signInWithStoredTrail()
    const nextSeed = new Uint8Array(32).fill(9)
    const nextKey = toVerifierKey(nextSeed)
    const leaves = await readLeaves()
    const { key: oldKey = '' } = (await readCheckpoint(tablet)) ?? {}
    const handoverLog = forgeLog(leaves, { otherSeed: nextSeed, nextKey })
    expect(await fillThrough(tablet, handoverLog.intercept)).toEqual({ kind: 'done' })
    expect(await readCheckpoint(tablet)).toMatchObject({ key: nextKey, alarm: null })
    expect(oldKey).not.toBe(nextKey)
    expect(await proveAll(tablet)).toMatchObject({ kind: 'proven' })
    // The old key is no longer accepted.
    expect(await fill(tablet)).toMatchObject({ kind: 'alarm', alarm: { fault: 'NOT_SIGNED_BY_KEY' } })
    await createStoredTrailActions(tablet).accept(companyId)
    await fillThrough(tablet, handoverLog.intercept)
    const nextKeyLog = forgeLog(leaves, { seed: nextSeed })
    expect(await fillThrough(tablet, nextKeyLog.intercept)).toEqual({ kind: 'done' })
    expect(await readCheckpoint(tablet)).toMatchObject({ key: nextKey, alarm: null })
  })

  nightly('accepts several key changes since the last check if each key was named by the previous key', async () => {
    const [secondSeed, thirdSeed, eveSeed] = [9, 10, 11].map((byte) => new Uint8Array(32).fill(byte)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    const leaves = await readLeaves()
    const firstHandover = forgeLog(leaves.slice(0, 300), {
      otherSeed: secondSeed,
      nextKey: toVerifierKey(secondSeed),
    }).note
    const secondHandover = forgeLog(leaves.slice(0, 400), {
      seed: secondSeed,
      otherSeed: thirdSeed,
      nextKey: toVerifierKey(thirdSeed),
    }).note
    const eveHandover = forgeLog(leaves.slice(0, 400), {
      seed: eveSeed,
      otherSeed: thirdSeed,
      nextKey: toVerifierKey(thirdSeed),
    }).note
    const forgeCurrentLog = (handovers: readonly string[], seed = thirdSeed) => forgeLog(leaves, { seed, handovers })
    const { tablet } = await signInWithStoredTrail()
    expect(await fillThrough(tablet, forgeCurrentLog([firstHandover, secondHandover]).intercept)).toEqual({
      kind: 'done',
    })
    expect(await readCheckpoint(tablet)).toMatchObject({ key: toVerifierKey(thirdSeed), alarm: null })
    for (const forgedLog of [
      forgeCurrentLog([]),
      forgeCurrentLog([firstHandover]),
      forgeCurrentLog([secondHandover]),
      forgeCurrentLog([secondHandover, firstHandover]),
      forgeCurrentLog([eveHandover]),
      forgeCurrentLog([firstHandover, eveHandover]),
      forgeCurrentLog([firstHandover, 'hello']),
      forgeCurrentLog([firstHandover, secondHandover], eveSeed),
      // This is the latest note of a key that was named before, but the note names no next key.
      forgeCurrentLog([firstHandover, forgeLog(leaves, { seed: secondSeed }).note]),
    ]) {
      const { tablet: otherTablet } = await signInWithStoredTrail()
      expect(await fillThrough(otherTablet, forgedLog.intercept)).toMatchObject({ kind: 'alarm' })
    }
  })

  nightly('accepts the current log once its user has acknowledged the alarm', async () => {
    const { tablet } = await signInWithStoredTrail()
    const leaves = await readLeaves()
    const forgedLog = forgeLog(leaves.slice(0, 590)).intercept
    await fillThrough(tablet, forgedLog)
    await createStoredTrailActions(tablet).accept(companyId)
    expect(await fill(tablet)).toEqual({ kind: 'done' })
    expect(await readCheckpoint(tablet)).toMatchObject({ alarm: null })
  })

  nightly('raises no alarm if the log only grew', async () => {
    const { tablet } = await signInWithStoredTrail()
    for (const addedCount of [1, 40, 300]) {
      await fillTrail(installation, companyId, addedCount, { startAt: installation.clock.now() })
      expect(await fill(tablet)).toEqual({ kind: 'done' })
      expect((await readCheckpoint(tablet))?.alarm).toBeNull()
    }
    const [entry] = await listEntries(tablet)
    expect(await createStoredTrailActions(tablet).prove(companyId, entry as AuditEntryRow)).toMatchObject({
      kind: 'proven',
    })
  })
})

const interceptCheckpoint =
  (body: unknown): RequestInterceptor =>
  async ({ path }, forward) => {
    const response = await forward()
    return path.includes('/checkpoint') ? { ...response, body: JSON.stringify(body) } : response
  }

describe('a faulty stream of entries', () => {
  const interceptExport =
    (change: (body: string) => string): RequestInterceptor =>
    async ({ path }, forward) => {
      const response = await forward()
      return path.includes('/export') ? { ...response, body: change(response.body) } : response
    }
  const interceptLines = (change: (all: string[]) => string[]) =>
    interceptExport((body) => change(body.split('\n')).join('\n'))

  it.each([
    ['a line that is not JSON', interceptLines((all) => all.with(5, 'hello')), 'STREAM_BAD'],
    ['a missing line', interceptLines((all) => all.toSpliced(5, 1)), 'STREAM_BAD'],
    ['an end that is cut off', interceptLines((all) => all.slice(0, 5)), 'STREAM_CUT'],
    [
      "another company's entry",
      interceptExport((body) => body.replace(/\\"company\\":\d+/, '\\"company\\":999')),
      'OTHER_LOG',
    ],
    ['an HTML page of a hotel Wi-Fi', interceptExport(() => '<!doctype html>'), 'STREAM_CUT'],
    ['an invalid hash', interceptLines((all) => all.with(5, '{"index":4,"hash":"AAAA"}')), 'BAD_HASH'],
  ])('is not stored at all, and the next download is complete: %s', async (_description, intercept, fault) => {
    const interceptedTablet = await signInIntercepted(installation, 'admin@alpha')
    const { tablet } = interceptedTablet
    const storedTrailStart = await requestStoredTrail(tablet, month)
    await startStoredTrail(tablet.ports, { ...month, today: '2026-03-02' }, storedTrailStart)
    interceptedTablet.intercept = intercept
    expect(await fill(tablet)).toEqual({ kind: 'refused', fault })
    expect(await (await openUserDatabase(tablet)).storedTiles.count()).toBe(0)
    interceptedTablet.intercept = null
    expect(await fill(tablet)).toEqual({ kind: 'done' })
    expect(await proveAll(tablet)).toMatchObject({ kind: 'proven', entries: entryCount })
  })

  it('is reported with the index of a changed entry or a wrong hash', async () => {
    for (const [intercept, entryIndex] of [
      [interceptExport((body) => body.replace('Person 123', 'Person 124')), 123],
      [interceptLines((all) => all.with(401, JSON.stringify({ index: 400, hash: toBase64(hashLeaf('x')) }))), 400],
    ] as const) {
      const interceptedTablet = await signInIntercepted(installation, 'admin@alpha')
      const { tablet } = interceptedTablet
      const storedTrailStart = await requestStoredTrail(tablet, month)
      await startStoredTrail(tablet.ports, { ...month, today: '2026-03-02' }, storedTrailStart)
      interceptedTablet.intercept = intercept
      expect(await fill(tablet)).toMatchObject({
        kind: 'alarm',
        alarm: { fault: 'ENTRY_DIFFERS', from: entryIndex, to: entryIndex + 1 },
      })
    }
  })
})

describe('the proof of one entry', () => {
  it('works with and without a connection, and its file can be checked without the portal', async () => {
    const { tablet } = await signInWithStoredTrail()
    const [entry] = await listEntries(tablet)
    for (const state of ['up', 'down'] as const) {
      tablet.connection.state = state
      const proof = await createStoredTrailActions(tablet).prove(companyId, entry as AuditEntryRow)
      expect(proof).toMatchObject({ kind: 'proven' })
      if (proof.kind !== 'proven') continue
      const file = readProofFile(proof.file)
      expect(verifyProofFile(file, file.key)).toMatchObject({
        kind: 'proven',
        index: entry?.log_index,
        leaf: { id: entry?.id },
      })
    }
  })

  it('requires a connection or a stored trail', async () => {
    const tablet = await installation.signInTablet('admin@alpha')
    const [entry] = await listEntries(tablet)
    expect(await createStoredTrailActions(tablet).prove(companyId, entry as AuditEntryRow)).toMatchObject({
      kind: 'proven',
      size: entryCount,
    })
    tablet.connection.state = 'down'
    expect(await createStoredTrailActions(tablet).prove(companyId, entry as AuditEntryRow)).toEqual({
      kind: 'unchecked',
    })
  })

  it('waits until the entry has an index in the log', async () => {
    const tablet = await installation.signInTablet('admin@alpha')
    const [entry] = await listEntries(tablet)
    expect(
      await createStoredTrailActions(tablet).prove(companyId, { ...(entry as AuditEntryRow), log_index: null }),
    ).toEqual({
      kind: 'recording',
    })
  })

  it('returns an alarm if the row differs from its log leaf, or if the leaf was changed', async () => {
    const { tablet } = await signInWithStoredTrail()
    const entry = (await listEntries(tablet))[0] as AuditEntryRow
    const prove = (fields: Partial<AuditEntryRow>) =>
      createStoredTrailActions(tablet).prove(companyId, { ...entry, ...fields })
    const { log_index: entryIndex } = entry
    for (const fields of [
      { info: { UserName: 'Somebody else' } },
      { operation: 'delete' },
      { status: entry.status === 0 ? (-1 as const) : (0 as const) },
      { exec_user_name: 'Eve' },
      { by_provider: true },
      { changes: [{ field: 'a', before: 1, after: 2 }] },
      { leaf: '{"v":1}' },
      { leaf: 'hello' },
    ])
      expect(await prove(fields), JSON.stringify(fields)).toMatchObject({
        kind: 'alarm',
        alarm: { fault: 'ROW_DIFFERS', from: entryIndex },
      })
    const leaf = entry.leaf.replace('"status":0', '"status":-1').replace('"status":-1,', '"status":-1,')
    const saltedLeaf = entry.leaf.replace(/"salt":"../, '"salt":"00')
    for (const otherLeaf of [saltedLeaf, leaf].filter((candidateLeaf) => candidateLeaf !== entry.leaf))
      expect((await prove({ leaf: otherLeaf })).kind).toBe('alarm')
    expect(await prove({ log_index: 3 })).toMatchObject({ kind: 'alarm', alarm: { fault: 'ENTRY_DIFFERS', from: 3 } })
  })
})

const changeTile = (db: UserDatabase, key: [number, number, number], change: (record: StoredTrailRecord) => void) =>
  db.storedTiles.where('[companyId+level+index]').equals(key).modify(change)

describe('the proof of all stored entries', () => {
  it('works without a connection, and names an entry that was changed on the device', async () => {
    const { tablet } = await signInWithStoredTrail()
    const db = await openUserDatabase(tablet)
    tablet.connection.state = 'down'
    expect(await proveAll(tablet)).toMatchObject({ kind: 'proven', entries: entryCount })
    await changeTile(db, [companyId, -1, 9], (record) => {
      if ('leaves' in record) record.leaves[12] = record.leaves[12]?.replace('Person', 'Nobody') ?? ''
    })
    expect(await proveAll(tablet)).toMatchObject({ kind: 'alarm', alarm: { from: 300, to: 301 } })
  })

  nightly('fails if an entry was removed, or if a hash or the tree was changed', async () => {
    const corruptTile = (key: [number, number, number], byte: number) => (db: UserDatabase) =>
      changeTile(db, key, (record) => {
        if ('hashes' in record) record.hashes = flipBit(record.hashes, byte)
      })
    const corruptions: ((db: UserDatabase) => Promise<unknown>)[] = [
      (db) =>
        changeTile(db, [companyId, -1, 0], (record) => {
          if ('leaves' in record) record.leaves[7] = ''
        }),
      (db) => db.storedTiles.delete([companyId, -1, 1]),
      (db) => db.storedTiles.delete([companyId, 0, 1]),
      corruptTile([companyId, 0, 1], 40),
      corruptTile([companyId, 1, 0], 1),
    ]
    for (const [index, corrupt] of corruptions.entries()) {
      const { tablet } = await signInWithStoredTrail()
      await corrupt(await openUserDatabase(tablet))
      expect((await proveAll(tablet))?.kind, `${index}`).toBe('alarm')
    }
  })
})
