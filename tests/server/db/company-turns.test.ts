/** Tests that one company cannot use up the connections that other companies need (decision 70). */
import { expect, test } from 'vitest'
import { runInTransaction, type TransactionScope } from '#server/db/transaction.ts'
import { onBothEngines } from '#tests/support/server/database.ts'

const createScope = (companyId: number): TransactionScope => ({ role: 'portal_app', companyId })

onBothEngines('transactions of a company', (app, engine) => {
  // Runs only on the embedded engine: on PostgreSQL the order also depends on the time that opening a connection takes.
  if (engine === 'embedded')
    test('run one after another, and another company waits for only a few of them (fault 16i)', async () => {
      const order: string[] = []
      const runNamed = (name: string, companyId: number) =>
        runInTransaction(app, createScope(companyId), async (db) => {
          await db.selectFrom('company').select('id').execute()
          order.push(name)
        })
      const runs = Array.from({ length: 40 }, (_, index) => runNamed(`one ${index}`, 1))
      await Promise.all([...runs, runNamed('another', 2)])
      expect(order.indexOf('another')).toBeLessThan(15)
      expect(order).toHaveLength(41)
    })
  else
    test('leave connections free for other companies if they hang (fault 16i)', async () => {
      let release = () => {}
      const releasePromise = new Promise<void>((resolve) => (release = resolve))
      const hangingTransactions = Array.from({ length: 30 }, () =>
        runInTransaction(app, createScope(1), () => releasePromise),
      )
      expect(await runInTransaction(app, createScope(2), async () => 'done')).toBe('done')
      release()
      await Promise.all(hangingTransactions)
    })
})
