/** Tests that text is stored in its normal form or rejected, and is returned as it was stored (F-03, S-14). */
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

const getUrl = () => `/api/m18s/company/${server.world.companies.alpha}`
/** Stores an address. Returns the status and the value that is read afterwards. */
async function storeAddress(addr1: string): Promise<[status: number, read: string | null]> {
  const response = await admin.send({ method: 'PUT', url: getUrl(), payload: { addr1 } })
  return [response.statusCode, (await admin.send({ url: getUrl() })).json().addr1]
}
const expectStored = async (text: string) => {
  const previousText = (await admin.send({ url: getUrl() })).json().addr1
  const [status, storedText] = await storeAddress(text)
  // Text that consists only of spaces is stored as empty.
  if (status === 200) expect(storedText ?? '').toBe(text.normalize('NFC').trim())
  else expect([status, storedText]).toEqual([400, previousText])
  return status
}

test.each([
  ['composed', 'é', 200],
  ['decomposed', 'e\u0301', 200],
  ['a compatibility letter', 'Å', 200],
  ['characters of four bytes', '𠮷野家 🏢', 200],
  ['right-to-left text', 'רחוב 7', 200],
  ['direction marks', 'a\u202eb', 400],
  ['a NUL character', 'a\u0000b', 400],
  ['half a surrogate pair', 'a\ud83d', 400],
  ['64 kB', '中'.repeat(64_000), 400],
])('An address is stored as NFC or rejected: %s (F-03, S-14)', async (_, text, status) => {
  expect(await expectStored(text)).toBe(status)
})

test('An address of any characters is stored as NFC or rejected (F-03, S-14)', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.string({ unit: fc.constantFrom('e', '\u0301', '\u200d', '👩', '\u202e', '\u0000', '\ud83d', ' ', 'ﬁ', 'İ') }),
  )
  const seenStatuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(text, async (storedText) => void seenStatuses.add(await expectStored(storedText))),
    { numRuns: 150 },
  )
  expect([...seenStatuses].toSorted()).toEqual([200, 400])
})

describe('the name of a new user', () => {
  const createUser = (name: string) =>
    admin.send({ method: 'POST', url: '/api/m18s/user', payload: { name, email: 'line@alpha.example', title: 0 } })

  test.each([
    ['a line break', 'Ann\r\nBcc: all@alpha.example', 'INVALID_FORMAT'],
    ['a direction mark', 'Ann \u202egnp.exe', 'HIDDEN_CHARACTER'],
    ['a tab', 'Ann\tLee', 'INVALID_FORMAT'],
  ])('is rejected if it contains %s, and nothing is stored (F-06)', async (_, name, code) => {
    const response = await createUser(name)
    expect(response.statusCode).toBe(400)
    expect(response.json().data).toMatchObject([{ field: 'name', code }])
    expect((await admin.send({ url: `${getUrl()}/users?searchText=line@alpha` })).json().count).toBe(0)
  })

  test('is accepted in any script and with emoji', async () => {
    const name = 'Zoë 👩‍💻 陳大文 עמית'
    const response = await createUser(name)
    expect([response.statusCode, response.json().name]).toEqual([200, name])
  })
})
