import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { userListSpec } from '#contract/users.ts'
import { usersView } from '#features/users/view.ts'
import { filterAndSort } from '#patterns/list-export/fetch-all-rows.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

describe('the complete list in one response', () => {
  let server: TestServer
  let admin: SignedIn
  beforeAll(async () => {
    server = await startServer()
    await server.reset()
    admin = await server.signIn('admin@alpha')
    const payload = { title: 0, name: 'élodie Ünal', email: 'Élodie@alpha.example' }
    await admin.send({ method: 'POST', url: '/api/m18s/user', payload })
  })
  afterAll(() => server.close())
  const listUsers = async (query: string) =>
    (await admin.send({ url: `/api/m18s/company/${server.world.companies.alpha}/users?${query}` })).json()

  test.each([
    '',
    'includedDel=true&sortField=name',
    'statusType=1&sortField=email&sortOrder=desc',
    'searchText=ALPHA.EX&sortField=update_time&sortOrder=desc',
    'statusType=-2',
  ])('contains exactly the rows that the server lists for "%s" (C-08)', async (query) => {
    const { changed: changedRows } = await listUsers('since=')
    const { data } = await listUsers(`results=50&${query}`)
    expect(data.length).toBeGreaterThan(0)
    const pageQuery = usersView.toListQuery(usersView.read(new URLSearchParams(query)))
    expect(filterAndSort(userListSpec, changedRows, pageQuery)).toEqual(data)
  })
})
