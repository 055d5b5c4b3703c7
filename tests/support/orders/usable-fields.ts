/** What a price list needs to be confirmed, as it is sent. */
import type { SignedIn } from '#tests/support/server/server.ts'

const charge = { hkd: '3.00', usd: '2.00', rmb: '1.00' }

/** Ranges for both user modes, and one module that needs no other. */
export async function usableFields(by: SignedIn) {
  const modules = (await by.send({ url: '/api/module/info' })).json() as { id: number; code: string }[]
  const core = modules.find(({ code }) => code === 'core')
  const all = [{ from: 1, to: 999_999, ...charge }]
  return { concurrentUser: all, namedUser: all, module: [{ code: 'core', module_id: core?.id ?? 0, ...charge }] }
}
