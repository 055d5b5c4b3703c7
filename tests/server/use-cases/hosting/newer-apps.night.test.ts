/** Tests and measures the publication of an app that 5,000 services have, and what devices of the staff then read (decision 117). */
import { expect, it } from 'vitest'
import { sql } from 'kysely'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'
import { eachEngine } from '#tests/support/server/database.ts'
import { addVersions } from '#tests/support/uploads/app-versions.ts'

const serviceCount = 5_000
const appCount = 20

eachEngine('an app of many services', (engine) => {
  const fixture = setUpShop(engine)

  it('is published without a write per service, and every row is read again once', async () => {
    const { server } = fixture
    for (let number = 1; number <= appCount; number++) await addVersions(server, `app${number}`, `App ${number}`, '1.0')
    await writeAsSystem(server.app, async (db) => {
      await sql`insert into service (company_id, code, name, system_status, create_time, update_time)
          select ${server.world.companies.alpha}, 'many' || number, 'Many ' || number, 2, 1, 1
          from generate_series(1, ${serviceCount}::integer) number`.execute(db)
      await sql`insert into service_app (service_id, company_id, code, version)
          select s.id, s.company_id, 'app' || number, '1.0' from service s, generate_series(1, ${appCount}::integer) number
          where s.code like 'many%'`.execute(db)
    })
    const staff = await server.signIn('delete@m18')
    const read = async (query: string) => {
      const startedAt = performance.now()
      const response = await staff.send({ url: `/api/aws/service?${query}` })
      return { ms: performance.now() - startedAt, change: String(response.headers['x-change']), ...response.json() }
    }
    const readVersions = () =>
      readAsSystem(server.app, (db) => db.selectFrom('service').select(['id', 'change', 'row_version']).execute())
    const before = await read('results=50')
    const versionsBefore = await readVersions()

    const startedAt = performance.now()
    await addVersions(server, 'app1', 'App 1', '1.1')
    const publicationMs = performance.now() - startedAt
    expect(await readVersions()).toEqual(versionsBefore)
    const page = await read('results=50&minNewerApps=1&page=3')
    const changes = await read(`since=${before.change}`)
    expect([page.count, changes.changed.length]).toEqual([serviceCount, serviceCount])
    const polls = [await read(`since=${changes.upto}`), await read(`since=${changes.upto}`)]
    expect(polls.map(({ changed }) => changed)).toEqual([[], []])
    const noneMs = Math.min(...polls.map(({ ms }) => ms))
    // A poll with nothing new does not compute the rows.
    expect(noneMs).toBeLessThan(changes.ms / 5)
    const figures = { publicationMs, beforeMs: before.ms, pageMs: page.ms, changesMs: changes.ms, noneMs }
    process.stderr.write(`${engine} ${JSON.stringify(figures)}\n`)
  }, 180_000)
})
