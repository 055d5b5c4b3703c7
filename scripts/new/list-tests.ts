import { capitalise, type NounNames } from '#scripts/new/names.ts'

export const buildServerTest = ({
  file,
  singularType,
  table,
  path,
  text,
}: NounNames) => `import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { takeCatalogueChangeNumber } from '#server/db/catalogue/catalogue.ts'
import { insert${singularType} } from '#server/db/catalogue/${file}.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

describe('GET /api/${path}', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
    const times = { create_time: server.clock.now, update_time: server.clock.now }
    await runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
      await insert${singularType}(db, { code: 'b', name: 'Second', ...times })
      await insert${singularType}(db, { code: 'a', name: 'First', ...times })
    })
  }, 90_000)
  afterAll(() => server.close())

  it('lists ${text} by code, and finds them by name', async () => {
    const staff = await server.signIn('admin@m18')
    const readCodes = async (query: string) => {
      const { count, data } = (await staff.send({ url: \`/api/${path}?results=10&page=1\${query}\` })).json()
      return [count, data.map(({ code }: { code: string }) => code)]
    }
    expect(await readCodes('')).toEqual([2, ['a', 'b']])
    expect(await readCodes('&searchText=sec')).toEqual([1, ['b']])
  })

  it('sends the changes since a number', async () => {
    const staff = await server.signIn('admin@m18')
    const readChanges = async (since: number | '') =>
      (await staff.send({ url: \`/api/${path}?since=\${since}\` })).json()
    const { changed: allRows, upto: since } = await readChanges('')
    expect(allRows.length).toBe(2)
    await runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
      const change = await takeCatalogueChangeNumber(db)
      await db.updateTable('${table}').set({ name: 'Another', change }).where('code', '=', 'a').execute()
    })
    const { changed: changedRows } = await readChanges(since)
    expect(changedRows).toMatchObject([{ code: 'a', name: 'Another' }])
  })

  it('shows its rows to no query of another company', async () => {
    const { alpha, m18 } = server.world.companies
    const countRows = (companyId: number) =>
      runInTransaction(server.app, { role: 'portal_app', companyId }, async (db) =>
        (await db.selectFrom('${table}').select('id').execute()).length,
      )
    expect(await Promise.all([m18, alpha, 0].map(countRows))).toEqual([2, 0, 0])
  })

  it('rejects a customer (FORBIDDEN)', async () => {
    const customer = await server.signIn('admin@alpha')
    expect((await customer.send({ url: '/api/${path}' })).statusCode).toBe(403)
  })
})
`

export const buildPageTest = ({
  file,
  singularType,
  path,
  text,
}: NounNames) => `import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { insert${singularType} } from '#server/db/catalogue/${file}.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { findHeading } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()
const readNames = () => [...document.querySelectorAll('tbody tr:not(.waiting) .lines')].map((cell) => cell.textContent)

it('shows ${text}, searches them and keeps them offline', async () => {
  const { app, clock } = fixture.server
  await runInTransaction(app, { role: 'portal_system' }, async (db) => {
    for (const [code, name] of [['a', 'First'], ['b', 'Second']] as const)
      await insert${singularType}(db, { code, name, create_time: clock.now, update_time: clock.now })
  })
  await fixture.browser.openAs('admin@m18', '/app/m18/${path}')
  await findHeading('${capitalise(text)}')
  await expect.poll(readNames).toEqual(['First', 'Second'])
  fixture.browser.goOffline()
  await fixture.user.type(screen.getByRole('textbox', { name: 'Search by code or name' }), 'sec')
  await expect.poll(readNames).toEqual(['Second'])
  await fixture.user.type(screen.getByRole('textbox', { name: 'Search by code or name' }), 'x')
  await screen.findByRole('heading', { name: 'No ${text} match this search' })
})
`
