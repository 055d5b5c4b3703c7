import { useState } from 'react'
import { toDisplayName } from '#domain/catalogue/mapp.ts'
import { Button } from '#ui/display/Button.tsx'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { Pagination } from '#ui/list/Pagination.tsx'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { formatFault } from '#features/apps/upload/format-fault.ts'
import type { UploadEntry, UploadPhase } from '#features/apps/upload/upload-entry.ts'
import type { UploadQueue } from '#features/apps/upload/upload-queue.ts'
import { formatFileSize, getPage, pageSize } from '#features/apps/upload/entry-page.ts'

const tones: Partial<Record<UploadPhase, TagTone>> = {
  sending: 'accent',
  checking: 'accent',
  failed: 'danger',
  refused: 'danger',
  offline: 'pending',
  partial: 'pending',
  paused: 'warning',
}

/** `sortTransfers` puts failed files first, because the user can act on them. */
const isFinished = ({ phase }: UploadEntry) => phase === 'sent' || phase === 'notNeeded'
const hasFailed = ({ phase }: UploadEntry) => phase === 'failed' || phase === 'refused'
const sortTransfers = (entries: readonly UploadEntry[]) =>
  entries.filter((entry) => !isFinished(entry)).toSorted((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)))

interface TransferListProps {
  entries: readonly UploadEntry[]
  isFull: boolean
  queue: UploadQueue
}

/** Lists files that are being sent, with their progress, and failed files, with the reason (M155). */
export function TransferList({ entries, isFull, queue }: TransferListProps) {
  const { t } = useTranslation('apps')
  const [requestedPage, setRequestedPage] = useState(1)
  const transfers = sortTransfers(entries)
  const { page, pageCount, pageEntries } = getPage(transfers, requestedPage)
  if (transfers.length === 0) return null
  const failedEntries = transfers.filter(hasFailed)
  return (
    <section className="card uploads" aria-labelledby="uploads-title">
      <div className="uploads-head">
        <h2 id="uploads-title">{t('transfer.title')}</h2>
        <p role="status">{t('transfer.counted', { count: transfers.length })}</p>
        {failedEntries.length > 1 && (
          <Button kind="plain" icon="remove" onClick={() => failedEntries.forEach(({ key }) => void queue.remove(key))}>
            {t('transfer.removeFailed', { number: failedEntries.length })}
          </Button>
        )}
      </div>
      {isFull && <p className="uploads-full">{t('transfer.full')}</p>}
      <ol>
        {pageEntries.map((entry) => (
          <Transfer key={entry.key} entry={entry} queue={queue} />
        ))}
      </ol>
      {transfers.length > pageSize && <Pagination page={page} pageCount={pageCount} onPage={setRequestedPage} />}
    </section>
  )
}

function Transfer({ entry, queue }: { entry: UploadEntry; queue: UploadQueue }) {
  const { t } = useTranslation('apps')
  const { key, size, phase, sentBytes } = entry
  const name = toDisplayName(entry.name)
  const percent = size === 0 ? 0 : Math.floor((sentBytes / size) * 100)
  const hasBar = ['waiting', 'sending', 'paused', 'offline', 'partial', 'checking'].includes(phase) || hasFailed(entry)
  return (
    <li className={`upload${hasFailed(entry) ? ' exception' : ''}`}>
      <div className="upload-head">
        <span className="upload-name">
          <strong dir="auto">{name}</strong> <span>{formatFileSize(size)}</span>
        </span>
        <Tag tone={tones[phase] ?? 'neutral'}>{t(`phase.${phase}`)}</Tag>
        <span className="row-actions">
          {phase === 'sending' && (
            <Button kind="plain" onClick={() => queue.pause(key)} icon="stop">
              {t('transfer.pause')}
            </Button>
          )}
          {phase === 'paused' && (
            <Button kind="plain" onClick={() => queue.retry(key)} icon="play">
              {t('transfer.resume')}
            </Button>
          )}
          {phase === 'failed' && (
            <Button icon="refresh" onClick={() => queue.retry(key)}>
              {t('transfer.again')}
            </Button>
          )}
          <Button kind="plain" isIconOnly icon="remove" onClick={() => void queue.remove(key)}>
            {t('transfer.remove', { name })}
          </Button>
        </span>
      </div>
      {hasBar && (
        <ProgressBar
          label={t('transfer.progress', { name })}
          percent={percent}
          text={t('transfer.percent', { percent })}
        />
      )}
      <TransferDetails entry={entry} percent={percent} />
    </li>
  )
}

function TransferDetails({ entry, percent }: { entry: UploadEntry; percent: number }) {
  const { t } = useTranslation('apps')
  const { phase, fault, problem, duplicateName: duplicate, size, sentBytes } = entry
  if (fault) return <p className="upload-why">{formatFault(fault)}</p>
  if (duplicate !== null) return <p className="upload-why">{t('transfer.twin', { name: toDisplayName(duplicate) })}</p>
  if (phase === 'failed' && problem) return <p className="upload-why">{formatProblem(problem)}</p>
  if (phase === 'partial') return <p className="field-help">{t('transfer.partial', { percent })}</p>
  if (phase === 'sending' || phase === 'paused' || phase === 'offline')
    return (
      <p className="field-help">
        {t('transfer.sent', { percent, sent: formatFileSize(sentBytes), size: formatFileSize(size) })}
      </p>
    )
  return null
}
