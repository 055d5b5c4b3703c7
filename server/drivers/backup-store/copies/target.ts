/**
 * Copies in a second database: a schema each, which people can read with the tools that they know. Not encrypted by us: who may read
 * it is for the rights of that database, and that it is what was written is proven by its digest.
 */
import { randomBytes } from 'node:crypto'
import type { CopyTarget } from '#server/drivers/backup-store/driver.ts'
import { checkedPlace, quoted } from '#server/drivers/backup-store/copies/names.ts'
import { readCopy } from '#server/drivers/backup-store/copies/reader.ts'
import { type Connections, inSession, openSession } from '#server/drivers/backup-store/copies/session.ts'
import { CopyWriter } from '#server/drivers/backup-store/copies/writer.ts'

export function copyTarget(connections: Connections): CopyTarget {
  return {
    name: connections.name,
    async write(place, pieces) {
      const name = checkedPlace(place)
      // Nobody sees it before the end: it is in no transaction but this one.
      const draft = `draft_${randomBytes(8).toString('hex')}`
      return inSession(connections, 'begin', async (session) => {
        const writer = new CopyWriter(session, draft, connections.hasRoom)
        await writer.begin()
        for await (const piece of pieces) await writer.add(piece)
        return { bytes: await writer.finish(name) }
      })
    },
    async *read(place) {
      const name = checkedPlace(place)
      const { session, giveBack } = await openSession(connections, 'begin isolation level repeatable read read only')
      try {
        yield* readCopy(session, name)
      } finally {
        await giveBack()
      }
    },
    async list(prefix) {
      const rows = await inSession(connections, 'begin read only', (session) =>
        session.ask(
          `select nspname::text from pg_namespace where starts_with(nspname, 'copy_') and starts_with(nspname, $1)
            order by nspname collate "C"`,
          [prefix],
        ),
      )
      return rows.map(([name]) => name ?? '')
    },
    async remove(place) {
      const name = quoted(checkedPlace(place))
      await inSession(connections, 'begin', (session) => session.ask(`drop schema if exists ${name} cascade`))
    },
    close: () => connections.close(),
  }
}
