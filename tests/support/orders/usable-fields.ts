/** Builds the input fields of a price list that can be confirmed. */
import type { SignedIn } from '#tests/support/server/server.ts'

const charge = { hkd: '3.00', usd: '2.00', rmb: '1.00' }

/** Returns ranges for both user modes, and one module without dependencies. */
export async function buildUsableFields(caller: SignedIn) {
  const modules = (await caller.send({ url: '/api/module/info' })).json() as { id: number; code: string }[]
  const core = modules.find(({ code }) => code === 'core')
  const allUsers = [{ from: 1, to: 999_999, ...charge }]
  return {
    concurrentUser: allUsers,
    namedUser: allUsers,
    module: [{ code: 'core', module_id: core?.id ?? 0, ...charge }],
  }
}
