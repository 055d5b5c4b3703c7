import { readUnknownCalls } from '#local/outbox/direct-calls.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { useAgo, useEntryMessages } from '#features/outbox/entry-messages.ts'

/** Lists calls whose response was lost. Their outcome is unknown, and users should not repeat them (protocol 13). */
export function UnknownCalls({ now }: { now: number }) {
  const { t } = useTranslation('outbox')
  const { describeCall } = useEntryMessages()
  const formatAgo = useAgo()
  const calls = useLiveQuery(() => readUnknownCalls(), [])
  if (!calls || calls.length === 0) return null
  return (
    <section className="card unknowns" aria-labelledby="unknowns">
      <h2 id="unknowns">
        <Icon name="info" />
        {t('unknown.title')}
      </h2>
      <p>{t('unknown.text')}</p>
      <ul className="writes">
        {calls.map(({ intent, endpoint, since, name }) => (
          <li key={intent} className="write">
            <div className="write-head">
              <h3>{describeCall(endpoint, name)}</h3>
              <Tag tone="warning">{t('unknown.state')}</Tag>
            </div>
            <p className="write-about">
              <time dateTime={new Date(since).toISOString()}>{t('unknown.since', { age: formatAgo(since, now) })}</time>
            </p>
            <p className="write-about">
              {t('receipts.number')}&nbsp;
              <CopyText text={intent} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
