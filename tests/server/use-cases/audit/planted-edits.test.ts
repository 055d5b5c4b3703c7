/**
 * Tests changes by a database superuser outside the leaves: to columns that are not part of the leaf, to old tiles, to waiting entries and
 * to the tables themselves. The page and the integrator detect each change immediately.
 */
import { join } from 'node:path'
import { readdir } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import { findSchemaFaults } from '#server/db/audit/audit-schema.ts'
import { sealLeaf } from '#server/db/audit/entry-seals.ts'
import { readLatestCheckpoint } from '#server/db/audit/audit-log.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { archiveOldEntries } from '#server/use-cases/audit/archive.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'
import { findBrokenEntries } from '#server/use-cases/audit/check-log.ts'
import { checkCompleteLogs } from '#server/use-cases/audit/check-complete-logs.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { clearLogAlarm, getLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import { eachEngineByNight, bypassPolicies } from '#tests/support/server/database.ts'
import { system } from '#tests/support/server/people.ts'
import { startVerification, createStepJobKinds, runAllJobs } from '#tests/server/jobs/requests.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { emptyTables, restoreSnapshot, type Snapshot, takeSnapshot } from '#tests/support/server/snapshot.ts'

/** Number of entries: two full tiles of 256 entries and a partial tile. */
const entryCount = 600

eachEngineByNight('database edits outside the audit leaves', (engine) => {
  let server: TestServer
  let companyId: number
  let admin: SignedIn
  let staff: SignedIn
  let snapshot: Snapshot
  beforeAll(async () => {
    server = await startServer({ engine })
    companyId = server.world.companies.alpha ?? 0
    admin = await server.signIn('admin@alpha')
    staff = await server.signIn('admin@m18')
    await writeGeneratedEntries(server.app, {
      companyId,
      count: entryCount,
      startAt: server.clock.now - 10 * entryCount,
      intervalMs: 10,
      buildFields: (n) => ({ info: { n, Name: `Person ${n}` }, user_name: 'Mei Lin' }),
    })
    await integrate(server.app)
    snapshot = await takeSnapshot(server.app.database)
  })
  beforeEach(async () => {
    await putBackAll()
    clearLogAlarm(server.app, companyId)
  })
  afterAll(() => server.close())

  const putBackAll = async () => {
    await emptyTables(server.app.database)
    await restoreSnapshot(server.app.database, snapshot)
  }
  const runAsSystem = <T>(work: (db: DatabaseHandle) => Promise<T>) => runInTransaction(server.app, system, work)
  const runAsSuperuser = (work: (db: DatabaseHandle) => Promise<unknown>) =>
    bypassPolicies(server.app.database, async (db) => void (await work(db)))
  const readSize = async () => (await runAsSystem((db) => readLatestCheckpoint(db, companyId)))?.size
  const selectEntryId = (logIndex: number) =>
    sql`(select entry_id from audit_leaf where company_id = ${companyId} and log_index = ${logIndex})`
  const getAlarm = () => getLogAlarm(server.app, companyId)
  const findBroken = async () =>
    (await runAsSystem((db) => findBrokenEntries(server.app, db))).filter(({ company_id }) => company_id === companyId)

  /** Reads the trail in the order of the page: first the entries, then the checkpoint. Returns the fault of the alarm, or null. */
  async function openPage(query = '', caller = admin, company = ''): Promise<string | null> {
    const listResponse = await caller.send({ method: 'GET', url: `/api/systrail?results=50&page=1${query}${company}` })
    expect(listResponse.statusCode).toBe(200)
    const checkpoint = await caller.send({ method: 'GET', url: `/api/systrail/checkpoint?${company.slice(1)}` })
    return (checkpoint.json() as { alarm?: { fault: string } }).alarm?.fault ?? null
  }
  async function write(): Promise<number> {
    await writeGeneratedEntries(server.app, { companyId, count: 1, startAt: server.clock.now })
    return await integrate(server.app)
  }
  async function expectRefused(): Promise<void> {
    clearLogAlarm(server.app, companyId)
    const sizeBefore = await readSize()
    await write()
    expect(await readSize()).toBe(sizeBefore)
    expect(getAlarm()).not.toBeNull()
  }

  it('An unchanged trail raises no alarm for the company or the provider (fault 13i)', async () => {
    expect(await openPage()).toBeNull()
    expect(await openPage('', staff, `&companyId=${companyId}`)).toBeNull()
    expect(await findBroken()).toEqual([])
    expect(await write()).toBe(1)
  })

  const columnEdits: [string, (db: DatabaseHandle) => Promise<unknown>][] = [
    [
      "the provider employee's name",
      (db) =>
        sql`update audit_entry set actor = '{"salt":"00","user_id":9,"user_name":"Eve"}', actor_company_id = 1 where id = ${selectEntryId(590)}`.execute(
          db,
        ),
    ],
    ['the search text', (db) => sql`update audit_entry set search = '' where id = ${selectEntryId(590)}`.execute(db)],
    [
      'a blank in the search text',
      (db) =>
        sql`update audit_entry set search = replace(search, 'mei lin', 'me ilin') where id = ${selectEntryId(590)}`.execute(
          db,
        ),
    ],
    ['the intent', (db) => sql`update audit_entry set intent = 'another' where id = ${selectEntryId(590)}`.execute(db)],
    [
      'the request id',
      (db) => sql`update audit_entry set request_id = 'another' where id = ${selectEntryId(590)}`.execute(db),
    ],
    [
      'the company',
      (db) => sql`update audit_entry set company_id = ${companyId + 1} where id = ${selectEntryId(590)}`.execute(db),
    ],
  ]
  it.each(columnEdits)(
    'The page reports a change of %s outside the leaf, and nothing is signed (fault 13i)',
    async (_, edit) => {
      await runAsSuperuser(edit)
      expect(await openPage()).toBe('ENTRY_DIFFERS')
      await expectRefused()
      expect(await findBroken()).not.toEqual([])
    },
  )

  it('The page reports an entry changed together with its hash in a full tile (fault 13j)', async () => {
    await runAsSuperuser(async (db) => {
      const { rows } = await sql<{ leaf: string }>`select leaf from audit_entry where id = ${selectEntryId(5)}`.execute(
        db,
      )
      const leaf = rows[0]?.leaf.replace('"user_name":"Mei Lin"', '"user_name":"Eve"') ?? ''
      await sql`update audit_entry set leaf = ${leaf}, exec_user_name = 'Eve', search = replace(search, 'mei lin', 'eve')
        where id = ${selectEntryId(5)}`.execute(db)
      await sql`update audit_tile set hashes = overlay(hashes placing ${Buffer.from(hashLeaf(leaf))}::bytea from ${5 * 32 + 1})
        where company_id = ${companyId} and level = 0 and tile_index = 0`.execute(db)
    })
    expect(await openPage('&searchText=eve')).toBe('ENTRY_DIFFERS')
    // The integrator checks some older entries in each run.
    clearLogAlarm(server.app, companyId)
    for (let round = 0; round < 8 && getAlarm() === null; round++) await write()
    const sizeBefore = await readSize()
    await write()
    expect(await readSize()).toBe(sizeBefore)
    expect(getAlarm()).not.toBeNull()
    expect(await findBroken()).not.toEqual([])
  })

  it('A list and an export check each entry they return, at any index (fault 13j)', async () => {
    const logIndex = 300
    await runAsSuperuser((db) =>
      sql`update audit_entry set leaf = replace(leaf, '"Name":"Person ', '"Name":"Nobody '), search = search || ' the one'
        where id = ${selectEntryId(logIndex)}`.execute(db),
    )
    const filter = 'searchText=the%20one'
    const listResponse = await admin.send({ method: 'GET', url: `/api/systrail?results=10&page=1&${filter}` })
    expect(listResponse.json()).toMatchObject({ count: 1 })
    expect(getAlarm()).toEqual({ fault: 'ENTRY_DIFFERS', from: logIndex, to: logIndex + 1 })
    clearLogAlarm(server.app, companyId)
    const exportResponse = await admin.send({ method: 'GET', url: `/api/systrail/export?format=csv&${filter}` })
    expect(exportResponse.payload).toContain('Nobody')
    expect(getAlarm()).toEqual({ fault: 'ENTRY_DIFFERS', from: logIndex, to: logIndex + 1 })
  })

  it('An entry inserted outside the log is listed with an alarm (fault 13k)', async () => {
    await runAsSuperuser((db) =>
      sql`insert into audit_entry select (jsonb_populate_record(entry, jsonb_build_object('id', 900000,
        'leaf', replace(leaf, '"id":' || id, '"id":900000')))).* from audit_entry entry where id = ${selectEntryId(599)}`.execute(
        db,
      ),
    )
    expect(await openPage()).toBe('ENTRY_DIFFERS')
    expect(await findBroken()).toContainEqual({ company_id: companyId, id: 900_000 })
  })

  it('A logged entry that is queued again with its seal gets no second log index (fault 13l)', async () => {
    const { id, seal } = await runAsSystem(async (db) => {
      const { rows } = await sql<{ id: number; leaf: string }>`
        select id, leaf from audit_entry where id = ${selectEntryId(300)}`.execute(db)
      return { id: rows[0]?.id, seal: sealLeaf(db, rows[0]?.leaf ?? '') }
    })
    await runAsSuperuser((db) =>
      sql`insert into audit_pending (entry_id, company_id, seal) values (${id}, ${companyId}, ${seal})`.execute(db),
    )
    expect(await openPage()).toBe('ENTRY_DIFFERS')
    expect(await findBroken()).not.toEqual([])
    await expectRefused()
  })

  const plantedChanges: [string, string[], string[]][] = [
    [
      'An added policy',
      ['create policy hidden on audit_entry as restrictive for select to portal_app using (id <> 7)'],
      ['drop policy hidden on audit_entry'],
    ],
    [
      'An added trigger',
      [
        'create function evil() returns trigger language plpgsql as $$ begin return new; end $$',
        'create trigger evil before insert on audit_entry for each row execute function evil()',
      ],
      ['drop trigger evil on audit_entry', 'drop function evil'],
    ],
    [
      'An added rule',
      ['create rule evil as on insert to audit_pending where new.company_id = 0 do instead nothing'],
      ['drop rule evil on audit_pending'],
    ],
    [
      'A view of the same name that is found before the table',
      [
        'create schema portal_app',
        'create view portal_app.audit_entry as select * from public.audit_entry',
        'grant usage on schema portal_app to portal_app',
        'grant select on portal_app.audit_entry to portal_app',
      ],
      ['drop schema portal_app cascade'],
    ],
    [
      'A disabled trigger',
      ['alter table audit_tile disable trigger grow_audit_tile'],
      ['alter table audit_tile enable trigger grow_audit_tile'],
    ],
    [
      'Row-level security that is no longer forced',
      ['alter table audit_leaf no force row level security'],
      ['alter table audit_leaf force row level security'],
    ],
    [
      'A dropped unique key',
      ['alter table audit_leaf drop constraint audit_leaf_entry_id_key'],
      ['alter table audit_leaf add constraint audit_leaf_entry_id_key unique (entry_id)'],
    ],
    [
      'An altered function',
      ['alter function company_of_intent(text) security invoker'],
      ['alter function company_of_intent(text) security definer'],
    ],
    [
      'An added column default',
      ["alter table audit_entry alter column intent set default 'x'"],
      ['alter table audit_entry alter column intent drop default'],
    ],
  ]
  it.each(plantedChanges)('%s is reported on the page, and nothing is signed (fault 13m)', async (_, plant, remove) => {
    const runStatements = (statements: string[]) =>
      runAsSuperuser(async (db) => {
        for (const statement of statements) await sql.raw(statement).execute(db)
      })
    expect(await runAsSystem(findSchemaFaults)).toEqual([])
    await runStatements(plant)
    try {
      expect(await runAsSystem(findSchemaFaults)).not.toEqual([])
      expect(await openPage()).toBe('TABLES_CHANGED')
      expect(await findBroken()).not.toEqual([])
      await expectRefused()
    } finally {
      await runStatements(remove)
    }
    await checkCompleteLogs(server.app)
    expect(getAlarm()).toBeNull()
  })

  it.each(['audit_entry', 'audit_pending'])(
    'A write is rolled back if %s silently drops its entry (fault 13m)',
    async (table) => {
      const runStatements = (...statements: string[]) =>
        runAsSuperuser(async (db) => {
          for (const statement of statements) await sql.raw(statement).execute(db)
        })
      const send = () =>
        admin.send({
          method: 'PUT',
          url: `/api/m18s/company-user/${server.world.users['user@alpha']}`,
          headers: { [headers.key]: crypto.randomUUID() },
          payload: { order: true, alert: true },
        })
      const readOrderFlag = () =>
        runAsSystem((db) =>
          db
            .selectFrom('portal_user')
            .select('orders')
            .where('id', '=', server.world.users['user@alpha'] ?? 0)
            .execute(),
        )
      const flagBefore = await readOrderFlag()
      await runStatements(
        'create function evil() returns trigger language plpgsql as $$ begin return null; end $$',
        `create trigger evil before insert on ${table} for each row execute function evil()`,
      )
      try {
        expect((await send()).statusCode).toBe(500)
        expect(await readOrderFlag()).toEqual(flagBefore)
        // Calls of staff in the log of another company are rolled back too.
        const url = `/api/systrail/export?format=csv&companyId=${companyId}`
        expect((await staff.send({ method: 'GET', url })).statusCode).toBe(500)
      } finally {
        await runStatements(`drop trigger evil on ${table}`, 'drop function evil')
      }
      expect((await send()).statusCode).toBe(200)
    },
  )

  // Does not run on the embedded database, because its only connection cannot be held by another transaction.
  it.skipIf(engine === 'embedded')(
    'Holding the lock of a log does not stop readers from checking it (fault 13r)',
    async () => {
      await runAsSuperuser((db) => sql`delete from audit_entry where id = ${selectEntryId(590)}`.execute(db))
      await server.app.database.kysely.transaction().execute(async (otherTransaction) => {
        await sql`select pg_advisory_xact_lock(7801, ${companyId})`.execute(otherTransaction)
        expect(await openPage()).toBe('ENTRY_DIFFERS')
      })
    },
  )

  it.skipIf(engine === 'embedded')('Reading while the integrator works raises no false alarm (fault 13r)', async () => {
    const openPages = Array.from({ length: 8 }, async () => await openPage())
    for (let round = 0; round < 8; round++) await write()
    expect(await Promise.all(openPages)).toEqual(openPages.map(() => null))
  })

  it('A requested check also raises the alarm that readers see (fault 13s)', async () => {
    await runAsSuperuser((db) => sql`delete from audit_entry where id = ${selectEntryId(300)}`.execute(db))
    await startVerification(staff, crypto.randomUUID(), companyId)
    await runAllJobs(server, createStepJobKinds(500))
    expect(getAlarm()).toEqual({ fault: 'ENTRY_DIFFERS', from: 300, to: 301 })
  })

  it('An epoch without an entry in the log is not signed, but a declared epoch is (fault 13n)', async () => {
    await runAsSuperuser((db) => sql`insert into fact (name, value) values ('audit epoch 1', '1')`.execute(db))
    expect(await openPage()).toBe('BAD_CHECKPOINT')
    expect(await findBroken()).not.toEqual([])
    await expectRefused()
    await putBackAll()
    clearLogAlarm(server.app, companyId)
    expect(await beginEpoch(server.app)).toMatchObject({ epoch: 1, changedCompanyIds: [] })
    expect(await openPage()).toBeNull()
    expect(await findBroken()).toEqual([])
    expect(await write()).toBeGreaterThan(0)
    expect(getAlarm()).toBeNull()
  })

  it('Entries backdated in their column are not archived (fault 13o)', async () => {
    await runAsSuperuser((db) =>
      sql`update audit_entry set end_time = 1
        where id in (select entry_id from audit_leaf where company_id = ${companyId} and log_index < 256)`.execute(db),
    )
    expect(await archiveOldEntries(server.app)).toBe(0)
    expect(getAlarm()).toEqual({ fault: 'ENTRY_DIFFERS', from: 0, to: 1 })
    expect(await readdir(join(server.app.config.filesDir, 'audit-archive')).catch(() => [])).toEqual([])
  })

  it('A check finds tiles after the end of the log and duplicate indexes (fault 13p)', async () => {
    await runAsSuperuser((db) =>
      sql`insert into audit_tile (company_id, level, tile_index, hashes) values (${companyId}, 0, 20, sha256('x'))`.execute(
        db,
      ),
    )
    expect(await findBroken()).not.toEqual([])
  })
})
