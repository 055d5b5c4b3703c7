/** One company does not take the connections that others wait for (decision 70). */
import { expect, test } from 'vitest'
import { inTransaction, type Scope } from '#server/db/transaction.ts'
import { onBothEngines } from '#tests/support/server/database.ts'

const of = (companyId: number): Scope => ({ role: 'portal_app', companyId })

onBothEngines('transactions of a company', (the, engine) => {
  // How soon PostgreSQL opens connections is its own matter.
  if (engine === 'embedded')
    test('fault 16i wait for each other, and another company waits for few', async () => {
      const order: string[] = []
      const run = (name: string, companyId: number) =>
        inTransaction(the, of(companyId), async (db) => {
          await db.selectFrom('company').select('id').execute()
          order.push(name)
        })
      const all = Array.from({ length: 40 }, (_, at) => run(`one ${at}`, 1))
      await Promise.all([...all, run('another', 2)])
      expect(order.indexOf('another')).toBeLessThan(15)
      expect(order).toHaveLength(41)
    })
  else
    test('fault 16i that hang leave connections to other companies', async () => {
      let release = () => {}
      const released = new Promise<void>((done) => (release = done))
      const hanging = Array.from({ length: 30 }, () => inTransaction(the, of(1), () => released))
      expect(await inTransaction(the, of(2), async () => 'done')).toBe('done')
      release()
      await Promise.all(hanging)
    })
})
