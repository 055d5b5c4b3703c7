import { useEffect, useRef } from 'react'
import { isOffline } from '#contract/problem.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { EntryDetails } from '#features/audit-trail/entry/EntryDetails.tsx'
import { useEntry } from '#features/audit-trail/entry/useEntry.ts'
import { removeIsolates } from '#features/audit-trail/sentence/isolated-text.ts'
import { useEntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'

interface EntryDrawerProps {
  id: number
  /** Company of the log; null for the user's own company. */
  companyId: number | null
  /** Entries of the list behind the drawer, in order; undefined until they were read. */
  rows: readonly AuditEntryRow[] | undefined
  onOpen: (id: number) => void
  onClose: () => void
}

/** Shows all fields of an entry. The arrow keys open the previous and the next entry of the list. */
export function EntryDrawer({ id, companyId, rows, onOpen, onClose }: EntryDrawerProps) {
  const { t } = useTranslation('audit')
  const { formatSentence } = useEntryFormatter()
  const result = useEntry(id, companyId, rows)
  const entry = typeof result === 'object' && 'entry' in result ? result.entry : null
  return (
    <Dialog
      open
      side="right"
      title={entry ? removeIsolates(formatSentence(entry)) : t('entry.loading')}
      onClose={onClose}
      action={<NeighbourButtons id={id} rows={rows} onOpen={onOpen} />}
      cancel={t('entry.close')}
    >
      <div className="trail-entry">{entry ? <EntryDetails entry={entry} /> : <MissingEntry result={result} />}</div>
    </Dialog>
  )
}

function NeighbourButtons({ id, rows = [], onOpen }: Pick<EntryDrawerProps, 'id' | 'rows' | 'onOpen'>) {
  const { t } = useTranslation('audit')
  const index = rows.findIndex((row) => row.id === id)
  const previousId = rows[index - 1]?.id
  const nextId = index < 0 ? undefined : rows[index + 1]?.id
  useNeighbourKeys(previousId, nextId, onOpen)
  const renderButton = (direction: 'previous' | 'next', neighbourId: number | undefined) => (
    <Button
      icon={direction === 'previous' ? 'left' : 'right'}
      isIconOnly
      disabledReason={
        neighbourId === undefined
          ? t(index < 0 ? 'entry.alone' : direction === 'previous' ? 'entry.firstOfPage' : 'entry.lastOfPage')
          : null
      }
      onClick={() => neighbourId !== undefined && onOpen(neighbourId)}
    >
      {t(`entry.${direction}`)}
    </Button>
  )
  return (
    <span className="trail-neighbours">
      {renderButton('previous', previousId)}
      {renderButton('next', nextId)}
    </span>
  )
}

/** Opens the previous or next entry on arrow keys, and on k and j. The focus may be anywhere except in an input field. */
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
    // Listens in the capture phase: the close button, which has the initial focus, stops the propagation of every key.
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [previousId, nextId])
}

function MissingEntry({ result }: { result: ReturnType<typeof useEntry> }) {
  const { t } = useTranslation('audit')
  if (result === 'loading') return <Skeleton lines={6} />
  const isUnknown = result === 'unknown'
  if (!isUnknown && 'problem' in result && !isOffline(result.problem))
    return <ProblemNote problem={result.problem} shouldFocus />
  return (
    <>
      <h2>{t(isUnknown ? 'entry.missing' : 'entry.notHere')}</h2>
      <p>{t(isUnknown ? 'entry.missingText' : 'entry.notHereText')}</p>
    </>
  )
}
