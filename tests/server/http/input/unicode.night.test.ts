/** Text of any kind is stored in one form or refused, and comes back as it was stored (F-03, S-14). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let admin: SignedIn
beforeAll(async () => {
  server = await startServer()
  admin = await server.signIn('admin@alpha')
})
afterAll(() => server.close())

const url = () => `/api/m18s/company/${server.world.companies.alpha}`
/** The status, and what is then read. */
async function stored(addr1: string): Promise<[status: number, read: string | null]> {
  const answer = await admin.send({ method: 'PUT', url: url(), payload: { addr1 } })
  return [answer.statusCode, (await admin.send({ url: url() })).json().addr1]
}
const wasSaid = async (text: string) => {
  const before = (await admin.send({ url: url() })).json().addr1
  const [status, read] = await stored(text)
  // Nothing but spaces is as good as nothing.
  if (status === 200) expect(read ?? '').toBe(text.normalize('NFC').trim())
  else expect([status, read]).toEqual([400, before])
  return status
}

test.each([
  ['composed', 'é', 200],
  ['decomposed', 'e\u0301', 200],
  ['a letter that is another one by form', 'Å', 200],
  ['four bytes', '𠮷野家 🏢', 200],
  ['from right to left', 'רחוב 7', 200],
  ['marks that turn the direction', 'a\u202eb', 400],
  ['NUL', 'a\u0000b', 400],
  ['half a pair', 'a\ud83d', 400],
  ['64 kB', '中'.repeat(64_000), 400],
])('%s (F-03, S-14)', async (_, text, status) => {
  expect(await wasSaid(text)).toBe(status)
})

test('any text at all, of any characters, is stored as NFC or refused (F-03, S-14)', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.string({ unit: fc.constantFrom('e', '\u0301', '\u200d', '👩', '\u202e', '\u0000', '\ud83d', ' ', 'ﬁ', 'İ') }),
  )
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(text, async (one) => void seen.add(await wasSaid(one))),
    { numRuns: 150 },
  )
  expect([...seen].toSorted()).toEqual([200, 400])
})

describe('a name', () => {
  const create = (name: string) =>
    admin.send({ method: 'POST', url: '/api/m18s/user', payload: { name, email: 'line@alpha.example', title: 0 } })

  test.each([
    ['of two lines', 'Ann\r\nBcc: all@alpha.example', 'INVALID_FORMAT'],
    ['that turns what stands beside it', 'Ann \u202egnp.exe', 'HIDDEN_CHARACTER'],
    ['with a tab', 'Ann\tLee', 'INVALID_FORMAT'],
  ])('%s is refused, and nothing is stored (F-06)', async (_, name, code) => {
    const answer = await create(name)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().data).toMatchObject([{ field: 'name', code }])
    expect((await admin.send({ url: `${url()}/users?searchText=line@alpha` })).json().count).toBe(0)
  })

  test('of any script and with signs of its own is taken', async () => {
    const name = 'Zoë 👩‍💻 陳大文 עמית'
    const answer = await create(name)
    expect([answer.statusCode, answer.json().name]).toEqual([200, name])
  })
})
