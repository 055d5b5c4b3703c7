import '#features/outbox/entries.css'
import { type Waiting, readEntries } from '#local/waiting.ts'
import { useLive } from '#state/live.ts'
import { EmptyState } from '#ui/EmptyState.tsx'
import { readingTime } from '#ui/Freshness.tsx'
import { Page } from '#ui/Page.tsx'
import { PendingMark } from '#ui/PendingMark.tsx'
import { Skeleton } from '#ui/Skeleton.tsx'
import { problemWords, useWords } from '#ui/words.ts'

/** What this device has recorded and the server has not accepted yet, oldest first. */
export function Outbox() {
  const t = useWords('plain')
  const entries = useLive(() => readEntries(), [])
  return (
    <Page title={t('outbox.title')} intro={t('outbox.lead')} width="narrow">
      <section className="card">
        {!entries && <Skeleton />}
        {entries?.length === 0 && (
          <EmptyState icon="check" title={t('outbox.empty')}>
            <p>{t('outbox.emptyText')}</p>
          </EmptyState>
        )}
        {entries && entries.length > 0 && (
          <ol className="waiting-writes" aria-label={t('outbox.title')}>
            {entries.map((entry) => (
              <Entry key={entry.intent} entry={entry} />
            ))}
          </ol>
        )}
      </section>
    </Page>
  )
}

function Entry({ entry }: { entry: Waiting }) {
  const t = useWords('plain')
  const kind = entry.table === 'users' || entry.table === 'companies' ? entry.table : 'other'
  return (
    <li>
      <div>
        <strong>{t(`outbox.kind.${kind}`)}</strong>
        <span className="field-help">{t('outbox.since', { at: readingTime(entry.since) })}</span>
        {entry.problem && <p className="field-error">{problemWords(entry.problem)}</p>}
      </div>
      <PendingMark state={entry.state} makes={entry.makes} />
    </li>
  )
}
