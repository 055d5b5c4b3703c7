/** Lists edits by a database superuser of a trail of 300 entries, whose checkpoints of 100 and 200 entries are not changed. */
import { type RawBuilder, sql } from 'kysely'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import { appendLeaves, emptyEdge } from '#domain/audit-log/tree-edge.ts'
import { appendEntries } from '#server/db/audit/audit-log.ts'
import type { DatabaseHandle } from '#server/db/database.ts'

export type TrailEdit = [name: string, act: (db: DatabaseHandle) => Promise<unknown>]

const selectEntryId = (companyId: number, logIndex: number) =>
  sql`(select entry_id from audit_leaf where company_id = ${companyId} and log_index = ${logIndex})`

export const runStatements =
  (...statements: (() => RawBuilder<unknown>)[]) =>
  async (db: DatabaseHandle): Promise<void> => {
    for (const statement of statements) await statement().execute(db)
  }

export const replaceInLeaf = (companyId: number, logIndex: number, from: string, to: string): RawBuilder<unknown> =>
  sql`update audit_entry set leaf = replace(leaf, ${from}, ${to}) where id = ${selectEntryId(companyId, logIndex)}`

export function trailEdits(companyId: number): TrailEdit[] {
  /** Rebuilds a consistent log from the existing leaves. */
  async function rebuildTree(db: DatabaseHandle): Promise<void> {
    const { rows } = await sql<{ entry_id: number; leaf: string }>`
      select place.entry_id, entry.leaf from audit_leaf place join audit_entry entry on entry.id = place.entry_id
      where place.company_id = ${companyId} order by place.log_index`.execute(db)
    await sql`delete from audit_leaf where company_id = ${companyId}`.execute(db)
    await sql`delete from audit_tile where company_id = ${companyId}`.execute(db)
    const { changedTiles } = appendLeaves(
      emptyEdge,
      rows.map(({ leaf }) => hashLeaf(leaf)),
    )
    await appendEntries(db, companyId, { from: 0, ids: rows.map(({ entry_id }) => entry_id), changedTiles })
  }
  const selectOwnEntryId = (logIndex: number) => selectEntryId(companyId, logIndex)
  const replace = (logIndex: number, from: string, to: string) => replaceInLeaf(companyId, logIndex, from, to)
  return [
    ['an entry deleted', runStatements(() => sql`delete from audit_entry where id = ${selectOwnEntryId(7)}`)],
    [
      'an entry deleted with its leaf',
      runStatements(
        () => sql`delete from audit_entry where id = ${selectOwnEntryId(280)}`,
        () => sql`delete from audit_leaf where company_id = ${companyId} and log_index = 280`,
      ),
    ],
    [
      'an entry deleted with its leaf, and the tree rebuilt',
      async (db) => {
        await sql`delete from audit_leaf where company_id = ${companyId} and log_index = 7`.execute(db)
        await rebuildTree(db)
      },
    ],
    [
      'the last entries deleted with their leaves, tiles and checkpoint',
      runStatements(
        () =>
          sql`delete from audit_entry where id in (select entry_id from audit_leaf where company_id = ${companyId} and log_index >= 200)`,
        () => sql`delete from audit_leaf where company_id = ${companyId} and log_index >= 200`,
        () => sql`update audit_tile set hashes = substring(hashes for 200 * 32) where level = 0 and tile_index = 0`,
        () => sql`delete from audit_tile where level > 0 or tile_index > 0`,
        () => sql`delete from audit_checkpoint where company_id = ${companyId} and size > 200`,
      ),
    ],
    [
      'the details of an entry changed in the column',
      runStatements(() => sql`update audit_entry set info = '{"n": 1000}' where id = ${selectOwnEntryId(290)}`),
    ],
    ['the details of an entry changed in the leaf', runStatements(() => replace(3, '"n":3', '"n":4'))],
    [
      'the details of an entry changed in leaf, tiles and tree',
      async (db) => {
        await replace(3, '"n":3', '"n":4').execute(db)
        await rebuildTree(db)
      },
    ],
    [
      'the user of an entry changed in the column',
      runStatements(() => sql`update audit_entry set exec_user_name = 'Eve' where id = ${selectOwnEntryId(290)}`),
    ],
    [
      'the user of an entry changed in column and leaf',
      runStatements(
        () => sql`update audit_entry set exec_user_name = 'Eve' where id = ${selectOwnEntryId(290)}`,
        () => replace(290, '"user_name":""', '"user_name":"Eve"'),
      ),
    ],
    [
      'the time of an entry changed in the column',
      runStatements(() => sql`update audit_entry set end_time = end_time - 1 where id = ${selectOwnEntryId(290)}`),
    ],
    [
      'the time of an entry changed in leaf, tiles and tree',
      async (db) => {
        await sql`update audit_entry set end_time = end_time - 1, leaf = replace(leaf, '"time":' || end_time, '"time":' || (end_time - 1))
        where id = ${selectOwnEntryId(290)}`.execute(db)
        await rebuildTree(db)
      },
    ],
    [
      'an entry inserted between others, and the tree rebuilt',
      async (db) => {
        await sql`insert into audit_entry select (jsonb_populate_record(entry, jsonb_build_object('id', 900000,
        'leaf', replace(leaf, '"id":' || id, '"id":900000')))).* from audit_entry entry where id = ${selectOwnEntryId(5)}`.execute(
          db,
        )
        await sql`update audit_leaf set log_index = log_index + 10000 where company_id = ${companyId} and log_index > 5`.execute(
          db,
        )
        await sql`insert into audit_leaf values (${companyId}, 6, 900000)`.execute(db)
        await sql`update audit_leaf set log_index = log_index - 9999 where company_id = ${companyId} and log_index > 9000`.execute(
          db,
        )
        await rebuildTree(db)
      },
    ],
    [
      'an entry inserted at the end',
      async (db) => {
        await sql`insert into audit_entry select (jsonb_populate_record(entry, jsonb_build_object('id', 900000,
        'leaf', replace(leaf, '"id":' || id, '"id":900000')))).* from audit_entry entry where id = ${selectOwnEntryId(5)}`.execute(
          db,
        )
        await sql`insert into audit_leaf values (${companyId}, 300, 900000)`.execute(db)
      },
    ],
    [
      'two entries swapped',
      runStatements(
        () => sql`update audit_leaf set log_index = 10000 where company_id = ${companyId} and log_index = 290`,
        () => sql`update audit_leaf set log_index = 290 where company_id = ${companyId} and log_index = 291`,
        () => sql`update audit_leaf set log_index = 291 where company_id = ${companyId} and log_index = 10000`,
      ),
    ],
    [
      'two entries swapped, and the tree rebuilt',
      async (db) => {
        await sql`update audit_leaf set log_index = 10000 where company_id = ${companyId} and log_index = 1`.execute(db)
        await sql`update audit_leaf set log_index = 1 where company_id = ${companyId} and log_index = 2`.execute(db)
        await sql`update audit_leaf set log_index = 2 where company_id = ${companyId} and log_index = 10000`.execute(db)
        await rebuildTree(db)
      },
    ],
    [
      'a hash in a full tile changed',
      runStatements(
        () =>
          sql`update audit_tile set hashes = overlay(hashes placing sha256('x') from 65) where level = 0 and tile_index = 0`,
      ),
    ],
    [
      'the latest checkpoint removed',
      runStatements(() => sql`delete from audit_checkpoint where company_id = ${companyId} and size = 300`),
    ],
    ['all checkpoints removed', runStatements(() => sql`delete from audit_checkpoint where company_id = ${companyId}`)],
    [
      'the latest checkpoint altered',
      runStatements(
        () =>
          sql`update audit_checkpoint set note = replace(note, E'\n300\n', E'\n299\n') where company_id = ${companyId} and size = 300`,
      ),
    ],
    [
      'the whole trail removed',
      runStatements(
        () => sql`delete from audit_entry where company_id = ${companyId}`,
        () => sql`delete from audit_leaf where company_id = ${companyId}`,
        () => sql`delete from audit_tile where company_id = ${companyId}`,
        () => sql`delete from audit_checkpoint where company_id = ${companyId}`,
      ),
    ],
    [
      'entries removed as if they were archived',
      runStatements(
        () => sql`insert into audit_archive values (${companyId}, 0, 256, ${'a'.repeat(64)}, 0)`,
        () =>
          sql`delete from audit_entry where id in (select entry_id from audit_leaf where company_id = ${companyId} and log_index < 256)`,
        () => sql`delete from audit_leaf where company_id = ${companyId} and log_index < 256`,
      ),
    ],
  ]
}
