import { lazy, Suspense } from 'react'
import { Link } from 'react-router-dom'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { CopyText } from '#ui/display/CopyText.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
import { useTranslation } from 'react-i18next'
import { Differences } from '#features/audit-trail/entry/Differences.tsx'
import { toRecordPath } from '#features/audit-trail/entry/record-path.ts'
import { useEntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'

const ProofView = lazy(async () => ({
  default: (await import(/* chunk: trail-device */ '#features/audit-trail/offline/ProofView.tsx')).ProofView,
}))

interface EntryProps {
  entry: AuditEntryRow
}

/** Shows the differences first, because they say more than the facts. Codes and numbers for support and auditors are last. */
export function EntryDetails({ entry }: EntryProps) {
  return (
    <>
      <EntryHead entry={entry} />
      <EntryChanges entry={entry} />
      <EntryFacts entry={entry} />
      <Suspense fallback={<Skeleton lines={1} />}>
        <ProofView key={entry.id} entry={entry} companyId={entry.company_id} />
      </Suspense>
    </>
  )
}

function EntryHead({ entry }: EntryProps) {
  const { t } = useTranslation('audit')
  const { listFacts, formatUser, formatStatus } = useEntryFormatter()
  return (
    <DescriptionList>
      <DescriptionItem label={t('entry.time')}>
        <BusinessTime time={entry.end_time} />
      </DescriptionItem>
      <DescriptionItem label={t('entry.who')}>{formatUser(entry)}</DescriptionItem>
      <DescriptionItem label={t('entry.status')}>
        <Tag tone={entry.status === -1 ? 'danger' : 'positive'}>{formatStatus(entry)}</Tag>
      </DescriptionItem>
      {'problem' in entry.info && (
        <DescriptionItem label={t('entry.why')}>
          {listFacts({ code: entry.code, info: { problem: entry.info['problem'] ?? null } })[0]?.[1]}
        </DescriptionItem>
      )}
    </DescriptionList>
  )
}

/**
 * Lists the changed fields. If an update has no fields, it either changed nothing (`ChangeCount` is 0) or was made before changed fields
 * were recorded.
 */
function EntryChanges({ entry }: EntryProps) {
  const { t } = useTranslation('audit')
  const { operation, status, changes, info } = entry
  const isUpdate = operation === 'update' && status === 0 && !('Field' in info)
  if (changes.length === 0 && !isUpdate) return null
  return (
    <section>
      <h2>{t('entry.differences')}</h2>
      {changes.length > 0 ? (
        <Differences entry={entry} />
      ) : (
        <p>{t(info['ChangeCount'] === 0 ? 'entry.unchanged' : 'entry.unrecorded')}</p>
      )}
    </section>
  )
}

function EntryFacts({ entry }: EntryProps) {
  const { t } = useTranslation('audit')
  const { caller } = useSignedInSession()
  const { formatOperation, formatType, listFacts } = useEntryFormatter()
  const { problem: _problem, ...info } = entry.info
  const facts = listFacts({ ...entry, info })
  const [mainFact] = facts
  const recordPath = toRecordPath(entry, caller)
  return (
    <section>
      <h2>{t('entry.details')}</h2>
      <DescriptionList>
        <DescriptionItem label={t('column.type')}>{formatType(entry)}</DescriptionItem>
        <DescriptionItem label={t('column.operation')}>{formatOperation(entry)}</DescriptionItem>
        {facts.map(([label, value]) => (
          <DescriptionItem key={label} label={label}>
            {value}
          </DescriptionItem>
        ))}
        <EntryNumbers entry={entry} />
      </DescriptionList>
      <p className="trail-entry-links">
        {mainFact && recordPath !== null && <Link to={recordPath}>{t('entry.open', { name: mainFact[1] })}</Link>}
        <RelatedLinks entry={entry} />
      </p>
    </section>
  )
}

function EntryNumbers({ entry: { id, log_index: logIndex, intent, request_id: requestId } }: EntryProps) {
  const { t } = useTranslation('audit')
  const { formatValue } = useEntryFormatter()
  return (
    <>
      <DescriptionItem label={t('entry.id')}>{id}</DescriptionItem>
      <DescriptionItem label={t('entry.number')}>
        {logIndex === null ? t('entry.recording') : formatNumber(logIndex)}
      </DescriptionItem>
      {intent !== null && (
        <DescriptionItem label={t('entry.intent')}>
          <CopyText text={intent} />
        </DescriptionItem>
      )}
      <DescriptionItem label={t('entry.request')}>
        <CopyText text={formatValue(requestId)} />
      </DescriptionItem>
    </>
  )
}

/** Links to the other entries of the same change, and to all entries with the same operation. */
function RelatedLinks({ entry: { code, operation, intent, company_id: companyId } }: EntryProps) {
  const { t } = useTranslation('audit')
  const { caller } = useSignedInSession()
  const company: Record<string, string> = companyId === caller.companyId ? {} : { company: String(companyId) }
  const buildPath = (filter: Record<string, string>) => `?${new URLSearchParams({ ...filter, ...company })}`
  return (
    <>
      {intent !== null && <Link to={buildPath({ intent })}>{t('entry.related')}</Link>}
      <Link to={buildPath({ code, operation })}>{t('entry.sameOperation')}</Link>
    </>
  )
}
