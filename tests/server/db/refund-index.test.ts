/** Tests that the query of unsettled refunds uses its index. */
import { CompiledQuery, PostgresQueryCompiler, type KyselyPlugin, type RootOperationNode } from 'kysely'
import { expect, it } from 'vitest'
import { listUnsettledRefunds } from '#server/db/payments/refunds.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { onBothEngines } from '#tests/support/server/database.ts'

onBothEngines('unsettled refunds', (context) => {
  it('are read by the index refund_unseen', async () => {
    const nodes: RootOperationNode[] = []
    const recorder: KyselyPlugin = {
      transformQuery({ node }) {
        nodes.push(node)
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const plan = await runInTransaction(context, { role: 'portal_system' }, async (db) => {
      await listUnsettledRefunds(db.withPlugin(recorder))
      const [node] = nodes
      if (!node) throw new Error('nothing was queried')
      const { sql, parameters, queryId } = new PostgresQueryCompiler().compileQuery(node, { queryId: 'unsettled' })
      // An empty table is read without an index otherwise.
      await db.executeQuery(CompiledQuery.raw('set local enable_seqscan = off'))
      const { rows } = await db.executeQuery(CompiledQuery.raw(`explain ${sql}`, [...parameters]))
      return { queryId, text: JSON.stringify(rows) }
    })
    expect(plan.text).toContain('refund_unseen')
  })
})
