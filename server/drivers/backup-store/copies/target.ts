/**
 * Stores each copy in a schema, so that customers can read it with their usual tools. Copies are not encrypted: the access rights of that
 * database decide who may read them. A digest proves that the content is unchanged.
 */
import { randomBytes } from 'node:crypto'
import type { CopyTarget } from '#server/drivers/backup-store/copies/copy-target.ts'
import { requireSchemaName, quoteIdentifier } from '#server/drivers/backup-store/copies/names.ts'
import { readCopy } from '#server/drivers/backup-store/copies/reader.ts'
import { type CopyConnections, withSession, openSession } from '#server/drivers/backup-store/copies/session.ts'
import { CopyWriter } from '#server/drivers/backup-store/copies/writer.ts'

export function createCopyTarget(connections: CopyConnections): CopyTarget {
  return {
    name: connections.name,
    async write(schemaName, pieces) {
      const name = requireSchemaName(schemaName)
      // Other sessions cannot see the draft schema before the commit.
      const draft = `draft_${randomBytes(8).toString('hex')}`
      return withSession(connections, 'begin', async (session) => {
        const writer = new CopyWriter(session, draft, connections.hasRoom)
        await writer.begin()
        for await (const piece of pieces) await writer.add(piece)
        return { bytes: await writer.finish(name) }
      })
    },
    async *read(schemaName) {
      const name = requireSchemaName(schemaName)
      const { session, release } = await openSession(connections, 'begin isolation level repeatable read read only')
      try {
        yield* readCopy(session, name)
      } finally {
        await release()
      }
    },
    async list(prefix) {
      const rows = await withSession(connections, 'begin read only', (session) =>
        session.query(
          `select nspname::text from pg_namespace where starts_with(nspname, 'copy_') and starts_with(nspname, $1)
            order by nspname collate "C"`,
          [prefix],
        ),
      )
      return rows.map(([name]) => name ?? '')
    },
    async remove(schemaName) {
      const name = quoteIdentifier(requireSchemaName(schemaName))
      await withSession(connections, 'begin', (session) => session.query(`drop schema if exists ${name} cascade`))
    },
    close: () => connections.close(),
  }
}
