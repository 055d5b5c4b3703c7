/** A log that was rewritten or cut is found out by the device, which names the place; and streams of a liar are not believed. */
import { describe, expect, it } from 'vitest'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { leafHash } from '#domain/audit-log/hash.ts'
import { type AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { readProofFile, verifyProofFile } from '#domain/audit-log/proof-file.ts'
import type { KeptRecord } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { flipped } from '#tests/domain/audit-log/logs.ts'
import {
  type Between,
  count,
  fillTrail,
  keeper,
  openKeep,
  signedInBehind,
} from '#tests/support/audit-trail/kept-trail.ts'
import { begin } from '#request/audit-trail/keep-trail.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import {
  behind,
  checkpointOf,
  companyId,
  database,
  entries,
  forged,
  house,
  kept,
  keyFrom,
  leaves,
  month,
  setUpLog,
} from '#tests/support/audit-trail/watched-log.ts'

setUpLog()

describe('a log that does not go on from what this device has seen', () => {
  it('with one entry rewritten: the alarm names it, and the old checkpoint stays', async () => {
    const { tablet } = await kept()
    const before = await checkpointOf(tablet)
    const all = await leaves()
    const rewritten = all.with(300, all[300]?.replace('Person', 'Nobody') ?? '')
    const lie = forged([...rewritten, ...all.slice(0, 5)])
    const result = await behind(tablet, lie.between, () => keeper(tablet).fill(companyId))
    expect(result).toMatchObject({ kind: 'alarm', alarm: { fault: 'OLD_ROOT_DIFFERS', from: 300, to: 301 } })
    expect(await checkpointOf(tablet)).toMatchObject({
      note: before?.note,
      size: before?.size,
      alarm: { from: 300, to: 301, note: lie.note },
    })
    await fillTrail(house, companyId, 3, { start: house.clock.now() })
    expect(await keeper(tablet).fill(companyId)).toMatchObject({ kind: 'alarm', alarm: { from: 300 } })
    // Told again at each entry, and not forgotten when the true log is back.
    const [entry] = await entries(tablet)
    expect(await keeper(tablet).prove(companyId, entry as AuditEntryRow)).toMatchObject({
      kind: 'alarm',
      alarm: { from: 300 },
    })
  })

  nightly('in another order, in a full tile and in the one at the end', async () => {
    for (const [from, to] of [
      [10, 11],
      [598, 599],
    ] as const) {
      const { tablet } = await kept()
      const all = await leaves()
      const swapped = all.with(from, all[to] ?? '').with(to, all[from] ?? '')
      const result = await behind(tablet, forged([...swapped, ...all.slice(0, 5)]).between, () =>
        keeper(tablet).fill(companyId),
      )
      expect(result).toMatchObject({ kind: 'alarm', alarm: { from } })
    }
  })

  it('whose tail was cut: the alarm names what is missing', async () => {
    const { tablet } = await kept()
    const { size = 0 } = (await checkpointOf(tablet)) ?? {}
    const result = await behind(tablet, forged((await leaves()).slice(0, 590)).between, () =>
      keeper(tablet).fill(companyId),
    )
    expect(result).toMatchObject({ kind: 'alarm', alarm: { fault: 'LOG_SHRANK', from: 590, to: size } })
  })

  nightly('whose tail was cut and written anew', async () => {
    const { tablet } = await kept()
    const all = await leaves()
    const lie = forged([...all.slice(0, 590), ...all.slice(0, 100)])
    const result = await behind(tablet, lie.between, () => keeper(tablet).fill(companyId))
    expect(result).toMatchObject({ kind: 'alarm', alarm: { fault: 'OLD_ROOT_DIFFERS', from: 590, to: 591 } })
  })

  it('signed by another key, of another name, or with a checkpoint that is none', async () => {
    const [other, third] = [new Uint8Array(32).fill(9), new Uint8Array(32).fill(10)]
    const all = await leaves()
    for (const [lie, fault] of [
      [forged(all, { seed: other }).between, 'NOT_SIGNED_BY_KEY'],
      [forged(all, { seed: other, nextKey: keyFrom(other) }).between, 'NOT_SIGNED_BY_KEY'],
      // Anybody can put a signature of their own beside a genuine note.
      [forged(all, { beside: other }).between, 'NOT_SIGNED_BY_KEY'],
      [forged(all, { beside: other, nextKey: keyFrom(third) }).between, 'NOT_SIGNED_BY_KEY'],
      [forged(all, { seed: other, beside: third, nextKey: keyFrom(third) }).between, 'NOT_SIGNED_BY_KEY'],
      [forged(all, { origin: 'portal-audit/another/1' }).between, 'NOT_SIGNED_BY_KEY'],
      [answering({ note: 'hello', key: 'k', pending: 0 }), 'BAD_KEY'],
      [answering({ note: null, key: 'k', pending: 0 }), 'LOG_SHRANK'],
    ] as const) {
      const { tablet } = await kept()
      expect(await behind(tablet, lie, () => keeper(tablet).fill(companyId)), fault).toMatchObject({
        kind: 'alarm',
        alarm: { fault },
      })
    }
  })

  it('whose key was changed is followed where the known key has named the next, and then by that one alone', async () => {
    const { tablet } = await kept()
    const next = new Uint8Array(32).fill(9)
    const nextKey = keyFrom(next)
    const all = await leaves()
    const { key: old = '' } = (await checkpointOf(tablet)) ?? {}
    const handed = forged(all, { beside: next, nextKey })
    expect(await behind(tablet, handed.between, () => keeper(tablet).fill(companyId))).toEqual({ kind: 'done' })
    expect(await checkpointOf(tablet)).toMatchObject({ key: nextKey, alarm: null })
    expect(old).not.toBe(nextKey)
    expect(await keeper(tablet).proveAll(companyId)).toMatchObject({ kind: 'proven' })
    // The old one is not believed any more.
    expect(await keeper(tablet).fill(companyId)).toMatchObject({ kind: 'alarm', alarm: { fault: 'NOT_SIGNED_BY_KEY' } })
    await keeper(tablet).accept(companyId)
    await behind(tablet, handed.between, () => keeper(tablet).fill(companyId))
    const alone = forged(all, { seed: next })
    expect(await behind(tablet, alone.between, () => keeper(tablet).fill(companyId))).toEqual({ kind: 'done' })
    expect(await checkpointOf(tablet)).toMatchObject({ key: nextKey, alarm: null })
  })

  nightly(
    'whose key was changed while this device was away is followed over every key that the one before has named',
    async () => {
      const [second, third, eve] = [9, 10, 11].map((byte) => new Uint8Array(32).fill(byte)) as [
        Uint8Array,
        Uint8Array,
        Uint8Array,
      ]
      const all = await leaves()
      const first = forged(all.slice(0, 300), { beside: second, nextKey: keyFrom(second) }).note
      const then = forged(all.slice(0, 400), { seed: second, beside: third, nextKey: keyFrom(third) }).note
      const toEve = forged(all.slice(0, 400), { seed: eve, beside: third, nextKey: keyFrom(third) }).note
      const now = (handovers: readonly string[], seed = third) => forged(all, { seed, handovers })
      const { tablet } = await kept()
      expect(await behind(tablet, now([first, then]).between, () => keeper(tablet).fill(companyId))).toEqual({
        kind: 'done',
      })
      expect(await checkpointOf(tablet)).toMatchObject({ key: keyFrom(third), alarm: null })
      for (const lie of [
        now([]),
        now([first]),
        now([then]),
        now([then, first]),
        now([toEve]),
        now([first, toEve]),
        now([first, 'hello']),
        now([first, then], eve),
        // The newest note of a key that was named, which names none.
        now([first, forged(all, { seed: second }).note]),
      ]) {
        const { tablet: other } = await kept()
        expect(await behind(other, lie.between, () => keeper(other).fill(companyId))).toMatchObject({ kind: 'alarm' })
      }
    },
  )

  nightly('is taken as it is once its user has looked at the alarm', async () => {
    const { tablet } = await kept()
    const all = await leaves()
    const lie = forged(all.slice(0, 590)).between
    await behind(tablet, lie, () => keeper(tablet).fill(companyId))
    await keeper(tablet).accept(companyId)
    expect(await keeper(tablet).fill(companyId)).toEqual({ kind: 'done' })
    expect(await checkpointOf(tablet)).toMatchObject({ alarm: null })
  })

  nightly('does not alarm when it only grew', async () => {
    const { tablet } = await kept()
    for (const more of [1, 40, 300]) {
      await fillTrail(house, companyId, more, { start: house.clock.now() })
      expect(await keeper(tablet).fill(companyId)).toEqual({ kind: 'done' })
      expect((await checkpointOf(tablet))?.alarm).toBeNull()
    }
    const [entry] = await entries(tablet)
    expect(await keeper(tablet).prove(companyId, entry as AuditEntryRow)).toMatchObject({ kind: 'proven' })
  })
})

const answering =
  (body: unknown): Between =>
  async ({ path }, pass) => {
    const answer = await pass()
    return path.includes('/checkpoint') ? { ...answer, body: JSON.stringify(body) } : answer
  }

describe('a stream that is not what it says', () => {
  const changed =
    (change: (body: string) => string): Between =>
    async ({ path }, pass) => {
      const answer = await pass()
      return path.includes('/export') ? { ...answer, body: change(answer.body) } : answer
    }
  const lines = (change: (all: string[]) => string[]) => changed((body) => change(body.split('\n')).join('\n'))

  it.each([
    ['a line that is no JSON', lines((all) => all.with(5, 'hello')), 'STREAM_BAD'],
    ['a gap', lines((all) => all.toSpliced(5, 1)), 'STREAM_BAD'],
    ['a cut', lines((all) => all.slice(0, 5)), 'STREAM_CUT'],
    ["another company's entry", changed((body) => body.replace(/\\"company\\":\d+/, '\\"company\\":999')), 'OTHER_LOG'],
    ['the page of a hotel', changed(() => '<!doctype html>'), 'STREAM_CUT'],
    ['a hash that is none', lines((all) => all.with(5, '{"index":4,"hash":"AAAA"}')), 'BAD_HASH'],
  ])('%s: nothing of it is kept, and the next fill has all', async (_what, between, fault) => {
    const liar = await signedInBehind(house, 'admin@alpha')
    const { tablet } = liar
    const opened = await openKeep(tablet, month)
    await begin(tablet.ports, { ...month, today: '2026-03-02' }, opened)
    liar.between = between
    expect(await keeper(tablet).fill(companyId)).toEqual({ kind: 'refused', fault })
    expect(await (await database(tablet)).keptTiles.count()).toBe(0)
    liar.between = null
    expect(await keeper(tablet).fill(companyId)).toEqual({ kind: 'done' })
    expect(await keeper(tablet).proveAll(companyId)).toMatchObject({ kind: 'proven', entries: count })
  })

  it('an entry that was not recorded so, and a hash of something else, are found and named', async () => {
    for (const [between, place] of [
      [changed((body) => body.replace('Person 123', 'Person 124')), 123],
      [lines((all) => all.with(401, JSON.stringify({ index: 400, hash: toBase64(leafHash('x')) }))), 400],
    ] as const) {
      const liar = await signedInBehind(house, 'admin@alpha')
      const { tablet } = liar
      const opened = await openKeep(tablet, month)
      await begin(tablet.ports, { ...month, today: '2026-03-02' }, opened)
      liar.between = between
      expect(await keeper(tablet).fill(companyId)).toMatchObject({
        kind: 'alarm',
        alarm: { fault: 'ENTRY_DIFFERS', from: place, to: place + 1 },
      })
    }
  })
})

describe('the proof of one entry', () => {
  it('is made with a network and without, and what is exported is checked without the portal', async () => {
    const { tablet } = await kept()
    const [entry] = await entries(tablet)
    for (const state of ['up', 'down'] as const) {
      tablet.line.state = state
      const proof = await keeper(tablet).prove(companyId, entry as AuditEntryRow)
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

  it('needs nothing that is kept while there is a network; without one it is not checked', async () => {
    const tablet = await house.signedIn('admin@alpha')
    const [entry] = await entries(tablet)
    expect(await keeper(tablet).prove(companyId, entry as AuditEntryRow)).toMatchObject({ kind: 'proven', size: count })
    tablet.line.state = 'down'
    expect(await keeper(tablet).prove(companyId, entry as AuditEntryRow)).toEqual({ kind: 'unchecked' })
  })

  it('waits for the place of an entry', async () => {
    const tablet = await house.signedIn('admin@alpha')
    const [entry] = await entries(tablet)
    expect(await keeper(tablet).prove(companyId, { ...(entry as AuditEntryRow), log_index: null })).toEqual({
      kind: 'recording',
    })
  })

  it('is an alarm where the row shows something else than its leaf, or the leaf is another', async () => {
    const { tablet } = await kept()
    const entry = (await entries(tablet))[0] as AuditEntryRow
    const prove = (over: Partial<AuditEntryRow>) => keeper(tablet).prove(companyId, { ...entry, ...over })
    const { log_index: place } = entry
    for (const over of [
      { info: { UserName: 'Somebody else' } },
      { operation: 'delete' },
      { status: entry.status === 0 ? (-1 as const) : (0 as const) },
      { exec_user_name: 'Eve' },
      { by_provider: true },
      { changes: [{ field: 'a', before: 1, after: 2 }] },
      { leaf: '{"v":1}' },
      { leaf: 'hello' },
    ])
      expect(await prove(over), JSON.stringify(over)).toMatchObject({
        kind: 'alarm',
        alarm: { fault: 'ROW_DIFFERS', from: place },
      })
    const leaf = entry.leaf.replace('"status":0', '"status":-1').replace('"status":-1,', '"status":-1,')
    const salted = entry.leaf.replace(/"salt":"../, '"salt":"00')
    for (const other of [salted, leaf].filter((one) => one !== entry.leaf))
      expect((await prove({ leaf: other })).kind).toBe('alarm')
    expect(await prove({ log_index: 3 })).toMatchObject({ kind: 'alarm', alarm: { fault: 'ENTRY_DIFFERS', from: 3 } })
  })
})

const changeTile = (db: UserDatabase, key: [number, number, number], change: (record: KeptRecord) => void) =>
  db.keptTiles.where('[companyId+level+index]').equals(key).modify(change)

describe('all kept entries at once', () => {
  it('are proven without a network, and one that was changed on the device is named', async () => {
    const { tablet } = await kept()
    const db = await database(tablet)
    tablet.line.state = 'down'
    expect(await keeper(tablet).proveAll(companyId)).toMatchObject({ kind: 'proven', entries: count })
    await changeTile(db, [companyId, -1, 9], (record) => {
      if ('leaves' in record) record.leaves[12] = record.leaves[12]?.replace('Person', 'Nobody') ?? ''
    })
    expect(await keeper(tablet).proveAll(companyId)).toMatchObject({ kind: 'alarm', alarm: { from: 300, to: 301 } })
  })

  nightly('are not when one was taken out, or a hash or the tree above is another', async () => {
    const spoilt = (key: [number, number, number], byte: number) => (db: UserDatabase) =>
      changeTile(db, key, (record) => {
        if ('hashes' in record) record.hashes = flipped(record.hashes, byte)
      })
    const spoil: ((db: UserDatabase) => Promise<unknown>)[] = [
      (db) =>
        changeTile(db, [companyId, -1, 0], (record) => {
          if ('leaves' in record) record.leaves[7] = ''
        }),
      (db) => db.keptTiles.delete([companyId, -1, 1]),
      (db) => db.keptTiles.delete([companyId, 0, 1]),
      spoilt([companyId, 0, 1], 40),
      spoilt([companyId, 1, 0], 1),
    ]
    for (const [at, act] of spoil.entries()) {
      const { tablet } = await kept()
      await act(await database(tablet))
      expect((await keeper(tablet).proveAll(companyId))?.kind, `${at}`).toBe('alarm')
    }
  })
})
