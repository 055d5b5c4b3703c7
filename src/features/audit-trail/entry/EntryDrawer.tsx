import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { isOffline } from '#contract/problem.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { useConnection, useDispatch, useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { Differences } from '#features/audit-trail/entry/Differences.tsx'
import { type AuditEntryResult, readEntry } from '#features/audit-trail/entry/read-entry.ts'
import { toRecordPath } from '#features/audit-trail/entry/record-path.ts'
import { useEntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'

const ProofView = lazy(async () => ({
  default: (await import(/* chunk: trail-device */ '#features/audit-trail/offline/ProofView.tsx')).ProofView,
}))

interface EntryDrawerProps {
  /** Of the entry. */
  id: number
  /** Whose log; null: the own company's. */
  companyId: number | null
  /** Those of the page behind it, in their order; undefined while it is not read. */
  rows: readonly AuditEntryRow[] | undefined
  onOpen: (id: number) => void
  onClose: () => void
}

/** All that an entry says. The arrow keys go to its neighbours in the list. */
export function EntryDrawer({ id, companyId, rows, onOpen, onClose }: EntryDrawerProps) {
  const { t } = useTranslation('audit')
  const entryFormatter = useEntryFormatter()
  const result = useEntry(id, companyId, rows)
  const index = rows?.findIndex((row) => row.id === id) ?? -1
  const getNeighbour = (offset: 1 | -1) => (index < 0 ? undefined : rows?.[index + offset])
  const [previous, next] = [getNeighbour(-1), getNeighbour(1)]
  useNeighbourKeys(previous?.id, next?.id, onOpen)
  const entry = result && typeof result !== 'string' && 'entry' in result ? result.entry : null
  const title = entry
    ? t('entry.title', { type: entryFormatter.formatType(entry), operation: entryFormatter.formatOperation(entry) })
    : t('entry.loading')
  const getEndReason = (end: 'firstOfPage' | 'lastOfPage') => t(index < 0 ? 'entry.alone' : `entry.${end}`)
  const neighbourButtons = (
    <span className="trail-neighbours">
      <Button
        icon="left"
        isIconOnly
        disabledReason={previous ? null : getEndReason('firstOfPage')}
        onClick={() => previous && onOpen(previous.id)}
      >
        {t('entry.previous')}
      </Button>
      <Button
        icon="right"
        isIconOnly
        disabledReason={next ? null : getEndReason('lastOfPage')}
        onClick={() => next && onOpen(next.id)}
      >
        {t('entry.next')}
      </Button>
    </span>
  )
  return (
    <Dialog open side="right" title={title} onClose={onClose} action={neighbourButtons} cancel={t('entry.close')}>
      <div className="trail-entry">{entry ? <EntryDetails entry={entry} /> : <MissingEntry result={result} />}</div>
    </Dialog>
  )
}

/** Heard wherever the focus is: a drawer has nothing else to do with these keys, and each has its button. */
function useNeighbourKeys(previousId: number | undefined, nextId: number | undefined, onOpen: (id: number) => void) {
  const onOpenRef = useRef(onOpen)
  useEffect(() => {
    onOpenRef.current = onOpen
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      if (event.target instanceof Element && event.target.closest('input, select, textarea')) return
      const targetId = { ArrowLeft: previousId, k: previousId, ArrowRight: nextId, j: nextId }[event.key]
      if (targetId === undefined) return
      event.preventDefault()
      onOpenRef.current(targetId)
    }
    // Before the others hear of it: the button that closes the drawer, where the focus begins, lets nothing pass.
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [previousId, nextId])
}

function EntryDetails({ entry }: { entry: AuditEntryRow }) {
  const { t } = useTranslation('audit')
  const { caller } = useSignedInSession()
  const { listFacts, formatValue, formatUser, formatStatus } = useEntryFormatter()
  const facts = listFacts({ ...entry, info: omitProblem(entry.info) })
  const recordPath = toRecordPath(entry, caller)
  return (
    <>
      <DescriptionList>
        <DescriptionItem label={t('entry.time')}>{entry.end_time}</DescriptionItem>
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
      {facts.length > 0 && (
        <section>
          <h3>{t('entry.about')}</h3>
          <DescriptionList>
            {facts.map(([label, value]) => (
              <DescriptionItem key={label} label={label}>
                {value}
              </DescriptionItem>
            ))}
          </DescriptionList>
          {recordPath !== null && (
            <p>
              <Link to={recordPath}>{t('entry.open', { name: facts[0]?.[1] })}</Link>
            </p>
          )}
        </section>
      )}
      {entry.changes.length > 0 && (
        <section>
          <h3>{t('entry.differences')}</h3>
          <Differences entry={entry} />
        </section>
      )}
      {hasNoChanges(entry) && (
        <section>
          <h3>{t('entry.differences')}</h3>
          <p>{t(entry.info['ChangeCount'] === 0 ? 'entry.unchanged' : 'entry.unrecorded')}</p>
        </section>
      )}
      <section>
        <DescriptionList>
          <DescriptionItem label={t('entry.id')}>{entry.id}</DescriptionItem>
          <DescriptionItem label={t('entry.number')}>
            {entry.log_index === null ? t('entry.recording') : formatNumber(entry.log_index)}
          </DescriptionItem>
          {entry.intent !== null && (
            <DescriptionItem label={t('entry.intent')}>
              <CopyText text={entry.intent} />
            </DescriptionItem>
          )}
          <DescriptionItem label={t('entry.request')}>
            <CopyText text={formatValue(entry.request_id)} />
          </DescriptionItem>
        </DescriptionList>
        {entry.intent !== null && (
          <p>
            <Link to={`?intent=${entry.intent}${toCompanyQuery(entry, caller.companyId)}`}>{t('entry.related')}</Link>
          </p>
        )}
      </section>
      <Suspense fallback={<Skeleton lines={1} />}>
        <ProofView key={entry.id} entry={entry} companyId={entry.company_id} />
      </Suspense>
    </>
  )
}

/** An update that names no field: it changed none, which it then says (`ChangeCount`), or is from before fields were recorded. */
const hasNoChanges = ({ operation, status, changes, info }: AuditEntryRow) =>
  operation === 'update' && status === 0 && changes.length === 0 && !('Field' in info)

const toCompanyQuery = (entry: AuditEntryRow, ownCompanyId: number) =>
  entry.company_id === ownCompanyId ? '' : `&company=${entry.company_id}`

const omitProblem = ({ problem: _one, ...info }: AuditEntryRow['info']) => info

function MissingEntry({ result }: { result: AuditEntryResult | undefined }) {
  const { t } = useTranslation('audit')
  if (result === undefined) return <Skeleton lines={6} />
  const isUnknown = result === 'unknown'
  if (!isUnknown && 'problem' in result && !isOffline(result.problem))
    return <ProblemNote problem={result.problem} shouldFocus />
  return (
    <>
      <h3>{t(isUnknown ? 'entry.missing' : 'entry.notHere')}</h3>
      <p>{t(isUnknown ? 'entry.missingText' : 'entry.notHereText')}</p>
    </>
  )
}

/** Of the page behind it, else asked for, and once more when the connection is back. Undefined: not known yet. */
function useEntry(id: number, companyId: number | null, rows: EntryDrawerProps['rows']): AuditEntryResult | undefined {
  const dispatch = useDispatch()
  const { networkState: connection } = useConnection()
  const [loadedEntry, setLoadedEntry] = useState<{ id: number; result: AuditEntryResult }>()
  const listedRow = rows?.find((row) => row.id === id)
  const isListed = listedRow !== undefined
  const isLoaded = loadedEntry?.id === id && loadedEntry.result !== 'unknown' && 'entry' in loadedEntry.result
  useEffect(() => {
    // What is shown stays, also when the page behind it lists something else by now.
    if (listedRow) setLoadedEntry({ id, result: { entry: listedRow } })
    // The row of that id never changes.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [id, isListed])
  const isPageRead = rows !== undefined
  // biome-ignore lint: the connection is not used, its coming back is the reason
  useEffect(() => {
    if (isListed || isLoaded || !isPageRead) return
    let isActive = true
    void dispatch(readEntry(id, companyId)).then((result) => isActive && setLoadedEntry({ id, result }))
    return () => void (isActive = false)
  }, [dispatch, id, companyId, isListed, isLoaded, isPageRead, connection])
  return listedRow ? { entry: listedRow } : loadedEntry?.id === id ? loadedEntry.result : undefined
}
