import '#features/outbox/entries.css'
import { useState } from 'react'
import type { Desk } from '#request/result.ts'
import { readRow } from '#local/lists.ts'
import { readEntries, type Waiting } from '#local/waiting.ts'
import { useLive } from '#state/live.ts'
import { Button } from '#ui/Button.tsx'
import { EmptyState } from '#ui/EmptyState.tsx'
import { Page } from '#ui/Page.tsx'
import { Skeleton } from '#ui/Skeleton.tsx'
import { useWords } from '#ui/words.ts'
import { DropDialog } from '#features/outbox/components/DropDialog.tsx'
import { Entry } from '#features/outbox/components/Entry.tsx'

/** What this device has recorded and the server has not accepted yet, oldest first, and what can be done about each. */
export function Outbox({ desk }: { desk: Desk }) {
  const t = useWords('outbox')
  const entries = useLive(readNamed, [])
  const [dropping, setDropping] = useState<Waiting | null>(null)
  const canGo = entries?.some(({ entry }) => entry.state === 'waiting')
  return (
    <Page
      title={t('title')}
      intro={t('lead')}
      width="narrow"
      action={
        canGo && (
          <Button icon="refresh" onClick={() => void desk.sendNow()}>
            {t('act.sendNow')}
          </Button>
        )
      }
    >
      <section className="card">
        {!entries && <Skeleton />}
        {entries?.length === 0 && (
          <EmptyState icon="check" title={t('empty')}>
            <p>{t('emptyText')}</p>
          </EmptyState>
        )}
        {entries && entries.length > 0 && (
          <ol className="waiting-writes" aria-label={t('title')}>
            {entries.map(({ entry, name, isOld }) => (
              <Entry
                key={entry.intent}
                entry={entry}
                all={entries.map((one) => one.entry)}
                name={name}
                isOld={isOld}
                desk={desk}
                onDrop={() => setDropping(entry)}
              />
            ))}
          </ol>
        )}
      </section>
      {dropping && <DropDialog entry={dropping} desk={desk} onClose={() => setDropping(null)} />}
    </Page>
  )
}

const oldMs = 30 * 86_400_000

/** Each with what its row is called, its own wish laid over it. */
async function readNamed(): Promise<{ entry: Waiting; name: string | null; isOld: boolean }[]> {
  const entries = await readEntries()
  return await Promise.all(
    entries.map(async (entry) => ({ entry, name: await nameOf(entry), isOld: Date.now() - entry.since > oldMs })),
  )
}

async function nameOf({ table, target, intent, asked }: Waiting): Promise<string | null> {
  const shown = await readRow(table, target ?? `~${intent}`)
  const said = { ...(asked.body as object | undefined), ...shown?.row } as { name?: unknown; code?: unknown }
  const name = said.name ?? said.code
  return typeof name === 'string' && name !== '' ? name : null
}
