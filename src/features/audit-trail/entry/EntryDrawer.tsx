import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { isOffline } from '#contract/problem.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { useConnection, useDispatch, useSignedIn } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { Differences } from '#features/audit-trail/entry/Differences.tsx'
import { type Found, readEntry } from '#features/audit-trail/entry/read-entry.ts'
import { recordPath } from '#features/audit-trail/entry/record-path.ts'
import { useEntryWords } from '#features/audit-trail/entry-words.ts'

const ProofView = lazy(async () => ({
  default: (await import(/* chunk: trail-device */ '#features/audit-trail/offline/ProofView.tsx')).ProofView,
}))

interface Props {
  /** Of the entry. */
  id: number
  /** Whose log; null: the own company's. */
  company: number | null
  /** Those of the page behind it, in their order; undefined while it is not read. */
  rows: readonly AuditEntryRow[] | undefined
  onOpen: (id: number) => void
  onClose: () => void
}

/** All that an entry says. The arrow keys go to its neighbours in the list. */
export function EntryDrawer({ id, company, rows, onOpen, onClose }: Props) {
  const { t } = useTranslation('audit')
  const words = useEntryWords()
  const found = useEntry(id, company, rows)
  const at = rows?.findIndex((row) => row.id === id) ?? -1
  const neighbour = (by: 1 | -1) => (at < 0 ? undefined : rows?.[at + by])
  const [previous, next] = [neighbour(-1), neighbour(1)]
  useNeighbourKeys(previous?.id, next?.id, onOpen)
  const entry = found && typeof found !== 'string' && 'entry' in found ? found.entry : null
  const title = entry
    ? t('entry.title', { type: words.typeOf(entry), operation: words.operationOf(entry) })
    : t('entry.loading')
  const whyNot = (end: 'firstOfPage' | 'lastOfPage') => t(at < 0 ? 'entry.alone' : `entry.${end}`)
  const act = (
    <span className="trail-neighbours">
      <Button
        icon="left"
        bare
        whyNot={previous ? null : whyNot('firstOfPage')}
        onClick={() => previous && onOpen(previous.id)}
      >
        {t('entry.previous')}
      </Button>
      <Button icon="right" bare whyNot={next ? null : whyNot('lastOfPage')} onClick={() => next && onOpen(next.id)}>
        {t('entry.next')}
      </Button>
    </span>
  )
  return (
    <Dialog open side="right" title={title} onClose={onClose} act={act} cancel={t('entry.close')}>
      <div className="trail-entry">{entry ? <Shown entry={entry} /> : <Missing found={found} />}</div>
    </Dialog>
  )
}

/** Heard wherever the focus is: a drawer has nothing else to do with these keys, and each has its button. */
function useNeighbourKeys(previous: number | undefined, next: number | undefined, onOpen: (id: number) => void) {
  const open = useRef(onOpen)
  useEffect(() => {
    open.current = onOpen
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      if (event.target instanceof Element && event.target.closest('input, select, textarea')) return
      const to = { ArrowLeft: previous, k: previous, ArrowRight: next, j: next }[event.key]
      if (to === undefined) return
      event.preventDefault()
      open.current(to)
    }
    // Before the others hear of it: the button that closes the drawer, where the focus begins, lets nothing pass.
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [previous, next])
}

function Shown({ entry }: { entry: AuditEntryRow }) {
  const { t } = useTranslation('audit')
  const { caller } = useSignedIn()
  const { factsOf, valueOf, whoOf, statusOf } = useEntryWords()
  const facts = factsOf({ ...entry, info: withoutProblem(entry.info) })
  const to = recordPath(entry, caller)
  return (
    <>
      <Facts>
        <Fact label={t('entry.time')}>{entry.end_time}</Fact>
        <Fact label={t('entry.who')}>{whoOf(entry)}</Fact>
        <Fact label={t('entry.status')}>
          <Tag tone={entry.status === -1 ? 'danger' : 'positive'}>{statusOf(entry)}</Tag>
        </Fact>
        {'problem' in entry.info && (
          <Fact label={t('entry.why')}>
            {factsOf({ code: entry.code, info: { problem: entry.info['problem'] ?? null } })[0]?.[1]}
          </Fact>
        )}
      </Facts>
      {facts.length > 0 && (
        <section>
          <h3>{t('entry.about')}</h3>
          <Facts>
            {facts.map(([label, value]) => (
              <Fact key={label} label={label}>
                {value}
              </Fact>
            ))}
          </Facts>
          {to !== null && (
            <p>
              <Link to={to}>{t('entry.open', { name: facts[0]?.[1] })}</Link>
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
      {isSilent(entry) && (
        <section>
          <h3>{t('entry.differences')}</h3>
          <p>{t(entry.info['ChangeCount'] === 0 ? 'entry.unchanged' : 'entry.unrecorded')}</p>
        </section>
      )}
      <section>
        <Facts>
          <Fact label={t('entry.id')}>{entry.id}</Fact>
          <Fact label={t('entry.number')}>
            {entry.log_index === null ? t('entry.recording') : number(entry.log_index)}
          </Fact>
          {entry.intent !== null && (
            <Fact label={t('entry.intent')}>
              <CopyText text={entry.intent} />
            </Fact>
          )}
          <Fact label={t('entry.request')}>
            <CopyText text={valueOf(entry.request_id)} />
          </Fact>
        </Facts>
        {entry.intent !== null && (
          <p>
            <Link to={`?intent=${entry.intent}${companyPart(entry, caller.companyId)}`}>{t('entry.related')}</Link>
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
const isSilent = ({ operation, status, changes, info }: AuditEntryRow) =>
  operation === 'update' && status === 0 && changes.length === 0 && !('Field' in info)

const companyPart = (entry: AuditEntryRow, own: number) =>
  entry.company_id === own ? '' : `&company=${entry.company_id}`

const withoutProblem = ({ problem: _one, ...info }: AuditEntryRow['info']) => info

function Missing({ found }: { found: Found | undefined }) {
  const { t } = useTranslation('audit')
  if (found === undefined) return <Skeleton lines={6} />
  const isUnknown = found === 'unknown'
  if (!isUnknown && 'problem' in found && !isOffline(found.problem))
    return <ProblemNote problem={found.problem} focus />
  return (
    <>
      <h3>{t(isUnknown ? 'entry.missing' : 'entry.notHere')}</h3>
      <p>{t(isUnknown ? 'entry.missingText' : 'entry.notHereText')}</p>
    </>
  )
}

/** Of the page behind it, else asked for, and once more when the connection is back. Undefined: not known yet. */
function useEntry(id: number, company: number | null, rows: Props['rows']): Found | undefined {
  const dispatch = useDispatch()
  const { line } = useConnection()
  const [found, setFound] = useState<{ id: number; was: Found }>()
  const listed = rows?.find((row) => row.id === id)
  const isListed = listed !== undefined
  const known = found?.id === id && found.was !== 'unknown' && 'entry' in found.was
  useEffect(() => {
    // What is shown stays, also when the page behind it lists something else by now.
    if (listed) setFound({ id, was: { entry: listed } })
    // The row of that id never changes.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [id, isListed])
  const isRead = rows !== undefined
  // biome-ignore lint: the connection is not used, its coming back is the reason
  useEffect(() => {
    if (isListed || known || !isRead) return
    let counts = true
    void dispatch(readEntry(id, company)).then((was) => counts && setFound({ id, was }))
    return () => void (counts = false)
  }, [dispatch, id, company, isListed, known, isRead, line])
  return listed ? { entry: listed } : found?.id === id ? found.was : undefined
}
